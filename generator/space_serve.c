/* space_serve: decides which problems a space serves, by its expression over what a problem is:
 * `serves` of [space], or one value of elements that lie one behind another. Order n is a promise
 * that a space must make by itself: only an expression that names ORDER serves it. */
#include "generator/dims_text.h"
#include "generator/operation_input.h"
#include "generator/point.h"
#include "generator/space_read.h"

#include <string.h>

static const char one_value[] =
    "OUTER == 1 && INNER == 1 && DEPTH_STRIDE == 1 && !POSITION && !HAS_FINISH && !HAS_INDEX && "
    "COMMUTES";

int space_read_serves(struct space *space, struct error *error)
{
    const struct ini_item *item = space_find_item(space, "space", "serves");
    struct ini_item usual = {.value = one_value,
                             .file = space->memory->files[0].file,
                             .line = 1};
    item = item ? item : &usual;
    if (space_read_expr(space, &space->serves, item, error) ||
        space_keep_fault(space, space_refuse_blocks(space->serves, item, error), error))
        return -1;
    for (size_t i = SPACE_HOST; i < SPACE_BUILTINS; i++)
        if (expr_uses(space->serves, i))
            return space_keep_fault(space,
                                    space_complain(item, error,
                                                   "'serves' knows the problem, not",
                                                   space_builtins[i].name),
                                    error);
    return 0;
}

bool space_serves(const struct space *space, const struct problem *problem)
{
    static const struct target none = {.cc = 0};
    const struct point_context context = {space, problem, &none};
    int64_t values[SPACE_NAMES_MAX], holds = 0;
    struct error ignored;
    if (problem->order == ORDER_BY_N &&
        !(problem_rounds(problem) && expr_uses(space->serves, SPACE_ORDER)))
        return false;
    point_builtins(&context, false, values);
    if ((problem->dims.scan && !expr_uses(space->serves, SPACE_SCAN)) ||
        (dims_has_spans(&problem->dims) && !expr_uses(space->serves, SPACE_SPAN)) ||
        (dims_has_more_axes(&problem->dims) && !expr_uses(space->serves, SPACE_MORE_AXES)) ||
        (dims_is_segmented(&problem->dims) && !expr_uses(space->serves, SPACE_OFFSETS)) ||
        (problem_inputs(problem) > 1 && !expr_uses(space->serves, SPACE_INPUTS)))
        return false;
    return expr_eval(space->serves, values, &holds, &ignored) == 0 && holds;
}

bool space_find_dims(const struct space *space, struct problem *problem, uint64_t n,
                     uint64_t depth, uint64_t gap)
{
    struct dims forms[DIMS_TEXT_FORMS];
    struct problem tried = *problem;
    dims_text_forms(forms, n, depth, gap);
    for (size_t i = 0; i < DIMS_TEXT_FORMS; i++) {
        tried.dims = dims_canonical(&forms[i]);
        tried.offsets = !dims_is_segmented(&tried.dims) ? (enum type)0
                        : problem->offsets              ? problem->offsets
                                                        : I32;
        if ((problem->dims.scan && tried.dims.scan != problem->dims.scan) ||
            !space_serves(space, &tried))
            continue;
        problem->dims = tried.dims;
        problem->offsets = tried.offsets;
        return true;
    }
    return false;
}

/* --- What else to ask for ----------------------------------------------------------------- */

/* The error where the space serves the problem with other dims: it names the dims, for the
 * operation is right. */
static int refuse_dims(const struct space *space, const struct problem *problem,
                       const struct problem *served, struct error *error)
{
    char text[DIMS_TEXT_SENTENCE_CHARS];
    return error_set(error, ERROR_USAGE, "%s: %s", space->file,
                     dims_text_refuse_space(text, &served->dims, &problem->dims,
                                            problem_space(problem)));
}

/* Does it, but for the order? Then `served` has that. */
static bool serves_in_other_order(const struct space *space, struct problem *served)
{
    served->order = served->order == ORDER_BY_N ? ORDER_FREE : ORDER_BY_N;
    return space_find_dims(space, served, 1 << 20, 1 << 10, 0);
}

int space_check_problem(const struct space *space, const struct problem *problem,
                        struct error *error)
{
    struct problem served = *problem;
    if (space_serves(space, problem))
        return 0;
    if (problem_inputs(problem) > 1 && !expr_uses(space->serves, SPACE_INPUTS))
        return error_set(error, ERROR_USAGE,
                         "%s: its kernels read one input, and operation '%s' has %zu: use "
                         "--space %s",
                         space->file, problem->op->name, problem_inputs(problem),
                         problem_space(problem));
    served.dims.scan = DIMS_ALL; /* which finds any */
    if (space_find_dims(space, &served, 1 << 20, 1 << 10, 0))
        return refuse_dims(space, problem, &served, error);
    if (problem->order == ORDER_BY_N && !dims_text_ordered_space(&problem->dims))
        return error_set(error, ERROR_USAGE,
                         "no kernel keeps order n of %s yet: leave --order n out, or take "
                         "--order run",
                         dims_text_name(&problem->dims));
    if (problem->dims.scan && problem_has_finish(problem))
        return error_set(error, ERROR_USAGE,
                         "operation '%s': a scan gives values as they are, so it has no finish",
                         problem->op->name);
    if (!problem_commutes(problem) && dims_is_strided(&problem->dims))
        return error_set(
            error, ERROR_USAGE,
            "operation '%s' keeps order, which no kernel does where what is combined lies apart: "
            "copy the elements together, or combine them step by step",
            problem->op->name);
    if (serves_in_other_order(space, &served))
        return error_set(error, ERROR_USAGE, "%s: its kernels are %s --order n: use --space %s",
                         space->file, problem->order == ORDER_BY_N ? "not for" : "for",
                         problem_space(problem));
    return error_set(
        error, ERROR_USAGE,
        "%s: its kernels are for other operations than '%s', where %s: use --space "
        "%s",
        space->file, problem->op->name, expr_source(space->serves), problem_space(problem));
}
