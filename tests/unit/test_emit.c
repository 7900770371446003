/* Tests of emit: kernels hold lines of their templates and nothing else, constants they mention
 * and no others, say how they are made again, and are the same every time; and whatever is
 * wrong with a template is refused with file and line. */
#include "autotune/device/gpus.h"
#include "generator/dims_text.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static struct error error;

struct fixture {
    struct space *space;
    struct emit_sources sources;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.space = load_space("configs/reduce.ini");
    fixture.sources = load_sources();
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    space_free(((struct fixture *)*state)->space);
    return 0;
}

static struct target find_target(const char *arch)
{
    const bool is_host = strcmp(arch, "host") == 0;
    struct target target;
    if (gpus_find(&target, is_host ? "sm_90" : arch, &error) != 0)
        fail_msg("%s", error.text);
    target.is_host = is_host;
    return target;
}

/* --- Lines -------------------------------------------------------------------------------- */

/* The lines of a text, in place of a copy. */
struct lines {
    char *copy;
    char **at;
    size_t count;
};

static struct lines split(const char *text)
{
    struct lines lines = {.copy = strdup(text)};
    assert_non_null(lines.copy);
    lines.at = calloc(strlen(text) + 1, sizeof *lines.at);
    assert_non_null(lines.at);
    for (char *line = lines.copy; *line;) {
        char *end = strchr(line, '\n');
        assert_non_null(end); /* every text ends with its last line */
        *end = '\0';
        lines.at[lines.count++] = line;
        line = end + 1;
    }
    return lines;
}

static void free_lines(struct lines *lines)
{
    free(lines->copy);
    free(lines->at);
}

/* Is `word` in `line`, outside comments and strings? */
static bool has_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    bool in_string = false;
    for (const char *at = line; *at; at++) {
        if (!in_string && at[0] == '/' && at[1] == '/')
            return false;
        if (*at == '"')
            in_string = !in_string;
        if (!in_string && strncmp(at, word, length) == 0 && !text_is_word(at[length]) &&
            (at == line || !text_is_word(at[-1])))
            return true;
    }
    return false;
}

/* --- A kernel is lines of its templates --------------------------------------------------- */

/* The lines of one part, or of the template: what a run of emitted lines may come from. */
struct origin {
    size_t first, end, next; /* lines; next: the first that may still come */
    bool is_used;
};

enum { ORIGINS_MAX = 128 };

struct origins {
    struct lines lines; /* intrinsics, types and template, one after the other */
    struct origin at[ORIGINS_MAX];
    size_t count;
};

static struct origins find_origins(const struct emit_sources *sources)
{
    struct origins origins = {.count = 0};
    struct text all = {0};
    text_addf(&all, "%s%s//? define template\n%s", sources->intrinsics.text,
              sources->types.text, sources->template.text);
    origins.lines = split(all.at);
    text_dispose(&all);
    for (size_t i = 0; i < origins.lines.count; i++) {
        if (strncmp(origins.lines.at[i], "//? define ", 11) != 0)
            continue;
        if (origins.count)
            origins.at[origins.count - 1].end = i;
        assert_true(origins.count < ORIGINS_MAX);
        origins.at[origins.count++] =
            (struct origin){.first = i + 1, .end = origins.lines.count};
    }
    return origins;
}

static bool advance(const struct origins *origins, struct origin *origin, const char *line)
{
    for (size_t i = origin->next; i < origin->end; i++)
        if (strcmp(origins->lines.at[i], line) == 0) {
            origin->next = i + 1;
            return true;
        }
    return false;
}

/* Each line stands in the current origin after the one before it, or opens an unused one. */
static void assert_from(struct origins *origins, const struct lines *body, size_t first)
{
    struct origin *current = NULL;
    for (size_t i = 0; i < origins->count; i++) {
        origins->at[i].is_used = false;
        origins->at[i].next = origins->at[i].first;
    }
    for (size_t i = first; i < body->count; i++) {
        const char *line = body->at[i];
        if (!*line || (current && advance(origins, current, line)))
            continue;
        struct origin *next = NULL;
        for (size_t k = 0; !next && k < origins->count; k++)
            if (!origins->at[k].is_used && advance(origins, &origins->at[k], line))
                next = &origins->at[k];
        if (!next)
            fail_msg("no template has this line, or not here: %s", line);
        next->is_used = true;
        current = next;
    }
    assert_ptr_equal(current, &origins->at[origins->count - 1]); /* the template comes last */
}

