/* compact: writes and reads a strict INI file of three sections. [key] is that of a record, of
 * the first size; [configs] has "NUMBER = CODE PARAMS" lines, of which those with the first one's
 * names have values alone, [sizes] lines of what a config serves and took there. Each section
 * ends with a checksum. */
#include "cache/compact.h"

#include "cache/section.h"
#include "generator/array.h"
#include "generator/dims_text.h"
#include "generator/ini.h"
#include "generator/number.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char configs_name[] = "configs", sizes_name[] = "sizes", checksum[] = "checksum";

/* What differs from size to size. */
struct size {
    uint64_t config, ps, default_ps, from, to;
    enum regime regime;
    struct dims dims;
};

char *compact_name(char out[COMPACT_NAME_CHARS], const char *space,
                   const struct problem *problem)
{
    const struct cost_class class = cost_class_of(problem);
    char name[COST_CLASS_CHARS];
    const bool has_offsets = dims_is_segmented(&problem->dims);
    snprintf(out, COMPACT_NAME_CHARS, "%.40s-%s%s%s", space, cost_class_format(name, &class),
             problem->dims.scan || has_offsets ? "-" : "",
             problem->dims.scan ? dims_text_scans[problem->dims.scan]
             : has_offsets      ? problem_types[problem->offsets].name
                                : "");
    return out;
}

/* --- Params ------------------------------------------------------------------------------- */

/* The name of the param at `*at`, which becomes its value; its length, or 0 at the end. */
static size_t take_name(const char **at)
{
    const size_t length = strcspn(*at, "= ");
    *at += length + ((*at)[length] == '=');
    return length;
}

/* The same of a value, which becomes the next param. */
static size_t take_value(const char **at)
{
    const size_t length = strcspn(*at, " ");
    *at += length + ((*at)[length] == ' ');
    return length;
}

static bool has_same_names(const char *a, const char *b)
{
    bool is_same = true;
    while (is_same && *a && *b) {
        const char *x = a, *y = b;
        const size_t length = take_name(&a);
        is_same = length == take_name(&b) && memcmp(x, y, length) == 0;
        take_value(&a);
        take_value(&b);
    }
    return is_same && !*a && !*b;
}

static void emit_values(struct text *out, const char *params)
{
    while (*params) {
        take_name(&params);
        const char *value = params;
        const size_t length = take_value(&params);
        text_addf(out, " %.*s", (int)length, value);
    }
}

/* "BLOCK=256 ITEMS=16" of the values "256 16" and the names of `like`. */
static bool weave(char *out, size_t size, const char *like, const char *values)
{
    size_t used = 0;
    bool fits = true;
    while (fits && *like && *values) {
        const char *name = like, *value = values;
        const size_t name_length = take_name(&like), length = take_value(&values);
        take_value(&like);
        const size_t added = (used > 0) + name_length + 1 + length;
        fits = added < size - used;
        if (fits) {
            char *at = out + used;
            if (used)
                *at++ = ' ';
            at = mempcpy(at, name, name_length);
            *at++ = '=';
            *(char *)mempcpy(at, value, length) = '\0';
        }
        used += added;
    }
    return fits && used && !*like && !*values;
}

/* --- Writing ------------------------------------------------------------------------------ */

static void emit_dim(struct text *out, const char *name, const struct dim *dim)
{
    static const struct dim unit = {1, 1};
    if (memcmp(dim, &unit, sizeof unit) != 0)
        text_addf(out, " %s %" PRIu64 " %" PRIu64, name, dim->n, dim->stride);
}

/* "7 = cold 1 1342000 1650000 1 2048 depth 1024 1"; axes of one are left out. */
static void emit_size(struct text *out, size_t number, uint64_t config,
                      const struct interval *size)
{
    const struct problem *problem = &size->record.problem;
    const struct dims *dims = &problem->dims;
    text_addf(out, "%zu = %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, number,
              problem_regimes[problem->regime], config, size->record.median_ps,
              size->record.default_ps, size->from, size->to);
    emit_dim(out, "depth", &dims->depth);
    emit_dim(out, "outer", &dims->outer);
    emit_dim(out, "inner", &dims->inner);
    emit_dim(out, "span", &dims->span);
    text_adds(out, "\n");
}

