/* Fuzzes the readers of operations, generator/operation_*.c: no bytes crash them, every refusal names its
 * place, and what they accept means the same when its canonical text is read: it is
 * evaluated on numbers at the edges of every type. */
#include "generator/operation_canonical.h"
#include "generator/operation_eval.h"
#include "generator/operation_file.h"
#include "generator/operation_law.h"
#include "generator/operation_type.h"
#include "generator/operation_write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = OPERATION_FIELDS_MAX * OPERATION_LANES, COUNT = 16 };

static const enum type types[] = {I32, U32, I64, U64, F32, F64};

static void demand(bool holds)
{
    if (!holds)
        abort();
}

/* Words that are the edges of integers and floats: what a type does not hold is cut. */
static void set_words(uint64_t words[WORDS], unsigned first)
{
    static const uint64_t edges[COUNT] = {0,
                                          1,
                                          UINT64_MAX,
                                          2,
                                          0x7fffffff,
                                          0x80000000,
                                          INT64_MAX,
                                          1ull << 63,
                                          0xffffffff,
                                          63,
                                          0x7ff0ull << 48,
                                          0x7ff8ull << 48,
                                          1ull << 52,
                                          0xfff0ull << 48,
                                          0x3ff0ull << 48,
                                          0x41e0ull << 48};
    for (size_t k = 0; k < WORDS; k++)
        words[k] = edges[(k + first + k / OPERATION_LANES) % COUNT];
}

/* What every function gives: of a map, of two values, of none, and at the end. */
struct outcome {
    uint64_t mapped[WORDS], combined[WORDS], identity[WORDS], finished[OPERATION_LANES];
};

static void evaluate(const struct operation_text *text, enum type acc, struct outcome *out)
{
    static uint64_t a[WORDS], b[WORDS];
    struct operation_eval *eval;
    struct error error = {0};
    memset(out, 0, sizeof *out);
    set_words(a, 0);
    set_words(b, 5);
    demand(operation_eval_open(&eval, text, acc, &error) == 0);
    operation_eval_give(eval, b); /* more words than any operation has params */
    operation_eval_map(eval, a, b, out->mapped, COUNT);
    operation_eval_combine(eval, a, b, out->combined, COUNT);
    operation_eval_identity(eval, out->identity, COUNT);
    operation_eval_finish(eval, a, b, out->finished, COUNT);
    operation_eval_free(eval);
}

static void write_all(const struct operation_text *text, enum type acc)
{
    struct text out = {0};
    for (int part = 0; part < OPERATION_PARTS; part++)
        operation_write(&out, text, (enum operation_part)part, acc);
    if (operation_field_count(text) > 1)
        operation_write_struct(&out, text, acc);
    demand(!out.failed && out.length > 0);
    text_dispose(&out);
}

/* The canonical text as a file, its lines no longer than a file may have them. */
static void write_again(struct text *out, const struct operation_text *text)
{
    size_t width = 0;
    text_adds(out, "[operation]\nname = fuzz\nmeaning = m\n");
    for (const char *at = operation_canonical(text); *at; at++) {
        text_add(out, at, 1);
        width = *at == '\n' ? 0 : width + 1;
        if (width > 80 && *at == ' ') {
            text_adds(out, "\n+ = ");
            width = 4;
        }
    }
}

static void compare(const struct operation_text *text, const struct operation_text *again)
{
    static struct outcome first, second;
    demand(strcmp(operation_canonical(text), operation_canonical(again)) == 0);
    demand(operation_combine_law(text) == operation_combine_law(again));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct error error = {0}, other = {0};
        const int status = operation_check_types(text, types[i], types[i], &error);
        demand(status == operation_check_types(again, types[i], types[i], &other));
        demand(!status || strncmp(error.text, "fuzz:", 5) == 0);
        if (status)
            continue;
        demand(operation_map_law(text, types[i]) == operation_map_law(again, types[i]));
        write_all(text, types[i]);
        evaluate(text, types[i], &first);
        evaluate(again, types[i], &second);
        demand(memcmp(&first, &second, sizeof first) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct operation_text *text, *again;
    struct error error = {0};
    struct text source = {0};
    if (operation_read(&text, "fuzz", (const char *)data, size, &error)) {
        demand(!text && strncmp(error.text, "fuzz:", 5) == 0 && error.code == ERROR_USAGE);
        return 0;
    }
    write_again(&source, text);
    /* no scale or key is longer than a line; an expression may have more lines now than a file may */
    if (operation_read(&again, "fuzz", source.at, source.length, &error) == 0) {
        compare(text, again);
        operation_free(again);
    } else {
        demand(strstr(error.text, "lines") || strstr(error.text, "bytes"));
    }
    text_dispose(&source);
    operation_free(text);
    return 0;
}
