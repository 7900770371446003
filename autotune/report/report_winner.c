/* report_winner: shows the winner's params, and its source with these marked. */
#include "autotune/report/report_sections.h"

#include "cache/code.h"

#include <stdio.h>
#include <string.h>

static const struct table_column columns[] = {{"param", NULL, false},
                                              {"value", NULL, false},
                                              {"what it is", NULL, false}};

static void add_params(struct report *report, const struct space *space, const int64_t *config)
{
    struct table *table = document_table(&report->document, DOCUMENT_TABLE, "Its params",
                                         columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < space->param_count && table; i++) {
        struct text value = {0};
        point_format_value(&value, &space->params[i], config[i]);
        table_add(table, space->params[i].name);
        table_add(table, value.at ? value.at : "");
        table_add(table, space->params[i].meaning);
        table->failed |= value.failed;
        text_dispose(&value);
    }
}

static void mark_params(struct document_source *source, const struct space *space,
                        const int64_t *config)
{
    for (size_t i = 0; i < space->param_count; i++) {
        struct text meaning = {0};
        point_format_value(&meaning, &space->params[i], config[i]);
        text_addf(&meaning, ": %s", space->params[i].meaning);
        document_mark(source, space->params[i].name, meaning.at ? meaning.at : "");
        text_dispose(&meaning);
    }
}

static int add_source(struct report *report, const struct compare_kernel *kernel,
                      const struct target *target, struct error *error)
{
    const struct point_context context = {kernel->rung.space, &report->headline->problem,
                                          target};
    struct emit_variant variant;
    if (emit_variant(&variant, &context, &kernel->sources, kernel->rung.config, error))
        return -1;
    for (size_t i = 0; i < variant.count; i++) {
        char title[80];
        snprintf(title, sizeof title, "CUDA source%s",
                 variant.count == 1 ? ""
                 : i == 0           ? ": the first kernel"
                                    : ": a later pass");
        struct document_source *source = document_source(&report->document, title);
        if (!source)
            break;
        text_adds(&source->code, variant.texts[i].at);
        mark_params(source, kernel->rung.space, kernel->rung.config);
    }
    emit_dispose(&variant);
    return 0;
}

static bool is_as_measured(const struct record *record, const struct compare_kernel *kernel,
                           const struct target *target)
{
    const struct point_context here = {kernel->rung.space, &record->problem, target};
    struct error ignored;
    uint64_t code;
    return code_hash(&code, record, kernel->rung.config, &here, &kernel->sources, &ignored) ==
               0 &&
           code == record->code;
}

int report_winner(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    struct compare_kernel kernel;
    struct target target;
    struct error why;
    (void)error;
    document_add(document, DOCUMENT_SECTION, "The winner");
    if (!report->headline) {
        document_add(document, DOCUMENT_MISSING,
                     "Nothing was tuned on this GPU here, so there is no winner to show.");
        return 0;
    }
    if (report_kernel(&kernel, &target, report, &why)) {
        document_add(document, DOCUMENT_MISSING, "Its source is not shown: %s.", why.text);
        return 0;
    }
    document_add(
        document, DOCUMENT_TEXT, "%s.%s", report->headline->params,
        report->headline->source == RECORD_EMULATED
            ? " The source is as it is emitted for sm_90: the emulator runs its form in C."
            : "");
    if (!is_as_measured(report->headline, &kernel, &target))
        document_add(
            document, DOCUMENT_MISSING,
            "Space or template are not those that this record was made with: this is what "
            "its params give with the ones that are built in now.");
    add_params(report, kernel.rung.space, kernel.rung.config);
    if (add_source(report, &kernel, &target, &why))
        document_add(document, DOCUMENT_MISSING, "Its source is not shown: %s.", why.text);
    compare_kernel_close(&kernel);
    return 0;
}
