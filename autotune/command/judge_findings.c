/* judge_findings: tallies faults, and has a table of sentences; the first whose tallies fit is said. */
#include "autotune/command/judge_findings.h"

#include "generator/dims_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { EXAMINED_N = 5000, EXAMINED_MAX = 200 };

/* --- Which elements ----------------------------------------------------------------------- */

/* Does each element of a right result show in it? */
static bool shows_elements(const struct problem *problem)
{
    const enum combine_law law = problem_combine(problem);
    return law == COMBINE_ADD || law == COMBINE_XOR;
}

/* Is `got` the result of these `count` elements? */
static bool is_of(const struct judge_findings *findings, const struct check_fault *fault,
                  int64_t first, uint64_t count)
{
    struct problem problem = findings->problem;
    const int64_t bytes = problem_types[problem.type].bytes;
    struct oracle_fold fold;
    struct error ignored;
    oracle_bits bits;
    problem.dims = dims_run(count, problem.dims.scan);
    oracle_fold_init(&fold, &problem);
    oracle_fold_add(&fold, (const char *)fault->elements + first * bytes, count);
    return oracle_fold_finish(&fold, &bits, &ignored) == 0 &&
           oracle_equal(problem_result(&problem), bits, fault->got);
}

static void examine(struct judge_findings *findings, const struct check_fault *fault)
{
    const uint64_t n = dims_n(&fault->dims), block = findings->block;
    const uint64_t tile = findings->tile;
    const bool is_one = dims_is_value(&fault->dims) && !fault->dims.scan && n > 0;
    if (!is_one || !fault->has_bits || findings->is_special || n > EXAMINED_N ||
        findings->examined == EXAMINED_MAX)
        return;
    if (!shows_elements(&findings->problem)) {
        findings->examined++;
        findings->signs[JUDGE_FROM_ZERO] += fault->got == 0;
        return;
    }
    const bool fits[JUDGE_SIGNS] = {
        [JUDGE_DROPS_LAST] = is_of(findings, fault, 0, n - 1),
        [JUDGE_WHOLE_BLOCKS] = is_of(findings, fault, 0, n / block * block) ||
                               is_of(findings, fault, 0, n / tile * tile),
        [JUDGE_DROPS_FIRST] = is_of(findings, fault, 1, n - 1),
        [JUDGE_READS_PAST] = is_of(findings, fault, 0, n + 1),
        [JUDGE_FIRST_BLOCK] = n > block && (is_of(findings, fault, 0, block) ||
                                            is_of(findings, fault, 0, tile < n ? tile : block)),
        [JUDGE_NO_ELEMENT] = is_of(findings, fault, 0, 0),
        [JUDGE_STALE] = !findings->has_last || oracle_equal(problem_result(&findings->problem),
                                                            findings->last_got, fault->got),
    };
    findings->has_last = true;
    findings->last_got = fault->got;
    findings->examined++;
    for (size_t i = 0; i < JUDGE_SIGNS; i++)
        findings->signs[i] += fits[i];
}

/* --- Cases -------------------------------------------------------------------------------- */

/* The size, which is new where there was none. NULL: no room. */
static struct judge_size *size_of(struct judge_findings *findings, const struct dims *dims)
{
    size_t i = findings->size_count;
    while (i > 0 && !dims_is_same(&findings->sizes[i - 1].dims, dims))
        i--;
    if (i > 0)
        return &findings->sizes[i - 1];
    if (findings->size_count == JUDGE_SIZES_MAX)
        return NULL;
    findings->sizes[findings->size_count].dims = *dims;
    return &findings->sizes[findings->size_count++];
}

void judge_findings_begin(void *context, const struct dims *dims, uint64_t start)
{
    struct judge_findings *findings = context;
    findings->running = *dims;
    findings->running_start = start;
    findings->is_running = true;
}

static void note(struct judge_findings *findings, const struct judge_fault *fault)
{
    struct judge_size *size = size_of(findings, &findings->running);
    findings->is_running = false;
    findings->runs++;
    findings->wrong += fault != NULL;
    if (!size && fault && !*findings->outside)
        snprintf(findings->outside, sizeof findings->outside, "%s", fault->what);
    if (!size)
        return;
    size->runs++;
    if (!fault)
        return;
    if (size->wrong++ == 0)
        size->first = *fault;
    size->wrong_aligned += fault->start == 0;
    size->special += fault->is_special;
    size->again += fault->launch > 0;
    size->zeros += fault->wants_zeros;
    size->scratch += fault->wants_scratch;
    size->unsteady += fault->is_unsteady;
}

