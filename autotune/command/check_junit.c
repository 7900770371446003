/* check_junit: writes one suite with a case for each record, as the form is read by Jenkins and GitLab. */
#include "autotune/command/check_junit.h"

#include "autotune/report/markup.h"
#include "generator/dims_text.h"

#include <string.h>

/* What a verdict is to a test run. */
static const char *const outcomes[CHECK_VERDICTS] = {
    [CHECK_SLOWER] = "failure", [CHECK_WRONG] = "failure",    [CHECK_UNTOLD] = "skipped",
    [CHECK_STALE] = "skipped",  [CHECK_LEFT_OUT] = "skipped",
};

static void add_attribute(struct text *out, const char *name, const char *value)
{
    text_addf(out, " %s=\"", name);
    markup_text(out, value);
    text_adds(out, "\"");
}

static size_t count_outcome(const struct check_row *rows, size_t count, const char *outcome)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const char *own = outcomes[rows[i].judgement.verdict];
        sum += own && strcmp(own, outcome) == 0;
    }
    return sum;
}

/* "slower: 3.1 % (2.9 to 3.4), by old code". */
static void add_message(struct text *out, const struct check_row *row)
{
    const struct check_judgement *judgement = &row->judgement;
    text_adds(out, check_verdicts[judgement->verdict]);
    if (judgement->by.middle > 0)
        text_addf(out, ": %+.1f %% (%+.1f to %+.1f), by %s", 100 * (judgement->by.middle - 1),
                  100 * (judgement->by.low - 1), 100 * (judgement->by.high - 1),
                  check_bases[judgement->basis]);
    if (*row->why)
        text_addf(out, ": %s", row->why);
}

static void add_outcome(struct text *out, const struct check_row *row)
{
    const char *outcome = outcomes[row->judgement.verdict];
    struct text message = {0};
    add_message(&message, row);
    out->failed |= message.failed;
    if (outcome) {
        text_addf(out, "    <%s", outcome);
        if (strcmp(outcome, "failure") == 0)
            add_attribute(out, "type", check_verdicts[row->judgement.verdict]);
        add_attribute(out, "message", message.at ? message.at : "");
        text_adds(out, "/>\n");
    }
    text_adds(out, "    <system-out>");
    markup_text(out, message.at ? message.at : "");
    text_adds(out, "</system-out>\n");
    text_dispose(&message);
}

static void add_case(struct text *out, const struct check_row *row)
{
    char problem[PROBLEM_CHARS];
    struct text name = {0};
    text_addf(&name, "%s (%s)", problem_format(problem, &row->record->problem),
              row->record->space);
    out->failed |= name.failed;
    text_adds(out, "  <testcase");
    add_attribute(out, "classname", row->record->gpu);
    add_attribute(out, "name", name.at ? name.at : "");
    text_addf(out, " time=\"%.3f\">\n", row->seconds);
    text_dispose(&name);
    add_outcome(out, row);
    text_adds(out, "  </testcase>\n");
}

static void add_property(struct text *out, const char *name, const char *value)
{
    text_adds(out, "    <property");
    add_attribute(out, "name", name);
    add_attribute(out, "value", value);
    text_adds(out, "/>\n");
}

void check_junit(struct text *out, const struct check_row *rows, size_t count,
                 const struct device_info *info, const char *now)
{
    double seconds = 0;
    for (size_t i = 0; i < count; i++)
        seconds += rows[i].seconds;
    text_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text_addf(out,
              "<testsuite name=\"autotune check\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
              "skipped=\"%zu\" time=\"%.3f\"",
              count, count_outcome(rows, count, "failure"),
              count_outcome(rows, count, "skipped"), seconds);
    text_addf(out, " timestamp=\"%.19s\">\n  <properties>\n", now);
    add_property(out, "gpu", info->name);
    add_property(out, "driver", info->driver);
    add_property(out, "compiler", info->compiler);
    text_adds(out, "  </properties>\n");
    for (size_t i = 0; i < count; i++)
        add_case(out, &rows[i]);
    text_adds(out, "</testsuite>\n");
}
