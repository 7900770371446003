/* export_json: writes PREFIX.json, for programs that turn the records into something else. */
#include "autotune/export/export_text.h"

#include "generator/dims_text.h"

#include <inttypes.h>

static void add_string(struct text *out, const char *name, const char *value)
{
    text_addf(out, "\"%s\": ", name);
    text_add_json(out, value);
}

static void add_params(struct text *out, const struct export *export,
                       const struct export_row *row)
{
    const struct space *space = export->source.space;
    text_adds(out, "\"params\": {");
    for (size_t i = 0; i < space->param_count; i++) {
        text_addf(out, "%s\"%s\": ", i ? ", " : "", space->params[i].name);
        struct text value = {0};
        point_format_value(&value, &space->params[i], row->values[i]);
        if (space->params[i].symbols)
            text_add_json(out, value.at ? value.at : "");
        else
            text_adds(out, value.at ? value.at : "0");
        out->failed |= value.failed;
        text_dispose(&value);
    }
    text_adds(out, "}");
}

static void add_kernels(struct text *out, const struct export *export,
                        const struct export_row *row)
{
    text_adds(out, "\"passes\": [");
    for (size_t i = 0; i < row->step_count; i++) {
        const struct export_step *step = &export->steps[row->first_step + i];
        text_adds(out, i ? ", {" : "{");
        add_string(out, "pass", export->source.space->passes[step->pass].name);
        text_addf(out,
                  ", \"kernel\": %zu, \"block\": %" PRId64 ", \"tile\": %" PRId64
                  ", \"cluster\": %" PRId64 ", \"shared_bytes\": %" PRId64 "}",
                  step->kernel, step->block, step->tile, step->cluster, step->shared_bytes);
    }
    text_adds(out, "]");
}

static void add_record(struct text *out, const struct export_row *row)
{
    const struct record *record = row->record;
    char number[NUMBER_CHARS];
    for (size_t i = 1; i < DIMS_TEXT_CELLS && dims_text_cell(number, &record->problem.dims, i);
         i++)
        text_addf(out, "\"%s\": %s, ", dims_text_keys[i], number);
    text_addf(out,
              "\"n\": %" PRIu64 ", \"median_ps\": %" PRIu64 ", \"low_ps\": %" PRIu64
              ", \"high_ps\": %" PRIu64 ", \"ties\": %u, \"registers\": %u, ",
              dims_n(&record->problem.dims), record->median_ps, record->low_ps, record->high_ps,
              record->ties, record->registers);
    add_string(out, "tuned", record->tuned);
    text_adds(out, ", ");
    add_string(out, "driver", record->driver);
    text_adds(out, ", ");
    add_string(out, "compiler", record->compiler);
    text_addf(out, ", \"code\": \"%016" PRIx64 "\",\n       ", record->code);
    if (row->from < row->to)
        text_addf(out, "\"n_from\": %" PRIu64 ", \"n_to\": %" PRIu64 ", ", row->from, row->to);
}

static void add_row(struct text *out, const struct export *export, const struct export_row *row)
{
    text_adds(out, "{");
    if (row->record)
        add_record(out, row);
    if (row->record && row->first <= row->last && row->last != UINT64_MAX)
        text_addf(out, "\"serves_up_to\": %" PRIu64 ", ", row->last);
    add_params(out, export, row);
    text_adds(out, ",\n       ");
    add_kernels(out, export, row);
    text_adds(out, "}");
}

static void add_gpus(struct text *out, const struct export *export)
{
    text_adds(out, "  \"gpus\": [");
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        text_adds(out, i ? ",\n    {" : "\n    {");
        add_string(out, "name", gpu->name);
        text_addf(out, ", \"cc\": %d, \"sms\": %d, \"rows\": [", gpu->cc, gpu->sms);
        for (size_t r = 0; r < gpu->count; r++) {
            text_adds(out, r ? ",\n      " : "\n      ");
            add_row(out, export, &export->rows[gpu->first + r]);
        }
        text_adds(out, "]}");
    }
    text_adds(out, "],\n");
}

static int write(struct export_files *out, const struct export *export, struct error *error)
{
    struct text *text = export_add_file(out, export, ".json");
    const struct problem *problem = &export->source.problem;
    (void)error;
    text_addf(text, "{\"origin\": \"%s %s\",\n  ", export_mark, export->source.version);
    add_string(text, "command", export->source.command);
    text_addf(text,
              ",\n  \"problem\": {\"op\": \"%s\", \"type\": \"%s\", \"acc\": \"%s\", "
              "\"regime\": \"%s\", \"order\": \"%s\"",
              problem_ops[problem->op].name, problem_types[problem->type].name,
              problem_types[problem->acc].name, problem_regimes[problem->regime],
              problem_orders[problem->order].name);
    if (*dims_text_each(&problem->dims))
        text_addf(text, ", \"shape\": \"%s\"", dims_text_each(&problem->dims));
    text_adds(text, "},\n  ");
    add_string(text, "space", export->source.space->name);
    text_adds(text, ",\n");
    add_gpus(text, export);
    text_adds(text, "  \"default\": ");
    add_row(text, export, &export->rows[export->row_count - 1]);
    text_adds(text, "}\n");
    return 0;
}

const struct export_format export_json = {"json", "PREFIX.json", "anything else", write};
