/* collection: what is read of a GPU's files and of those of parts, when it is read again, in which
 * order a search gets it, and what a filter leaves out of it. */
#include "cache/collection.h"

#include "generator/dims_text.h"
#include "tests/unit/matrix_dims.h"
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"

/* A space of one kernel and one config, which all records have. */
static const char space_text[] = "[space]\nname = reduce\ntemplate = a.cu\nkernel = a\n"
                                 "[param BLOCK]\nvalues = 256 512\nabsent = 256\n"
                                 "[pass a]\nblock = BLOCK\ngrid = 1\ntile = 1\noutputs = 1\n"
                                 "args = n\nheight = 1\n"
                                 "[default]\nBLOCK = 256\n";
static const struct emit_sources sources = {
    .template = {"a.cu", "__global__ void a() {}\n"},
    .types = {"types", ""},
    .intrinsics = {"intrinsics", ""},
};
static const struct target h200 = {.cc = 90,
                                   .sms = 132,
                                   .threads_per_block = 1024,
                                   .threads_per_sm = 2048,
                                   .shared_per_block = 49152};
static struct space *space;
static size_t shipments; /* how often what ships was asked for */

static struct record of(uint64_t n, uint64_t median_ps)
{
    struct record record = record_of(n, median_ps);
    const struct point_context here = {space, &record.problem, &h200};
    struct error error;
    snprintf(record.params, sizeof record.params, "BLOCK=256");
    if (code_hash(&record.code, &record, space->default_config, &here, &sources, &error))
        fail_msg("%s", error.text);
    return record;
}

static int ship(struct records *out, const struct record *want, struct error *error)
{
    const struct record record = of(1000, 77);
    (void)want;
    shipments++;
    *out = (struct records){.count = 0};
    return store_add(out, &record, error);
}

static int open_space(void **state)
{
    struct error error;
    (void)state;
    if (space_load(&space, "a.ini", space_text, sizeof space_text - 1, NULL, &error) != 0)
        fail_msg("%s", error.text);
    return 0;
}

static int close_space(void **state)
{
    (void)state;
    space_free(space);
    return 0;
}

static struct error load(struct collection *collection)
{
    struct error warning = {.code = ERROR_NONE}, error;
    if (collection_load(collection, example_record.gpu, &warning, &error))
        fail_msg("%s", error.text);
    return warning;
}

/* The path of the GPU's file in a folder of the test's, which is made. */
static const char *file_in(char out[PATH_CHARS], char folder[PATH_CHARS], void **state,
                           const char *name)
{
    mkdir(path_in(folder, state, name), 0700);
    assert_true(snprintf(out, PATH_CHARS, "%s/%s", folder, record_file) < PATH_CHARS);
    return out;
}

/* --- Own records -------------------------------------------------------------------------- */

static void test_reads_again_what_has_changed(void **state)
{
    char path[PATH_CHARS];
    const struct record first = of(1000, 1), second = of(2000, 2);
    struct collection collection = {.place = *state};
    load(&collection);
    assert_int_equal(collection.own.count, 0);
    save(path_in(path, state, record_file), &first);
    load(&collection);
    assert_int_equal(collection.own.count, 1);
    const struct record *before = collection.own.at;
    load(&collection);
    assert_ptr_equal(collection.own.at, before); /* it was not read again */
    save(path, &second);
    load(&collection);
    assert_int_equal(collection.own.count, 2);
    assert_int_equal(unlink(path), 0);
    load(&collection);
    assert_int_equal(collection.own.count, 0);
    collection_dispose(&collection);
}

static void test_a_place_may_be_a_file(void **state)
{
    char path[PATH_CHARS];
    const struct record record = of(1000, 1);
    save(path_in(path, state, "any.ini"), &record);
    struct collection file = {.place = path}, folder = {.place = *state};
    assert_true(collection_is_file(&file));
    assert_false(collection_is_file(&folder));
    load(&file);
    load(&folder);
    assert_int_equal(file.own.count, 1);
    assert_int_equal(folder.own.count, 0);
    collection_dispose(&file);
    collection_dispose(&folder);
}