/* --- Constants ---------------------------------------------------------------------------- */

static bool mentions(const struct lines *body, size_t first, const char *name)
{
    for (size_t i = first; i < body->count; i++)
        if (has_word(body->at[i], name))
            return true;
    return false;
}

/* Checks the enum's lines; returns the line after it. */
static size_t check_constants(const struct lines *body, const struct space *space,
                              const int64_t *values)
{
    size_t end = 4;
    assert_string_equal(body->at[3], "enum {");
    while (strcmp(body->at[end], "};") != 0)
        end++;
    for (size_t i = 4; i < end; i++) {
        char name[64];
        long long value;
        size_t slot = 0;
        assert_int_equal(sscanf(body->at[i], "    %63[A-Z_0-9] = %lld, // ", name, &value), 2);
        if (!mentions(body, end, name))
            fail_msg("%s is a constant and not mentioned", name);
        while (slot < space->name_count && strcmp(space->names[slot], name) != 0)
            slot++;
        assert_true(slot < space->name_count);
        assert_int_equal(values[slot], value);
    }
    for (size_t slot = 0; slot < space->name_count; slot++) {
        bool is_there = false;
        for (size_t i = 4; i < end; i++)
            is_there = is_there || has_word(body->at[i], space->names[slot]);
        if (mentions(body, end, space->names[slot]) != is_there)
            fail_msg("%s is %s", space->names[slot],
                     is_there ? "not mentioned" : "no constant");
    }
    return end + 1;
}

/* Nothing that is for the generator is left, and nothing reads as if by a machine. */
static void check_looks(const struct lines *body)
{
    assert_true(strncmp(body->at[0], "// ", 3) == 0);
    assert_string_equal(body->at[2], "");
    for (size_t i = 0; i < body->count; i++) {
        const char *line = body->at[i];
        const size_t length = strlen(line);
        assert_null(strstr(line, "//?"));
        if (i != 1 && length > 100)
            fail_msg("%zu characters: %s", length, line);
        assert_true(length == 0 || (line[length - 1] != ' ' && line[length - 1] != '\\'));
        assert_true(i == 0 || *line || *body->at[i - 1]); /* no two blank lines */
    }
    assert_string_equal(body->at[body->count - 1], "}");
}

