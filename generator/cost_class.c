/* cost_class: computes classes, and finds the member that is tuned by going through all problems. */
#include "generator/cost_class.h"

#include <stdio.h>

static const char *const combinings[COMBININGS] = {[ADDING] = "adding",
                                                   [SELECTING] = "selecting",
                                                   [MULTIPLYING] = "multiplying",
                                                   [LOCATING] = "locating",
                                                   [JOINING] = "joining"};

struct cost_class cost_class_of(const struct problem *problem)
{
    const struct type_row *acc = &problem_types[problem_value(problem)];
    struct cost_class class = {.element_bytes = problem_types[problem->type].bytes,
                               .acc_bytes = acc->bytes,
                               .is_float = acc->is_float,
                               .combining = problem_law(problem)->combining};
    if (class.is_float && class.combining == MULTIPLYING)
        class.combining = ADDING; /* one instruction either way */
    return class;
}

bool cost_class_is_same(const struct cost_class *a, const struct cost_class *b)
{
    return a->element_bytes == b->element_bytes && a->acc_bytes == b->acc_bytes &&
           a->is_float == b->is_float && a->combining == b->combining;
}

char *cost_class_format(char out[COST_CLASS_CHARS], const struct cost_class *class)
{
    snprintf(out, COST_CLASS_CHARS, "%s-%d-%c%d", combinings[class->combining],
             class->element_bytes, class->is_float ? 'f' : 'i', 8 * class->acc_bytes);
    return out;
}

bool cost_class_tuned(struct problem *out, const struct cost_class *class)
{
    struct error ignored;
    const struct operation *op;
    for (size_t i = 0; (op = operation_at(i)); i++)
        for (enum type type = TYPE_COUNT; type-- > 0;) {
            const struct problem member = {.op = op,
                                           .type = type,
                                           .acc = problem_default_acc(type),
                                           .dims = DIMS_VALUE(1)};
            const struct cost_class of = cost_class_of(&member);
            if (!problem_types[type].is_signed || problem_check(&member, &ignored) ||
                !cost_class_is_same(class, &of))
                continue;
            out->op = op;
            out->type = type;
            out->acc = member.acc;
            return true;
        }
    return false;
}
