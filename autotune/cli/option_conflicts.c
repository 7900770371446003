/* option_conflicts: checks tables of conflicts, each a condition and its error sentence. */
#include "autotune/cli/option_conflicts.h"

#include <string.h>

int option_conflicts_refuse(const struct option_conflict *conflicts, size_t count,
                            struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (conflicts[i].is_so)
            return error_set(error, ERROR_USAGE, "%s", conflicts[i].text);
    return 0;
}

static int check_dims(const struct request *request, struct error *error)
{
    const struct request_dims *asked = &request->asked;
    const bool is_given = request_dims_are_given(request);
    const bool has_matrix = asked->low.rows || asked->low.len || asked->low.pitch;
    const bool has_axes = asked->axis_count;
    const bool is_all = request->verb == VERB_LADDER && request->has_n && asked->low.len;
    const struct option_conflict conflicts[] = {
        {has_axes && (has_matrix || request->has_n || asked->shape),
         "--dims has the sizes of all axes: leave --n, --rows, --len, --pitch and --shape out"},
        {asked->stride_count && asked->stride_count != asked->axis_count,
         "--strides has a number for each of --dims: give as many"},
        {has_axes && asked->scan,
         "--dims is of reductions: scans take --n, or --rows and --len"},
        {asked->has_segments && (is_given || asked->scan),
         "--segments have no rows, axes or scans: leave --rows, --len, --pitch, --axis, --shape, "
         "--dims and --scan out"},
        {asked->has_segments && (!request->has_n || request->n_high || request->size_count > 1),
         "--segments are of --n elements: give one --n too"},
        {!asked->has_segments && request->has_n &&
             (request->problem.offsets || request->problem.lengths),
         "--offsets and --lengths are of segments: give --segments too"},
        {is_given && !has_axes && !has_matrix && request->has_n,
         "--axis and --shape are of an array of several axes, and --n is of one value: leave "
         "--n out and give --rows and --len, or --dims; or leave --axis and --shape out"},
        {is_given && !has_axes && !has_matrix,
         "--axis and --shape are of an array of several axes: give its sizes, too, by --rows "
         "and --len, or by --dims"},
        {is_all && request->n_high, "--n or --len may be a range, not both: give one n"},
        {request->verb == VERB_LADDER && asked->len_high && !is_all,
         "a range of --len is of rows that have as many elements in all: give --n, not --rows"},
        {is_given && request->has_n && (!is_all || asked->low.rows || asked->low.pitch),
         "--n is of one value, --rows and --len are of a matrix: choose one"},
        {is_given && !has_axes && !is_all && (!asked->low.rows || !asked->low.len),
         "a matrix has --rows and --len: give both"},
        {asked->has_axis && asked->shape &&
             asked->low.axis != request_dims_axis_of(asked->shape),
         "--shape rows is --axis 1, and --shape columns is --axis 0: leave one of them out"},
        {asked->len_high && asked->low.pitch,
         "--pitch is of rows of one length: give one --len, or leave --pitch out"},
        {asked->scan && (asked->rows_high || asked->len_high),
         "scans of rows are tuned one by one: give one --rows and one --len"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

static int check_problem(const struct request *request, struct error *error)
{
    const struct option_conflict conflicts[] = {
        {request->cold && request->warm, "--cold and --warm exclude each other: choose one"},
        {request->data && (request->cold || request->warm),
         "--data is of data on the host, --cold and --warm of data on the GPU: choose one"},
        {request->data &&
             (request_dims_are_given(request) || request->asked.has_scan ||
              request->asked.has_segments || request_is_sweep(request) || request->replay ||
              request->space || request->template || request->problems || request->confirm ||
              request->has_strategy || request->budget_s > 0),
         "--data is of one reduction of --n elements and its streams: leave ranges, a matrix, "
         "--segments, --scan, --space, --template, --problems, --replay, --strategy and --budget out"},
        {request->deterministic && request->has_order,
         "--deterministic is short for --order run: give one of them"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error) ||
                   check_dims(request, error)
               ? -1
               : 0;
}

static int check_arguments(const struct request *request, struct error *error)
{
    const bool is_rung = request->topic && !strchr(request->topic, '=');
    const struct option_conflict conflicts[] = {
        {request->verb == VERB_MERGE && !request->file_count,
         "no file to merge: write 'autotune merge FILE...' with the names of record files"},
        {request->verb == VERB_PROFILE && is_rung && (request->space || request->template),
         "a rung of the ladder has a space and a template of its own: leave --space and "
         "--template out"},
        {(request->verb == VERB_LADDER || (request->verb == VERB_PROFILE && is_rung)) &&
             problem_law(&request->problem)->is_position,
         "the rungs of the ladder give a value, not where it stands: choose another --op"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* Does an option give the space, or more of the problem than its size? */
static bool has_own_problem(const struct request *request)
{
    return request->has_op || request->has_type || request->has_acc || request->cold ||
           request->warm || request->problem.order != ORDER_FREE || request->space ||
           request->template;
}

/* Of a list of problems. */
static int check_list(const struct request *request, struct error *error)
{
    const bool is_list = request->problems;
    const struct option_conflict conflicts[] = {
        {is_list && (request->has_n || request_dims_are_given(request) ||
                     request_is_sweep(request) || request->has_op || request->has_type ||
                     request->has_acc || request->cold || request->warm || request->has_order ||
                     request->deterministic || request->asked.has_scan),
         "--problems has the problems: leave " DIMS_TEXT_SIZES
         ", --op, --type, --acc, --cold, --warm, --order and --scan to its lines"},
        {request->dry_run && !is_list, "--dry-run is of a list: give --problems too"},
        {request->verb == VERB_TUNE && request->has_part && !is_list,
         "--part divides a list: give --problems too"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* Is no effect of a param shown? A report has --axes too. */
static bool has_no_effects(const struct request *request)
{
    return request->verb == VERB_TUNE &&
           (request->replay || request->problems || request->data || request_is_sweep(request));
}

/* Checks tune and ladder for what a run measures. */
static int check_run(const struct request *request, struct error *error)
{
    const struct option_conflict conflicts[] = {
        {(request->has_loss || request->confirm) && !request->n_high,
         "--loss and --confirm are of a sweep of n: give a range with --n, such as 1K..4G"},
        {request->confirm && request->retune,
         "--confirm measures again what --retune would replace: choose one"},
        {request->replay && (request->n_high || request_dims_is_sweep(request)),
         "--replay runs on one journal, a range takes many: leave one of them out"},
        {request->replay && (request->has_n || request_dims_are_given(request)),
         "--replay runs on the problem of its journal: leave out its size"},
        {request->replay && !request->problems && has_own_problem(request),
         "--replay runs on the problem and the space of its journal: leave out --op, --type, --acc, "
         "--cold, --warm, --order, --space and --template"},
        {has_no_effects(request) && (request->effects || request->axes),
         "--effects and --axes are of the tuning of one problem: leave ranges, --problems, --replay "
         "and --data out"},
        {request->candidates && (request->replay || request->data),
         "--candidates measures records' winners on this device: leave --replay and --data out"},
        {request->replay && request->retune,
         "--replay runs on what was measured before, --retune measures again: choose one"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check_output(const struct request *request, struct error *error)
{
    const struct option_conflict conflicts[] = {
        {is_stdout(request->out.json) && is_stdout(request->out.csv),
         "--json - and --csv - would mix on stdout: give one of them a file"},
        {request->out.quiet && request->verbose,
         "--quiet and --verbose exclude each other: choose one"},
        {request->out.json && request->out.csv &&
             strcmp(request->out.json, request->out.csv) == 0,
         "--json and --csv name the same file: give each its own"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

int option_conflicts_check(const struct request *request, struct error *error)
{
    return check_problem(request, error) || check_arguments(request, error) ||
                   check_run(request, error) || check_list(request, error) ||
                   check_output(request, error)
               ? -1
               : 0;
}