static void check_kernel(const struct fixture *fixture, const struct point_context *context,
                         const int64_t *row, size_t pass, struct origins *origins)
{
    int64_t effective[SPACE_NAMES_MAX], values[SPACE_NAMES_MAX];
    struct text text = {0}, again = {0};
    if (emit_kernel(&text, context, &fixture->sources, row, pass, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(emit_kernel(&again, context, &fixture->sources, row, pass, &error), 0);
    assert_string_equal(text.at, again.at);
    assert_int_equal(point_pass_config(context, row, pass, effective, &error), 0);
    assert_int_equal(point_values(context, effective,
                                  fixture->space->passes[pass].reads_partials, values, &error),
                     0);
    struct lines body = split(text.at);
    check_looks(&body);
    assert_from(origins, &body, check_constants(&body, fixture->space, values));
    free_lines(&body);
    text_dispose(&text);
    text_dispose(&again);
}

static void check_variant(const struct fixture *fixture, const struct point_context *context,
                          const int64_t *row, struct origins *origins)
{
    struct emit_variant variant;
    if (emit_variant(&variant, context, &fixture->sources, row, &error) != 0)
        fail_msg("%s", error.text);
    assert_in_range(variant.count, 1, SPACE_PASSES_MAX);
    for (size_t pass = 0; pass < fixture->space->pass_count; pass++) {
        const int text = variant.text_of_pass[pass];
        assert_true(text < (int)variant.count);
        if (text >= 0)
            check_kernel(fixture, context, row, pass, origins);
    }
    assert_true(emit_hash_variant(&variant) != 0);
    emit_dispose(&variant);
}

enum { EVERY = 17 };

/* A share of the variants of every problem, another for each, on all architectures by turns. */
static void test_lines_and_constants(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const archs[] = {"sm_75", "sm_90", "sm_120", "host"};
    struct origins origins = find_origins(&fixture->sources);
    unsigned seed = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (int type = 0; type < TYPE_COUNT; type++, seed++) {
            const struct target target = find_target(archs[seed % 4]);
            const struct problem problem = {.op = op_of((enum op)op),
                                            .type = (enum type)type,
                                            .acc = (enum type)type,
                                            .dims = DIMS_VALUE(400000000),
                                            .regime = COLD};
            const struct point_context context = {fixture->space, &problem, &target};
            struct points points;
            if (problem_check(&problem, &error) != 0 || law_of((enum op)op)->is_position)
                continue; /* positions have a space of their own */
            if (point_expand(&points, &context, &error) != 0)
                fail_msg("%s", error.text);
            for (size_t v = seed % EVERY; v < points.variant_count; v += EVERY)
                check_variant(fixture, &context,
                              points.configs + points.variants[v].first * points.width,
                              &origins);
            point_dispose(&points);
        }
    free_lines(&origins.lines);
}

/* Passes with the same text share it; different variants have different hashes. */
static void test_variants(void **state)
{
    const struct fixture *fixture = *state;
    const struct target target = find_target("sm_90");
    const struct {
        enum type type, acc;
        const char *params;
        size_t texts;
        const char *passes[2];
    } cases[] = {
        {F32, F32, "FINISH=PASSES", 1, {"main", "rest"}}, /* partials are like elements */
        {I32, I64, "FINISH=PASSES", 2, {"main", "rest"}}, /* partials are wider */
        {F32, F32, "FINISH=LAST_BLOCK", 1, {"last"}},     /* one pass */
        {I32, I32, "FINISH=PACKED", 1, {"gather"}},
        {I32, I32, "FINISH=FLAGGED", 1, {"gather"}},
        {I32, I32, "FINISH=ATOMIC", 2, {"init", "atomic"}}, /* prepared by another kernel */
    };
    enum { CASES = sizeof cases / sizeof *cases };
    uint64_t hashes[CASES];
    for (size_t i = 0; i < CASES; i++) {
        const struct problem problem = {.op = op_of(SUM),
                                        .type = cases[i].type,
                                        .acc = cases[i].acc,
                                        .dims = DIMS_VALUE(1000),
                                        .regime = COLD};
        const struct point_context context = {fixture->space, &problem, &target};
        struct emit_variant variant;
        int64_t row[SPACE_NAMES_MAX];
        int next = 0;
        make_row(fixture->space, cases[i].params, row);
        assert_int_equal(emit_variant(&variant, &context, &fixture->sources, row, &error), 0);
        assert_int_equal(variant.count, cases[i].texts);
        for (size_t p = 0; p < fixture->space->pass_count; p++) {
            const char *const name = fixture->space->passes[p].name, *const *of =
                                                                         cases[i].passes;
            if (strcmp(name, of[0]) != 0 && (!of[1] || strcmp(name, of[1]) != 0)) {
                assert_int_equal(variant.text_of_pass[p], -1);
                continue;
            }
            assert_int_equal(variant.text_of_pass[p], next);
            next += next + 1 < (int)variant.count;
        }
        hashes[i] = emit_hash_variant(&variant);
        for (size_t k = 0; k < i; k++)
            assert_true(hashes[k] != hashes[i]);
        emit_dispose(&variant);
    }
}

static uint64_t hash_of(const char *first, const char *second)
{
    struct emit_variant variant = {.count = 0};
    text_adds(&variant.texts[variant.count++], first);
    if (second)
        text_adds(&variant.texts[variant.count++], second);
    const uint64_t hash = emit_hash_variant(&variant);
    struct text code = {0};
    emit_add_code(&code, &variant); /* what the hash is of */
    assert_true(XXH3_64bits(code.at, code.length) == hash);
    text_dispose(&code);
    emit_dispose(&variant);
    return hash;
}

/* Comments are no part of the hash, everything else is. */
static void test_hash_of_code(void **state)
{
    static const char code[] = "int a = 1;\nint b = \"// \";\n";
    static const char *const same[] = {
        "// a file\n\nint a = 1;   // one\nint b = \"// \"; /* two\n lines */\n",
        "/* a file */\nint a = 1;\n    // b\nint b = \"// \";",
    };
    static const char *const other[] = {
        "int a = 2;\nint b = \"// \";\n",        "int a = 1;\nint b = \"//  \";\n",
        "int a = 1; int b = \"// \";\n",         "int a = 1;\n//int b = \"// \";\n",
        "int a = 1;\nint b = \"\\\"// \";\n",    "int a = 1;\nint b = \"// \";\nint c;\n",
        "int a = 1;\nint b = '\"' + \"// \";\n",
    };
    (void)state;
    const uint64_t hash = hash_of(code, NULL);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(hash_of(same[i], NULL), hash);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_true(hash_of(other[i], NULL) != hash);
    assert_true(hash_of("int a = 1;\n", "int b = \"// \";\n") != hash);
}

/* --- Users' compilers ------------------------------------------------------------------------ */

/* Only floats whose accumulator a compiler's options could flush, or that are widened, ask for
 * them, and only in source for others' compilers: what records are of is the same as ever. */
static void test_any_flags(void **state)
{
    enum { LAST = 2 }; /* the pass of FINISH=LAST_BLOCK */
    const struct fixture *fixture = *state;
    static const char *const archs[] = {"sm_75", "sm_90", "host"};
    static const enum op ops[] = {SUM, SUMSQ, PROD, MIN, MAX};
    static const struct {
        enum type type, acc;
        bool asks;
    } types[] = {{I32, I32, false}, {F16, F32, true}, {BF16, F32, true}, {BF16, F64, true},
                 {F32, F32, true},  {F32, F64, true}, {F64, F64, false}};
    for (size_t i = 0; i < 3 * 5 * 7; i++) {
        const struct target target = find_target(archs[i % 3]);
        const struct problem problem = {.op = op_of(ops[i / 3 % 5]),
                                        .type = types[i / 15].type,
                                        .acc = types[i / 15].acc,
                                        .dims = DIMS_VALUE(1000)};
        const bool is_select = operation_law(problem.op)->seeks;
        const bool has_nan_step = is_select && problem.acc == F32 && target.cc >= 80;
        const struct point_context context = {fixture->space, &problem, &target};
        struct emit_sources sources = fixture->sources;
        struct text own = {0}, users = {0};
        int64_t row[SPACE_NAMES_MAX];
        make_row(fixture->space, "FINISH=LAST_BLOCK", row);
        assert_int_equal(emit_kernel(&own, &context, &sources, row, LAST, &error), 0);
        sources.any_flags = true;
        assert_int_equal(emit_kernel(&users, &context, &sources, row, LAST, &error), 0);
        assert_null(strstr(own.at, "__nvvm_reflect"));
        assert_true((strstr(users.at, "__nvvm_reflect") != NULL) ==
                    (types[i / 15].asks && !target.is_host && !has_nan_step));
        assert_true((strcmp(own.at, users.at) == 0) == !strstr(users.at, "__nvvm_reflect"));
        text_dispose(&own);
        text_dispose(&users);
    }
}

/* --- Templates that are wrong ------------------------------------------------------------- */

static int emit_little(struct text *out, const struct fixture *fixture, const char *template,
                       const char *types)
{
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &target};
    const struct emit_sources sources = {.template = {"little.cu", template},
                                         .types = {"parts.cu", types},
                                         .intrinsics = {"more.cu", "// nothing\n"}};
    return emit_kernel(out, &context, &sources, fixture->space->default_config, 0, &error);
}

#define IF "//? if BLOCK > 1\n"
#define IF4 IF IF IF IF
#define END "//? end\n"
#define END4 END END END END

static const struct bad {
    const char *template, *types;
    const char *said; /* how the error begins, and what it says further on */
    const char *also;
} bads[] = {
    {"a\n//? if BLOCK > 1\nb\n", "", "little.cu:2: ", "without its '//? end'"},
    {IF "a\n" IF "b\n" END, "", "little.cu:1: ", "without its '//? end'"},
    {"a\n//? end\n", "", "little.cu:2: ", "without its '//? if'"},
    {"//? else\na\n//? end\n", "", "little.cu:1: ", "without its '//? if'"},
    {"//? elif BLOCK\na\n//? end\n", "", "little.cu:1: ", "without its '//? if'"},
    {IF "//? else\n//? else\n//? end\n", "", "little.cu:3: ", "without its '//? if'"},
    {IF "//? else\n//? elif BLOCK\n//? end\n", "", "little.cu:3: ", "without its '//? if'"},
    {IF "//? endif\n", "", "little.cu:2: ", "a control line is"},
    {IF "//? else if BLOCK\n" END, "", "little.cu:2: ", "a control line is"},
    {"//?\n", "", "little.cu:1: ", "a control line is"},
    {"//? if\n//? end\n", "", "little.cu:1: ", "a control line is"},
    {"//? define a\n", "", "little.cu:1: ", "a control line is"},
    {"a\n//? if BLOK > 1\n//? end\n", "", "little.cu:2: ", "'BLOK'"},
    {"//? if BLOCK < 1\n//? if BLOK\n//? end\n//? end\n", "", "little.cu:2: ", "'BLOK'"},
    {IF "//? elif BLOK\n//? end\n", "", "little.cu:2: ", "'BLOK'"},
    {"a\n//? if OP == SUM\n//? end\n", "", "little.cu:2: 'OP' is gone", "ADD for SUM"},
    {"//? if BLOCK >\n//? end\n", "", "little.cu:1: ", ""},
    {"//? if BLOCK / 0\n//? end\n", "", "little.cu:1: ", "zero"},
    {"//? if GRID == 1\n//? end\n", "", "little.cu:1: ", "GRID is known at launch only"},
    {"//? if N > 1\n//? end\n", "", "little.cu:1: ", "N is known at launch only"},
    {"//? if TILES > 1\n//? end\n", "", "little.cu:1: ", "TILES is known at launch only"},
    {"//? if BLOCK < 1 && GRID\n//? end\n", "",
     "little.cu:1: ", "GRID is known at launch only"},
    {"// GRID\nint a = \"GRID\";\nint b = GRID;\n", "",
     "little.cu:3: ", "GRID is known at launch only"},
    {"int b = part;\n", "\n//? define part\n\nint part = N;\n",
     "parts.cu:4: ", "N is known at launch only"},
    {"a\nint b = L2_BYTES * 64;\n", "", NULL, NULL}, /* fits */
    {IF4 IF4 IF4 IF4 END4 END4 END4 END4, "", NULL, NULL},
    {"//? each 3\na\n", "", "little.cu:1: ", "without its '//? next'"},
    {"a\n//? next\n", "", "little.cu:2: ", "without its '//? each'"},
    {"//? each 3\n//? end\n", "", "little.cu:2: ", "without its '//? if'"},
    {"//? each 3\n//? else\n", "", "little.cu:2: ", "without its '//? if'"},
    {IF "//? next\n" END, "", "little.cu:2: ", "without its '//? each'"},
    {"//? each 3\n//? each 3\n//? next\n//? next\n", "", "little.cu:2: ", "within another"},
    {"//? each GRID\n//? next\n", "", "little.cu:1: ", "GRID is known at launch only"},
    {IF4 IF4 IF4 IF4 IF END END4 END4 END4 END4, "", "little.cu:17: ", "16 deep"},
    {"part\n", "\n//? define part\n//? if BLOCK > 1\na\n",
     "parts.cu:3: ", "without its '//? end'"},
    {"part\n", "//? define part\na\n//? if BLOK\n//? end\n", "parts.cu:3: ", "'BLOK'"},
    {"part\n", "//? define part\na\n//? define part\nb\n", "parts.cu:3: ", "second time"},
    {"part\n", "\n//? define a b\na\n", "parts.cu:2: ", "one word"},
    {"part\n", "\n//? define \na\n", NULL, NULL}, /* before any part: the file's own comment */
};

/* Lines between each and next: none below 2; in each round conditions are read again. */
static void test_repeated(void **state)
{
    static const struct {
        const char *template, *wanted;
    } cases[] = {
        {"//? each 1\na$\n//? next\nb$\n", "b$\n"},
        {"a$\n//? each 3\nb$ = $$;\n//? next\nc\n", "a$\nb2 = 22;\nb3 = 33;\nc\n"},
        {"//? if 0\n//? each 4\na$\n//? next\n//? else\nb\n//? end\n", "b\n"},
        {"//? each 4\n//? if 0\na$\n//? else\nb$\n//? end\n//? next\n", "b2\nb3\nb4\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        assert_int_equal(emit_little(&text, *state, cases[i].template, ""), 0);
        const size_t length = strlen(cases[i].wanted);
        assert_true(text.length > length);
        assert_string_equal(text.at + text.length - length, cases[i].wanted);
        text_dispose(&text);
    }
}

static void test_bad_templates(void **state)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct bad *bad = &bads[i];
        struct text text = {0};
        const int failed = emit_little(&text, *state, bad->template, bad->types);
        if (!bad->said && failed)
            fail_msg("%s: %s", bad->template, error.text);
        if (bad->said && !failed)
            fail_msg("accepted: %s%s", bad->template, bad->types);
        if (bad->said && (strncmp(error.text, bad->said, strlen(bad->said)) != 0 ||
                          !strstr(error.text, bad->also) || error.code != ERROR_USAGE))
            fail_msg("%s: expected %s%s, got %s", bad->template, bad->said, bad->also,
                     error.text);
        text_dispose(&text);
    }
}

