/* fortran_layout: what the structs of autotune.f90 are in C: fortran_program.f90 fills them, each member with
 * a value of its own, and counts here how many are not where C has them. */
#include "include/autotune.h"

#include <string.h>

int wrong_layouts(const struct autotune_problem *problem,
                  const struct autotune_context_options *context_options,
                  const struct autotune_plan_options *plan_options,
                  struct autotune_error *error);
size_t sizes_of_c(void);

static int is_other(const char *text, const char *wanted)
{
    return strcmp(text, wanted) != 0;
}

int wrong_layouts(const struct autotune_problem *problem,
                  const struct autotune_context_options *context_options,
                  const struct autotune_plan_options *plan_options,
                  struct autotune_error *error)
{
    error->code = AUTOTUNE_NO_MEMORY;
    strcpy(error->text, "a sentence");
    return is_other(problem->op, "sum") + is_other(problem->type, "f32") +
           is_other(problem->acc, "f64") + (problem->n != 1) + (problem->is_warm != 2) +
           (problem->order != AUTOTUNE_ORDER_BY_N) + (problem->rows != 4) +
           (problem->len != 5) + (problem->pitch != 6) + (problem->axis != 7) +
           (problem->scan != AUTOTUNE_EXCLUSIVE) + is_other(problem->params, "delta=1") +
           is_other(problem->lies, "y=one") + (problem->reserved[0] != NULL) +
           (problem->dims != NULL) + is_other(context_options->device, "host") +
           is_other(context_options->program, "here") + (context_options->records != NULL) +
           (plan_options->from != AUTOTUNE_FROM_TUNING) + (plan_options->budget_seconds < 2.5) +
           (plan_options->budget_seconds > 2.5);
}

size_t sizes_of_c(void)
{
    return sizeof(struct autotune_problem) + sizeof(struct autotune_plan_options) +
           sizeof(struct autotune_context_options) + sizeof(struct autotune_error) +
           sizeof(struct autotune_call);
}
