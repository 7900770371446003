/* store: paths, merging and damaged files. Whatever happens to a file, reading gives records
 * exactly as written or none. */
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"

#include <time.h>

/* --- Paths ------------------------------------------------------------------------------ */

static void test_path(void **state)
{
    static const struct {
        const char *gpu, *file;
    } cases[] = {
        {"NVIDIA H200", "F/nvidia-h200.ini"},
        {"NVIDIA GeForce RTX 5070 Ti", "F/nvidia-geforce-rtx-5070-ti.ini"},
        {"../../etc/passwd", "F/etc-passwd.ini"},
        {"host", "F/host.ini"},
        {"", "F/unknown.ini"},
        {"///", "F/unknown.ini"},
        {"a\n--\xff b.", "F/a-b.ini"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text path = {0};
        struct error error;
        assert_int_equal(store_path(&path, "F", cases[i].gpu, &error), 0);
        assert_string_equal(path.at, cases[i].file);
        text_dispose(&path);
    }

    char longest[4000];
    struct text path = {0};
    struct error error;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(store_path(&path, "F", longest, &error), 0);
    assert_true(path.length < 200);
    text_dispose(&path);
}

static void assert_folder(const char *given, const char *xdg, const char *home,
                          const char *expected)
{
    struct text folder = {0};
    struct error error = {0};
    xdg ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    int result = store_folder(&folder, given, &error);
    if (expected) {
        assert_int_equal(result, 0);
        assert_string_equal(folder.at, expected);
    } else {
        assert_int_equal(result, -1);
        assert_int_equal(error.code, ERROR_IO);
        assert_non_null(strstr(error.text, "--cache"));
    }
    text_dispose(&folder);
}

static void test_folder(void **state)
{
    (void)state;
    assert_folder("given", "/x", "/home/u", "given");
    assert_folder(NULL, "/x", "/home/u", "/x/autotune");
    assert_folder(NULL, "", "/home/u", "/home/u/.cache/autotune");
    assert_folder(NULL, "relative", "/home/u", "/home/u/.cache/autotune");
    assert_folder(NULL, NULL, "/home/u", "/home/u/.cache/autotune");
    assert_folder(NULL, NULL, "", NULL);
    assert_folder(NULL, NULL, NULL, NULL);
}

/* --- Saving and loading ----------------------------------------------------------------- */

static void test_missing_is_empty(void **state)
{
    char path[PATH_CHARS];
    struct records records = loaded(path_in(path, state, record_file));
    assert_int_equal(records.count, 0);
    assert_int_equal(records.skipped, 0);
}

static void test_save_and_load(void **state)
{
    char path[PATH_CHARS], folder[PATH_CHARS];
    struct stat status;

    save(path_in(path, state, "new/and/nested/nvidia-h200.ini"), &example_record);
    struct records records = loaded(path);
    assert_int_equal(records.count, 1);
    assert_int_equal(records.skipped, 0);
    assert_true(is_identical(&records.at[0], &example_record));
    store_dispose(&records);

    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(stat(path_in(folder, state, "new/and"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_false(exists(path, ".tmp"));
    assert_false(exists(path, ".damaged"));
}

static void test_save_into_current_folder(void **state)
{
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(*state), 0);
    save("plain.ini", &example_record);
    struct records records = loaded("plain.ini");
    assert_int_equal(records.count, 1);
    store_dispose(&records);
    assert_int_equal(chdir(before), 0);
    free(before);
}

static bool has_identical(const struct records *records, const struct record *record)
{
    for (size_t i = 0; i < records->count; i++)
        if (is_identical(&records->at[i], record))
            return true;
    return false;
}

/* Another of these fields is another record; any other change replaces. */
static void test_same_key_replaces(void **state)
{
    char path[PATH_CHARS];
    struct record kept[11], replacing[6];

    path_in(path, state, record_file);
    for (int i = 0; i < 11; i++)
        kept[i] = example_record;
    kept[1].problem.op = op_of(MAX);
    kept[2].problem.type = kept[2].problem.acc = U32;
    kept[3].problem.acc = I64;
    kept[4].problem.dims.depth.n++;
    kept[5].problem.regime = WARM;
    strcpy(kept[6].space, "rows");
    strcpy(kept[7].gpu, "NVIDIA H200 NVL");
    kept[8].sms--;
    kept[9].memory_clock_khz++;
    kept[10].cc++;
    for (int i = 0; i < 11; i++)
        save(path, &kept[i]);

    for (int i = 0; i < 6; i++)
        replacing[i] = example_record;
    strcpy(replacing[0].driver, "590");
    strcpy(replacing[1].compiler, "NVRTC 13.1");
    replacing[2].code++;
    replacing[3].method++;
    strcpy(replacing[4].params, "BLOCK=512");
    replacing[5].median_ps++;
    for (int i = 0; i < 6; i++) {
        save(path, &replacing[i]);
        struct records records = loaded(path);
        assert_int_equal(records.count, 11);
        assert_int_equal(records.skipped, 0);
        assert_true(has_identical(&records, &replacing[i]));
        for (int k = 1; k < 11; k++)
            assert_true(has_identical(&records, &kept[k]));
        store_dispose(&records);
    }
}

/* The bytes of a file depend on its records, not on which was saved first. */
static void test_order_of_saving_changes_nothing(void **state)
{
    enum { KEPT = 8 };
    char path[PATH_CHARS];
    struct record kept[KEPT];
    struct text first = {0};
    struct error error;

    for (int i = 0; i < KEPT; i++)
        kept[i] = example_record;
    kept[1].problem.op = op_of(MAX);
    kept[2].problem.type = kept[2].problem.acc = U32;
    kept[3].problem.regime = WARM;
    kept[4].problem.dims = dims_run(7, DIMS_INCLUSIVE);
    strcpy(kept[5].params, "BLOCK=512");
    kept[5].problem.dims.depth.n++;
    strcpy(kept[6].gpu, "NVIDIA-H200");
    kept[7].sms--;
    for (int step = 1; step < KEPT; step += 2) { /* each is prime to their number */
        struct text bytes = {0};
        path_in(path, state, record_file);
        unlink(path);
        for (int i = 0; i < KEPT; i++)
            save(path, &kept[i * step % KEPT]);
        assert_int_equal(text_read(&bytes, path, 1 << 20, &error), 0);
        if (step == 1)
            text_add(&first, bytes.at, bytes.length);
        assert_string_equal(bytes.at, first.at);
        text_dispose(&bytes);
    }
    text_dispose(&first);
}

/* A name that has to be cleaned finds its own record again. */
static void test_cleaned_name_replaces(void **state)
{
    char path[PATH_CHARS];
    struct record record = example_record;

    strcpy(record.gpu, "Evil ;GPU/\n[x]");
    save(path_in(path, state, record_file), &record);
    save(path, &record);
    struct records records = loaded(path);
    assert_int_equal(records.count, 1);
    assert_int_equal(records.skipped, 0);
    store_dispose(&records);
}

/* Two records of one key, as only a file put together by hand has them: the new one stays. */
static void test_doubled_key_becomes_one(void **state)
{
    char path[PATH_CHARS];
    struct record old = record_of(1000, 1), new = record_of(1000, 3);
    struct record other = record_of(2000, 2);
    struct records three = {0};
    struct text file = {0};
    struct error error;

    text_adds(&file, "[autotune]\nschema = 2\n");
    assert_int_equal(store_add(&three, &old, &error), 0);
    assert_int_equal(store_add(&three, &other, &error), 0);
    assert_int_equal(store_add(&three, &old, &error), 0);
    config_emit(&file, three.configs.at, 1);
    for (unsigned i = 0; i < 3; i++)
        record_emit(&file, &three.at[i], &three.configs, i + 1);
    store_dispose(&three);
    put_file(path_in(path, state, record_file), file.at, file.length);
    save(path, &new);
    struct records records = loaded(path);
    assert_int_equal(records.count, 2);
    assert_true(is_identical(&records.at[0], &new));
    assert_true(is_identical(&records.at[1], &other));
    store_dispose(&records);
    text_dispose(&file);
}

/* --- Configs and sweeps ----------------------------------------------------------------- */

static const char january[] = "2026-01-01T00:00:00Z", february[] = "2026-02-01T00:00:00Z";

/* Appends a size of a sweep, whose winner takes 1,000,000, and what others take there. */
static void add_size(struct records *records, uint64_t n, const char *winner, const char *swept,
                     const char *other, uint64_t ps)
{
    struct record size = record_of(n, 1000000), raced = size;
    struct raced took = {.ps = ps, .high_ps = ps + 1000};
    struct config config;
    struct error error;
    strcpy(size.params, winner);
    strcpy(size.swept, swept);
    size.loss_ppm = 100000;
    assert_int_equal(store_add(records, &size, &error), 0);
    if (!other)
        return;
    strcpy(raced.params, other);
    config = store_config(&raced);
    assert_int_equal(configs_add(&took.config, &records->configs, &config, &error), 0);
    records->at[records->count - 1].raced[0] = took;
    records->at[records->count - 1].raced_count = 1;
}

static void save_records(const char *path, struct records *records)
{
    struct error error = {0};
    if (store_save(path, records, NULL, &error) != 0)
        fail_msg("%s", error.text);
    store_dispose(records);
}

static uint64_t took_at(const struct records *records, uint64_t n, const char *params)
{
    const struct record *size = find_n(records, n);
    for (size_t i = 0; i < size->raced_count; i++) {
        const struct raced *raced = &size->raced[i];
        if (strcmp(configs_find(&records->configs, raced->config)->params, params) == 0)
            return raced->ps;
    }
    return 0;
}

/* Each config stands in the file once, by its params; one that no record names any more goes. */
static void test_configs_of_a_file(void **state)
{
    char path[PATH_CHARS];
    struct records records = {0};

    add_size(&records, 1000, "B=1", january, "A=1", 1050000);
    add_size(&records, 2000, "A=1", january, "C=1", 1200000);
    save_records(path_in(path, state, record_file), &records);
    struct text file = get_file(path);
    assert_non_null(strstr(file.at, "[config 1]\nparams = A=1\n"));
    assert_non_null(strstr(file.at, "[config 2]\nparams = B=1\n"));
    assert_non_null(strstr(file.at, "[config 3]\nparams = C=1\n"));
    assert_non_null(strstr(file.at, "\nraced = 1:1050000:1051000\n"));
    text_dispose(&file);

    add_size(&records, 2000, "B=1", february, NULL, 0);
    save_records(path, &records);
    records = loaded(path);
    assert_int_equal(records.skipped, 0);
    assert_int_equal(records.configs.count, 2);
    assert_int_equal(took_at(&records, 1000, "A=1"), 1050000);
    assert_string_equal(find_n(&records, 2000)->params, "B=1");
    store_dispose(&records);
}

/* A size that is tuned again by itself stays a size of its sweep, with what it took before as one
 * of those raced; made with other tools it is not compared with them any more. */
static void test_size_stays_in_its_sweep(void **state)
{
    char path[PATH_CHARS];
    struct records records = {0};
    struct record again = record_of(2000, 900000);

    add_size(&records, 1000, "B=1", january, "A=1", 1050000);
    add_size(&records, 2000, "B=1", january, "A=1", 1060000);
    save_records(path_in(path, state, record_file), &records);
    strcpy(again.params, "C=1");
    save(path, &again);
    records = loaded(path);
    const struct record *size = find_n(&records, 2000);
    assert_string_equal(size->params, "C=1");
    assert_string_equal(size->swept, january);
    assert_int_equal(size->loss_ppm, 100000);
    assert_int_equal(took_at(&records, 2000, "A=1"), 1060000);
    assert_int_equal(took_at(&records, 2000, "B=1"), 1000000);
    store_dispose(&records);

    strcpy(again.driver, "590");
    save(path, &again);
    records = loaded(path);
    assert_string_equal(find_n(&records, 2000)->swept, "");
    assert_int_equal(find_n(&records, 2000)->raced_count, 0);
    assert_string_equal(find_n(&records, 1000)->swept, january);
    store_dispose(&records);
}

/* A newer sweep says of its sizes all that there is to say. */
static void test_sweep_replaces_sizes(void **state)
{
    char path[PATH_CHARS];
    struct records records = {0};

    add_size(&records, 1000, "B=1", january, "A=1", 1050000);
    add_size(&records, 2000, "B=1", january, "A=1", 1060000);
    save_records(path_in(path, state, record_file), &records);
    add_size(&records, 2000, "A=1", february, "C=1", 1090000);
    save_records(path, &records);
    records = loaded(path);
    assert_int_equal(records.count, 2);
    assert_int_equal(took_at(&records, 2000, "B=1"), 0);
    assert_int_equal(took_at(&records, 2000, "C=1"), 1090000);
    assert_int_equal(records.interval_count, 1); /* A serves both */
    assert_string_equal(records.intervals[0].record.params, "A=1");
    store_dispose(&records);
}

/* One that cannot be read back keeps all from being written. */
static void test_all_or_none(void **state)
{
    char path[PATH_CHARS];
    struct records both = {0};
    struct error error = {0};

    path_in(path, state, record_file);
    add_size(&both, 1, "A=1", january, NULL, 0);
    add_size(&both, 2, "A=1", january, NULL, 0);
    both.at[1].median_ps = 0;
    assert_int_equal(store_save(path, &both, NULL, &error), -1);
    assert_false(exists(path, ""));
    store_dispose(&both);
}

static void test_unreadable_record_is_not_written(void **state)
{
    char path[PATH_CHARS];
    struct error error = {0};
    struct record record = example_record;

    path_in(path, state, record_file);
    record.median_ps = 0;
    assert_int_equal(save_record(path, &record, &error), -1);
    assert_non_null(strstr(error.text, "median_ps"));
    record = example_record;
    strcpy(record.params, "BLOCK=256\n[record 9]");
    assert_int_equal(save_record(path, &record, &error), -1);
    assert_non_null(strstr(error.text, "params"));
    assert_false(exists(path, ""));
}

/* --- Damage ----------------------------------------------------------------------------- */

enum { SAMPLES = 3 };

/* Two sizes of a sweep, which name three configs, and one of none. */
static struct text sample_file(void **state, struct record samples[SAMPLES])
{
    char path[PATH_CHARS];
    struct records records = {0};
    path_in(path, state, "sample.ini");
    add_size(&records, 1000, "A=1", january, "B=1", 1060000);
    add_size(&records, 1001, "B=1", january, "C=1", 1070000);
    add_size(&records, 1002, example_record.params, "", NULL, 0);
    records.at[2].loss_ppm = 0;
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i] = records.at[i];
    save_records(path, &records);
    return get_file(path);
}

/* With what it was raced with. */
static bool is_sample(const struct records *records, const struct record *record,
                      const struct record *sample)
{
    static const char *const raced[] = {"B=1", "C=1"};
    const uint64_t i = dims_n(&sample->problem.dims) - 1000;
    return is_identical(record, sample) && record->raced_count == sample->raced_count &&
           (!record->raced_count ||
            took_at(records, dims_n(&record->problem.dims), raced[i]) == 1060000 + 10000 * i);
}

/* Returns how many records were read; each must be one of the samples, and none twice. A file that
 * has lost one says so. */
static size_t assert_identical_or_missing(const char *bytes, size_t length,
                                          const struct record samples[SAMPLES])
{
    struct records records;
    struct error error;
    unsigned seen = 0;

    assert_int_equal(store_load_bytes(&records, "damaged.ini", bytes, length, &error), 0);
    for (size_t i = 0; i < records.count; i++) {
        size_t s = 0;
        while (s < SAMPLES && !is_sample(&records, &records.at[i], &samples[s]))
            s++;
        assert_true(s < SAMPLES);
        assert_false(seen & 1u << s);
        seen |= 1u << s;
    }
    size_t count = records.count;
    if (count < SAMPLES)
        assert_true(records.skipped && records.reason.code != ERROR_NONE);
    store_dispose(&records);
    return count;
}

static void test_every_byte_flipped(void **state)
{
    struct record samples[SAMPLES];
    struct text file = sample_file(state, samples);
    size_t some = 0, all = 0;

    assert_int_equal(assert_identical_or_missing(file.at, file.length, samples), SAMPLES);
    for (size_t i = 0; i < file.length; i++) {
        char kept = file.at[i];
        for (int bit = 0; bit <= 8; bit++) {
            file.at[i] = (char)(kept ^ (bit < 8 ? 1 << bit : 0xff));
            size_t count = assert_identical_or_missing(file.at, file.length, samples);
            some += count > 0 && count < SAMPLES;
            all += count == SAMPLES;
        }
        file.at[i] = kept;
    }
    assert_true(some > file.length); /* a damaged record leaves the others */
    assert_true(all > 0);            /* a changed comment harms nothing */
    text_dispose(&file);
}

static void test_every_length_cut(void **state)
{
    struct record samples[SAMPLES];
    struct text file = sample_file(state, samples);

    for (size_t length = 0; length < file.length; length++) {
        char *exact = malloc(length + 1); /* the sanitizer sees a byte read past the end */
        assert_non_null(exact);
        memcpy(exact, file.at, length);
        char *cut = realloc(exact, length ? length : 1);
        assert_true(assert_identical_or_missing(cut, length, samples) < SAMPLES);
        free(cut);
    }
    text_dispose(&file);
}

static void test_every_line_dropped_or_doubled(void **state)
{
    struct record samples[SAMPLES];
    struct text file = sample_file(state, samples);

    for (size_t start = 0, end; start < file.length; start = end) {
        struct text dropped = {0}, doubled = {0};
        end = (size_t)(strchr(file.at + start, '\n') - file.at) + 1;
        text_add(&dropped, file.at, start);
        text_add(&dropped, file.at + end, file.length - end);
        text_add(&doubled, file.at, end);
        text_add(&doubled, file.at + start, file.length - start);
        assert_identical_or_missing(dropped.at, dropped.length, samples);
        assert_identical_or_missing(doubled.at, doubled.length, samples);
        text_dispose(&dropped);
        text_dispose(&doubled);
    }
    text_dispose(&file);
}

static void test_damaged_file_is_kept_beside(void **state)
{
    char path[PATH_CHARS], kept_path[PATH_CHARS];
    struct record samples[SAMPLES];
    struct text file = sample_file(state, samples);

    *strstr(file.at, "sms = 132") = 'S';
    put_file(path_in(path, state, "damaged.ini"), file.at, file.length);
    struct records records = loaded(path);
    assert_int_equal(records.count, SAMPLES - 1);
    assert_int_equal(records.skipped, 1);
    assert_non_null(strstr(records.reason.text, "damaged.ini:"));
    store_dispose(&records);

    save(path, &example_record);
    records = loaded(path);
    assert_int_equal(records.count, SAMPLES);
    assert_int_equal(records.skipped, 0);
    store_dispose(&records);
    struct text kept = get_file(path_in(kept_path, state, "damaged.ini.damaged"));
    assert_string_equal(kept.at, file.at);
    text_dispose(&kept);

    /* And again: neither backup is lost, and each is said. */
    for (int number = 2; number < 4; number++) {
        char name[PATH_CHARS], text[32];
        struct records one = {0};
        struct error error, moved;
        snprintf(text, sizeof text, "no record file %d\n", number);
        put_file(path, text, strlen(text));
        assert_int_equal(store_add(&one, &example_record, &error), 0);
        assert_int_equal(store_save(path, &one, &moved, &error), 0);
        store_dispose(&one);
        snprintf(name, sizeof name, "%.200s-%d", kept_path, number);
        kept = get_file(name);
        assert_string_equal(kept.at, text);
        text_dispose(&kept);
        assert_int_equal(moved.code, ERROR_IO);
        assert_non_null(strstr(moved.text, name));
        assert_ptr_equal(strstr(moved.text, path), moved.text);
    }
    kept = get_file(kept_path);
    assert_string_equal(kept.at, file.at);
    text_dispose(&kept);
    text_dispose(&file);
}

/* Somebody whose disk damages each file is told, before a thousand and one are kept. */
static void test_kept_files_are_not_endless(void **state)
{
    enum { KEPT = 1001 };
    char path[PATH_CHARS], name[PATH_CHARS];
    struct records one = {0};
    struct error error, moved;
    put_file(path_in(path, state, "often.ini"), "none\n", 5);
    for (int number = 1; number <= KEPT; number++) {
        snprintf(name, sizeof name, number == 1 ? "%.200s.damaged" : "%.200s.damaged-%d", path,
                 number);
        put_file(name, "old\n", 4);
    }
    assert_int_equal(store_add(&one, &example_record, &error), 0);
    assert_int_equal(store_save(path, &one, &moved, &error), -1);
    assert_non_null(strstr(error.text, "is one of 1000 files that were kept"));
    store_dispose(&one);
    struct text still = get_file(path);
    assert_string_equal(still.at, "none\n");
    text_dispose(&still);
}

/* Cut between two records, or with fields in the first section: nothing else is wrong. */
static void test_missing_sections_are_noticed(void **state)
{
    char path[PATH_CHARS], kept_path[PATH_CHARS];
    struct record samples[SAMPLES];
    struct text file = sample_file(state, samples), more = {0};
    struct error error;

    strstr(file.at, "\n[record 3]")[0] = '\0';
    put_file(path_in(path, state, "cut.ini"), file.at, strlen(file.at));
    struct records records = loaded(path);
    assert_int_equal(records.count, 2);
    assert_int_equal(records.skipped, 1);
    assert_non_null(strstr(records.reason.text, "cut.ini:4: it had 3 records and has 2"));
    store_dispose(&records);
    save(path, &example_record);
    struct text kept = get_file(path_in(kept_path, state, "cut.ini.damaged"));
    assert_string_equal(kept.at, file.at);
    text_dispose(&kept);

    text_adds(&more, "[autotune]\nschema = 2\nop = sum\n");
    assert_int_equal(store_load_bytes(&records, "f", more.at, more.length, &error), 0);
    assert_int_equal(records.skipped, 1);
    assert_non_null(strstr(records.reason.text, "f:3: op: "));
    store_dispose(&records);
    text_dispose(&more);
    text_dispose(&file);
}

static void test_newer_schema_is_left_alone(void **state)
{
    static const char file[] = "[autotune]\nschema = 3\n\n[record 1]\nnew = form\n";
    char path[PATH_CHARS];

    put_file(path_in(path, state, record_file), file, sizeof file - 1);
    assert_refused(path, "schema 3");
    assert_not_saved(path, "another version");
    struct text left = get_file(path);
    assert_string_equal(left.at, file);
    text_dispose(&left);
}

/* Records of before are strangers: named once, and kept where the first new one is written. */
static void test_older_schema_is_kept_beside(void **state)
{
    static const char file[] = "[autotune]\nschema = 1\n\n[record 1]\nop = sum\n";
    char path[PATH_CHARS], kept_path[PATH_CHARS];

    put_file(path_in(path, state, record_file), file, sizeof file - 1);
    assert_refused(path, "earlier version of autotune (schema 1");
    save(path, &example_record);
    struct records records = loaded(path);
    assert_int_equal(records.count, 1);
    assert_int_equal(records.skipped, 0);
    store_dispose(&records);
    struct text kept = get_file(path_in(kept_path, state, "nvidia-h200.ini.schema-1"));
    assert_string_equal(kept.at, file);
    text_dispose(&kept);
    assert_false(exists(path, ".damaged"));
}

static void test_what_is_no_record_file(void **state)
{
    /* clang-format off */
    static const char *const files[] = {
        "", "\n", "; nothing\n", "[autotune]\nschema = 0\n", "[autotune]\nschema = one\n",
        "[autotune]\nschema = -1\n", "[autotune]\nschema = 18446744073709551617\n",
        "[record 1]\nop = sum\n", "schema = 2\n", "[autotune\nschema = 2\n", "\177ELF",
    };
    /* clang-format on */
    char path[PATH_CHARS];

    path_in(path, state, record_file);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put_file(path, files[i], strlen(files[i]));
        assert_refused(path, "");
    }
}

static void test_other_sections_are_named(void **state)
{
    static const char *const names[] = {"record",     "record x",  "record 1x",
                                        "recorder 1", "record 0",  "config",
                                        "config -1",  "configs 1", "x"};
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct records records;
        struct error error;
        char file[100];
        int length =
            snprintf(file, sizeof file, "[autotune]\nschema = 2\n[%s]\na = b\n", names[i]);
        assert_int_equal(store_load_bytes(&records, "f", file, (size_t)length, &error), 0);
        assert_int_equal(records.count, 0);
        assert_int_equal(records.skipped, 1);
        assert_non_null(strstr(records.reason.text, "f:4: "));
        store_dispose(&records);
    }
}