static void test_long_lines(void **state)
{
    struct text template = {0}, out = {0}, types = {0};
    text_adds(&template, "int a; // ");
    for (int i = 0; i < 100000; i++)
        text_adds(&template, "x");
    text_adds(&template, "\nint b = BLOCK;\n");
    assert_int_equal(emit_little(&out, *state, template.at, ""), 0);
    assert_non_null(strstr(out.at, template.at)); /* code of any length is kept */
    text_clear(&template);
    text_adds(&template, "\n//? if BLOCK > 0");
    for (int i = 0; i < 100; i++)
        text_adds(&template, " + 10");
    text_adds(&template, "\n//? end\n");
    assert_int_equal(emit_little(&out, *state, template.at, ""), -1);
    assert_non_null(strstr(error.text, "little.cu:2: "));
    assert_non_null(strstr(error.text, "510 characters"));
    text_adds(&types, "//? define ");
    for (int i = 0; i < 64; i++)
        text_adds(&types, "a");
    text_adds(&types, "\nx\n");
    assert_int_equal(emit_little(&out, *state, "b\n", types.at), -1);
    assert_non_null(strstr(error.text, "parts.cu:1: "));
    text_clear(&types);
    for (int i = 0; i < 257; i++)
        text_addf(&types, "//? define p%d\nx\n", i);
    assert_int_equal(emit_little(&out, *state, "b\n", types.at), -1);
    assert_non_null(strstr(error.text, "parts.cu:513: "));
    text_dispose(&template);
    text_dispose(&types);
    text_dispose(&out);
}

