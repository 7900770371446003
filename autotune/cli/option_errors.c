/* option_errors: writes one sentence for an option that cannot be read, where argp would print
 * two. */
#include "autotune/cli/option_errors.h"

#include "autotune/cli/options.h"
#include "autotune/cli/verbs.h"

#include <string.h>

static bool has_prefix(const char *name, const char *prefix, size_t length)
{
    return name && strncmp(name, prefix, length) == 0;
}

/* Options of the verb that begin with the word; an exact match is the only one. */
static size_t find_matches(const struct option_row *matches[OPTIONS_MAX], unsigned mask,
                           const char *word, size_t length)
{
    const struct option_row *option;
    size_t count = 0;
    for (size_t i = 0; (option = options_at(i)); i++) {
        if (!(option->verbs & mask) || !has_prefix(option->name, word, length))
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
static const struct verb_row *find_owner(const char *word, size_t length)
{
    const struct option_row *option;
    for (size_t i = 0; (option = options_at(i)); i++)
        if (has_prefix(option->name, word, length) && !option->name[length])
            return verbs_of(option->verbs);
    return NULL;
}

static const char *find_similar(const char *word, size_t length, unsigned mask)
{
    const char *names[OPTIONS_MAX] = {NULL};
    const struct option_row *option;
    size_t count = 0;
    for (size_t i = 0; (option = options_at(i)); i++)
        if (option->verbs & mask && option->name)
            names[count++] = option->name;
    return text_nearest(word, length, names, count);
}

static void explain_unknown(const char *word, size_t length, enum verb verb,
                            const char *program, struct error *error)
{
    const struct verb_row *owner = find_owner(word, length);
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
                              const struct option_row *const *matches, size_t count,
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
    const struct option_row *matches[OPTIONS_MAX];
    const size_t length = strcspn(word, "=");
    const size_t count = find_matches(matches, verb, word, length);
    if (count == 0)
        explain_unknown(word, length, verb, program, error);
    else if (count > 1)
        explain_ambiguous(word, length, matches, count, error);
    else if (matches[0]->value && !word[length])
        error_set(error, ERROR_USAGE, "--%s needs a value: write --%s %s", matches[0]->name,
                  matches[0]->name, matches[0]->value);
    else if (!matches[0]->value && word[length])
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
        const struct option_row *option = options_at(options_find(*legend, verb));
        if (!option) {
            error_set(error, ERROR_USAGE, "there is no option -%c: '%s --help' lists them",
                      *legend, program);
            return true;
        }
        if (option->value && !legend[1])
            error_set(error, ERROR_USAGE, "-%c needs a value: write -%c %s", *legend, *legend,
                      option->value);
        if (option->value)
            return !legend[1];
    }
    return false;
}

bool option_errors_explain(const char *argument, enum verb verb, const char *program,
                           struct error *error)
{
    if (strncmp(argument, "--", 2) == 0)
        return explain_long(argument + 2, verb, program, error);
    return argument[0] == '-' && explain_short(argument + 1, verb, program, error);
}
