#ifndef AFTERWORD_CLIBPQ_SHIM_H
#define AFTERWORD_CLIBPQ_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static const int SHIM_READABLE = 1;
static const int SHIM_WRITABLE = 2;

// Waits until `fd` is ready or `milliseconds` pass (-1: for ever; a negative `other` is ignored). The answer is a set
// of SHIM_… for `fd`, 0 when only `other` or the time was what ended the wait. An error or hang-up counts as readable:
// the next read then says what it is.
static inline int shim_wait(int fd, int wanted, int other, int milliseconds) {
    struct pollfd polled[2] = {
        {.fd = fd, .events = (short)((wanted & SHIM_READABLE ? POLLIN : 0) | (wanted & SHIM_WRITABLE ? POLLOUT : 0))},
        {.fd = other, .events = POLLIN},
    };
    int count;
    do {
        count = poll(polled, 2, milliseconds);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return SHIM_READABLE;
    int ready = 0;
    if (polled[0].revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL)) ready |= SHIM_READABLE;
    if (polled[0].revents & POLLOUT) ready |= SHIM_WRITABLE;
    return ready;
}

// A pipe that neither blocks nor survives an exec; 0 on success.
static inline int shim_pipe(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

// Starts a detached thread; 0 on success, else an errno.
static inline int shim_start_thread(void *(*body)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int result = pthread_create(&thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    return result;
}

// Connects, waiting. The last value of a keyword wins, so the URL stands after what it may change.
//
// A host that falls silent sends no end: unasked, the kernel would wait for it for a quarter of an hour or for ever.
// So it is asked after 10 s of quiet, and given up when three questions, or what was sent for 15 s, find no answer.
static inline PGconn *shim_connect(const char *url, const char *application, const char *timeout) {
    const char *keywords[] = {
        "connect_timeout", "fallback_application_name", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout", "dbname", "client_encoding", NULL};
    const char *values[] = {timeout, application, "10", "5", "3", "15000", url, "UTF8", NULL};
    return PQconnectdbParams(keywords, values, 1);
}

static inline uintptr_t shim_current_thread(void) { return (uintptr_t)pthread_self(); }

#endif
