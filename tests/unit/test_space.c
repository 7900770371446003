/* Tests of space: the files that come with the program, and that whatever is wrong with a space
 * file is refused by one sentence that begins with the file and the line. */
#include "tests/unit/named_op.h"
#include "tests/unit/plain_op.h"
#include "tests/unit/reduce_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* A space with one of everything. */
static const char good[] = "[space]\n"                                /* 1 */
                           "name = little\n"                          /* 2 */
                           "template = little.cu\n"                   /* 3 */
                           "kernel = little\n"                        /* 4 */
                           "[param BLOCK]\n"                          /* 5 */
                           "meaning = threads per block\n"            /* 6 */
                           "values = 32 64\n"                         /* 7 */
                           "[param WAY]\n"                            /* 8 */
                           "values = LEFT RIGHT\n"                    /* 9 */
                           "[param GRID]\n"                           /* 10 */
                           "values = 0 1 -2\n"                        /* 11 */
                           "when = launch\n"                          /* 12 */
                           "[derived]\n"                              /* 13 */
                           "TILES = max(1, ceil_div(N, TILE))\n"      /* 14 */
                           "TILE = 2 * BLOCK\n"                       /* 15 */
                           "[rule]\n"                                 /* 16 */
                           "blocks are small = BLOCK <= 1024\n"       /* 17 */
                           "the grid is not too large = GRID < SMS\n" /* 18 */
                           "[pass main]\n"                            /* 19 */
                           "when = WAY == LEFT\n"                     /* 20 */
                           "block = BLOCK\n"                          /* 21 */
                           "grid = min(TILES, 2147483647)\n"          /* 22 */
                           "tile = TILE\n"                            /* 23 */
                           "outputs = BLOCKS\n"                       /* 24 */
                           "args = input n output\n"                  /* 25 */
                           "height = 10 + log2(BLOCK)\n"              /* 26 */
                           "[pass rest]\n"                            /* 27 */
                           "reads = partials\n"                       /* 28 */
                           "BLOCK = min(BLOCK, 32)\n"                 /* 29 */
                           "block = BLOCK\n"                          /* 30 */
                           "grid = 1\n"                               /* 31 */
                           "tile = TILE\n"                            /* 32 */
                           "outputs = 1\n"                            /* 33 */
                           "partials = BLOCKS\n"                      /* 34 */
                           "args = input n output partials\n"         /* 35 */
                           "height = 1\n"                             /* 36 */
                           "repeat = until one\n"                     /* 37 */
                           "[default]\n"                              /* 38 */
                           "BLOCK = 64\n"                             /* 39 */
                           "WAY = RIGHT\n"                            /* 40 */
                           "GRID = -2\n";                             /* 41 */

