/* Tests of generator/operation_eval.c and operation_write.c: 300 random operations are written as C, compiled,
 * and give the bits that the evaluator gives; and what known operations make of known elements. */
#include "generator/operation_eval.h"

#include "autotune/device/nvrtc.h"
#include "autotune/device/temporary.h"
#include "generator/control.h"
#include "generator/operation_type.h"
#include "generator/operation_write.h"
#include "generator/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { PROGRAMS = 300, DEPTH = 4, FIELDS = 2 };

static const enum type types[] = {I32, U32, I64, U64, F32, F64};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct operation_text *read_text(const char *file, const char *source)
{
    struct operation_text *text;
    struct error error = {0};
    if (operation_read(&text, file, source, strlen(source), &error))
        fail_msg("%s\n%s", error.text, source);
    return text;
}

static struct operation_text *read_file(const char *path)
{
    struct text source = {0};
    struct error error = {0};
    if (text_read(&source, path, OPERATION_FILE_MAX, &error))
        fail_msg("%s", error.text);
    struct operation_text *text = read_text(path, source.at);
    text_dispose(&source);
    return text;
}

static struct operation_eval *open_eval(const struct operation_text *text, enum type acc)
{
    struct operation_eval *eval = NULL;
    struct error error = {0};
    if (operation_check_types(text, acc, acc, &error) ||
        operation_eval_open(&eval, text, acc, &error))
        fail_msg("%s", error.text);
    return eval;
}

/* --- Random operations -------------------------------------------------------------------- */

enum { BOOL = TYPE_COUNT }; /* beside the types of numbers */

/* What an expression may mention. */
struct leaf {
    const char *name;
    int type;
};

struct drawing {
    struct text *out;
    uint64_t random;
    enum type acc;
    struct leaf leaves[8];
    size_t leaf_count;
};

static unsigned draw(struct drawing *drawing, unsigned count)
{
    return (unsigned)(random_next(&drawing->random) % count);
}

static int draw_type(struct drawing *drawing)
{
    return (int)types[draw(drawing, COUNT_OF(types))];
}

static const char *name_of(int type)
{
    return type == BOOL ? "bool" : problem_types[type].name;
}

static bool is_float(int type)
{
    return type == F32 || type == F64;
}

static void draw_tree(struct drawing *drawing, int type, int depth, bool is_firm);

static void draw_literal(struct drawing *drawing, int type)
{
    static const char *const integers[] = {"0", "1", "2", "3", "7", "31", "32", "63", "0x7f"};
    static const char *const floats[] = {"0.0", "1", "0.5", "2.0", "1e-3", "3e10", "0.1", "1."};
    if (draw(drawing, 8) == 0)
        text_adds(drawing->out, draw(drawing, 2) ? "lowest()" : "highest()");
    else if (is_float(type))
        text_addf(drawing->out, "%s%s", draw(drawing, 4) ? "" : "-",
                  floats[draw(drawing, COUNT_OF(floats))]);
    else
        text_addf(drawing->out, "%s%s",
                  (type == I32 || type == I64) && draw(drawing, 3) == 0 ? "-" : "",
                  integers[draw(drawing, COUNT_OF(integers))]);
}

/* A name of this type, or one converted to it. */
static void draw_leaf(struct drawing *drawing, int type)
{
    const struct leaf *leaf = &drawing->leaves[draw(drawing, (unsigned)drawing->leaf_count)];
    if (leaf->type == type)
        text_adds(drawing->out, leaf->name);
    else
        text_addf(drawing->out, "%s(%s)", name_of(type), leaf->name);
}

/* Two arguments, of which one is not made of numbers alone. */
static void draw_two(struct drawing *drawing, int type, int depth, const char *before,
                     const char *between)
{
    const unsigned firm = draw(drawing, 2);
    text_addf(drawing->out, "%s(", before);
    draw_tree(drawing, type, depth, firm == 0);
    text_adds(drawing->out, between);
    draw_tree(drawing, type, depth, firm == 1);
    text_adds(drawing->out, ")");
}

static void draw_one(struct drawing *drawing, int type, int depth, const char *before)
{
    text_addf(drawing->out, "%s(", before);
    draw_tree(drawing, type, depth, true);
    text_adds(drawing->out, ")");
}

static void draw_choice(struct drawing *drawing, int type, int depth)
{
    const unsigned firm = draw(drawing, 2);
    text_adds(drawing->out, "(");
    draw_tree(drawing, BOOL, depth, true);
    text_adds(drawing->out, " ? ");
    draw_tree(drawing, type, depth, firm == 0);
    text_adds(drawing->out, " : ");
    draw_tree(drawing, type, depth, firm == 1);
    text_adds(drawing->out, ")");
}

