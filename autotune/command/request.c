/* request: reads the command line through argp, which neither prints nor exits here. Hides how
 * values become fields, and which options exclude each other. */
#include "autotune/command/request.h"

#include "autotune/command/options.h"
#include "autotune/command/output.h"
#include "autotune/command/verbs.h"
#include "autotune/tune/versus.h"
#include "generator/number.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

struct parse {
    struct request *request;
    struct error *error;
    bool is_failed;
};

/* --- Values ------------------------------------------------------------------------------- */

/* More than that overflows byte counts long before a device says that it has no room. */
#define N_MOST (UINT64_C(1) << 59)

static int parse_n(uint64_t *out, const char *value, struct error *error)
{
    if (number_parse_count(out, value, "--n", error))
        return -1;
    return *out <= N_MOST ? 0
                        : error_set(error, ERROR_USAGE,
                                    "--n is '%s', for which no memory is large "
                                    "enough: give a smaller number",
                                    value);
}

/* "1Ki,400M": every n of bench. */
static int parse_counts(struct request *request, const char *value, struct error *error)
{
    size_t count = 0;
    for (const char *at = value;; at++) {
        char number[32];
        const size_t length = strcspn(at, ",");
        if (count == REQUEST_COUNTS_MAX)
            return error_set(error, ERROR_USAGE, "--n names more than %d counts: give fewer",
                             REQUEST_COUNTS_MAX);
        snprintf(number, sizeof number, "%.*s", length < 31 ? (int)length : 31, at);
        if (parse_n(&request->counts[count++], number, error))
            return -1;
        at += length;
        if (!*at)
            break;
    }
    request->count_count = count;
    request->problem.n = request->counts[0];
    return 0;
}

/* "400M", "1K..4G". */
static int parse_range(struct request *request, const char *value, struct error *error)
{
    if (!strstr(value, ".."))
        return parse_n(&request->problem.n, value, error);
    if (number_parse_range(&request->problem.n, &request->n_high, value, "--n", error))
        return -1;
    if (request->problem.n >= 1 && request->n_high <= N_MOST)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--n is '%s': give a range from 1 on whose end some memory has room for",
                     value);
}

/* "1" and "0.25" are percent. */
static int parse_loss(struct request *request, const char *value, struct error *error)
{
    uint64_t thousandths;
    if (number_parse_fixed(&thousandths, value, 3, "--loss", error))
        return -1;
    request->has_loss = true;
    request->loss = (double)thousandths / 100000;
    return thousandths <= 50000
               ? 0
               : error_set(error, ERROR_USAGE, "--loss is '%.100s': give percent from 0 to 50",
                           value);
}

static int parse_offset(uint64_t *out, const char *value, struct error *error)
{
    if (number_parse_count(out, value, "--offset", error))
        return -1;
    return *out < 256 ? 0
                      : error_set(error, ERROR_USAGE,
                                  "--offset is '%.100s': give bytes below 256, for inputs start "
                                  "that far past a multiple of 256", value);
}

static int parse_rounds(uint64_t *out, const char *value, struct error *error)
{
    if (number_parse_count(out, value, "--rounds", error))
        return -1;
    return *out >= 1 && *out <= VERSUS_ROUNDS_MAX
               ? 0
               : error_set(error, ERROR_USAGE, "--rounds is '%.100s': give 1 to %d", value,
                           VERSUS_ROUNDS_MAX);
}

static int parse_part(struct request *request, const char *value, struct error *error)
{
    char k[16], m[16], rest;
    uint64_t part, parts;
    if (sscanf(value, "%15[0-9]/%15[0-9]%c", k, m, &rest) != 2 ||
        number_parse_count(&part, k, "--part", error) ||
        number_parse_count(&parts, m, "--part", error) || part < 1 || part > parts ||
        parts > 1000000)
        return error_set(error, ERROR_USAGE,
                         "--part is '%.100s': write K/M with 1 <= K <= M, such as 1/8", value);
    request->part = (unsigned)part - 1;
    request->parts = (unsigned)parts;
    return 0;
}

/* "30s", "500ms", "2m". */
static int parse_budget(double *out, const char *value, struct error *error)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char digits[16];
    int used = 0;
    uint64_t count;
    if (sscanf(value, "%15[0-9]%n", digits, &used) == 1 &&
        number_parse_count(&count, digits, "--budget", error) == 0 && count > 0)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(value + used, units[i].name) == 0) {
                *out = (double)count * units[i].seconds;
                return 0;
            }
    return error_set(error, ERROR_USAGE,
                     "--budget is '%.100s': write a whole number above 0 and a unit, such as 30s, "
                     "500ms or 2m",
                     value);
}

static int add_rung(struct request *request, const char *value, struct error *error)
{
    if (request->rung_count == REQUEST_RUNGS_MAX)
        return error_set(error, ERROR_USAGE, "--rung is given more than %d times: give fewer",
                         REQUEST_RUNGS_MAX);
    request->rungs[request->rung_count++] = value;
    return 0;
}

