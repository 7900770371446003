/* command: quotes words as POSIX shells read them; those with control characters as $'...', so that
 * a file's name ends no line and steers no terminal. */
#include "generator/command.h"

#include "generator/dims_text.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"

#include <string.h>

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == '\x7f';
}

static bool has_control(const char *word)
{
    while (*word && !is_control(*word))
        word++;
    return *word;
}

static void add_escaped(struct text *out, const char *word)
{
    text_adds(out, "$'");
    for (; *word; word++)
        if (is_control(*word))
            text_addf(out, "\\%03o", (unsigned)(unsigned char)*word);
        else
            text_addf(out, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word);
    text_adds(out, "'");
}

void command_add_word(struct text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789@%+=:,./_-";
    if (*word && !word[strspn(word, plain)]) {
        text_adds(out, word);
        return;
    }
    if (has_control(word)) {
        add_escaped(out, word);
        return;
    }
    text_adds(out, "'");
    for (; *word; word++)
        text_addf(out, *word == '\'' ? "'\\''" : "%c", *word);
    text_adds(out, "'");
}

void command_add_option(struct text *out, const char *name, const char *value)
{
    if (!value)
        return;
    text_addf(out, " %s ", name);
    command_add_word(out, value);
}

/* Those that were given: others have them as this one. */
static void add_params(struct text *out, const struct problem *problem)
{
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        if (problem->params.given >> k & 1) {
            text_adds(out, " --param");
            problem_add_param(out, problem, k);
        }
}

static void add_lies(struct text *out, const struct problem *problem)
{
    for (size_t k = 1; k < problem_inputs(problem); k++)
        if (problem->further[k - 1].lie != LIES_ALIKE) {
            text_adds(out, " --lies");
            problem_add_lie(out, problem, k);
        }
}

void command_add_problem(struct text *out, const struct problem *problem, unsigned parts)
{
    char size[DIMS_TEXT_CHARS];
    command_add_option(out, "--op", operation_option(problem->op));
    text_addf(out, " --type %s --acc %s", problem_types[problem->type].name,
              problem_types[problem->acc].name);
    if (problem->dims.scan && !(parts & COMMAND_SIZE))
        text_addf(out, " --scan %s", dims_text_scans[problem->dims.scan]);
    text_adds(out, problem_orders[problem->order].option);
    if (parts & COMMAND_REGIME)
        add_params(out, problem);
    if (parts & COMMAND_REGIME && problem_is_on_host(problem))
        text_addf(out, " --data %s", problem_regimes[problem->regime]);
    if (parts & COMMAND_REGIME && problem->regime == WARM)
        text_adds(out, " --warm");
    if (parts & COMMAND_SIZE)
        text_addf(out, " %s", dims_text_options(size, &problem->dims));
    if (parts & COMMAND_SIZE)
        add_lies(out, problem);
    if (dims_is_segmented(&problem->dims))
        text_addf(out, " --offsets %s", problem_types[problem->offsets].name);
    if (dims_is_segmented(&problem->dims) && parts & COMMAND_SIZE && problem->lengths)
        text_addf(out, " --lengths %s", problem_lengths[problem->lengths]);
}

char *command_next_word(char **line)
{
    static const char blank[] = " \t\r\n";
    char *at = *line + strspn(*line, blank), *end = at, quote = '\0';
    char *const word = at;
    if (!*at)
        return NULL;
    for (; *at && (quote || !strchr(blank, *at)); at++)
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? '\0' : *at;
        else {
            at += *at == '\\' && quote != '\'' && at[1];
            *end++ = *at;
        }
    *line = at + (*at != '\0');
    *end = '\0';
    return word;
}
