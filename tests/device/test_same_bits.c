/* Proves that order n gives the same bits whatever the variant and the start: test_same_bits DEVICE
 * SPACE [-n N] [-c COUNT] [-k KIND] [-s STARTS] [PARAMS...]. A line for each problem and size
 * has the bits of autotune_reference.h, which every run gave, too: of COUNT variants (8) of a
 * covering sample or those of PARAMS, from each start, and of three unequal parts. Of rows and
 * columns each line is one result: alone, among 1, 7 and 512 others, and with a pitch.
 *   -n N       no sizes above N (2^24 + 1); with PARAMS N alone
 *   -k KIND    this problem alone, as sum-f32
 * Lines are the same wherever they are made: compare files. Exit code 0 = all bits were equal,
 * 69 = no such device. */
#include "autotune/device/bind.h"
#include "autotune/embedded.h"
#include "autotune/verify/loaded.h"
#include "autotune/verify/sample.h"
#include "generator/call.h"
#include "include/autotune_reference.h"
#include "tests/device/same_bits.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 16, VARIANTS_MAX = 64, RESULTS_MAX = 513, OUTPUTS = 4096, SHOWN = 20 };

static struct run {
    struct device *device;
    struct space *space;
    struct emit_sources sources;
    const struct kind *kind;
    struct problem problem;
    struct sample sample;
    struct loaded loaded[VARIANTS_MAX];
    struct call *calls[VARIANTS_MAX];
    int64_t configs[VARIANTS_MAX][SPACE_NAMES_MAX];
    size_t variant_count, starts, wanted;
    unsigned char *elements; /* the host's */
    uint64_t count;          /* of elements */
    uint64_t memory, results, scratch, state, scratch_bytes, state_bytes;
    uint64_t runs, wrong;
} run;

static _Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "FAILED: %s: %s\n", what, why);
    exit(1);
}

static void check(int failed, const char *what, const struct error *error)
{
    if (failed)
        fail(what, error->text);
}

static const char *text_of_config(const int64_t *config)
{
    static struct text text;
    text_dispose(&text);
    text = (struct text){0};
    point_format(&text, run.space, config, true);
    return text.at;
}

/* --- Elements and the reference, by many threads --------------------------------------------- */

struct share {
    uint64_t first, end;
    struct autotune_subtree subtrees[AUTOTUNE_SUBTREES];
    int count;
};

static void *make_share(void *arg)
{
    const struct share *share = arg;
    make_elements(run.kind, share->first, share->end, run.elements);
    return NULL;
}

static double value_of(const void *bits)
{
    float narrow;
    double wide;
    memcpy(&narrow, bits, sizeof narrow);
    memcpy(&wide, bits, run.kind->result == 8 ? sizeof wide : sizeof narrow);
    return run.kind->result == 8 ? wide : (double)narrow;
}

static void refer(uint64_t first, uint64_t count, uint64_t stride, void *out)
{
    autotune_reference(out, run.kind->op, run.kind->type, run.kind->acc,
                       run.elements + first * (uint64_t)run.kind->element, count, stride);
}

static void *refer_share(void *arg)
{
    struct share *share = arg;
    for (int i = 0; i < share->count; i++) {
        uint64_t bits = 0;
        refer(share->subtrees[i].first, share->subtrees[i].count, 1, &bits);
        share->subtrees[i].value = value_of(&bits);
    }
    return NULL;
}

static void start_threads(void *(*work)(void *), struct share shares[THREADS])
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &shares[i]))
            fail("threads", "none can be started");
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Shares begin at leaves. */
static void divide(struct share shares[THREADS], uint64_t n)
{
    const uint64_t each = (n / THREADS / AUTOTUNE_LEAF + 1) * AUTOTUNE_LEAF;
    for (size_t i = 0; i < THREADS; i++) {
        shares[i].first = i * each < n ? i * each : n;
        shares[i].end = (i + 1) * each < n ? (i + 1) * each : n;
        if (shares[i].first == n && n % AUTOTUNE_LEAF)
            shares[i].count = 0;
        else
            shares[i].count =
                autotune_subtrees(shares[i].subtrees, shares[i].first, shares[i].end, n);
    }
}

/* The reference of n elements; long ones in shares, which autotune_combine puts together. */
static void refer_all(uint64_t n, void *out)
{
    static struct share shares[THREADS];
    static struct autotune_subtree all[THREADS * AUTOTUNE_SUBTREES];
    size_t count = 0;
    if (n < UINT64_C(1) << 22) {
        refer(0, n, 1, out);
        return;
    }
    divide(shares, n);
    start_threads(refer_share, shares);
    for (size_t i = 0; i < THREADS; i++)
        for (int s = 0; s < shares[i].count; s++)
            all[count++] = shares[i].subtrees[s];
    if (autotune_combine(out, run.kind->op, run.kind->acc, all, count, n))
        fail("autotune_combine", "the shares are not all elements");
}