/* `good` with one change, and where and how it is refused. */
static const struct bad {
    const char *from, *to; /* an empty `from`: in front of everything */
    int line;
    const char *said;
} bads[] = {
    /* Sections and keys. */
    {"[rule]", "[rules]", 17, "'rules'"},
    {"[param WAY]", "[params]", 9, "'params'"},
    {"[default]", "[defaults]", 39, "'defaults'"},
    {"name = little\n", "nam = little\n", 2, "'nam'"},
    {"meaning = t", "meanings = t", 6, "'meanings'"},
    {"when = launch", "when = never", 12, "'never'"},
    {"grid = 1\n", "gird = 1\n", 31, "'gird'"},
    {"name = little\n", "", 1, "[space] needs name"},
    {"kernel = little\n", "", 1, "[space] needs name"},
    {"name = little\n", "name =\n", 2, "no name"},
    {"kernel = little\n", "kernel = a(b)\n", 4, "'a(b)'"},
    {"kernel = little\n", "kernel = 1a\n", 4, "'1a'"},
    {"kernel = little\n", "kernel = 0a\n", 4, "'0a'"},
    {"template = little.cu\n", "template = ../little.cu\n", 3, "'../little.cu'"},
    {"per block\n", "per block \\\n", 6, "backslash"},
    {"name = little\n", "name = little\nname = other\n", 3, "name"},
    {"kernel = little\n", "kernel = little\nserves = SMS > 4\n", 5,
     "'serves' knows the problem, not"},
    {"kernel = little\n", "kernel = little\nserves = HOST\n", 5, "'HOST'"},
    {"kernel = little\n", "kernel = little\nserves = BLOCKS == 1\n", 5, "'BLOCKS'"},
    {"[rule]\n", "[derived]\n", 16, "derived"},

    /* Params. */
    {"values = 32 64", "values =", 7, "no values"},
    {"values = 32 64\n", "", 5, "no values"},
    {"values = 32 64", "values = 32 64 32", 7, "twice: '32'"},
    {"values = LEFT RIGHT", "values = LEFT LEFT", 9, "'LEFT'"},
    {"values = LEFT RIGHT", "values = LEFT ADD", 9, "'ADD'"},
    {"values = LEFT RIGHT", "values = LEFT SAME", 9, "'SAME'"},
    {"values = LEFT RIGHT", "values = LEFT BLOCK", 9, "'BLOCK'"},
    {"values = LEFT RIGHT", "values = LEFT 1", 9, "'1'"},
    {"values = LEFT RIGHT", "values = LEFT right", 9, "'right'"},
    {"values = 32 64", "values = 32 LEFT", 7, "LEFT"},
    {"values = 32 64", "values = 32 9223372036854775808", 7, "9223372036854775808"},
    {"values = 32 64", "values = 32 6.4", 7, "6.4"},
    {"values = 32 64", "values = 32 0x40", 7, "0x40"},
    {"[param WAY]", "[param N]", 9, "'N'"},
    {"[param WAY]", "[param F32]", 9, "'F32'"},
    {"[param WAY]", "[param way]", 9, "'way'"},
    {"[param WAY]", "[param W AY]", 9, "'W AY'"},
    {"[param WAY]", "[param BLOCK]", 8, "BLOCK"},

    /* Derived values. */
    {"TILE = 2 * BLOCK", "TILE = 2 * BLOK", 15, "'BLOK'"},
    {"TILE = 2 * BLOCK", "BLOCK = 2 * GRID", 15, "'BLOCK'"},
    {"TILE = 2 * BLOCK", "tile = 2 * BLOCK", 15, "'tile'"},
    {"TILE = 2 * BLOCK", "TILE = 2 *", 15, "expected"},
    {"TILE = 2 * BLOCK", "TILE =", 15, ""},
    {"TILE = 2 * BLOCK", "TILE = BLOCKS", 15, "'BLOCKS'"},
    {"TILE = 2 * BLOCK", "TILE = 9223372036854775808", 15, "9223372036854775808"},
    {"TILE = 2 * BLOCK", "TILE = TILE", 15, "'TILE' depends on itself"},
    {"TILE = 2 * BLOCK", "TILE = TILES / 2", 14, "'TILES' depends on itself"},
    {"TILE = 2 * BLOCK", "TILE = A\nA = C\nC = TILE + 1", 15, "depends on itself"},

    /* Rules. */
    {"BLOCK <= 1024", "BLOCKSIZE <= 1024", 17, "'BLOCKSIZE'"},
    {"BLOCK <= 1024", "BLOCK <= LEFFT", 17, "'LEFFT'"},
    {"BLOCK <= 1024", "BLOCKS <= 1024", 17, "'BLOCKS'"},
    {"BLOCK <= 1024", "OP == MIN", 17, "'OP' is gone: ask what COMBINE is"},
    {"BLOCK <= 1024", "BLOCK <= 1024 || OP != PARTIAL", 17, "'OP' is gone"},
    {"BLOCK <= 1024", "PARTIAL == SUM", 17, "'PARTIAL' is gone"},
    {"BLOCK <= 1024", "ARGMAX == 9 || BLOCK <= 1024", 17, "FIRST_GREATEST for ARGMAX"},
    {"BLOCK <= 1024", "SUMMED <= 1024", 17, "unknown name 'SUMMED'"},
    {"BLOCK <= 1024", "BLOCK <= 1024)", 17, ""},
    {"BLOCK <= 1024", "(BLOCK <= 1024", 17, ""},
    {"GRID < SMS", "pow(GRID, 2)", 18, "pow"},

    /* Passes. */
    {"when = WAY == LEFT", "when = GRID == 1", 19, "launch-time"},
    {"when = WAY == LEFT", "when = N > 5", 19, "launch-time"},
    {"when = WAY == LEFT", "when = TILES > 5", 19, "launch-time"},
    {"when = WAY == LEFT", "when = WAY == UP", 20, "'UP'"},
    {"grid = min(TILES, 2147483647)", "grid = BLOCKS", 22, "'BLOCKS'"},
    {"tile = TILE\noutputs = BLOCKS", "tile = BLOCKS\noutputs = 1", 23, "'BLOCKS'"},
    {"block = BLOCK\ngrid = 1", "block = BLOCKS\ngrid = 1", 30, "'BLOCKS'"},
    {"block = BLOCK\ngrid = 1", "grid = 1", 27, "lacks 'block'"},
    {"grid = 1\n", "", 27, "lacks 'grid'"},
    {"tile = TILE\noutputs = 1\n", "outputs = 1\n", 27, "lacks 'tile'"},
    {"outputs = 1\n", "", 27, "lacks 'outputs'"},
    {"height = 1\n", "", 27, "lacks 'height'"},
    {"args = input n output\n", "", 19, "lacks 'args'"},
    {"args = input n output\n", "args =\n", 19, "lacks 'args'"},
    {"partials = BLOCKS\n", "", 27, "lacks 'partials'"},
    {"args = input n output\n", "args = input n result\n", 25, "'result'"},
    {"args = input n output\n", "args = n n n n n n n n n n n n n n n n n n n n n n n n n\n",
     25, "at most 24"},
    {"reads = partials", "reads = outputs", 28, "'outputs'"},
    {"repeat = until one", "repeat = 2", 37, "'2'"},
    {"BLOCK = min(BLOCK, 32)", "GRID = 1", 29, "'GRID'"},
    {"BLOCK = min(BLOCK, 32)", "BLOCK = GRID", 29, "'BLOCK'"},
    {"BLOCK = min(BLOCK, 32)", "BLOCK = N", 29, "'BLOCK'"},
    {"BLOCK = min(BLOCK, 32)", "BLOCK = min(BLOCK)", 29, ""},

    {"repeat = until one", "cooperative = maybe", 37,
     "'cooperative' is no or yes, not 'maybe'"},
    {"repeat = until one", "cooperative = yes\ncooperative = no", 38, "cooperative"},
    {"partials = BLOCKS\n", "state = BLOCKS\npartials = BLOKS\n", 35, "'BLOKS'"},
    {"args = input n output partials\n", "args = input n output partials state\n", 27,
     "lacks 'state'"},
    {"repeat = until one", "state = 2 *", 37, "expected"},
    {"repeat = until one", "state =", 37, ""},
    {"repeat = until one", "shared_bytes = BLOCKS", 37, "'BLOCKS'"},
    {"repeat = until one", "shared_bytes = 1 +", 37, "expected"},
    {"repeat = until one", "shared_byte = 1", 37, "'shared_byte'"},
    {"repeat = until one", "cluster = BLOCKS", 37, "'BLOCKS'"},
    {"repeat = until one", "cluster = 2\ncluster = 2", 38, "cluster"},
    {"args = input n output\n", "args = input n output counter\n", 25, "state, not"},

    {"repeat = until one", "timed = maybe", 37, "'timed' is no or yes, not 'maybe'"},
    {"repeat = until one", "timed =", 37, "'timed' is no or yes"},
    {"repeat = until one", "timed = no\ntimed = no", 38, "timed"},
    {"height = 10 + log2(BLOCK)\n", "height = 1\ntimed = no\n", 28, "[pass main] before it"},
    {"[pass rest]\n", "timed = no\n[pass rest]\ntimed = no\n", 19, "no pass is timed"},

    /* The model. */
    {"[rule]\n", "[model]\nin_fligt = BLOCK\n[rule]\n", 17, "'in_fligt'"},
    {"[rule]\n", "[model]\nin_flight = BLOK\n[rule]\n", 17, "'BLOK'"},
    {"[rule]\n", "[model]\nin_flight = 2 *\n[rule]\n", 17, "expected"},
    {"[rule]\n", "[model]\nin_flight =\n[rule]\n", 17, ""},
    {"[rule]\n", "[model]\nin_flight = BLOCKS * 16\n[rule]\n", 17, "'BLOCKS'"},
    {"[rule]\n", "[model]\nin_flight = 1\nin_flight = 2\n[rule]\n", 18, "in_flight"},
    {"[rule]\n", "[model x]\nin_flight = 1\n[rule]\n", 17, "'model x'"},

    /* The default. */
    {"BLOCK = 64\n", "", 38, "lacks BLOCK"},
    {"BLOCK = 64\n", "BLOCK = 128\n", 39, "'128'"},
    {"BLOCK = 64\n", "BLOCK = 064\n", 39, "'064'"},
    {"WAY = RIGHT", "WAY = 1", 40, "'1'"},
    {"WAY = RIGHT", "WAY = RIGHTS", 40, "'RIGHTS'"},
    {"WAY = RIGHT", "TILE = 1", 40, "'TILE'"},
    {"GRID = -2\n", "GRID = -2\nGRID = 0\n", 42, "GRID"},
    {"BLOCK = 64\n", "BLOCK = 16 * ELEM_BITES\n", 39, "'ELEM_BITES'"},
    {"BLOCK = 64\n", "BLOCK = 16 *\n", 39, "expected"},
    {"BLOCK = 64\n", "BLOCK = 16 * 3\n", 39, "BLOCK = 48 for sum i32 400M cold"},
    {"BLOCK = 64\n", "BLOCK = 64 / (ACC == TYPE ? 0 : 1)\n", 39, "by zero"},
    {"BLOCK = 64\n", "BLOCK = ELEM_BYTES\n", 39, "BLOCK = 4 for sum i32"},
    {"BLOCK = 64\n", "BLOCK = BLOCKS > 5 ? 64 : 32\n", 39, "not 'BLOCKS'"},
    {"BLOCK = 64\n", "BLOCK = 32 + 32 * GRID\n", 39, "not 'GRID'"},
    {"BLOCK = 64\n", "BLOCK = 0 * TILE + 64\n", 39, "not 'TILE'"},
    {"BLOCK = 64\n", "BLOCK = 64 + LEFT\n", 39, "not 'LEFT'"},
    {"WAY = RIGHT", "WAY = I8", 40, "'I8'"},
    {"[default]\nBLOCK = 64\nWAY = RIGHT\nGRID = -2\n", "", 37, "[default] lacks BLOCK"},

    /* What inih would read as something else. */
    {"", "x = 1\n", 1, ""},
    {"", "\xef\xbb\xbf", 1, ""},
    {"GRID = -2\n", "GRID = -2", 41, ""},
    {"GRID = -2\n", " GRID = -2\n", 41, ""},
    {"TILE = 2 * BLOCK", "TILE : 2 * BLOCK", 15, ""},
    {"kernel = little\n", "kernel = little\r\n", 4, ""},
};

