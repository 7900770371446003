/* request: reads the command line through argp. The options stand in one table with the verbs that
 * take them. */
#include "autotune/command/request.h"

#include "generator/number.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
    KEY_N = 'n', KEY_DEVICE = 'd', KEY_QUIET = 'q',
    KEY_OP = 256, KEY_TYPE, KEY_ACC, KEY_COLD, KEY_WARM, KEY_SPACE, KEY_TEMPLATE, KEY_NVRTC,
    KEY_CACHE, KEY_SEED, KEY_STRATEGY, KEY_RETUNE, KEY_JSON, KEY_CSV, KEY_ARCH, KEY_VARIANT,
    KEY_PASS, KEY_PTX, KEY_CUBIN, KEY_SASS, KEY_COVER, KEY_ALL, KEY_PART,
};

enum {
    PROBLEM = VERB_TUNE | VERB_EMIT | VERB_VERIFY | VERB_LIST,
    DEVICE = VERB_TUNE | VERB_VERIFY | VERB_DOCTOR,
    RUNS = VERB_TUNE | VERB_VERIFY,
    OUTPUT = VERB_TUNE | VERB_SHOW | VERB_LIST,
    FILES = VERB_TUNE | VERB_EMIT | VERB_VERIFY | VERB_LIST,
    VERBS = VERB_TUNE | VERB_SHOW | VERB_LIST | VERB_EMIT | VERB_VERIFY | VERB_DOCTOR,
};

static const struct row {
    unsigned verbs;
    struct argp_option option;
} rows[] = {
    {PROBLEM, {0, 0, 0, 0, "The problem:", 1}},
    {PROBLEM | VERB_SHOW, {"n", KEY_N, "COUNT", 0, "elements: 400M is 400,000,000, 400Mi is 400*2^20 (default 400M, on the host 1M)", 0}},
    {PROBLEM | VERB_SHOW, {"op", KEY_OP, "OP", 0, "sum, prod, min, max, and, or, xor (default sum)", 0}},
    {PROBLEM | VERB_SHOW, {"type", KEY_TYPE, "TYPE", 0, "of the elements: i32, u32, i64, u64, f32, f64 (default i32)", 0}},
    {PROBLEM, {"acc", KEY_ACC, "TYPE", 0, "of the accumulator (default: the elements' type)", 0}},
    {RUNS, {"cold", KEY_COLD, 0, 0, "data not in the L2 cache (default)", 0}},
    {RUNS, {"warm", KEY_WARM, 0, 0, "data in the L2 cache as far as it fits", 0}},
    {VERBS & ~VERB_DOCTOR, {0, 0, 0, 0, "Where and how:", 2}},
    {DEVICE, {"device", KEY_DEVICE, "DEVICE", 0, "auto (first GPU, else host), host, or a GPU's number", 0}},
    {VERB_EMIT | VERB_LIST | VERB_VERIFY, {"arch", KEY_ARCH, "ARCH", 0, "sm_75, sm_90, ... or host: needs no device", 0}},
    {VERB_TUNE, {"strategy", KEY_STRATEGY, "NAME", 0, "exhaustive (default on a GPU) or cover (default on the host)", 0}},
    {RUNS, {"seed", KEY_SEED, "NUMBER", 0, "of inputs, orders and the emulator's schedule (default 1)", 0}},
    {VERB_TUNE, {"retune", KEY_RETUNE, 0, 0, "measure again even if a record fits", 0}},
    {VERB_EMIT | VERB_VERIFY, {"variant", KEY_VARIANT, "PARAMS", 0, "BLOCK=256,ITEMS=16,...; others as in the record or the default", 0}},
    {VERB_EMIT, {"pass", KEY_PASS, "NAME", 0, "only this pass's kernel", 0}},
    {VERB_VERIFY, {"cover", KEY_COVER, 0, 0, "a covering sample of space, operation, type and architecture", 0}},
    {VERB_VERIFY, {"all", KEY_ALL, 0, 0, "every variant of every operation, type and architecture", 0}},
    {VERB_VERIFY, {"part", KEY_PART, "K/M", 0, "of --all: only part K (from 1) of M", 0}},
    {FILES, {"space", KEY_SPACE, "FILE", 0, "the space, as a file or a built-in name (default reduce)", 0}},
    {FILES, {"template", KEY_TEMPLATE, "FILE", 0, "the template instead of the space's own", 0}},
    {DEVICE | VERB_EMIT, {"nvrtc", KEY_NVRTC, "FILE", 0, "the NVRTC library to use", 0}},
    {VERB_TUNE | VERB_SHOW | VERB_EMIT | VERB_VERIFY | VERB_DOCTOR, {"cache", KEY_CACHE, "FOLDER", 0, "of the records (default $XDG_CACHE_HOME/autotune)", 0}},
    {OUTPUT | VERB_EMIT, {0, 0, 0, 0, "Output:", 3}},
    {VERB_EMIT, {"ptx", KEY_PTX, 0, 0, "PTX instead of source", 0}},
    {VERB_EMIT, {"cubin", KEY_CUBIN, "FILE", 0, "write machine code to FILE", 0}},
    {VERB_EMIT, {"sass", KEY_SASS, 0, 0, "disassembly, where cuobjdump or nvdisasm is found", 0}},
    {OUTPUT, {"json", KEY_JSON, "FILE", 0, "also write JSON, '-' for stdout instead of the table", 0}},
    {OUTPUT, {"csv", KEY_CSV, "FILE", 0, "also write CSV, '-' for stdout instead of the table", 0}},
    {VERB_TUNE | VERB_VERIFY, {"quiet", KEY_QUIET, 0, 0, "no progress and no context on stderr", 0}},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct parse {
    struct request *request;
    struct error *error;
    bool is_failed;
};

static int parse_part(struct request *request, const char *value, struct error *error)
{
    char rest;
    if (sscanf(value, "%u/%u%c", &request->part, &request->parts, &rest) != 2 ||
        request->part < 1 || request->part > request->parts)
        return error_set(error, ERROR_USAGE, "--part '%s': write K/M with 1 <= K <= M", value);
    request->part--;
    return 0;
}

static int parse_value(struct request *request, int key, const char *value, struct error *error)
{
    const struct { int key; const char **target; } strings[] = {
        {KEY_DEVICE, &request->device}, {KEY_ARCH, &request->arch},
        {KEY_NVRTC, &request->nvrtc},   {KEY_SPACE, &request->space},
        {KEY_TEMPLATE, &request->template}, {KEY_CACHE, &request->cache},
        {KEY_VARIANT, &request->variant},   {KEY_PASS, &request->pass},
        {KEY_JSON, &request->json},         {KEY_CSV, &request->csv},
        {KEY_CUBIN, &request->cubin},
    };
    const struct { int key; bool *target; } flags[] = {
        {KEY_RETUNE, &request->retune}, {KEY_QUIET, &request->quiet}, {KEY_PTX, &request->ptx},
        {KEY_SASS, &request->sass},     {KEY_COVER, &request->cover}, {KEY_ALL, &request->all},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strings[i].key == key) {
            *strings[i].target = value;
            return 0;
        }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].key == key) {
            *flags[i].target = true;
            return 0;
        }
    switch (key) {
    case KEY_N:
        request->has_n = true;
        return number_parse_count(&request->problem.n, value, "--n", error);
    case KEY_OP:
        return problem_find_op(&request->problem.op, value, error);
    case KEY_TYPE:
        return problem_find_type(&request->problem.type, value, error);
    case KEY_ACC:
        request->has_acc = true;
        return problem_find_type(&request->problem.acc, value, error);
    case KEY_COLD:
        request->problem.regime = COLD;
        return 0;
    case KEY_WARM:
        request->problem.regime = WARM;
        return 0;
    case KEY_STRATEGY:
        request->has_strategy = true;
        return strategy_find(&request->strategy, value, error);
    case KEY_PART:
        return parse_part(request, value, error);
    case KEY_SEED:
        request->has_seed = true;
        return number_parse_count(&request->seed, value, "--seed", error);
    default:
        return 1;
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct parse *parse = state->input;
    struct request *request = parse->request;
    if (parse->is_failed)
        return 0;
    if (key == ARGP_KEY_ARG) {
        if (request->verb == VERB_LIST && !request->topic) {
            request->topic = value;
            return 0;
        }
        parse->is_failed = true;
        error_set(parse->error, ERROR_USAGE, "'%s' is no option of this command: see --help",
                  value);
        return 0;
    }
    int got = parse_value(request, key, value, parse->error);
    if (got == 1)
        return ARGP_ERR_UNKNOWN;
    parse->is_failed = got != 0;
    return 0;
}

