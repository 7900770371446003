/* options: holds the table of options and writes their help, and one sentence for an option
 * that cannot be read, where argp would print two. */
#include "autotune/cli/options.h"

#include "autotune/cli/help.h"
#include "autotune/export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TUNE = VERB_TUNE,
    SHOW = VERB_SHOW,
    LIST = VERB_LIST,
    EMIT = VERB_EMIT,
    VERIFY = VERB_VERIFY,
    DOCTOR = VERB_DOCTOR,
    MERGE = VERB_MERGE,
    BENCH = VERB_BENCH,
    LADDER = VERB_LADDER,
    EXPORT = VERB_EXPORT,
    COMPARE = VERB_COMPARE,
    PROFILE = VERB_PROFILE,
    REPORT = VERB_REPORT,
    EVERY = TUNE | SHOW | LIST | EMIT | VERIFY | DOCTOR | MERGE | BENCH | LADDER | EXPORT |
            COMPARE | PROFILE | REPORT,
    PROBLEM = TUNE | EMIT | VERIFY | LIST | BENCH | LADDER | EXPORT | PROFILE,
    TABLES = TUNE | SHOW | LIST | MERGE | BENCH | LADDER | COMPARE | PROFILE,
};

/* --- The table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct row {
    unsigned verbs;
    struct argp_option option;
} rows[] = {
    {PROBLEM | SHOW | COMPARE | REPORT, {0, 0, 0, 0, "The problem:", 1}},
    {BENCH, {"n", KEY_N, "COUNT[,COUNT...]", 0, "elements: 400M is 400,000,000, 400Mi is 400*2^20; a line of the table each (default 400M, on the host 1M)", 0}},
    {EXPORT, {"n", KEY_N, "COUNT[,COUNT...]", 0, "only records of these counts of elements, as 64Ki,400M (default: all, each for the n that it is nearest to)", 0}},
    {TUNE, {"n", KEY_N, "COUNT[..COUNT]", 0, "elements: 400M is 400,000,000, 400Mi is 400*2^20; 1K..4G sweeps a range of sizes, cold and, where the data fits the L2 cache, warm (default 400M, on the host 1M)", 0}},
    {PROBLEM & ~(TUNE | BENCH | LADDER | EXPORT), {"n", KEY_N, "COUNT", 0, "elements: 400M is 400,000,000, 400Mi is 400*2^20 (default 400M, on the host 1M)", 0}},
    {LADDER, {"n", KEY_N, "COUNT[..COUNT]", 0, "elements: 400M is 400,000,000, 400Mi is 400*2^20; 128Ki..32Mi gives a table of times by n, each twice the one before (default 400M, on the host 20K)", 0}},
    {TUNE, {"rows", KEY_ROWS, "COUNT[..COUNT]", 0, "a matrix of this many rows instead of --n: a result for each row; 1K..1M sweeps a range", 0}},
    {TUNE, {"len", KEY_LEN, "COUNT[..COUNT]", 0, "elements of a row; a result is of at most 2^31 elements; 32..4096 sweeps a range", 0}},
    {EXPORT, {"rows", KEY_ROWS, "COUNT", 0, "only records of a matrix of this many rows, and of its --len, --pitch and --axis; --space rows or columns takes all shapes", 0}},
    {PROBLEM & ~(TUNE | EXPORT), {"rows", KEY_ROWS, "COUNT", 0, "a matrix of this many rows instead of --n: a result for each row", 0}},
    {PROBLEM & ~TUNE, {"len", KEY_LEN, "COUNT", 0, "elements of a row; a result is of at most 2^31 elements", 0}},
    {PROBLEM, {"pitch", KEY_PITCH, "COUNT", 0, "elements from one row's start to the next's (default: the row's)", 0}},
    {PROBLEM, {"axis", KEY_AXIS, "AXIS", 0, "1: a result for each row (default); 0: one for each column", 0}},
    {PROBLEM, {"shape", KEY_SHAPE, "SHAPE", 0, "rows: as --axis 1; columns: as --axis 0", 0}},
    {PROBLEM, {"op", KEY_OP, "OP", 0, "one of @ (default sum)", 0}},
    {PROBLEM, {"type", KEY_TYPE, "TYPE", 0, "of the elements: one of @ (default i32)", 0}},
    {SHOW, {"n", KEY_N, "COUNT[..COUNT]", 0, "only records of this many elements, or of a range", 0}},
    {SHOW, {"shape", KEY_SHAPE, "SHAPE", 0, "only records of rows, or of columns", 0}},
    {SHOW, {"op", KEY_OP, "OP", 0, "only records of this operation", 0}},
    {SHOW, {"type", KEY_TYPE, "TYPE", 0, "only records of this type of elements", 0}},
    {COMPARE, {"n", KEY_N, "COUNT", 0, "only this many elements", 0}},
    {COMPARE, {"op", KEY_OP, "OP", 0, "only this operation", 0}},
    {COMPARE, {"type", KEY_TYPE, "TYPE", 0, "only this type of elements", 0}},
    {REPORT, {"n", KEY_N, "COUNT", 0, "elements of the record that is shown in full (default: that nearest to 400M, on the host 1M)", 0}},
    {REPORT, {"op", KEY_OP, "OP", 0, "the operation (default: that of most records)", 0}},
    {REPORT, {"type", KEY_TYPE, "TYPE", 0, "of the elements (default: that of most records)", 0}},
    {PROBLEM & ~LADDER, {"scan", KEY_SCAN, "KIND", 0, "a result for each element: inclusive, of all up to it, or exclusive, of all before it; none (default): one of all", 0}},
    {SHOW, {"scan", KEY_SCAN, "KIND", 0, "only records of such scans: inclusive, exclusive, or none for reductions", 0}},
    {PROBLEM, {"acc", KEY_ACC, "TYPE", 0, "of the accumulator: the elements' type or a wider one of its kind, of 32 bits at least (default: the narrowest)", 0}},
    {TUNE | VERIFY | BENCH | EXPORT | PROFILE, {"cold", KEY_COLD, 0, 0, "data not in the L2 cache (default)", 0}},
    {TUNE | VERIFY | BENCH | EXPORT | PROFILE, {"warm", KEY_WARM, 0, 0, "data in the L2 cache as far as it fits", 0}},
    {TUNE | EMIT | VERIFY | BENCH | LIST | EXPORT | PROFILE, {"order", KEY_ORDER, "ORDER", 0, "what the bits of a float's result depend on: free (anything), run (the same run after run), n (the elements alone: the same bits everywhere) (default: free)", 0}},
    {TUNE | EMIT | VERIFY | BENCH | LIST | EXPORT | PROFILE, {"deterministic", KEY_DETERMINISTIC, 0, 0, "short for --order run", 0}},
    {SHOW, {"order", KEY_ORDER, "ORDER", 0, "only records of this order, run or n", 0}},
    {SHOW, {"deterministic", KEY_DETERMINISTIC, 0, 0, "short for --order run", 0}},
    {EVERY, {0, 0, 0, 0, "Where and how:", 2}},
    {TUNE, {"device", KEY_DEVICE, "DEVICES", 0, "auto (first GPU, else host), host, a GPU's number, several as 0,1, or all (default auto)", 0}},
    {BENCH, {"offset", KEY_OFFSET, "BYTES", 0, "inputs start that far past a multiple of 256 bytes (default 0)", 0}},
    {BENCH, {"against", KEY_AGAINST, "FILES", 0, "shared objects of the others, separated by commas; cub: those that 'make bench' builds. The fastest counts", 0}},
    {BENCH, {"stream", KEY_STREAM, 0, 0, "calls in plain stream order (default: as a graph)", 0}},
    {BENCH, {"rounds", KEY_ROUNDS, "COUNT", 0, "measurements of each (default 201, on the host 11)", 0}},
    {VERIFY | BENCH | LADDER | PROFILE, {"device", KEY_DEVICE, "DEVICE", 0, "auto (first GPU, else host), host, or a GPU's number (default auto)", 0}},
    {EMIT | LIST, {"arch", KEY_ARCH, "ARCH", 0, "sm_90 or another that 'autotune list archs' shows, or host; needs no device", 0}},
    {LADDER, {"gpu", KEY_GPU, "NAME", 0, "with --device host: of which GPU occupancy, bytes in flight and instructions are computed, as H200 (default: of none); of several sizes of a block with --csv or --json alone", 0}},
    {EXPORT, {"gpu", KEY_GPU, "NAMES", 0, "only records of these GPUs: a part of the name, as H200, several separated by commas; host: the emulator's (default: all but the emulator)", 0}},
    {EXPORT, {"arch", KEY_ARCH, "ARCHS", 0, "to compile for, as sm_80,sm_90 (default: those of the records)", 0}},
    {TUNE, {"loss", KEY_LOSS, "PERCENT", 0, "of a sweep: what a variant may lose in its interval (default 1)", 0}},
    {TUNE, {"confirm", KEY_CONFIRM, 0, 0, "of a sweep that is kept: race each size's winner against its interval's variant again", 0}},
    {TUNE, {"strategy", KEY_STRATEGY, "NAME", 0, "race (default on a GPU): what cannot win is left; exhaustive: every candidate; random: every one in random order; cover: each pair of values once (default on the host)", 0}},
    {TUNE, {"budget", KEY_BUDGET, "TIME", 0, "end the search after this long, as 30s, 500ms or 2m, with the best by then; in a sweep that of each size", 0}},
    {TUNE | VERIFY | BENCH | LADDER | PROFILE, {"seed", KEY_SEED, "NUMBER", 0, "of inputs, orders and the emulator's schedule (default 1)", 0}},
    {COMPARE | REPORT, {"gpu-file", KEY_GPU_FILE, "FILE", 0, "GPUs that the table lacks, in sections [gpu NAME] as in configs/gpus.ini: name, arch, sms, peak_gbs, source, and where known l2_bytes, clock_khz", 0}},
    {COMPARE, {"evidence", KEY_EVIDENCE, 0, 0, "where a record has its journal here, compile every variant in it, and say how bounds, made as for a GPU that is not here, rank with the times", 0}},
    {LADDER, {"rung", KEY_RUNG, "NAME", 0, "only this rung, as harris-5, or group, as harris ('autotune list rungs' has all); may be given again", 0}},
    {LADDER, {"blocks", KEY_BLOCKS, "SIZES", 0, "threads per block: 128, or several as 64,256 or 32..1024 for a table by size (default: each rung's usual one)", 0}},
    {PROFILE, {"run", KEY_RUN, 0, 0, "only launch the kernel, for a profiler that you start: a call that warms up, then the one to look at, both checked", 0}},
    {LADDER, {"grid", KEY_GRID, 0, 0, "threads per block by elements per thread, of each chosen rung that has such a param (default: all that have)", 0}},
    {TUNE, {"retune", KEY_RETUNE, 0, 0, "measure all again, whatever records and the journal know", 0}},
    {TUNE, {"replay", KEY_REPLAY, "JOURNAL", 0, "run the strategy on a journal's trials, without a device", 0}},
    {EMIT | VERIFY, {"variant", KEY_VARIANT, "PARAMS", 0, "BLOCK=256,ITEMS=16,...; the others as in this GPU's record, else the default", 0}},
    {EMIT, {"pass", KEY_PASS, "NAME", 0, "only this pass's kernel", 0}},
    {VERIFY, {"cover", KEY_COVER, 0, 0, "a covering sample of space, operation, type and architecture", 0}},
    {VERIFY, {"small", KEY_SMALL, 0, 0, "of one variant: at small sizes only, for tools that look at each access, as compute-sanitizer", 0}},
    {VERIFY, {"all", KEY_ALL, 0, 0, "every variant of every operation, type and architecture", 0}},
    {VERIFY, {"part", KEY_PART, "K/M", 0, "of --cover or --all: only part K (from 1) of M", 0}},
    {VERIFY, {"limit", KEY_LIMIT, "TIME", 0, "of --small, --cover or --all: a kernel whose proof takes more processor time is wrong, as 500ms, 30s or 5m (default 20s)", 0}},
    {PROBLEM & ~LADDER, {"space", KEY_SPACE, "FILE", 0, "the space: a file, or a name that 'autotune list spaces' shows (default reduce; for argmin and argmax arg, for a matrix rows or columns, for a scan scan)", 0}},
    {PROBLEM & ~LADDER, {"template", KEY_TEMPLATE, "FILE", 0, "the template instead of the space's own", 0}},
    {TUNE | VERIFY | EMIT | DOCTOR | BENCH | LADDER | COMPARE | EXPORT | PROFILE | REPORT, {"nvrtc", KEY_NVRTC, "FILE", 0, "the NVRTC library to use", 0}},
    {EVERY & ~(LIST | LADDER), {"cache", KEY_CACHE, "FOLDER", 0, "of the records (default $XDG_CACHE_HOME/autotune, else ~/.cache/autotune)", 0}},
    {REPORT, {"bench", KEY_BENCH, "FILE", 0, "a table that bench wrote as CSV: adds how our kernels compare with other libraries", 0}},
    {REPORT, {"ladder", KEY_LADDER, "FILES", 0, "tables that ladder wrote as CSV, several separated by commas: adds the classic reductions", 0}},
    {COMPARE, {"rungs", KEY_RUNGS, 0, 0, "the ladder's kernels instead: the same kernel across documents (default: all) and GPUs, as shares of each one's peak bandwidth", 0}},
    {COMPARE, {"ladder", KEY_LADDER, "FILES", 0, "with --rungs: tables that ladder wrote as CSV, several separated by commas", 0}},
    {REPORT, {"axes", KEY_AXES, "PARAM,PARAM", 0, "of the heat map, down and across (default: the space's first two, as BLOCK,ITEMS)", 0}},
    {EVERY, {0, 0, 0, 0, "Output:", 3}},
    {REPORT, {"output", KEY_OUTPUT_FILE, "FILE", 0, "write a page of HTML that needs nothing else (Markdown if its name ends in .md), '-' for stdout; default: draw it as text", 0}},
    {REPORT, {"md", KEY_MARKDOWN, 0, 0, "Markdown, for a README; to stdout where no file is named", 0}},
    {EXPORT, {"format", KEY_FORMAT, "FORMATS", 0, "one or more, separated by commas: @", 0}},
    {EXPORT, {"output", KEY_OUTPUT_FILE, "FOLDER", 0, "where the files are written; '-': one file, to stdout (default: the current folder)", 0}},
    {EXPORT, {"prefix", KEY_PREFIX, "NAME", 0, "what every name in the files begins with (default: the problem, as sum_i32)", 0}},
    {EMIT, {"ptx", KEY_PTX, 0, 0, "PTX instead of source", 0}},
    {EMIT, {"cubin", KEY_CUBIN, "FILE", 0, "machine code, written to FILE, instead of source", 0}},
    {EMIT, {"sass", KEY_SASS, 0, 0, "disassembly instead of source, where cuobjdump or nvdisasm is found", 0}},
    {LADDER, {"source", KEY_SOURCE, "RUNG", 0, "print the CUDA source of a rung instead, its historical form too where that is wrong today", 0}},
    {LADDER, {"published", KEY_PUBLISHED, 0, 0, "print what the documents published instead, with --rung of those rungs alone", 0}},
    {LIST, {"sources", KEY_SOURCES, 0, 0, "of gpus: the document behind the figures of each too", 0}},
    {SHOW, {"sweep", KEY_SWEEP, 0, 0, "draw the sweeps: each size, its interval's variant, and what that loses; with --shape those of matrices", 0}},
    {TABLES | DOCTOR, {"json", KEY_JSON, "FILE", 0, "also write JSON, '-' for stdout instead of the table", 0}},
    {TABLES | DOCTOR, {"csv", KEY_CSV, "FILE", 0, "also write CSV, '-' for stdout instead of the table", 0}},
    {EVERY & ~DOCTOR, {"quiet", KEY_QUIET, 0, 0, "results, warnings and errors only", 0}},
    {EVERY, {"help", KEY_HELP, 0, 0, "print this", 0}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS < (int)OPTIONS_MAX, "argp's table ends with an empty row");

const char *options_name(int key)
{
    size_t i = 0;
    while (rows[i].option.key != key)
        i++;
    return rows[i].option.name;
}

/* --- For argp ----------------------------------------------------------------------------- */

