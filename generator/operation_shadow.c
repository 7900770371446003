/* operation_shadow: writes a shadow's text, field by field, and has it read as a user's file is. */
#include "generator/operation_shadow.h"

#include "generator/operation_type.h"
#include "generator/random.h"
#include "generator/text.h"

#include <inttypes.h>

/* What a field's number is multiplied with and added to. */
enum constant { FACTOR, ADDEND, IDENTITY, MIXER };

static const char *word_of(int bytes)
{
    return bytes == 8 ? "u64" : "u32";
}

/* Drawn, and odd, as what multiplies must be. */
static uint64_t constant_of(enum constant constant, int field, int bytes)
{
    uint64_t state = (uint64_t)constant << 32 | (uint64_t)field;
    random_next(&state);
    const uint64_t word = random_next(&state) | 1;
    return bytes == 8 ? word : word & UINT32_MAX;
}

struct layout {
    int fields; /* 0: one number, without a name */
    int bytes[OPERATION_FIELDS_MAX];
    bool keeps_order, has_index, has_finish, has_n;
    int result_bytes;
};

static struct layout layout_of(const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    const int count = operation_field_count(text);
    struct layout layout = {.fields = operation_value_type(text, problem->acc) == TYPE_COUNT ||
                                              count > 1
                                          ? count
                                          : 0,
                            .keeps_order = !problem_commutes(problem),
                            .has_index = problem_has_index(problem),
                            .has_finish = count > 1 || problem_has_finish(problem),
                            .has_n = operation_mentions(text, OPERATION_FINISH, OPERATION_N),
                            .result_bytes = problem_types[problem_result(problem)].bytes};
    for (int f = 0; f < count; f++)
        layout.bytes[f] = problem_types[operation_field_type(text, f, problem->acc)].bytes;
    return layout;
}

/* A field's name behind a value's, or the value's. */
static void add_field(struct text *out, const struct layout *layout, const char *value,
                      int field)
{
    text_adds(out, value);
    if (layout->fields)
        text_addf(out, ".f%d", field);
}

static void add_value(struct text *out, const struct layout *layout)
{
    text_adds(out, "value =");
    if (!layout->fields)
        text_addf(out, " %s", word_of(layout->bytes[0]));
    for (int f = 0; f < layout->fields; f++)
        text_addf(out, " f%d:%s", f, word_of(layout->bytes[f]));
    text_adds(out, "\n");
}

/* One function: what `add` writes of each field, in a line of its own. */
static void add_function(struct text *out, const struct layout *layout, const char *name,
                         void (*add)(struct text *out, const struct layout *layout, int field))
{
    text_addf(out, "%s = %s", name, layout->fields ? "make(" : "");
    for (int f = 0; f < layout->fields; f++) {
        text_adds(out, f > 0 ? ",\n+ = " : "\n+ = ");
        add(out, layout, f);
    }
    if (!layout->fields)
        add(out, layout, 0);
    text_adds(out, layout->fields ? ")\n" : "\n");
}

/* In 4 bytes all bits of an index count, so that no two are alike that are 2^31 or 2^32 apart. */
static void add_map(struct text *out, const struct layout *layout, int field)
{
    const int bytes = layout->bytes[field];
    text_addf(out, "(%s(x) * %" PRIu64 " + %" PRIu64 ")", word_of(bytes),
              constant_of(FACTOR, field, bytes), constant_of(ADDEND, field, bytes));
    if (layout->has_index)
        text_addf(out, " * %s(2 * %s + 1)", word_of(bytes), bytes == 8 ? "i" : "(i ^ i >> 31)");
}

static void add_combine(struct text *out, const struct layout *layout, int field)
{
    add_field(out, layout, "a", field);
    text_adds(out, " + ");
    add_field(out, layout, "b", field);
    text_addf(out, " - %" PRIu64, constant_of(IDENTITY, field, layout->bytes[field]));
}

static void add_identity(struct text *out, const struct layout *layout, int field)
{
    text_addf(out, "%" PRIu64, constant_of(IDENTITY, field, layout->bytes[field]));
}

