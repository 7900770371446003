/* problem: describes what is reduced. The one table of element types: another one is an entry of its
 * enum, a row of its table, its lines in templates/types.cu, and a row in autotune/verify/element.c. No
 * device, no space. */
#ifndef AUTOTUNE_PROBLEM_H
#define AUTOTUNE_PROBLEM_H

#include "generator/dims.h"
#include "generator/error.h"
#include "generator/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type { I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, TYPE_COUNT };

/* Where the elements are when a call begins: in the GPU's memory, its L2 cache, or the host's
 * memory, page-locked or ordinary. */
enum regime { COLD, WARM, PINNED, PAGEABLE, REGIME_COUNT };

/* What the order of combining must be. */
enum order {
    ORDER_FREE, /* not promised */
    ORDER_RUN,  /* the same in each run: the same bits, run after run */
    ORDER_BY_N, /* order 1 of docs/reproducible.md: the bits depend on the elements alone */
    ORDER_ANY,  /* not promised, and sums of f32 may take denormals for zeros: atomics do */
    ORDER_COUNT
};

/* How the lengths of segments are distributed: unknown, so that kernels are measured with each of the others
 * by turns; all alike; any up to twice the mean with the same chance; or skewed, so that most are empty or
 * short and one has half of the elements. */
enum lengths { LENGTHS_ANY, LENGTHS_EQUAL, LENGTHS_UNIFORM, LENGTHS_SKEWED, LENGTHS_COUNT };

struct order_row {
    const char *name;    /* as on the command line and in records: "run" */
    const char *symbol;  /* as in expressions: "RUN" */
    const char *shown;   /* behind the other words of a problem: " deterministic" */
    const char *option;  /* behind other options: " --deterministic" */
    const char *suffix;  /* of names of files and functions: "deterministic" */
    const char *promise; /* in a sentence about a kernel: ", in a fixed order" */
};

struct type_row {
    const char *name;   /* as on the command line: "i32" */
    const char *symbol; /* as in expressions: "I32" */
    int bytes;
    bool is_float, is_signed;
    int exact_bits; /* integers of this many bits are exact, 0 = arithmetic wraps around */
    enum type acc;  /* the accumulator when none is named; a type that can be one has itself */
    const char *c_name; /* in C: "int32_t"; "uint16_t" for the bits of a 16-bit float */
};

extern const struct type_row problem_types[TYPE_COUNT];
/* "cold", "warm", "pinned", "pageable" */
extern const char *const problem_regimes[REGIME_COUNT];
extern const struct order_row problem_orders[ORDER_COUNT];
extern const char
    *const problem_lengths[LENGTHS_COUNT]; /* "any", "equal", "uniform", "skewed" */

/* How a further input lies beside the first, whose dims the problem has. */
enum problem_lie {
    LIES_ALIKE,     /* as the first */
    LIES_BY_RESULT, /* one element for each result, one behind another, whatever is combined */
    LIES_BY_ELEMENT, /* one for each element of a result, one behind another, the same for all results */
    LIES_ALONE, /* one element */
    LIES_APART, /* by strides of its own */
    PROBLEM_LIES
};
extern const char *const problem_lies[PROBLEM_LIES]; /* "alike", "result", "element", "one" */

enum {
    PROBLEM_INPUTS_MAX = 4,
    PROBLEM_FURTHER_MAX = PROBLEM_INPUTS_MAX - 1,
    INPUT_STRIDES = 4, /* of a further input, as kernels take them */
};

/* A further input: operation_input.h. */
struct problem_further {
    enum problem_lie lie;
    uint64_t strides[INPUT_STRIDES]; /* of LIES_APART: outer, depth, span, inner; 0 too */
    uint64_t first; /* of proofs: where in its pattern it begins (oracle_further.h) */
};

enum { PROBLEM_PARAMS_MAX = 8 };

/* The numbers that a call gives its operation's params: operation_param.h. All zeros give none, so that each
 * has its usual value. What a kernel is does not depend on them, nor does a record. */
struct problem_params {
    unsigned given; /* a bit for each */
    uint64_t words
        [PROBLEM_PARAMS_MAX]; /* an integer extended by its own sign, the double that a float is */
};

struct problem {
    const struct operation *op;
    enum type type; /* of the elements */
    enum type
        acc; /* as which the operation gets its elements; of values and results, too, unless it
                     * says otherwise */
    struct dims dims; /* what is combined and what is kept */
    enum regime regime;
    enum order order;
    struct problem_params params;
    struct problem_further further[PROBLEM_FURTHER_MAX]; /* all zeros: as the first */
    enum type offsets; /* of segments: the type of their offsets; else I8, which is none */
    enum lengths lengths;
};

