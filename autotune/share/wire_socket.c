/* wire_socket: keeps what cannot be sent yet, so that two sides that both send never wait for each
 * other. */
#include "autotune/share/wire_socket.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum { PIECE = 1 << 14 };

void wire_socket_dispose(struct wire_socket *socket)
{
    text_dispose(&socket->in.bytes);
    text_dispose(&socket->out);
}

bool wire_socket_is_full(const struct wire_socket *socket)
{
    return socket->sent < socket->out.length && !socket->is_closed;
}

static void flush(struct wire_socket *socket)
{
    socket->is_closed |= socket->out.failed;
    while (wire_socket_is_full(socket)) {
        const ssize_t sent =
            send(socket->file, socket->out.at + socket->sent, socket->out.length - socket->sent,
                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            socket->is_closed |= errno != EAGAIN && errno != EWOULDBLOCK;
            return;
        }
        socket->sent += (size_t)sent;
    }
    text_clear(&socket->out);
    socket->sent = 0;
}

void wire_socket_send(struct wire_socket *socket, const struct wire *wire)
{
    wire_pack(&socket->out, wire);
    flush(socket);
}

static void receive(struct wire_socket *socket)
{
    char piece[PIECE];
    for (;;) {
        const ssize_t got = recv(socket->file, piece, sizeof piece, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            socket->is_closed |= got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
            return;
        }
        text_add(&socket->in.bytes, piece, (size_t)got);
    }
}

void wire_socket_pump(struct wire_socket *socket, int wait_ms)
{
    struct pollfd file = {.fd = socket->file, .events = POLLIN};
    if (socket->is_closed)
        return;
    if (wire_socket_is_full(socket))
        file.events |= POLLOUT;
    if (poll(&file, 1, wait_ms) <= 0)
        return;
    receive(socket);
    flush(socket);
}
