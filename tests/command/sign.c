/* sign: adds a record to a record file. Its fields are read from stdin as they stand in such a
 * file, but for `params` and `code` in the place of the config's number, and "PARAMS:PS:HIGH_PS" in
 * lines of their own of what was raced. A code of zeros becomes the one that the params give in the
 * space, which is built in. */
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "cache/code.h"
#include "cache/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { RACED_MAX = 20 };

static const char *built_in(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%.100s", folder, name);
    const struct embedded *file = embedded_find(path);
    return file ? file->bytes : "";
}

static int load_space(struct space **out, const char *name, struct error *error)
{
    char file[200];
    snprintf(file, sizeof file, "%.100s.ini", name);
    const char *bytes = built_in("configs", file);
    return space_load(out, file, bytes, strlen(bytes), embedded_space, error);
}

static int set_code(struct record *record, const struct space *space, struct error *error)
{
    const char *const name = space->template_name;
    const struct emit_sources sources = {
        .template = {name, built_in("templates", name)},
        .types = {"types.cu", built_in("templates", "types.cu")},
        .intrinsics = {"intrinsics.cu", built_in("templates", "intrinsics.cu")},
    };
    struct target target;
    const struct point_context here = {space, &record->problem, &target};
    int64_t row[SPACE_NAMES_MAX];
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", record->cc);
    if (gpus_find(&target, arch, error) && gpus_find(&target, "sm_90", error))
        return -1;
    return point_parse_record(space, record->params, row, error) ||
           code_hash(&record->code, record, row, &here, &sources, error);
}

/* A file of the one record, without what was raced. */
static void add_section(struct text *out, const char *name, const char *lines, const char *of)
{
    text_addf(out, "%s\n%schecksum = %016llx\n", name, lines,
              (unsigned long long)XXH3_64bits(of, strlen(of)));
}

static int load_record(struct records *out, const struct text *config, struct text *fields,
                       struct error *error)
{
    struct text file = {0};
    text_adds(fields, "config = 1\n");
    text_adds(&file, "[autotune]\nschema = 2\n");
    add_section(&file, "[config 1]", config->at, config->at);
    struct text of = {0};
    text_addf(&of, "%s%s", fields->at, file.at + file.length - 17);
    add_section(&file, "[record 1]", fields->at, of.at);
    int failed = store_load_bytes(out, "stdin", file.at, file.length, error);
    if (!failed && out->count != 1)
        failed = error_set(error, ERROR_FAILED, "%s", out->reason.text);
    text_dispose(&file);
    text_dispose(&of);
    return failed;
}

/* "PARAMS:PS:HIGH_PS" */
static int add_raced(struct records *records, char *line, const struct space *space,
                     struct error *error)
{
    struct record *record = records->at, other = *record;
    struct raced raced;
    char *high = strrchr(line, ':');
    *high++ = 0;
    char *ps = strrchr(line, ':');
    *ps++ = 0;
    raced.ps = strtoull(ps, NULL, 10);
    raced.high_ps = strtoull(high, NULL, 10);
    snprintf(other.params, sizeof other.params, "%.*s", CONFIG_PARAMS_MAX, line);
    if (space && set_code(&other, space, error))
        return -1;
    const struct config config = store_config(&other);
    if (configs_add(&raced.config, &records->configs, &config, error))
        return -1;
    record->raced[record->raced_count++] = raced;
    return 0;
}

static int sign(const char *path, const struct text *config, struct text *fields,
                char raced[][1000], size_t count, struct error *error)
{
    struct records one = {0}, signed_one = {0};
    struct space *space = NULL;
    int failed = load_record(&one, config, fields, error);
    if (!failed && one.at->code == 0)
        failed = load_space(&space, one.at->space, error) || set_code(one.at, space, error);
    failed = failed || store_add(&signed_one, one.at, error);
    for (size_t i = 0; i < count && !failed; i++)
        failed = add_raced(&signed_one, raced[i], space, error);
    failed = failed || store_save(path, &signed_one, NULL, error);
    store_dispose(&one);
    store_dispose(&signed_one);
    space_free(space);
    return failed;
}

int main(int argc, char **argv)
{
    static char line[4096], raced[RACED_MAX][1000];
    struct text config = {0}, fields = {0};
    struct error error;
    size_t count = 0;
    while (fgets(line, sizeof line, stdin))
        if (strncmp(line, "raced = ", 8) == 0 && count < RACED_MAX)
            snprintf(raced[count++], sizeof raced[0], "%.*s", (int)strcspn(line + 8, "\n"),
                     line + 8);
        else
            text_adds(strncmp(line, "params = ", 9) && strncmp(line, "code = ", 7) ? &fields
                                                                                   : &config,
                      line);
    if (argc != 2 || !config.at || !fields.at)
        return 64;
    const int failed = sign(argv[1], &config, &fields, raced, count, &error);
    if (failed)
        fprintf(stderr, "sign: %s\n", error.text);
    text_dispose(&config);
    text_dispose(&fields);
    return failed ? 1 : 0;
}
