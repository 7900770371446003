/* outdated: compares the drivers and compilers of records with a device's. */
#include "autotune/cli/outdated.h"

#include "generator/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void outdated_add(struct outdated *out, const struct record *record,
                  const struct device_info *info)
{
    const struct {
        const char *field, *made, *here;
    } tools[] = {{"driver", record->driver, info->driver},
                 {"compiler", record->compiler, info->compiler}};
    if (record->source == RECORD_PUBLISHED || !record_has_run(record) ||
        strcmp(record->gpu, info->name) != 0)
        return;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (!*tools[i].here || strcmp(tools[i].made, tools[i].here) == 0)
            continue;
        if (out->count++ == 0) {
            out->field = tools[i].field;
            snprintf(out->made, sizeof out->made, "%s", tools[i].made);
            snprintf(out->here, sizeof out->here, "%s", tools[i].here);
        }
        return;
    }
}

void outdated_say(struct text *out, const struct outdated *outdated)
{
    if (outdated->count)
        text_addf(out,
                  "%zu record%s made with another %s (%s; here is %s): 'autotune check' says "
                  "what that changed",
                  outdated->count, outdated->count == 1 ? " was" : "s were", outdated->field,
                  outdated->made, outdated->here);
}

/* --- All devices -------------------------------------------------------------------------- */

static int add_device(struct outdated_machine *machine, const struct device_info *info,
                      struct error *error)
{
    for (size_t i = 0; i < machine->count; i++)
        if (strcmp(machine->at[i].info.name, info->name) == 0)
            return 0; /* GPUs of one kind share a driver */
    if (array_grow(&machine->at, machine->count, sizeof *machine->at, error))
        return -1;
    memset(&machine->at[machine->count], 0, sizeof *machine->at);
    machine->at[machine->count++].info = *info;
    return 0;
}

static int look(struct outdated_machine *machine, struct error *error)
{
    struct device_info info;
    struct device *host;
    struct error ignored;
    char why[400];
    const int count = device_count(why, sizeof why);
    int failed = 0;
    for (int i = 0; i < count && !failed; i++)
        if (cuda_describe(&info, i, &ignored) == 0)
            failed = add_device(machine, &info, error);
    const struct device_options options = {"host", NULL, 1};
    if (!failed && device_open(&host, &options, &ignored) == 0) {
        failed = add_device(machine, &host->info, error);
        device_close(host);
    }
    return failed;
}

int outdated_machine_add(struct outdated_machine *machine, const struct record *record,
                         struct error *error)
{
    if (record->source == RECORD_PUBLISHED || !record_has_run(record))
        return 0;
    if (!machine->has_looked && look(machine, error))
        return -1;
    machine->has_looked = true;
    for (size_t i = 0; i < machine->count; i++)
        outdated_add(&machine->at[i].found, record, &machine->at[i].info);
    return 0;
}

void outdated_machine_dispose(struct outdated_machine *machine)
{
    free(machine->at);
}
