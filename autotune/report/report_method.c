/* report_method: writes how the headline was measured, on what, and how to repeat it. */
#include "autotune/report/report_sections.h"

#include "autotune/embedded.h"
#include "autotune/measure/nvml.h"
#include "autotune/print/figures.h"
#include "generator/command.h"

#include <stdarg.h>
#include <stdio.h>

static void add_fact(struct table *facts, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_fact(struct table *facts, const char *name, const char *format, ...)
{
    char value[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    table_add(facts, name);
    table_add(facts, value);
    table_add(facts, "");
}

static void add_device(struct table *facts, const struct report *report)
{
    const struct record *record = report->headline;
    add_fact(facts, "GPU", "%s, compute capability %d.%d, %d SMs", record->gpu, record->cc / 10,
             record->cc % 10, record->sms);
    if (record->memory_clock_khz && record->bus_bits)
        add_fact(facts, "peak", "%d MHz x %d bit x 2 = %.0f GB/s, theoretical",
                 record->memory_clock_khz / 1000, record->bus_bits,
                 (double)report->subject->side.peak_bytes / 1e9);
    else
        add_fact(facts, "peak", "not known: no percent of it are given");
    add_fact(facts, "driver, compiler", "%s; %s", record->driver, record->compiler);
}

static void add_run(struct table *facts, const struct record *record)
{
    char us[NUMBER_CHARS], low[NUMBER_CHARS], high[NUMBER_CHARS], size[NUMBER_CHARS];
    add_fact(facts, "when", "%s, method %d of measuring",
             record_has_run(record) ? record->tuned : "before it was shipped", record->method);
    add_fact(facts, "data", "%s read, %s", figures_size(size, figures_bytes(&record->problem)),
             record->problem.regime == COLD ? "not in the L2 cache (cold)"
                                            : "in the L2 cache as far as it fits (warm)");
    figures_us(us, record->median_ps);
    if (record_has_run(record)) {
        add_fact(facts, "time", "median %s us, 95 %% interval %s to %s us", us,
                 figures_us(low, record->low_ps), figures_us(high, record->high_ps));
        add_fact(facts, "candidates",
                 "%u proven and measured, space %s; %u tie with the winner", record->candidates,
                 record->space, record->ties);
    } else {
        add_fact(facts, "time", "median %s us; what ships says no more", us);
    }
    if (record->registers)
        add_fact(facts, "registers", "%u per thread", record->registers);
    if (*record->proof)
        add_fact(facts, "proof", "%s", record->proof);
    if (*record->error)
        add_fact(facts, "error", "%s relative, on random floats", record->error);
}

/* The state of the GPU at the end of the final race. */
static void add_reading(struct table *facts, const struct record *record)
{
    const struct nvml_reading reading = {record->sm_mhz, record->memory_mhz, record->celsius,
                                         record->milliwatts};
    struct text text = {0};
    nvml_format(&text, &reading);
    add_fact(facts, "at the race's end", "%s",
             text.length ? text.at
                         : "clocks, temperature and power are not known: NVML did not say");
    text_dispose(&text);
}

/* The command that tunes it again; a record does not know where a space of the user's own lies. */
static void add_commands(struct table *facts, const struct record *record)
{
    const char *file;
    struct text line = {0};
    const bool is_ours = embedded_space(record->space, &file) != NULL;
    text_adds(&line, "autotune");
    command_add_problem(&line, &record->problem, COMMAND_REGIME | COMMAND_SIZE);
    command_add_option(&line, "--space", is_ours ? record->space : "SPACE.ini");
    command_add_option(&line, "--template", is_ours ? NULL : "TEMPLATE.cu");
    text_addf(&line, " --device %s --retune%s%s",
              record->source == RECORD_EMULATED ? "host" : "0",
              is_ours ? "" : ", with the files of the space ", is_ours ? "" : record->space);
    add_fact(facts, "again", "%s", line.at ? line.at : "");
    text_dispose(&line);
}

static const char measured[] =
    "A time is of one whole reduction, all its launches together: a CUDA graph of one or more "
    "runs between two events, divided by their number. Cold means that no data is in the L2 "
    "cache when a run begins: a read-only sweep of three times the cache comes first and no "
    "input is used twice, but where one is far larger than the cache. Every candidate gives the "
    "exact "
    "result before its time counts; the best race in interleaved rounds, and of those that "
    "cannot be told apart the simplest is taken. GB/s counts the bytes of the input.";
static const char emulated[] =
    "These times are the emulator's: a block's threads run as fibers of one process on this "
    "machine's processor. They say which kernels are correct, not which are fast on a GPU.";

int report_method(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    const struct record *record = report->headline;
    (void)error;
    document_add(document, DOCUMENT_SECTION, "How it was measured");
    if (!record) {
        document_add(document, DOCUMENT_MISSING, "Nothing of this GPU was measured here.");
    } else {
        document_add(document, DOCUMENT_TEXT, "%s",
                     record->source == RECORD_EMULATED ? emulated : measured);
        struct table *facts = document_table(document, DOCUMENT_FACTS, NULL, NULL, 0);
        if (facts) {
            add_device(facts, report);
            add_run(facts, record);
            if (record->source != RECORD_EMULATED && record_has_run(record))
                add_reading(facts, record);
            add_commands(facts, record);
        }
    }
    document_add(document, DOCUMENT_TEXT, "Made by autotune " VERSION ".");
    return 0;
}
