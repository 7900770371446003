/* record: a winner to text and back. One table holds every field: its name in the file, its
 * form, its range and its part in the key; writing, reading, comparing and the checksum walk
 * that table. Hides the form of the file. */
#include "cache/record.h"

#include "cache/field.h"

#include <xxhash.h>

#include <stdio.h>
#include <string.h>

static const struct record none;

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
    {"regime", FIELD_REGIME, offsetof(struct record, problem.regime), 0, 0, RECORD_SIZE},
    {"n_from", FIELD_ANY, offsetof(struct record, n_from), 1, N_MAX, RECORD_SIZE},
    {"n_to", FIELD_ANY, offsetof(struct record, n_to), 1, N_MAX, RECORD_SIZE},
    {"deterministic", FIELD_YES, offsetof(struct record, problem.is_deterministic), 0, 0,
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
    {"code", FIELD_HASH, offsetof(struct record, code), 0, 0, VALUE},
    {"space_hash", FIELD_HASH, offsetof(struct record, space_hash), 0, 0, VALUE},
    {"params", FIELD_PARAMS, offsetof(struct record, params), 0, sizeof none.params - 1, VALUE},
    {"median_ps", FIELD_COUNT, offsetof(struct record, median_ps), 1, PS_MAX, VALUE},
    {"low_ps", FIELD_COUNT, offsetof(struct record, low_ps), 1, PS_MAX, VALUE},
    {"high_ps", FIELD_COUNT, offsetof(struct record, high_ps), 1, PS_MAX, VALUE},
    {"interval_ps", FIELD_ANY, offsetof(struct record, interval_ps), 1, PS_MAX, VALUE},
    {"single_ps", FIELD_ANY, offsetof(struct record, single_ps), 1, PS_MAX, VALUE},
    {"single_n", FIELD_ANY, offsetof(struct record, single_n), 1, N_MAX, VALUE},
    {"ties", FIELD_INT, offsetof(struct record, ties), 0, MANY, VALUE},
    {"registers", FIELD_INT, offsetof(struct record, registers), 0, 1024, VALUE},
    {"candidates", FIELD_INT, offsetof(struct record, candidates), 0, MANY, VALUE},
    {"untried", FIELD_ANY, offsetof(struct record, untried), 1, UINT32_MAX, VALUE},
    {"finals_sm_mhz", FIELD_ANY, offsetof(struct record, sm_mhz), 1, UINT32_MAX, VALUE},
    {"finals_memory_mhz", FIELD_ANY, offsetof(struct record, memory_mhz), 1, UINT32_MAX, VALUE},
    {"finals_celsius", FIELD_ANY, offsetof(struct record, celsius), 1, UINT32_MAX, VALUE},
    {"finals_milliwatts", FIELD_ANY, offsetof(struct record, milliwatts), 1, UINT32_MAX, VALUE},
    {"error", FIELD_DECIMAL, offsetof(struct record, error), 0, sizeof none.error - 1, VALUE},
    {"tuned", FIELD_UTC, offsetof(struct record, tuned), 1, sizeof none.tuned - 1, VALUE},
};
enum { FIELDS = sizeof fields / sizeof *fields, CHECKSUM = FIELDS };
_Static_assert(FIELDS < 64, "one bit for each field and the checksum");
_Static_assert(sizeof none.params <= FIELD_CHARS && sizeof none.gpu <= FIELD_CHARS,
               "every text fits a field's room");
_Static_assert(sizeof "params = " - 1 + RECORD_PARAMS_MAX == INI_LINE_MAX,
               "the longest params fill a line");

/* --- Writing and comparing ------------------------------------------------------------- */

/* The groups' fields as lines. The checksum is that of these bytes, wherever they come from. */
static void emit_fields(struct text *out, const struct record *record, unsigned groups)
{
    for (const struct field *field = fields; field < fields + FIELDS; field++) {
        if (!(field->group & groups) || !field_stands(field, record))
            continue;
        text_addf(out, "%s = ", field->name);
        field_write(field, record, out);
        text_adds(out, "\n");
    }
}

static void emit_section(struct text *out, const struct record *record, unsigned groups)
{
    size_t start = out->length;
    emit_fields(out, record, groups);
    if (out->failed)
        return;
    text_addf(out, "checksum = %016llx\n",
              (unsigned long long)XXH3_64bits(out->at + start, out->length - start));
}

void record_emit(struct text *out, const struct record *record, unsigned index)
{
    text_addf(out, "[record %u]\n", index);
    emit_section(out, record, ALL);
}

void record_emit_key(struct text *out, const struct record *key)
{
    text_adds(out, "[key]\n");
    emit_section(out, key, RECORD_KEY);
}

const char *record_group_difference(const struct record *a, const struct record *b,
                                    unsigned groups)
{
    for (const struct field *field = fields; field < fields + FIELDS; field++)
        if ((field->group & groups) && !field_is_same(field, a, b))
            return field->name;
    return NULL;
}

bool record_is_same_but_size(const struct record *a, const struct record *b)
{
    return !record_group_difference(a, b, RECORD_KEY & ~RECORD_SIZE);
}

