/* input: makes full-size inputs on a device, with the right results. Cold measurements rotate
 * over several distinct inputs; warm ones, and inputs far past the L2 cache, use one. */
#ifndef AUTOTUNE_INPUT_H
#define AUTOTUNE_INPUT_H

#include "autotune/device/device.h"
#include "autotune/verify/oracle.h"

enum { INPUT_MAX = 64 };

struct input {
    struct device *device;
    struct problem problem;
    uint64_t base, bytes; /* of all inputs together */
    uint64_t stride;      /* bytes from one input to the next, a multiple of 256 */
    uint64_t offset;      /* bytes that each input starts past such a multiple */
    size_t count;         /* distinct inputs */
    uint64_t seed;
    uint64_t period; /* plain elements repeat after this many; 0 = never */
    uint64_t offsets,
        offset_stride;      /* of segments: those of all inputs, and from one to the next */
    unsigned char *expects; /* all results of each input, one behind the other */
    struct oracle_doubt *doubts; /* of all results, likewise; NULL: none has any */
    uint64_t further_base[PROBLEM_FURTHER_MAX]; /* memory of each further input's pattern */
    uint64_t
        further_stride[PROBLEM_FURTHER_MAX]; /* elements of it from one input to the next */
    double largest_partial;                  /* magnitude, for the record of exactness */
};

/* Is the data so much larger than the L2 that even one input, used again, comes from memory? */
bool input_is_past_l2(const struct problem *problem, const struct device_info *info);

/* How many inputs a measurement of this problem rotates over. */
size_t input_count(const struct problem *problem, const struct device_info *info);

/* The bytes that input_open allocates for a measurement of this problem, guards included. */
uint64_t input_bytes(const struct problem *problem, const struct device_info *info);

/* The bytes of this process's own memory that input_open takes: one input, and the right
 * results of all. A run takes too few to count. */
double input_own_bytes(const struct problem *problem, const struct device_info *info);

/* The elements after which an input of this problem repeats: a prime far from any offset
 * that a wrong index is likely to have (docs/correctness.md). 0 = never, as always where n
 * is no more. */
uint64_t input_period(const struct problem *problem);

/* Fills `count` inputs on the device with exact values: one period (all, where there is none)
 * made by all cores, the rest copied on the device. No room on the device is ERROR_FAILED
 * with wanted and free bytes. */
int input_open(struct input *out, struct device *device, const struct problem *problem,
               size_t count, uint64_t seed, struct error *error);

/* As input_open, with a given period: 0, or less than n. */
int input_open_periodic(struct input *out, struct device *device, const struct problem *problem,
                        size_t count, uint64_t seed, uint64_t period, struct error *error);
/* As input_open, but each input starts `offset` bytes, whole elements below 256, past a
 * multiple of 256. */
int input_open_offset(struct input *out, struct device *device, const struct problem *problem,
                      size_t count, uint64_t seed, uint64_t offset, struct error *error);
void input_close(struct input *input);

uint64_t input_address(const struct input *input, size_t i);

/* Where the further inputs of that one begin, as bind_launches takes them. */
void input_further(const struct input *input, size_t i, uint64_t out[PROBLEM_FURTHER_MAX]);
/* Where its offsets are, of segments. */
uint64_t input_offsets(const struct input *input, size_t i);

/* The expected results of one input, their size in bytes, and one of them. */
const void *input_expects(const struct input *input, size_t i);
uint64_t input_expects_bytes(const struct problem *problem);
oracle_bits input_expect(const struct input *input, size_t i, uint64_t result);

/* Is `got` right for this result, of a kernel whose tree of combinations has this height? */
bool input_accepts(const struct input *input, size_t i, uint64_t result, uint64_t height,
                   oracle_bits got);

/* Does one element decide the result, so that it can be moved? */
bool input_has_mark(const struct input *input);

/* The position of input 0's deciding element after input_open. */
uint64_t input_last(const struct input *input);

/* Moves the deciding element from one place to another, and for argmin and argmax the expected
 * result too; without a mark a no-op. */
int input_mark(struct input *input, uint64_t from, uint64_t to, struct error *error);

#endif
