/* Proving a measurement of a matrix: each fault of a call that is otherwise right is found where
 * it is, with its words, and what is right is not read back. The calls are plain C over the
 * host's memory. */
#include "autotune/measure/bench.h"
#include "autotune/verify/poison.h"
#include "tests/unit/matrix_dims.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROWS = 40009, /* results of several pieces that are read back at once, the last not whole */
    PIECE = 16384, /* results of one */
    INPUTS = 2,
    NAN_AT = PIECE - 1, /* the result that is made no number */
    NO_FAULT = -1,
};
static const uint32_t NAN_EXPECTED = 0x7fc00000, NAN_GOTTEN = 0xffc00001;

static struct device *device;
static struct error error;

/* --- Calls -------------------------------------------------------------------------------- */

/* What a call does wrong: bytes [at, at + count) of its results are left alone, or get one bit
 * flipped each. */
struct fault {
    int input; /* the calls of which are wrong, or NO_FAULT */
    uint64_t at, count;
    bool is_missing;
};

enum memory { NO_MEMORY, OF_STATE, OF_SCRATCH };

/* A byte that calls write, of memory that is theirs while they run. */
struct spoilt {
    enum memory memory;
    uint64_t at;
};

struct caller {
    const struct input *input;
    struct fault fault;
    unsigned char *spoilt; /* or NULL */
};

enum { STATE_BYTES = 8, SCRATCH_BYTES = 24 }; /* that calls are said to have */

/* Copies the rows of one element, which are their results. */
static int call(void *context, uint64_t from, uint64_t to, void *stream, struct error *why)
{
    const struct caller *caller = context;
    const struct fault *fault = &caller->fault;
    const uint64_t bytes = ROWS * sizeof(float);
    (void)stream;
    (void)why;
    const bool is_wrong =
        fault->input != NO_FAULT && from == input_address(caller->input, (size_t)fault->input);
    unsigned char *results = malloc(bytes), *out = (unsigned char *)(uintptr_t)to;
    assert_non_null(results);
    memcpy(results, (const void *)(uintptr_t)from, bytes);
    memcpy(results + NAN_AT * sizeof(float), &NAN_GOTTEN, sizeof NAN_GOTTEN);
    for (uint64_t i = 0; i < bytes; i++)
        if (!is_wrong || !fault->is_missing || i < fault->at || i >= fault->at + fault->count)
            out[i] = results[i];
    for (uint64_t i = 0; is_wrong && !fault->is_missing && i < fault->count; i++)
        out[fault->at + i] ^= 1;
    if (caller->spoilt)
        *caller->spoilt = 1;
    free(results);
    return 0;
}

/* --- What is compared --------------------------------------------------------------------- */

static const struct device_ops *inner;
static uint64_t read_back;

static int count_read(struct device *of, void *to, uint64_t from, uint64_t bytes,
                      struct error *why)
{
    read_back += bytes;
    return inner->read(of, to, from, bytes, why);
}

/* Proves a call with this fault; `has_nan`: one expected result is no number. */
static struct bench_outcome prove_memory(struct fault fault, bool has_nan, struct spoilt spoilt,
                                         bool leaves_epoch)
{
    struct problem problem = {.op = op_of(SUM), .type = F32, .acc = F32, .regime = COLD};
    struct input input;
    struct bench bench;
    struct bench_entry entry;
    struct bench_outcome outcome;
    uint64_t ps;
    problem.dims = matrix_dims((struct matrix){ROWS, 1, 0, OF_ROWS});
    assert_int_equal(input_open(&input, device, &problem, INPUTS, 3, &error), 0);
    for (size_t i = 0; i < INPUTS; i++) {
        unsigned char *expects = (unsigned char *)input.expects + i * ROWS * sizeof(float);
        const uint64_t at = NAN_AT * sizeof(float);
        if (has_nan)
            memcpy(expects + at, &NAN_EXPECTED, sizeof NAN_EXPECTED);
        else
            memcpy(expects + at, &NAN_GOTTEN, sizeof NAN_GOTTEN);
    }
    struct caller caller = {.input = &input, .fault = fault};
    if (bench_open(&bench, device, &input, NULL, NULL, NULL, &error) ||
        bench_adopt(&entry, &bench, call, &caller, INPUTS, &error))
        fail_msg("%s", error.text);
    entry.state_bytes = STATE_BYTES;
    entry.scratch_bytes = SCRATCH_BYTES;
    entry.leaves_epoch = leaves_epoch;
    const uint64_t memory = spoilt.memory == OF_STATE ? bench.state : bench.scratch;
    if (spoilt.memory != NO_MEMORY)
        caller.spoilt = (unsigned char *)(uintptr_t)(memory + spoilt.at);
    struct device_ops counting = *device->ops;
    inner = device->ops;
    counting.read = count_read;
    device->ops = &counting;
    read_back = 0;
    const int failed = bench_prove(&bench, &entry, &ps, &outcome, &error);
    device->ops = inner;
    assert_int_equal(failed, 0);
    bench_release(&bench, &entry);
    bench_close(&bench);
    input_close(&input);
    return outcome;
}

static struct bench_outcome prove(struct fault fault, bool has_nan)
{
    return prove_memory(fault, has_nan, (struct spoilt){NO_MEMORY, 0}, false);
}

static struct bench_outcome prove_spoilt(enum memory memory, uint64_t at, bool leaves_epoch)
{
    static const struct fault none = {.input = NO_FAULT};
    return prove_memory(none, false, (struct spoilt){memory, at}, leaves_epoch);
}

/* What a call leaves in its state is found at full n too, where it makes no further call wrong. Seen to
 * fail with the check of the state left out. */