static int emit_tables(struct text *configs, struct text *sizes, const struct interval *all,
                       size_t count, struct error *error)
{
    struct configs table = {0};
    uint64_t config;
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        const struct config of = store_config(&all[i].record);
        failed = configs_add(&config, &table, &of, error);
        if (!failed)
            emit_size(sizes, i + 1, config, &all[i]);
    }
    for (size_t i = 0; i < table.count; i++) {
        const char *params = table.at[i].params;
        text_addf(configs, "%zu = %016" PRIx64, i + 1, table.at[i].code);
        if (i > 0 && has_same_names(params, table.at[0].params))
            emit_values(configs, params);
        else
            text_addf(configs, " %s", params);
        text_adds(configs, "\n");
    }
    configs_dispose(&table);
    return failed;
}

int compact_emit(struct text *out, const struct interval *sizes, size_t count,
                 struct error *error)
{
    struct text configs = {0}, lines = {0};
    const int failed = emit_tables(&configs, &lines, sizes, count, error);
    text_adds(out, "; Made by 'make records', for all problems that cost what this one does. "
                   "One that was changed\n; by hand is left out.\n\n");
    record_emit_key(out, &sizes->record);
    text_addf(out, "\n[%s]\n", configs_name);
    section_write(out, &configs, &configs);
    text_addf(out, "\n[%s]\n", sizes_name);
    section_write(out, &lines, &lines);
    text_dispose(&configs);
    text_dispose(&lines);
    return failed ? -1 : text_check(out, error);
}

/* --- Reading ------------------------------------------------------------------------------ */

static int refuse(const struct ini_item *item, const char *why, struct error *error)
{
    return error_set(error, ERROR_IO, "%s:%d: %s: %s; this file is left out", item->file,
                     item->line, item->key, why);
}

/* A number, which ends with a blank or the line; `*at` becomes what follows. */
static bool take_number(const char **at, uint64_t *out, uint64_t most)
{
    const char *digits = *at;
    for (*out = 0; **at >= '0' && **at <= '9' && *out <= most / 10; ++*at)
        *out = 10 * *out + (uint64_t)(**at - '0');
    const bool is_ended = **at == ' ' || **at == '\0';
    const bool is_number = *at > digits && is_ended && *out <= most;
    *at += **at == ' ';
    return is_number;
}

static bool take_word(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || (*at)[length] != ' ')
        return false;
    *at += length + 1;
    return true;
}

static bool take_dim(const char **at, const char *name, struct dim *out)
{
    enum { MOST_BITS = 62 };
    const uint64_t most = UINT64_C(1) << MOST_BITS;
    *out = (struct dim){1, 1};
    return !take_word(at, name) ||
           (take_number(at, &out->n, most) && take_number(at, &out->stride, most) && out->n &&
            out->stride);
}

static bool read_size(struct size *out, const char *at)
{
    *out = (struct size){.regime = REGIME_COUNT};
    for (enum regime regime = COLD; regime < REGIME_COUNT; regime++)
        if (out->regime == REGIME_COUNT && take_word(&at, problem_regimes[regime]))
            out->regime = regime;
    return out->regime < REGIME_COUNT && take_number(&at, &out->config, UINT32_MAX) &&
           take_number(&at, &out->ps, UINT64_MAX / 16) && out->ps &&
           take_number(&at, &out->default_ps, UINT64_MAX / 16) &&
           take_number(&at, &out->from, UINT64_MAX / 16) && out->from &&
           take_number(&at, &out->to, UINT64_MAX / 16) && out->from <= out->to &&
           take_dim(&at, "depth", &out->dims.depth) &&
           take_dim(&at, "outer", &out->dims.outer) &&
           take_dim(&at, "inner", &out->dims.inner) && take_dim(&at, "span", &out->dims.span) &&
           !*at;
}

/* "0123456789abcdef BLOCK=256 ...", or "0123456789abcdef 256 ..." after such a `first`. */
static bool read_config(struct config *out, const char *value, const char *first)
{
    enum { DIGITS = 16 };
    char digits[DIGITS + 1];
    *out = (struct config){.hash = 0};
    if (strlen(value) <= DIGITS || value[DIGITS] != ' ' || strlen(first) <= DIGITS ||
        strlen(value + DIGITS + 1) >= sizeof out->params)
        return false;
    const char *params = value + DIGITS + 1;
    snprintf(digits, sizeof digits, "%.*s", DIGITS, value);
    snprintf(out->params, sizeof out->params, "%s", params);
    return (strchr(params, '=') ||
            weave(out->params, sizeof out->params, first + DIGITS + 1, params)) &&
           field_parse_hash(&out->code, digits);
}