static void test_many_sections_take_no_longer(void **state)
{
    enum { SECTIONS = 100000 };
    struct text file = {0};
    struct records records;
    struct error error;
    clock_t start;
    (void)state;

    text_adds(&file, "[autotune]\nschema = 2\n");
    for (int i = 0; i < SECTIONS; i++)
        text_addf(&file, "[record %d]\nop = sum\n", i);
    start = clock();
    assert_int_equal(store_load_bytes(&records, "f", file.at, file.length, &error), 0);
    assert_int_equal(records.skipped, SECTIONS);
    assert_true((clock() - start) / CLOCKS_PER_SEC < 10); /* quadratic would take minutes */
    store_dispose(&records);
    text_dispose(&file);
}

static void test_nul_bytes(void **state)
{
    char path[PATH_CHARS];
    struct record samples[SAMPLES];
    struct text file = sample_file(state, samples);

    *strstr(file.at, "sms") = '\0';
    put_file(path_in(path, state, record_file), file.at, file.length);
    assert_refused(path, "NUL");
    text_dispose(&file);
}

/* --- A folder ----------------------------------------------------------------------------- */

struct taken {
    char files[4][PATH_CHARS];
    size_t count, records, fails_at; /* from 1; 0: none */
};

static int take(void *context, const char *path, const struct records *records,
                struct error *error)
{
    struct taken *taken = context;
    snprintf(taken->files[taken->count], PATH_CHARS, "%s", path);
    taken->records += records->count;
    if (++taken->count == taken->fails_at)
        return error_set(error, ERROR_FAILED, "enough");
    return 0;
}

