/* Tests of autotune/many: letters, whole and cut; which problem a rank gets; and rank 0 under ranks that the
 * test plays: what they send is saved before they are answered, and those that send rubbish, give no result
 * or have another list cost what is said. */
#include "autotune/cli/problem_file.h"
#include "autotune/many/many_deal.h"
#include "autotune/many/many_keep.h"
#include "tests/unit/record_files.h"

#include <inttypes.h>

static struct error error;

/* --- Letters ------------------------------------------------------------------------------ */

static void test_letters(void **state)
{
    struct text letter = {0};
    size_t length, at = 0;
    (void)state;
    many_letter_addf(&letter, "problem", "%d", 17);
    many_letter_add(&letter, "bytes", "a\0b\n", 4);
    many_letter_add(&letter, "name", "first", 5);
    many_letter_add(&letter, "name", "", 0);
    assert_int_equal(many_letter_number(&letter, "problem"), 17);
    assert_string_equal(many_letter_string(&letter, "name"), "first");
    assert_string_equal(many_letter_string(&letter, "nam"), "");
    assert_int_equal(many_letter_number(&letter, "none"), 0);
    assert_memory_equal(many_letter_next(&letter, "bytes", &length, &at), "a\0b\n", 5);
    assert_int_equal(length, 4);
    assert_string_equal(many_letter_next(&letter, "name", &length, &at), "first");
    assert_string_equal(many_letter_next(&letter, "name", &length, &at), "");
    assert_null(many_letter_next(&letter, "name", &length, &at));
    text_dispose(&letter);
}

/* Cut anywhere, a letter has the fields before, and nothing is read behind its end. */
static void test_cut_letters(void **state)
{
    struct text letter = {0};
    (void)state;
    many_letter_addf(&letter, "one", "1");
    const size_t one = letter.length;
    many_letter_addf(&letter, "two", "2");
    for (size_t length = 0; length <= letter.length; length++) {
        char *copy = malloc(length ? length : 1);
        const struct text cut = {.at = copy, .length = length};
        assert_non_null(copy);
        memcpy(copy, letter.at, length);
        assert_int_equal(many_letter_number(&cut, "one"), length >= one);
        assert_int_equal(many_letter_number(&cut, "two"), length == letter.length ? 2 : 0);
        free(copy);
    }
    text_dispose(&letter);
    static const char *const wrong[] =
        {"", "x", "x 1", "x 1\n", "x 9\na", "x -1\na", "x 18446744073709551615\na", "x 0\na"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char bytes[64];
        const struct text text = {.at = bytes, .length = strlen(wrong[i])};
        memcpy(bytes, wrong[i], sizeof bytes < strlen(wrong[i]) ? 0 : strlen(wrong[i]));
        assert_string_equal(many_letter_string(&text, "x"), "");
    }
}

/* --- Who gets what ------------------------------------------------------------------------ */

static uint32_t next(struct many_deal *deal, uint32_t rank)
{
    uint32_t problem;
    assert_true(many_deal_next(deal, rank, &problem));
    return problem;
}

/* Known seconds first; what is not known takes those of the nearest in bytes, and of these more bytes are
 * longer. */
static void test_longest_first(void **state)
{
    static const struct {
        double seconds, bytes;
    } problems[] = {{0, 10}, {5, 100}, {0, 1e6}, {9, 1e7}, {0, 200}, {7, 1e9}, {0, 2e6}};
    static const uint32_t order[] = {3, 6, 2, 5, 4, 1, 0};
    enum { COUNT = sizeof order / sizeof *order };
    struct many_deal *deal = many_deal_open(2, COUNT, &error);
    (void)state;
    assert_non_null(deal);
    assert_int_equal(many_deal_join(deal, 1, "kind", &error), 0);
    for (uint32_t i = 0; i < COUNT; i++)
        many_deal_expect(deal, 0, i, problems[i].seconds, problems[i].bytes);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t problem;
        assert_int_equal(many_deal_open_problem(deal, 0) >= 0, true);
        assert_int_equal(next(deal, 1), order[i]);
        assert_false(many_deal_next(deal, 1, &problem)); /* one at a time */
        assert_false(many_deal_next(deal, 0, &problem)); /* did not join */
        many_deal_done(deal, 1);
    }
    assert_int_equal(many_deal_open_problem(deal, 0), -1);
    many_deal_close(deal);
}

