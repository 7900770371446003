/* judge_space: writes the sections of a space file. Each expression is parsed by itself before, so that a
 * fault names its option. */
#include "autotune/command/judge_space.h"

#include "generator/call.h"
#include "generator/words.h"

#include <inttypes.h>
#include <string.h>

/* Words of the command line, and what a space calls them. */
struct word_pair {
    const char *given, *meant;
};
static const struct word_pair names[] = {
    {"n", "N"},
    {"results", "(SCAN ? N : OUTER * INNER)"},
    {"depth", "DEPTH"},
};
static const struct word_pair args[] = {{"scratch", "partials"}};
#define SEPARATORS " ,"

static const char *meaning(const struct word_pair *pairs, size_t count, const char *word,
                           size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (words_is(pairs[i].given, word, length))
            return pairs[i].meant;
    return NULL;
}

/* Appends the text with each of the words in its place. */
static void add_meant(struct text *out, const char *text, const struct word_pair *pairs,
                      size_t count)
{
    while (*text) {
        size_t length = 0;
        while (text_is_word(text[length]))
            length++;
        const char *meant = meaning(pairs, count, text, length);
        if (meant)
            text_adds(out, meant);
        else
            text_add(out, text, length ? length : 1);
        text += length ? length : 1;
    }
}

/* What the option gives is parsed, to see that it is one. */
static int check_expression(const char *expression, const char *option, struct error *error)
{
    const char *known[SPACE_BUILTINS + sizeof names / sizeof *names];
    struct expr *parsed = NULL;
    struct error cause;
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known[count++] = names[i].given;
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        known[count++] = space_builtins[i].name;
    const struct expr_scope scope = {known, count, NULL};
    if (strpbrk(expression, "\r\n;"))
        return error_set(error, ERROR_USAGE, "%s is '%.200s': give an expression on one line",
                         option, expression);
    if (expr_parse(&parsed, expression, &scope, option, 1, &cause))
        return error_set(error, ERROR_USAGE,
                         "%s is '%.200s', no expression of n, results and depth: %.300s",
                         option, expression, cause.text);
    expr_free(parsed);
    return 0;
}

/* "KEY = EXPRESSION", between two texts; nothing where the option is not given. */
static int add_key(struct text *out, const char *key, const char *const around[2],
                   const char *expression, const char *option, struct error *error)
{
    struct text meant = {0};
    if (!expression)
        return 0;
    if (check_expression(expression, option, error))
        return -1;
    add_meant(&meant, expression, names, sizeof names / sizeof *names);
    text_addf(out, "%s = %s%s%s\n", key, around[0], meant.at ? meant.at : "", around[1]);
    out->failed |= meant.failed;
    text_dispose(&meant);
    return 0;
}

size_t judge_space_count_args(const char *given)
{
    size_t count = 0;
    for (given += strspn(given, SEPARATORS); *given; count++) {
        given += strcspn(given, SEPARATORS);
        given += strspn(given, SEPARATORS);
    }
    return count;
}

/* Memory of the kernel's own needs its bytes. */
static int check_memory(const struct judge_signature *signature, const char *arg,
                        struct error *error)
{
    const struct {
        const char *arg, *name, *bytes;
    } rows[] = {{"partials", "scratch", signature->scratch},
                {"state", "state", signature->state}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(arg, rows[i].arg) == 0 && !rows[i].bytes)
            return error_set(error, ERROR_USAGE,
                             "--args has '%s', whose size nobody says: give its bytes to --%s",
                             rows[i].name, rows[i].name);
    return 0;
}

static int add_args(struct text *out, const struct judge_signature *signature,
                    struct error *error)
{
    struct text meant = {0}, word = {0};
    int failed = 0;
    add_meant(&meant, signature->args, args, sizeof args / sizeof *args);
    for (const char *at = meant.at ? meant.at : ""; *at && !failed;) {
        const size_t blanks = strspn(at, SEPARATORS), length = strcspn(at + blanks, SEPARATORS);
        size_t kind = 0;
        text_clear(&word);
        text_add(&word, at + blanks, length);
        while (kind < PLANNER_ARGS && word.at && strcmp(word.at, space_pass_args[kind]) != 0)
            kind++;
        if (length && kind == PLANNER_ARGS)
            failed =
                error_set(error, ERROR_USAGE,
                          "--args has '%.100s': give the kernel's parameters in their order, "
                          "each as input, output, n, scratch, state or a dim, as outer, "
                          "depth or inner",
                          word.at);
        else if (length && word.at)
            failed = check_memory(signature, word.at, error);
        at += blanks + length;
        if (length)
            text_addf(out, "%s ", word.at ? word.at : "");
    }
    out->failed |= meant.failed || word.failed;
    text_dispose(&meant);
    text_dispose(&word);
    return failed;
}

