/* record: converts a winner to text and back. One table holds every field: its name in the
 * file, its form, its range and its part in the key; writing, reading and comparing walk that
 * table. Hides the form of the file. */
#include "cache/record.h"

#include "cache/section.h"
#include "generator/number.h"

#include <xxhash.h>

#include <assert.h>
#include <string.h>

const char *const record_sources[RECORD_SOURCES] = {
    [RECORD_MEASURED] = "measured",
    [RECORD_EMULATED] = "emulated",
    [RECORD_PUBLISHED] = "published",
};

static const struct record none = {.problem.dims = DIMS_VALUE(1)}; /* kept axes are optional */

enum { MANY = 1000000000, VALUE = RECORD_KEY + 1, ALL = RECORD_KEY | VALUE };
#define N_MAX ((int64_t)1 << 62)
#define PS_MAX INT64_C(1000000000000000000) /* eleven days */

static const struct field fields[] = {
    {"op", FIELD_OP, offsetof(struct record, problem.op), 0, 0, RECORD_PROBLEM},
    {"type", FIELD_TYPE, offsetof(struct record, problem.type), 0, 0, RECORD_PROBLEM},
    {"acc", FIELD_TYPE, offsetof(struct record, problem.acc), 0, 0, RECORD_PROBLEM},
    {"outer", FIELD_KEPT, offsetof(struct record, problem.dims.outer), 1, N_MAX, RECORD_SIZE},
    {"depth", FIELD_DIM, offsetof(struct record, problem.dims.depth), 1, N_MAX, RECORD_SIZE},
    {"inner", FIELD_KEPT, offsetof(struct record, problem.dims.inner), 1, N_MAX, RECORD_SIZE},
    {"span", FIELD_KEPT, offsetof(struct record, problem.dims.spans[0]), 1, N_MAX, RECORD_SIZE},
    {"span_2", FIELD_KEPT, offsetof(struct record, problem.dims.spans[1]), 1, N_MAX,
     RECORD_SIZE},
    {"span_3", FIELD_KEPT, offsetof(struct record, problem.dims.spans[2]), 1, N_MAX,
     RECORD_SIZE},
    {"slice", FIELD_KEPT, offsetof(struct record, problem.dims.slices[0]), 1, N_MAX,
     RECORD_SIZE},
    {"slice_2", FIELD_KEPT, offsetof(struct record, problem.dims.slices[1]), 1, N_MAX,
     RECORD_SIZE},
    {"regime", FIELD_REGIME, offsetof(struct record, problem.regime), 0, 0, RECORD_SIZE},
    {"order", FIELD_ORDER, offsetof(struct record, problem.order), ORDER_RUN, 0,
     RECORD_PROBLEM},
    {"scan", FIELD_SCAN, offsetof(struct record, problem.dims.scan), DIMS_INCLUSIVE, 0,
     RECORD_PROBLEM},
    {"offsets", FIELD_OFFSETS, offsetof(struct record, problem.offsets), I32, 0,
     RECORD_PROBLEM},
    {"lengths", FIELD_LENGTHS, offsetof(struct record, problem.lengths), LENGTHS_EQUAL, 0,
     RECORD_PROBLEM},
    {"lies_2", FIELD_LIE, offsetof(struct record, problem.further[0].lie), LIES_BY_RESULT, 0,
     RECORD_PROBLEM},
    {"lies_3", FIELD_LIE, offsetof(struct record, problem.further[1].lie), LIES_BY_RESULT, 0,
     RECORD_PROBLEM},
    {"lies_4", FIELD_LIE, offsetof(struct record, problem.further[2].lie), LIES_BY_RESULT, 0,
     RECORD_PROBLEM},
    {"space", FIELD_NAME, offsetof(struct record, space), 1, sizeof none.space - 1,
     RECORD_SPACE},
    {"method", FIELD_INT, offsetof(struct record, method), 1, MANY, RECORD_TIMING},
    {"gpu", FIELD_LABEL, offsetof(struct record, gpu), 1, sizeof none.gpu - 1, RECORD_GPU},
    {"cc", FIELD_INT, offsetof(struct record, cc), 0, 999, RECORD_CC},
    {"sms", FIELD_INT, offsetof(struct record, sms), 0, 65535, RECORD_GPU},
    {"memory_clock_khz", FIELD_INT, offsetof(struct record, memory_clock_khz), 0, MANY,
     RECORD_GPU},
    {"bus_bits", FIELD_INT, offsetof(struct record, bus_bits), 0, 1 << 20, RECORD_GPU},
    {"driver", FIELD_LABEL, offsetof(struct record, driver), 1, sizeof none.driver - 1,
     RECORD_TOOLS},
    {"compiler", FIELD_LABEL, offsetof(struct record, compiler), 1, sizeof none.compiler - 1,
     RECORD_TOOLS},
    {"source", FIELD_SOURCE, offsetof(struct record, source), 0, 0, VALUE},
    {"config", FIELD_COUNT, offsetof(struct record, config), 1, MANY, VALUE},
    {"space_hash", FIELD_HASH, offsetof(struct record, space_hash), 0, 0, VALUE},
    {"median_ps", FIELD_COUNT, offsetof(struct record, median_ps), 1, PS_MAX, VALUE},
    {"low_ps", FIELD_COUNT, offsetof(struct record, low_ps), 1, PS_MAX, VALUE},
    {"high_ps", FIELD_COUNT, offsetof(struct record, high_ps), 1, PS_MAX, VALUE},
    {"ties", FIELD_INT, offsetof(struct record, ties), 0, MANY, VALUE},
    {"registers", FIELD_INT, offsetof(struct record, registers), 0, 1024, VALUE},
    {"candidates", FIELD_INT, offsetof(struct record, candidates), 0, MANY, VALUE},
    {"untried", FIELD_ANY, offsetof(struct record, untried), 1, UINT32_MAX, VALUE},
    {"default_ps", FIELD_ANY, offsetof(struct record, default_ps), 1, PS_MAX, VALUE},
    {"default_low_ps", FIELD_ANY, offsetof(struct record, default_low_ps), 1, PS_MAX, VALUE},
    {"default_high_ps", FIELD_ANY, offsetof(struct record, default_high_ps), 1, PS_MAX, VALUE},
    {"shipped_ps", FIELD_ANY, offsetof(struct record, shipped_ps), 1, PS_MAX, VALUE},
    {"finals_sm_mhz", FIELD_ANY, offsetof(struct record, sm_mhz), 1, UINT32_MAX, VALUE},
    {"finals_memory_mhz", FIELD_ANY, offsetof(struct record, memory_mhz), 1, UINT32_MAX, VALUE},
    {"finals_celsius", FIELD_ANY, offsetof(struct record, celsius), 1, UINT32_MAX, VALUE},
    {"finals_milliwatts", FIELD_ANY, offsetof(struct record, milliwatts), 1, UINT32_MAX, VALUE},
    {"given", FIELD_GIVEN, offsetof(struct record, given), 1, sizeof none.given - 1, VALUE},
    {"error", FIELD_DECIMAL, offsetof(struct record, error), 0, sizeof none.error - 1, VALUE},
    {"proof", FIELD_ANY_LABEL, offsetof(struct record, proof), 1, sizeof none.proof - 1, VALUE},
    {"tuned", FIELD_UTC, offsetof(struct record, tuned), 1, sizeof none.tuned - 1, VALUE},
    {"swept", FIELD_ANY_UTC, offsetof(struct record, swept), 1, sizeof none.swept - 1, VALUE},
    {"chunk_bytes", FIELD_ANY, offsetof(struct record, chunk_bytes), 1, INT64_C(1) << 40,
     VALUE},
    {"streams", FIELD_ANY, offsetof(struct record, streams), 1, 64, VALUE},
    {"copiers", FIELD_ANY, offsetof(struct record, copiers), 1, 1024, VALUE},
    {"loss_ppm", FIELD_ANY, offsetof(struct record, loss_ppm), 1, MANY, VALUE},
    {"raced_only", FIELD_ANY, offsetof(struct record, raced_only), 1, 1, VALUE},
};
enum { FIELDS = sizeof fields / sizeof *fields };
_Static_assert(sizeof fields / sizeof *fields <= SECTION_FIELDS_MAX, "one bit for each field");
_Static_assert(sizeof none.given <= FIELD_CHARS, "and so do a call's values");
_Static_assert(sizeof none.params <= FIELD_CHARS && sizeof none.gpu <= FIELD_CHARS,
               "every text fits a field's room");

