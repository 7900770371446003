/* fail: fills the caller's error, and replaces the program's options by the names of fields. */
#include "autotune/library/fail.h"

#include "generator/dims_text.h"
#include "generator/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* An option comes before a shorter one with which it begins. */
static const struct word {
    const char *option, *field;
} words[] = {
    {"--nvrtc FILE", "autotune_context_options.nvrtc"},
    {"--nvrtc", "autotune_context_options.nvrtc"},
    {"--cache FOLDER", "autotune_context_options.records or .kernels"},
    {"--cache", "autotune_context_options.records or .kernels"},
    {"--device host", "autotune_context_options.device \"host\""},
    {"--device", "autotune_context_options.device"},
    {"--order", "autotune_problem.order"},
    {"--type", "autotune_problem.type"},
    {"--acc", "autotune_problem.acc"},
    {"--op", "autotune_problem.op"},
    {"--dims", "autotune_dims.shape"},
    {"--strides", "autotune_dims.strides"},
    {"--segments", "autotune_dims.segments"},
    {"--offsets", "autotune_dims.offsets"},
    {"--lengths", "autotune_dims.lengths"},
    {"--n", "autotune_problem.n"},
};
enum { WORDS = sizeof words / sizeof *words };

/* Does the text begin with the word, and does the word end there too? */
static bool begins(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
           !strchr("abcdefghijklmnopqrstuvwxyz-", text[length] ? text[length] : ' ');
}

/* The option that the text begins with. */
static const struct word *find_word(const char *text)
{
    for (size_t i = 0; i < WORDS; i++)
        if (begins(text, words[i].option))
            return &words[i];
    return NULL;
}

/* The same for the options of sizes, which are named as the fields are. */
static const char *find_size(const char *text)
{
    for (size_t i = 1; i < DIMS_TEXT_CELLS && strncmp(text, "--", 2) == 0; i++)
        if (begins(text + 2, dims_text_keys[i]))
            return dims_text_keys[i];
    return NULL;
}

char *fail_translate(char *out, size_t size, const char *text)
{
    assert(size > 0);
    size_t used = 0;
    while (*text && used + 1 < size) {
        const struct word *word = find_word(text);
        const char *name = find_size(text);
        if (word || name) {
            const int length =
                snprintf(out + used, size - used, "%s%s",
                         word ? word->field : "autotune_problem.", word ? "" : name);
            used += (size_t)length < size - used ? (size_t)length : size - used - 1;
            text += word ? strlen(word->option) : strlen(name) + 2;
        } else {
            out[used++] = *text++;
        }
    }
    out[used] = '\0';
    return out;
}

int fail(struct autotune_error *error, enum autotune_code code, const char *format, ...)
{
    assert(code != AUTOTUNE_OK);
    if (!error)
        return code;
    va_list args;
    va_start(args, format);
    text_format_visible(error->text, sizeof error->text, false, format, args);
    va_end(args);
    error->code = code;
    return code;
}

static enum autotune_code public_code(enum error_code code)
{
    static const struct {
        enum error_code inside;
        enum autotune_code outside;
    } rows[] = {
        {ERROR_USAGE, AUTOTUNE_BAD_ARGUMENT},          {ERROR_NO_DEVICE, AUTOTUNE_NO_DEVICE},
        {ERROR_NO_MEMORY, AUTOTUNE_NO_MEMORY},         {ERROR_NO_CONTEXT, AUTOTUNE_NO_CONTEXT},
        {ERROR_OTHER_CONTEXT, AUTOTUNE_OTHER_CONTEXT}, {ERROR_NO_RECORD, AUTOTUNE_NO_RECORD},
        {ERROR_OTHER_GPU, AUTOTUNE_OTHER_GPU},         {ERROR_NO_PROGRAM, AUTOTUNE_NO_PROGRAM},
        {ERROR_TUNE_FAILED, AUTOTUNE_TUNE_FAILED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].inside == code)
            return rows[i].outside;
    return AUTOTUNE_FAILED;
}

int fail_for(struct autotune_error *error, const struct error *cause)
{
    const enum autotune_code code = public_code(cause->code);
    if (!error)
        return code;
    fail_translate(error->text, sizeof error->text, cause->text);
    error->code = code;
    return code;
}

int fail_null(const char *what, struct autotune_error *error)
{
    return fail(error, AUTOTUNE_BAD_ARGUMENT, "%s is NULL: give one", what);
}

int fail_memory(struct error *error)
{
    return error_set(error, ERROR_NO_MEMORY,
                     "out of memory on the host; end what else uses it");
}