bool record_is_same_problem(const struct record *a, const struct record *b)
{
    enum { SAME = RECORD_PROBLEM | RECORD_SPACE | RECORD_CC | RECORD_GPU };
    if (record_group_difference(a, b, SAME) || a->problem.regime != b->problem.regime ||
        !a->n_to != !b->n_to)
        return false;
    return a->n_to ? a->n_from <= b->n_to && b->n_from <= a->n_to
                   : dims_is_same(&a->problem.dims, &b->problem.dims);
}

const char *record_key_difference(const struct record *a, const struct record *b)
{
    return record_group_difference(a, b, RECORD_KEY);
}

/* --- Reading --------------------------------------------------------------------------- */

/* Where reading stands: what was seen, one bit a field. */
struct reading {
    const struct ini *ini;
    unsigned groups; /* of the fields that must stand there, and no others */
    int line;        /* of the section's first item */
    uint64_t seen;
    uint64_t checksum;
};

static int refuse(const struct reading *reading, int line, const char *name, const char *why,
                  struct error *error)
{
    return error_set(error, ERROR_IO, "%s:%d: %s: %s; this %s is left out, tune again",
                     reading->ini->file, line, name, why,
                     reading->groups & VALUE ? "record" : "journal");
}

static int read_item(struct reading *reading, struct record *record,
                     const struct ini_item *item, struct error *error)
{
    char why[200];
    size_t i = 0;
    while (i < FIELDS && strcmp(item->key, fields[i].name) != 0)
        i++;
    if (i == CHECKSUM ? strcmp(item->key, "checksum") != 0
                      : !(fields[i].group & reading->groups))
        return refuse(reading, item->line, "unknown field",
                      "this version writes no such field", error);
    if (reading->seen & UINT64_C(1) << i)
        return refuse(reading, item->line, item->key, "stands twice", error);
    reading->seen |= UINT64_C(1) << i;
    if (i == CHECKSUM ? field_parse_hash(&reading->checksum, item->value)
                      : field_read(&fields[i], record, item->value))
        return 0;
    snprintf(why, sizeof why, "not %s",
             field_describe(i == CHECKSUM ? FIELD_HASH : fields[i].form));
    return refuse(reading, item->line, item->key, why, error);
}

static int check_complete(const struct reading *reading, struct error *error)
{
    for (size_t i = 0; i <= CHECKSUM; i++)
        if ((i == CHECKSUM ||
             (fields[i].group & reading->groups && !field_may_lack(fields[i].form))) &&
            !(reading->seen & UINT64_C(1) << i))
            return refuse(reading, reading->line,
                          i == CHECKSUM ? "checksum" : fields[i].name, "missing", error);
    return 0;
}

static int check_checksum(const struct reading *reading, const struct record *record,
                          struct error *error)
{
    struct text text = {0};
    emit_fields(&text, record, reading->groups);
    int result = text_check(&text, error);
    if (result == 0 && XXH3_64bits(text.at, text.length) != reading->checksum)
        result = refuse(reading, reading->line, "checksum",
                        "does not match the other fields", error);
    text_dispose(&text);
    return result;
}

/* What no field can tell alone. */
static int check_together(const struct reading *reading, const struct record *record,
                          struct error *error)
{
    struct error ignored;
    if (problem_check(&record->problem, &ignored) != 0)
        return refuse(reading, reading->line, "acc",
                      "operation, type and accumulator do not go together", error);
    const struct dims canonical = dims_canonical(&record->problem.dims);
    if (!dims_is_same(&canonical, &record->problem.dims))
        return refuse(reading, reading->line, "depth",
                      "outer, depth and inner are not in the one form that such dims have", error);
    const uint64_t n = dims_n(&record->problem.dims);
    if (!record->n_from != !record->n_to ||
        (record->n_to && (n < record->n_from || n > record->n_to)))
        return refuse(reading, reading->line, "n_from",
                      "n_from to n_to is no interval around n", error);
    if (!(reading->groups & VALUE))
        return 0;
    if (record->low_ps > record->median_ps || record->median_ps > record->high_ps)
        return refuse(reading, reading->line, "median_ps",
                      "not between low_ps and high_ps", error);
    if (record->source != RECORD_EMULATED && (record->cc < 10 || record->sms < 1))
        return refuse(reading, reading->line, record->cc < 10 ? "cc" : "sms",
                      "no GPU has so few", error);
    return 0;
}

static int parse(struct record *out, const struct ini *ini, const char *section,
                 unsigned groups, struct error *error)
{
    struct reading reading = {.ini = ini, .groups = groups};
    *out = none;
    out->problem.dims = dims_value(1); /* kept axes that are not there */
    for (const struct ini_item *item = ini->items; item < ini->items + ini->count; item++) {
        if (strcmp(item->section, section) != 0)
            continue;
        if (!reading.line)
            reading.line = item->line;
        if (read_item(&reading, out, item, error) != 0)
            return -1;
    }
    if (check_complete(&reading, error) != 0)
        return -1;
    if (check_checksum(&reading, out, error) != 0)
        return -1;
    return check_together(&reading, out, error);
}

int record_parse(struct record *out, const struct ini *ini, const char *section,
                 struct error *error)
{
    return parse(out, ini, section, ALL, error);
}

int record_parse_key(struct record *out, const struct ini *ini, struct error *error)
{
    return parse(out, ini, "key", RECORD_KEY, error);
}
