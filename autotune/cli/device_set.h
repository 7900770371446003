/* device_set: reads --device and sorts the devices into kinds: devices of one kind share the
 * work of one search, other kinds are tuned at the same time. */
#ifndef AUTOTUNE_DEVICE_SET_H
#define AUTOTUNE_DEVICE_SET_H

#include "autotune/cli/request.h"

enum { DEVICE_SET_MAX = 64 };

/* Devices of one kind. */
struct device_set_kind {
    char specs[DEVICE_SET_MAX][16]; /* "0", "1", never "00"; "auto" and "host" as they are */
    const char *list[DEVICE_SET_MAX];
    size_t count;
};

struct device_set {
    struct device_set_kind kinds[DEVICE_SET_MAX];
    size_t count;
};

/* "auto", "host", "0", "all" (every GPU), or a list of hosts and numbers with commas: "0,1",
 * "host,host". A GPU named twice, in any form, is ERROR_USAGE; a missing device is
 * ERROR_NO_DEVICE. `out` is about 130 KB: allocate it. */
int device_set_open(struct device_set *out, const struct request *request, struct error *error);

#endif
