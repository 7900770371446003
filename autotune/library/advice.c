/* advice: puts a sentence together from what serves, where that was measured, and what it gained
 * over the space's default there. */
#include "autotune/library/advice.h"

#include "generator/dims_text.h"

#include <string.h>

/* What serves. */
static const char *const served_by[SELECTOR_GRADES] = {
    [SELECTOR_EXACT] = "a record of this GPU and size",
    [SELECTOR_STALE] = "a record of this GPU and size, made with another driver or compiler",
    [SELECTOR_OTHER_SIZE] = "a record of this GPU",
    [SELECTOR_SAME_CC] = "a record of another GPU",
    [SELECTOR_SHIPPED] = "what ships",
    [SELECTOR_CLASS] = "what ships for a problem that costs the same",
    [SELECTOR_NONE] = "the space's default, not measured here",
};

/* What tuning would do, in the end. */
static const char *const gains[SELECTOR_GRADES] = {
    [SELECTOR_EXACT] = "nothing is left to tune",
    [SELECTOR_STALE] = "tuning, which takes seconds, measures it again",
    [SELECTOR_OTHER_SIZE] = "tuning this size takes seconds and may find a faster kernel",
    [SELECTOR_SAME_CC] = "tuning takes seconds",
    [SELECTOR_SHIPPED] = "tuning takes seconds and may find a faster kernel",
    [SELECTOR_CLASS] = "tuning, which takes seconds, measures this problem itself",
    [SELECTOR_NONE] = "tuning takes seconds",
};

static bool is_same_size(const struct advice *advice)
{
    const struct problem *record = &advice->record->problem;
    return dims_is_same(&record->dims, &advice->problem->dims) &&
           record->regime == advice->problem->regime;
}

/* ", tuned for sum i32 400M cold on NVIDIA H200", as far as that is another problem or GPU. */
static void add_origin(struct text *out, const struct advice *advice, bool is_here)
{
    const struct record *record = advice->record;
    char problem[PROBLEM_CHARS], size[DIMS_TEXT_CHARS];
    if (advice->grade == SELECTOR_CLASS)
        text_addf(out, ", tuned for %s", problem_format(problem, &record->problem));
    else if (!is_same_size(advice))
        text_addf(out, ", tuned for %s %s", dims_text_format(size, &record->problem.dims),
                  problem_regimes[record->problem.regime]);
    if (!is_here)
        text_addf(out, " on %s, not measured here", record->gpu);
}

static void add_gain(struct text *out, const struct record *record)
{
    struct record_gain gain;
    if (!record_gain(&gain, record))
        return;
    text_adds(out, " (there ");
    record_add_gain(out, &gain);
    text_adds(out, ")");
}

void advice_add(struct text *out, const struct advice *advice)
{
    const enum selector_grade grade = advice->grade;
    const bool is_known = grade != SELECTOR_NONE;
    const bool is_here = is_known && strcmp(advice->record->gpu, advice->gpu) == 0;
    text_adds(out, served_by[grade]);
    if (is_known) {
        add_origin(out, advice, is_here);
        add_gain(out, advice->record);
    }
    if (grade == SELECTOR_SHIPPED && is_here && is_same_size(advice))
        text_adds(out, ": tuning would find it again");
    else
        text_addf(out, ": %s", is_known && !is_here ? gains[SELECTOR_SAME_CC] : gains[grade]);
}