/* --- Runs ---------------------------------------------------------------------------------- */

static void reserve(uint64_t *address, uint64_t *bytes, uint64_t wanted, bool is_zero)
{
    struct error error;
    if (wanted <= *bytes)
        return;
    if (*bytes)
        run.device->ops->free(run.device, *address);
    check(run.device->ops->alloc(run.device, wanted, address, &error), "memory", &error);
    *bytes = wanted;
    if (is_zero)
        check(run.device->ops->fill(run.device, *address, 0, wanted, NULL, &error), "fill",
              &error);
}

/* Queues one call of a variant: its results go to place `slot`. */
static void queue(size_t variant, const struct dims *dims, uint64_t input, uint64_t slot)
{
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct device_launch launches[PLANNER_LAUNCHES];
    struct planner_plan plan;
    struct error error;
    check(call_ask(run.calls[variant], &plan, dims, &error), "plan", &error);
    reserve(&run.scratch, &run.scratch_bytes, plan.scratch_bytes + 256, false);
    reserve(&run.state, &run.state_bytes, plan.state_bytes + 256, true);
    loaded_kernels(&run.loaded[variant], 0, kernels);
    const struct planner_buffers buffers = {input,
                                            run.results + slot * (uint64_t)run.kind->result,
                                            run.scratch, run.state, 0};
    bind_launches(launches, &plan, run.space, &run.problem, kernels, &buffers, NULL);
    check(run.device->ops->launch(run.device, launches, (size_t)plan.count, NULL, &error),
          text_of_config(run.configs[variant]), &error);
}

static void read_results(void *out, size_t count)
{
    struct error error;
    check(run.device->ops->read(run.device, out, run.results, count * (size_t)run.kind->result,
                                &error),
          "results", &error);
}

static void compare(size_t variant, uint64_t n, size_t start, const char *what, const void *got,
                    const void *want)
{
    run.runs++;
    if (!memcmp(got, want, (size_t)run.kind->result) || run.wrong++ >= SHOWN)
        return;
    fprintf(stderr,
            "DIFFERS: %s %s n = %" PRIu64 " start %zu %s: %s; got %.17g, reference %.17g\n",
            run.kind->op, run.kind->type, n, start, what, text_of_config(run.configs[variant]),
            value_of(got), value_of(want));
}

/* Puts all elements where they begin `start` past alignment. */
static uint64_t place(size_t start)
{
    const uint64_t at = run.memory + 4096 + start * (uint64_t)run.kind->element;
    struct error error;
    check(run.device->ops->write(run.device, at, run.elements,
                                 run.count * (uint64_t)run.kind->element, &error),
          "elements", &error);
    return at;
}

/* --- Values -------------------------------------------------------------------------------- */

/* Three unequal parts of n elements at `input`, each reduced by subtrees, put together. */
static void run_parts(size_t variant, uint64_t n, uint64_t input, void *out)
{
    const uint64_t leaves = n / AUTOTUNE_LEAF;
    const uint64_t cuts[] = {0, leaves / 5 * AUTOTUNE_LEAF,
                             (leaves / 5 + leaves / 2 + 1) * AUTOTUNE_LEAF, n};
    struct autotune_subtree all[3 * AUTOTUNE_SUBTREES];
    unsigned char bits[3 * AUTOTUNE_SUBTREES * 8];
    size_t count = 0;
    for (size_t p = 0; p < 3; p++)
        count += (size_t)autotune_subtrees(all + count, cuts[p], cuts[p + 1], n);
    for (size_t i = 0; i < count; i++) {
        const struct dims dims = DIMS_VALUE(all[i].count);
        queue(variant, &dims, input + all[i].first * (uint64_t)run.kind->element, i);
    }
    read_results(bits, count);
    for (size_t i = 0; i < count; i++)
        all[i].value = value_of(bits + i * (size_t)run.kind->result);
    if (autotune_combine(out, run.kind->op, run.kind->acc, all, count, n))
        fail("autotune_combine", "the parts are not all elements");
}

