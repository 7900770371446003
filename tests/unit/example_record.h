/* A record such as tuning leaves, for the tests of cache/. */
#ifndef EXAMPLE_RECORD_H
#define EXAMPLE_RECORD_H

#include "cache/record.h"
#include "tests/unit/named_op.h"

static struct record example_record = {
    .problem = {.type = I32, .acc = I32, .dims = DIMS_VALUE(400000000), .regime = COLD},
    .space = "reduce",
    .method = RECORD_METHOD,
    .gpu = "NVIDIA H200",
    .cc = 90,
    .sms = 132,
    .memory_clock_khz = 3201000,
    .bus_bits = 6016,
    .driver = "580.159.04 (CUDA 13.0)",
    .compiler = "NVRTC 13.0",
    .source = RECORD_MEASURED,
    .code = 0x0123456789abcdef,
    .space_hash = 0xfedcba9876543210,
    .params = "BLOCK=256 ITEMS=16 WARP=SHUFFLE GRID=0 SHIFT=-1",
    .median_ps = 343370000,
    .low_ps = 343200000,
    .high_ps = 343500000,
    .ties = 2,
    .registers = 46,
    .candidates = 1980,
    .error = "3.1e-08",
    .tuned = "2026-11-21T01:25:00Z",
};

NAMED_PROBLEM(name_example_record, example_record.problem, SUM)

#endif