static const struct section record_section = {fields, FIELDS, ALL, "raced", "record"};
static const struct section key_section = {fields, FIELDS, RECORD_KEY, NULL, "journal"};

/* --- Comparing ------------------------------------------------------------------------- */

const char *record_group_difference(const struct record *a, const struct record *b,
                                    unsigned groups)
{
    for (const struct field *field = fields; field < fields + FIELDS; field++)
        if ((field->group & groups) && !field_is_same(field, a, b))
            return field->name;
    return NULL;
}

unsigned record_differing_groups(const struct record *a, const struct record *b,
                                 unsigned deciding)
{
    unsigned differing = 0;
    for (const struct field *field = fields; field < fields + FIELDS && !(differing & deciding);
         field++)
        if (field->group & RECORD_KEY & ~differing && !field_is_same(field, a, b))
            differing |= field->group;
    return differing;
}

uint64_t record_group_hash(const struct record *record, unsigned groups)
{
    const struct section section = {fields, FIELDS, groups, NULL, "record"};
    struct text text = {0};
    section_emit(&text, &section, record);
    const uint64_t hash = text.at ? XXH3_64bits(text.at, text.length) : 0;
    text_dispose(&text);
    return hash;
}

const char *record_key_difference(const struct record *a, const struct record *b)
{
    return record_group_difference(a, b, RECORD_KEY);
}

