/* emit_params: finds the functions of a source, and which of them need `given`: those that mention it, and those
 * that call one that does. A definition of these gets one more parameter, a call of them one more argument. */
#include "generator/emit_params.h"

#include "generator/array.h"
#include "generator/emit_inputs.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/operation_write.h"
#include "generator/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A function's definition: pointers into the code. */
struct function {
    const char *name;
    size_t length;
    const char *params, *params_end; /* behind '(', and at the ')' */
    const char *body, *end;          /* behind '{', and at the '}' */
    bool is_kernel, is_given;
};

struct source {
    struct function *functions; /* in their order */
    size_t count;
};

static const char given[] = "given";

/* --- Finding functions -------------------------------------------------------------------- */

/* Behind a comment, a string, a character or a line of the preprocessor that begins here; `at` where none
 * does. */
static const char *pass_over(const char *at)
{
    if (at[0] == '#' || (at[0] == '/' && at[1] == '/'))
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] != '"' && at[0] != '\'')
        return at;
    const char quote = *at++;
    while (*at && *at != quote)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return at + (*at == quote);
}

/* At the one that closes the parenthesis or brace behind which `at` is; or the end. */
static const char *find_close(const char *at, char open, char close)
{
    for (int depth = 1; *at;) {
        const char *next = pass_over(at);
        if (next != at) {
            at = next;
            continue;
        }
        depth += (*at == open) - (*at == close);
        if (depth == 0)
            return at;
        at++;
    }
    return at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The word that ends before `at`, but for blanks. */
static const char *word_before(const char *from, const char *at, size_t *length)
{
    while (at > from && is_blank(at[-1]))
        at--;
    const char *end = at;
    while (at > from && text_is_word(at[-1]))
        at--;
    *length = (size_t)(end - at);
    return at;
}

/* Outside all functions: remembers what a parenthesis holds, and takes a '{' behind it for a body. */
static int find_functions(struct source *out, const char *code, struct error *error)
{
    struct function next = {0};
    for (const char *at = code, *word; *at;) {
        word = pass_over(at);
        if (word != at) {
            at = word;
        } else if (text_is_word(*at)) {
            for (word = at; text_is_word(*at);)
                at++;
            next.is_kernel |= words_is("__global__", word, (size_t)(at - word));
            next.end = NULL;
        } else if (*at == '(') {
            next.name = word_before(code, at, &next.length);
            next.params = ++at;
            next.params_end = find_close(at, '(', ')');
            at = next.params_end + (*next.params_end != '\0');
            next.end = next.params_end;
        } else if (*at == '{') {
            next.body = ++at;
            const bool is_function = next.end != NULL;
            next.end = find_close(at, '{', '}');
            at = next.end + (*next.end != '\0');
            if (is_function) {
                if (array_grow(&out->functions, out->count, sizeof *out->functions, error))
                    return -1;
                out->functions[out->count++] = next;
            }
            next = (struct function){0};
        } else {
            if (*at == ';')
                next = (struct function){0};
            at++;
        }
    }
    return 0;
}

/* --- Which need them ---------------------------------------------------------------------- */

static const char *behind_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* The function that needs them and is called here, where `word` is; or NULL. */
static const struct function *find_called(const struct source *source, const char *word,
                                          size_t length)
{
    if (*behind_blanks(word + length) != '(')
        return NULL;
    for (size_t i = 0; i < source->count; i++) {
        const struct function *function = &source->functions[i];
        if (function->is_given && function->length == length &&
            strncmp(function->name, word, length) == 0)
            return function;
    }
    return NULL;
}

static bool needs(const struct source *source, const struct function *function)
{
    size_t length;
    for (const char *word = function->body;
         (word = words_next(word, &length)) && word < function->end; word += length)
        if (words_is(given, word, length) || find_called(source, word, length))
            return true;
    return false;
}

static void find_given(struct source *source)
{
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (size_t i = 0; i < source->count; i++) {
            struct function *function = &source->functions[i];
            if (function->is_given || !needs(source, function))
                continue;
            function->is_given = is_more = true;
        }
    }
}

/* --- Writing ------------------------------------------------------------------------------ */

static bool is_empty(const char *from, const char *end)
{
    size_t length;
    const char *word = words_next(from, &length);
    return !word || word >= end || (words_is("void", word, length) && word + length == end);
}

static void add_kernel_params(struct text *out, const struct function *kernel,
                              const struct problem *problem)
{
    const bool has_none = is_empty(kernel->params, kernel->params_end);
    if (!has_none)
        text_add(out, kernel->params, (size_t)(kernel->params_end - kernel->params));
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        text_addf(out, "%s%s %s_", k == 0 && has_none ? "" : ", ",
                  operation_c_type(problem_param_type(problem, k)),
                  operation_param_name(problem->op, k));
    emit_inputs_args(out, problem);
}

static void add_params(struct text *out, const struct function *function)
{
    text_adds(out, "const given_params given");
    if (is_empty(function->params, function->params_end))
        return;
    text_adds(out, ", ");
    text_add(out, function->params, (size_t)(function->params_end - function->params));
}

static void add_body(struct text *out, const struct source *source,
                     const struct function *function)
{
    const char *at = function->body;
    size_t length;
    for (const char *word = at; (word = words_next(word, &length)) && word < function->end;
         word += length) {
        if (!find_called(source, word, length))
            continue;
        const char *args = behind_blanks(word + length) + 1;
        text_add(out, at, (size_t)(args - at));
        text_adds(out, *behind_blanks(args) == ')' ? given : "given, ");
        at = args;
    }
    text_add(out, at, (size_t)(function->end - at));
}

static void add_function(struct text *out, const struct source *source,
                         const struct function *function, const struct problem *problem)
{
    if (function->is_kernel)
        add_kernel_params(out, function, problem);
    else
        add_params(out, function);
    text_add(out, function->params_end, (size_t)(function->body - function->params_end));
    if (function->is_kernel && function->is_given) {
        text_adds(out, "\n    const given_params given = {");
        for (size_t k = 0; k < operation_param_count(problem->op); k++)
            text_addf(out, "%s%s_", k ? ", " : "", operation_param_name(problem->op, k));
        if (operation_param_count(problem->op) && problem_inputs(problem) > 1)
            text_adds(out, ", ");
        emit_inputs_values(out, problem);
        text_adds(out, "};");
    }
    add_body(out, source, function);
}

int emit_params(struct text *out, const char *code, const struct problem *problem,
                struct error *error)
{
    struct source source = {0};
    const char *at = code;
    const int failed = find_functions(&source, code, error);
    find_given(&source);
    for (size_t i = 0; !failed && i < source.count; i++) {
        const struct function *function = &source.functions[i];
        if (!function->is_given && !function->is_kernel)
            continue;
        text_add(out, at, (size_t)(function->params - at));
        add_function(out, &source, function, problem);
        at = function->end;
    }
    text_adds(out, at);
    free(source.functions);
    return failed ? -1 : text_check(out, error);
}
