/* planted: reads a list of faults and has each proven in variants that must show it. */
#include "tests/mutate/planted.h"

#include "autotune/device/device.h"
#include "autotune/embedded.h"
#include "generator/point.h"
#include "generator/text.h"
#include "tests/mutate/attempt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_BYTES = 1 << 20,
    SPACES_MAX = 8,
    VARIANTS_MAX = 128,
    BARRIERS_MAX = 64,
    BARRIER_SEEDS = 20, /* schedules of the emulator */
    RIGHT_SEEDS = 4,    /* likewise, where all variants are tried */
    NAME_CHARS = 100,
};

struct planted_variant {
    char letter;
    const struct builtin_files *files;
    struct problem problem;
    struct attempt_variant attempt;
};

/* A fault: `to` in the place of the which-th `from`. */
struct fault {
    char name[NAME_CHARS], letters[VARIANTS_MAX], source[NAME_CHARS];
    struct text from, to;
    unsigned which, seeds;
    size_t line; /* of the list */
};

struct planted {
    const char *path;
    struct planted_choice choice;
    size_t line; /* that is read */
    struct builtin_files spaces[SPACES_MAX];
    size_t space_count;
    struct planted_variant variants[VARIANTS_MAX];
    size_t variant_count;
    char source[NAME_CHARS];
    size_t seen, tried, missed;
};

static _Noreturn void refuse(const struct planted *list, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, "%s:%zu: %s", list->path, list->line, why);
    attempt_die(text);
}

/* --- Variants ----------------------------------------------------------------------------- */

static void open_space(struct planted *list, const char *name)
{
    if (list->space_count == SPACES_MAX)
        refuse(list, "too many spaces");
    attempt_open_space(&list->spaces[list->space_count++], name);
}

/* What words after operation and type say of a problem. */
static const struct kind {
    const char *name;
    struct dims dims;
} kinds[] = {
    {"rows", {.outer = {100, 1000}, .depth = {1000, 1}, .inner = {1, 1}}},
    {"columns", {.outer = {1, 1}, .depth = {1000, 100}, .inner = {100, 1}}},
    {"middle", {.outer = {20, 50000}, .depth = {500, 100}, .inner = {100, 1}}},
    {"strided", /* along spans, with kept axes outside and between */
     {{20, 40000}, {2000, 1}, {20, 1000}, DIMS_ALL, {{1000, 20000}}, {{1, 1}}}},
    {"between", {{20, 50000}, {2000, 100}, {100, 1}, DIMS_ALL, {{500, 1000000}}, {{1, 1}}}},
    {"turns", /* three combined and three kept, by turns */
     {{40, 1600}, {80, 1}, {40, 20}, DIMS_ALL, {{20, 800}, {40, 32000}}, {{20, 64000}}}},
    {"woven", /* likewise, but what is kept lies side by side */
     {{40, 400}, {80, 20}, {20, 1}, DIMS_ALL, {{20, 8000}, {40, 32000}}, {{20, 16000}}}},
    {"inclusive", {{1, 1}, {400000000, 1}, {1, 1}, DIMS_INCLUSIVE, DIMS_WHOLE}},
    {"exclusive", {{1, 1}, {400000000, 1}, {1, 1}, DIMS_EXCLUSIVE, DIMS_WHOLE}},
    {"segments", {.outer = {300, 0}, .depth = {20000, 1}, .inner = {1, 1}}},
};

static void read_kind(const struct planted *list, struct problem *out, const char *word)
{
    struct error error;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, word) == 0) {
            out->dims = kinds[i].dims;
            out->offsets = dims_is_segmented(&out->dims) ? I32 : (enum type)0;
            return;
        }
    if (dims_is_segmented(&out->dims) && problem_find_offsets(&out->offsets, word, &error) == 0)
        return;
    if (problem_find_order(&out->order, word, &error))
        refuse(list, error.text);
}

/* An operation's name, or its file. */
static const struct operation *find_operation(const struct planted *list, const char *word)
{
    const struct operation *op = NULL;
    struct text file = {0};
    struct error error;
    const bool is_file = strchr(word, '/') != NULL;
    if (is_file ? text_read(&file, word, LIST_BYTES, &error) ||
                      operation_load(&op, word, file.at, file.length, &error)
                : operation_find(&op, word, &error))
        refuse(list, error.text);
    text_dispose(&file);
    return op;
}

