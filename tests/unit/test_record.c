/* record: what is written reads back the same; what is wrong in any field is refused with the
 * file, the line and the field; whatever a caller hands over, the text is a strict INI. */
#include "cache/store.h"

#include "tests/unit/example_record.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

/* The fields of a config, with its checksum, then those of a record. */
/* clang-format off */
static const char *const field_names[] = {
    "params", "code", "checksum",
    "op", "type", "acc", "depth", "regime", "space", "method", "gpu",
    "cc", "sms", "memory_clock_khz", "bus_bits", "driver", "compiler", "source", "config",
    "space_hash",
    "median_ps", "low_ps", "high_ps", "ties", "registers", "candidates", "error", "tuned",
    "checksum",
};
/* clang-format on */
enum { FIELDS = sizeof field_names / sizeof *field_names, CONFIG_FIELDS = 3 };

/* A record of one config, and what it was raced with. */
static char *emitted_with(const struct record *record, const struct raced *raced, size_t count)
{
    struct error error;
    struct records one = {0};
    struct text text = {0};
    assert_int_equal(store_add(&one, record, &error), 0);
    one.at->raced_count = count;
    for (size_t i = 0; i < count; i++)
        one.at->raced[i] = raced[i];
    config_emit(&text, one.configs.at, 1);
    record_emit(&text, one.at, &one.configs, 1);
    assert_false(text.failed);
    store_dispose(&one);
    return text.at;
}

static char *emitted(const struct record *record)
{
    return emitted_with(record, NULL, 0);
}

/* Reads the text as a file of a config and a record; -1 when it or one of them is refused. */
static int parsed(struct record *out, const char *text, struct error *error)
{
    struct configs configs = {0};
    struct config config;
    struct ini ini;
    if (ini_load(&ini, "file.ini", text, strlen(text), error) != 0)
        return -1;
    int result = config_parse(&config, &ini, "config 1", error);
    if (result == 0)
        result = configs_put(&configs, 1, 1, &config, error) ||
                 record_parse(out, &configs, &ini, "record 1", error);
    ini_dispose(&ini);
    configs_dispose(&configs);
    return result ? -1 : 0;
}

/* The text with the lines of `key` replaced by `line` (dropped when NULL). With `sign`, the
 * checksums are made right again, as somebody would who writes a hostile file on purpose. */
static char *with_line(const char *text, const char *key, const char *line, bool sign)
{
    struct text out = {0}, of = {0};
    size_t key_length = strlen(key);
    char config[40] = "";

    for (const char *at = text; *at;) {
        size_t length = (size_t)(strchr(at, '\n') - at) + 1, before = out.length;
        bool is_key = strncmp(at, key, key_length) == 0 && at[key_length] == ' ';
        if (sign && strncmp(at, "checksum", 8) == 0) {
            text_adds(&of, config);
            snprintf(config, sizeof config, "%016llx\n",
                     (unsigned long long)XXH3_64bits(of.at, of.length));
            text_addf(&out, "checksum = %s", config);
            snprintf(config, sizeof config, "%.17s", out.at + out.length - 17);
        } else if (!is_key) {
            text_add(&out, at, length);
        } else if (line) {
            text_addf(&out, "%s\n", line);
        }
        if (*at == '[')
            text_clear(&of);
        else
            text_adds(&of, out.at + before);
        at += length;
    }
    text_dispose(&of);
    assert_false(out.failed);
    return out.at;
}

static void assert_same(const struct record *a, const struct record *b)
{
    char *text_a = emitted(a), *text_b = emitted(b);
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
}

static void assert_reads_back(const struct record *record)
{
    struct error error = {0};
    struct record back;
    char *text = emitted(record);

    if (parsed(&back, text, &error) != 0)
        fail_msg("%s\n%s", error.text, text);
    assert_same(record, &back);
    assert_null(record_key_difference(record, &back));
    free(text);
}