/* What each verb says about itself in --help. */
static const struct { enum verb verb; const char *usage, *text; } helps[] = {
    {VERB_TUNE, "", "Finds the fastest reduction for a problem on a device, proves it, and keeps it."},
    {VERB_SHOW, "", "Shows the records kept so far."},
    {VERB_LIST, "[devices|types|operations|params|variants|spaces|archs]", "Lists what there is to choose from."},
    {VERB_EMIT, "", "Prints the CUDA source of a variant (the record's, or the space's default)."},
    {VERB_VERIFY, "", "Proves a variant correct: the record's, a given one, a covering sample, or all."},
    {VERB_DOCTOR, "", "Says what is here, what is missing, and what to install."},
};

int request_parse(struct request *out, enum verb verb, int argc, char **argv,
                  struct error *error)
{
    struct argp_option options[ROWS + 1] = {{0}};
    struct parse parse = {.request = out, .error = error};
    struct argp argp = {.options = options, .parser = parse_option};
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].verbs & verb)
            options[count++] = rows[i].option;
    for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
        if (helps[i].verb == verb) {
            argp.args_doc = helps[i].usage;
            argp.doc = helps[i].text;
        }
    *out = (struct request){.verb = verb, .device = "auto", .seed = 1, .parts = 1};
    if (argp_parse(&argp, argc, argv, 0, NULL, &parse) && !parse.is_failed)
        return error_set(error, ERROR_USAGE, "the command line cannot be read: see --help");
    if (parse.is_failed)
        return -1;
    if (!out->has_acc)
        out->problem.acc = problem_default_acc(out->problem.type);
    return problem_check(&out->problem, error);
}
