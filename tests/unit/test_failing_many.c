/* Tests of autotune/many without memory: while ranks greet, ask for trials and send them, bring results and
 * are lost, the N-th allocation of rank 0 fails, for all N that there are. It says so, or keeps all that it
 * keeps with memory: no record is lost in silence, and all memory is given back. */
#include "autotune/device/fiber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if defined(FIBER_ASAN) || defined(FIBER_TSAN)

static void test_failing(void **state)
{
    (void)state;
    print_message("a sanitizer has an allocator of its own\n");
    skip();
}

#else

#include "tests/command/failing_call.c"

#include "autotune/cli/problem_file.h"
#include "autotune/many/many_keep.h"
#include "tests/unit/example_record.h"
#include "tests/unit/save_record.h"

enum { RANKS = 3, PROBLEMS = 3 };

static char folder[] = "/tmp/test-many-XXXXXX";
static struct text record_files[PROBLEMS]; /* of one record each, as ranks send them */
static struct request request;
static struct problem_file file;

static const char *path_of(const char *name)
{
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void make_files(void)
{
    static char list[sizeof folder + 16], cache[sizeof folder + 16];
    struct error error;
    assert_non_null(mkdtemp(folder));
    for (unsigned i = 0; i < PROBLEMS; i++) {
        struct record record = example_record;
        record.problem.dims = (struct dims)DIMS_VALUE(1000 * (i + 1));
        assert_int_equal(save_record(path_of("one.ini"), &record, &error), 0);
        assert_int_equal(text_read(&record_files[i], path_of("one.ini"), 1 << 20, &error), 0);
        unlink(path_of("one.ini"));
    }
    strcpy(list, path_of("list"));
    strcpy(cache, path_of("cache"));
    FILE *lines = fopen(list, "w");
    assert_non_null(lines);
    fputs("--n 1000\n--n 2000\n--n 3000\n", lines);
    assert_int_equal(fclose(lines), 0);
    request = (struct request){.verb = VERB_TUNE,
                               .problems = list,
                               .cache = cache,
                               .device = "0",
                               .out = {.quiet = true},
                               .seed = 1,
                               .part = {.count = 1},
                               .problem = example_record.problem};
    assert_int_equal(problem_file_read(&file, &request, &error), 0);
}

struct scene {
    struct many_keep *keep;
    bool is_noticed; /* whoever carries letters is told of one that is not whole */
    uint32_t has[RANKS];
    long fails_at;
};

static void take_sent(void *context, uint32_t to, enum many_letter kind, struct text *letter)
{
    struct scene *scene = context;
    scene->is_noticed = scene->is_noticed || letter->failed;
    if (kind == MANY_TUNE && !letter->failed)
        scene->has[to] = (uint32_t)many_letter_number(letter, "problem");
    text_dispose(letter);
}

/* What rank 0 does is between these: the rest has the memory that it needs. */
static void let_fail(const struct scene *scene)
{
    failing_at = scene->fails_at;
}

static void tell(struct scene *scene, uint32_t rank, enum many_letter kind, struct text letter)
{
    assert_false(letter.failed);
    let_fail(scene);
    many_keep_take(scene->keep, rank, kind, &letter);
    many_keep_step(scene->keep);
    failing_at = 0;
    text_dispose(&letter);
}

static void tell_hello(struct scene *scene, uint32_t rank)
{
    struct text letter = {0};
    many_letter_addf(&letter, "version", "%s", VERSION);
    many_letter_addf(&letter, "hash", "26");
    many_letter_addf(&letter, "count", "%d", PROBLEMS);
    many_letter_addf(&letter, "kind", "kind");
    many_letter_addf(&letter, "gpu", "%s", example_record.gpu);
    many_letter_addf(&letter, "host", "host");
    tell(scene, rank, MANY_NEXT, (struct text){0});
    tell(scene, rank, MANY_HELLO, letter);
}

static void tell_trials(struct scene *scene, uint32_t rank)
{
    struct text ask = {0}, trials = {0};
    many_letter_addf(&ask, "journal", "a.journal");
    many_letter_addf(&trials, "journal", "a.journal");
    many_letter_addf(&trials, "time", "1700000000");
    many_letter_addf(&trials, "bytes", "a trial\n");
    tell(scene, rank, MANY_TRIALS, trials);
    tell(scene, rank, MANY_ASK, ask);
}

static void tell_result(struct scene *scene, uint32_t rank)
{
    const uint32_t problem = scene->has[rank];
    struct text letter = {0};
    many_letter_addf(&letter, "problem", "%u", (unsigned)problem);
    many_letter_addf(&letter, "outcome", "tuned");
    many_letter_addf(&letter, "seconds", "1");
    many_letter_add(&letter, "record", record_files[problem].at, record_files[problem].length);
    tell(scene, rank, MANY_NEXT, letter);
}

static void tell_lost(struct scene *scene, uint32_t rank)
{
    struct text letter = {0};
    many_letter_addf(&letter, "problem", "%u", (unsigned)scene->has[rank]);
    many_letter_addf(&letter, "lost", "was ended by signal 9");
    tell(scene, rank, MANY_NEXT, letter);
}

static size_t count_records(void)
{
    struct records records;
    struct error error;
    assert_int_equal(store_load(&records, path_of("cache/nvidia-h200.ini"), &error), 0);
    const size_t found = records.count;
    store_dispose(&records);
    return found;
}

/* The whole list, with the allocation of that number failing; 0: none. Was it said that something is
 * wrong? */
static bool run_scene(long number)
{
    struct scene scene = {.fails_at = number};
    const struct many_post post = {&scene, take_sent};
    const struct many_keep_options options = {.request = &request,
                                              .file = &file,
                                              .ranks = RANKS,
                                              .post = &post};
    struct error error = {.code = ERROR_NONE};
    unlink(path_of("cache/nvidia-h200.ini"));
    failing = "malloc";
    seen_calls = 0;
    let_fail(&scene);
    scene.keep = many_keep_open(&options, &error);
    failing_at = 0;
    if (!scene.keep) {
        assert_non_null(strstr(error.text, "out of memory"));
        return true;
    }
    for (uint32_t rank = 0; rank < RANKS; rank++)
        tell_hello(&scene, rank);
    tell_trials(&scene, 0);
    tell_lost(&scene, 2);
    for (uint32_t i = 0; i < 2 * PROBLEMS; i++)
        tell_result(&scene, i % 2);
    const bool is_over = many_keep_is_over(scene.keep);
    let_fail(&scene);
    many_keep_end(scene.keep);
    const int failed = many_keep_close(scene.keep, &error);
    failing_at = 0;
    if (failed && !strstr(error.text, "out of memory"))
        fail_msg("allocation %ld: '%s'", number, error.text);
    if (!failed && !scene.is_noticed && !is_over)
        fail_msg("allocation %ld: it waits for ever", number);
    return failed || scene.is_noticed;
}

static void test_failing(void **state)
{
    long number = 1;
    (void)state;
    make_files();
    assert_false(run_scene(0));
    assert_int_equal(count_records(), PROBLEMS);
    for (;; number++) {
        const long before = alive;
        const bool is_said = run_scene(number);
        if (alive != before)
            fail_msg("allocation %ld: %ld pieces of memory are lost", number, alive - before);
        if (!is_said && count_records() != PROBLEMS)
            fail_msg("allocation %ld: something was lost in silence", number);
        if (seen_calls < number)
            break;
    }
    print_message("%ld allocations failed one by one\n", number - 1);
    assert_true(number > 100);
    for (unsigned i = 0; i < PROBLEMS; i++)
        text_dispose(&record_files[i]);
    problem_file_dispose(&file);
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