/* Of one problem the finished record comes first, whatever its age; then the newer. */
static void test_parts_in_the_order_of_their_worth(void **state)
{
    static const char *const days[] = {"2026-01-03T00:00:00Z", "2026-01-01T00:00:00Z",
                                       "2026-01-02T00:00:00Z"};
    static const char *const folders[] = {".", "a", "b"};
    char path[PATH_CHARS], folder[PATH_CHARS];
    struct collection collection = {.place = *state};
    struct error error;
    for (size_t i = 0; i < 3; i++) {
        struct record record = of(1000, i + 1);
        snprintf(record.tuned, sizeof record.tuned, "%s", days[i]);
        record.untried = i == 0; /* the newest was not finished */
        save(file_in(path, folder, state, folders[i]), &record);
        if (i > 0)
            assert_int_equal(collection_add_part(&collection, folder, &error), 0);
    }
    load(&collection);
    assert_int_equal(collection.own.count, 3);
    assert_int_equal(collection.own.at[0].median_ps, 3);
    assert_int_equal(collection.own.at[1].median_ps, 2);
    assert_int_equal(collection.own.at[2].median_ps, 1);
    const struct record more = of(2000, 9);
    save(path, &more); /* in the last part */
    load(&collection);
    assert_int_equal(collection.own.count, 4);
    collection_dispose(&collection);
}

static void test_warns_of_what_is_left_out(void **state)
{
    char path[PATH_CHARS];
    put_file(path_in(path, state, record_file), "no record", 9);
    struct collection collection = {.place = *state};
    const struct error warning = load(&collection);
    assert_int_not_equal(warning.code, ERROR_NONE);
    assert_non_null(strstr(warning.text, path));
    struct error earlier = {.code = ERROR_USAGE, .text = "earlier"}, error;
    assert_int_equal(collection_load(&collection, example_record.gpu, &earlier, &error), 0);
    assert_string_equal(earlier.text, "earlier");
    collection_dispose(&collection);
}

/* --- A search ----------------------------------------------------------------------------- */

static struct find_result found(struct collection *collection, uint64_t n, unsigned kinds)
{
    const struct record want = of(n, 1);
    const struct point_context here = {space, &want.problem, &h200};
    struct error warning = {.code = ERROR_NONE}, error;
    struct code_memo memo = {.next = 0};
    struct find find;
    find_begin(&find, &want, &here, &sources, &memo);
    if (collection_find(&find, collection, kinds, &warning, &error))
        fail_msg("%s", error.text);
    return find.best;
}

static void test_asks_the_sources_that_are_named(void **state)
{
    char path[PATH_CHARS];
    const struct record own = of(1000, 1);
    struct record other = of(1000, 2);
    struct collection collection = {.place = *state, .ship = ship};
    snprintf(other.gpu, sizeof other.gpu, "Another GPU");
    save(path_in(path, state, "another-gpu.ini"), &other);
    shipments = 0;
    assert_int_equal(found(&collection, 1000, COLLECTION_OWN).grade, SELECTOR_NONE);
    assert_int_equal(found(&collection, 1000, COLLECTION_OTHERS).record.median_ps, 2);
    assert_int_equal(shipments, 0);
    assert_int_equal(found(&collection, 1000, COLLECTION_SHIPPED).record.median_ps, 77);
    assert_int_equal(found(&collection, 1000, COLLECTION_ALL).record.median_ps, 77);
    assert_int_equal(shipments, 1); /* it is kept */
    save(path_in(path, state, record_file), &own);
    const struct find_result best = found(&collection, 1000, COLLECTION_ALL);
    assert_int_equal(best.grade, SELECTOR_EXACT);
    assert_int_equal(best.record.median_ps, 1);
    collection_dispose(&collection);
}

/* --- All records -------------------------------------------------------------------------- */

struct seen {
    uint64_t n[8];
    size_t count, missed;
};

static int see(void *context, const struct interval *served, const struct records *from,
               struct error *error)
{
    struct seen *seen = context;
    (void)error;
    assert_non_null(from);
    seen->n[seen->count++] = dims_n(&served->record.problem.dims);
    return 0;
}

static void miss(void *context, const struct records *records)
{
    struct seen *seen = context;
    assert_int_equal(records->skipped, 1);
    seen->missed++;
}

static void test_visits_what_a_filter_wants(void **state)
{
    char path[PATH_CHARS];
    const struct record records[] = {of(1000, 1), of(2000, 2), of(3000, 3)};
    const struct filter filter = {.asked = FILTER_N, .n_low = 1500, .n_high = 3000};
    struct collection collection = {.place = *state};
    struct seen seen = {.count = 0};
    const struct collection_visitor all = {&seen, NULL, see, miss},
                                    some = {&seen, &filter, see, NULL};
    struct error error;
    save(path_in(path, state, "b.ini"), &records[0]);
    save(path, &records[1]);
    save(path_in(path, state, "a.ini"), &records[2]);
    put_file(path_in(path, state, "c.ini"), "no record", 9);
    assert_int_equal(collection_visit_files(&collection, &all, &error), 0);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.n[0], 3000);
    assert_int_equal(seen.n[1], 1000);
    assert_int_equal(seen.n[2], 2000);
    assert_int_equal(seen.missed, 1);
    seen.count = 0;
    assert_int_equal(collection_visit_files(&collection, &some, &error), 0);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.n[0], 3000);
    assert_int_equal(seen.n[1], 2000);
}