/* Each file of records is taken once, by its name; others, and the one that is left out, are not. */
static void test_each_of_a_folder(void **state)
{
    char a[PATH_CHARS], b[PATH_CHARS], c[PATH_CHARS], other[PATH_CHARS];
    struct taken taken = {.count = 0};
    struct error error = {0};
    assert_int_equal(save_record(path_in(c, state, "c.ini"), &example_record, &error), 0);
    assert_int_equal(save_record(path_in(a, state, "a.ini"), &example_record, &error), 0);
    assert_int_equal(save_record(path_in(b, state, "b.ini"), &example_record, &error), 0);
    put_file(path_in(other, state, "a.ini.1-old"), "x", 1);
    put_file(path_in(other, state, ".hidden.ini"), "x", 1);
    assert_int_equal(store_load_each(*state, NULL, take, &taken, &error), 0);
    assert_int_equal(taken.count, 3);
    assert_int_equal(taken.records, 3);
    assert_string_equal(taken.files[0], a);
    assert_string_equal(taken.files[1], b);
    assert_string_equal(taken.files[2], c);
    taken = (struct taken){.count = 0};
    assert_int_equal(store_load_each(*state, b, take, &taken, &error), 0);
    assert_int_equal(taken.count, 2);
    assert_string_equal(taken.files[1], c);
    taken = (struct taken){.fails_at = 1};
    assert_int_equal(store_load_each(*state, NULL, take, &taken, &error), -1);
    assert_int_equal(taken.count, 1);
    assert_string_equal(error.text, "enough");
}