/* The names that replace '@' in a text; argp frees it. */
static char *add_names(const char *text, const char *names)
{
    const size_t before = strcspn(text, "@");
    char *out = NULL;
    if (text[before] == '\0' ||
        asprintf(&out, "%.*s%s%s", (int)before, text, names, text + before + 1) < 0)
        return (char *)text;
    return out;
}

static char *add_formats(const char *text)
{
    struct text formats = {0};
    export_add_formats(&formats, true);
    char *out = add_names(text, formats.at ? formats.at : "");
    text_dispose(&formats);
    return out;
}

/* Fills in '@', and drops argp's last line, about the few short options. */
static char *filter_help(int key, const char *text, void *input)
{
    char names[PROBLEM_NAMES_CHARS];
    (void)input;
    if (key == KEY_OP)
        return add_names(text, problem_list_ops(names));
    if (key == KEY_TYPE)
        return add_names(text, problem_list_types(names));
    if (key == KEY_FORMAT)
        return add_formats(text);
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

void options_fill(struct argp *out, struct argp_option options[OPTIONS_MAX], enum verb verb)
{
    const struct help *help = help_of(verb);
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].verbs & verb)
            options[count++] = rows[i].option;
    options[count] = (struct argp_option){0};
    out->options = options;
    out->help_filter = filter_help;
    out->args_doc = help->arguments;
    out->doc = help->text;
}