/* "sum i32 inclusive" */
static struct problem read_problem(const struct planted *list, char *words)
{
    struct problem problem = {.dims = DIMS_VALUE(400000000), .regime = COLD};
    struct error error;
    char *rest;
    const char *op = strtok_r(words, " ", &rest), *type = strtok_r(NULL, " ", &rest), *word;
    if (!op || !type)
        refuse(list, "a problem is an operation, a type and what else there is to say");
    if (problem_find_type(&problem.type, type, &error))
        refuse(list, error.text);
    problem.op = find_operation(list, op);
    problem.acc = problem_default_acc(problem.type);
    while ((word = strtok_r(NULL, " ", &rest)))
        read_kind(list, &problem, word);
    return problem;
}

static void add_candidate(const struct planted *list, struct attempt_variant *variant,
                          const char *params, const char *launch)
{
    const size_t width = variant->space->param_count;
    struct text all = {0};
    struct error error;
    variant->configs = realloc(variant->configs,
                               (variant->config_count + 1) * width * sizeof *variant->configs);
    text_addf(&all, "%s %s", params, launch);
    if (!variant->configs || !all.at)
        attempt_die("no memory");
    int64_t *config = variant->configs + variant->config_count++ * width;
    memcpy(config, variant->space->default_config, width * sizeof *config);
    if (point_parse(variant->space, all.at, config, &error))
        refuse(list, error.text);
    text_dispose(&all);
}

static struct planted_variant *find_variant(struct planted *list, char letter)
{
    for (size_t i = 0; i < list->variant_count; i++)
        if (list->variants[i].letter == letter)
            return &list->variants[i];
    return NULL;
}

/* "t: sum i32; BLOCK=64; GRID=0; GRID=1", for the emulator's own target. */
static void add_variant(struct planted *list, char *text)
{
    const struct device_options options = {.spec = "host"};
    struct device *device;
    struct error error;
    char *rest;
    if (!list->space_count || list->variant_count == VARIANTS_MAX || text[1] != ':' ||
        find_variant(list, *text))
        refuse(list, "no space, too many variants, or a letter that is no other one's");
    struct planted_variant *variant = &list->variants[list->variant_count++];
    struct attempt_variant *attempt = &variant->attempt;
    char *problem = strtok_r(text + 2, ";", &rest), *params = strtok_r(NULL, ";", &rest);
    if (!params || host_open(&device, &options, &error))
        refuse(list, params ? error.text : "a variant has a problem and params");
    variant->letter = *text;
    variant->files = &list->spaces[list->space_count - 1];
    variant->problem = read_problem(list, problem);
    *attempt = (struct attempt_variant){.space = variant->files->space,
                                        .sources = &variant->files->sources,
                                        .problem = &variant->problem,
                                        .has_all_positions = list->choice.has_all_positions,
                                        .is_drawn = list->choice.is_drawn,
                                        .target = device->info.target};
    device_close(device);
    const char *launch = strtok_r(NULL, ";", &rest);
    do
        add_candidate(list, attempt, params, launch ? launch : "");
    while (launch && (launch = strtok_r(NULL, ";", &rest)));
}

/* --- Faults ------------------------------------------------------------------------------- */

/* The text with the fault; owned by the caller. */
static char *plant(const struct planted *list, const struct fault *fault, const char *text)
{
    struct text out = {0};
    const char *at = strstr(text, fault->from.at);
    for (unsigned i = 1; at && i < fault->which; i++)
        at = strstr(at + 1, fault->from.at);
    if (!at)
        refuse(list, "the source has no such place: change the list with it");
    text_add(&out, text, (size_t)(at - text));
    text_adds(&out, fault->to.at ? fault->to.at : "");
    text_adds(&out, at + fault->from.length);
    if (!out.at)
        attempt_die("no memory");
    return out.at;
}