static void test_state(void **state)
{
    static const uint64_t places[] = {0, STATE_BYTES - 1};
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct bench_outcome outcome = prove_spoilt(OF_STATE, places[i], false);
        assert_false(outcome.is_right);
        assert_string_equal(outcome.reason, "left its state above zero at 40009 x 1 rows");
        assert_true(prove_spoilt(OF_STATE, places[i], true).is_right);
    }
}

/* So is what it writes behind its state and its scratch memory, up to the end of the guard. Seen to
 * fail with either guard left out. */
static void test_guards(void **state)
{
    static const struct {
        enum memory memory;
        uint64_t from, bytes;
        const char *reason;
    } guards[] = {
        {OF_STATE, STATE_BYTES, POISON_STATE_GUARD, "wrote past its state at 40009 x 1 rows"},
        {OF_SCRATCH, SCRATCH_BYTES, POISON_SCRATCH_GUARD,
         "wrote past its scratch memory at 40009 x 1 rows"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
        for (int leaves_epoch = 0; leaves_epoch < 2; leaves_epoch++) {
            const uint64_t last = guards[i].from + guards[i].bytes - 1;
            assert_string_equal(prove_spoilt(guards[i].memory, guards[i].from, leaves_epoch)
                                    .reason,
                                guards[i].reason);
            assert_string_equal(prove_spoilt(guards[i].memory, last, leaves_epoch).reason,
                                guards[i].reason);
        }
    assert_true(prove_spoilt(OF_SCRATCH, SCRATCH_BYTES - 1, false).is_right);
}

static void test_right(void **state)
{
    (void)state;
    const struct fault none = {.input = NO_FAULT};
    assert_true(prove(none, false).is_right);
    assert_true(read_back < 12288);          /* the guards behind scratch memory and state */
    assert_true(prove(none, true).is_right); /* other bytes, yet equal */
    assert_true(read_back > (ROWS - PIECE) * sizeof(float));
}

static void test_faults(void **state)
{
    (void)state;
    static const uint64_t places[] = {0, 1, NAN_AT - 1, PIECE, 2 * PIECE - 1, ROWS - 1};
    char begins[80];
    for (int input = 0; input < INPUTS; input++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            for (int is_missing = 0; is_missing < 2; is_missing++)
                for (int has_nan = 0; has_nan < 2; has_nan++) {
                    const struct fault fault = {input, places[i] * sizeof(float), sizeof(float),
                                                is_missing};
                    const struct bench_outcome outcome = prove(fault, has_nan);
                    snprintf(begins, sizeof begins, "%s result %u of %d: expected ",
                             is_missing ? "no" : "wrong", (unsigned)places[i], ROWS);
                    assert_false(outcome.is_right);
                    if (strncmp(outcome.reason, begins, strlen(begins)) != 0)
                        fail_msg("'%s', not '%s...'", outcome.reason, begins);
                }
}

/* One byte of a result is enough; one behind the results is another fault, wherever it stands. */
static void test_bytes(void **state)
{
    (void)state;
    const uint64_t end = ROWS * sizeof(float), slot = (end + 2 * 256 - 1) / 256 * 256;
    static const uint64_t bytes[] = {0, 3, ROWS * sizeof(float) - 1};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        assert_memory_equal(prove((struct fault){1, bytes[i], 1, false}, false).reason,
                            "wrong result ", strlen("wrong result "));
    for (uint64_t at = end; at < slot; at += at == end ? slot - 1 - end : 1)
        assert_string_equal(prove((struct fault){0, at, 1, false}, true).reason,
                            "wrote past its results at 40009 x 1 rows");
}

static uint64_t allocated;

static int count_alloc(struct device *of, uint64_t bytes, uint64_t *out, struct error *why)
{
    allocated += bytes;
    return inner->alloc(of, bytes, out, why);
}

/* What is asked for before anything is made is what is allocated, but for what fills a slot up. */
static void test_room(void **state)
{
    static const struct matrix shapes[] = {{1, 1000, 0, OF_ROWS},
                                           {ROWS, 1, 0, OF_ROWS},
                                           {3, 1000, 1001, OF_COLUMNS}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct problem problem = {.op = op_of(PROD),
                                  .type = F32,
                                  .acc = F32,
                                  .dims = DIMS_VALUE(1000)};
        struct input input;
        struct bench bench;
        problem.dims = matrix_dims(shapes[i]);
        const size_t count = input_count(&problem, &device->info);
        assert_int_equal(input_open(&input, device, &problem, count, 3, &error), 0);
        struct device_ops counting = *device->ops;
        inner = device->ops;
        counting.alloc = count_alloc;
        device->ops = &counting;
        allocated = 0;
        const int failed = bench_open(&bench, device, &input, NULL, NULL, NULL, &error);
        device->ops = inner;
        assert_int_equal(failed, 0);
        const double slots = 2 * (double)count, wanted = bench_bytes(&problem, &device->info);
        assert_true(wanted <= (double)allocated);
        assert_true((double)allocated < wanted + slots * 256);
        if (dims_results(&problem.dims) >
            1) /* what the calls leave, and what they should have left */
            assert_int_equal(allocated, 2 * count * bench.slot_bytes);
        bench_close(&bench);
        input_close(&input);
    }
}

static int open_device(void **state)
{
    const struct device_options options = {.spec = "host", .seed = 1};
    (void)state;
    return host_open(&device, &options, &error);
}

static int close_device(void **state)
{
    (void)state;
    device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),  cmocka_unit_test(test_state),
        cmocka_unit_test(test_guards), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bytes),  cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