void options_help(struct text *out, struct argp_state *state)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&bytes, &length);
    const unsigned flags = state->flags;
    state->flags &=
        ~(unsigned)ARGP_NO_ERRS; /* which keeps argp from printing anything at all */
    if (stream)
        argp_state_help(state, stream, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
    state->flags = flags;
    out->failed |= !stream || fclose(stream) != 0;
    text_add(out, bytes ? bytes : "", length);
    free(bytes);
}

/* --- Errors ------------------------------------------------------------------------------- */

static bool has_prefix(const char *name, const char *prefix, size_t length)
{
    return name && strncmp(name, prefix, length) == 0;
}

/* Options of the verb that begin with the word; an exact match is the only one. */
static size_t find_matches(const struct argp_option *matches[OPTIONS_MAX], unsigned verbs,
                           const char *word, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const struct argp_option *option = &rows[i].option;
        if (!(rows[i].verbs & verbs) || !has_prefix(option->name, word, length))
            continue;
        if (strlen(option->name) == length) {
            matches[0] = option;
            return 1;
        }
        matches[count++] = option;
    }
    return count;
}

/* The first verb, if any, that has an option of just this name. */
static const struct help *find_owner(const char *word, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (has_prefix(rows[i].option.name, word, length) && !rows[i].option.name[length])
            return help_of(rows[i].verbs);
    return NULL;
}

