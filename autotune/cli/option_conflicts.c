/* option_conflicts: checks tables of conflicts, each a condition and its error sentence. */
#include "autotune/cli/option_conflicts.h"

#include <string.h>

/* A condition, and the error sentence for it. */
struct option_conflict {
    bool is_so;
    const char *text;
};

static int refuse(const struct option_conflict *conflicts, size_t count, struct error *error)
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
    const struct option_conflict conflicts[] = {
        {is_given && request->has_n,
         "--n is of one value, --rows and --len are of a matrix: choose one"},
        {is_given && (!asked->low.rows || !asked->low.len),
         "a matrix has --rows and --len: give both"},
        {asked->has_axis && asked->shape &&
             asked->low.axis != request_dims_axis_of(asked->shape),
         "--shape rows is --axis 1, and --shape columns is --axis 0: leave one of them out"},
        {asked->len_high && asked->low.pitch,
         "--pitch is of rows of one length: give one --len, or leave --pitch out"},
        {is_given && asked->scan,
         "--scan is of elements that lie one behind another: give --n instead of --rows and "
         "--len"},
    };
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

static int check_problem(const struct request *request, struct error *error)
{
    const int bytes = problem_types[request->problem.type].bytes;
    const struct option_conflict conflicts[] = {
        {request->cold && request->warm, "--cold and --warm exclude each other: choose one"},
        {request->deterministic && request->has_order,
         "--deterministic is short for --order run: give one of them"},
        {request->offset % (uint64_t)bytes != 0,
         "--offset leaves elements across their own alignment: give a multiple of the type's "
         "bytes"},
    };
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error) ||
                   check_dims(request, error)
               ? -1
               : 0;
}

/* Of verify. */
static int check_sample(const struct request *request, struct error *error)
{
    const bool is_many = request->cover || request->all;
    const bool is_one = request->variant || request->has_acc || request->has_op ||
                        request->has_type || request->has_n ||
                        request_dims_are_given(request) || request->problem.order != ORDER_FREE;
    const struct option_conflict conflicts[] = {
        {request->cover && request->all, "--cover is a sample of --all: choose one"},
        {request->small && is_many,
         "--small proves one variant, --cover and --all many, all of them at small sizes: leave "
         "it out"},
        {request->limit_s > 0 && !request->small && !is_many,
         "--limit is of proofs in this process: give --small, --cover or --all too; a whole proof of one "
         "variant has workers with limits of their own"},
        {request->verb == VERB_VERIFY && request->has_part && !is_many,
         "--part divides --cover or --all: give one of them too"},
        {is_many && is_one,
         "--cover and --all choose problems and variants themselves: leave " DIMS_TEXT_SIZES
         ", --op, "
         "--type, --acc, --order and --variant out"},
    };
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

static int check_arguments(const struct request *request, struct error *error)
{
    const bool is_rung = request->topic && !strchr(request->topic, '=');
    const struct option_conflict conflicts[] = {
        {request->verb == VERB_MERGE && !request->file_count,
         "no file to merge: write 'autotune merge FILE...' with the names of record files"},
        {request->verb == VERB_COMPARE && request->ladder && !request->by_rung,
         "--ladder has rungs of the ladder: give --rungs too"},
        {request->by_rung && request->evidence,
         "--evidence is of records and --rungs has none: leave one of them out"},
        {request->verb == VERB_COMPARE && request->file_count < 2 && !request->by_rung,
         "nothing to compare: write 'autotune compare A B', each a record file, a GPU's name "
         "or published figures"},
        {request->verb == VERB_PROFILE && is_rung && (request->space || request->template),
         "a rung of the ladder has a space and a template of its own: leave --space and "
         "--template out"},
        {(request->verb == VERB_LADDER || (request->verb == VERB_PROFILE && is_rung)) &&
             problem_ops[request->problem.op].is_position,
         "the rungs of the ladder give a value, not where it stands: choose another --op"},
        {request->verb == VERB_BENCH && !request->against,
         "nothing to be timed against: write --against cub once 'make bench' has built it, or "
         "--against FILE"},
    };
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
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
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
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
        {request->replay && request->retune,
         "--replay runs on what was measured before, --retune measures again: choose one"},
        {request->source && (request->grid || request->blocks || request->gpu ||
                             request->rung_count || request->json || request->csv),
         "--source only prints a rung at its usual size: leave --rung, --blocks, --grid, --gpu, "
         "--json and --csv out; other sizes are what 'autotune emit --variant' prints"},
        {request->verb == VERB_LADDER && request->n_high &&
             (request->grid || request->blocks || request->source || request->gpu),
         "a range of n has a table of times by n: leave --blocks, --grid, --source and --gpu out"},
        {request->published &&
             (request->source || request->grid || request->blocks || request->gpu ||
              request->has_n || request_dims_are_given(request)),
         "--published only prints what documents say of their own kernels: leave --source, --blocks, "
         "--grid, --gpu and the size out"},
    };
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check_output(const struct request *request, struct error *error)
{
    const struct option_conflict conflicts[] = {
        {!!request->ptx + !!request->cubin + !!request->sass > 1,
         "--ptx, --cubin and --sass are three forms: choose one"},
        {is_stdout(request->json) && is_stdout(request->csv),
         "--json - and --csv - would mix on stdout: give one of them a file"},
        {request->json && request->csv && strcmp(request->json, request->csv) == 0,
         "--json and --csv name the same file: give each its own"},
    };
    return refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

int option_conflicts_check(const struct request *request, struct error *error)
{
    return check_problem(request, error) || check_sample(request, error) ||
                   check_arguments(request, error) || check_run(request, error) ||
                   check_list(request, error) || check_output(request, error)
               ? -1
               : 0;
}