static void run_values(const uint64_t *ns, size_t count)
{
    static uint64_t wants[SIZES];
    static unsigned char got[SIZES * 8];
    for (size_t i = 0; i < count; i++)
        refer_all(ns[i], &wants[i]);
    for (size_t start = 0; start < run.starts; start++) {
        const uint64_t input = place(start);
        for (size_t v = 0; v < run.variant_count; v++) {
            for (size_t i = 0; i < count; i++) {
                const struct dims dims = DIMS_VALUE(ns[i]);
                queue(v, &dims, input, i);
            }
            read_results(got, count);
            for (size_t i = 0; i < count; i++)
                compare(v, ns[i], start, "", got + i * (size_t)run.kind->result, &wants[i]);
            for (size_t i = 0; start == 0 && i < count; i++)
                if (ns[i] >= UINT64_C(4) * AUTOTUNE_LEAF) {
                    uint64_t parts = 0;
                    run_parts(v, ns[i], input, &parts);
                    compare(v, ns[i], start, "in three parts", &parts, &wants[i]);
                }
        }
    }
    for (size_t i = 0; i < count; i++) {
        char what[32];
        snprintf(what, sizeof what, "%" PRIu64, ns[i]);
        print_bits(run.kind, what, &wants[i]);
    }
}

/* --- Rows and columns ---------------------------------------------------------------------- */

static const uint64_t lens[] = {1, 7, 31, 100, 128, 129, 1024, 1025, 5000};
enum { LENS = sizeof lens / sizeof *lens };

/* `count` results of `len` elements each, in rows or columns, `pitch` apart. */
static struct dims matrix(uint64_t count, uint64_t len, uint64_t pitch, bool is_columns)
{
    return is_columns
               ? (struct dims){.outer = {1, 1}, .depth = {len, pitch}, .inner = {count, 1}}
               : (struct dims){.outer = {count, pitch}, .depth = {len, 1}, .inner = {1, 1}};
}

/* A result has the bits that it has alone, and as a row the bits that it has as a column: in every matrix
 * result 0 is of elements 0, 1, 2 ..., or of each `pitch`-th. */