static char *change(const char *from, const char *to)
{
    const char *at = strstr(good, from);
    if (!at)
        fail_msg("no '%s' to change", from);
    struct text out = {0};
    text_add(&out, good, (size_t)(at - good));
    text_adds(&out, to);
    text_adds(&out, at + strlen(from));
    return out.at;
}

/* A fault a line, "little.ini:LINE: " and something to read, by lines; one of them is of this line and
 * says so. Returns how many. */
static int assert_sentences(const struct error *error, int line, const char *said,
                            const char *what)
{
    int count = 0, before = 0;
    bool is_said = false;
    assert_int_equal(error->code, ERROR_USAGE);
    for (const char *at = error->text; *at; at += *at == '\n') {
        int number = 0, start = 0;
        const size_t length = strcspn(at, "\n");
        const char *const found = strstr(at, said);
        if (strncmp(at, "and ", 4) == 0 && at > error->text && !strchr(at, '\n'))
            break; /* more than are told */
        if (sscanf(at, "little.ini:%d: %n", &number, &start) != 1 ||
            length < (size_t)start + 10 || number < before)
            fail_msg("%.60s: no sentence: %s", what, at);
        is_said |= number == line && found && found <= at + length;
        before = number;
        at += length;
        count++;
    }
    if (!is_said)
        fail_msg("%.60s: expected %d: ...%s..., got: %s", what, line, said, error->text);
    return count;
}