static void test_round_trip(void **state)
{
    struct error error = {0};
    struct record back;
    char *text = emitted(&example_record);
    (void)state;

    assert_int_equal(parsed(&back, text, &error), 0);
    assert_ptr_equal(back.problem.op, op_of(SUM));
    assert_int_equal(dims_n(&back.problem.dims), 400000000);
    assert_true(back.code == 0x0123456789abcdef);
    assert_true(back.space_hash == 0xfedcba9876543210);
    assert_string_equal(back.gpu, "NVIDIA H200");
    assert_string_equal(back.driver, "580.159.04 (CUDA 13.0)");
    assert_string_equal(back.params, "BLOCK=256 ITEMS=16 WARP=SHUFFLE GRID=0 SHIFT=-1");
    assert_int_equal(back.median_ps, 343370000);
    assert_int_equal(back.ties, 2);
    assert_string_equal(back.error, "3.1e-08");
    assert_string_equal(back.tuned, "2026-11-21T01:25:00Z");
    assert_same(&example_record, &back);
    free(text);
}

static void test_form(void **state)
{
    char *text = emitted(&example_record);
    const char *at = text;
    (void)state;

    assert_memory_equal(at, "[config 1]\nparams = BLOCK=256 ITEMS=16 ", 39);
    assert_non_null(
        strstr(at, "\n[record 1]\nop = sum\ntype = i32\nacc = i32\ndepth = 400000000\n"));
    for (int i = 0; i < FIELDS; i++) {
        at = strchr(at, '\n') + 1;
        if (i == CONFIG_FIELDS)
            at = strchr(at, '\n') + 1; /* the header */
        assert_memory_equal(at, field_names[i], strlen(field_names[i]));
        assert_memory_equal(at + strlen(field_names[i]), " = ", 3);
    }
    assert_string_equal(strchr(at, '\n'), "\n");
    assert_non_null(strstr(text, "\ncode = 0123456789abcdef\n"));
    assert_non_null(strstr(text, "\nregime = cold\n"));
    assert_non_null(strstr(text, "\nsource = measured\n"));
    free(text);
}

static void test_extremes(void **state)
{
    struct record record = example_record;
    (void)state;

    record.problem = (struct problem){.op = op_of(XOR),
                                      .type = U64,
                                      .acc = U64,
                                      .dims = DIMS_VALUE(UINT64_C(1) << 62),
                                      .regime = WARM};
    record.code = 0;
    record.space_hash = UINT64_MAX;
    memset(record.gpu, 'G', sizeof record.gpu - 1);
    memset(record.driver, 'd', sizeof record.driver - 1);
    memset(record.compiler, 'c', sizeof record.compiler - 1);
    memset(record.space, 's', sizeof record.space - 1);
    for (size_t i = 0; i < sizeof record.params - 1; i++) /* more than a line */
        record.params[i] = i % 100 == 99 ? ' ' : i % 100 == 1 ? '=' : 'Z';
    record.low_ps = 1;
    record.high_ps = UINT64_C(1000000000000000000);
    record.error[0] = '\0';
    assert_reads_back(&record);

    record.params[0] = '\0';
    record.problem.dims = dims_value(1);
    record.source = RECORD_PUBLISHED;
    assert_reads_back(&record);

    record.source = RECORD_EMULATED;
    record.cc = record.sms = record.memory_clock_khz = record.bus_bits = 0;
    assert_reads_back(&record);
}

