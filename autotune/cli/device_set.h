/* device_set: the devices that --device names, sorted into kinds: like ones share the work of one
 * search, unlike ones are tuned side by side. Hides the reading of lists and of "all". */
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
 * "host,host". A GPU named twice, in whatever form, is ERROR_USAGE; a device that is not there
 * is ERROR_NO_DEVICE. `out` is about 130 KB: allocate it. */
int device_set_open(struct device_set *out, const struct request *request, struct error *error);

#endif