/* Finds a type or an order by its name; an unknown name is ERROR_USAGE and lists the known ones. */
int problem_find_type(enum type *out, const char *name, struct error *error);
int problem_find_order(enum order *out, const char *name, struct error *error);

/* The same of how lengths are distributed, and of a type that offsets may have: i32, u32, i64 or u64. */
int problem_find_lengths(enum lengths *out, const char *name, struct error *error);
int problem_find_offsets(enum type *out, const char *name, struct error *error);

/* Are both of segments whose offsets have one type and lengths one distribution, or neither of segments? */
bool problem_has_same_segments(const struct problem *a, const struct problem *b);

/* The bytes of all offsets, one more than there are segments; 0 where there are none. */
uint64_t problem_offset_bytes(const struct problem *problem);

enum { PROBLEM_NAMES_CHARS = 200 };

/* All names of types, separated by blanks. */
char *problem_list_types(char out[PROBLEM_NAMES_CHARS]);

/* ERROR_USAGE when the operation is a record's, and its file was not read. */
int problem_check_text(const struct problem *problem, struct error *error);

/* ERROR_USAGE when operation, type and accumulator do not go together, with the reason. */
int problem_check(const struct problem *problem, struct error *error);

/* The accumulator used when none is named: of 32 bits at least. */
enum type problem_default_acc(enum type type);

/* The built-in space used where none is named; for --order n where no kernel keeps it, the one
 * that would be used without, which refuses the problem. */
const char *problem_space(const struct problem *problem);

/* n of a problem where none is given: of elements in a GPU's memory, of those that the emulator
 * reduces, and of those in the host's memory that a GPU reduces. */
enum {
    PROBLEM_USUAL_N = 400000000,
    PROBLEM_USUAL_N_EMULATED = 1000000,
    PROBLEM_USUAL_N_ON_HOST = 1 << 28,
};

/* How values become one: by the operation's law; or by its own text, where that follows none, where map has
 * an index, where order is kept, and where a position is sought in something else than one run of elements as
 * they are. */
enum combine_law problem_combine(const struct problem *problem);
const struct combine_row *problem_law(const struct problem *problem);

/* May two values be exchanged before they are combined? */
bool problem_commutes(const struct problem *problem);

/* Is it by the operation's own text, which is at hand? Kernels then know the types that it says alone. */
bool problem_is_joined(const struct problem *problem);

/* What is combined of an element. */
enum map_law problem_map(const struct problem *problem);

/* Is map given the index of an element within its result? */
bool problem_has_index(const struct problem *problem);

/* The type of the values that are combined, the accumulator's unless the operation says otherwise, and where they
 * have fields; where the result is a position, of the values compared. */
enum type problem_value(const struct problem *problem);

/* Is the result made of the last value by the operation's finish? */
bool problem_has_finish(const struct problem *problem);

/* The type of the result: that of values, u64 for a position, or what the operation makes of it. */
enum type problem_result(const struct problem *problem);

/* Is a value of several fields? Not that of a position, of which kernels know by the law. */
bool problem_has_fields(const struct problem *problem);

/* The bytes of a value in a kernel; and of a partial result, which is 16 for a value and its position. */
int problem_value_bytes(const struct problem *problem);
int problem_partial_bytes(const struct problem *problem);

/* The bytes that must be moved: of every element, which is read, and of every result. */
double problem_bytes_read(const struct problem *problem);
double problem_bytes_written(const struct problem *problem);
double problem_bytes(const struct problem *problem);

/* Do results depend on the order of combining? Sums and products of floats, and of other texts those that
 * calculate with floats. */
bool problem_rounds(const struct problem *problem);

/* Do those of floats, whatever the problem's own types are? */
bool problem_rounds_floats(const struct problem *problem);

/* Are the elements in the host's memory? */
bool problem_is_on_host(const struct problem *problem);

/* Drops what changes nothing, so that a problem has one key: an order asked for where every order
 * gives the same bits. */
void problem_simplify(struct problem *problem);

enum { PROBLEM_CHARS = 576 };

/* "sum i32 400M cold", of a matrix "sum f32 2Mi x 128 rows cold", and " acc i64" where the
 * accumulator is not the default, and at the end what is asked of the order; of segments "sum f32 400M in 1Mi
 * segments by i32 cold", and " of equal lengths" where their distribution is known. */
char *problem_format(char out[PROBLEM_CHARS], const struct problem *problem);

/* The limits of the device where a kernel will run, as far as the generator needs them. */
struct target {
    int cc; /* compute capability, 90 for 9.0 */
    int sms;
    int64_t l2_bytes;
    int threads_per_block, threads_per_sm;
    int64_t shared_per_block, shared_per_sm; /* bytes */
    int registers_per_sm;
    bool is_host;
};

#endif