void judge_findings_end(void *context, const struct check_fault *fault)
{
    struct judge_findings *findings = context;
    const enum type type = problem_result(&findings->problem);
    if (!fault) {
        note(findings, NULL);
        return;
    }
    struct judge_fault kept = {.start = fault->start,
                               .result = fault->result,
                               .launch = fault->launch,
                               .is_special = findings->is_special,
                               .wants_zeros = fault->wants_zeros,
                               .wants_scratch = fault->wants_scratch,
                               .is_unsteady = fault->is_unsteady,
                               .has_bits = fault->has_bits};
    snprintf(kept.what, sizeof kept.what, "%s", fault->what);
    if (fault->has_bits) {
        oracle_format(kept.expected, type, fault->expected);
        oracle_format(kept.got, type, fault->got);
    }
    examine(findings, fault);
    note(findings, &kept);
}

void judge_findings_fail(struct judge_findings *findings, const char *what)
{
    struct judge_fault fault = {.start = findings->running_start,
                                .is_special = findings->is_special};
    snprintf(fault.what, sizeof fault.what, "%s", what);
    note(findings, &fault);
}

/* --- Tallies ------------------------------------------------------------------------------ */

static bool is_empty(const struct judge_size *size)
{
    return dims_n(&size->dims) == 0;
}

const struct judge_size *judge_findings_smallest(const struct judge_findings *findings)
{
    const struct judge_size *smallest = NULL;
    for (size_t i = 0; i < findings->size_count; i++) {
        const struct judge_size *size = &findings->sizes[i];
        if (size->wrong && !is_empty(size) &&
            (!smallest || dims_n(&size->dims) < dims_n(&smallest->dims)))
            smallest = size;
    }
    return smallest;
}

bool judge_findings_is_right(const struct judge_findings *findings)
{
    return !*findings->outside && !judge_findings_smallest(findings);
}

/* What sizes that are not empty have in common. */
struct tally {
    uint64_t sizes, wrong_sizes, runs, wrong, aligned, special, again, zeros, scratch, unsteady;
    uint64_t least_wrong, most_right;    /* n */
    uint64_t multiples_wrong, multiples; /* sizes of whole blocks */
};

static struct tally tally(const struct judge_findings *findings)
{
    struct tally all = {.least_wrong = UINT64_MAX};
    for (size_t i = 0; i < findings->size_count; i++) {
        const struct judge_size *size = &findings->sizes[i];
        const uint64_t n = dims_n(&size->dims);
        const bool is_whole = n % findings->block == 0;
        if (is_empty(size))
            continue;
        all.sizes++;
        all.runs += size->runs;
        all.multiples += is_whole;
        if (!size->wrong) {
            all.most_right = n > all.most_right ? n : all.most_right;
            continue;
        }
        all.wrong_sizes++;
        all.wrong += size->wrong;
        all.aligned += size->wrong_aligned;
        all.special += size->special;
        all.again += size->again;
        all.zeros += size->zeros;
        all.scratch += size->scratch;
        all.unsteady += size->unsteady;
        all.multiples_wrong += is_whole;
        all.least_wrong = n < all.least_wrong ? n : all.least_wrong;
    }
    return all;
}

/* --- Sentences ---------------------------------------------------------------------------- */

static const char *const sign_sentences[JUDGE_SIGNS] = {
    [JUDGE_DROPS_LAST] =
        "It drops the last element: each wrong result is that of the first n - 1 elements. Look "
        "for a bound as i < n - 1.",
    [JUDGE_WHOLE_BLOCKS] =
        "It drops what is left over behind the last whole block: wrong results are those of the "
        "elements before. Look for n / blockDim.x where it must be rounded up, or for a tail that nobody takes.",
    [JUDGE_DROPS_FIRST] =
        "It drops the first element: each wrong result is that of the others. "
        "Look for an index that begins at 1.",
    [JUDGE_READS_PAST] =
        "It reads one element past the end of its input: each wrong result is that of n + 1 "
        "elements. Look for a bound as i <= n.",
    [JUDGE_FIRST_BLOCK] =
        "It takes the elements of one block alone: results of more are those of as many as a "
        "block takes. Look for an index without blockIdx.x, or for results of blocks that nobody combines.",
    [JUDGE_NO_ELEMENT] =
        "It gives the result of no elements, whatever its input: it takes none, or keeps the answer of an earlier launch.",
    [JUDGE_FROM_ZERO] =
        "It begins with 0, which decides where no element does: begin with the identity, as the "
        "least value of the type where the greatest is sought.",
    [JUDGE_STALE] =
        "It gives the same result for whatever data: it keeps an answer, or knows one.",
};

