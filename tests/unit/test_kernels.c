/* Tests of the proof of a kernel: check_small finds reduce.cu right as it is, and wrong without
 * any one of its barriers and with any one of its indices, bounds and constants changed. Each
 * fault is compiled and run on the host device in a process of its own, because a kernel that
 * reads or writes where it must not may end the process. */
#include "autotune/device/fiber.h" /* FIBER_ASAN */
#include "autotune/verify/check_small.h"
#include "autotune/verify/compiler.h"
#include "tests/unit/kernel_faults.h"
#include "tests/unit/kernel_outcome.h"
#include "tests/unit/reduce_files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Text --------------------------------------------------------------------------------- */

/* A copy of `text` with the fault in it. A place that is no more is a fault of this file. */
static char *replace(const char *text, const struct fault *fault)
{
    const char *at = strstr(text, fault->from);
    for (int i = 0; at && i < fault->which; i++)
        at = strstr(at + 1, fault->from);
    if (!at)
        fail_msg("'%s' finds no '%s': change it with the template", fault->name, fault->from);
    struct text out = {0};
    text_add(&out, text, (size_t)(at - text));
    text_adds(&out, fault->to);
    text_adds(&out, at + strlen(fault->from));
    return out.at;
}

/* --- One process a fault ------------------------------------------------------------------ */

struct job {
    const char *name;
    struct emit_sources sources;
    char *changed; /* the text that is not the original, freed at the end */
    char letter;   /* of the variant to run */
    unsigned seeds;
    bool is_endless;
};

enum { CPU_SECONDS = 200, ENDLESS_CPU_SECONDS = 2, POSITIONS = 128, GRIDS = 3 };

struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct target target;
};

static const struct variant *find_variant(char letter)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (variants[i].letter == letter)
            return &variants[i];
    return NULL;
}

/* The candidates of a variant: the grid it names, or one tile a block, then one and two blocks an
 * SM. */
static void make_candidates(const struct space *space, const char *params, int64_t *rows)
{
    static const char *const grids[GRIDS] = {" GRID=0", " GRID=1", " GRID=2"};
    for (size_t i = 0; i < GRIDS; i++) {
        char all[200];
        snprintf(all, sizeof all, "%s%s", params, strstr(params, "GRID=") ? "" : grids[i]);
        make_row(space, all, rows + i * space->param_count);
    }
}

static struct problem problem_of(const struct variant *variant)
{
    /* Atomics of f32 are for who asks for any order. */
    const bool is_any =
        strstr(variant->params, "FINISH=ATOMIC") || strstr(variant->params, "FINISH=VALUE");
    return (struct problem){.op = variant->op,
                            .type = variant->type,
                            .acc = problem_default_acc(variant->type),
                            .dims = DIMS_VALUE(400000000),
                            .regime = COLD,
                            .order = is_any ? ORDER_ANY : ORDER_FREE};
}

static enum outcome run_variant(const struct job *job, const struct fixture *fixture,
                                const struct variant *variant, char *note)
{
    const struct problem problem = problem_of(variant);
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    enum outcome outcome = RIGHT;
    for (unsigned seed = 0; outcome == RIGHT && seed < job->seeds; seed++) {
        static struct compiled_unit unit; /* of the first seed, for all */
        static size_t first;
        const struct device_options options = {.spec = "host", .seed = seed};
        const struct device_kernel *kernels[SPACE_PASSES_MAX];
        struct device_kernel loaded[SPACE_PASSES_MAX];
        struct device_module *module;
        struct device *device;
        struct error error;
        int64_t rows[GRIDS * SPACE_NAMES_MAX];
        struct point_variant only = {0, GRIDS};
        make_candidates(fixture->space, variant->params, rows);
        const struct points points = {.width = fixture->space->param_count,
                                      .configs = rows,
                                      .count = GRIDS,
                                      .variants = &only,
                                      .variant_count = 1};
        if (host_open(&device, &options, &error) ||
            (seed == 0 && compiler_compile(&unit, device, &context, &job->sources, &points,
                                           &first, 1, &error))) {
            snprintf(note, NOTE_CHARS, "%.300s", error.text);
            return FAILED;
        }
        if (unit.variants[0].is_failed ||
            device->ops->load(device, &unit.image, &module, loaded, &error)) {
            snprintf(note, NOTE_CHARS, "does not compile: %.300s",
                     unit.variants[0].reason.text);
            return FAILED;
        }
        compiler_kernels(&unit.variants[0], loaded, kernels);
        outcome = check_kernels(device, &context, &points, kernels, POSITIONS, seed, note);
        device->ops->unload(device, module);
        device_close(device);
        if (outcome != RIGHT || seed + 1 == job->seeds)
            compiler_dispose(&unit);
    }
    return outcome;
}