static const char **find_string(struct request *request, int key)
{
    const struct {
        int key;
        const char **target;
    } strings[] = {
        {KEY_DEVICE, &request->device},     {KEY_ARCH, &request->arch},
        {KEY_NVRTC, &request->nvrtc},       {KEY_SPACE, &request->space},
        {KEY_TEMPLATE, &request->template}, {KEY_CACHE, &request->cache},
        {KEY_VARIANT, &request->variant},   {KEY_PASS, &request->pass},
        {KEY_JSON, &request->json},         {KEY_CSV, &request->csv},
        {KEY_BLOCKS, &request->blocks},     {KEY_SOURCE, &request->source},
        {KEY_CUBIN, &request->cubin},       {KEY_REPLAY, &request->replay},
        {KEY_AGAINST, &request->against},   {KEY_FORMAT, &request->format},
        {KEY_OUTPUT, &request->output},     {KEY_PREFIX, &request->prefix},
        {KEY_GPU, &request->gpu},           {KEY_OUTPUT_FILE, &request->output},
        {KEY_BENCH, &request->bench},       {KEY_LADDER, &request->ladder},
        {KEY_AXES, &request->axes},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strings[i].key == key)
            return strings[i].target;
    return NULL;
}

static bool *find_flag(struct request *request, int key)
{
    const struct {
        int key;
        bool *target;
    } flags[] = {
        {KEY_RETUNE, &request->retune}, {KEY_QUIET, &request->quiet}, {KEY_PTX, &request->ptx},
        {KEY_SASS, &request->sass},     {KEY_COVER, &request->cover}, {KEY_ALL, &request->all},
        {KEY_COLD, &request->cold},     {KEY_WARM, &request->warm},
        {KEY_STREAM, &request->stream}, {KEY_SWEEP, &request->sweep},
        {KEY_CONFIRM, &request->confirm}, {KEY_RUN, &request->run},
        {KEY_SOURCES, &request->sources}, {KEY_GRID, &request->grid},
        {KEY_EVIDENCE, &request->evidence},
        {KEY_MARKDOWN, &request->markdown},
        {KEY_DETERMINISTIC, &request->problem.is_deterministic},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].key == key)
            return flags[i].target;
    return NULL;
}

enum { NOT_MINE = 1 };

static int parse_number(struct request *request, int key, const char *value,
                        struct error *error)
{
    switch (key) {
    case KEY_N:
        request->has_n = true;
        if (request->verb == VERB_BENCH || request->verb == VERB_EXPORT)
            return parse_counts(request, value, error);
        if (request->verb == VERB_TUNE || request->verb == VERB_SHOW)
            return parse_range(request, value, error);
        return parse_n(&request->problem.n, value, error);
    case KEY_LOSS:
        return parse_loss(request, value, error);
    case KEY_OP:
        request->has_op = true;
        return problem_find_op(&request->problem.op, value, error);
    case KEY_TYPE:
        request->has_type = true;
        return problem_find_type(&request->problem.type, value, error);
    case KEY_ACC:
        request->has_acc = true;
        return problem_find_type(&request->problem.acc, value, error);
    case KEY_STRATEGY:
        request->has_strategy = true;
        return strategy_find(&request->strategy, value, error);
    case KEY_PART:
        return parse_part(request, value, error);
    case KEY_RUNG:
        return add_rung(request, value, error);
    case KEY_OFFSET:
        return parse_offset(&request->offset, value, error);
    case KEY_ROUNDS:
        return parse_rounds(&request->rounds, value, error);
    case KEY_BUDGET:
        return parse_budget(&request->budget_s, value, error);
    case KEY_SEED:
        return number_parse_count(&request->seed, value, "--seed", error);
    default:
        return NOT_MINE;
    }
}

/* An empty name of a file or folder would be looked for in vain, in words that confuse. */
static int parse_value(struct request *request, int key, const char *value, struct error *error)
{
    const char **string = find_string(request, key);
    bool *flag = find_flag(request, key);
    if (string && !*value)
        return error_set(error, ERROR_USAGE,
                         "an option has an empty value: leave the option out "
                         "or write what it needs (see --help)");
    if (string)
        *string = value;
    if (flag)
        *flag = true;
    return string || flag ? 0 : parse_number(request, key, value, error);
}

/* --- argp --------------------------------------------------------------------------------- */