/* Each kind has the whole list; equal ones go by the list's order. */
static void test_kinds(void **state)
{
    struct many_deal *deal = many_deal_open(4, 3, &error);
    uint32_t problem;
    (void)state;
    assert_int_equal(many_deal_join(deal, 0, "a", &error), 0);
    assert_int_equal(many_deal_join(deal, 1, "b", &error), 1);
    assert_int_equal(many_deal_join(deal, 2, "a", &error), 0);
    assert_int_equal(many_deal_join(deal, 3, "a", &error), 0);
    assert_int_equal(many_deal_serving(deal, 0), 3);
    many_deal_settle(deal, 0, 1);
    assert_true(many_deal_is_done(deal, 0, 1) && !many_deal_is_done(deal, 1, 1));
    assert_int_equal(next(deal, 0), 0);
    assert_int_equal(next(deal, 1), 0);
    assert_int_equal(next(deal, 2), 2);
    assert_false(many_deal_next(deal, 3, &problem));
    assert_true(many_deal_has(deal, 2, &problem) && problem == 2);
    assert_false(many_deal_has(deal, 3, &problem));
    many_deal_close(deal);
}

/* What a rank gives back waits again, for others, until so many have. */
static void test_lost(void **state)
{
    struct many_deal *deal = many_deal_open(5, 2, &error);
    uint32_t problem;
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(many_deal_join(deal, i, "a", &error), 0);
    for (uint32_t i = 0; i < MANY_DEAL_TRIES; i++) {
        assert_int_equal(next(deal, i), 0);
        if (i == 0)
            assert_int_equal(next(deal, 4), 1);
        assert_int_equal(many_deal_lose(deal, i), i + 1 < MANY_DEAL_TRIES);
        assert_false(many_deal_next(deal, i, &problem));
        assert_int_equal(many_deal_serving(deal, 0), 4 - i);
    }
    assert_false(many_deal_lose(deal, 0));
    assert_false(many_deal_lose(deal, 3));
    assert_int_equal(many_deal_open_problem(deal, 0), 0);
    many_deal_settle(deal, 0, 0);
    many_deal_done(deal, 4);
    assert_int_equal(many_deal_open_problem(deal, 0), -1);
    many_deal_close(deal);
}

/* --- Rank 0 ------------------------------------------------------------------------------- */

enum { RANKS = 4, SENT_MAX = 100 };

struct scene {
    char *folder;
    struct request request;
    struct problem_file file;
    struct many_post post;
    struct many_keep *keep;
    struct sent {
        uint32_t to;
        enum many_letter kind;
        struct text letter;
        size_t records; /* in the file of the GPU when it was sent */
    } sent[SENT_MAX];
    size_t count, taken;
    char path[PATH_CHARS], cache[PATH_CHARS], list[PATH_CHARS];
};

static size_t count_records(const char *path)
{
    struct records records;
    assert_int_equal(store_load(&records, path, &error), 0);
    assert_int_equal(records.skipped, 0);
    const size_t count = records.count;
    store_dispose(&records);
    return count;
}

static void take_sent(void *context, uint32_t to, enum many_letter kind, struct text *letter)
{
    struct scene *scene = context;
    assert_true(scene->count < SENT_MAX);
    scene->sent[scene->count++] = (struct sent){to, kind, *letter, count_records(scene->path)};
    *letter = (struct text){0};
}

