/* config: keeps configs in an array by number, and finds them by hash. They are added one by
 * one, race by race. */
#include "cache/config.h"

#include "cache/section.h"
#include "generator/array.h"
#include "generator/number.h"

#include <xxhash.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct field fields[] = {
    {"params", FIELD_PARAMS, offsetof(struct config, params), 0, CONFIG_PARAMS_MAX, 1},
    {"code", FIELD_HASH, offsetof(struct config, code), 0, 0, 1},
};
static const struct section config_section = {fields, sizeof fields / sizeof *fields, 1, NULL,
                                              "config"};

/* --- The table -------------------------------------------------------------------------- */

void configs_dispose(struct configs *configs)
{
    free(configs->at);
    *configs = (struct configs){0};
}

const struct config *configs_find(const struct configs *configs, uint64_t number)
{
    return number && number <= configs->count && configs->at[number - 1].hash
               ? &configs->at[number - 1]
               : NULL;
}

static int append(struct configs *configs, const struct config *config, struct error *error)
{
    if (array_grow(&configs->at, configs->count, sizeof *configs->at, error))
        return -1;
    configs->at[configs->count++] = *config;
    return 0;
}

int configs_add(uint64_t *number, struct configs *configs, const struct config *config,
                struct error *error)
{
    struct config added = *config;
    struct text lines = {0};
    section_emit(&lines, &config_section, config);
    if (text_check(&lines, error))
        return -1;
    added.hash = XXH3_64bits(lines.at, lines.length);
    text_dispose(&lines);
    for (*number = 1; *number <= configs->count; ++*number)
        if (configs->at[*number - 1].hash == added.hash)
            return 0;
    return append(configs, &added, error);
}

int configs_put(struct configs *configs, uint64_t number, uint64_t most,
                const struct config *config, struct error *error)
{
    static const struct config none;
    while (configs->count < number && number <= most)
        if (append(configs, &none, error))
            return -1;
    if (number && number <= configs->count)
        configs->at[number - 1] = *config;
    return 0;
}

static int by_params(const void *a, const void *b)
{
    const struct config *x = a, *y = b;
    const int order = strcmp(x->params, y->params);
    return order ? order : number_compare(x->code, y->code);
}

void configs_sort(struct configs *configs, const bool *is_used, uint64_t *numbers)
{
    size_t kept = 0;
    for (size_t i = 0; i < configs->count; i++)
        if (is_used[i] && configs->at[i].hash) {
            configs->at[kept] = configs->at[i];
            configs->at[kept++].before = i;
        }
    if (kept)
        qsort(configs->at, kept, sizeof *configs->at, by_params);
    for (size_t i = 0; i < configs->count; i++)
        numbers[i] = 0;
    for (size_t i = 0; i < kept; i++)
        numbers[configs->at[i].before] = i + 1;
    configs->count = kept;
}

/* --- The section ------------------------------------------------------------------------ */

void config_emit(struct text *out, const struct config *config, uint64_t number)
{
    assert(number > 0);
    struct text lines = {0};
    text_addf(out, "[config %llu]\n", (unsigned long long)number);
    section_emit(&lines, &config_section, config);
    section_write(out, &lines, &lines);
    text_dispose(&lines);
}

int config_parse(struct config *out, const struct ini *ini, const char *section,
                 struct error *error)
{
    struct section_found found;
    *out = (struct config){.hash = 0};
    const int failed = section_parse(&found, &config_section, out, ini, section, error) ||
                       section_check(&found, &config_section, ini, error);
    out->hash = failed ? 0 : found.checksum;
    section_dispose(&found);
    return failed ? -1 : 0;
}