bool record_is_same_but_size(const struct record *a, const struct record *b)
{
    return !record_group_difference(a, b, RECORD_KEY & ~RECORD_SIZE);
}

bool record_has_run(const struct record *record)
{
    return *record->tuned;
}

/* --- What tuning gained ---------------------------------------------------------------- */

bool record_gain(struct record_gain *out, const struct record *record)
{
    const double winner = (double)record->median_ps;
    if (!record->median_ps || !record->default_ps || record->default_ps == record->median_ps)
        return false;
    *out = (struct record_gain){(double)record->default_ps / winner,
                                (double)record->default_low_ps / winner,
                                (double)record->default_high_ps / winner};
    return true;
}

/* Three digits. */
static void add_times(struct text *out, double times)
{
    char number[NUMBER_CHARS];
    const int decimals = times < 9.995 ? 2 : times < 99.95 ? 1 : 0;
    const double unit = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    text_adds(out, number_format_fixed(number, (uint64_t)(times * unit + 0.5), decimals));
}

void record_add_gain(struct text *out, const struct record_gain *gain)
{
    add_times(out, gain->times);
    text_adds(out, " times as fast as the default");
    if (gain->low <= 0)
        return;
    text_adds(out, ", 95 % interval ");
    add_times(out, gain->low);
    text_adds(out, " to ");
    add_times(out, gain->high);
}

void record_set_time(struct record *record, uint64_t median_ps, uint64_t low_ps,
                     uint64_t high_ps)
{
    uint64_t *const others[] = {&record->default_ps, &record->default_low_ps,
                                &record->default_high_ps, &record->shipped_ps};
    const double scale = (double)median_ps / (double)record->median_ps;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        *others[i] = (uint64_t)((double)*others[i] * scale + 0.5);
    record->median_ps = median_ps;
    record->low_ps = low_ps;
    record->high_ps = high_ps;
}

