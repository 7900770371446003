/* Blocks on an SM: cases worked out by hand, with the limiter; what documents say; and, where
 * the CUDA toolkit is, every combination of a sweep against NVIDIA's own calculator. */
#include "autotune/device/gpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if defined HAVE_CUDA && __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAVE_CALCULATOR
#endif

static struct occupancy_limits limits_of(int cc)
{
    struct occupancy_limits limits;
    struct error error;
    if (gpus_limits(&limits, cc, &error))
        fail_msg("%s", error.text);
    return limits;
}

static struct occupancy compute(int cc, int block, int registers, int64_t shared_bytes)
{
    const struct occupancy_limits limits = limits_of(cc);
    const struct occupancy_kernel kernel = {block, registers, shared_bytes};
    struct occupancy out;
    occupancy_compute(&out, &limits, &kernel);
    return out;
}

static void test_by_hand(void **state)
{
    (void)state;
    static const struct {
        int cc, block, registers;
        int64_t shared_bytes;
        int blocks;
        double percent;
        enum occupancy_limiter limiter;
    } rows[] = {
        {90, 256, 32, 0, 8, 100, OCCUPANCY_THREADS},
        {90, 256, 40, 0, 6, 75, OCCUPANCY_REGISTERS},  /* 12 warps of 1280 in each part */
        {90, 1024, 33, 0, 1, 50, OCCUPANCY_REGISTERS}, /* 33 registers are handed out as 40 */
        {90, 1024, 64, 0, 1, 50, OCCUPANCY_REGISTERS},
        {90, 1024, 65, 0, 0, 0, OCCUPANCY_REGISTERS}, /* more than an SM has */
        {90, 32, 16, 0, 32, 50, OCCUPANCY_BLOCKS},
        {86, 32, 16, 0, 16, 100.0 / 3, OCCUPANCY_BLOCKS},
        {90, 128, 32, 49152, 4, 25, OCCUPANCY_SHARED}, /* 49 KiB each, of 228 */
        {70, 128, 32, 49152, 2, 12.5, OCCUPANCY_SHARED},
        {70, 128, 32, 98304, 1, 6.25, OCCUPANCY_SHARED},
        {90, 256, 32, 232448, 1, 12.5, OCCUPANCY_SHARED},
        {90, 256, 32, 232449, 0, 0, OCCUPANCY_SHARED}, /* one byte more than a block may have */
        {75, 1024, 32, 0, 1, 100, OCCUPANCY_THREADS},
        {120, 96, 32, 0, 16, 100, OCCUPANCY_THREADS},
        {120, 33, 16, 0, 24, 100, OCCUPANCY_THREADS}, /* two warps each */
        {90, 2048, 16, 0, 0, 0, OCCUPANCY_THREADS},   /* no block is that large */
        {90, 256, 256, 0, 0, 0, OCCUPANCY_REGISTERS}, /* nor that deep */
        {90, 256, 0, 0, 8, 100, OCCUPANCY_THREADS},   /* registers unknown: no limit */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct occupancy got =
            compute(rows[i].cc, rows[i].block, rows[i].registers, rows[i].shared_bytes);
        if (got.blocks != rows[i].blocks || got.limiter != rows[i].limiter ||
            got.share * 100 < rows[i].percent - 1e-9 ||
            got.share * 100 > rows[i].percent + 1e-9)
            fail_msg("row %zu: %d blocks, %.3f %%, %s", i, got.blocks, got.share * 100,
                     occupancy_names[got.limiter]);
        assert_int_equal(occupancy_is_limited(&got), rows[i].percent < 100);
    }
}

/* The occupancy calculator's page in CS599 Lecture 6: blocks of 512 threads, 16 registers, 2048 bytes
 * on a V100: 4 blocks, 64 warps, 100 %; by warps 4, by registers 8, by shared memory 48. */
static void test_lecture(void **state)
{
    (void)state;
    const struct occupancy got = compute(70, 512, 16, 2048);
    assert_int_equal(got.blocks, 4);
    assert_int_equal(got.warps, 64);
    assert_true(got.share == 1);
    assert_int_equal(got.fit[OCCUPANCY_THREADS], 4);
    assert_int_equal(got.fit[OCCUPANCY_REGISTERS], 8);
    assert_int_equal(got.fit[OCCUPANCY_SHARED], 48);
}

