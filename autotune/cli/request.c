/* request: reads the command line through argp, which neither prints nor exits here, then checks
 * it and fills in defaults. Options that the verb has not are refused word by word before, by the
 * table of options: argp takes abbreviations for options, and prints two sentences for what it
 * cannot read. Files are checked before any long work starts. */
#include "autotune/cli/request.h"

#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/device/nvrtc.h"
#include "cache/file.h"
#include "generator/command.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Options that the verb has not -------------------------------------------------------- */

enum { SHOWN_MAX = 100 };

/* A word of the command line that is read as an option, of a verb that messages call `program`. */
struct word {
    const char *name; /* behind the dashes; of `length` characters */
    size_t length;
    const struct verb_row *verb;
    const char *program;
};

static int width_of(const struct word *word)
{
    return word->length < SHOWN_MAX ? (int)word->length : SHOWN_MAX;
}

static bool begins_with(const struct option_row *option, const struct word *word)
{
    return option->name && strncmp(option->name, word->name, word->length) == 0;
}

static bool is_named(const struct option_row *option, const struct word *word)
{
    return begins_with(option, word) && !option->name[word->length];
}

/* The verbs that have an option of just this name, as bits. */
static unsigned find_owners(const struct word *word)
{
    const struct option_row *option;
    unsigned owners = 0;
    for (size_t i = 0; (option = options_at(i)); i++)
        owners |= is_named(option, word) ? option->verbs : 0;
    return owners;
}

/* "'emit'", "tune, emit and verify": the listed verbs of a mask. Returns their number. */
static size_t add_verbs(struct text *out, unsigned mask)
{
    size_t count = 0, left = 0;
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        left += (*verb)->verb & mask && (*verb)->summary;
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        if ((*verb)->verb & mask && (*verb)->summary) {
            text_addf(out, "%s%s",
                      !count              ? ""
                      : count + 1 == left ? " and "
                                          : ", ",
                      (*verb)->name);
            count++;
        }
    return count;
}

static int refuse_foreign(const struct word *word, unsigned owners, struct error *error)
{
    struct text names = {0};
    const size_t count = add_verbs(&names, owners);
    error_set(error, ERROR_USAGE, "%s has no --%.*s: %s %s it; see 'autotune help %s'",
              word->verb->name, width_of(word), word->name, names.at ? names.at : "others",
              count == 1 ? "has" : "have", word->verb->name);
    text_dispose(&names);
    return -1;
}

/* "--cold, --csv or --cache": the verb's options that begin with the word. */
static void add_longer(struct text *out, const struct word *word)
{
    const struct option_row *option;
    size_t count = 0, left = 0;
    if (!word->length)
        return;
    for (size_t i = 0; (option = options_at(i)); i++)
        left += option->verbs & word->verb->verb && begins_with(option, word);
    for (size_t i = 0; (option = options_at(i)); i++)
        if (option->verbs & word->verb->verb && begins_with(option, word)) {
            text_addf(out, "%s--%s",
                      !count              ? ""
                      : count + 1 == left ? " or "
                                          : ", ",
                      option->name);
            count++;
        }
}

static const char *find_similar(const struct word *word)
{
    const char *names[OPTIONS_MAX] = {NULL};
    const struct option_row *option;
    size_t count = 0;
    for (size_t i = 0; (option = options_at(i)); i++)
        if (option->verbs & word->verb->verb && option->name)
            names[count++] = option->name;
    return text_similar(word->name, word->length, names, count);
}

static int refuse_unknown(const struct word *word, struct error *error)
{
    struct text meant = {0};
    const unsigned owners = find_owners(word);
    const char *similar = find_similar(word);
    if (owners)
        return refuse_foreign(word, owners, error);
    add_longer(&meant, word);
    if (!meant.length && similar)
        text_addf(&meant, "--%s", similar);
    error_set(error, ERROR_USAGE, "there is no option --%.*s: %s%s%s'%s --help' lists them",
              width_of(word), word->name, meant.length ? "did you mean " : "",
              meant.length ? meant.at : "", meant.length ? "? " : "", word->program);
    text_dispose(&meant);
    return -1;
}

/* --- Words -------------------------------------------------------------------------------- */

static const struct option_row *find_long(const struct word *word)
{
    const struct option_row *option;
    for (size_t i = 0; (option = options_at(i)); i++)
        if (option->verbs & word->verb->verb && is_named(option, word))
            return option;
    return NULL;
}

/* `*is_split`: the option's value is the word behind it. */
static int check_long(const struct option_row **out, bool *is_split, const struct word *word,
                      struct error *error)
{
    const char *const value = word->name + word->length; /* "=..." */
    const struct option_row *option = *out = find_long(word);
    if (!option)
        return refuse_unknown(word, error);
    if (!option->value && *value)
        return error_set(error, ERROR_USAGE, "--%s takes no value: leave '%.100s' out",
                         option->name, value);
    *is_split = option->value && !*value;
    return 0;
}