/* No folder is an empty one; what is none, or cannot be read, is named. */
static void test_folder_that_is_none(void **state)
{
    char path[PATH_CHARS];
    struct taken taken = {.count = 0};
    struct error error = {0};
    assert_int_equal(store_load_each(path_in(path, state, "none"), NULL, take, &taken, &error),
                     0);
    put_file(path_in(path, state, "file"), "x", 1);
    assert_int_equal(store_load_each(path, NULL, take, &taken, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(taken.count, 0);
}

/* What was set aside is counted, and the first of it is named. */
static void test_kept_beside_are_counted(void **state)
{
    static const char *const names[] = {"b.ini.damaged-2", "a.ini.schema-1", "a.ini",
                                        ".a.ini.schema-1", "c.ini.schema-1"};
    char path[PATH_CHARS];
    struct text name = {0};
    assert_int_equal(store_count_kept(&name, *state), 0);
    assert_int_equal(name.length, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_file(path_in(path, state, names[i]), "x", 1);
    assert_int_equal(store_count_kept(&name, *state), 3);
    assert_string_equal(name.at, "a.ini.schema-1");
    text_dispose(&name);
    assert_int_equal(store_count_kept(&name, path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_folder),
        IN_FOLDER(test_missing_is_empty),
        IN_FOLDER(test_save_and_load),
        IN_FOLDER(test_save_into_current_folder),
        IN_FOLDER(test_same_key_replaces),
        IN_FOLDER(test_order_of_saving_changes_nothing),
        IN_FOLDER(test_cleaned_name_replaces),
        IN_FOLDER(test_doubled_key_becomes_one),
        IN_FOLDER(test_unreadable_record_is_not_written),
        IN_FOLDER(test_configs_of_a_file),
        IN_FOLDER(test_size_stays_in_its_sweep),
        IN_FOLDER(test_sweep_replaces_sizes),
        IN_FOLDER(test_all_or_none),
        IN_FOLDER(test_every_byte_flipped),
        IN_FOLDER(test_every_length_cut),
        IN_FOLDER(test_every_line_dropped_or_doubled),
        IN_FOLDER(test_damaged_file_is_kept_beside),
        IN_FOLDER(test_kept_files_are_not_endless),
        IN_FOLDER(test_missing_sections_are_noticed),
        IN_FOLDER(test_newer_schema_is_left_alone),
        IN_FOLDER(test_older_schema_is_kept_beside),
        IN_FOLDER(test_what_is_no_record_file),
        cmocka_unit_test(test_other_sections_are_named),
        cmocka_unit_test(test_many_sections_take_no_longer),
        IN_FOLDER(test_nul_bytes),
        IN_FOLDER(test_each_of_a_folder),
        IN_FOLDER(test_folder_that_is_none),
        IN_FOLDER(test_kept_beside_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