/* A fault is told once, and what it makes wrong elsewhere. */
static void test_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct bad *bad = &bads[i];
        struct space *space = NULL;
        struct error error = {0};
        char *bytes = change(bad->from, bad->to);
        if (space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error) != -1)
            fail_msg("'%s' for '%s' was accepted", bad->to, bad->from);
        assert_null(space);
        assert_in_range(assert_sentences(&error, bad->line, bad->said, bad->to), 1, 4);
        free(bytes);
    }
}

static int load_bytes(const char *bytes, int line, const char *said)
{
    struct space *space = NULL;
    struct error error = {0};
    assert_int_equal(space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error), -1);
    return assert_sentences(&error, line, said, bytes);
}

/* Faults of all kinds are told in one go; of very many the first, and how many more. */
static void test_all_faults(void **state)
{
    static const char *const changes[][2] = {
        {"name = little\n", ""},
        {"kernel = little\n", "kernel = little\nserves = SMS > 4\n"},
        {"values = 32 64", "values = 32 6x"},
        {"when = launch", "when = never"},
        {"TILE = 2 * BLOCK", "TILE = 2 * BLOK"},
        {"BLOCK <= 1024", "BLOCK <= "},
        {"[pass main]\n", "[pass main]\nblok = 1\n"},
        {"grid = 1\n", ""},
        {"WAY = RIGHT", "WAY = UP"},
    };
    static const struct {
        int line;
        const char *said;
    } told[] = {
        {1, "[space] needs name"}, {4, "problem, not 'SMS'"},   {7, "BLOCK is '6x'"},
        {12, "not 'never'"},       {15, "unknown name 'BLOK'"}, {17, "expected"},
        {20, "no param 'blok'"},   {28, "lacks 'grid'"},        {39, "that the param lacks"},
        {40, "lacks: 'UP'"},
    };
    const size_t count = sizeof told / sizeof *told;
    char *bytes = strdup(good);
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct text out = {0};
        const char *at = strstr(bytes, changes[i][0]);
        assert_non_null(at);
        text_addf(&out, "%.*s%s%s", (int)(at - bytes), bytes, changes[i][1],
                  at + strlen(changes[i][0]));
        free(bytes);
        bytes = out.at;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(load_bytes(bytes, told[i].line, told[i].said), count);
    struct text many = {0};
    text_adds(&many, bytes);
    for (int i = 0; i < 100; i++)
        text_addf(&many, "[section%d]\nkey = 1\n", i);
    assert_in_range(load_bytes(many.at, 1, "[space] needs name"), count, 16);
    text_dispose(&many);
    free(bytes);
}

static void test_empty_spaces(void **state)
{
    (void)state;
    static const char head[] = "[space]\nname = a\ntemplate = a.cu\nkernel = a\n";
    static const char pass[] = "[pass a]\nblock = 1\ngrid = 1\ntile = 1\noutputs = 1\n"
                               "args = n\nheight = 1\n";
    char both[400];
    load_bytes("", 1, "pass");
    load_bytes("; nothing\n", 1, "pass");
    load_bytes(head, 4, "no [pass");
    snprintf(both, sizeof both, "%s%s", head, pass);
    load_bytes(both, 11, "no [param");
    load_bytes(pass, 7, "[space] needs");
}

/* That every space has. */
enum {
    NAMES_KNOWN =
        SPACE_BUILTINS + COMBINE_LAWS + MAP_LAWS + TYPE_COUNT + ORDER_COUNT + (DIMS_SCANS - 1)
};

static void add_params(struct text *out, int count, const char *values)
{
    text_adds(out, "[space]\nname = a\ntemplate = a.cu\nkernel = a\n");
    for (int i = 0; i < count; i++)
        text_addf(out, "[param P%d]\nvalues = %s\n", i, values);
}

static void test_too_much(void **state)
{
    (void)state;
    struct text bytes = {0};
    char name[80];
    add_params(&bytes, 14, "1 2 3 4 5 6 7 8");
    load_bytes(bytes.at, 31, "2^40 points");
    text_clear(&bytes);
    add_params(&bytes, SPACE_PARAMS_MAX + 1, "1");
    load_bytes(bytes.at, 4 + 2 * SPACE_PARAMS_MAX + 2, "63 params");
    text_clear(&bytes);
    add_params(&bytes, 1, "1");
    text_adds(&bytes, "[derived]\n");
    for (int i = 0; i < SPACE_NAMES_MAX; i++)
        text_addf(&bytes, "D%d = 1\n", i);
    const int fit = SPACE_NAMES_MAX - NAMES_KNOWN;
    load_bytes(bytes.at, 7 + fit, "256 names");
    text_clear(&bytes);
    memset(name, 'A', sizeof name);
    snprintf(name + 64, sizeof name - 64, " = 1");
    text_addf(&bytes, "%s%s\n", "[derived]\n", name);
    load_bytes(bytes.at, 2, "63 characters");
    text_clear(&bytes);
    text_adds(&bytes, good);
    for (int i = 0; i < 7; i++)
        text_addf(&bytes, "[pass p%d]\nblock = 1\n", i);
    load_bytes(bytes.at, 55, "at most 8 passes");
    text_dispose(&bytes);
}

