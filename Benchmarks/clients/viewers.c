// Keeps event streams open and measures when a change has reached all of them.
//
//     viewers PORT COUNT FILE
//
// FILE has the request that opens a stream. When every stream has its first event, the program prints `ready`. After
// each line on the standard input it prints `waiting` and waits until every stream has an event with a greater id than
// before. Then it prints the moments, in nanoseconds of CLOCK_MONOTONIC, at which the first stream, half of them, 99 %
// of them and the last one had it. It ends when its standard input is closed.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "connect.h"

typedef struct {
    int socket;
    // The id of the event that is being read, and the newest complete one.
    long long reading, id;
    // The beginning of the current line.
    size_t lineLength;
    char line[40];
} Viewer;

static Viewer *viewers;
static int count, served;
static long long awaited;
static int64_t *moments;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "viewers: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static void lineEnded(Viewer *viewer, int64_t moment) {
    if (viewer->lineLength >= 9 && !memcmp(viewer->line, "HTTP/1.1 ", 9) && memcmp(viewer->line + 9, "200", 3)) {
        fail(viewer->line);
    }
    if (!memcmp(viewer->line, "id: ", 4)) viewer->reading = atoll(viewer->line + 4);
    // An empty line ends an event. The lines of the chunked encoding end with a carriage return.
    if (viewer->lineLength == 0 && viewer->reading >= 0) {
        int isNew = viewer->id < awaited && viewer->reading >= awaited;
        viewer->id = viewer->reading;
        viewer->reading = -1;
        if (isNew) moments[served++] = moment;
    }
}

static void receive(Viewer *viewer) {
    static char buffer[1 << 18];
    ssize_t length = recv(viewer->socket, buffer, sizeof buffer, 0);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) fail("a stream has ended");
    int64_t moment = now();
    for (char *next = buffer, *end = buffer + length; next < end;) {
        char *newline = memchr(next, '\n', end - next), *lineEnd = newline ? newline : end;
        size_t kept = lineEnd - next, space = sizeof viewer->line - 1 - viewer->lineLength;
        if (kept > space) kept = space;
        memcpy(viewer->line + viewer->lineLength, next, kept);
        viewer->lineLength += kept;
        viewer->line[viewer->lineLength] = 0;
        if (newline) {
            lineEnded(viewer, moment);
            viewer->lineLength = 0;
            viewer->line[0] = 0;
        }
        next = lineEnd + 1;
    }
}

/// Awaits an event on every stream that is newer than all so far.
static void await(int epoll) {
    struct epoll_event events[512];
    served = 0;
    while (served < count) {
        int ready = epoll_wait(epoll, events, 512, 60000);
        if (ready == 0) fail("no event for 60 seconds");
        for (int i = 0; i < ready; i++) receive(&viewers[events[i].data.u32]);
    }
}

/// Reads what has arrived, so that the next event is the only one.
static void drain(int epoll) {
    struct epoll_event events[512];
    int ready;
    while ((ready = epoll_wait(epoll, events, 512, 0)) > 0) {
        for (int i = 0; i < ready; i++) receive(&viewers[events[i].data.u32]);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) fail("see the comment in viewers.c for the arguments");
    static char request[8192];
    count = atoi(argv[2]);
    FILE *file = fopen(argv[3], "r");
    if (!file) fail(argv[3]);
    size_t length = fread(request, 1, sizeof request, file);
    viewers = calloc(count, sizeof *viewers);
    moments = calloc(count, sizeof *moments);
    int epoll = epoll_create1(0);
    for (int i = 0; i < count; i++) {
        viewers[i] = (Viewer){.socket = connectTo(atoi(argv[1])), .reading = -1, .id = -1};
        if (viewers[i].socket < 0) fail("cannot connect");
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(epoll, EPOLL_CTL_ADD, viewers[i].socket, &event);
        if (send(viewers[i].socket, request, length, MSG_NOSIGNAL) != (ssize_t)length) fail("cannot send");
    }
    await(epoll);
    puts("ready");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        drain(epoll);
        for (int i = 0; i < count; i++) {
            if (viewers[i].id >= awaited) awaited = viewers[i].id + 1;
        }
        puts("waiting");
        fflush(stdout);
        await(epoll);
        printf("%lld %lld %lld %lld\n", (long long)moments[0], (long long)moments[count / 2],
               (long long)moments[(size_t)(count * 0.99)], (long long)moments[count - 1]);
        fflush(stdout);
    }
    return 0;
}