/* A hash of all fields, one after the other: each, and the order of them, changes it. */
static void add_finish(struct text *out, const struct layout *layout)
{
    const int count = layout->fields ? layout->fields : 1;
    for (int f = 0; f < count; f++) {
        text_addf(out, "let h%d = ", f);
        if (f > 0)
            text_addf(out, "(h%d ^ h%d >> 29) * %" PRIu64 " + ", f - 1, f - 1,
                      constant_of(MIXER, f, 8));
        text_adds(out, "u64(");
        add_field(out, layout, "a", f);
        text_adds(out, ")\n");
    }
    text_addf(out, "let h = (h%d ^ h%d >> 32) * %" PRIu64 "%s\n", count - 1, count - 1,
              constant_of(MIXER, 0, 8), layout->has_n ? " + n * 7" : "");
    text_addf(out, "finish = %s\n",
              layout->result_bytes == 8 ? "h ^ h >> 32" : "u32(h ^ h >> 32)");
}

/* --- Affine maps -------------------------------------------------------------------------- */

/* Each field is one, x -> factor x + term, with the factor in its high half: of two maps the left one comes
 * first. Factors are odd, so that no map hides those beside it. */

static int half_of(int bytes)
{
    return 4 * bytes;
}

/* The word of an element gives a factor by its low half and a term by its high one, which all of it decides. */
static void add_affine_map(struct text *out, const struct layout *layout, int field)
{
    text_addf(out, "(m%d | 1) << %d | m%d >> %d", field, half_of(layout->bytes[field]), field,
              half_of(layout->bytes[field]));
}

static void add_affine_combine(struct text *out, const struct layout *layout, int field)
{
    const int half = half_of(layout->bytes[field]);
    add_field(out, layout, "(a", field);
    text_addf(out, " >> %d) * ", half);
    add_field(out, layout, "(b", field);
    text_addf(out, " >> %d) << %d | (", half, half);
    add_field(out, layout, "(b", field);
    text_addf(out, " >> %d) * ", half);
    add_field(out, layout, "a", field);
    add_field(out, layout, " + b", field);
    text_addf(out, ") & %" PRIu64, (UINT64_C(1) << half) - 1);
}

static void add_affine_identity(struct text *out, const struct layout *layout, int field)
{
    text_addf(out, "%" PRIu64, UINT64_C(1) << half_of(layout->bytes[field]));
}

static void add_words(struct text *out, const struct layout *layout)
{
    for (int f = 0; f < (layout->fields ? layout->fields : 1); f++) {
        text_addf(out, "let m%d = ", f);
        add_map(out, layout, f);
        text_adds(out, "\n");
    }
}

/* --- The whole text ----------------------------------------------------------------------- */

struct functions {
    const char *head;
    void (*map)(struct text *out, const struct layout *layout, int field);
    void (*combine)(struct text *out, const struct layout *layout, int field);
    void (*identity)(struct text *out, const struct layout *layout, int field);
};

static const struct functions sums = {"meaning = sums of words", add_map, add_combine,
                                      add_identity};
static const struct functions maps = {"meaning = affine maps\nkeeps_order = yes",
                                      add_affine_map, add_affine_combine, add_affine_identity};

static void add_text(struct text *out, const struct layout *layout)
{
    const struct functions *functions = layout->keeps_order ? &maps : &sums;
    text_addf(out, "[operation]\nname = shadow\n%s\ntypes = integers\n", functions->head);
    add_value(out, layout);
    if (layout->keeps_order)
        add_words(out, layout);
    add_function(out, layout, "map", functions->map);
    add_function(out, layout, "combine", functions->combine);
    add_function(out, layout, "identity", functions->identity);
    if (layout->has_finish)
        add_finish(out, layout);
}

static enum type word_type(int bytes)
{
    return bytes == 1 ? U8 : bytes == 2 ? U16 : bytes == 4 ? U32 : U64;
}

static int make_shadow(struct problem *out, const struct problem *problem, struct error *error)
{
    const struct layout layout = layout_of(problem);
    struct text text = {0};
    add_text(&text, &layout);
    const int failed = text_check(&text, error) ||
                       operation_load(&out->op, "shadow", text.at, text.length, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}

int operation_shadow(struct problem *out, const struct problem *problem, struct error *error)
{
    const int types = (int)problem->type * TYPE_COUNT + (int)problem->acc;
    const struct operation *kept = operation_kept_shadow(problem->op, types);
    *out = *problem;
    out->type = word_type(problem_types[problem->type].bytes);
    out->acc = word_type(problem_types[problem->acc].bytes);
    out->op = kept;
    if (!kept && make_shadow(out, problem, error))
        return -1;
    if (problem_check(out, error))
        return -1;
    if (!kept)
        operation_keep_shadow(problem->op, types, out->op);
    return 0;
}
