/* claim: binds a socket to a name that the kernel gives once and takes back when the process ends. No
 * file is made, and nothing is sent. */
#include "autotune/device/claim.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool claim_gpu(const char *uuid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX}; /* its name begins with '\0' */
    if (!*uuid)
        return true;
    const int socket_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0)
        return true;
    const int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "autotune %s", uuid);
    const size_t bytes = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;
    if (bytes <= sizeof address &&
        bind(socket_fd, (const struct sockaddr *)(const void *)&address, (socklen_t)bytes) == 0)
        return true; /* the socket stays open: it is the claim */
    const bool is_taken = errno == EADDRINUSE;
    close(socket_fd);
    return !is_taken;
}
