/* request: reads the command line through argp, which neither prints nor exits here, then
 * checks it and fills in defaults. */
#include "autotune/cli/request.h"

#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/option_errors.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/request_files.h"
#include "autotune/cli/verbs.h"
#include "generator/command.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

struct parse {
    struct request *request;
    const struct verb_row *verb;
    struct error *error;
    bool is_line; /* of a list: only options of a problem are taken */
    bool is_failed;
    bool is_given[OPTIONS_MAX]; /* by option */
};

/* --- argp --------------------------------------------------------------------------------- */

/* All options are read by now, and the files are at the end of argv. */
static int take_files(struct parse *parse, struct argp_state *state)
{
    parse->request->files = &state->argv[state->next - 1];
    parse->request->file_count = (size_t)(state->argc - state->next) + 1;
    state->next = state->argc;
    for (size_t i = 0; i < parse->request->file_count; i++)
        if (!*parse->request->files[i])
            return error_set(parse->error, ERROR_USAGE,
                             "a FILE is empty: write the names of record files");
    return 0;
}

static int parse_argument(struct parse *parse, const char *value, struct argp_state *state)
{
    const char *program = state->argv[0];
    if (parse->request->verb & (VERB_MERGE | VERB_COMPARE | VERB_REPORT))
        return take_files(parse, state);
    if ((parse->request->verb & (VERB_LIST | VERB_PROFILE | VERB_REDUCE)) &&
        !parse->request->topic) {
        parse->request->topic = value;
        return 0;
    }
    if (verbs_find(value))
        return error_set(parse->error, ERROR_USAGE,
                         "'%s' is a command: write it first, as "
                         "'autotune %s' and then the options",
                         value, value);
    return error_set(parse->error, ERROR_USAGE,
                     "'%.100s' is one argument too many: '%s --help' says what can be given",
                     value, program);
}

/* Ends the parse like an error, without setting one. */
static int print_help(struct argp_state *state, struct error *error)
{
    struct text text = {0};
    options_help(&text, state);
    if (output_text(&text, error) == 0)
        *error = (struct error){.code = ERROR_NONE};
    text_dispose(&text);
    return -1;
}

/* An option that has a value is given once, unless it may be repeated. */
static int take_option(struct parse *parse, size_t number, const char *value)
{
    const struct option_row *option = options_at(number);
    bool *is_given = &parse->is_given[number];
    if (parse->is_line && !options_is_of_problem(option))
        return error_set(parse->error, ERROR_USAGE,
                         "--%s is no part of a problem: give it on the command line",
                         option->name);
    if (value && *is_given && !option->repeats)
        return error_set(parse->error, ERROR_USAGE, "--%s is given twice: give it once",
                         option->name);
    *is_given = true;
    return options_store(parse->request, option, value, parse->error);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct parse *parse = state->input;
    if (parse->is_failed)
        return 0;
    const size_t number = options_find(key, parse->request->verb);
    const struct option_row *option = options_at(number);
    if (key != ARGP_KEY_ARG && !option)
        return ARGP_ERR_UNKNOWN;
    parse->is_failed =
        (!option                                    ? parse_argument(parse, value, state)
         : option->letter == 'h' && !parse->is_line ? print_help(state, parse->error)
                                                    : take_option(parse, number, value)) != 0;
    return 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Says so where the order that is asked for is kept by every kernel. What is listed by its order is
 * of any type, and of floats before others. */
static void simplify(struct request *request)
{
    struct problem *problem = &request->problem;
    const enum order asked = problem->order;
    const bool is_list = request->verb & (VERB_SHOW | VERB_COMPARE | VERB_REPORT);
    if (is_list && asked != ORDER_FREE && !request->has_type && problem_ops[problem->op].rounds)
        problem->type = problem->acc = F32;
    problem_simplify(problem);
    if (problem->order != asked)
        output_note(request, "order     %s of %s has the same bits in any order\n",
                    problem_ops[problem->op].name, problem_types[problem->type].name);
}

static int parse(struct parse *parse, int argc, char **argv)
{
    struct argp_option argp_options[OPTIONS_MAX];
    struct argp argp = {.parser = parse_option};
    const unsigned silent = ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT;
    struct request *out = parse->request;
    if (option_errors_check(argc, argv, parse->verb, parse->error))
        return -1;
    options_fill(&argp, argp_options, parse->verb);
    error_t got = argp_parse(&argp, argc, argv, silent, NULL, parse);
    if (parse->is_failed)
        return -1;
    if (got)
        return error_set(parse->error, got == ENOMEM ? ERROR_FAILED : ERROR_USAGE,
                         "the options cannot be read: %s", strerror(got));
    if (!out->has_acc)
        out->problem.acc = problem_default_acc(out->problem.type);
    out->problem.regime = out->warm ? WARM : out->data;
    if (out->deterministic && !out->has_order)
        out->problem.order = ORDER_RUN;
    if (out->verb == VERB_EXPORT)
        request_dims_take_shape(out);
    if (option_conflicts_check(out, parse->error) ||
        (parse->verb->check && parse->verb->check(out, parse->error)) ||
        problem_check(&out->problem, parse->error) || request_dims_settle(out, parse->error) ||
        request_files_check(out, parse->error))
        return -1;
    out->has_order |= out->deterministic;
    const bool is_any = out->topic && strcmp(out->topic, "problems") == 0;
    if (!is_any) /* which are of any problem */
        simplify(out);
    return 0;
}

static const struct problem usual = {.op = SUM, .type = I32, .acc = I32, .dims = DIMS_VALUE(0)};

int request_parse(struct request *out, const struct verb_row *verb, void *own, int argc,
                  char **argv, struct error *error)
{
    struct parse whole = {.request = out, .verb = verb, .error = error};
    *out = (struct request){.verb = verb->verb,
                            .own = own,
                            .problem = usual,
                            .device = "auto",
                            .seed = 1,
                            .part = {.count = 1},
                            .loss = 0.01};
    return parse(&whole, argc, argv);
}

int request_parse_line(struct request *out, const struct request *base, char *line,
                       struct error *error)
{
    enum { WORDS_MAX = 64 };
    char program[] = "autotune tune", *words[WORDS_MAX + 1] = {program};
    struct parse one = {.request = out, .verb = &verb_tune, .error = error, .is_line = true};
    int count = 1;
    *out = *base;
    out->problems = out->replay = out->json = out->csv = NULL;
    out->has_part = out->dry_run = false;
    out->quiet = true;
    for (char *word = command_next_word(&line); word; word = command_next_word(&line))
        if (count == WORDS_MAX)
            return error_set(error, ERROR_USAGE, "more than %d words: give a problem's options",
                             WORDS_MAX - 1);
        else
            words[count++] = word;
    if (parse(&one, count, words))
        return -1;
    return request_is_sweep(out)
               ? error_set(
                     error, ERROR_USAGE,
                     "a range is many problems: give each a line of its own, as 'autotune "
                     "list problems' writes them")
               : 0;
}

void request_filter(struct filter *out, const struct request *request)
{
    const uint64_t n = dims_n(&request->problem.dims);
    *out = (struct filter){.asked = (request->has_op ? FILTER_OP : 0) |
                                    (request->has_type ? FILTER_TYPE : 0) |
                                    (request->has_order ? FILTER_ORDER : 0) |
                                    (request->has_n ? FILTER_N : 0),
                           .problem = request->problem,
                           .n_low = n,
                           .n_high = request->n_high ? request->n_high : n};
}

bool request_sweeps(const struct request *request, enum regime regime)
{
    return regime == WARM ? !request->cold : regime == COLD && !request->warm;
}