static void test_hostile_names_are_cleaned(void **state)
{
    static const struct {
        const char *given, *kept;
    } cases[] = {
        {"NVIDIA ;Evil", "NVIDIA _Evil"},
        {"two\nop = min", "two_op _ min"},
        {"cr\r\ttab", "cr__tab"},
        {"../../etc/passwd", ".._.._etc_passwd"},
        {"a */ int x; /*", "a __ int x_ __"},
        {"\" \\ $(reboot) `x` %n", "_ _ _(reboot) _x_ _n"},
        {"  spaces  ", "spaces"},
        {"caf\xc3\xa9", "caf__"},
        {"x\x7f\x01\x80\xff", "x____"},
        {"[record 2]", "_record 2_"},
        {"a:b=c", "a:b_c"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record = example_record, back;
        struct error error = {0};
        strcpy(record.gpu, cases[i].given);
        strcpy(record.driver, "d;");
        char *text = emitted(&record);
        assert_int_equal(parsed(&back, text, &error), 0);
        assert_string_equal(back.gpu, cases[i].kept);
        assert_string_equal(back.driver, "d_");
        assert_null(record_key_difference(&record, &back));
        free(text);
    }
}

static void test_whatever_is_given_the_text_is_strict(void **state)
{
    uint64_t random = 1;
    (void)state;

    for (int round = 0; round < 2000; round++) {
        struct record record = example_record;
        char *const texts[] = {record.gpu,    record.driver, record.compiler, record.space,
                               record.params, record.error,  record.tuned};
        const size_t sizes[] = {sizeof record.gpu,      sizeof record.driver,
                                sizeof record.compiler, sizeof record.space,
                                sizeof record.params,   sizeof record.error,
                                sizeof record.tuned};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            for (size_t i = 0; i < sizes[t]; i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                texts[t][i] = (char)(random >> 56);
            }
        }
        struct error error = {0};
        struct ini ini;
        char *text = emitted(&record);
        if (ini_load(&ini, "file.ini", text, strlen(text), &error) != 0)
            fail_msg("%s\n%s", error.text, text);
        for (size_t i = 0; i < ini.count; i++)
            assert_string_equal(ini.items[i].section,
                                i < CONFIG_FIELDS ? "config 1" : "record 1");
        assert_int_equal(ini.count, FIELDS);
        ini_dispose(&ini);
        free(text);
    }
}

/* Each value with a right checksum: the value itself must be what is refused. */
static void test_wrong_values_are_refused(void **state)
{
    static const struct {
        const char *key, *line;
    } cases[] = {
        {"op", "op = avg"},
        {"op", "op = Sum"},
        {"op", "op ="},
        {"type", "type = i31"},
        {"acc", "acc = f32"},
        {"depth", "depth = 0"},
        {"depth", "depth = -1"},
        {"depth", "depth = 18446744073709551616"},
        {"depth", "depth = 4611686018427387905"},
        {"depth", "depth = 400M"},
        {"depth", "depth = 0x10"},
        {"depth", "depth = 4e8"},
        {"depth", "depth ="},
        {"regime", "regime = hot"},
        {"space", "space = ../reduce"},
        {"space", "space ="},
        {"space", "space = a b"},
        {"code", "code = 123"},
        {"code", "code = 0123456789ABCDEF"},
        {"code", "code = 0123456789abcdef0"},
        {"code", "code = -123456789abcdef"},
        {"method", "method = 0"},
        {"gpu", "gpu ="},
        {"gpu", "gpu = ../../etc/passwd"},
        {"gpu", "gpu = a */ asm(\"trap\"); /*"},
        {"gpu", "gpu = caf\xc3\xa9"},
        {"cc", "cc = 0"},
        {"cc", "cc = -90"},
        {"cc", "cc = 1000"},
        {"cc", "cc = 4294967386"},
        {"sms", "sms = 0"},
        {"sms", "sms = -1"},
        {"memory_clock_khz", "memory_clock_khz = -1"},
        {"bus_bits", "bus_bits = 99999999"},
        {"driver", "driver = 580'"},
        {"compiler", "compiler = `nvcc`"},
        {"source", "source = guessed"},
        {"params", "params = block=256"},
        {"params", "params = BLOCK"},
        {"params", "params = BLOCK="},
        {"params", "params = =256"},
        {"params", "params = BLOCK=256  ITEMS=16"},
        {"params", "params = BLOCK=256,ITEMS=16"},
        {"params", "params = BLOCK=256=512"},
        {"params", "params = BLOCK=18446744073709551616"},
        {"params", "params = BLOCK=--1"},
        {"params", "params = BLOCK=1X"},
        {"params", "params = 1BLOCK=256"},
        {"params", "params = BLOCK=\"256\""},
        {"params", "params = BLOCK=system(1)"},
        {"params", "params = BLOCK=../x"},
        {"median_ps", "median_ps = 0"},
        {"median_ps", "median_ps = 1"},
        {"median_ps", "median_ps = 343500001"},
        {"median_ps", "median_ps = 18446744073709551616"},
        {"low_ps", "low_ps = 343370001"},
        {"high_ps", "high_ps = 343369999"},
        {"ties", "ties = -1"},
        {"registers", "registers = 4294967295"},
        {"candidates", "candidates = 1.5"},
        {"error", "error = 3,1e-08"},
        {"error", "error = nan"},
        {"error", "error = 1e"},
        {"error", "error = .5"},
        {"error", "error = 1."},
        {"tuned", "tuned ="},
        {"tuned", "tuned = 2026-13-21T01:25:00Z"},
        {"tuned", "tuned = 2026-11-21 01:25:00"},
        {"tuned", "tuned = 2026-11-21T24:25:00Z"},
        {"checksum", "checksum = 0"},
        {"checksum", "checksum = 000000000000000g"},
    };
    (void)state;

    char *text = emitted(&example_record);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        struct record record;
        char *wrong =
            with_line(text, cases[i].key, cases[i].line, strcmp(cases[i].key, "checksum") != 0);
        if (parsed(&record, wrong, &error) == 0)
            fail_msg("accepted: %s", cases[i].line);
        assert_non_null(strstr(error.text, "file.ini:"));
        free(wrong);
    }
    free(text);
}