/* Letters of flags, and one with a value in the end. */
static int check_short(const struct option_row **out, bool *is_split, const struct word *word,
                       struct error *error)
{
    for (const char *letter = word->name; *letter; letter++) {
        *out = options_at(options_find(*letter, word->verb->verb));
        if (!*out)
            return error_set(error, ERROR_USAGE,
                             "there is no option -%c: '%s --help' lists them", *letter,
                             word->program);
        *is_split = (*out)->value && !letter[1];
        if ((*out)->value)
            break;
    }
    return 0;
}

static int refuse_without_value(const char *word, const struct option_row *option,
                                struct error *error)
{
    return error_set(error, ERROR_USAGE, "%s needs a value: write %s %s", word, word,
                     option->value);
}

/* ERROR_USAGE for the first word that is no option of the verb, written in full, or lacks its value or
 * has one too many: with the verbs that have it, or the names that are like it. Words behind "--",
 * and behind an option for help, are not looked at. argv[0] is what messages call the program. */
static int check_words(int argc, char **argv, const struct verb_row *verb, struct error *error)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const bool is_long = strncmp(argv[i], "--", 2) == 0;
        const char *const name = argv[i] + (is_long ? 2 : 1);
        const struct word word = {name, strcspn(name, "="), verb, argv[0]};
        const struct option_row *option = NULL;
        bool is_split = false;
        if (argv[i][0] != '-' || !argv[i][1])
            continue;
        if ((is_long ? check_long : check_short)(&option, &is_split, &word, error))
            return -1;
        if (option->letter == 'h') /* which prints the help, whatever follows */
            return 0;
        if (is_split && i + 1 == argc)
            return refuse_without_value(argv[i], option, error);
        i += is_split;
    }
    return 0;
}

/* --- argp --------------------------------------------------------------------------------- */

struct parse {
    struct request *request;
    const struct verb_row *verb;
    struct error *error;
    bool is_line; /* of a list: only options of a problem are taken */
    bool is_failed;
    bool is_given[OPTIONS_MAX]; /* by option */
};

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
    if (parse->request->verb & (VERB_MERGE | VERB_COMPARE | VERB_REPORT | VERB_JUDGE))
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
    assert(number < OPTIONS_MAX);
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

/* --- Files -------------------------------------------------------------------------------- */

/* 0, else errno. */
static int check_folder(const char *path)
{
    struct text folder = {0};
    int cause = ENOMEM;
    file_add_folder_of(&folder, path);
    if (!folder.failed)
        cause = access(folder.at, W_OK | X_OK) ? errno : 0;
    text_dispose(&folder);
    return cause;
}

static int check_file(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return errno == ENOENT ? check_folder(path) : errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return access(path, W_OK) ? errno : 0;
}

/* Do both names lead to one file, or would they once it is made? Of devices two may be written. */
static bool is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    const bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    struct text folder_a = {0}, folder_b = {0};
    if (has_a && has_b)
        return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
               of_a.st_ino == of_b.st_ino;
    const char *const slash_a = strrchr(a, '/'), *const slash_b = strrchr(b, '/');
    file_add_folder_of(&folder_a, a);
    file_add_folder_of(&folder_b, b);
    const bool is_one = !has_a && !has_b && !folder_a.failed && !folder_b.failed &&
                        strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 &&
                        stat(folder_a.at, &of_a) == 0 && stat(folder_b.at, &of_b) == 0 &&
                        of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    text_dispose(&folder_a);
    text_dispose(&folder_b);
    return is_one;
}

/* A folder of records that is named to be read from must be there; tune and merge make
 * theirs. */
static int check_records(const struct request *request, struct error *error)
{
    const enum verb makers = VERB_TUNE | VERB_MERGE | VERB_DOCTOR;
    struct stat status;
    if (!request->cache || request->verb & makers)
        return 0;
    if (stat(request->cache, &status))
        return error_set(
            error, ERROR_IO,
            "--cache %.1000s: %s: name a folder with records, which 'autotune tune' "
            "and 'autotune merge' make",
            request->cache, errno == ENOENT ? "there is no such folder" : strerror(errno));
    return S_ISDIR(status.st_mode)
               ? 0
               : error_set(error, ERROR_IO,
                           "--cache %.1000s: it is no folder: name one with records",
                           request->cache);
}

/* Could each file be opened? Creates none, so a full disk shows only when a file is written. ERROR_IO:
 * a file to be written at the end cannot be, or a folder of records that is only read is not there;
 * ERROR_NO_DEVICE: the library of --nvrtc cannot be used, for a verb that would go on without one. */