/* "1,024 threads -> 1 block of 1,536 -> 66.67 %" on a GPU of compute capability 12.0. */
static void test_published(void **state)
{
    (void)state;
    const struct occupancy got = compute(120, 1024, 24, 4096);
    assert_int_equal(got.blocks, 1);
    assert_int_equal((int)(got.share * 10000 + 0.5), 6667);
    assert_int_equal(got.limiter, OCCUPANCY_THREADS);
}

static void test_every_architecture_has_limits(void **state)
{
    (void)state;
    for (const char *const *name = gpus_names(); *name; name++) {
        struct target target;
        struct error error;
        assert_int_equal(gpus_find(&target, *name, &error), 0);
        const struct occupancy_limits limits = limits_of(target.cc);
        assert_int_equal(limits.threads, target.threads_per_sm);
        assert_int_equal(limits.registers, target.registers_per_sm);
        assert_int_equal(limits.shared, target.shared_per_sm);
        assert_int_equal(limits.threads_per_block, target.threads_per_block);
        assert_int_equal(limits.shared_opt_in, limits.shared - limits.shared_reserved);
        assert_in_range(limits.blocks, 16, 32);
    }
    struct occupancy_limits limits;
    struct error error;
    assert_int_equal(gpus_limits(&limits, 60, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
}

#ifdef HAVE_CALCULATOR
static int ask_calculator(int cc, const struct target *target, int block, int registers,
                          int64_t shared_bytes)
{
    const struct occupancy_limits limits = limits_of(cc);
    struct cudaOccDeviceProp device = {.computeMajor = cc / 10,
                                       .computeMinor = cc % 10,
                                       .maxThreadsPerBlock = 1024,
                                       .maxThreadsPerMultiprocessor = target->threads_per_sm,
                                       .regsPerBlock = 65536,
                                       .regsPerMultiprocessor = 65536,
                                       .warpSize = 32,
                                       .sharedMemPerBlock = 49152,
                                       .sharedMemPerMultiprocessor =
                                           (size_t)target->shared_per_sm,
                                       .numSms = target->sms,
                                       .sharedMemPerBlockOptin = (size_t)limits.shared_opt_in,
                                       .reservedSharedMemPerBlock = cc >= 80 ? 1024 : 0};
    struct cudaOccFuncAttributes function = {.maxThreadsPerBlock = 1024,
                                             .numRegs = registers,
                                             .sharedSizeBytes = 0,
                                             .partitionedGCConfig = PARTITIONED_GC_OFF,
                                             .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                             .maxDynamicSharedSizeBytes = (size_t)shared_bytes,
                                             .numBlockBarriers = 1};
    struct cudaOccDeviceState launch = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    struct cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &launch, block,
                                                (size_t)shared_bytes) != CUDA_OCC_SUCCESS)
        fail_msg("the calculator refuses sm_%d, block %d", cc, block);
    return result.activeBlocksPerMultiprocessor;
}

static void test_calculator(void **state)
{
    (void)state;
    size_t compared = 0;
    for (const char *const *name = gpus_names(); *name; name++) {
        struct target target;
        struct error error;
        assert_int_equal(gpus_find(&target, *name, &error), 0);
        for (int block = 32; block <= 1024; block += block < 256 ? 32 : 128)
            for (int registers = 16; registers <= 255; registers += 7)
                for (int64_t shared = 0; shared <= limits_of(target.cc).shared_opt_in;
                     shared = shared * 3 / 2 + 128, compared++) {
                    const int want =
                        ask_calculator(target.cc, &target, block, registers, shared);
                    const int got = compute(target.cc, block, registers, shared).blocks;
                    if (got != want)
                        fail_msg("%s, block %d, %d registers, %d bytes: %d, NVIDIA says %d",
                                 *name, block, registers, (int)shared, got, want);
                }
    }
    assert_true(compared > 10000);
}
#else
static void test_calculator(void **state)
{
    (void)state;
    print_message("no cuda_occupancy.h: the toolkit's headers are not here\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_published),
        cmocka_unit_test(test_lecture),    cmocka_unit_test(test_every_architecture_has_limits),
        cmocka_unit_test(test_calculator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
