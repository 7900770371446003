/* export_json: writes PREFIX.json, for programs that turn the records into something else. */
#include "autotune/export/export_text.h"

#include "generator/dims_text.h"
#include "generator/json.h"

#include <inttypes.h>
#include <stdio.h>

static void add_params(struct json *json, const struct export *export,
                       const struct export_row *row)
{
    const struct space *space = export->source.space;
    json_open(json, "params", '{');
    for (size_t i = 0; i < space->param_count; i++) {
        struct text value = {0};
        point_format_value(&value, &space->params[i], row->values[i]);
        (space->params[i].symbols ? json_string : json_number)(json, space->params[i].name,
                                                               value.at ? value.at : "");
        json->out->failed |= value.failed;
        text_dispose(&value);
    }
    json_close(json, '}');
}

static void add_kernels(struct json *json, const struct export *export,
                        const struct export_row *row)
{
    json_open(json, "passes", '[');
    for (size_t i = 0; i < row->step_count; i++) {
        const struct export_step *step = &export->steps[row->first_step + i];
        json_open(json, NULL, '{');
        json_string(json, "pass", export->source.space->passes[step->pass].name);
        json_count(json, "kernel", step->kernel);
        json_signed(json, "block", step->block);
        json_signed(json, "tile", step->tile);
        json_signed(json, "cluster", step->cluster);
        json_signed(json, "shared_bytes", step->shared_bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_record(struct json *json, const struct export_row *row)
{
    const struct record *record = row->record;
    char number[NUMBER_CHARS], code[17];
    for (size_t i = 1; i < DIMS_TEXT_CELLS && dims_text_cell(number, &record->problem.dims, i);
         i++)
        json_number(json, dims_text_keys[i], number);
    json_count(json, "n", dims_n(&record->problem.dims));
    if (record->median_ps) /* else it is of a problem that costs the same */
        json_count(json, "median_ps", record->median_ps);
    if (record_has_run(record)) {
        json_count(json, "low_ps", record->low_ps);
        json_count(json, "high_ps", record->high_ps);
        json_count(json, "ties", record->ties);
        json_count(json, "registers", record->registers);
        json_string(json, "tuned", record->tuned);
    }
    json_string(json, "driver", record->driver);
    json_string(json, "compiler", record->compiler);
    snprintf(code, sizeof code, "%016" PRIx64, record->code);
    json_string(json, "code", code);
    json_line(json, "\n       ");
    if (row->from < row->to) {
        json_count(json, "n_from", row->from);
        json_count(json, "n_to", row->to);
    }
}

static void add_row(struct json *json, const char *key, const struct export *export,
                    const struct export_row *row)
{
    json_open(json, key, '{');
    if (row->record)
        add_record(json, row);
    if (row->record && row->first <= row->last && row->last != UINT64_MAX)
        json_count(json, "serves_up_to", row->last);
    add_params(json, export, row);
    json_line(json, "\n       ");
    add_kernels(json, export, row);
    json_close(json, '}');
}

static void add_gpus(struct json *json, const struct export *export)
{
    json_open(json, "gpus", '[');
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        json_line(json, "\n    ");
        json_open(json, NULL, '{');
        json_string(json, "name", gpu->name);
        json_signed(json, "cc", gpu->cc);
        json_signed(json, "sms", gpu->sms);
        if (gpu->memory_clock_khz && gpu->bus_bits) {
            json_signed(json, "memory_clock_khz", gpu->memory_clock_khz);
            json_signed(json, "bus_bits", gpu->bus_bits);
        }
        json_open(json, "rows", '[');
        for (size_t r = 0; r < gpu->count; r++) {
            json_line(json, "\n      ");
            add_row(json, NULL, export, &export->rows[gpu->first + r]);
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_problem(struct json *json, const struct problem *problem)
{
    json_open(json, "problem", '{');
    json_string(json, "op", problem_ops[problem->op].name);
    json_string(json, "type", problem_types[problem->type].name);
    json_string(json, "acc", problem_types[problem->acc].name);
    json_string(json, "regime", problem_regimes[problem->regime]);
    json_string(json, "order", problem_orders[problem->order].name);
    if (*dims_text_each(&problem->dims))
        json_string(json, "shape", dims_text_each(&problem->dims));
    json_close(json, '}');
}

static int write(struct export_files *out, const struct export *export, struct error *error)
{
    struct json json = {.out = export_add_file(out, export, ".json")};
    struct text origin = {0};
    (void)error;
    text_addf(&origin, "%s %s", export_mark, export->source.version);
    json_open(&json, NULL, '{');
    json_string(&json, "origin", origin.at);
    json_line(&json, "\n  ");
    json_string(&json, "command", export->source.command);
    json_line(&json, "\n  ");
    add_problem(&json, &export->source.problem);
    json_line(&json, "\n  ");
    json_string(&json, "space", export->source.space->name);
    json_line(&json, "\n  ");
    add_gpus(&json, export);
    json_line(&json, "\n  ");
    add_row(&json, "default", export, &export->rows[export->row_count - 1]);
    json_close(&json, '}');
    text_adds(json.out, "\n");
    json.out->failed |= origin.failed;
    text_dispose(&origin);
    return 0;
}

const struct export_format export_json = {"json", "PREFIX.json", "anything else", write};
