/* many_hello: finds, before MPI is there, what a rank has to say of itself: its device, and a hash of all
 * that has to be the same on every rank. */
#ifndef AUTOTUNE_MANY_HELLO_H
#define AUTOTUNE_MANY_HELLO_H

#include "autotune/cli/problem_file.h"
#include "autotune/device/device.h"

struct many_hello {
    struct problem_file file;
    struct device_info info;
    uint64_t hash;
    struct error error; /* why this rank can do nothing; ERROR_NONE */
};

/* Reads the request's list, and opens its device in a process that ends before this returns: so this one
 * has no GPU open. interrupt_begin has been called, with no device. Dispose of it. */
void many_hello_find(struct many_hello *out, const struct request *request);
void many_hello_dispose(struct many_hello *hello);

/* Appends the fields of MANY_HELLO. */
void many_hello_write(struct text *letter, const struct many_hello *hello);

#endif