/* The launch that writes zeros to the results. */
static const char zeros[] = "[pass zeros]\n"
                            "STEP = ZEROS\n"
                            "block = 1\n"
                            "grid = 1\n"
                            "tile = 1\n"
                            "outputs = 0\n"
                            "args = output outer inner\n"
                            "height = 0\n\n";

static int add_pass(struct text *out, const struct judge_signature *signature, const char *name,
                    uint64_t tile, struct error *error)
{
    const bool is_rest = strcmp(name, "rest") == 0;
    text_addf(out, "[pass %s]\n%s", name,
              is_rest ? "reads = partials\nrepeat = until one\n" : "");
    text_adds(out, "args = ");
    if (add_args(out, signature, error))
        return -1;
    text_adds(out, "\nheight = max(1, N)\n");
    if (tile)
        text_addf(out, "tile = %" PRIu64 "\n", tile);
    static const char *const plain[] = {"", ""}, *const one[] = {"max(1, ", ")"},
                             *const values[] = {"ceil_div(", ", ACCUM_BYTES)"},
                             *const words[] = {"ceil_div(", ", 8)"};
    const struct {
        const char *key, *const *around, *expression, *option;
    } keys[] = {
        {"grid", one, signature->grid, "--grid"},
        {"block", plain, signature->block, "--block"},
        {"tile", plain, tile ? NULL : signature->block, "--block"},
        {"shared_bytes", plain, signature->shared, "--shared"},
        {"partials", values, signature->scratch, "--scratch"},
        {"state", words, signature->state, "--state"},
        {"outputs", one, signature->outputs ? signature->outputs : "results", "--outputs"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (add_key(out, keys[i].key, keys[i].around, keys[i].expression, keys[i].option,
                    error))
            return -1;
    return 0;
}

int judge_space_write(struct text *out, const struct judge_signature *signature,
                      const char *kernel, uint64_t tile, struct error *error)
{
    text_addf(
        out,
        "[space]\nname = judged\ntemplate = judged.cu\nkernel = %s\nserves = SCAN >= 0\n\n"
        "[param STEP]\nmeaning = what is launched\nvalues = KERNEL ZEROS\n\n"
        "[rule]\nthe first pass alone writes zeros = STEP == KERNEL\n\n%s",
        kernel, signature->is_zeroed ? zeros : "");
    if (add_pass(out, signature, "kernel", tile, error))
        return -1;
    if (signature->outputs && add_pass(out, signature, "rest", tile, error))
        return -1;
    text_adds(out, "\n[default]\nSTEP = KERNEL\n");
    return text_check(out, error);
}

/* --- What the grid says ------------------------------------------------------------------- */

/* The blocks of the pass that writes, for n elements; 0: it has none. */
static int64_t blocks(const struct point_context *context, uint64_t n)
{
    struct problem problem = *context->problem;
    const struct point_context other = {context->space, &problem, context->target};
    struct planner_plan plan;
    struct error ignored;
    problem.dims = dims_run(n, problem.dims.scan);
    return call_plan(&plan, &other, context->space->default_config, &ignored)
               ? 0
               : plan.launches[plan.first].keys[PLANNER_GRID];
}

uint64_t judge_space_tile(const struct point_context *context)
{
    const uint64_t most = UINT64_C(1) << 20;
    uint64_t low = 1, high = 2;
    if (!dims_is_value(&context->problem->dims) || blocks(context, 1) != 1)
        return 0;
    while (high <= most && blocks(context, high) == 1)
        low = high, high *= 2;
    if (high > most)
        return 0;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (blocks(context, middle) == 1)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int judge_space_constant(uint64_t *out, const char *expression, const char *option,
                         struct error *error)
{
    const struct expr_scope scope = {NULL, 0, NULL};
    struct expr *parsed = NULL;
    struct error ignored;
    int64_t value = -1;
    *out = 0;
    if (!expression)
        return 0;
    if (expr_parse(&parsed, expression, &scope, option, 1, &ignored) == 0)
        (void)expr_eval(parsed, NULL, &value, &ignored);
    expr_free(parsed);
    *out = (uint64_t)value;
    return value >= 0
               ? 0
               : error_set(error, ERROR_USAGE,
                           "%s is '%.200s': give a number of bytes, the same for every n",
                           option, expression);
}