static void test_errors_name_line_and_field(void **state)
{
    struct error error = {0};
    struct record record;
    char *text = emitted(&example_record);
    (void)state;

    char *wrong = with_line(text, "sms", "sms = many", true);
    assert_int_equal(parsed(&record, wrong, &error), -1);
    assert_memory_equal(error.text, "file.ini:15: sms: ", 18);
    free(wrong);

    wrong = with_line(text, "sms", "sms = 131", false);
    assert_int_equal(parsed(&record, wrong, &error), -1);
    assert_non_null(strstr(error.text, "checksum"));
    free(wrong);
    free(text);
}

/* The signer of with_line is right: a changed but good value with a new checksum is read. */
static void test_signed_change_is_read(void **state)
{
    struct error error = {0};
    struct record record;
    char *text = emitted(&example_record);
    char *changed = with_line(text, "sms", "sms = 131", true);
    (void)state;

    assert_int_equal(parsed(&record, changed, &error), 0);
    assert_int_equal(record.sms, 131);
    free(changed);
    free(text);
}

static void test_missing_unknown_and_double_fields(void **state)
{
    struct error error = {0};
    struct record record;
    struct ini ini;
    char *text = emitted(&example_record), *wrong;
    (void)state;

    for (int i = 0; i < FIELDS; i++) {
        wrong = with_line(text, field_names[i], NULL, strcmp(field_names[i], "checksum") != 0);
        assert_int_equal(parsed(&record, wrong, &error), -1);
        assert_non_null(strstr(error.text, field_names[i]));
        assert_non_null(strstr(error.text, "missing"));
        free(wrong);
    }
    wrong = with_line(text, "sms", "sms = 132\ncores = 1", true);
    assert_int_equal(parsed(&record, wrong, &error), -1);
    assert_non_null(strstr(error.text, "unknown field"));
    free(wrong);
    wrong = with_line(text, "sms", "sms = 132\nsms = 132", true);
    assert_int_equal(parsed(&record, wrong, &error), -1);
    assert_non_null(strstr(error.text, "key 'sms' appears again"));
    free(wrong);

    assert_int_equal(ini_load(&ini, "file.ini", text, strlen(text), &error), 0);
    struct configs none = {0};
    assert_int_equal(record_parse(&record, &none, &ini, "record 2", &error), -1);
    assert_int_equal(record_parse(&record, &none, &ini, "record 1", &error), -1);
    assert_non_null(strstr(error.text, "config: no config above"));
    ini_dispose(&ini);
    free(text);
}