bool record_is_same_problem(const struct record *a, const struct record *b)
{
    enum { SAME = RECORD_PROBLEM | RECORD_SIZE | RECORD_SPACE | RECORD_CC | RECORD_GPU };
    return !record_group_difference(a, b, SAME);
}

/* --- What was raced -------------------------------------------------------------------- */

/* "7:342352002:342536002 ..." */
static void emit_raced(struct text *out, const struct record *record)
{
    for (size_t i = 0; i < record->raced_count; i++) {
        const struct raced *raced = &record->raced[i];
        text_addf(out, "%s%s%llu:%llu:%llu", i ? "" : record_section.list, i ? " " : " = ",
                  (unsigned long long)raced->config, (unsigned long long)raced->ps,
                  (unsigned long long)raced->high_ps);
    }
    if (record->raced_count)
        text_adds(out, "\n");
}

/* A number of 1 to `most`, and the character behind it. */
static bool take_number(const char **at, uint64_t *out, char end, uint64_t most)
{
    *out = 0;
    while (**at >= '0' && **at <= '9' && *out <= most)
        *out = *out * 10 + (uint64_t)(*(*at)++ - '0');
    const bool is_ended = **at == end || (end == ' ' && !**at);
    *at += is_ended && **at;
    return is_ended && *out && *out <= most;
}

static bool take_raced(struct raced *out, const char **words, const struct configs *configs)
{
    return take_number(words, &out->config, ':', MANY) && configs_find(configs, out->config) &&
           take_number(words, &out->ps, ':', PS_MAX) &&
           take_number(words, &out->high_ps, ' ', PS_MAX) && out->ps <= out->high_ps;
}

static int parse_raced(struct record *record, const struct configs *configs,
                       const struct section_found *found, const struct ini *ini,
                       struct error *error)
{
    const char *words = found->list.at ? found->list.at : "";
    while (*words)
        if (record->raced_count == RECORD_RACED_MAX ||
            !take_raced(&record->raced[record->raced_count++], &words, configs))
            return section_refuse(&record_section, ini, found->line, record_section.list,
                                  "not CONFIG:PS:HIGH_PS words of configs above", error);
    return 0;
}

/* --- Writing --------------------------------------------------------------------------- */

static void add_hash(struct text *out, uint64_t hash)
{
    char line[] = "0123456789abcdef\n";
    for (size_t i = sizeof line - 2; i-- > 0; hash >>= 4)
        line[i] = "0123456789abcdef"[hash & 15];
    text_adds(out, line);
}

/* Adds the configs to the checksum by their contents, so that no other config can take the
 * place of one. */
static void add_hashes(struct text *out, const struct record *record,
                       const struct configs *configs)
{
    for (size_t i = 0; i <= record->raced_count; i++) {
        const uint64_t number = i ? record->raced[i - 1].config : record->config;
        const struct config *config = configs_find(configs, number);
        add_hash(out, config ? config->hash : 0);
    }
}

void record_emit(struct text *out, const struct record *record, const struct configs *configs,
                 unsigned number)
{
    assert(number > 0);
    assert(record->raced_count <= RECORD_RACED_MAX);
    struct text lines = {0}, of = {0};
    text_addf(out, "[record %u]\n", number);
    section_emit(&lines, &record_section, record);
    emit_raced(&lines, record);
    if (!lines.failed)
        text_add(&of, lines.at, lines.length);
    add_hashes(&of, record, configs);
    section_write(out, &lines, &of);
    text_dispose(&lines);
    text_dispose(&of);
}

void record_emit_key(struct text *out, const struct record *key)
{
    struct text lines = {0};
    text_adds(out, "[key]\n");
    section_emit(&lines, &key_section, key);
    section_write(out, &lines, &lines);
    text_dispose(&lines);
}