/* Ends the process with the first outcome that is not RIGHT; the note goes through the pipe. */
static void run_child(const struct job *job, const struct fixture *fixture, int to)
{
    const struct rlimit no_core = {0, 0};
    const rlim_t seconds = job->is_endless ? ENDLESS_CPU_SECONDS : CPU_SECONDS;
    const struct rlimit cpu = {seconds, seconds + 10};
    char note[NOTE_CHARS] = "";
    enum outcome outcome = RIGHT;
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &cpu);
    outcome = run_variant(job, fixture, find_variant(job->letter), note);
    if (write(to, note, strlen(note)) < 0)
        outcome = FAILED;
    _exit((int)outcome);
}

struct worker_process {
    pid_t id;
    int from;
    size_t job;
};

struct ended {
    int status;
    char note[NOTE_CHARS];
};

static void start_child(struct worker_process *child, const struct job *jobs, size_t job,
                        const struct fixture *fixture)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child->id = fork();
    assert_true(child->id >= 0);
    if (child->id == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's handlers would go on with the tests */
        signal(SIGBUS, SIG_DFL);
        signal(SIGILL, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        close(ends[0]);
        run_child(&jobs[job], fixture, ends[1]);
    }
    close(ends[1]);
    child->from = ends[0];
    child->job = job;
}

static void end_child(struct worker_process *child, struct ended *all)
{
    struct ended *ended = &all[child->job];
    assert_int_equal(waitpid(child->id, &ended->status, 0), child->id);
    const ssize_t got = read(child->from, ended->note, NOTE_CHARS - 1);
    ended->note[got > 0 ? got : 0] = '\0';
    close(child->from);
    child->id = 0;
}

/* Runs all jobs, as many at a time as there are processors. */
static struct ended *run_jobs(const struct job *jobs, size_t count,
                              const struct fixture *fixture)
{
    enum { WIDTH_MAX = 16 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t width = processors < 1           ? 1
                         : processors > WIDTH_MAX ? WIDTH_MAX
                                                  : (size_t)processors;
    struct worker_process children[WIDTH_MAX] = {{0}};
    struct ended *all = calloc(count, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < count + width; i++) {
        struct worker_process *child = &children[i % width]; /* the oldest */
        if (child->id)
            end_child(child, all);
        if (i < count)
            start_child(child, jobs, i, fixture);
    }
    return all;
}

/* --- Outcomes of proofs ------------------------------------------------------------------- */

static bool is_found(const struct ended *ended, bool is_endless)
{
    if (WIFSIGNALED(ended->status))
        return is_endless || WTERMSIG(ended->status) != SIGXCPU;
    const int code = WEXITSTATUS(ended->status);
    return code != RIGHT && code != FAILED;
}

static void describe(const struct ended *ended, char out[NOTE_CHARS + 80])
{
    if (WIFSIGNALED(ended->status))
        snprintf(out, NOTE_CHARS + 80, "ended by signal %d", WTERMSIG(ended->status));
    else
        snprintf(out, NOTE_CHARS + 80, "%s: %s",
                 WEXITSTATUS(ended->status) == RIGHT    ? "found right"
                 : WEXITSTATUS(ended->status) == FAILED ? "could not be tried"
                                                        : "wrong",
                 ended->note);
}

static void assert_found(const struct job *jobs, size_t count, const struct fixture *fixture)
{
    struct ended *all = run_jobs(jobs, count, fixture);
    size_t missed = 0;
    for (size_t i = 0; i < count; i++) {
        char what[NOTE_CHARS + 80];
        describe(&all[i], what);
        if (is_found(&all[i], jobs[i].is_endless))
            continue;
        print_error("not caught by %c: %s: %s\n", jobs[i].letter, jobs[i].name, what);
        missed++;
    }
    free(all);
    if (missed)
        fail_msg("%zu of %zu faults were not caught", missed, count);
}

/* --- Tests -------------------------------------------------------------------------------- */

static int setup(void **state)
{
    static struct fixture fixture;
    struct device *device;
    struct error error;
    const struct device_options options = {.spec = "host"};
    if (host_open(&device, &options, &error) != 0)
        return -1;
    fixture.target = device->info.target;
    device_close(device);
    fixture.space = load_space("configs/reduce.ini");
    fixture.sources = load_sources();
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    const struct fixture *fixture = *state;
    space_free(fixture->space);
    return 0;
}

enum { RIGHT_SEEDS = 1, ALL_SEEDS = 4, FAULT_SEEDS = 2, BARRIER_SEEDS = 40 };

static void test_right_as_it_is(void **state)
{
    const struct fixture *fixture = *state;
    struct job jobs[VARIANTS];
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_ptr_equal(find_variant(variants[i].letter), &variants[i]); /* no letter twice */
        jobs[i] = (struct job){.name = variants[i].params,
                               .sources = fixture->sources,
                               .letter = variants[i].letter,
                               .seeds = getenv("EVERY") ? ALL_SEEDS : RIGHT_SEEDS};
    }
    struct ended *all = run_jobs(jobs, VARIANTS, fixture);
    for (size_t i = 0; i < VARIANTS; i++) {
        char what[NOTE_CHARS + 80];
        describe(&all[i], what);
        if (!WIFEXITED(all[i].status) || WEXITSTATUS(all[i].status) != RIGHT)
            fail_msg("%s: %s", jobs[i].name, what);
    }
    free(all);
}