/* The field stands only where the order is not free. */
static void test_order(void **state)
{
    struct record record = example_record, back;
    struct error error;
    (void)state;

    char *plain = emitted(&record);
    assert_null(strstr(plain, "order"));
    assert_int_equal(parsed(&back, plain, &error), 0);
    assert_false(back.problem.order == ORDER_RUN);

    record.problem.order = ORDER_BY_N;
    assert_reads_back(&record);
    record.problem.order = ORDER_RUN;
    char *text = emitted(&record);
    assert_non_null(strstr(text, "\nregime = cold\norder = run\nspace = "));
    assert_reads_back(&record);
    assert_string_equal(record_key_difference(&example_record, &record), "order");
    assert_string_equal(record_key_difference(&record, &example_record), "order");

    static const char *const wrong[] = {"free", "Run", "1", "yes", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[40];
        snprintf(line, sizeof line, "order = %s", wrong[i]);
        char *changed = with_line(text, "order", line, true);
        assert_int_equal(parsed(&back, changed, &error), -1);
        assert_non_null(strstr(error.text, "order"));
        free(changed);
    }
    char *dropped = with_line(text, "order", NULL, false); /* the checksum knows */
    assert_int_equal(parsed(&back, dropped, &error), -1);
    assert_non_null(strstr(error.text, "checksum"));
    free(dropped);
    free(text);
    free(plain);
}

/* A record says how its kernel was proven; one from before it did says nothing. */
static void test_proof(void **state)
{
    struct record record = example_record, back;
    struct error error;
    (void)state;
    *record.proof = '\0';
    char *plain = emitted(&record);
    assert_null(strstr(plain, "proof"));
    assert_int_equal(parsed(&back, plain, &error), 0);
    assert_string_equal(back.proof, "");
    free(plain);
    strcpy(record.proof, "laws, sums of words, text");
    assert_reads_back(&record);
    assert_null(record_key_difference(&example_record, &record));
    char *text = emitted(&record);
    assert_non_null(strstr(text, "\nproof = laws, sums of words, text\n"));
    char *changed = with_line(text, "proof", "proof = <b>", true);
    assert_int_equal(parsed(&back, changed, &error), -1);
    free(changed);
    free(text);
}

/* A size of a sweep says which, what it allows, and what others took there; a record of one n has
 * none of these fields, as before there were sweeps. */
static void test_swept(void **state)
{
    static const char *const names[] = {"swept", "loss_ppm", "raced"};
    static const struct raced raced[] = {{1, 350000000, 351000000}, {1, 1, 1}};
    struct record record = example_record, back;
    struct error error;
    (void)state;

    char *plain = emitted(&record);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(strstr(plain, names[i]));
    assert_int_equal(parsed(&back, plain, &error), 0);
    assert_true(!*back.swept && !back.loss_ppm && !back.raced_count);
    free(plain);

    strcpy(record.swept, "2026-11-21T01:20:00Z");
    record.loss_ppm = 10000;
    assert_reads_back(&record);
    assert_null(record_key_difference(&example_record, &record));
    char *text = emitted_with(&record, raced, 2);
    assert_non_null(strstr(text, "\nswept = 2026-11-21T01:20:00Z\nloss_ppm = 10000\n"
                                 "raced = 1:350000000:351000000 1:1:1\n"));
    assert_int_equal(parsed(&back, text, &error), 0);
    assert_int_equal(back.raced_count, 2);
    /* clang-format off */
    static const struct {
        const char *key, *line;
    } wrong[] = {
        {"swept", "swept ="},           {"swept", "swept = today"},
        {"loss_ppm", "loss_ppm = 0"},   {"loss_ppm", "loss_ppm = 1 %"},
        {"raced", "raced = 2:5:6"},     {"raced", "raced = 0:5:6"},
        {"raced", "raced = 1:6:5"},     {"raced", "raced = 1:0:5"},
        {"raced", "raced = 1:5"},       {"raced", "raced = 1:5:6:7"},
        {"raced", "raced = 1:5:6 1"},   {"raced", "raced = -1:5:6"},
        {"raced", "raced = 1:5:6,1:5:6"}, {"raced", "raced = 1:5:18446744073709551617"},
        {"config", "config = 2"},       {"config", "config = 0"},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *changed = with_line(text, wrong[i].key, wrong[i].line, true);
        if (parsed(&back, changed, &error) == 0)
            fail_msg("accepted: %s", wrong[i].line);
        assert_non_null(strstr(error.text, "file.ini:"));
        free(changed);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *dropped = with_line(text, names[i], NULL, false); /* the checksum knows */
        assert_int_equal(parsed(&back, dropped, &error), -1);
        free(dropped);
    }
    free(text);
}

