/* problem_list: goes through operations, types and sizes, and leaves out what no kernel of the space
 * serves. */
#include "autotune/command/problem_list.h"

#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "generator/command.h"
#include "generator/dims_text.h"

#include <inttypes.h>

/* clang-format off */
static const struct table_column columns[] = {
    {NULL, "op", false},     {NULL, "type", false},  {NULL, "acc", false}, {NULL, "n", true},
    {NULL, "regime", false}, {NULL, "order", false}, {NULL, "options", false},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

struct problem_list {
    const struct request *request;
    struct text lines;
    struct table table;
    size_t count;
    struct error first; /* why a kind has none */
};

/* Without a size it is the device's usual one. */
static void add(struct problem_list *list, const struct problem *problem)
{
    const struct request *request = list->request;
    const char *op = operation_option(problem->op), *type = problem_types[problem->type].name;
    const char *acc = problem_types[problem->acc].name;
    char dims[DIMS_TEXT_CHARS];
    struct text line = {0};
    text_addf(&line, "--op %s --type %s", op, type);
    if (problem->acc != problem_default_acc(problem->type))
        text_addf(&line, " --acc %s", acc);
    if (request->has_n)
        text_addf(&line, " %s", dims_text_options(dims, &problem->dims));
    else if (problem->dims.scan)
        text_addf(&line, " --scan %s", dims_text_scans[problem->dims.scan]);
    text_addf(&line, "%s%s", problem->regime == WARM ? " --warm" : "",
              problem_orders[problem->order].option);
    command_add_option(&line, "--space", request->space);
    command_add_option(&line, "--template", request->template);
    table_add(&list->table, op);
    table_add(&list->table, type);
    table_add(&list->table, acc);
    table_add_number(&list->table, request->has_n, 0, (double)dims_n(&problem->dims));
    table_add(&list->table, problem_regimes[problem->regime]);
    table_add(&list->table, problem_orders[problem->order].name);
    table_add(&list->table, line.at);
    text_addf(&list->lines, "%s\n", line.at ? line.at : "");
    list->lines.failed |= line.failed;
    text_dispose(&line);
    list->count++;
}

static int add_size(struct problem_list *list, const struct setup *setup,
                    struct problem *problem, const struct dims *dims)
{
    problem->dims = *dims;
    if (space_serves(setup->space, problem))
        add(list, problem);
    return 0;
}

static int add_sizes(struct problem_list *list, const struct setup *setup,
                     struct problem *problem, struct error *error)
{
    const struct request *request = list->request;
    uint64_t sizes[SWEEP_SIZES_MAX];
    struct request_grid grid;
    if (request_dims_is_sweep(request)) {
        request_dims_grid(&grid, request);
        for (size_t line = 0; line < grid.line_count; line++)
            for (size_t size = 0; size < grid.size_count; size++) {
                struct request own = *request;
                struct dims dims;
                own.problem = *problem;
                if (request_dims_at(&dims, &own, &grid, line, size, error))
                    return -1;
                add_size(list, setup, problem, &dims);
            }
        return 0;
    }
    const size_t count =
        request->n_high ? sweep_sizes(sizes, request->n_low, request->n_high) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct dims dims = dims_run(sizes[i], request->asked.scan);
        add_size(list, setup, problem, &dims);
    }
    return count ? 0 : add_size(list, setup, problem, &setup->problem.dims);
}

/* What does not go together is no problem. */
static int add_kind(struct problem_list *list, const struct operation *op, enum type type,
                    struct error *error)
{
    struct request own = *list->request;
    struct error cause;
    struct setup setup;
    own.problem.op = op;
    own.problem.type = type;
    own.has_op = own.has_type = true;
    if (!own.has_acc)
        own.problem.acc = problem_default_acc(type);
    if (problem_check(&own.problem, &cause))
        return 0;
    problem_simplify(&own.problem);
    if (own.problem.order != list->request->problem.order)
        return 0; /* the same problem as without that order */
    if (setup_open(&setup, &own, false, &cause)) {
        if (list->first.code == ERROR_NONE)
            list->first = cause;
        return 0;
    }
    const int failed = add_sizes(list, &setup, &own.problem, error);
    setup_close(&setup);
    return failed;
}

static int add_types(struct problem_list *list, const struct operation *op, struct error *error)
{
    const struct request *request = list->request;
    for (enum type type = 0; type < TYPE_COUNT; type++)
        if ((!request->has_type || type == request->problem.type) &&
            add_kind(list, op, type, error))
            return -1;
    return 0;
}

static int add_all(struct problem_list *list, struct error *error)
{
    const struct request *request = list->request;
    const struct operation *op;
    if (request->has_op && add_types(list, request->problem.op, error))
        return -1;
    for (size_t i = 0; !request->has_op && (op = operation_at(i)); i++)
        if (add_types(list, op, error))
            return -1;
    if (list->count)
        return 0;
    *error = list->first;
    return list->first.code != ERROR_NONE
               ? -1
               : error_set(error, ERROR_USAGE,
                           "no problem is left: no kernel of the space serves one with these "
                           "options");
}

int problem_list_print(const struct request *request, struct error *error)
{
    struct problem_list list = {.request = request,
                                .table = {.columns = columns, .column_count = COLUMNS}};
    const struct text nothing = {0}; /* the lines are for a file: none is folded */
    const int failed =
        add_all(&list, error) ||
        (!output_is_taken(&request->out) && output_write("-", &list.lines, error)) ||
        output_forms(&request->out, &nothing, &list.table, NULL, error);
    text_dispose(&list.lines);
    table_dispose(&list.table);
    return failed ? -1 : 0;
}