/* A section being read: its items but the checksum are numbered from 1. */
struct table {
    const struct ini_item *first;
    size_t count;
};

static int find_table(struct table *out, const struct ini *ini, const char *name,
                      struct error *error)
{
    const struct ini_item *item = ini->items, *end = item + ini->count;
    struct text lines = {0};
    uint64_t said = 0;
    bool is_checked = false;
    while (item < end && strcmp(item->section, name) != 0)
        item++;
    *out = (struct table){item, 0};
    for (; item < end && strcmp(item->section, name) == 0 && !is_checked; item++) {
        char number[NUMBER_CHARS];
        snprintf(number, sizeof number, "%zu", out->count + 1);
        is_checked = strcmp(item->key, checksum) == 0 && field_parse_hash(&said, item->value);
        if (!is_checked && strcmp(item->key, number) != 0) {
            text_dispose(&lines);
            return refuse(item, "not the number that comes next", error);
        }
        if (!is_checked)
            text_addf(&lines, "%s = %s\n", item->key, item->value);
        out->count += !is_checked;
    }
    if (text_check(&lines, error)) {
        text_dispose(&lines);
        return -1;
    }
    const bool is_same =
        is_checked && out->count && XXH3_64bits(lines.at, lines.length) == said;
    text_dispose(&lines);
    return is_same ? 0
                   : error_set(error, ERROR_IO,
                               "%s: the checksum of [%s] is not that of its lines; this file "
                               "is left out",
                               ini->file, name);
}

static int add_size(struct records *out, const struct record *key, const struct config *config,
                    const struct size *size, struct error *error)
{
    struct record record = *key;
    record.problem.regime = size->regime;
    record.problem.dims = size->dims;
    record.problem.dims.scan = key->problem.dims.scan;
    record.source = RECORD_MEASURED;
    record.code = config->code;
    record.median_ps = record.low_ps = record.high_ps = size->ps;
    record.default_ps = size->default_ps;
    memcpy(record.params, config->params, sizeof record.params);
    if (store_add(out, &record, error))
        return -1;
    if (size->from == size->to)
        return 0;
    if (array_grow(&out->intervals, out->interval_count, sizeof *out->intervals, error))
        return -1;
    out->intervals[out->interval_count++] =
        (struct interval){size->from, size->to, out->at[out->count - 1]};
    return 0;
}

static int read_sizes(struct records *out, const struct record *key,
                      const struct table *configs, const struct table *sizes,
                      struct error *error)
{
    for (size_t i = 0; i < sizes->count; i++) {
        struct size size;
        struct config config;
        if (!read_size(&size, sizes->first[i].value))
            return refuse(&sizes->first[i], "not REGIME CONFIG PS DEFAULT_PS FROM TO and dims",
                          error);
        const struct dims canonical = dims_canonical(&size.dims);
        if (!dims_is_same(&canonical, &size.dims) || size.from > size.dims.depth.n ||
            size.to < size.dims.depth.n)
            return refuse(&sizes->first[i], "no size that the config can serve", error);
        if (!size.config || size.config > configs->count ||
            !read_config(&config, configs->first[size.config - 1].value,
                         configs->first[0].value))
            return refuse(&sizes->first[i], "its config is not there", error);
        if (add_size(out, key, &config, &size, error))
            return -1;
    }
    return 0;
}

static int read_all(struct records *out, const struct ini *ini, struct error *error)
{
    struct table configs, sizes;
    struct record key;
    return record_parse_key(&key, ini, error) ||
                   find_table(&configs, ini, configs_name, error) ||
                   find_table(&sizes, ini, sizes_name, error) ||
                   read_sizes(out, &key, &configs, &sizes, error)
               ? -1
               : 0;
}

int compact_load(struct records *out, const char *name, const char *bytes, size_t length,
                 struct error *error)
{
    const size_t count = out->count, intervals = out->interval_count;
    struct error reason;
    struct ini ini;
    int failed = ini_load(&ini, name, bytes, length, &reason);
    if (!failed) {
        failed = read_all(out, &ini, &reason);
        ini_dispose(&ini);
    }
    if (!failed)
        return 0;
    if (reason.code == ERROR_FAILED) {
        *error = reason;
        return -1;
    }
    out->count = count;
    out->interval_count = intervals;
    if (out->skipped++ == 0)
        out->reason = reason;
    return 0;
}