/* --- Filters ------------------------------------------------------------------------------ */

static bool is_gpu(void *context, const struct record *record)
{
    return strcmp(record->gpu, context) == 0;
}

/* A record that has all of it, and one that lacks each part, of which another is asked too. */
static void test_names_the_first_part_that_is_lacking(void **state)
{
    static char gpu[] = "A";
    const struct dims dims = dims_value(1000);
    const struct record has =
        {.problem = {.op = op_of(SUM), .type = I32, .acc = I64, .dims = dims},
         .space = "reduce",
         .method = RECORD_METHOD,
         .gpu = "A"};
    struct filter filter = {.asked = 2 * FILTER_SIZES - 1,
                            .problem = has.problem,
                            .space = "reduce",
                            .shape = dims_text_name(&dims),
                            .n_low = 1000,
                            .n_high = 1000,
                            .sizes = &dims,
                            .size_count = 1,
                            .is_gpu = is_gpu,
                            .gpu = gpu};
    const struct interval whole = {1000, 1000, has};
    struct interval lacking[12];
    (void)state;
    assert_int_equal(filter_lacks(&filter, &whole), 0);
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        lacking[i] = whole;
    lacking[0].record.source = RECORD_PUBLISHED;
    lacking[1].record.problem.regime = PINNED;
    lacking[2].record.problem.op = op_of(MAX);
    lacking[3].record.problem.type = F32;
    lacking[4].record.problem.acc = I32;
    lacking[5].record.problem.order = ORDER_RUN;
    lacking[6].record.space[0] = 'x';
    lacking[7].record.method--;
    lacking[8].record.problem.regime = WARM;
    lacking[9].record.gpu[0] = 'B';
    lacking[10].record.problem.dims = matrix_dims((struct matrix){.rows = 10, .len = 100});
    lacking[11].record.problem.dims = dims_value(1001);
    for (unsigned i = 0; i < sizeof lacking / sizeof *lacking; i++)
        assert_int_equal(filter_lacks(&filter, &lacking[i]), 1u << (i == 11 ? 12 : i));
    filter.asked = FILTER_SCAN;
    assert_int_equal(filter_lacks(&filter, &whole), 0);
    filter.problem.dims.scan = DIMS_EXCLUSIVE;
    assert_int_equal(filter_lacks(&filter, &whole), FILTER_SCAN);
}

static void test_asks_for_sizes(void **state)
{
    const struct dims sizes[] = {dims_value(10), dims_value(50)};
    struct filter filter = {.asked = FILTER_N, .n_low = 20, .n_high = 30};
    struct interval served = {.record.problem.dims = dims_value(15)};
    static const struct {
        uint64_t from, to;
        bool is_in_range, is_of_sizes;
    } cases[] = {{15, 15, false, false}, {1, 19, false, true},   {1, 20, true, true},
                 {30, 49, true, false},  {31, 49, false, false}, {31, 50, false, true}};
    (void)state;
    filter.sizes = sizes;
    filter.size_count = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        served.from = cases[i].from;
        served.to = cases[i].to;
        filter.asked = FILTER_N;
        assert_int_equal(!filter_lacks(&filter, &served), cases[i].is_in_range);
        filter.asked = FILTER_SIZES;
        assert_int_equal(!filter_lacks(&filter, &served), cases[i].is_of_sizes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_reads_again_what_has_changed),
        IN_FOLDER(test_a_place_may_be_a_file),
        IN_FOLDER(test_parts_in_the_order_of_their_worth),
        IN_FOLDER(test_warns_of_what_is_left_out),
        IN_FOLDER(test_asks_the_sources_that_are_named),
        IN_FOLDER(test_visits_what_a_filter_wants),
        cmocka_unit_test(test_names_the_first_part_that_is_lacking),
        cmocka_unit_test(test_asks_for_sizes),
    };
    return cmocka_run_group_tests(tests, open_space, close_space);
}