struct sentence {
    bool (*fits)(const struct judge_findings *findings, const struct tally *all);
    const char *text;
};

static bool is_special(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return all->special == all->wrong;
}

static bool is_second(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return all->again == all->wrong;
}

static bool is_start(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return all->aligned == 0;
}

static bool is_tail(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return all->multiples_wrong == 0 && all->multiples > 0;
}

static bool is_large(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return all->least_wrong > all->most_right && all->wrong_sizes < all->sizes;
}

static bool is_small(const struct judge_findings *findings, const struct tally *all)
{
    return shows_elements(&findings->problem) && all->wrong_sizes + 1 == all->sizes &&
           all->most_right > 0;
}

static bool is_unsteady(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return 4 * all->unsteady >= all->wrong;
}

static bool is_always(const struct judge_findings *findings, const struct tally *all)
{
    (void)findings;
    return all->wrong_sizes == all->sizes;
}

/* clang-format off */
static const struct sentence sentences[] = {
    {is_special, "It is right for ordinary numbers, and wrong for NaN, infinities, -0 or denormals: a NaN must give NaN, and no infinity may get lost."},
    {is_second, "It is right once, and wrong when it is launched again: it needs memory as the first launch found it. Look for scratch that is not reset, or a counter that goes on."},
    {is_unsteady, "It gives another result when the same is launched again: threads race, or it reads what nobody has written. Look for a __syncthreads() or __syncwarp() that is missing, for shared memory or scratch that is not set before, and for a plain += where it must be an atomic."},
    {is_start, "It is right where its input begins at a multiple of 16 bytes, and wrong elsewhere: an input may begin at any element. Look for loads of vectors."},
    {is_small, "It is right for one size alone: a number that should follow from n is fixed in the code."},
    {is_large, "It is right up to some size, and wrong for all that are larger. Look for a number of blocks or of elements that is fixed, and for an index of too few bits."},
    {is_tail, "It is right where n is a multiple of the block, and wrong elsewhere. Look for a bound that is missing, or a tail that nobody takes."},
    {is_always, "It is wrong for every size."},
    {NULL, "It is wrong for some sizes."},
};
/* clang-format on */

/* A fault that is no wrong number says what it is. */
static const struct judge_size *find_said(const struct judge_findings *findings)
{
    for (size_t i = 0; i < findings->size_count; i++) {
        const struct judge_size *size = &findings->sizes[i];
        if (size->wrong && !is_empty(size) && strcmp(size->first.what, "wrong result") != 0)
            return size;
    }
    return NULL;
}

static const struct {
    const char *what, *sentence;
} said[] = {
    {"wrote past its results",
     "It writes past the end of its output: what is behind the results is the caller's."},
    {"wrote into its input",
     "It writes into its input, which is the caller's: it must be as it was when a launch ends."},
    {"left its state other than zero",
     "It leaves its state other than zero, which the next launch then finds: the last that uses it "
     "must set it back."},
    {"no result written",
     "It leaves a result unwritten: what was in the memory before stays there."},
};

static void add_said(struct text *out, const char *what)
{
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strcmp(said[i].what, what) == 0) {
            text_adds(out, said[i].sentence);
            return;
        }
    text_adds(out, what);
    text_adds(out, ".");
}

static void add_wrong(struct text *out, const struct judge_findings *findings,
                      const struct tally *all)
{
    for (size_t i = 0; i < JUDGE_SIGNS; i++)
        if (findings->examined > 1 && findings->signs[i] == findings->examined) {
            text_adds(out, sign_sentences[i]);
            return;
        }
    const struct sentence *sentence = sentences;
    while (sentence->fits && !sentence->fits(findings, all))
        sentence++;
    text_adds(out, sentence->text);
}

void judge_findings_explain(struct text *out, const struct judge_findings *findings)
{
    const struct tally all = tally(findings);
    const struct judge_size *is_said = find_said(findings);
    if (all.wrong && all.scratch == all.wrong)
        text_adds(
            out,
            "It is right only where its scratch is zero before a launch, which scratch never "
            "is: it holds anything, as what an earlier launch left there. Set it in the kernel, or take state.");
    else if (all.wrong && all.zeros == all.wrong)
        text_adds(
            out,
            "It adds to what its output holds before: results are right where that is zero. Set "
            "it in the kernel, or give --zeroed where its caller always does.");
    else if (is_said)
        add_said(out, is_said->first.what);
    else if (*findings->outside)
        add_said(out, findings->outside);
    else if (all.wrong)
        add_wrong(out, findings, &all);
}
