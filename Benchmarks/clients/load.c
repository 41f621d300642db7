// A load generator: sends prepared HTTP/1.1 requests over kept connections and prints the result as one line of JSON.
//
//     load PORT CONNECTIONS STATUS FILE (seconds S | count N) [rate R]
//
// FILE has the requests, each preceded by its length on a line of its own; they are sent in turn. Eight `#` in a row
// are replaced by the request's number, so that texts differ. A response with another status than STATUS is counted as
// `other`, and its latency apart from the others; `withoutRetryAfter` are those of them without that header. A
// connection that the server closes is counted as `broken`.
//
// Without a rate, each connection sends as soon as it has its response. With a rate, requests are due at random moments
// (a Poisson process, as pgbench's --rate), and a latency begins when its request was due, also if no connection was
// free. At the end, the generator waits for all responses, so that every stored submission is counted.
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "connect.h"
#include "response.h"

typedef struct { char *bytes; size_t length; char *number; } Request;
typedef struct { int socket; int64_t begun; Response response; } Connection;

static Request *requests;
static size_t requestCount;
static Connection *connections;
static int connectionCount, epoll, timer = -1, expected;
// Free connections, and the moments at which requests were due that found none.
static int *freeConnections, freeCount;
static int64_t *due;
static size_t dueFirst, dueLast, dueCapacity;
typedef struct { uint32_t *microseconds; size_t count, capacity; } Latencies;
static Latencies expectedOnes, otherOnes;
static uint64_t sent, limit = UINT64_MAX, ok, others, withoutRetryAfter, broken;
static int64_t stop = INT64_MAX;
static char firstOther[200];

