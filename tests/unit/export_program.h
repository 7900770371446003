/* export_program: records of given GPUs with random rows, and the C99 program that asks their export:
 * written, built and run in a folder. */
#ifndef AUTOTUNE_TEST_EXPORT_PROGRAM_H
#define AUTOTUNE_TEST_EXPORT_PROGRAM_H

#include "autotune/device/gpus.h"
#include "autotune/export/export.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

static struct error error;

struct gpu {
    const char *name;
    int cc, sms;
};

static inline uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *random >> 33;
}

static inline struct target target_of(const struct gpu *gpu)
{
    struct target target;
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", gpu->cc);
    if (gpus_find(&target, arch, &error) != 0)
        fail_msg("%s", error.text);
    if (gpu->sms)
        target.sms = gpu->sms;
    return target;
}

/* All but the params. */
static inline struct record make_record(const struct gpu *gpu, const struct space *space,
                                        const struct problem *problem)
{
    struct record record = {.problem = *problem,
                            .method = RECORD_METHOD,
                            .cc = gpu->cc,
                            .sms = gpu->sms,
                            .source = RECORD_MEASURED,
                            .median_ps = 1000 + dims_n(&problem->dims)};
    snprintf(record.gpu, sizeof record.gpu, "%s", gpu->name);
    snprintf(record.space, sizeof record.space, "%s", space->name);
    snprintf(record.driver, sizeof record.driver, "580 (CUDA 13.0)");
    snprintf(record.compiler, sizeof record.compiler, "NVRTC 13.0");
    snprintf(record.tuned, sizeof record.tuned, "2026-11-21T01:25:00Z");
    return record;
}

static inline void take_config(struct record *record, const struct space *space,
                               const int64_t *row)
{
    struct text text = {0};
    point_format(&text, space, row, true);
    assert_true(text.length < sizeof record->params);
    memcpy(record->params, text.at, text.length + 1);
    text_dispose(&text);
}

static inline void put(const char *folder, const char *name, const char *bytes, size_t length)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline void run(const char *folder, const char *command)
{
    char line[900];
    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    if (system(line) != 0)
        fail_msg("%s failed", command);
}

static inline void write_format(struct export_files *out, const struct export *export,
                                const char *name)
{
    const struct export_format *format;
    if (export_find_format(&format, name, &error) || export_write(out, export, format, &error))
        fail_msg("%s: %s", name, error.text);
}

/* In `folder`, the program with the export of all records. */
static inline void build_program(const char *folder, const struct export_source *source,
                                 const char *program)
{
    struct export_files files;
    struct export export;
    if (export_init(&export, source, &error))
        fail_msg("%s", error.text);
    write_format(&files, &export, "header");
    put(folder, files.at[0].name, files.at[0].text.at, files.at[0].text.length);
    put(folder, "program.c", program, strlen(program));
    export_dispose_files(&files);
    export_dispose(&export);
    run(folder, "${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
                "-fsanitize=undefined -fno-sanitize-recover -o program program.c");
}

/* It answers each line of the questions as wanted, to the byte. */
static inline void compare_program(const char *folder, const struct text *questions,
                                   const struct text *want)
{
    put(folder, "in", questions->at, questions->length);
    put(folder, "want", want->at, want->length);
    run(folder, "./program < in > out");
    run(folder, "diff want out > difference || { head -c 3000 difference; false; }");
}

#endif