static struct scene *open_scene(void **state, const char *lines)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    path_in(scene->cache, state, "cache");
    path_in(scene->list, state, "list");
    path_in(scene->path, state, "cache/nvidia-h200.ini");
    put_file(scene->list, lines, strlen(lines));
    scene->request = (struct request){.verb = VERB_TUNE,
                                      .problems = scene->list,
                                      .cache = scene->cache,
                                      .device = "0",
                                      .out.quiet = true,
                                      .seed = 1,
                                      .part = {.count = 1},
                                      .problem = example_record.problem};
    assert_int_equal(problem_file_read(&scene->file, &scene->request, &error), 0);
    scene->post = (struct many_post){scene, take_sent};
    const struct many_keep_options options = {.request = &scene->request,
                                              .file = &scene->file,
                                              .ranks = RANKS,
                                              .post = &scene->post};
    scene->keep = many_keep_open(&options, &error);
    assert_non_null(scene->keep);
    return scene;
}

/* Closes it; how that ended. */
static int close_scene(struct scene *scene)
{
    many_keep_end(scene->keep);
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(scene->sent[scene->count - RANKS + i].kind, MANY_END);
    const int failed = many_keep_close(scene->keep, &error);
    for (size_t i = 0; i < scene->count; i++)
        text_dispose(&scene->sent[i].letter);
    problem_file_dispose(&scene->file);
    free(scene);
    return failed;
}

static void tell(struct scene *scene, uint32_t rank, enum many_letter kind, struct text letter)
{
    many_keep_take(scene->keep, rank, kind, &letter);
    text_dispose(&letter);
}

static void greet(struct scene *scene, uint32_t rank, const char *version, unsigned hash)
{
    struct text letter = {0};
    many_letter_addf(&letter, "version", "%s", version);
    many_letter_addf(&letter, "hash", "%u", hash);
    many_letter_addf(&letter, "count", "%zu", scene->file.count);
    many_letter_addf(&letter, "kind", "H200 of a driver");
    many_letter_addf(&letter, "gpu", "%s", example_record.gpu);
    many_letter_addf(&letter, "host", "host%" PRIu32, rank);
    tell(scene, rank, MANY_HELLO, letter);
}

static void greet_all(struct scene *scene)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        tell(scene, i, MANY_NEXT, (struct text){0});
        many_keep_step(scene->keep);
        assert_int_equal(scene->count, 0);
        greet(scene, i, VERSION, 26);
    }
    many_keep_step(scene->keep);
}

/* The next letter that was sent. */
static const struct sent *sent(struct scene *scene, uint32_t to, enum many_letter kind)
{
    assert_true(scene->taken < scene->count);
    const struct sent *one = &scene->sent[scene->taken++];
    assert_int_equal(one->to, to);
    assert_int_equal(one->kind, kind);
    return one;
}

static unsigned number_in(const struct sent *one, const char *name)
{
    return (unsigned)many_letter_number(&one->letter, name);
}

/* What a rank sends of a problem of that size. */
static struct text result(unsigned problem, const char *outcome, uint64_t n)
{
    struct text letter = {0}, bytes = {0};
    struct record record = example_record;
    char path[] = "/tmp/autotune-many-XXXXXX";
    assert_int_not_equal(mkstemp(path), -1);
    assert_int_equal(unlink(path), 0);
    record.problem.dims = (struct dims)DIMS_VALUE(n);
    assert_int_equal(save_record(path, &record, &error), 0);
    assert_int_equal(text_read(&bytes, path, 1 << 20, &error), 0);
    unlink(path);
    many_letter_addf(&letter, "problem", "%u", problem);
    many_letter_addf(&letter, "text", "sum i32 %" PRIu64 " cold", n);
    many_letter_addf(&letter, "outcome", "%s", outcome);
    many_letter_addf(&letter, "seconds", "1.5");
    many_letter_add(&letter, "record", bytes.at, bytes.length);
    text_dispose(&bytes);
    return letter;
}

/* Each rank has its next problem once the record of its last is in the file; two that come together are
 * written together; the largest is first. */
