// A server on a free port of the loopback interface, whose readiness is reported by epoll.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/// Reports when a descriptor can be read.
static void watch(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

/// Returns a listening socket that does not block, or -1. Prints its port.
static int listenAnywhere(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 4096) < 0) return -1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

/// Accepts and watches all connections that wait. Returns their number.
static int acceptAll(int epoll, int listener) {
    int connection, count = 0, yes = 1;
    while ((connection = accept(listener, NULL, NULL)) >= 0) {
        fcntl(connection, F_SETFL, O_NONBLOCK);
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        watch(epoll, connection);
        count++;
    }
    return count;
}