/* --- Reading --------------------------------------------------------------------------- */

/* Only kept axes of segments have the stride 0, and only they have offsets of some integer type. */
static bool has_sound_segments(const struct problem *problem)
{
    const struct dims *dims = &problem->dims;
    const struct type_row *offsets = &problem_types[problem->offsets];
    bool has_none = dims->depth.stride == 0 || dims->inner.stride == 0;
    for (size_t i = 0; i < DIMS_SPANS; i++)
        has_none = has_none || dims->spans[i].stride == 0;
    for (size_t i = 0; i < DIMS_SLICES; i++)
        has_none = has_none || dims->slices[i].stride == 0;
    if (has_none)
        return false;
    if (!dims_is_segmented(dims))
        return dims->outer.stride > 0 && problem->offsets == I8 &&
               problem->lengths == LENGTHS_ANY;
    return !dims->scan && !dims_has_spans(dims) && offsets->bytes >= 4 && !offsets->is_float;
}

/* Checks what no field shows alone. */
static int check_together(const struct record *record, const struct section *section,
                          const struct ini *ini, int line, struct error *error)
{
    struct error ignored;
    if (record->problem.op->text && problem_check(&record->problem, &ignored) != 0)
        return section_refuse(section, ini, line, "acc",
                              "operation, type and accumulator do not go together", error);
    if (!has_sound_segments(&record->problem))
        return section_refuse(section, ini, line, "outer",
                              "a stride of 0 and offsets are of segments, and belong together",
                              error);
    const struct dims canonical = dims_canonical(&record->problem.dims);
    if (!dims_is_same(&canonical, &record->problem.dims))
        return section_refuse(
            section, ini, line, "depth",
            "outer, depth, inner and span are not in the one form that such dims "
            "have",
            error);
    if (!(section->groups & VALUE))
        return 0;
    if (record->low_ps > record->median_ps || record->median_ps > record->high_ps)
        return section_refuse(section, ini, line, "median_ps", "not between low_ps and high_ps",
                              error);
    if ((record->default_low_ps || record->default_high_ps) &&
        (!record->default_low_ps || record->default_low_ps > record->default_ps ||
         record->default_ps > record->default_high_ps))
        return section_refuse(section, ini, line, "default_ps",
                              "not between default_low_ps and default_high_ps", error);
    if (record->source != RECORD_EMULATED && (record->cc < 10 || record->sms < 1))
        return section_refuse(section, ini, line, record->cc < 10 ? "cc" : "sms",
                              "no GPU has so few", error);
    return 0;
}

static int parse_config(struct record *record, const struct configs *configs,
                        const struct section_found *found, const struct ini *ini,
                        struct error *error)
{
    const struct config *config = configs_find(configs, record->config);
    if (!config)
        return section_refuse(&record_section, ini, found->line, "config",
                              "no config above has this number", error);
    memcpy(record->params, config->params, sizeof record->params);
    record->code = config->code;
    return 0;
}

int record_parse(struct record *out, const struct configs *configs, const struct ini *ini,
                 const char *section, struct error *error)
{
    struct section_found found;
    *out = none;
    int failed = section_parse(&found, &record_section, out, ini, section, error) ||
                 parse_config(out, configs, &found, ini, error) ||
                 parse_raced(out, configs, &found, ini, error);
    if (!failed) {
        add_hashes(&found.lines, out, configs);
        failed = section_check(&found, &record_section, ini, error) ||
                 check_together(out, &record_section, ini, found.line, error);
    }
    section_dispose(&found);
    return failed ? -1 : 0;
}

int record_parse_key(struct record *out, const struct ini *ini, struct error *error)
{
    struct section_found found;
    *out = none;
    const int failed = section_parse(&found, &key_section, out, ini, "key", error) ||
                       section_check(&found, &key_section, ini, error) ||
                       check_together(out, &key_section, ini, found.line, error);
    section_dispose(&found);
    return failed ? -1 : 0;
}