static void test_saved_before_answered(void **state)
{
    struct scene *scene =
        open_scene(state, "--n 1000\n--n 2000\n--n 3000\n--n 4000\n--n 5000\n--n 6000\n");
    greet_all(scene);
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(number_in(sent(scene, i, MANY_TUNE), "problem"), 5 - i);
    tell(scene, 2, MANY_NEXT, result(3, "tuned", 4000));
    tell(scene, 1, MANY_NEXT, result(4, "tuned", 5000));
    assert_int_equal(scene->count, scene->taken);
    many_keep_step(scene->keep);
    assert_int_equal(sent(scene, 1, MANY_TUNE)->records, 2);
    assert_int_equal(number_in(sent(scene, 2, MANY_TUNE), "problem"), 0);
    assert_false(many_keep_is_over(scene->keep));
    tell(scene, 0, MANY_NEXT, result(5, "tuned", 6000));
    tell(scene, 1, MANY_NEXT, result(1, "tuned", 2000));
    tell(scene, 3, MANY_NEXT, result(2, "tuned", 3000));
    tell(scene, 3, MANY_NEXT, result(2, "tuned", 3000)); /* has none any more */
    tell(scene, 2, MANY_NEXT, result(0, "tuned", 1000));
    assert_false(many_keep_is_over(scene->keep));
    many_keep_step(scene->keep);
    assert_true(many_keep_is_over(scene->keep));
    assert_int_equal(count_records(scene->path), 6);
    assert_int_equal(scene->count, scene->taken);
    assert_int_equal(close_scene(scene), 0);
}

/* A record that is damaged, or does not come, costs its problem; so does what the rank says has failed. */
static void test_results_that_fail(void **state)
{
    struct scene *scene = open_scene(state, "--n 1000\n--n 2000\n--n 3000\n");
    struct text damaged = result(2, "tuned", 3000), none = {0}, failed = {0};
    greet_all(scene);
    for (size_t i = damaged.length / 2; i < damaged.length / 2 + 20; i++)
        damaged.at[i] = 'x';
    many_letter_addf(&none, "problem", "1");
    many_letter_addf(&none, "outcome", "tuned");
    many_letter_addf(&failed, "problem", "0");
    many_letter_addf(&failed, "outcome", "failed");
    many_letter_addf(&failed, "code", "64");
    many_letter_addf(&failed, "error", "no point is left");
    tell(scene, 2, MANY_NEXT, failed);
    tell(scene, 1, MANY_NEXT, none);
    tell(scene, 0, MANY_NEXT, damaged);
    many_keep_step(scene->keep);
    assert_true(many_keep_is_over(scene->keep));
    assert_int_equal(count_records(scene->path), 0);
    assert_int_equal(close_scene(scene), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_string_equal(error.text,
                        "3 of 3 problems failed, the first because: no point is left");
}

/* A rank without a result serves no more; of three at the same problem that has failed, and without any
 * rank all have. */
static void test_ranks_without_results(void **state)
{
    struct scene *scene = open_scene(state, "--n 1000\n--n 2000\n");
    greet_all(scene);
    assert_int_equal(number_in(sent(scene, 0, MANY_TUNE), "problem"), 1);
    assert_int_equal(number_in(sent(scene, 1, MANY_TUNE), "problem"), 0);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const uint32_t order[] = {0, 2, 3, 1};
        struct text lost = {0};
        many_letter_addf(&lost, "problem", "%d", rank < 3);
        many_letter_addf(&lost, "lost", "was ended by signal 9");
        tell(scene, order[rank], MANY_NEXT, lost);
        many_keep_step(scene->keep);
        if (rank < 2)
            assert_int_equal(number_in(sent(scene, order[rank + 1], MANY_TUNE), "problem"), 1);
        assert_int_equal(many_keep_is_over(scene->keep), rank == 3);
    }
    assert_int_equal(scene->count, scene->taken);
    assert_int_equal(close_scene(scene), -1);
    assert_non_null(strstr(error.text,
                           "2 of 2 problems failed, the first because: 3 ranks gave no "
                           "result: the last one's autotune was ended by signal 9"));
}

