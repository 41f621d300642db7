// A server that does nothing but answer: the limit of the load generator, and of HTTP on this machine.
//
//     bare RESPONSE
//
// It listens on a free port of the loopback interface, prints the port, and answers each request, which must arrive in
// one piece, with the bytes of the file RESPONSE. It ends when its standard input is closed.
#include "listen.h"

int main(int argc, char **argv) {
    static char response[1 << 16], request[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return fprintf(stderr, "usage: bare RESPONSE\n"), 2;
    size_t length = fread(response, 1, sizeof response, file);
    int listener = listenAnywhere(), epoll = epoll_create1(0);
    if (listener < 0) return perror("bare"), 1;
    struct epoll_event events[512];
    watch(epoll, listener);
    watch(epoll, STDIN_FILENO);
    while (1) {
        int count = epoll_wait(epoll, events, 512, -1);
        for (int i = 0; i < count; i++) {
            int ready = events[i].data.fd;
            if (ready == STDIN_FILENO) return 0;
            if (ready == listener) {
                acceptAll(epoll, listener);
            } else if (recv(ready, request, sizeof request, 0) <= 0
                       || send(ready, response, length, MSG_NOSIGNAL) < 0) {
                close(ready);
            }
        }
    }
}