static void fail(const char *what) {
    fprintf(stderr, "load: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void readRequests(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    size_t length;
    while (fscanf(file, "%zu\n", &length) == 1) {
        requests = realloc(requests, (requestCount + 1) * sizeof *requests);
        Request *request = &requests[requestCount++];
        request->length = length;
        request->bytes = calloc(length + 1, 1);
        if (fread(request->bytes, 1, length, file) != length) fail("a request is shorter than its length");
        request->number = strstr(request->bytes, "########");
    }
    fclose(file);
    if (!requestCount) fail("no requests");
}

static void addLatency(Latencies *latencies, int64_t nanoseconds) {
    if (latencies->count == latencies->capacity) {
        latencies->capacity = latencies->capacity ? latencies->capacity * 2 : 1 << 16;
        latencies->microseconds = realloc(latencies->microseconds, latencies->capacity * sizeof(uint32_t));
        if (!latencies->microseconds) fail("no memory");
    }
    int64_t microseconds = nanoseconds / 1000;
    latencies->microseconds[latencies->count++] = microseconds > UINT32_MAX ? UINT32_MAX : (uint32_t)microseconds;
}

static void closeConnection(Connection *connection) {
    broken++;
    close(connection->socket);
    connection->socket = -1;
}

static void sendRequest(Connection *connection, int64_t begun) {
    Request *request = &requests[sent % requestCount];
    if (request->number) {
        char digits[9];
        snprintf(digits, sizeof digits, "%08u", (unsigned)(sent % 100000000));
        memcpy(request->number, digits, 8);
    }
    sent++;
    connection->begun = begun;
    resetResponse(&connection->response);
    // One request is outstanding on a connection, so the socket's buffer is empty and takes all of it.
    ssize_t written = send(connection->socket, request->bytes, request->length, MSG_NOSIGNAL);
    if (written != (ssize_t)request->length) closeConnection(connection);
}

/// Whether no further request may be sent.
static int isOver(int64_t time) { return time >= stop || sent >= limit; }

static void finished(Connection *connection) {
    int64_t time = now();
    if (connection->response.status == expected) {
        ok++;
        addLatency(&expectedOnes, time - connection->begun);
    } else {
        addLatency(&otherOnes, time - connection->begun);
        if (!strcasestr(connection->response.head, "\r\nretry-after: ")) withoutRetryAfter++;
        if (!others++) snprintf(firstOther, sizeof firstOther, "%.*s", 199, connection->response.head);
    }
    if (timer < 0) {
        if (!isOver(time)) sendRequest(connection, time);
    } else if (dueFirst < dueLast) {
        sendRequest(connection, due[dueFirst++ % dueCapacity]);
    } else {
        freeConnections[freeCount++] = (int)(connection - connections);
    }
}

static void receive(Connection *connection) {
    static char buffer[1 << 18];
    ssize_t count = recv(connection->socket, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return closeConnection(connection);
    switch (readResponse(&connection->response, buffer, count)) {
    case RESPONSE_COMPLETE: finished(connection); break;
    case RESPONSE_INVALID: fprintf(stderr, "load: a response is invalid: %.60s\n", connection->response.head); exit(1);
    case RESPONSE_INCOMPLETE: break;
    }
}

// MARK: A fixed rate

static double nextGap(double rate) {
    static uint64_t state = 0x9E3779B97F4A7C15;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return -log(((state >> 11) + 1) / 9007199254740993.0) / rate * 1e9;
}

/// Sends what is due. Returns the moment of the next request.
static int64_t sendDue(int64_t next, double rate) {
    for (int64_t time = now(); next <= time && !isOver(next);) {
        if (freeCount) {
            sendRequest(&connections[freeConnections[--freeCount]], next);
        } else {
            if (dueLast - dueFirst == dueCapacity) fail("the server is too slow for this rate");
            due[dueLast++ % dueCapacity] = next;
        }
        next += (int64_t)nextGap(rate);
    }
    return next;
}

static void setTimer(int64_t moment) {
    struct itimerspec spec = {.it_value = {moment / 1000000000, moment % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double percentile(const Latencies *latencies, double share) {
    return latencies->count ? latencies->microseconds[(size_t)(share * (latencies->count - 1))] / 1000.0 : 0;
}

static void sort(Latencies *latencies) {
    qsort(latencies->microseconds, latencies->count, sizeof(uint32_t), compare);
}

int main(int argc, char **argv) {
    double rate = 0, seconds = 0;
    if (argc != 7 && argc != 9) fail("see the comment in load.c for the arguments");
    connectionCount = atoi(argv[2]), expected = atoi(argv[3]);
    readRequests(argv[4]);
    if (!strcmp(argv[5], "seconds")) seconds = atof(argv[6]); else limit = strtoull(argv[6], NULL, 10);
    if (argc == 9) rate = atof(argv[8]);
    connections = calloc(connectionCount, sizeof *connections);
    freeConnections = calloc(connectionCount, sizeof *freeConnections);
    epoll = epoll_create1(0);
    for (int i = 0; i < connectionCount; i++) {
        connections[i].socket = connectTo(atoi(argv[1]));
        if (connections[i].socket < 0) fail("cannot connect");
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(epoll, EPOLL_CTL_ADD, connections[i].socket, &event);
    }
    int64_t begin = now(), next = begin;
    if (seconds > 0) stop = begin + (int64_t)(seconds * 1e9);
    if (rate > 0) {
        timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = UINT32_MAX};
        epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
        due = calloc(dueCapacity = 1 << 20, sizeof *due);
        for (int i = 0; i < connectionCount; i++) freeConnections[freeCount++] = i;
        setTimer(next);
    } else {
        for (int i = 0; i < connectionCount && !isOver(now()); i++) sendRequest(&connections[i], now());
    }
    struct epoll_event events[512];
    int64_t last = begin;
    while (1) {
        int isDone = timer < 0 ? isOver(now()) : isOver(next) && dueFirst == dueLast;
        if (isDone && ok + others + broken >= sent) break;
        if (now() - last > 60000000000LL) fail("no response for 60 seconds");
        int count = epoll_wait(epoll, events, 512, 1000);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u32 == UINT32_MAX) {
                uint64_t expirations;
                if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) fail("timer");
                continue;
            }
            last = now();
            Connection *connection = &connections[events[i].data.u32];
            if (connection->socket >= 0) receive(connection);
        }
        if (timer >= 0 && !isOver(next)) {
            int64_t following = sendDue(next, rate);
            if (following != next) setTimer(next = following);
        }
    }
    double elapsed = (now() - begin) / 1e9;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
                 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    sort(&expectedOnes);
    sort(&otherOnes);
    if (others) fprintf(stderr, "load: the first other response: %.*s\n", (int)strcspn(firstOther, "\r\n"), firstOther);
    printf("{\"ok\": %llu, \"other\": %llu, \"broken\": %llu, \"seconds\": %.4f, \"cpu\": %.4f, \"p50\": %.3f,"
           " \"p90\": %.3f, \"p99\": %.3f, \"p999\": %.3f, \"max\": %.3f, \"withoutRetryAfter\": %llu,"
           " \"otherP50\": %.3f, \"otherP99\": %.3f}\n",
           (unsigned long long)ok, (unsigned long long)others, (unsigned long long)broken, elapsed, cpu,
           percentile(&expectedOnes, 0.5), percentile(&expectedOnes, 0.9), percentile(&expectedOnes, 0.99),
           percentile(&expectedOnes, 0.999), percentile(&expectedOnes, 1), (unsigned long long)withoutRetryAfter,
           percentile(&otherOnes, 0.5), percentile(&otherOnes, 0.99));
    return 0;
}
