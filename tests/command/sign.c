/* sign: prints the fields of a record on stdin with a checksum. A code of zeros becomes the one that
 * its params give in the space, which is built in. */
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "cache/code.h"
#include "generator/ini.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static void add_checksum(struct text *out, size_t start)
{
    text_addf(out, "checksum = %016llx\n",
              (unsigned long long)XXH3_64bits(out->at + start, out->length - start));
}

static int read_record(struct record *out, const struct text *fields)
{
    static const char head[] = "[record 1]\n";
    struct text section = {0};
    struct error ignored;
    struct ini ini;
    text_adds(&section, head);
    text_add(&section, fields->at, fields->length);
    add_checksum(&section, sizeof head - 1);
    int failed = ini_load(&ini, "stdin", section.at, section.length, &ignored);
    if (!failed) {
        failed = record_parse(out, &ini, "record 1", &ignored);
        ini_dispose(&ini);
    }
    text_dispose(&section);
    return failed;
}

static const char *built_in(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%.100s", folder, name);
    const struct embedded *file = embedded_find(path);
    return file ? file->bytes : "";
}

static int load_space(struct space **out, const char *name)
{
    struct error ignored;
    char file[200];
    snprintf(file, sizeof file, "%.100s.ini", name);
    const char *bytes = built_in("configs", file);
    return space_load(out, file, bytes, strlen(bytes), embedded_space, &ignored);
}

static int set_code(struct record *record, const struct space *space)
{
    const char *const name = space->template_name;
    const struct emit_sources sources = {
        .template = {name, built_in("templates", name)},
        .types = {"types.cu", built_in("templates", "types.cu")},
        .intrinsics = {"intrinsics.cu", built_in("templates", "intrinsics.cu")},
    };
    struct target target;
    const struct point_context here = {space, &record->problem, &target};
    struct error ignored;
    int64_t row[SPACE_NAMES_MAX];
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", record->cc);
    memcpy(row, space->default_row, space->param_count * sizeof *row);
    if (gpus_find(&target, arch, &ignored) && gpus_find(&target, "sm_90", &ignored))
        return -1;
    return point_parse(space, record->params, row, &ignored) ||
           code_hash(&record->code, record, row, &here, &sources, &ignored);
}

/* The record as one section, without its head. */
static void print_record(const struct record *record)
{
    struct text text = {0};
    record_emit(&text, record, 1);
    fputs(strchr(text.at, '\n') + 1, stdout);
    text_dispose(&text);
}

int main(void)
{
    struct text fields = {0};
    struct record record;
    struct space *space = NULL;
    char line[4096];
    while (fgets(line, sizeof line, stdin))
        text_adds(&fields, line);
    if (fields.length && read_record(&record, &fields) == 0 && record.code == 0 &&
        load_space(&space, record.space) == 0 && set_code(&record, space) == 0) {
        print_record(&record);
    } else if (fields.length) {
        add_checksum(&fields, 0);
        fputs(fields.at, stdout);
    }
    space_free(space);
    text_dispose(&fields);
    return 0;
}
