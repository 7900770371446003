/* check_record: gives a search the record's config and the space's default alone, so that proofs, workers and race
 * are those of a tuning, and turns its result into a verdict. */
#include "autotune/command/check_record.h"

#include "autotune/cli/interrupt.h"
#include "autotune/search/tune.h"
#include "autotune/tune/tune_notes.h"
#include "cache/code.h"

#include <stdio.h>
#include <string.h>

/* --- The setup ---------------------------------------------------------------------------- */

/* Does the open setup serve the record too, once it has its size? */
static bool has_setup(const struct check_session *session, const struct record *record)
{
    const struct problem *a = &session->setup.problem, *b = &record->problem;
    return session->setup.device && a->op == b->op && a->type == b->type && a->acc == b->acc &&
           a->order == b->order && a->dims.scan == b->dims.scan &&
           problem_has_same_segments(a, b) &&
           strcmp(session->setup.space->name, record->space) == 0;
}

static int open_setup(struct check_session *session, const struct record *record,
                      struct error *error)
{
    struct request own = *session->request;
    own.problem = record->problem;
    own.has_n = own.has_op = own.has_type = own.has_acc = own.has_order = true;
    own.space = own.space ? own.space : record->space;
    setup_close(&session->setup);
    return setup_open(&session->setup, &own, true, error);
}

/* A file may have the space that any record names; a name of what ships is that space's. */
static bool is_of_other_space(const struct request *request, const struct record *record)
{
    return request->space && !strpbrk(request->space, "/.") &&
           strcmp(request->space, record->space) != 0;
}

int check_record_open(struct check_session *session, const struct record *record,
                      struct error *error)
{
    if (is_of_other_space(session->request, record))
        return 0;
    if (!has_setup(session, record) && open_setup(session, record, error))
        return -1;
    if (session->request->space && strcmp(session->setup.space->name, record->space) != 0)
        return 0;
    return setup_resize(&session->setup, &record->problem.dims, record->problem.regime, error)
               ? -1
               : 1;
}

/* --- What is known without a run ---------------------------------------------------------- */

static void set_why(struct check_row *row, enum check_verdict verdict, const char *why)
{
    row->judgement = (struct check_judgement){.verdict = verdict, .why = ""};
    snprintf(row->why, sizeof row->why, "%.500s", why);
}

/* Is the record's kernel another now than the one that was measured? Then no call uses it. */
static bool is_stale(struct check_row *row, struct check_session *session, int64_t *config)
{
    const struct setup *setup = &session->setup;
    struct error why;
    int broken = POINT_VALID;
    const bool is_current =
        point_parse_record(setup->space, row->record->params, config, &why) == 0 &&
        (broken = point_reject(&setup->context, config, &why)) == POINT_VALID &&
        code_is_current(&session->memo, row->record, config, &setup->context, &setup->sources,
                        &why);
    if (is_current)
        return false;
    if (broken >= 0)
        error_set(&why, ERROR_IO, "the rule '%s' refuses it now",
                  setup->space->rules[broken].reason);
    set_why(row, CHECK_STALE, why.text);
    return true;
}

/* --- The run ------------------------------------------------------------------------------ */

static struct check_ratio ratio_of(const struct tune_place *place)
{
    return place ? check_ratio_inverse(
                       (struct check_ratio){place->ratio, place->ratio_low, place->ratio_high})
                 : (struct check_ratio){0, 0, 0};
}

static struct check_ratio ratio_then(const struct record *record)
{
    struct record_gain gain;
    if (!record_gain(&gain, record) || gain.low <= 0)
        return (struct check_ratio){0, 0, 0};
    return check_ratio_inverse((struct check_ratio){gain.times, gain.low, gain.high});
}

static void take_times(struct check_row *row, const struct check_session *session,
                       const struct tune_result *result, const int64_t *config)
{
    const struct record *record = row->record;
    const struct setup *setup = &session->setup;
    const size_t bytes = setup->space->param_count * sizeof *config;
    const struct tune_place *own = tune_result_place(result, config);
    const bool is_default = memcmp(config, setup->space->default_config, bytes) == 0;
    if (!own)
        return;
    row->median_ps = own->median_ps;
    row->low_ps = own->low_ps;
    row->high_ps = own->high_ps;
    row->ratios = (struct check_ratios){.old = ratio_of(tune_result_old(result)),
                                        .untuned_then = ratio_then(record),
                                        .is_emulated = setup->target.is_host};
    if (!is_default)
        row->ratios.untuned = ratio_of(tune_result_place(result, setup->space->default_config));
    if (record->median_ps && record->low_ps)
        row->ratios.claimed =
            check_ratio_over((struct check_ratio){(double)own->median_ps, (double)own->low_ps,
                                                  (double)own->high_ps},
                             (struct check_ratio){(double)record->median_ps,
                                                  (double)record->low_ps,
                                                  (double)record->high_ps});
}

