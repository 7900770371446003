/* dlpack: the structs by which array libraries hand each other arrays, as DLPack's specification
 * (data-apis.org, version 1.0) lays them out in memory. */
#ifndef DLPACK_H
#define DLPACK_H

#include <stdint.h>

enum { DLPACK_CPU = 1, DLPACK_CUDA = 2, DLPACK_CUDA_HOST = 3, DLPACK_CUDA_MANAGED = 13 };

struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits; /* of an element: kind and size */
    uint16_t lanes;     /* 1, or elements of a vector type */
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: without gaps, the last axis fastest */
    uint64_t byte_offset;
};

/* Of capsules named "dltensor". */
struct dlpack_managed {
    struct dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
};

/* Of capsules named "dltensor_versioned". */
struct dlpack_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_versioned *self);
    uint64_t flags;
    struct dlpack_tensor tensor;
};

/* What the capsule "dlpack_exchange_api" of an array's type holds, of version 1: its functions need no
 * Python object but the array. They return 0, or not 0 with an exception. */
struct dlpack_exchange {
    uint32_t major, minor;
    struct dlpack_exchange *older;
    int (*allocate)(struct dlpack_tensor *prototype, struct dlpack_versioned **out,
                    void *context,
                    void (*set_error)(void *context, const char *kind, const char *message));
    int (*export)(void *array, struct dlpack_versioned **out);
    int (*import)(struct dlpack_versioned *tensor, void **out_array); /* takes the tensor */
    int (*view)(void *array, struct dlpack_tensor *out);              /* may be NULL */
    int (*current_stream)(int32_t device_type, int32_t device_id, void **out);
};

#endif