/* Does the variant show the fault by any of its seeds? */
static bool shows(const struct planted *list, const struct fault *fault,
                  const struct planted_variant *variant, struct attempt *last)
{
    struct emit_sources sources = variant->files->sources;
    struct attempt_variant changed = variant->attempt;
    struct emit_file *file = attempt_find_source(&sources, fault->source);
    struct space *space = NULL;
    struct error error;
    const bool is_space = strcmp(variant->files->file.name, fault->source) == 0;
    if (!file && !is_space)
        refuse(list, "a variant is not made of this source");
    char *text = plant(list, fault, is_space ? variant->files->file.text : file->text);
    if (is_space) {
        if (space_load(&space, fault->source, text, strlen(text), embedded_space, &error))
            refuse(list, error.text);
        changed.space = space;
        changed.code_hash = 0; /* code may be the same, and launches others */
    } else {
        file->text = text;
    }
    bool is_found = false;
    for (uint64_t seed = 1; !is_found && seed <= fault->seeds; seed++) {
        attempt_run(last, &changed, &sources, seed);
        is_found = last->outcome == WRONG;
        if (last->outcome == NOT_COMPILED || last->outcome == NOT_TRIED)
            break;
    }
    space_free(space);
    free(text);
    return is_found;
}

/* One variant of those that are named by turns, as many as are to be tried. */
static void try_fault(struct planted *list, const struct fault *fault)
{
    static const char *const outcomes[] = {"found right", "wrong", "does not compile",
                                           "same code", "not tried"};
    const size_t most = strlen(fault->letters), number = list->seen++;
    const struct planted_choice *choice = &list->choice;
    for (size_t i = 0; i < most; i++)
        if (!find_variant(list, fault->letters[i]))
            refuse(list, "a letter is no variant's");
    if (number % choice->sample || number / choice->sample % choice->parts != choice->part)
        return;
    for (size_t i = 0; i < most && i < choice->tries; i++) {
        struct planted_variant *variant =
            find_variant(list, fault->letters[(number / choice->sample + i) % most]);
        struct attempt attempt;
        list->tried++;
        if (!attempt_is_fit(&variant->attempt) || shows(list, fault, variant, &attempt))
            continue;
        list->missed++;
        printf("NOT FOUND %s:%zu by %c: %s: %s %s\n", list->path, fault->line, variant->letter,
               fault->name, outcomes[attempt.outcome - RIGHT], attempt.note);
        fflush(stdout);
    }
}

