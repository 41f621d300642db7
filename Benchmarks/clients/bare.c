// A server that does nothing but answer: the limit of the load generator, and of HTTP on this machine.
//
//     bare RESPONSE
//
// It listens on a free port of the loopback interface, prints the port, and answers each request, which must arrive in
// one piece, with the bytes of the file RESPONSE. It ends when its standard input is closed.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
    static char response[1 << 16], request[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return fprintf(stderr, "usage: bare RESPONSE\n"), 2;
    size_t length = fread(response, 1, sizeof response, file);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 4096) < 0) return perror("bare"), 1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[512];
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    event.data.fd = STDIN_FILENO;
    epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    while (1) {
        int count = epoll_wait(epoll, events, 512, -1);
        for (int i = 0; i < count; i++) {
            int ready = events[i].data.fd;
            if (ready == STDIN_FILENO) return 0;
            if (ready == listener) {
                int connection;
                while ((connection = accept(listener, NULL, NULL)) >= 0) {
                    fcntl(connection, F_SETFL, O_NONBLOCK);
                    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                    event = (struct epoll_event){.events = EPOLLIN, .data.fd = connection};
                    epoll_ctl(epoll, EPOLL_CTL_ADD, connection, &event);
                }
            } else if (recv(ready, request, sizeof request, 0) <= 0
                       || send(ready, response, length, MSG_NOSIGNAL) < 0) {
                close(ready);
            }
        }
    }
}
