/* judge_source: reads as much of C++ as it takes to tell the items of a file apart: functions without
 * __global__ and __device__ are the host's. What goes is blanked, so that lines keep their numbers. */
#include "autotune/command/judge_source.h"

#include "generator/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_CHARS = 200 };

/* --- Tokens ------------------------------------------------------------------------------- */

enum kind { END, WORD, MARK, STRING, DIRECTIVE };
struct token {
    enum kind kind;
    const char *at;
    size_t length;
};

static size_t quoted_length(const char *at)
{
    size_t length = 1;
    while (at[length] && at[length] != *at && at[length] != '\n')
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return length + (at[length] == *at);
}

static size_t directive_length(const char *at)
{
    size_t length = strcspn(at, "\n");
    while (at[length] && at[length - 1] == '\\')
        length += 1 + strcspn(at + length + 1, "\n");
    return length;
}

static const char *skip_blank(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static struct token next_token(const char *at)
{
    at = skip_blank(at);
    size_t length = 0;
    if (!*at)
        return (struct token){END, at, 0};
    if (*at == '#')
        return (struct token){DIRECTIVE, at, directive_length(at)};
    if (*at == '"' || *at == '\'')
        return (struct token){STRING, at, quoted_length(at)};
    while (text_is_word(at[length]))
        length++;
    return length ? (struct token){WORD, at, length} : (struct token){MARK, at, 1};
}

static bool is_token(struct token token, const char *string)
{
    return token.length == strlen(string) && memcmp(token.at, string, token.length) == 0;
}

/* --- Items -------------------------------------------------------------------------------- */

/* Blanks all but the ends of lines. */
static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

struct item {
    const char *end;    /* behind it */
    bool is_function;   /* has a body */
    bool is_for_device; /* __global__ or __device__ is said */
    bool is_using;
};

/* The item that begins here. A body ends a function; all else ends with a semicolon. */
static struct item read_item(const char *at)
{
    struct item item = {at, false, false, false};
    struct token last = {END, at, 0}, token = next_token(at);
    const bool is_type = is_token(token, "typedef") || is_token(token, "struct") ||
                         is_token(token, "union") || is_token(token, "enum");
    item.is_using = is_token(token, "using");
    for (int depth = 0; token.kind != END;
         last = token, token = next_token(token.at + token.length)) {
        item.end = token.at + token.length;
        item.is_for_device |= is_token(token, "__global__") || is_token(token, "__device__");
        if (depth == 0 && is_token(token, "{"))
            item.is_function = !is_type && (is_token(last, ")") || is_token(last, "const"));
        depth += is_token(token, "{") || is_token(token, "(");
        depth -= is_token(token, "}") || is_token(token, ")");
        if (depth <= 0 && (is_token(token, ";") || (item.is_function && is_token(token, "}"))))
            break;
    }
    return item;
}

/* extern "C", and the block that it may open, whose brace is left without its fellow. */
static const char *skip_linkage(char *text, struct token token)
{
    const struct token language = next_token(token.at + token.length);
    if (!is_token(token, "extern") || language.kind != STRING)
        return NULL;
    const struct token open = next_token(language.at + language.length);
    const char *end = is_token(open, "{") ? open.at + 1 : language.at + language.length;
    blank(text + (token.at - text), end);
    return end;
}

static void blank_host(char *text)
{
    const char *at = text;
    for (struct token token; (token = next_token(at)).kind != END;) {
        const char *linkage = skip_linkage(text, token);
        struct token directive = next_token(token.at + 1);
        if (linkage) {
            at = linkage;
        } else if (token.kind == DIRECTIVE) {
            at = token.at + token.length;
            if (is_token(directive, "include"))
                blank(text + (token.at - text), at);
        } else if (is_token(token, "}")) { /* of extern "C" */
            at = token.at + 1;
            blank(text + (token.at - text), at);
        } else {
            const struct item item = read_item(token.at);
            at = item.end;
            if (item.is_using || (item.is_function && !item.is_for_device))
                blank(text + (token.at - text), at);
        }
    }
}

/* --- Kernels ------------------------------------------------------------------------------ */

/* Of the list that begins here, behind its parenthesis. */
static size_t count_parameters(const char *at)
{
    size_t commas = 0, tokens = 0;
    int depth = 0;
    for (struct token token; (token = next_token(at)).kind != END;
         at = token.at + token.length, tokens++) {
        if (depth == 0 && is_token(token, ")"))
            break;
        depth += is_token(token, "(") || is_token(token, "<") || is_token(token, "[");
        depth -= is_token(token, ")") || is_token(token, ">") || is_token(token, "]");
        commas += depth == 0 && is_token(token, ",");
    }
    return tokens ? commas + 1 : 0;
}

/* Lists the kernels; is this one of them, and how many parameters has it? */
static bool find_kernel(const char *text, const char *kernel, struct text *all,
                        size_t *parameters)
{
    bool is_there = false, in_global = false;
    struct token last = {END, text, 0};
    for (struct token token; (token = next_token(text)).kind != END;
         last = token, text = token.at + token.length) {
        in_global |= is_token(token, "__global__");
        /* as __launch_bounds__(256) */
        const bool is_attribute = last.length > 2 && memcmp(last.at, "__", 2) == 0;
        if (!in_global || !is_token(token, "(") || is_attribute || last.kind != WORD)
            continue;
        in_global = false;
        if (is_token(last, kernel)) {
            is_there = true;
            *parameters = count_parameters(token.at + 1);
        }
        text_adds(all, all->length ? ", " : "");
        text_add(all, last.at, last.length);
    }
    return is_there;
}

/* --- Dynamic shared memory ---------------------------------------------------------------- */

/* extern __shared__ T s[]; as a call of the macro JUDGED_DYNAMIC; returns what is behind it, or NULL. */
static const char *add_dynamic(struct text *out, struct token token)
{
    struct token name = {END, token.at, 0}, at = next_token(token.at + token.length);
    struct text type = {0};
    bool is_shared = false;
    if (!is_token(token, "extern"))
        return NULL;
    for (; at.kind != END && !is_token(at, ";") && !is_token(at, "[");
         at = next_token(at.at + at.length)) {
        if (is_token(at, "__shared__")) {
            is_shared = true;
            continue;
        }
        text_adds(&type, type.length ? " " : "");
        text_add(&type, name.at, name.length);
        name = at;
    }
    const struct token close = next_token(at.at + at.length);
    const bool is_it =
        is_shared && name.kind == WORD && is_token(at, "[") && is_token(close, "]");
    if (is_it)
        text_addf(out, "JUDGED_DYNAMIC(%s, %.*s)", type.at ? type.at : "", (int)name.length,
                  name.at);
    out->failed |= type.failed;
    text_dispose(&type);
    return is_it ? close.at + 1 : NULL;
}

static void add_code(struct text *out, const char *text)
{
    const char *from = text;
    for (struct token token; (token = next_token(text)).kind != END;) {
        struct text dynamic = {0};
        const char *end = add_dynamic(&dynamic, token);
        text = end ? end : token.at + token.length;
        if (end) {
            text_add(out, from, (size_t)(token.at - from));
            text_adds(out, dynamic.at ? dynamic.at : "");
            from = end;
        }
        text_dispose(&dynamic);
    }
    text_adds(out, from);
}

/* --- The template ------------------------------------------------------------------------- */

static void add_template(struct text *out, const struct judge_source *source, const char *code)
{
    text_addf(out,
              "#ifdef HOST_SHARED\n"
              "#define JUDGED_DYNAMIC(type, name) __shared__ type name[%" PRIu64
              " / sizeof(type)]\n"
              "#else\n"
              "#define JUDGED_DYNAMIC(type, name) extern __shared__ type name[]\n"
              "#endif\n",
              source->shared_bytes);
    if (source->zeroed_bytes)
        text_addf(out,
                  "//? if STEP == ZEROS\n"
                  "__global__ void %s(unsigned char *y, unsigned long long outer,\n"
                  "                   unsigned long long inner)\n"
                  "{\n"
                  "    for (unsigned long long i = 0; i < outer * inner * %d; i++)\n"
                  "        y[i] = 0;\n"
                  "}\n"
                  "//? else\n",
                  source->kernel, source->zeroed_bytes);
    text_adds(out, "#line 1 ");
    text_add_json(out, source->file);
    text_adds(out, "\n");
    add_code(out, code);
    text_adds(out, source->zeroed_bytes ? "\n//? end\n" : "\n");
}

int judge_source_write(struct text *out, const struct judge_source *source, const char *text,
                       struct error *error)
{
    struct text kernels = {0};
    size_t parameters = 0;
    int failed = 0;
    if (!find_kernel(text, source->kernel, &kernels, &parameters))
        failed = error_set(error, ERROR_USAGE,
                           "%.300s has no kernel '%.100s': give one of those that it has to "
                           "--kernel: %.*s",
                           source->file, source->kernel, KERNELS_CHARS,
                           kernels.at ? kernels.at : "none");
    else if (parameters != source->args)
        failed = error_set(error, ERROR_USAGE,
                           "kernel %.100s of %.300s has %zu parameters, and --args names %zu: "
                           "name each of them, in their order",
                           source->kernel, source->file, parameters, source->args);
    text_dispose(&kernels);
    char *code = failed ? NULL : strdup(text);
    if (failed || !code)
        return failed ? -1 : error_memory(error, strlen(text));
    blank_host(code);
    add_template(out, source, code);
    free(code);
    return text_check(out, error);
}