static const char *find_similar(const char *word, size_t length, unsigned verbs)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].verbs & verbs && rows[i].option.name)
            names[count++] = rows[i].option.name;
    return text_nearest(word, length, names, count);
}

static void explain_unknown(const char *word, size_t length, enum verb verb,
                            const char *program, struct error *error)
{
    const struct help *owner = find_owner(word, length);
    const char *similar = find_similar(word, length, verb);
    const int width = length < 100 ? (int)length : 100;
    if (owner)
        error_set(error, ERROR_USAGE,
                  "--%.*s is an option of 'autotune %s', not of '%s': see '%s --help'", width,
                  word, owner->name, program, program);
    else if (similar && similar[0] == word[0])
        error_set(error, ERROR_USAGE,
                  "there is no option --%.*s: did you mean --%s? '%s --help' lists them all",
                  width, word, similar, program);
    else
        error_set(error, ERROR_USAGE, "there is no option --%.*s: '%s --help' lists them",
                  width, word, program);
}

static void explain_ambiguous(const char *word, size_t length,
                              const struct argp_option *const *matches, size_t count,
                              struct error *error)
{
    struct text names = {0};
    for (size_t i = 0; i < count; i++)
        text_addf(&names, "%s--%s",
                  i == 0           ? ""
                  : i + 1 == count ? " or "
                                   : ", ",
                  matches[i]->name);
    error_set(error, ERROR_USAGE, "--%.*s may mean %s: write more of it", (int)length, word,
              names.at ? names.at : "several options");
    text_dispose(&names);
}