static size_t count_places(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

/* "__syncthreads() tx . t": the letters of each barrier, in their order. */
static void try_barriers(struct planted *list, char *words)
{
    struct fault fault = {.line = list->line, .seeds = BARRIER_SEEDS};
    const struct planted_variant *one = NULL;
    char *rest;
    const char *barrier = strtok_r(words, " ", &rest);
    text_addf(&fault.from, "%s;", barrier);
    snprintf(fault.source, sizeof fault.source, "%s", list->source);
    for (const char *word; (word = strtok_r(NULL, " ", &rest));) {
        fault.which++;
        if (*word == '.')
            continue;
        snprintf(fault.name, sizeof fault.name, "%s %u is left out", barrier, fault.which);
        snprintf(fault.letters, sizeof fault.letters, "%s", word);
        one = find_variant(list, *word);
        try_fault(list, &fault);
    }
    if (!one)
        refuse(list, "no barrier is named");
    struct emit_sources sources = one->files->sources;
    const struct emit_file *file = attempt_find_source(&sources, list->source);
    if (!file || count_places(file->text, fault.from.at) != fault.which)
        refuse(list, "the source has another number of barriers: change the list with it");
    text_dispose(&fault.from);
}

/* --- The list ----------------------------------------------------------------------------- */

/* Adds the lines from `*line` on that begin with the sign; moves to the one behind them. */
static void read_lines(struct planted *list, struct text *out, char sign, char **lines,
                       size_t *line)
{
    bool is_first = true;
    for (; lines[*line] && lines[*line][0] == sign; (*line)++) {
        if (lines[*line][1] && lines[*line][1] != ' ')
            refuse(list, "a blank stands behind - and +");
        text_adds(out, is_first ? "" : "\n");
        text_adds(out, lines[*line][1] ? lines[*line] + 2 : "");
        is_first = false;
    }
}

/* "tx 2: the last element is left out", and the lines behind it. */
static void read_fault(struct planted *list, char *head, char **lines, size_t *line)
{
    struct fault fault = {.line = list->line, .which = 1, .seeds = 1};
    char *colon = strchr(head, ':'), *blank = strchr(head, ' ');
    if (!colon || !*list->source)
        refuse(list, "a fault has letters, a colon and a source before it");
    *colon = '\0';
    if (blank && blank < colon) {
        *blank = '\0';
        fault.which = (unsigned)strtoul(blank + 1, NULL, 10);
    }
    snprintf(fault.letters, sizeof fault.letters, "%s", head);
    snprintf(fault.name, sizeof fault.name, "%s", colon + 1 + strspn(colon + 1, " "));
    snprintf(fault.source, sizeof fault.source, "%s", list->source);
    read_lines(list, &fault.from, '-', lines, line);
    read_lines(list, &fault.to, '+', lines, line);
    if (!fault.from.length || !fault.which)
        refuse(list, "a fault changes a text that is not empty, the first or a later one");
    if (strstr(fault.from.at, "__sync"))
        fault.seeds = BARRIER_SEEDS;
    try_fault(list, &fault);
    text_dispose(&fault.from);
    text_dispose(&fault.to);
}

static void read_line(struct planted *list, char **lines, size_t *line)
{
    char *word = lines[*line], *rest = strchr(word, ' ');
    list->line = *line + 1;
    (*line)++;
    if (!*word || *word == '#')
        return;
    if (!rest)
        refuse(list, "neither space, variant, source, fault nor barriers");
    *rest++ = '\0';
    if (strcmp(word, "space") == 0)
        open_space(list, rest);
    else if (strcmp(word, "variant") == 0)
        add_variant(list, rest);
    else if (strcmp(word, "source") == 0)
        snprintf(list->source, sizeof list->source, "%s", rest);
    else if (strcmp(word, "fault") == 0)
        read_fault(list, rest, lines, line);
    else if (strcmp(word, "barriers") == 0)
        try_barriers(list, rest);
    else
        refuse(list, "neither space, variant, source, fault nor barriers");
}

/* The lines of the text, which is cut; the last is NULL. */
static char **cut_lines(char *text)
{
    size_t count = 1, line = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        count++;
    char **lines = calloc(count + 1, sizeof *lines);
    if (!lines)
        attempt_die("no memory");
    for (char *at = text; at && *at;) {
        char *end = strchr(at, '\n');
        lines[line++] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    return lines;
}

/* By every seed: a right kernel is right whatever runs first. */
static bool is_right(const struct planted *list, struct attempt_variant *variant)
{
    bool is_right = attempt_is_fit(variant);
    for (uint64_t seed = 2; is_right && list->choice.tries > 1 && seed <= RIGHT_SEEDS; seed++) {
        struct attempt attempt;
        attempt_run(&attempt, variant, variant->sources, seed);
        is_right = attempt.outcome == RIGHT;
        if (!is_right) {
            printf("not right by seed %llu: %s\n", (unsigned long long)seed, attempt.note);
            attempt_print_variant(variant);
        }
    }
    return is_right;
}

/* Each variant of this part as it is. */
static size_t count_unfit(struct planted *list)
{
    size_t unfit = 0;
    for (size_t i = 0; i < list->variant_count; i++)
        if (i % list->choice.parts == list->choice.part)
            unfit += !is_right(list, &list->variants[i].attempt);
    return unfit;
}

static void dispose(struct planted *list)
{
    for (size_t i = 0; i < list->variant_count; i++)
        free(list->variants[i].attempt.configs);
    for (size_t i = 0; i < list->space_count; i++)
        space_free(list->spaces[i].space);
}

int planted_run(const char *path, const struct planted_choice *choice)
{
    static struct planted list;
    struct text text = {0};
    struct error error;
    size_t line = 0;
    list = (struct planted){.path = path, .choice = *choice};
    if (text_read(&text, path, LIST_BYTES, &error))
        attempt_die(error.text);
    char **lines = cut_lines(text.at);
    while (lines[line])
        read_line(&list, lines, &line);
    const size_t unfit = count_unfit(&list);
    printf("%-28s %zu trials of %zu faults: %zu not found; %zu variants, %zu not right\n", path,
           list.tried, list.seen, list.missed, list.variant_count, unfit);
    free(lines);
    text_dispose(&text);
    dispose(&list);
    return list.missed || unfit || !list.seen;
}
