/* wire_socket: sends and receives messages over a stream socket without waiting for the other side. */
#ifndef AUTOTUNE_WIRE_SOCKET_H
#define AUTOTUNE_WIRE_SOCKET_H

#include "autotune/share/wire.h"

struct wire_socket {
    int file;       /* a stream socket; its owner closes it */
    bool is_closed; /* by the other side, or it failed; what came before can still be taken */
    struct wire_stream in;
    struct text out;
    size_t sent; /* of `out` */
};
void wire_socket_dispose(struct wire_socket *socket);

/* Keeps the message, and sends what can be sent now. */
void wire_socket_send(struct wire_socket *socket, const struct wire *wire);

/* Sends and receives what can be, after waiting so long at most for anything to come: -1 = for as long
 * as it takes. */
void wire_socket_pump(struct wire_socket *socket, int wait_ms);

/* Is there something left to send? */
bool wire_socket_is_full(const struct wire_socket *socket);

#endif