static void run_matrices(uint64_t len, bool is_columns)
{
    static const uint64_t counts[] = {1, 2, 8, RESULTS_MAX};
    static unsigned char got[RESULTS_MAX * 8];
    char what[32];
    uint64_t alone = 0;
    for (size_t start = 0; start < run.starts; start++) {
        const uint64_t input = place(start);
        for (size_t v = 0; v < run.variant_count; v++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                for (uint64_t gap = 0; gap < 4; gap += 3) {
                    const uint64_t pitch = (is_columns ? counts[c] : len) + gap;
                    const struct dims dims = matrix(counts[c], len, pitch, is_columns);
                    queue(v, &dims, input, 0);
                    read_results(got, counts[c]);
                    for (uint64_t r = 0; r < counts[c]; r++) {
                        uint64_t want = 0;
                        refer(is_columns ? r : r * pitch, len, is_columns ? pitch : 1, &want);
                        compare(v, len, start, "of a matrix",
                                got + r * (size_t)run.kind->result, &want);
                    }
                }
    }
    if (is_columns)
        return;
    snprintf(what, sizeof what, "row of %" PRIu64, len);
    refer(0, len, 1, &alone);
    print_bits(run.kind, what, &alone);
}

/* --- Variants ------------------------------------------------------------------------------ */

static void add_variant(const int64_t *config)
{
    const struct point_context context = {run.space, &run.problem, &run.device->info.target};
    struct planner_plan plan;
    struct error error;
    const size_t v = run.variant_count;
    memcpy(run.configs[v], config, run.space->param_count * sizeof *config);
    if (point_reject(&context, config, &error) != POINT_VALID)
        return;
    if (loaded_open(&run.loaded[v], run.device, &context, &run.sources, config, 1, &error) ||
        call_make(&run.calls[v], &plan, &context, config, &error))
        fail(text_of_config(config), error.text);
    run.variant_count++;
}

/* Those named, or as many as are wanted of the sample, others for each kind. */
static void open_variants(int count, char **params)
{
    struct error error;
    run.variant_count = 0;
    for (int i = 0; i < count && run.variant_count < VARIANTS_MAX; i++) {
        int64_t config[SPACE_NAMES_MAX];
        memcpy(config, run.space->default_config, run.space->param_count * sizeof *config);
        check(point_parse(run.space, params[i], config, &error), params[i], &error);
        add_variant(config);
    }
    const size_t first = (size_t)(run.kind - kinds);
    for (size_t i = 0; i < run.sample.count && count == 0 && run.variant_count < run.wanted;
         i++)
        add_variant(run.sample.configs + (first + i * 7) % run.sample.count * run.sample.width);
}

static void close_variants(void)
{
    for (size_t v = 0; v < run.variant_count; v++) {
        call_free(run.calls[v]);
        loaded_close(&run.loaded[v]);
    }
}

static void open_run(const char *spec, const char *name)
{
    const struct device_options options = {spec, NULL, 1};
    const struct embedded *types = embedded_find("templates/types.cu");
    const struct embedded *intrinsics = embedded_find("templates/intrinsics.cu");
    char path[100];
    struct error error;
    if (device_open(&run.device, &options, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(69);
    }
    snprintf(path, sizeof path, "configs/%.80s.ini", name);
    const struct embedded *file = embedded_find(path);
    if (!file)
        fail(path, "no such space");
    check(space_load(&run.space, file->name, file->bytes, file->length, embedded_space, &error),
          path, &error);
    snprintf(path, sizeof path, "templates/%.80s", run.space->template_name);
    const struct embedded *template = embedded_find(path);
    run.sources = (struct emit_sources){.template = {template->name, template->bytes},
                                        .types = {types->name, types->bytes},
                                        .intrinsics = {intrinsics->name, intrinsics->bytes}};
    check(sample_draw(&run.sample, run.space, &run.device->info.target, 1, 1, &error), "sample",
          &error);
}

static void prepare(const struct kind *kind, uint64_t count)
{
    static struct share shares[THREADS];
    struct error error;
    uint64_t bytes = 0;
    run.kind = kind;
    run.count = count;
    run.problem = (struct problem){.regime = COLD, .order = ORDER_BY_N};
    if (operation_find(&run.problem.op, kind->op, &error) ||
        problem_find_type(&run.problem.type, kind->type, &error) ||
        problem_find_type(&run.problem.acc, kind->acc, &error))
        fail("problem", error.text);
    run.elements = malloc(count * (uint64_t)kind->element + 1);
    if (!run.elements)
        fail("elements", "no memory");
    divide(shares, count);
    start_threads(make_share, shares);
    reserve(&run.memory, &bytes, count * (uint64_t)kind->element + 8192, false);
}

/* For `most` elements alone where variants are named. */
static void prove_values(uint64_t most, int count, char **params)
{
    uint64_t ns[SIZES];
    size_t n_count = 0;
    for (size_t i = 0; i < SIZES && !count; i++)
        if (sizes[i] <= most)
            ns[n_count++] = sizes[i];
    if (count)
        ns[n_count++] = most;
    run.problem.dims = (struct dims)DIMS_VALUE(most);
    open_variants(count, params);
    run_values(ns, n_count);
    close_variants();
}

static void prove_matrices(bool is_columns, int count, char **params)
{
    for (size_t l = 0; l < LENS; l++) {
        run.problem.dims = matrix(RESULTS_MAX, lens[l], lens[l] + 3, is_columns);
        if (is_columns)
            run.problem.dims.depth.stride = RESULTS_MAX + 3;
        open_variants(count, params);
        run_matrices(lens[l], is_columns);
        close_variants();
    }
}

int main(int argc, char **argv)
{
    uint64_t most = (UINT64_C(1) << 24) + 1, bytes = 0;
    const char *only = NULL;
    int option;
    run.starts = STARTS;
    run.wanted = 8;
    while ((option = getopt(argc, argv, "n:c:k:s:")) != -1)
        switch (option) {
        case 'n': most = strtoull(optarg, NULL, 10); break;
        case 'c': run.wanted = strtoull(optarg, NULL, 10); break;
        case 's': run.starts = strtoull(optarg, NULL, 10); break;
        case 'k': only = optarg; break;
        default: return 64;
        }
    if (argc - optind < 2 || run.wanted > VARIANTS_MAX || run.starts > STARTS) {
        fprintf(stderr, "usage: test_same_bits [-n N] [-c COUNT] [-k KIND] [-s STARTS] DEVICE "
                        "SPACE [PARAMS...]\n");
        return 64;
    }
    const char *space = argv[optind + 1];
    const bool is_columns = !strcmp(space, "ordered-columns");
    const bool is_value = !is_columns && strcmp(space, "ordered-rows") != 0;
    open_run(argv[optind], space);
    reserve(&run.results, &bytes, OUTPUTS * 8, false);
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
        char name[32];
        snprintf(name, sizeof name, "%s-%s", kind->op, kind->type);
        if (only && strcmp(only, name) != 0)
            continue;
        prepare(kind, is_value ? most : UINT64_C(5003) * (RESULTS_MAX + 3));
        if (is_value)
            prove_values(most, argc - optind - 2, argv + optind + 2);
        else
            prove_matrices(is_columns, argc - optind - 2, argv + optind + 2);
        fflush(stdout);
        run.device->ops->free(run.device, run.memory);
        free(run.elements);
    }
    fprintf(stderr, "%" PRIu64 " runs of %s on %s: %" PRIu64 " differ from the reference\n",
            run.runs, space, run.device->info.name, run.wrong);
    return run.wrong > 0;
}