static bool explain_long(const char *word, enum verb verb, const char *program,
                         struct error *error)
{
    const struct argp_option *matches[OPTIONS_MAX];
    const size_t length = strcspn(word, "=");
    const size_t count = find_matches(matches, verb, word, length);
    if (count == 0)
        explain_unknown(word, length, verb, program, error);
    else if (count > 1)
        explain_ambiguous(word, length, matches, count, error);
    else if (matches[0]->arg && !word[length])
        error_set(error, ERROR_USAGE, "--%s needs a value: write --%s %s", matches[0]->name,
                  matches[0]->name, matches[0]->arg);
    else if (!matches[0]->arg && word[length])
        error_set(error, ERROR_USAGE, "--%s takes no value: leave '%.100s' out",
                  matches[0]->name, word + length);
    else
        return false;
    return true;
}

static bool explain_short(const char *legend, enum verb verb, const char *program,
                          struct error *error)
{
    for (; *legend; legend++) {
        const struct argp_option *option = NULL;
        for (size_t i = 0; i < ROWS; i++)
            if (rows[i].verbs & verb && rows[i].option.key == *legend)
                option = &rows[i].option;
        if (!option) {
            error_set(error, ERROR_USAGE, "there is no option -%c: '%s --help' lists them",
                      *legend, program);
            return true;
        }
        if (option->arg && !legend[1])
            error_set(error, ERROR_USAGE, "-%c needs a value: write -%c %s", *legend, *legend,
                      option->arg);
        if (option->arg)
            return !legend[1];
    }
    return false;
}

bool options_explain(const char *argument, enum verb verb, const char *program,
                     struct error *error)
{
    if (strncmp(argument, "--", 2) == 0)
        return explain_long(argument + 2, verb, program, error);
    return argument[0] == '-' && explain_short(argument + 1, verb, program, error);
}