/* As many names as there may be; the last is a default. */
static void test_most_names(void **state)
{
    const int fit = SPACE_NAMES_MAX - NAMES_KNOWN - 1;
    struct text bytes = {0};
    struct space *space = NULL;
    struct error error;
    (void)state;
    add_params(&bytes, 1, "1 2");
    text_adds(&bytes, "meaning = which\n[derived]\n");
    for (int i = 1; i <= fit; i++)
        text_addf(&bytes, "D%d = %d\n", i, i < fit ? 1 : 2);
    text_addf(&bytes,
              "[pass a]\nblock = 32\ngrid = 1\ntile = 32\noutputs = 1\n"
              "args = input n output\nheight = 1\n[default]\nP0 = D%d\n",
              fit);
    if (space_load(&space, "many.ini", bytes.at, bytes.length, NULL, &error))
        fail_msg("%s", error.text);
    assert_int_equal(space->name_count, SPACE_NAMES_MAX);
    assert_int_equal(space->default_config[0], 2);
    space_free(space);
    text_dispose(&bytes);
}

/* A space gives values or positions, and takes the operations that ask for them alone. */
static void test_positions(void **state)
{
    (void)state;
    static const char *const names[] = {"configs/reduce.ini", "configs/arg.ini"};
    static const struct target target = {.cc = 90, .sms = 132, .threads_per_sm = 2048};
    for (int i = 0; i < 2; i++) {
        struct space *space = load_space(names[i]);
        for (int op = 0; op < OP_COUNT; op++) {
            const struct problem problem = {.op = op_of((enum op)op),
                                            .type = I32,
                                            .acc = I32,
                                            .dims = DIMS_VALUE(1000),
                                            .regime = COLD};
            const struct point_context context = {space, &problem, &target};
            const bool fits = plain_ops[op].is_position == (i == 1);
            struct error error;
            assert_int_equal(space_check_problem(space, &problem, &error), fits ? 0 : -1);
            if (fits)
                continue;
            struct points points;
            assert_non_null(strstr(error.text, i == 1 ? "--space reduce" : "--space arg"));
            assert_int_equal(error.code, ERROR_USAGE);
            assert_int_equal(point_expand(&points, &context, &error), -1);
            assert_int_equal(point_reject(&context, space->default_config, &error),
                             POINT_FAILED);
            assert_int_equal(space_settle_default(space, &problem, &target, &error), -1);
        }
        space_free(space);
    }
}