/* The trial of the record's kernel, which is the first candidate. */
static bool is_right(struct check_row *row, const struct tune_result *result)
{
    const struct tune_trial *trial = &result->trials[0];
    const char *reason = trial->reason >= 0 ? result->reasons[trial->reason] : "";
    switch (trial->status) {
    case TRIAL_MEASURED:
    case TRIAL_EQUAL: return true;
    case TRIAL_CRASHED: snprintf(row->why, sizeof row->why, "it crashes: %s", reason); break;
    case TRIAL_HUNG: snprintf(row->why, sizeof row->why, "it does not end: %s", reason); break;
    case TRIAL_TOO_FAST:
        snprintf(row->why, sizeof row->why, "it ends before the memory can deliver the data");
        break;
    default: snprintf(row->why, sizeof row->why, "%s", reason); break;
    }
    row->judgement.verdict = trial->status == TRIAL_FAILED ? CHECK_UNTOLD : CHECK_WRONG;
    return false;
}

static void judge(struct check_row *row, const struct check_session *session,
                  const struct tune_result *result, const int64_t *config)
{
    if (!is_right(row, result))
        return;
    take_times(row, session, result, config);
    row->judgement = check_judge(&row->ratios);
    if (*result->noise_why && row->judgement.verdict == CHECK_SAME)
        set_why(row, CHECK_UNTOLD, result->noise_why);
    else if (*result->old_reason)
        snprintf(row->why, sizeof row->why, "its old code does not race: %s",
                 result->old_reason);
    else
        snprintf(row->why, sizeof row->why, "%s", row->judgement.why);
}

/* Of what a run can end with, this says something of the record alone. */
static int take_failure(struct check_row *row, const struct error *cause, struct error *error)
{
    switch (cause->code) {
    case ERROR_WRONG: set_why(row, CHECK_WRONG, cause->text); return 0;
    case ERROR_FAILED:
    case ERROR_USAGE:
    case ERROR_NO_MEMORY:
    case ERROR_NOT_GRANTED: set_why(row, CHECK_UNTOLD, cause->text); return 0;
    default: *error = *cause; return -1;
    }
}

static int run(struct check_row *row, struct check_session *session, const int64_t *config,
               const struct check_code *code, struct error *error)
{
    const struct setup *setup = &session->setup;
    const size_t width = setup->space->param_count;
    int64_t configs[2 * SPACE_NAMES_MAX];
    const struct tune_job job = {.context = &setup->context,
                                 .sources = &setup->sources,
                                 .space = setup->space_file,
                                 .info = &setup->device->info,
                                 .specs = session->specs,
                                 .spec_count = 1,
                                 .nvrtc = session->request->nvrtc,
                                 .compilers = 1,
                                 .workers = session->workers,
                                 .units = session->units};
    const struct tune_options options = {.strategy = STRATEGY_EXHAUSTIVE,
                                         .configs = configs,
                                         .config_count = 2,
                                         .is_only_configs = true,
                                         .is_comparison = true,
                                         .old = code->state == CHECK_CODE_CHANGED ? &code->old
                                                                                  : NULL,
                                         .seed = session->request->seed,
                                         .race_s = session->race_s,
                                         .is_stopping = interrupt_came};
    struct tune_result result;
    memcpy(configs, config, width * sizeof *configs);
    memcpy(configs + width, setup->space->default_config, width * sizeof *configs);
    if (tune_run(&result, &job, &options, error))
        return -1;
    judge(row, session, &result, config);
    tune_result_dispose(&result);
    return 0;
}

int check_record_run(struct check_row *row, struct check_session *session,
                     const struct record *record, struct error *error)
{
    int64_t config[SPACE_NAMES_MAX];
    struct check_code code = {.state = CHECK_CODE_UNKNOWN};
    struct error cause;
    *row = (struct check_row){.record = record, .judgement.why = ""};
    if (is_stale(row, session, config))
        return 0;
    session->specs[0] = session->setup.device->info.spec;
    int failed =
        setup_check_room(&session->setup, &cause) ||
        check_code_find(&code, &session->setup, record, config, session->kernels, &cause);
    row->code = code.state;
    failed = failed || run(row, session, config, &code, &cause);
    check_code_dispose(&code);
    return failed ? take_failure(row, &cause, error) : 0;
}
