/* host_source: finds the parameters of the __global__ function in the kernel's text and writes a
 * function that calls it with its arguments, each taken from 8 bytes. Reads as much of C as
 * that needs. */
#include "autotune/device/host_source.h"

#include "autotune/embedded.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A piece of the text. */
struct span {
    const char *at;
    size_t length;
};

static bool span_is(struct span span, const char *string)
{
    return span.length == strlen(string) &&
           (span.length == 0 || memcmp(span.at, string, span.length) == 0);
}

/* Passes over white space, comments and directives. */
static const char *skip_blank(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '#' || (at[0] == '/' && at[1] == '/')) {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

/* Passes over a string or a character constant, given its opening quote. */
static const char *skip_quoted(const char *at)
{
    const char quote = *at++;
    while (*at && *at != quote)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

/* The next word, number, string or single character; empty at the end of the text. */
static struct span next_token(const char **at)
{
    const char *start = skip_blank(*at), *end = start;
    if (text_is_word(*start)) {
        while (text_is_word(*end))
            end++;
    } else if (*start == '"' || *start == '\'') {
        end = skip_quoted(start);
    } else if (*start) {
        end++;
    }
    *at = end;
    return (struct span){start, (size_t)(end - start)};
}

/* The text behind the opening parenthesis of the kernel's parameters, or NULL. */
static const char *find_params(const char *text, const char *kernel)
{
    bool in_global = false, is_kernel = false;
    for (;;) {
        const struct span token = next_token(&text);
        if (token.length == 0)
            return NULL;
        if (is_kernel && span_is(token, "("))
            return text;
        if (span_is(token, "__global__"))
            in_global = true;
        else if (span_is(token, "{") || span_is(token, ";"))
            in_global = false;
        is_kernel = in_global && span_is(token, kernel);
    }
}

/* Is there a __device__ variable? Each block under way would have one of its own. */
static bool has_variable(const char *text)
{
    bool in_device = false;
    for (struct span last = {0}, token; (token = next_token(&text)).length; last = token) {
        const bool is_end = span_is(token, ";") || span_is(token, "{") || span_is(token, "=");
        if (in_device && is_end && !span_is(last, ")"))
            return true;
        in_device = (in_device && !is_end) || span_is(token, "__device__");
    }
    return false;
}

/* One parameter, up to the comma or parenthesis behind it: its type is all but its last word.
 * Returns the character it ended at, 0 if it isn't understood. */
static char read_param(const char **at, struct text *type)
{
    struct span last = {0};
    for (;;) {
        const struct span token = next_token(at);
        if (span_is(token, ",") || span_is(token, ")")) {
            const bool has_name = last.length && text_is_word(*last.at);
            if (!has_name && span_is(last, "") && type->length == 0)
                return *token.at == ')' ? ')' : 0;
            return has_name ? *token.at : 0;
        }
        if (token.length == 0 || strchr("([{;", *token.at))
            return 0;
        if (last.length) {
            text_add(type, last.at, last.length);
            text_adds(type, " ");
        }
        last = token;
    }
}

/* Appends the call's arguments, comma-separated. */
static int write_args(struct text *out, const struct device_source *source, unsigned *count,
                      struct error *error)
{
    const char *at = find_params(source->text, source->kernel);
    if (!at)
        return error_set(error, ERROR_FAILED,
                         "the source has no __global__ function '%s' with parameters",
                         source->kernel);
    *count = 0;
    for (char end = ','; end == ',';) {
        struct text type = {0};
        end = read_param(&at, &type);
        if (type.length)
            text_addf(out, "%s\n        *(__typeof__(%s) *)(args + %u)", *count ? "," : "",
                      type.at, *count);
        *count += type.length > 0;
        text_dispose(&type);
        if (!end || *count > LAUNCH_ARGS_MAX)
            return error_set(error, ERROR_FAILED,
                             "kernel '%s': its parameters must each be a type and a name, at "
                             "most %d of them",
                             source->kernel, LAUNCH_ARGS_MAX);
    }
    return 0;
}

int host_source_write(struct text *out, const struct device_source *source, size_t index,
                      const char *hooks_name, struct error *error)
{
    const char *const shim_name = "templates/host/host_shim.h";
    const struct embedded *shim = embedded_find(shim_name);
    const struct embedded *hooks = hooks_name ? embedded_find(hooks_name) : NULL;
    if (!shim || (hooks_name && !hooks))
        return error_set(error, ERROR_FAILED, "%s is missing in this program: build it again",
                         shim ? hooks_name : shim_name);
    if (has_variable(source->text))
        return error_set(error, ERROR_FAILED,
                         "kernel '%s': the host has no __device__ variables; pass a pointer",
                         source->kernel);
    struct text args = {0};
    unsigned count = 0;
    int status = write_args(&args, source, &count, error);
    if (status == 0)
        status = text_check(&args, error);
    if (status == 0) {
        text_addf(out, "#define HOST_SHARED \"host_shared_%zu\"\n", index);
        text_adds(out, "#line 1 \"host_shim.h\"\n");
        text_add(out, shim->bytes, shim->length);
        text_adds(out, "\n#line 1 \"hooks\"\n");
        if (hooks)
            text_add(out, hooks->bytes, hooks->length);
        text_addf(out, "\n#line 1 \"%s.cu\"\n", source->kernel);
        text_adds(out, source->text);
        text_addf(out,
                  "\n#line 1 \"host_unit\"\n"
                  "extern unsigned char __start_host_shared_%zu[]\n"
                  "    __attribute__((weak, visibility(\"hidden\")));\n"
                  "extern unsigned char __stop_host_shared_%zu[]\n"
                  "    __attribute__((weak, visibility(\"hidden\")));\n"
                  "static void host_run(const unsigned long long *args)\n"
                  "{\n    %s(%s);\n}\n"
                  "const struct host_unit host_unit_%zu = {\n"
                  "    \"%s\", host_run, &host_self, __start_host_shared_%zu,\n"
                  "    __stop_host_shared_%zu, %u};\n",
                  index, index, source->kernel, args.at ? args.at : "", index, source->kernel,
                  index, index, count);
        status = text_check(out, error);
    }
    text_dispose(&args);
    return status;
}