static void draw_truth(struct drawing *drawing, int depth)
{
    static const char *const compares[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    static const char *const tests[] = {"below", "above", "equals"};
    const int type = draw_type(drawing);
    switch (draw(drawing, 8)) {
    case 0: draw_two(drawing, BOOL, depth, "", draw(drawing, 2) ? " && " : " || "); break;
    case 1: draw_one(drawing, BOOL, depth, "!"); break;
    case 2: draw_two(drawing, type, depth, tests[draw(drawing, 3)], ", "); break;
    case 3: draw_one(drawing, type, depth, draw(drawing, 2) ? "is_nan" : "bool"); break;
    case 4: draw_choice(drawing, BOOL, depth); break;
    case 5: draw_two(drawing, BOOL, depth, "", draw(drawing, 2) ? " == " : " != "); break;
    default: draw_two(drawing, type, depth, "", compares[draw(drawing, COUNT_OF(compares))]);
    }
}

static void draw_fma(struct drawing *drawing, int type, int depth)
{
    text_adds(drawing->out, "fma(");
    draw_tree(drawing, type, depth, true);
    text_adds(drawing->out, ", ");
    draw_tree(drawing, type, depth, false);
    text_adds(drawing->out, ", ");
    draw_tree(drawing, type, depth, false);
    text_adds(drawing->out, ")");
}

static void draw_number(struct drawing *drawing, int type, int depth)
{
    static const char *const integers[] = {" % ", " & ", " | ", " ^ ", " << ", " >> ", " / "};
    static const char *const both[] = {" + ", " - ", " * ", " / "};
    static const char *const ones[] = {"sqrt", "exp",   "exp2", "log", "log2",  "log1p",
                                       "tanh", "expm1", "sin",  "cos", "floor", "ceil"};
    switch (draw(drawing, 10)) {
    case 0: draw_choice(drawing, type, depth); return;
    case 1:
        draw_two(drawing, type, depth, draw(drawing, 2) ? "least" : "greatest", ", ");
        return;
    case 2: draw_one(drawing, type, depth, draw(drawing, 3) ? "-" : "magnitude"); return;
    case 3:
        draw_one(drawing, draw(drawing, 5) ? draw_type(drawing) : BOOL, depth, name_of(type));
        return;
    case 4:
    case 5:
    case 6:
        if (!is_float(type))
            draw_two(drawing, type, depth, "", integers[draw(drawing, COUNT_OF(integers))]);
        else if (draw(drawing, 6) == 0)
            draw_fma(drawing, type, depth);
        else if (draw(drawing, 6) == 0)
            draw_two(drawing, type, depth, "power", ", ");
        else
            draw_one(drawing, type, depth, ones[draw(drawing, COUNT_OF(ones))]);
        return;
    case 7:
        if (!is_float(type)) {
            draw_one(drawing, type, depth, "~");
            return;
        }
    /* fall through */
    default: draw_two(drawing, type, depth, "", both[draw(drawing, COUNT_OF(both))]);
    }
}

static void draw_tree(struct drawing *drawing, int type, int depth, bool is_firm)
{
    const bool ends = depth == 0 || draw(drawing, 5) == 0;
    if (ends && !is_firm && type != BOOL && draw(drawing, 2))
        draw_literal(drawing, type);
    else if (ends)
        draw_leaf(drawing, type);
    else if (type == BOOL)
        draw_truth(drawing, depth - 1);
    else
        draw_number(drawing, type, depth - 1);
}

/* What a value becomes, where `head` decides between two. */
static void draw_decided(struct drawing *drawing, const char *head, int type)
{
    if (!*head) {
        draw_tree(drawing, type, DEPTH, true);
        return;
    }
    text_addf(drawing->out, "%s ? ", head);
    draw_tree(drawing, type, DEPTH, true);
    text_adds(drawing->out, " : ");
    draw_tree(drawing, type, DEPTH, false);
}

static void draw_line(struct drawing *drawing, const char *key, const char *head, int type)
{
    text_addf(drawing->out, "%s = ", key);
    draw_decided(drawing, head, type);
    text_adds(drawing->out, "\n");
}

static void draw_make(struct drawing *drawing, const char *key, const char *head,
                      const int of[FIELDS])
{
    text_addf(drawing->out, "%s = make(", key);
    draw_decided(drawing, head, of[0]);
    text_adds(drawing->out, ", ");
    draw_tree(drawing, of[1], DEPTH, false);
    text_adds(drawing->out, ")\n");
}

static void set_leaves(struct drawing *drawing, const struct leaf *leaves, size_t count)
{
    memcpy(drawing->leaves, leaves, count * sizeof *leaves);
    drawing->leaf_count = count;
}

/* Long lines go on in the next. */
static void fold_lines(struct text *out, const char *source)
{
    size_t width = 0;
    for (; *source; source++) {
        text_add(out, source, 1);
        width = *source == '\n' ? 0 : width + 1;
        if (width > 150 && *source == ' ') {
            text_adds(out, "\n+ = ");
            width = 4;
        }
    }
}

static void draw_pairs(struct drawing *drawing, const char *head, const int of[FIELDS])
{
    const struct leaf two[] = {{"a.p", of[0]},
                               {"b.p", of[0]},
                               {"a.q", of[1]},
                               {"b.q", of[1]},
                               {"swapped.q", of[1]}};
    const struct leaf last[] = {{"a.p", of[0]}, {"a.q", of[1]}, {"n", U64}};
    text_addf(drawing->out, "value = p:%s q:%s\n", name_of(of[0]), name_of(of[1]));
    draw_make(drawing, "map", head, of);
    text_adds(drawing->out, "let swapped = a.p < b.p ? b : a\nidentity = make(lowest(), 1)\n");
    set_leaves(drawing, two, COUNT_OF(two));
    draw_make(drawing, "combine", "swapped.p < a.p", of);
    set_leaves(drawing, last, COUNT_OF(last));
}

static void draw_numbers(struct drawing *drawing, const char *head, int of)
{
    const struct leaf two[] = {{"a", of}, {"b", of}}, last[] = {{"a", of}, {"n", U64}};
    text_addf(drawing->out, "value = %s\n", name_of(of));
    draw_line(drawing, "map", head, of);
    text_adds(drawing->out, "identity = highest()\n");
    set_leaves(drawing, two, COUNT_OF(two));
    draw_line(drawing, "combine", "", of);
    set_leaves(drawing, last, COUNT_OF(last));
}

struct program {
    struct operation_text *text;
    enum type acc;
};

/* One whose values are a number, or two of them. */
static void draw_program(struct program *program, uint64_t seed)
{
    struct text source = {0}, folded = {0};
    struct drawing drawing = {.out = &source, .random = seed};
    const bool is_pair = draw(&drawing, 2);
    const int of[FIELDS] = {draw_type(&drawing), draw_type(&drawing)};
    const int let = draw(&drawing, 4) ? draw_type(&drawing) : BOOL;
    const char *head = let == BOOL ? "part" : "part > 0";
    program->acc = (enum type)draw_type(&drawing);
    const struct leaf given[] = {{"x", (int)program->acc}, {"i", U64}, {"part", let}};
    text_adds(&source, "[operation]\nmeaning = drawn\n");
    set_leaves(&drawing, given, 2);
    draw_line(&drawing, "let part", "", let);
    set_leaves(&drawing, given, 3);
    if (is_pair)
        draw_pairs(&drawing, head, of);
    else
        draw_numbers(&drawing, head, of[0]);
    draw_line(&drawing, "finish", "", of[1]);
    fold_lines(&folded, source.at);
    program->text = read_text("drawn.ini", folded.at);
    text_dispose(&source);
    text_dispose(&folded);
}

/* --- The same as C ------------------------------------------------------------------------ */

/* Words to numbers and back, as operation_eval.h has them. */
static const char words_source[] =
    "typedef unsigned long long word;\n"
    "static double word_double(word w) { double d; __builtin_memcpy(&d, &w, 8); return d; }\n"
    "static word double_word(double d) { word w; __builtin_memcpy(&w, &d, 8); return w; }\n"
    "#define get_i32(w) ((int)(unsigned)(w))\n"
    "#define get_u32(w) ((unsigned)(w))\n"
    "#define get_i64(w) ((long long)(w))\n"
    "#define get_u64(w) (w)\n"
    "#define get_f32(w) ((float)word_double(w))\n"
    "#define get_f64(w) word_double(w)\n"
    "#define put_i32(v) ((word)(long long)(v))\n"
    "#define put_u32(v) ((word)(v))\n"
    "#define put_i64(v) ((word)(v))\n"
    "#define put_u64(v) (v)\n"
    "#define put_f32(v) double_word((double)(v))\n"
    "#define put_f64(v) double_word(v)\n\n";

static void add_file(struct text *out, const char *path)
{
    struct error error = {0};
    if (text_read(out, path, 1 << 20, &error))
        fail_msg("%s", error.text);
}

/* All parts of templates/operation.cu, for the emulator or for a GPU. */
static void add_parts(struct text *out, bool is_host)
{
    static const char *const names[] = {"HOST", "CC"};
    const int64_t values[] = {is_host, 80};
    struct text file = {0};
    struct error error = {0};
    add_file(&file, "templates/operation.cu");
    for (char *at = strstr(file.at, "//? define"), *next; at; at = next) {
        at = strchr(at, '\n') + 1;
        next = strstr(at, "//? define");
        const struct control_lines lines = {.file = "operation.cu",
                                            .line = 1,
                                            .from = at,
                                            .length = next ? (size_t)(next - at) : strlen(at),
                                            .scope = {.names = names, .count = COUNT_OF(names)},
                                            .values = values};
        if (control_filter(out, &lines, &error))
            fail_msg("%s", error.text);
    }
    text_dispose(&file);
}

/* The type of a value in C. */
static const char *c_value(const struct program *program)
{
    return operation_field_count(program->text) > 1
               ? "accum"
               : operation_c_type(operation_value_type(program->text, program->acc));
}

/* The type and the arguments of a function in C. */
static void add_head(struct text *out, const struct program *program, enum operation_part part,
                     int k)
{
    const char *value = c_value(program);
    switch (part) {
    case OPERATION_MAP:
        text_addf(out, "%s map_%d(%s x, unsigned long long i)", value, k,
                  operation_c_type(program->acc));
        break;
    case OPERATION_COMBINE:
        text_addf(out, "%s combine_%d(%s a, %s b)", value, k, value, value);
        break;
    case OPERATION_IDENTITY: text_addf(out, "%s identity_%d(void)", value, k); break;
    default:
        text_addf(out, "%s finish_%d(%s a, unsigned long long n)",
                  operation_c_type(operation_result_type(program->text, program->acc)), k,
                  value);
    }
}

/* The functions of a program, each with its number in its name. */
static void add_functions(struct text *out, const struct program *program, int k)
{
    text_addf(out,
              "#undef accum\n#undef make_accum\n#define accum accum_%d\n"
              "#define make_accum make_accum_%d\n",
              k, k);
    if (operation_field_count(program->text) > 1)
        operation_write_struct(out, program->text, program->acc);
    for (int part = 0; part < OPERATION_PARTS; part++) {
        text_adds(out, "__device__ __forceinline__ ");
        add_head(out, program, (enum operation_part)part, k);
        text_adds(out, "\n{\n");
        operation_write(out, program->text, (enum operation_part)part, program->acc);
        text_adds(out, "}\n");
    }
}

/* What field f of a value adds to its name; the name of its type. */
static const char *field_name(const struct program *program, int f)
{
    static const char *const names[] = {".p_", ".q_"};
    return operation_field_count(program->text) > 1 ? names[f] : "";
}

static const char *field_type(const struct program *program, int f)
{
    return problem_types[operation_field_type(program->text, f, program->acc)].name;
}

/* The value `name` from the words of a block, and the value v to them. */
static void add_getting(struct text *out, const struct program *program, const char *name,
                        const char *words)
{
    text_addf(out, "        %s %s;\n", c_value(program), name);
    for (int f = 0; f < operation_field_count(program->text); f++)
        text_addf(out, "        %s%s = get_%s(%s[%d + k]);\n", name, field_name(program, f),
                  field_type(program, f), words, f * OPERATION_LANES);
}

static void add_putting(struct text *out, const struct program *program)
{
    for (int f = 0; f < operation_field_count(program->text); f++)
        text_addf(out, "        to[%d + k] = put_%s(v%s);\n", f * OPERATION_LANES,
                  field_type(program, f), field_name(program, f));
    text_adds(out, "    }\n}\n");
}

static void add_loop(struct text *out, const char *what, int k)
{
    text_addf(out,
              "void run_%s_%d(const word *first, const word *second, word *to, int count)\n"
              "{\n    for (int k = 0; k < count; k++) {\n",
              what, k);
}

/* Functions that take and give blocks, as the evaluator does. */
static void add_drivers(struct text *out, const struct program *program, int k)
{
    const char *value = c_value(program);
    add_loop(out, "map", k);
    text_addf(out, "        %s v = map_%d(get_%s(first[k]), second[k]);\n", value, k,
              problem_types[program->acc].name);
    add_putting(out, program);
    add_loop(out, "combine", k);
    add_getting(out, program, "a", "first");
    add_getting(out, program, "b", "second");
    text_addf(out, "        %s v = combine_%d(a, b);\n", value, k);
    add_putting(out, program);
    add_loop(out, "identity", k);
    text_addf(out, "        %s v = identity_%d();\n", value, k);
    add_putting(out, program);
    add_loop(out, "finish", k);
    add_getting(out, program, "a", "first");
    text_addf(out, "        to[k] = put_%s(finish_%d(a, second[k]));\n    }\n}\n",
              problem_types[operation_result_type(program->text, program->acc)].name, k);
}

/* --- Elements ----------------------------------------------------------------------------- */

static uint64_t draw_integer(enum type type, uint64_t *random)
{
    static const uint64_t specials[] = {0,         1,          2,          3,
                                        31,        32,         33,         63,
                                        64,        0x7fffffff, 0x80000000, 0xffffffff,
                                        INT64_MAX, 1ull << 63};
    uint64_t word = random_next(random);
    const uint64_t choice = word % 4, which = word / 4 % COUNT_OF(specials);
    word = random_next(random);
    if (choice < 2)
        word = choice ? specials[which] : 0 - specials[which];
    else if (choice == 2)
        word = (word >> 32) % 200 - 100;
    return type == I32   ? (uint64_t)(int64_t)(int32_t)(uint32_t)word
           : type == U32 ? (uint32_t)word
                         : word;
}

static uint64_t draw_float(enum type type, uint64_t *random)
{
    static const double specials[] = {0,           1,      0.5,        2,           1e-45,
                                      1e-310,      3e38,   1e308,      1e10,        -0.0,
                                      INFINITY,    NAN,    2147483647, 2147483648., 4294967295.,
                                      4294967296., 0x1p63, 0x1p64};
    const uint64_t word = random_next(random);
    double value = specials[word / 8 % COUNT_OF(specials)];
    if (word % 8 > 4)
        value = (double)(int64_t)random_next(random) * 0x1p-60;
    else if (word % 8 > 3)
        value = double_of(random_next(random));
    if (word % 8 < 2)
        value = -value;
    return bits_of(type == F32 ? (double)(float)value : value);
}

static void draw_words(enum type type, uint64_t *words, uint64_t *random)
{
    for (int k = 0; k < OPERATION_LANES; k++)
        words[k] = is_float((int)type) ? draw_float(type, random) : draw_integer(type, random);
}

static bool is_same(enum type type, uint64_t a, uint64_t b)
{
    return a == b || (is_float((int)type) && isnan(double_of(a)) && isnan(double_of(b)));
}

/* --- Both --------------------------------------------------------------------------------- */

typedef void run_blocks(const uint64_t *first, const uint64_t *second, uint64_t *to, int count);

enum { WORDS = FIELDS * OPERATION_LANES };

static void compare(const struct program *program, const char *what, int k, const uint64_t *got,
                    const uint64_t *want, const uint64_t *first, int count)
{
    const bool is_result = strcmp(what, "finish") == 0;
    const int fields = is_result ? 1 : operation_field_count(program->text);
    for (int f = 0; f < fields; f++)
        for (int lane = 0; lane < count; lane++) {
            const int at = f * OPERATION_LANES + lane;
            const enum type type = is_result
                                       ? operation_result_type(program->text, program->acc)
                                       : operation_field_type(program->text, f, program->acc);
            if (is_same(type, got[at], want[at]))
                continue;
            struct text shown = {0};
            operation_write(&shown, program->text, OPERATION_MAP, program->acc);
            fail_msg(
                "program %d, %s, field %d, lane %d of word %016llx: %016llx, not %016llx:\n%s",
                k, what, f, lane, (unsigned long long)first[at], (unsigned long long)got[at],
                (unsigned long long)want[at], shown.at);
        }
}

static run_blocks *find(void *library, const char *what, int k)
{
    char name[40];
    run_blocks *run;
    snprintf(name, sizeof name, "run_%s_%d", what, k);
    void *at = dlsym(library, name);
    assert_non_null(at);
    memcpy(&run, &at, sizeof run);
    return run;
}

static void run_both(void *library, const struct program *program, int k)
{
    uint64_t random = (uint64_t)k, x[OPERATION_LANES], i[OPERATION_LANES], a[WORDS], b[WORDS];
    uint64_t got[WORDS], want[WORDS];
    struct operation_eval *eval = open_eval(program->text, program->acc);
    const int count = k % 3 ? OPERATION_LANES : 1 + k % OPERATION_LANES;
    draw_words(program->acc, x, &random);
    draw_words(U64, i, &random);
    for (int f = 0; f < operation_field_count(program->text); f++) {
        const enum type type = operation_field_type(program->text, f, program->acc);
        draw_words(type, a + f * OPERATION_LANES, &random);
        draw_words(type, b + f * OPERATION_LANES, &random);
    }
    operation_eval_map(eval, x, i, got, (size_t)count);
    find(library, "map", k)(x, i, want, count);
    compare(program, "map", k, got, want, x, count);
    operation_eval_combine(eval, a, b, got, (size_t)count);
    find(library, "combine", k)(a, b, want, count);
    compare(program, "combine", k, got, want, a, count);
    operation_eval_identity(eval, got, (size_t)count);
    find(library, "identity", k)(NULL, NULL, want, count);
    compare(program, "identity", k, got, want, a, count);
    operation_eval_finish(eval, a, i, got, (size_t)count);
    find(library, "finish", k)(a, i, want, count);
    compare(program, "finish", k, got, want, a, count);
    operation_eval_free(eval);
}

static void write_source(const char *folder, const struct text *source)
{
    char path[TEMPORARY_CHARS + 120];
    snprintf(path, sizeof path, "%s/program.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(source->at, 1, source->length, file), source->length);
    assert_int_equal(fclose(file), 0);
}

/* Whatever C leaves undefined ends the process. */
static void *compile(const char *folder)
{
    char command[2 * TEMPORARY_CHARS + 500], path[TEMPORARY_CHARS + 120];
    snprintf(
        command, sizeof command,
        "cd '%s' && ${CC:-cc} -std=gnu11 -O0 -fno-builtin -ffp-contract=off -w -fPIC -shared "
        "-fsanitize=undefined,float-cast-overflow -fsanitize-undefined-trap-on-error "
        "-o program.so program.c -lm",
        folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/program.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

static void test_same_as_c(void **state)
{
    static struct program programs[PROGRAMS];
    struct temporary folder;
    struct text source = {0};
    struct error error = {0};
    (void)state;
    text_adds(&source, "#define HOST_SHARED \".shared\"\n");
    add_file(&source, "templates/host/host_shim.h");
    text_adds(&source, words_source);
    add_parts(&source, true);
    for (int k = 0; k < PROGRAMS; k++) {
        draw_program(&programs[k], (uint64_t)k);
        add_functions(&source, &programs[k], k);
        add_drivers(&source, &programs[k], k);
    }
    assert_int_equal(text_check(&source, &error), 0);
    assert_int_equal(temporary_open(&folder, &error), 0);
    write_source(folder.path, &source);
    void *library = compile(folder.path);
    for (int k = 0; k < PROGRAMS; k++) {
        run_both(library, &programs[k], k);
        operation_free(programs[k].text);
    }
    dlclose(library);
    temporary_close(&folder);
    text_dispose(&source);
}

/* --- Known elements ----------------------------------------------------------------------- */

enum { ELEMENTS = 1000 };

/* The result of `count` elements, each lane of a block combined with the next block's, then halves. */
static double reduce(const struct operation_text *text, enum type acc, const double *elements,
                     int count)
{
    uint64_t all[OPERATION_FIELDS_MAX * OPERATION_LANES];
    uint64_t mapped[OPERATION_FIELDS_MAX * OPERATION_LANES];
    struct operation_eval *eval = open_eval(text, acc);
    const int fields = operation_field_count(text);
    operation_eval_identity(eval, all, OPERATION_LANES);
    for (int from = 0; from < count; from += OPERATION_LANES) {
        const int width = count - from < OPERATION_LANES ? count - from : OPERATION_LANES;
        uint64_t x[OPERATION_LANES], i[OPERATION_LANES];
        for (int k = 0; k < width; k++) {
            const double value = elements[from + k];
            x[k] = is_float((int)acc) ? bits_of(value) : (uint64_t)(int64_t)value;
            i[k] = (uint64_t)(from + k);
        }
        operation_eval_map(eval, x, i, mapped, (size_t)width);
        operation_eval_combine(eval, all, mapped, all, (size_t)width);
    }
    for (int width = OPERATION_LANES / 2; width; width /= 2) {
        for (int f = 0; f < fields; f++)
            memcpy(mapped + f * OPERATION_LANES, all + f * OPERATION_LANES + width,
                   (size_t)width * sizeof *all);
        operation_eval_combine(eval, all, mapped, all, (size_t)width);
    }
    const uint64_t n = (uint64_t)count;
    uint64_t result;
    operation_eval_finish(eval, all, &n, &result, 1);
    operation_eval_free(eval);
    const enum type type = operation_result_type(text, acc);
    return is_float((int)type)          ? double_of(result)
           : type == I32 || type == I64 ? (double)(int64_t)result
                                        : (double)result;
}

static double sum_of(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k];
    return sum;
}

static double sumsq_of(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sum;
}

static double asum_of(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += fabs(x[k]);
    return sum;
}

static double prod_of(const double *x, int n)
{
    double product = 1;
    for (int k = 0; k < n; k++)
        product *= x[k];
    return product;
}

/* NumPy's: the first NaN, else the first of the least times `sign`. */
static double find_first(const double *x, int n, double sign)
{
    int first = 0;
    for (int k = 1; k < n; k++)
        if (!isnan(x[first]) && (isnan(x[k]) || sign * x[k] < sign * x[first]))
            first = k;
    return first;
}

static double argmin_of(const double *x, int n)
{
    return find_first(x, n, 1);
}

static double argmax_of(const double *x, int n)
{
    return find_first(x, n, -1);
}

static double min_of(const double *x, int n)
{
    return x[(int)argmin_of(x, n)];
}

static double max_of(const double *x, int n)
{
    return x[(int)argmax_of(x, n)];
}

static double absmax_of(const double *x, int n)
{
    double most = 0;
    for (int k = 0; k < n && !isnan(most); k++)
        most = isnan(x[k]) || fabs(x[k]) > most ? fabs(x[k]) : most;
    return most;
}

static double absmin_of(const double *x, int n)
{
    double least = INFINITY;
    for (int k = 0; k < n && !isnan(least); k++)
        least = isnan(x[k]) || fabs(x[k]) < least ? fabs(x[k]) : least;
    return least;
}

static double count_of(const double *x, int n)
{
    double count = 0;
    for (int k = 0; k < n; k++)
        count += x[k] != 0;
    return count;
}

static double any_of(const double *x, int n)
{
    return count_of(x, n) > 0;
}

static double all_of(const double *x, int n)
{
    return count_of(x, n) == n;
}

static double and_of(const double *x, int n)
{
    int64_t word = -1;
    for (int k = 0; k < n; k++)
        word &= (int64_t)x[k];
    return (double)word;
}

static double or_of(const double *x, int n)
{
    int64_t word = 0;
    for (int k = 0; k < n; k++)
        word |= (int64_t)x[k];
    return (double)word;
}

static double xor_of(const double *x, int n)
{
    int64_t word = 0;
    for (int k = 0; k < n; k++)
        word ^= (int64_t)x[k];
    return (double)word;
}

static double mean_of(const double *x, int n)
{
    return sum_of(x, n) / n;
}

static double nrm2_of(const double *x, int n)
{
    return sqrt(sumsq_of(x, n));
}

static double var_of(const double *x, int n)
{
    double sum = 0, mean = mean_of(x, n);
    for (int k = 0; k < n; k++)
        sum += (x[k] - mean) * (x[k] - mean);
    return sum / n;
}

static double std_of(const double *x, int n)
{
    return sqrt(var_of(x, n));
}

static double logsumexp_of(const double *x, int n)
{
    double sum = 0, top = max_of(x, n);
    for (int k = 0; k < n; k++)
        sum += exp(x[k] - top);
    return isinf(top) ? top : top + log(sum);
}

static const struct known {
    const char *file;
    double (*of)(const double *x, int n);
    double tolerance; /* of f64, in ulp of the result; f32 has the same in its own */
} knowns[] = {
    {"configs/operations/sum.ini", sum_of, 0},
    {"configs/operations/sumsq.ini", sumsq_of, 0},
    {"configs/operations/prod.ini", prod_of, 0},
    {"configs/operations/min.ini", min_of, 0},
    {"configs/operations/max.ini", max_of, 0},
    {"configs/operations/and.ini", and_of, 0},
    {"configs/operations/or.ini", or_of, 0},
    {"configs/operations/xor.ini", xor_of, 0},
    {"configs/operations/argmin.ini", argmin_of, 0},
    {"configs/operations/argmax.ini", argmax_of, 0},
    {"configs/operations/absmax.ini", absmax_of, 0},
    {"configs/operations/absmin.ini", absmin_of, 0},
    {"configs/operations/asum.ini", asum_of, 0},
    {"configs/operations/nrm2.ini", nrm2_of, 1},
    {"configs/operations/count_nonzero.ini", count_of, 0},
    {"configs/operations/any.ini", any_of, 0},
    {"configs/operations/all.ini", all_of, 0},
    {"configs/operations/mean.ini", mean_of, 1},
    {"configs/operations/var.ini", var_of, 100},
    {"configs/operations/std.ini", std_of, 100},
    {"configs/operations/logsumexp.ini", logsumexp_of, 20},
};

static void assert_known(const struct known *known, const struct operation_text *text,
                         enum type acc, const double *elements, int count)
{
    const double got = reduce(text, acc, elements, count), want = known->of(elements, count);
    const bool is_narrow = operation_result_type(text, acc) == F32;
    const double room =
        known->tolerance * (is_narrow ? 0x1p-24 : 0x1p-53) * fmax(1, fabs(want));
    if (got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= room)
        return;
    fail_msg("%s of %d %s: %.17g, not %.17g", known->file, count, problem_types[acc].name, got,
             want);
}

/* Small integers, so that sums are exact in each type. */
static void test_known(void **state)
{
    static const int counts[] = {1, 2, 255, 256, 257, ELEMENTS};
    (void)state;
    for (size_t o = 0; o < COUNT_OF(knowns); o++) {
        struct operation_text *text = read_file(knowns[o].file);
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            const enum type acc = types[t];
            double elements[ELEMENTS];
            struct error error;
            if (operation_check_types(text, acc, acc, &error))
                continue;
            for (int k = 0; k < ELEMENTS; k++) {
                elements[k] = knowns[o].of == prod_of ? (k % 97 ? 1 : 2) : k * 7919 % 11 - 5;
                if (!problem_types[acc].is_signed)
                    elements[k] = fabs(elements[k]);
                else if (knowns[o].of == prod_of && k % 3 == 0)
                    elements[k] = -elements[k];
            }
            for (size_t c = 0; c < COUNT_OF(counts); c++)
                assert_known(&knowns[o], text, acc, elements, counts[c]);
        }
        operation_free(text);
    }
}

/* A NaN wins, or counts; infinities stay. */
static void test_specials(void **state)
{
    static const double rows[][4] = {{1, NAN, 3, 2},        {INFINITY, 1, 2, 3},
                                     {-INFINITY, 1, 2, 3},  {0, -0.0, 0, 0},
                                     {NAN, NAN, 1, -1},     {-1, -1, -2, -2},
                                     {5, 5, 5, 4},          {0, 0, 0, 1},
                                     {-INFINITY, 0, NAN, 1}};
    (void)state;
    for (size_t o = 0; o < COUNT_OF(knowns); o++) {
        struct operation_text *text = read_file(knowns[o].file);
        struct error error;
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            const bool has_infinity = r == 1 || r == 2 || r == 8;
            const bool is_spread = knowns[o].of == var_of || knowns[o].of == std_of;
            if (operation_check_types(text, F32, F32, &error) == 0 &&
                !(has_infinity && is_spread)) {
                assert_known(&knowns[o], text, F32, rows[r], 4);
                assert_known(&knowns[o], text, F64, rows[r], 4);
            }
        }
        operation_free(text);
    }
}

/* Of no elements: what the identity gives. */
static void test_empty(void **state)
{
    static const struct {
        const char *file;
        double want;
    } cases[] = {
        {"configs/operations/sum.ini", 0},
        {"configs/operations/prod.ini", 1},
        {"configs/operations/min.ini", INFINITY},
        {"configs/operations/max.ini", -INFINITY},
        {"configs/operations/any.ini", 0},
        {"configs/operations/all.ini", 1},
        {"configs/operations/mean.ini", NAN},
        {"configs/operations/nrm2.ini", 0},
        {"configs/operations/var.ini", NAN},
        {"configs/operations/logsumexp.ini", -INFINITY},
        {"configs/operations/argmin.ini", 0x1p64},
        {"configs/operations/count_nonzero.ini", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct operation_text *text = read_file(cases[i].file);
        const double got = reduce(text, F32, NULL, 0);
        if (got != cases[i].want && !(isnan(got) && isnan(cases[i].want)))
            fail_msg("%s of nothing: %g, not %g", cases[i].file, got, cases[i].want);
        operation_free(text);
    }
}

/* --- NVRTC -------------------------------------------------------------------------------- */

static void test_nvrtc_accepts(void **state)
{
    static struct program programs[PROGRAMS];
    struct nvrtc *nvrtc;
    struct text source = {0};
    struct error error = {0};
    struct device_image image;
    const char *kernel = "kernel";
    (void)state;
    if (nvrtc_open(&nvrtc, NULL, 80, &error)) {
        assert_int_equal(error.code, ERROR_NO_DEVICE);
        skip();
    }
    add_parts(&source, false);
    for (int k = 0; k < PROGRAMS; k++) {
        draw_program(&programs[k], (uint64_t)k);
        add_functions(&source, &programs[k], k);
        operation_free(programs[k].text);
    }
    text_adds(&source, "__global__ void kernel(void) {}\n");
    assert_int_equal(text_check(&source, &error), 0);
    if (nvrtc_compile_unit(nvrtc, 80, NVRTC_PTX, source.at, &kernel, 1, &image, &error))
        fail_msg("%s", error.text);
    device_dispose_image(&image);
    nvrtc_close(nvrtc);
    text_dispose(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_c),     cmocka_unit_test(test_known),
        cmocka_unit_test(test_specials),      cmocka_unit_test(test_empty),
        cmocka_unit_test(test_nvrtc_accepts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