static bool is_barrier(const char *line)
{
    const char *end = strchr(line, '\n');
    const char *names[] = {"__syncthreads()", "__syncwarp()"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(line, names[i]);
        if (at && (!end || at < end))
            return true;
    }
    return false;
}

/* A copy of `text` without `line`. */
static char *drop_line(const char *text, const char *line)
{
    struct text out = {0};
    text_add(&out, text, (size_t)(line - text));
    text_adds(&out, line + strcspn(line, "\n") + 1);
    return out.at;
}

/* Is the line of the bulk copies, which the host does not have? */
static bool is_bulk(const char *template, const char *line)
{
    const char *begin = strstr(template, "//? elif LOAD == BULK");
    const char *end = strstr(template, "const vec *mine");
    assert_true(begin && end && begin < end);
    return line > begin && line < end;
}

/* Does a change of the template change what is emitted for the variant? */
static uint64_t hash_emitted(const struct fixture *fixture, const char *template,
                             const struct variant *variant)
{
    const struct problem problem = problem_of(variant);
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    struct emit_sources sources = fixture->sources;
    struct emit_variant emitted;
    struct error error;
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    make_candidates(fixture->space, variant->params, rows);
    sources.template.text = template;
    if (emit_variant(&emitted, &context, &sources, rows, &error))
        fail_msg("%s", error.text);
    const uint64_t hash = emit_hash_variant(&emitted);
    emit_dispose(&emitted);
    return hash;
}

/* Adds a job for each variant that has the barrier. */
static size_t add_barrier(struct job *jobs, const struct fixture *fixture, const char *line,
                          const char *name)
{
    const char *template = fixture->sources.template.text;
    char *changed = drop_line(template, line);
    size_t count = 0;
    for (const char *letter = "STVftbW"; *letter; letter++) {
        const struct variant *variant = find_variant(*letter);
        if (hash_emitted(fixture, template, variant) == hash_emitted(fixture, changed, variant))
            continue;
        jobs[count] = (struct job){.name = name,
                                   .sources = fixture->sources,
                                   .letter = *letter,
                                   .seeds = BARRIER_SEEDS};
        jobs[count++].sources.template.text = changed;
    }
    jobs[0].changed = changed;
    if (count == 0)
        fail_msg("no variant has %s", name);
    return count;
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    const char *template = fixture->sources.template.text;
    enum { BARRIERS = 9, BULK_BARRIERS = 2, BARRIERS_MAX = 32, LETTERS = 7 };
    struct job jobs[BARRIERS_MAX * LETTERS] = {{0}};
    char names[BARRIERS_MAX][80];
    size_t count = 0, barriers = 0, bulk = 0;
    int number = 1;
    for (const char *line = template; *line; line += strcspn(line, "\n") + 1, number++) {
        if (!is_barrier(line))
            continue;
        if (is_bulk(template, line)) {
            bulk++;
            continue;
        }
        assert_true(barriers < BARRIERS_MAX);
        snprintf(names[barriers], sizeof names[barriers], "reduce.cu:%d without its barrier",
                 number);
        count += add_barrier(jobs + count, fixture, line, names[barriers++]);
    }
    assert_int_equal(barriers, BARRIERS);
    assert_int_equal(bulk, BULK_BARRIERS); /* compute-sanitizer's, on a GPU */
    assert_found(jobs, count, fixture);
    for (size_t i = 0; i < count; i++)
        free(jobs[i].changed);
}