static void test_good_file(void **state)
{
    (void)state;
    struct space *space = NULL;
    struct error error;
    int64_t value;
    if (space_load(&space, "little.ini", good, sizeof good - 1, NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_string_equal(space->name, "little");
    assert_string_equal(space->template_name, "little.cu");
    assert_string_equal(space->kernel, "little");
    assert_int_equal(space->param_count, 3);
    assert_string_equal(space->params[0].name, "BLOCK");
    assert_string_equal(space->params[1].name, "WAY");
    assert_string_equal(space->params[2].name, "GRID");
    assert_string_equal(space->params[0].meaning, "threads per block");
    assert_null(space->params[1].meaning);
    assert_false(space->params[0].is_launch);
    assert_true(space->params[2].is_launch);
    assert_string_equal(space->params[1].symbols[1], "RIGHT");
    assert_int_equal(space->params[2].values[2], -2);
    assert_int_equal(space->derived_count, 2); /* TILES needs TILE */
    assert_string_equal(space->derived[0].name, "TILE");
    assert_false(space->derived[0].is_launch);
    assert_true(space->derived[1].is_launch);
    assert_false(space->rules[0].is_launch);
    assert_true(space->rules[1].is_launch);
    assert_string_equal(space->rules[1].reason, "the grid is not too large");
    assert_int_equal(space->pass_count, 2);
    assert_false(space->passes[0].reads_partials || space->passes[0].until_one);
    assert_true(space->passes[1].reads_partials && space->passes[1].until_one);
    assert_int_equal(space->passes[1].arg_count, 4);
    assert_int_equal(space->passes[1].args[3], PLANNER_ARG_PARTIALS);
    assert_int_equal(space->passes[1].override_count, 1);
    assert_int_equal(space->default_config[0], 64);
    assert_int_equal(space->default_config[1], 1);
    assert_int_equal(space->default_config[2], -2);
    assert_int_equal(space_find_param(space, "WAY ", 3), 1);
    assert_int_equal(space_find_param(space, "WAY ", 4), -1);
    assert_int_equal(space_find_param(space, "", 0), -1);
    assert_int_equal(space_find_value(&space->params[1], "RIGHT", 5, &value), 0);
    assert_int_equal(space_find_value(&space->params[1], "RIGH", 4, &value), -1);
    assert_int_equal(space_find_value(&space->params[2], "-2", 2, &value), 0);
    assert_int_equal(value, -2);
    assert_int_equal(space_find_value(&space->params[2], "+0", 2, &value), -1);
    space_free(space);
    space_free(NULL);
}

/* Values of [default] that depend on problem and target; the others stay what they are. */
static void test_settled_default(void **state)
{
    (void)state;
    static const char changed[] =
        "[default]\nBLOCK = MAP == SQUARE && !HOST ? 32 : 8 * ELEM_BYTES\n"
        "WAY = ACCUM_BYTES == 8 ? LEFT : RIGHT\nGRID = -2\n";
    /* clang-format off */
    const struct {
        struct problem problem;
        bool is_host, fails;
        int64_t block, way;
    } rows[] = {
        {{.op = op_of(SUM), .type = I32, .acc = I64, .dims = DIMS_VALUE(5), .regime = COLD}, false, false, 32, 0},
        {{.op = op_of(MAX), .type = F64, .acc = F64, .dims = DIMS_VALUE(5), .regime = COLD}, true, false, 64, 0},
        {{.op = op_of(MIN), .type = F32, .acc = F32, .dims = DIMS_VALUE(5), .regime = WARM}, true, false, 32, 1},
        {{.op = op_of(SUMSQ), .type = U8, .acc = U32, .dims = DIMS_VALUE(5), .regime = COLD}, false, false, 32, 1},
        {{.op = op_of(SUMSQ), .type = U8, .acc = U32, .dims = DIMS_VALUE(5), .regime = COLD}, true, true, 0, 0},
        {{.op = op_of(SUM), .type = BF16, .acc = F32, .dims = DIMS_VALUE(5), .regime = COLD}, false, true, 0, 0},
    };
    /* clang-format on */
    struct space *space = NULL;
    struct error error;
    char *bytes = change("[default]\nBLOCK = 64\nWAY = RIGHT\nGRID = -2\n", changed);
    if (space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(space->default_config[0], 32); /* those of i32 from the start */
    assert_int_equal(space->default_config[1], 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct target target = {.cc = 75, .sms = 3, .is_host = rows[i].is_host};
        const int got = space_settle_default(space, &rows[i].problem, &target, &error);
        assert_int_equal(got, rows[i].fails ? -1 : 0);
        if (rows[i].fails) {
            assert_int_equal(assert_sentences(&error, 39, "", "default"), 1);
            continue;
        }
        assert_int_equal(space->default_config[0], rows[i].block);
        assert_int_equal(space->default_config[1], rows[i].way);
        assert_int_equal(space->default_config[2], -2);
    }
    space_free(space);
    free(bytes);
}

/* A param of one value has it as its default, whatever the expression of the space below gives. */
static void test_default_of_one_value(void **state)
{
    (void)state;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I64,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    static const struct target target = {.cc = 75, .sms = 3};
    struct space *space = NULL;
    struct error error;
    char *bytes = change("BLOCK = 64\n", "BLOCK = HOST ? 32 : 64\n");
    char *values = strstr(bytes, "values = 32 64\n");
    assert_non_null(values);
    memcpy(values, "values = 32   \n", strlen("values = 32   \n"));
    if (space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(space->params[0].count, 1);
    assert_int_equal(space->default_config[0], 32);
    assert_int_equal(space_settle_default(space, &problem, &target, &error), 0);
    assert_int_equal(space->default_config[0], 32);
    space_free(space);
    free(bytes);
}

/* A derived value may be a default by its name alone: seen to fail where only longer expressions were. */
static void test_default_is_derived(void **state)
{
    (void)state;
    struct space *space = NULL;
    struct error error;
    char *bytes = change("[derived]\n", "[derived]\nAB = 8 * ELEM_BYTES\n");
    memcpy(strstr(bytes, "BLOCK = 64\n"), "BLOCK = AB\n", strlen("BLOCK = AB\n"));
    if (space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(space->default_config[0], 32);
    space_free(space);
    free(bytes);
}

/* Where few elements are asked for, what is best for many is another default; either leaves the space as
 * the problem itself has it. A param of one value has no other, whatever its expression gives, and a
 * derived value that fails is told. */
static void test_default_of_many(void **state)
{
    static const char bytes[] =
        "[space]\nname = many\ntemplate = many.cu\nkernel = many\nserves = INNER == 1\n"
        "[param P]\nmeaning = by n\nvalues = 1 2 3 4\n"
        "[param ONE]\nmeaning = as in a space that narrows another's\nvalues = 7\n"
        "[derived]\nAB = 1 / (TYPE != U8)\n"
        "[pass main]\nblock = 32\ngrid = 1\ntile = 32\noutputs = OUTER\nargs = input n output\n"
        "height = 1\nrepeat = 1\n"
        "[default]\nP = N < 400000000 ? (OUTER > 1 ? 2 : AB) : N > 400000000 ? 4 : 3\nONE = N\n";
    static const struct {
        struct dims dims;
        int64_t of_many, own;
    } rows[] = {
        {DIMS_VALUE(5), 3, 1},
        {DIMS_VALUE(399999999), 3, 1},
        {DIMS_VALUE(400000000), 3, 3},
        {DIMS_VALUE(400000001), 4, 4},
        {{.outer = {8, 5}, .depth = {5, 1}, .inner = {1, 1}}, 2, 2},
    };
    const struct target target = {.cc = 75, .sms = 3};
    struct problem problem = {.op = op_of(MAX), .type = U32, .acc = U32, .regime = COLD};
    struct space *space = NULL;
    struct error error;
    int64_t config[2];
    (void)state;
    if (space_load(&space, "many.ini", bytes, sizeof bytes - 1, NULL, &error) != 0)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        problem.dims = rows[i].dims;
        assert_int_equal(space_default_of_many(config, space, &problem, &target, &error), 0);
        assert_int_equal(config[0], rows[i].of_many);
        assert_int_equal(config[1], 7);
        assert_int_equal(space->default_config[0], rows[i].own);
    }
    problem.type = U8;
    problem.acc = U32;
    assert_int_equal(space_settle_default(space, &problem, &target, &error), -1);
    assert_non_null(strstr(error.text, "divi"));
    assert_int_equal(space_default_of_many(config, space, &problem, &target, &error), -1);
    problem.type = U32;
    problem.dims = (struct dims){.outer = {1, 40}, .depth = {5, 8}, .inner = {8, 1}};
    assert_int_equal(space_default_of_many(config, space, &problem, &target, &error), -1);
    space_free(space);
}

/* Whichever of its launches does it, a plan leaves an epoch. */
static void test_plan_leaves_an_epoch(void **state)
{
    (void)state;
    struct space *space = NULL;
    struct error error;
    if (space_load(&space, "little.ini", good, strlen(good), NULL, &error) != 0)
        fail_msg("%s", error.text);
    struct planner_plan plan = {.count = 1};
    assert_false(space_leaves_epoch(space, &plan));
    space->passes[1].leaves_epoch = true;
    assert_false(space_leaves_epoch(space, &plan));
    plan.launches[0].pass = 1;
    assert_true(space_leaves_epoch(space, &plan));
    plan.count = 2;
    assert_true(space_leaves_epoch(space, &plan));
    plan.launches[0].pass = 0;
    assert_false(space_leaves_epoch(space, &plan));
    plan.launches[1].pass = 1;
    assert_true(space_leaves_epoch(space, &plan));
    space_free(space);
}

/* Both optional: a space without them has no model, and every pass is timed. */
static void test_model_and_timed(void **state)
{
    (void)state;
    struct space *space = NULL;
    struct error error;
    char *bytes = change("repeat = until one\n", "timed = no\n[model]\n"
                                                 "in_flight = BLOCK * max(GRID, 1) * N\n");
    if (space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(space->passes[0].is_timed);
    assert_false(space->passes[1].is_timed);
    assert_string_equal(expr_source(space->in_flight), "BLOCK * max(GRID, 1) * N");
    space_free(space);
    free(bytes);
    bytes = change("repeat = until one\n", "timed = yes\n");
    assert_int_equal(space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error), 0);
    assert_true(space->passes[0].is_timed && space->passes[1].is_timed);
    assert_null(space->in_flight);
    space_free(space);
    free(bytes);
}

/* What a pass may leave out, and what it says where it does not. */
static void test_launch_keys(void **state)
{
    (void)state;
    struct space *space = NULL;
    struct error error;
    char *bytes = change("repeat = until one\n",
                         "state = 2 * BLOCKS\nshared_bytes = 4 * TILE\ncluster = BLOCK / 16\n"
                         "cooperative = yes\n");
    if (space_load(&space, "little.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    const struct pass *main = &space->passes[0], *rest = &space->passes[1];
    assert_true(!main->keys[PLANNER_STATE] && !main->keys[PLANNER_SHARED_BYTES] &&
                !main->keys[PLANNER_CLUSTER] && !main->is_cooperative);
    assert_string_equal(expr_source(rest->keys[PLANNER_STATE]), "2 * BLOCKS");
    assert_string_equal(expr_source(rest->keys[PLANNER_SHARED_BYTES]), "4 * TILE");
    assert_string_equal(expr_source(rest->keys[PLANNER_CLUSTER]), "BLOCK / 16");
    assert_true(rest->is_cooperative);
    space_free(space);
    free(bytes);
}

static void test_files_of_the_program(void **state)
{
    (void)state;
    static const char *const names[] = {"configs/reduce.ini", "configs/reduce-wide.ini"};
    static const char *const params[] = {"BLOCK",   "ITEMS",  "VECTOR", "UNROLL", "ACCUMS",
                                         "WARP",    "LOAD",   "STAGES", "WALK",   "MIN_BLOCKS",
                                         "CLUSTER", "FINISH", "GRID"};
    static const char *const passes[] = {"main",   "rest", "last",  "meet",
                                         "gather", "init", "atomic"};
    enum { PARAMS = sizeof params / sizeof *params, PASSES = sizeof passes / sizeof *passes };
    uint64_t hashes[2];
    for (size_t i = 0; i < 2; i++) {
        struct space *space = load_space(names[i]);
        for (size_t k = 0; k < PARAMS; k++) {
            const int at = space_find_param(space, params[k], strlen(params[k]));
            if (at < 0)
                fail_msg("%s has no param %s", names[i], params[k]);
            assert_true(at == (int)space->param_count - 1 || k + 1 < PARAMS);
        }
        for (size_t k = 0; k < space->param_count; k++) {
            assert_true(space->params[k].meaning && *space->params[k].meaning);
            assert_int_equal(space->params[k].is_launch, k + 1 == space->param_count);
        }
        assert_int_equal(space->pass_count, PASSES);
        for (size_t k = 0; k < PASSES; k++) {
            assert_string_equal(space->passes[k].name, passes[k]);
            assert_true(space->passes[k].is_timed);
            assert_int_equal(space->passes[k].is_cooperative, strcmp(passes[k], "meet") == 0);
        }
        assert_string_equal(expr_source(space->in_flight),
                            "BLOCK * (IS_RING ? STAGES * LOADS : UNROLL) * LOAD_BYTES");
        assert_string_equal(space->template_name, "reduce.cu");
        hashes[i] = space->hash;
        space_free(space);
    }
    assert_true(hashes[0] != hashes[1]);
}

/* Cut anywhere, or with any byte changed: read or refused, and never without a reason. */
static void test_damaged_files(void **state)
{
    (void)state;
    char bytes[sizeof good];
    for (size_t i = 0; i < 2 * (sizeof good - 1); i++) {
        const size_t at = i / 2;
        const bool is_cut = i % 2;
        struct space *space = NULL;
        struct error error = {0};
        memcpy(bytes, good, sizeof good);
        bytes[at] = (char)(bytes[at] ^ (is_cut ? 0 : 1 << at % 8));
        if (space_load(&space, "little.ini", bytes, is_cut ? at : sizeof good - 1, NULL,
                       &error) == 0)
            space_free(space);
        else if (strncmp(error.text, "little.ini:", 11) != 0 ||
                 !isdigit((unsigned char)error.text[11]))
            fail_msg("byte %zu: %s", at, error.text);
    }
}

/* --- A space over another ----------------------------------------------------------------- */

static const char *find_little(const char *name, const char **file)
{
    *file = "little.ini";
    return strcmp(name, "little") == 0 ? good : NULL;
}

static struct space *load_over(const char *bytes, struct error *error)
{
    struct space *space = NULL;
    return space_load(&space, "over.ini", bytes, strlen(bytes), find_little, error) ? NULL
                                                                                    : space;
}

static void test_extends(void **state)
{
    (void)state;
    static const char bytes[] =
        "[space]\nname = over\nextends = little\n"
        "[param GRID]\nvalues = 0 1\n+ = 2\nabsent = 0\n"
        "[param MORE]\nvalues = 3 4\n"
        "[derived]\nTILE = 4 * BLOCK\n"
        "[rule]\nthe grid is not too large =\nmore is three = MORE == 3\n"
        "[prune]\nblocks of 64 are slow = BLOCK != 64\n"
        "[pass main]\nheight = 11\n"
        "[default]\nGRID = 2\nMORE = 3\n";
    struct error error;
    struct space *space = load_over(bytes, &error);
    if (!space)
        fail_msg("%s", error.text);
    assert_string_equal(space->name, "over");
    assert_string_equal(space->kernel, "little");
    assert_int_equal(space->param_count, 4);
    assert_string_equal(space->params[2].name, "GRID");
    assert_int_equal(space->params[2].count, 3);
    assert_true(space->params[2].is_launch);
    assert_string_equal(space->params[2].absent, "0");
    assert_string_equal(space->params[3].name, "MORE");
    assert_int_equal(space->rule_count, 3);
    assert_string_equal(space->rules[0].reason, "blocks are small");
    assert_string_equal(space->rules[1].reason, "more is three");
    assert_true(!space->rules[1].is_prune && space->rules[2].is_prune);
    assert_string_equal(expr_source(space->derived[0].expr), "4 * BLOCK");
    assert_int_equal(space->pass_count, 2);
    assert_string_equal(expr_source(space->passes[0].keys[PLANNER_HEIGHT]), "11");
    assert_string_equal(expr_source(space->passes[0].keys[PLANNER_BLOCK]), "BLOCK");
    assert_int_equal(space->default_config[2], 2);
    space_free(space);
}

/* A whole section is replaced in its place; what is said decides the hash, comments do not. */
static void test_extends_sections(void **state)
{
    (void)state;
    static const char over[] = "[space]\nname = over\nextends = little\n[pass main]\n* =\n"
                               "block = 32\ngrid = 1\ntile = 32\noutputs = 1\nargs = input\n"
                               "height = 1\n";
    static const char same[] = "; as little\n[space]\nextends = little\n";
    struct error error;
    struct space *space = load_over(over, &error), *little = NULL;
    if (!space)
        fail_msg("%s", error.text);
    assert_string_equal(space->passes[0].name, "main");
    assert_null(space->passes[0].when);
    assert_string_equal(space->passes[1].name, "rest");
    assert_int_equal(space_load(&little, "little.ini", good, sizeof good - 1, NULL, &error), 0);
    assert_true(little->hash != space->hash);
    space_free(space);
    space = load_over(same, &error);
    assert_true(little->hash == space->hash);
    space_free(space);
    space_free(little);
}

static void test_bad_extends(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *says;
    } cases[] = {
        {"[space]\nextends = large\n", "over.ini:2: a space extends a built-in one"},
        {"[space]\nextends = little\n[rule]\nnone =\n", "over.ini:4: the space below has no"},
        {"[space]\nextends = little\n[prune]\n* =\n", "over.ini:4: the space below has no"},
        {"[space]\nextends = little\n[derived]\nTILE = 2 * BLOK\n", "over.ini:4: "},
        {"[space]\nextends = little\n[derived]\nTILE =\n", "little.ini:14: "},
        {"[space]\nextends = little\n[param WAY]\n* =\n", "little.ini:20: "},
        {"[space]\nextends = little\n[pass main]\ntile =\n",
         "little.ini:19: [pass main] lacks"},
        {"[space]\nextends = little\n[param GRID]\nvalues = 3 4\n", "little.ini:41: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        if (load_over(cases[i].bytes, &error))
            fail_msg("%s is no error", cases[i].bytes);
        if (strncmp(error.text, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("'%s' does not begin with %s", error.text, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_good_file),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_all_faults),
        cmocka_unit_test(test_empty_spaces),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_most_names),
        cmocka_unit_test(test_launch_keys),
        cmocka_unit_test(test_model_and_timed),
        cmocka_unit_test(test_files_of_the_program),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_settled_default),
        cmocka_unit_test(test_default_of_one_value),
        cmocka_unit_test(test_default_is_derived),
        cmocka_unit_test(test_default_of_many),
        cmocka_unit_test(test_plan_leaves_an_epoch),
        cmocka_unit_test(test_extends),
        cmocka_unit_test(test_extends_sections),
        cmocka_unit_test(test_bad_extends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