static int check_files(const struct request *request, struct error *error)
{
    const char *const written[] = {request->out.csv, request->out.json, request->cubin,
                                   request->verb == VERB_REPORT ? request->output : NULL};
    const enum verb needless = VERB_COMPARE | VERB_REPORT | VERB_LADDER;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const bool is_file = written[i] && strcmp(written[i], "-") != 0;
        const int cause = is_file ? check_file(written[i]) : 0;
        if (cause)
            return error_set(error, ERROR_IO, "%.1000s: cannot be written: %s", written[i],
                             strerror(cause));
        for (size_t k = 0; k < i && is_file; k++)
            if (written[k] && strcmp(written[k], "-") != 0 && is_same(written[k], written[i]))
                return error_set(error, ERROR_USAGE,
                                 "%.500s and %.500s are the same file: give each its own",
                                 written[k], written[i]);
    }
    if (check_records(request, error))
        return -1;
    return request->nvrtc && request->verb & needless ? nvrtc_check(request->nvrtc, error) : 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Says so where the order that is asked for is kept by every kernel. What is listed by its order is
 * of any type, and of floats before others. */
static void simplify(struct request *request)
{
    struct problem *problem = &request->problem;
    const enum order asked = problem->order;
    const bool is_list = request->verb & (VERB_SHOW | VERB_COMPARE | VERB_REPORT | VERB_CHECK);
    if (is_list && asked != ORDER_FREE && !request->has_type && problem_rounds_floats(problem))
        problem->type = problem->acc = F32;
    problem_simplify(problem);
    if (problem->order != asked)
        output_note(&request->out, "order     %s of %s has the same bits in any order\n",
                    problem->op->name, problem_types[problem->type].name);
}

/* Records are asked for by an operation alone, whatever their types. */
static int check_problem(const struct request *request, struct error *error)
{
    const bool is_filter =
        request->verb & (VERB_SHOW | VERB_COMPARE | VERB_REPORT | VERB_CHECK);
    if (problem_inputs(&request->problem) > 1 && request->verb & (VERB_REDUCE | VERB_EXPORT))
        return error_set(
            error, ERROR_USAGE,
            "operation '%s' has %zu inputs, and autotune %s knows one so far: call it by "
            "the library, by autotune_execute_call",
            request->problem.op->name, problem_inputs(&request->problem),
            request->verb == VERB_REDUCE ? "reduce" : "export");
    return is_filter && !request->has_type ? 0 : problem_check(&request->problem, error);
}

/* Values of params, and how further inputs lie. A result needs all values; a time does not. */
static int give_params(struct request *request, struct error *error)
{
    for (size_t i = 0; i < request->param_count; i++)
        if (problem_give_text(&request->problem, request->params[i], error))
            return -1;
    for (size_t i = 0; i < request->lie_count; i++)
        if (problem_give_lie(&request->problem, request->lies[i], error))
            return -1;
    return request->verb == VERB_REDUCE ? problem_check_params(&request->problem, error) : 0;
}

static int parse(struct parse *parse, int argc, char **argv)
{
    struct argp_option argp_options[OPTIONS_MAX];
    struct argp argp = {.parser = parse_option};
    const unsigned silent = ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT;
    struct request *out = parse->request;
    if (check_words(argc, argv, parse->verb, parse->error))
        return -1;
    options_fill(&argp, argp_options, parse->verb);
    error_t got = argp_parse(&argp, argc, argv, silent, NULL, parse);
    if (parse->is_failed)
        return -1;
    if (got)
        return error_set(parse->error, got == ENOMEM ? ERROR_FAILED : ERROR_USAGE,
                         "the options cannot be read: %s", strerror(got));
    if (!out->has_type)
        operation_input_has_type(out->problem.op, 0, &out->problem.type);
    if (!out->has_acc)
        out->problem.acc = problem_usual_acc(out->problem.op, out->problem.type);
    out->problem.regime = out->warm ? WARM : out->data;
    if (out->deterministic && !out->has_order)
        out->problem.order = ORDER_RUN;
    if (out->verb == VERB_EXPORT)
        request_dims_take_shape(out);
    if (option_conflicts_check(out, parse->error) ||
        (parse->verb->check && parse->verb->check(out, parse->error)) ||
        request_dims_settle(out, parse->error) || check_problem(out, parse->error) ||
        give_params(out, parse->error) || check_files(out, parse->error))
        return -1;
    out->has_order |= out->deterministic;
    const bool is_any = out->topic && strcmp(out->topic, "problems") == 0;
    if (!is_any) /* which are of any problem */
        simplify(out);
    return 0;
}

static struct problem usual_problem(void)
{
    return (struct problem){.op = operation_usual(),
                            .type = I32,
                            .acc = I32,
                            .dims = DIMS_VALUE(0)};
}

int request_parse(struct request *out, const struct verb_row *verb, void *own, int argc,
                  char **argv, struct error *error)
{
    struct parse whole = {.request = out, .verb = verb, .error = error};
    *out = (struct request){.verb = verb->verb,
                            .own = own,
                            .argc = argc,
                            .argv = argv,
                            .problem = usual_problem(),
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
    out->problems = out->replay = NULL;
    out->param_count = out->lie_count = 0;
    memset(out->problem.further, 0, sizeof out->problem.further);
    out->has_part = out->dry_run = false;
    out->out = (struct output){.quiet = true};
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