/* All options are read by now, and the files stand together at the end of argv. */
static int take_files(struct parse *parse, struct argp_state *state)
{
    parse->request->files = &state->argv[state->next - 1];
    parse->request->file_count = (size_t)(state->argc - state->next + 1);
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
    if ((parse->request->verb & (VERB_LIST | VERB_PROFILE)) && !parse->request->topic) {
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

/* Ends the parse as an error would, with none. */
static int print_help(struct argp_state *state, struct error *error)
{
    struct text text = {0};
    options_help(&text, state);
    if (output_write("-", &text, error) == 0)
        *error = (struct error){.code = ERROR_NONE};
    text_dispose(&text);
    return -1;
}

/* Which argument argp could not read: the last it took, or the one it is in the middle of. */
static void explain(struct parse *parse, const struct argp_state *state)
{
    for (int i = state->next - 1; i <= state->next; i++)
        if (i > 0 && i < state->argc &&
            options_explain(state->argv[i], parse->request->verb, state->argv[0], parse->error))
            return;
    error_set(parse->error, ERROR_USAGE, "the options cannot be read: see '%s --help'",
              state->argv[0]);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct parse *parse = state->input;
    if (parse->is_failed)
        return 0;
    if (key == ARGP_KEY_ERROR) {
        explain(parse, state);
        parse->is_failed = true;
        return 0;
    }
    int got = key == ARGP_KEY_ARG ? parse_argument(parse, value, state)
              : key == KEY_HELP   ? print_help(state, parse->error)
                                  : parse_value(parse->request, key, value, parse->error);
    if (got == NOT_MINE)
        return ARGP_ERR_UNKNOWN;
    parse->is_failed = got != 0;
    return 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check_clashes(const struct request *request, struct error *error)
{
    const bool is_one = request->variant || request->has_acc || request->has_op ||
                        request->has_type || request->has_n ||
                        request->problem.is_deterministic;
    const struct {
        bool is_so;
        const char *text;
    } clashes[] = {
        {request->cold && request->warm, "--cold and --warm exclude each other: choose one"},
        {!!request->ptx + !!request->cubin + !!request->sass > 1,
         "--ptx, --cubin and --sass are three forms: choose one"},
        {request->cover && request->all, "--cover is a sample of --all: choose one"},
        {request->parts > 1 && !request->all && !request->cover,
         "--part divides --cover or --all: give one of them too"},
        {(request->cover || request->all) && is_one,
         "--cover and --all choose problems and variants themselves: leave --n, --op, --type, "
         "--acc, --deterministic and --variant out"},
        {request->verb == VERB_MERGE && !request->file_count,
         "no file to merge: write 'autotune merge FILE...' with the names of record files"},
        {request->verb == VERB_COMPARE && request->file_count < 2,
         "nothing to compare: write 'autotune compare A B', each a record file, a GPU's name or "
         "published figures"},
        {request->verb == VERB_PROFILE && request->topic && !strchr(request->topic, '=') &&
             (request->space || request->template),
         "a rung of the ladder has a space and a template of its own: leave --space and --template "
         "out"},
        {request->verb == VERB_BENCH && !request->against,
         "nothing to be timed against: write --against cub once 'make bench' has built it, or "
         "--against FILE"},
        {request->offset % (uint64_t)problem_types[request->problem.type].bytes != 0,
         "--offset leaves elements across their own alignment: give a multiple of the type's "
         "bytes"},
        {(request->has_loss || request->confirm) && !request->n_high,
         "--loss and --confirm are of a sweep: give a range with --n, such as 1K..4G"},
        {request->confirm && request->retune,
         "--confirm measures again what --retune would replace: choose one"},
        {request->replay && request->n_high,
         "--replay runs on one journal, a range takes many: leave one of them out"},
        {request->replay && request->retune,
         "--replay runs on what was measured before, --retune measures again: choose one"},
        {request->grid && request->source,
         "--grid measures, --source only prints: leave one of them out"},
        {is_stdout(request->json) && is_stdout(request->csv),
         "--json - and --csv - would mix on stdout: give one of them a file"},
        {request->json && request->csv && strcmp(request->json, request->csv) == 0,
         "--json and --csv name the same file: give each its own"},
    };
    for (size_t i = 0; i < sizeof clashes / sizeof *clashes; i++)
        if (clashes[i].is_so)
            return error_set(error, ERROR_USAGE, "%s", clashes[i].text);
    return 0;
}

int request_parse(struct request *out, enum verb verb, int argc, char **argv,
                  struct error *error)
{
    struct argp_option options[OPTIONS_MAX];
    struct parse parse = {.request = out, .error = error};
    struct argp argp = {.parser = parse_option};
    const unsigned silent = ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT;
    options_fill(&argp, options, verb);
    *out = (struct request){.verb = verb, .problem = {SUM, I32, I32, 0, COLD, false},
                            .device = "auto", .seed = 1, .parts = 1, .loss = 0.01};
    error_t got = argp_parse(&argp, argc, argv, silent, NULL, &parse);
    if (parse.is_failed)
        return -1;
    if (got)
        return error_set(error, ERROR_USAGE, "the options cannot be read: %s", strerror(got));
    if (!out->has_acc)
        out->problem.acc = problem_default_acc(out->problem.type);
    out->problem.regime = out->warm ? WARM : COLD;
    if (check_clashes(out, error) || problem_check(&out->problem, error))
        return -1;
    if (verb != VERB_SHOW) /* which looks for records, whatever the problem */
        problem_simplify(&out->problem);
    return 0;
}