/* A record holds only with the very config that it named, whatever else has its number now. */
static void test_config_is_of_the_record(void **state)
{
    struct record record = example_record, back;
    struct error error;
    (void)state;
    char *text = emitted(&record);
    char *params = with_line(text, "params", "params = BLOCK=512", true);
    char *code = with_line(text, "code", "code = 0000000000000001", true);
    assert_int_equal(parsed(&back, params, &error), 0); /* the signer signs both */
    strcpy(record.params, "BLOCK=512");
    char *other = emitted(&record);
    memcpy(strstr(other, "[record 1]"), strstr(text, "[record 1]"),
           strlen(strstr(text, "[record 1]")));
    assert_int_equal(parsed(&back, other, &error), -1);
    assert_non_null(strstr(error.text, "checksum"));
    assert_int_equal(parsed(&back, code, &error), 0);
    assert_true(back.code == 1);
    free(params);
    free(code);
    free(other);
    free(text);
}

/* What a budget left: a search that came to its end says nothing, as before. */
static void test_untried(void **state)
{
    struct record record = example_record, back;
    struct error error;
    (void)state;
    char *plain = emitted(&record);
    assert_null(strstr(plain, "untried"));
    assert_int_equal(parsed(&back, plain, &error), 0);
    assert_int_equal(back.untried, 0);
    free(plain);

    record.untried = 70;
    assert_reads_back(&record);
    assert_null(record_key_difference(&example_record, &record));
    char *text = emitted(&record);
    char *none = with_line(text, "untried", "untried = 0", true);
    assert_int_equal(parsed(&back, none, &error), -1);
    assert_non_null(strstr(error.text, "file.ini:"));
    free(none);
    free(text);
}

