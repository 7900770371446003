/* option_errors: checks the options of a command line by the table of options, word by word as argp
 * will read them. argp itself takes abbreviations for options, and prints two sentences for what
 * it cannot read. */
#include "autotune/cli/option_errors.h"

#include "autotune/cli/options.h"
#include "autotune/cli/verbs.h"

#include <string.h>

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

/* --- No such option ----------------------------------------------------------------------- */

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

int option_errors_check(int argc, char **argv, const struct verb_row *verb, struct error *error)
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
