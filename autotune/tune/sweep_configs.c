/* sweep_configs: leaves out what is listed already, and what cannot run or may not. */
#include "autotune/tune/sweep_configs.h"

#include "generator/call.h"

#include <string.h>

/* The rules may reject the config here; it only needs launches. */
static bool can_run(const struct setup *setup, const int64_t *values)
{
    struct planner_plan plan;
    struct error ignored;
    return call_plan(&plan, &setup->context, values, &ignored) == 0;
}

void sweep_configs_add(struct sweep_configs *list, const int64_t *values)
{
    const size_t width = list->setup->space->param_count;
    bool is_new = list->count < list->most && can_run(list->setup, values);
    for (size_t i = 0; i < list->count && is_new; i++)
        is_new = memcmp(list->configs + i * width, values, width * sizeof *values) != 0;
    if (is_new)
        memcpy(list->configs + width * list->count++, values, width * sizeof *values);
}

int sweep_configs_add_params(struct sweep_configs *list, const char *params,
                             struct error *error)
{
    int64_t values[SPACE_NAMES_MAX];
    if (point_parse_record(list->setup->space, params, values, error))
        return -1;
    const int broken = point_reject(&list->setup->context, values, error);
    if (broken == POINT_VALID)
        sweep_configs_add(list, values);
    return broken == POINT_FAILED ? -1 : 0;
}

int sweep_configs_add_numbers(struct sweep_configs *list, const struct records *records,
                              const uint64_t *numbers, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (sweep_configs_add_params(list, configs_find(&records->configs, numbers[i])->params,
                                     error))
            return -1;
    return 0;
}