/* A gain has three digits, whatever it is rounded to. */
static void test_gain_digits(void **state)
{
    static const struct {
        double times;
        const char *shown;
    } rows[] = {
        {0.5, "0.50"},   {9.9944, "9.99"}, {9.9946, "9.99"}, {9.995, "10.0"}, {9.9956, "10.0"},
        {99.94, "99.9"}, {99.949, "99.9"}, {99.95, "100"},   {99.954, "100"}, {1234.4, "1234"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct record_gain gain = {.times = rows[i].times};
        struct text text = {0};
        char wanted[60];
        record_add_gain(&text, &gain);
        snprintf(wanted, sizeof wanted, "%s times as fast as the default", rows[i].shown);
        assert_string_equal(text.at, wanted);
        text_dispose(&text);
    }
}

/* What tuning gained is the ratio of the race, whatever time the winner gets later. */
static void test_gain(void **state)
{
    struct record record = example_record, back;
    struct record_gain gain;
    struct text text = {0};
    struct error error;
    (void)state;

    assert_false(record_gain(&gain, &record));
    record.default_ps = record.median_ps; /* the default won */
    assert_false(record_gain(&gain, &record));
    record.default_ps = 878000000;
    assert_true(record_gain(&gain, &record));
    record_add_gain(&text, &gain);
    assert_string_equal(text.at, "2.56 times as fast as the default");
    text_clear(&text);
    record.default_low_ps = 861860000;
    record.default_high_ps = 3433700000;
    assert_reads_back(&record);
    record_set_time(&record, 2 * record.median_ps, 2 * record.low_ps, 2 * record.high_ps);
    assert_true(record_gain(&gain, &record));
    record_add_gain(&text, &gain);
    assert_string_equal(text.at,
                        "2.56 times as fast as the default, 95 % interval 2.51 to 10.0");
    text_dispose(&text);

    record.default_low_ps = record.default_ps + 1;
    char *outside = emitted(&record);
    assert_int_equal(parsed(&back, outside, &error), -1);
    assert_non_null(strstr(error.text, "not between default_low_ps"));
    free(outside);
}

/* What NVML said at the finals: each stands alone, or is not there, as in records of before. */
static void test_reading(void **state)
{
    static const char *const names[] = {"finals_sm_mhz", "finals_memory_mhz", "finals_celsius",
                                        "finals_milliwatts"};
    struct record record = example_record, back;
    uint64_t *const members[] = {&record.sm_mhz, &record.memory_mhz, &record.celsius,
                                 &record.milliwatts};
    struct error error;
    (void)state;

    char *plain = emitted(&record);
    for (size_t i = 0; i < 4; i++)
        assert_null(strstr(plain, names[i]));
    free(plain);
    for (size_t i = 0; i < 4; i++) {
        *members[i] = i == 3 ? UINT32_MAX : 45 + i;
        assert_reads_back(&record);
        char *text = emitted(&record);
        assert_non_null(strstr(text, names[i]));
        for (size_t k = i + 1; k < 4; k++)
            assert_null(strstr(text, names[k]));
        char *dropped = with_line(text, names[i], NULL, false); /* the checksum knows */
        assert_int_equal(parsed(&back, dropped, &error), -1);
        free(dropped);
        char *large = with_line(text, names[i], "finals_celsius = 4294967296", true);
        assert_int_equal(parsed(&back, large, &error), -1);
        free(large);
        free(text);
    }
    assert_null(record_key_difference(&example_record, &record));
}

/* What replaces what: the same size of the same problem on the same GPU, whatever it was made
 * with. */
static void test_same_problem(void **state)
{
    const struct record one = example_record;
    struct record other = one;
    (void)state;
    strcpy(other.driver, "590");
    other.code++;
    other.method++;
    assert_true(record_is_same_problem(&one, &other));
    other.problem.dims.depth.n++;
    assert_false(record_is_same_problem(&one, &other));
    other = one;
    other.problem.regime = WARM;
    assert_false(record_is_same_problem(&one, &other));
    other = one;
    other.sms++;
    assert_false(record_is_same_problem(&one, &other));
}

/* One change a key field, in the order of the file. */
static void test_key_difference(void **state)
{
    struct record changed[14];
    (void)state;

    for (int i = 0; i < 14; i++)
        changed[i] = example_record;
    changed[0].problem.op = op_of(MAX);
    changed[1].problem.type = U32;
    changed[2].problem.acc = I64;
    changed[3].problem.dims.depth.n++;
    changed[4].problem.regime = WARM;
    strcpy(changed[5].space, "rows");
    changed[6].method++;
    strcpy(changed[7].gpu, "NVIDIA H100");
    changed[8].cc = 100;
    changed[9].sms = 114;
    changed[10].memory_clock_khz++;
    changed[11].bus_bits++;
    strcpy(changed[12].driver, "590");
    strcpy(changed[13].compiler, "NVRTC 12.9");
    for (int i = 0; i < 14; i++)
        assert_string_equal(record_key_difference(&example_record, &changed[i]),
                            field_names[CONFIG_FIELDS + i]);

    struct record values = example_record;
    values.median_ps++;
    values.ties = 0;
    strcpy(values.params, "BLOCK=128");
    strcpy(values.tuned, "2027-01-01T00:00:00Z");
    values.source = RECORD_PUBLISHED;
    values.code++;
    values.space_hash++;
    assert_null(record_key_difference(&example_record, &values));

    assert_null(record_group_difference(&example_record, &changed[3], RECORD_GPU));
    assert_string_equal(record_group_difference(&example_record, &changed[3], RECORD_SIZE),
                        "depth");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_hostile_names_are_cleaned),
        cmocka_unit_test(test_whatever_is_given_the_text_is_strict),
        cmocka_unit_test(test_wrong_values_are_refused),
        cmocka_unit_test(test_errors_name_line_and_field),
        cmocka_unit_test(test_signed_change_is_read),
        cmocka_unit_test(test_missing_unknown_and_double_fields),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_proof),
        cmocka_unit_test(test_swept),
        cmocka_unit_test(test_config_is_of_the_record),
        cmocka_unit_test(test_untried),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_gain_digits),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_same_problem),
        cmocka_unit_test(test_key_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