enum source { TEMPLATE, TYPES, INTRINSICS };

/* With AddressSanitizer a fault is found by it, and says nothing of check_small. */
#ifdef FIBER_ASAN
enum { IS_JUDGE = 0 };
#else
enum { IS_JUDGE = 1 };
#endif

static const char **source_text(struct emit_sources *sources, enum source source)
{
    return source == TYPES        ? &sources->types.text
           : source == INTRINSICS ? &sources->intrinsics.text
                                  : &sources->template.text;
}

enum { SHARE = 3 };

/* In how many of the variants named for it a fault is tried: in one, and every third fault alone;
 * EVERY=1: in all. */
static size_t count_tries(const struct fault *fault, size_t i)
{
    return getenv("EVERY") ? strlen(fault->legend) : i % SHARE == 0;
}

/* Also a fault that is not tried has its place in the text. */
static void plant_faults(const struct fixture *fixture, const struct fault *faults,
                         size_t count, enum source source, bool is_endless)
{
    size_t job_count = 0;
    for (size_t i = 0; i < count; i++)
        job_count += count_tries(&faults[i], i);
    struct job *jobs = calloc(job_count, sizeof *jobs), *job = jobs;
    assert_non_null(jobs);
    for (size_t i = 0; i < count; i++) {
        const char *legend = faults[i].legend;
        struct emit_sources sources = fixture->sources;
        const char **text = source_text(&sources, source), *original = *text;
        free(replace(original, &faults[i]));
        for (size_t k = 0; k < count_tries(&faults[i], i); k++, job++) {
            *text = job->changed = replace(original, &faults[i]);
            job->name = faults[i].name;
            job->sources = sources;
            job->letter = legend[(i / SHARE + k) % strlen(legend)];
            job->seeds = FAULT_SEEDS;
            job->is_endless = is_endless;
        }
    }
    assert_found(jobs, job_count, fixture);
    for (size_t i = 0; i < job_count; i++)
        free(jobs[i].changed);
    free(jobs);
}

static void test_faults_of_the_template(void **state)
{
    plant_faults(*state, template_faults, sizeof template_faults / sizeof *template_faults,
                 TEMPLATE, false);
}

static void test_endless_loops(void **state)
{
    plant_faults(*state, endless_faults, sizeof endless_faults / sizeof *endless_faults,
                 TEMPLATE, true);
}

static void test_faults_of_the_types(void **state)
{
    plant_faults(*state, type_faults, sizeof type_faults / sizeof *type_faults, TYPES, false);
}

static void test_faults_of_the_intrinsics(void **state)
{
    plant_faults(*state, intrinsic_faults, sizeof intrinsic_faults / sizeof *intrinsic_faults,
                 INTRINSICS, false);
}

int main(void)
{
    const struct CMUnitTest right[] = {cmocka_unit_test(test_right_as_it_is)};
    const struct CMUnitTest wrong[] = {
        cmocka_unit_test(test_without_a_barrier),
        cmocka_unit_test(test_faults_of_the_template),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_faults_of_the_types),
        cmocka_unit_test(test_faults_of_the_intrinsics),
    };
    int failed = cmocka_run_group_tests(right, setup, teardown);
    if (IS_JUDGE)
        failed += cmocka_run_group_tests(wrong, setup, teardown);
    return failed;
}
