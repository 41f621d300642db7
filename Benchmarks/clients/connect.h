// Connections to a service on this machine.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/// Returns a connected socket that does not block, or -1.
static int connectTo(int port) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) return -1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(connection, F_SETFL, O_NONBLOCK);
    return connection;
}
