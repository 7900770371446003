/* host_plans: the library's contexts and plans on the emulator, for tests of them: opened, refused
 * with which words, and records for them in a folder of the test's own. */
#ifndef AUTOTUNE_TEST_HOST_PLANS_H
#define AUTOTUNE_TEST_HOST_PLANS_H

#include "autotune/device/device.h"
#include "cache/code.h"
#include "cache/store.h"
#include "generator/dims_text.h"
#include "include/autotune.h"
#include "tests/unit/reduce_files.h"
#include "tests/unit/save_record.h"

#include <stdio.h>
#include <stdlib.h>

static struct autotune_error error;
static char folder[] = "/tmp/test-plan-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static inline struct autotune_context *open_context(const char *records, const char *program)
{
    const struct autotune_context_options options = {.device = "host",
                                                     .records = records,
                                                     .program = program};
    struct autotune_context *context = NULL;
    if (autotune_context_create(&context, &options, &error))
        fail_msg("%s", error.text);
    return context;
}

static inline struct autotune_plan *make_plan(struct autotune_context *context,
                                              const struct autotune_problem *problem,
                                              enum autotune_from from)
{
    const struct autotune_plan_options options = {.from = from};
    struct autotune_plan *plan = NULL;
    if (autotune_plan_create(&plan, context, problem, &options, &error))
        fail_msg("%s", error.text);
    return plan;
}

/* A plan with all that a call of it needs. */
struct host_call {
    struct autotune_context *context;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
};

static inline void open_call(struct host_call *out, const struct autotune_problem *problem)
{
    out->context = open_context(folder, NULL);
    out->plan = make_plan(out->context, problem, AUTOTUNE_FROM_DEFAULT);
    if (autotune_workspace_create(&out->workspace, out->plan, NULL, NULL, &error))
        fail_msg("%s", error.text);
}

static inline void close_call(struct host_call *call)
{
    assert_int_equal(autotune_workspace_destroy(call->workspace, &error), 0);
    assert_int_equal(autotune_plan_destroy(call->plan, &error), 0);
    assert_int_equal(autotune_context_destroy(call->context, &error), 0);
}

static inline void assert_refused(int got, enum autotune_code code, const char *said)
{
    if (got != (int)code || error.code != (int)code || !strstr(error.text, said))
        fail_msg("%d, error %d '%s': not %d and '%s'", got, error.code, error.text, code, said);
    error.code = 0;
}

/* A record of this emulator, as tuning would make it but for its code. */
static inline struct record make_record(const struct problem *problem, const char *params)
{
    const struct device_options options = {.spec = "host"};
    struct device *device;
    struct error cause;
    if (device_open(&device, &options, &cause))
        fail_msg("%s", cause.text);
    struct record record = {
        .problem = *problem,
        .method = RECORD_METHOD,
        .cc = device->info.target.cc,
        .sms = device->info.target.sms,
        .source = RECORD_EMULATED,
        .median_ps = 1000000,
        .low_ps = 1000000,
        .high_ps = 1000000,
        .candidates = 3,
        .tuned = "2026-11-21T01:25:00Z",
    };
    snprintf(record.space, sizeof record.space, "%s", problem_space(problem));
    snprintf(record.gpu, sizeof record.gpu, "%s", device->info.name);
    snprintf(record.driver, sizeof record.driver, "%s", device->info.driver);
    snprintf(record.compiler, sizeof record.compiler, "%s", device->info.compiler);
    snprintf(record.params, sizeof record.params, "%s", params);
    device_close(device);
    return record;
}

/* What the record's params are emitted as; 0 when they are no point of its space. */
static inline uint64_t code_of(const struct record *record)
{
    const struct target target = {.cc = record->cc,
                                  .sms = record->sms,
                                  .threads_per_sm = 2048,
                                  .is_host = record->source == RECORD_EMULATED};
    struct emit_sources sources = load_sources();
    struct error ignored;
    int64_t row[SPACE_NAMES_MAX];
    uint64_t code = 0;
    char path[64];
    snprintf(path, sizeof path, "templates/%s.cu", record->space);
    sources.template = (struct emit_file){path, find_file(path)->bytes};
    snprintf(path, sizeof path, "configs/%s.ini", record->space);
    struct space *space = load_space(path);
    const struct point_context here = {space, &record->problem, &target};
    if (space_settle_default(space, &record->problem, &target, &ignored))
        fail_msg("%s", ignored.text);
    memcpy(row, space->default_config, space->param_count * sizeof *row);
    if (point_parse(space, record->params, row, &ignored) ||
        code_hash(&code, record, row, &here, &sources, &ignored))
        code = 0;
    space_free(space);
    return code;
}

/* Keeps it with the code of its params. Its path below the test's folder. */
static inline const char *keep(const char *name, const struct record *record)
{
    static char path[200];
    struct record kept = *record;
    struct error cause;
    kept.code = code_of(record);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (save_record(path, &kept, &cause))
        fail_msg("%s", cause.text);
    return path;
}

#endif