/* What a control line keeps, by the default row: BLOCK is 256, ITEMS 16, WARP SHUFFLE. */
static void test_control_lines(void **state)
{
    static const struct {
        const char *template, *kept;
    } cases[] = {
        {"//? if BLOCK == 256\na\n//? end\n", "a\n"},
        {"//? if BLOCK != 256\na\n//? else\nb\n//? end\n", "b\n"},
        {"//? if BLOCK == 1\na\n//? elif BLOCK == 256\nb\n//? elif ITEMS\nc\n//? else\nd\n//? "
         "end\n",
         "b\n"},
        {"//? if BLOCK == 1\na\n//? elif BLOCK == 2\nb\n//? else\nc\n//? end\nd\n", "c\nd\n"},
        {"//? if 0\n//? if 1\na\n//? else\nb\n//? end\n//? else\nc\n//? end\n", "c\n"},
        {"  \t//? if 1\na\n  //? end   \nb\n", "a\nb\n"},
        {"//? if 1 / (BLOCK - 256) == 0 && 0\n//? end\na\n", NULL},
        {"//? if 0 && 1 / (BLOCK - 256)\n//? end\na\n", "a\n"},
        {"a //? if 0\nb\n", "a //? if 0\nb\n"},
        {"// ? if 0\nb\n", "// ? if 0\nb\n"},
        {"//? if WARP == REDUX && TYPE == I32 && COMBINE == ADD && MAP == SAME && CC >= 90 && "
         "!HOST\na\n//? end\n",
         "a\n"},
        {"a\n\n//? if 0\nb\n//? end\n\nc\n\n\n\n", "a\n\nc\n"},
        {"char a = '\"'; int b = elem; char c = '\"';\n",
         "int elem;\n\nchar a = '\"'; int b = elem; char c = '\"';\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        const int failed =
            emit_little(&text, *state, cases[i].template, "//? define elem\nint elem;\n");
        assert_int_equal(failed, cases[i].kept ? 0 : -1);
        if (cases[i].kept)
            assert_string_equal(strstr(text.at, "\n\n") + 2, cases[i].kept);
        text_dispose(&text);
    }
}

/* A kernel of the user's own template tells compilers its lines; what it is made of stays the
 * same, and so does its hash. */
static void test_own_template(void **state)
{
    const struct fixture *fixture = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &target};
    struct emit_sources sources =
        {.template = {"a \"b\\c.cu", "\n// one\n//? if BLOCK == 256\nelem two;\n//? else\n"
                                     "three\n//? end\n#define f(x) \\\n//? if 1\n    (x)\n"
                                     "//? end\n\nfour\n"},
         .types = {"parts.cu", "//? define elem\ntypedef int elem;\n"},
         .intrinsics = {"more.cu", "// nothing\n"}};
    struct emit_variant built_in, own;
    assert_int_equal(emit_variant(&built_in, &context, &sources, fixture->space->default_config,
                                  &error),
                     0);
    sources.has_own_template = true;
    assert_int_equal(emit_variant(&own, &context, &sources, fixture->space->default_config,
                                  &error),
                     0);
    assert_int_equal(own.count, built_in.count);
    assert_string_equal(strstr(own.texts[0].at, "\n\n"), strstr(built_in.texts[0].at, "\n\n"));
    assert_non_null(strstr(own.texts[0].at, "made from a \"b\\c.cu by\n"));
    assert_non_null(strstr(own.texts[0].at, " --template 'a \"b\\c.cu' "));
    assert_true(emit_hash_variant(&own) == emit_hash_variant(&built_in));
    assert_ptr_equal(emit_source(&built_in, 0), built_in.texts[0].at);
    assert_string_equal(strstr(emit_source(&own, 0), "typedef"),
                        "typedef int elem;\n\n"
                        "#line 2 \"a \\\"b\\\\c.cu\"\n// one\n"
                        "#line 4 \"a \\\"b\\\\c.cu\"\nelem two;\n"
                        "#line 8 \"a \\\"b\\\\c.cu\"\n#define f(x) \\\n    (x)\n"
                        "#line 12 \"a \\\"b\\\\c.cu\"\n\nfour\n");
    const size_t head = (size_t)(strstr(own.texts[0].at, "// one") - own.texts[0].at);
    assert_memory_equal(emit_source(&own, 0), own.texts[0].at, head);
    emit_dispose(&own);
    emit_dispose(&built_in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_and_constants),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_hash_of_code),
        cmocka_unit_test(test_control_lines),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_bad_templates),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_own_template),
        cmocka_unit_test(test_any_flags),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
