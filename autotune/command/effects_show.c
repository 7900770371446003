/* effects_show: joins what tuning knows of params and the heat map of reports. */
#include "autotune/command/effects_show.h"

#include "autotune/cli/output.h"
#include "autotune/compare/compare_journal.h"
#include "autotune/report/trials_map.h"
#include "autotune/tune/effects_cause.h"
#include "autotune/tune/effects_print.h"
#include "autotune/tune/effects_read.h"

#include <stdlib.h>
#include <string.h>

/* --- The axes of the map ------------------------------------------------------------------ */

/* Is it a param with several values? */
static bool is_choice(const struct space *space, const char *name, size_t length)
{
    const int param = space_find_param(space, name, length);
    return param >= 0 && space->params[param].count > 1;
}

int effects_show_check(const struct request *request, const struct space *space,
                       struct error *error)
{
    const char *const axes = request->axes ? request->axes : "";
    const size_t first = strcspn(axes, ",");
    const char *const second = axes + first + (axes[first] == ',');
    struct text known = {0};
    if (!request->axes ||
        (is_choice(space, axes, first) && is_choice(space, second, strlen(second)) &&
         !(strlen(second) == first && strncmp(axes, second, first) == 0)))
        return 0;
    for (size_t i = 0; i < space->param_count; i++)
        if (space->params[i].count > 1)
            text_addf(&known, "%s%s", known.length ? ", " : "", space->params[i].name);
    error_set(
        error, ERROR_USAGE,
        "--axes is '%.60s': give two different params, separated by a comma: the space has "
        "%s",
        axes, known.at ? known.at : "none of several values");
    text_dispose(&known);
    return -1;
}

/* --- The effects -------------------------------------------------------------------------- */

static int read_journal(struct effects *out, const struct tune_task *task,
                        const struct record *record, struct error *error)
{
    const struct request *request = task->request;
    struct journal journal;
    if (!compare_journal_load(&journal, request->cache, record)) {
        output_note(
            &request->out,
            "effects   the journal of the record's search is not here: --retune measures "
            "again\n");
        return 0;
    }
    const int failed = effects_read_journal(out, &task->setup->context, &journal, error);
    journal_close(&journal);
    return failed;
}

int effects_show_find(struct effects *out, const struct tune_task *task,
                      const struct record *record, struct error *error)
{
    const struct setup *setup = task->setup;
    const struct effects_subject subject = {.context = &setup->context,
                                            .sources = task->request->template
                                                           ? NULL
                                                           : &setup->sources,
                                            .peak_bytes =
                                                device_peak_bytes(&setup->device->info)};
    *out = (struct effects){.space = setup->space};
    if (task->is_answered ? read_journal(out, task, record, error)
                          : effects_read_result(out, &task->result, error))
        return -1;
    effects_explain(out, &subject);
    return 0;
}

/* --- On stdout ---------------------------------------------------------------------------- */

/* Where only one value of a param was tried there is no map by it, and a warning. */
static int print_map(const struct effects *effects, const struct tune_task *task,
                     struct error *error)
{
    const struct terminal_style style = terminal_style(stdout);
    struct heat_map *map;
    struct text text = {0};
    struct error cause;
    if (effects->param_count < 2 && !task->request->axes)
        return 0;
    if (trials_map_of_effects(&map, task->request->axes, effects, &task->setup->problem,
                              &cause)) {
        output_warn("%s", cause.text);
        return 0;
    }
    text_addf(&text, "\n%s\n", map->figure.title);
    heat_map_kind.text(&text, &map->figure, &style);
    free(map);
    const int failed = text_check(&text, error) || output_write("-", &text, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}

int effects_show(const struct effects *effects, const struct tune_task *task,
                 struct error *error)
{
    const struct request *request = task->request;
    struct text text = {0};
    if (!effects->param_count || output_is_taken(&request->out))
        return 0;
    text_adds(&text, "\n");
    effects_print(&text, effects, task->setup->target.is_host, terminal_has_color(stdout));
    const int failed = output_text(&text, error) || print_map(effects, task, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}