static void check_refused(void **state, const char *version, unsigned hash, const char *why)
{
    struct scene *scene = open_scene(state, "--n 1000\n");
    for (uint32_t i = 0; i < RANKS; i++) {
        tell(scene, i, MANY_NEXT, (struct text){0});
        greet(scene, i, i == 2 ? version : VERSION, i == 2 ? hash : 26);
    }
    many_keep_step(scene->keep);
    for (uint32_t i = 0; i < RANKS; i++) {
        sent(scene, i, MANY_STOP);
        assert_false(many_keep_is_over(scene->keep));
        tell(scene, i, MANY_STOPPED, (struct text){0});
    }
    assert_int_equal(scene->count, scene->taken);
    assert_true(many_keep_is_over(scene->keep));
    assert_int_equal(close_scene(scene), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_string_equal(error.text, why);
}

/* Nothing is begun where a rank has another list, or is of another version. */
static void test_ranks_that_differ(void **state)
{
    check_refused(state, VERSION, 27,
                  "rank 2 on host2 has other templates, spaces, options or another list than "
                  "rank 0: give all the same");
    check_refused(state, "0.1", 26,
                  "rank 2 on host2 has version 0.1 of autotune: start the same everywhere");
}

static const struct sent *ask(struct scene *scene, const char *name)
{
    struct text letter = {0};
    many_letter_addf(&letter, "problem", "0");
    many_letter_addf(&letter, "journal", "%s", name);
    tell(scene, 0, MANY_ASK, letter);
    return sent(scene, 0, MANY_ANSWER);
}

static void tell_trials(struct scene *scene, const char *name, unsigned from, const char *lines)
{
    struct text letter = {0};
    many_letter_addf(&letter, "problem", "0");
    many_letter_addf(&letter, "journal", "%s", name);
    many_letter_addf(&letter, "from", "%u", from);
    many_letter_addf(&letter, "time", "1700000000");
    many_letter_add(&letter, "bytes", lines, strlen(lines));
    tell(scene, 0, MANY_TRIALS, letter);
}

/* Trials are there for whoever asks next, with their time; a journal gets none of a rank that knows another,
 * and one that is begun anew is kept as it was; a name that leads elsewhere is refused. */
static void test_trials(void **state)
{
    struct scene *scene = open_scene(state, "--n 1000\n");
    char path[PATH_CHARS];
    struct stat status;
    greet_all(scene);
    sent(scene, 0, MANY_TUNE);
    assert_string_equal(many_letter_string(&ask(scene, "a.journal")->letter, "bytes"), "");
    tell_trials(scene, "a.journal", 0, "one\n");
    tell_trials(scene, "a.journal", 4, "two\n");
    tell_trials(scene, "a.journal", 4, "of another\n");
    tell_trials(scene, "a.journal", 9, "of another\n");
    tell_trials(scene, "a.journal", 8, "three\n");
    const struct sent *answer = ask(scene, "a.journal");
    assert_string_equal(many_letter_string(&answer->letter, "bytes"), "one\ntwo\nthree\n");
    assert_int_equal(number_in(answer, "time"), 1700000000);
    tell_trials(scene, "a.journal", 0, "other\n");
    assert_string_equal(many_letter_string(&ask(scene, "a.journal")->letter, "bytes"),
                        "other\n");
    assert_int_equal(stat(path_in(path, state, "cache/journal/a.journal.old"), &status), 0);
    tell_trials(scene, "../a", 0, "elsewhere\n");
    assert_int_equal(stat(path_in(path, state, "cache/a"), &status), -1);
    assert_string_equal(many_letter_string(&ask(scene, "../nvidia-h200.ini")->letter, "bytes"),
                        "");
    tell(scene, 0, MANY_NEXT, result(0, "tuned", 1000));
    many_keep_step(scene->keep);
    assert_int_equal(close_scene(scene), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),       cmocka_unit_test(test_cut_letters),
        cmocka_unit_test(test_longest_first), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_lost),          IN_FOLDER(test_saved_before_answered),
        IN_FOLDER(test_results_that_fail),    IN_FOLDER(test_ranks_without_results),
        IN_FOLDER(test_ranks_that_differ),    IN_FOLDER(test_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
