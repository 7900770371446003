/* sass_walk: keeps the code as an array of steps, and goes from one to the next. A branch is decided by
 * what lies between it and its target: loads that are still to be made, barriers still to be
 * passed. */
#include "autotune/analysis/sass_walk.h"

#include "autotune/analysis/sass_line.h"
#include "generator/array.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGISTERS = 1 << 16, /* numbers of registers, of PTX one range for each kind */
    NAMES_MAX = 24,      /* registers that an instruction names */
    NOWHERE = -1,        /* no target, or one that no line has */
    STEPS_MAX = 1 << 22, /* of a walk */
    BYTES_MAX = 1 << 20, /* of a thread */
    DIVISION_REACH = 6,  /* instructions from I2F to MUFU.RCP */
};

struct step {
    enum sass_kind kind;
    unsigned bytes;  /* that it loads */
    unsigned loaded; /* how many registers it loads, the first that it names */
    bool is_jump, is_end, is_conditional;
    bool is_barrier; /* of the whole block */
    bool is_division;
    bool is_joining; /* REDUX */
    bool is_special; /* reads a special register, as the thread's number */
    bool is_in_tree; /* in a loop with a barrier and without a load */
    int target;      /* of a jump: a step */
    unsigned names[NAMES_MAX];
    unsigned name_count;
    char name[SASS_WORD];                      /* target, until it is known */
    char label[SASS_WORD], address[SASS_WORD]; /* of this place */
};

struct code {
    bool is_ptx, has_bulk;
    struct step *steps;
    size_t count;
    char label[SASS_WORD]; /* of the next step */
    int since_conversion;  /* steps since the last I2F */
};

/* --- Reading ------------------------------------------------------------------------------ */

/* SASS has R0 to R254; PTX %f1, %rd7: the kind is in the letters. */
static bool read_register(unsigned *out, const char *at, size_t length, bool is_ptx)
{
    static const char *const kinds[] = {"f", "fd", "r", "rd", "rs", "h", "hh", "b"};
    const char *name = at + 1;
    size_t letters = 0;
    if (length < 2 || *at != (is_ptx ? '%' : 'R'))
        return false;
    while (is_ptx && islower((unsigned char)name[letters]))
        letters++;
    if (!isdigit((unsigned char)name[letters]))
        return false;
    const unsigned number = (unsigned)atoi(name + letters);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && is_ptx; i++)
        if (strlen(kinds[i]) == letters && strncmp(name, kinds[i], letters) == 0) {
            *out = (unsigned)((number * (sizeof kinds / sizeof *kinds) + i) % REGISTERS);
            return true;
        }
    *out = number;
    return !is_ptx && number < 255;
}

static void add_name(struct step *step, unsigned name)
{
    if (step->name_count < NAMES_MAX)
        step->names[step->name_count++] = name;
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '%' || c == '_' || c == '$';
}

static void read_names(struct step *step, const char *operands, bool is_ptx)
{
    for (const char *at = operands; *at;) {
        size_t length = 0;
        unsigned name;
        while (is_name_part(at[length]))
            length++;
        if (length && read_register(&name, at, length, is_ptx))
            add_name(step, name);
        at += length ? length : 1;
    }
}

/* SASS names the first of the registers that a load fills, PTX all of them. A load of 32 bytes names
 * two of its eight. */
static void list_loaded(struct step *step, const char *opcode, const char *operands,
                        bool is_ptx)
{
    const unsigned words = (step->bytes + 3) / 4;
    if (!step->bytes || step->kind != SASS_LOAD || strncmp(opcode, "LDGSTS", 6) == 0)
        return;
    if (is_ptx) {
        const char *end =
            strchr(operands, *(operands + strspn(operands, " \t")) == '{' ? '}' : ',');
        struct step first = {.name_count = 0};
        char loaded[SASS_OPERANDS];
        snprintf(loaded, sizeof loaded, "%.*s", end ? (int)(end - operands) : 0, operands);
        read_names(&first, loaded, is_ptx);
        step->loaded = first.name_count;
        return;
    }
    const unsigned count = step->name_count, halves = words > 4 && count > 1 ? 2 : 1;
    struct step all = {.name_count = 0};
    for (unsigned half = 0; half < halves && count; half++)
        for (unsigned word = 0; word < words / halves; word++)
            add_name(&all, step->names[half] + word);
    step->loaded = all.name_count;
    for (unsigned i = halves; i < count; i++)
        add_name(&all, step->names[i]);
    step->name_count = all.name_count;
    memcpy(step->names, all.names, sizeof all.names);
}

/* Divisions are one instruction of PTX; of SASS a reciprocal of a number that was converted. */
static bool is_division(struct code *code, const char *opcode)
{
    static const char *const starts[] = {"rem.", "div.u", "div.s"};
    code->since_conversion = strncmp(opcode, "I2F", 3) == 0 ? 0 : code->since_conversion + 1;
    for (size_t i = 0; i < 3 && code->is_ptx; i++)
        if (strncmp(opcode, starts[i], strlen(starts[i])) == 0)
            return true;
    return !code->is_ptx && strncmp(opcode, "MUFU.RCP", 8) == 0 &&
           code->since_conversion <= DIVISION_REACH;
}

static bool starts_with(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

/* Of jumps those by which lanes that diverged take turns are not followed. "BRA.U !UP0, ..." has its
 * condition among its operands. */
static void read_jump(struct step *step, const struct sass_line *line)
{
    const char *opcode = line->opcode;
    const char *first = line->operands + strspn(line->operands, " \t!U");
    step->is_jump = (starts_with(opcode, "BRA") || starts_with(opcode, "bra")) &&
                    !sass_has_part(opcode, "DIV") && !sass_has_part(opcode, "CONV") &&
                    !sass_has_part(opcode, "ANY") && *line->target;
    step->is_conditional |= step->is_jump && *first == 'P' && isdigit((unsigned char)first[1]);
    snprintf(step->name, sizeof step->name, "%s", step->is_jump ? line->target : "");
}

static int add_step(struct code *code, const struct sass_line *line, struct error *error)
{
    const char *opcode = line->opcode;
    if (starts_with(opcode, "NOP"))
        return 0;
    if (array_grow(&code->steps, code->count, sizeof *code->steps, error))
        return -1;
    struct step *step = &code->steps[code->count++];
    *step = (struct step){.kind = sass_kind_of(opcode, code->is_ptx),
                          .is_conditional = line->is_conditional,
                          .target = NOWHERE};
    step->bytes = sass_bytes_of(opcode, step->kind, code->is_ptx, code->has_bulk);
    step->is_end = starts_with(opcode, "EXIT") || starts_with(opcode, "exit") ||
                   starts_with(opcode, "ret");
    step->is_barrier = starts_with(opcode, "BAR.SYNC") || starts_with(opcode, "BAR.RED") ||
                       starts_with(opcode, "bar.sync") || starts_with(opcode, "barrier.sync");
    step->is_division = is_division(code, opcode);
    step->is_joining = starts_with(opcode, "REDUX") || starts_with(opcode, "redux");
    step->is_special = starts_with(opcode, "S2R") || starts_with(opcode, "S2UR");
    read_jump(step, line);
    read_names(step, line->operands, code->is_ptx);
    list_loaded(step, opcode, line->operands, code->is_ptx);
    snprintf(step->label, sizeof step->label, "%s", code->label);
    snprintf(step->address, sizeof step->address, "%s", line->address);
    code->label[0] = '\0';
    return 0;
}

static int find_place(const struct code *code, const char *name)
{
    for (size_t i = 0; i < code->count; i++)
        if (strcmp(code->steps[i].label, name) == 0 ||
            strcmp(code->steps[i].address, name) == 0)
            return (int)i;
    return NOWHERE;
}

/* Two labels may stand at one place: the later names it, and jumps to the other go there. */
static void join_labels(struct code *code, const char *label)
{
    for (size_t i = 0; *code->label && i < code->count; i++)
        if (strcmp(code->steps[i].name, code->label) == 0)
            snprintf(code->steps[i].name, sizeof code->steps[i].name, "%s", label);
    snprintf(code->label, sizeof code->label, "%s", label);
}

static int read_code(struct code *code, const char *text, bool is_ptx, struct error *error)
{
    *code = (struct code){.is_ptx = is_ptx,
                          .has_bulk = strstr(text, sass_bulk_copies[is_ptx]) != NULL};
    for (const char *at = text; *at;) {
        struct sass_line line;
        if (!sass_next_line(&line, at, &at, is_ptx))
            continue;
        if (line.label[0])
            join_labels(code, line.label);
        else if (add_step(code, &line, error))
            return -1;
    }
    for (size_t i = 0; i < code->count; i++)
        if (code->steps[i].is_jump)
            code->steps[i].target = find_place(code, code->steps[i].name);
    return 0;
}

/* --- Between two steps, the second left out ------------------------------------------------ */

static unsigned bytes_between(const struct code *code, size_t from, size_t to)
{
    unsigned bytes = 0;
    for (size_t i = from; i < to; i++)
        bytes += code->steps[i].bytes;
    return bytes;
}

static unsigned loads_between(const struct code *code, size_t from, size_t to)
{
    unsigned count = 0;
    for (size_t i = from; i < to; i++)
        count += code->steps[i].bytes > 0;
    return count;
}

static unsigned barriers_between(const struct code *code, size_t from, size_t to)
{
    unsigned count = 0;
    for (size_t i = from; i < to; i++)
        count += code->steps[i].is_barrier;
    return count;
}

static void mark_trees(struct code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const int target = code->steps[i].target;
        if (target == NOWHERE || (size_t)target > i)
            continue;
        const size_t from = (size_t)target;
        const bool is_tree = barriers_between(code, from, i) && !bytes_between(code, from, i);
        for (size_t k = from; k <= i && is_tree; k++)
            code->steps[k].is_in_tree = true;
    }
}

/* --- Walking ------------------------------------------------------------------------------ */

struct walk {
    const struct code *code;
    const struct sass_block *block;
    struct sass_issue *issue;
    double left;              /* bytes that the thread has yet to load */
    unsigned barriers;        /* passed */
    size_t alone_until;       /* before that step one warp is left; all others jumped there */
    bool is_alone;            /* the others have ended */
    unsigned round;           /* loads since the last wait */
    bool is_waiting, is_used; /* of these there are some; one of them was used */
    unsigned *loaded_in;      /* of each register: the round in which it is loaded */
};

static bool is_past_barriers(const struct walk *walk)
{
    return walk->block->barriers && walk->barriers >= walk->block->barriers;
}

/* The least that code loads when it runs: all of it, or one turn of its largest loop. */
static unsigned least_bytes(const struct walk *walk, size_t from, size_t to)
{
    unsigned least = 0;
    for (size_t i = from; i < to; i++) {
        const int target = walk->code->steps[i].target;
        if (target >= (int)from && target <= (int)i) {
            const unsigned bytes = bytes_between(walk->code, (size_t)target, i);
            least = bytes > least ? bytes : least;
        }
    }
    return least ? least : bytes_between(walk->code, from, to);
}

/* Is a jump back taken once more? */
static bool is_again(const struct walk *walk, size_t at, size_t target)
{
    const size_t end = walk->code->count;
    const unsigned bytes = bytes_between(walk->code, target, at);
    if (bytes)
        return walk->left > 0 &&
               (walk->left >= bytes || !bytes_between(walk->code, at + 1, end));
    return barriers_between(walk->code, target, at) && walk->block->barriers &&
           walk->barriers + barriers_between(walk->code, at + 1, end) < walk->block->barriers;
}

/* Does the warp go on behind a jump forwards, into what it may leave out? */
static bool is_entered(struct walk *walk, size_t at, size_t target)
{
    const unsigned bytes = bytes_between(walk->code, at + 1, target);
    if (bytes) {
        const bool is_other_way = bytes_between(walk->code, target, walk->code->count) > 0;
        return walk->left > 0 &&
               (walk->left >= least_bytes(walk, at + 1, target) || !is_other_way);
    }
    if (barriers_between(walk->code, at + 1, target))
        return !is_past_barriers(walk);
    if (is_past_barriers(walk) && walk->alone_until < target)
        walk->alone_until = target;
    return true;
}

static void end_round(struct walk *walk)
{
    if (walk->is_waiting)
        walk->issue->waits++;
    walk->round++;
    walk->is_waiting = walk->is_used = false;
}

/* In PTX loads are not yet in their final order: compilers bring those together between which there is no
 * barrier, no turn of a loop and no jump over more than one of them, which would become a
 * predicate. */
static bool keeps_order(const struct walk *walk, size_t at)
{
    const struct step *step = &walk->code->steps[at];
    if (!walk->code->is_ptx || step->is_barrier)
        return true;
    return step->is_jump && step->target != NOWHERE &&
           (step->target <= (int)at ||
            loads_between(walk->code, at + 1, (size_t)step->target) > 1);
}

/* A warp waits where it names what is not there yet. */
static void follow_loads(struct walk *walk, size_t at)
{
    const struct step *step = &walk->code->steps[at];
    for (unsigned i = step->loaded; i < step->name_count && walk->is_waiting; i++)
        walk->is_used |= walk->loaded_in[step->names[i]] == walk->round;
    if (walk->is_used && keeps_order(walk, at))
        end_round(walk);
    if (!step->bytes || walk->left <= 0)
        return;
    for (unsigned i = 0; i < step->loaded; i++)
        walk->loaded_in[step->names[i]] = walk->round;
    walk->is_waiting = true;
    walk->left -= step->bytes;
}

/* Cycles of the pipe to shared memory and L1 cache: one an instruction, two where a line of the cache
 * moves. So counted harris-1, -2 and -3 take what Nsight Compute measured, within 1 %. Special
 * registers come by the same pipe. */
static unsigned pipe_cycles(const struct step *step)
{
    static const unsigned cycles[SASS_KINDS] = {[SASS_LOAD] = 2,
                                                [SASS_STORE] = 2,
                                                [SASS_ATOMIC] = 2,
                                                [SASS_SHARED] = 1,
                                                [SASS_LOCAL] = 2};
    return step->is_special ? 1 : cycles[step->kind];
}

static void count_step(struct walk *walk, size_t at)
{
    const struct step *step = &walk->code->steps[at];
    const bool is_alone = walk->is_alone || at < walk->alone_until;
    const double warps = is_alone ? 1 : walk->block->warps;
    walk->issue->instructions += warps;
    walk->issue->memory += warps * pipe_cycles(step);
    walk->issue->divisions += step->is_division ? warps : 0;
    walk->issue->joined += step->is_joining ? warps : 0;
    walk->issue->in_tree += step->is_in_tree ? warps : 0;
}

/* The step after this one; the count of steps at the end. */
static size_t next_step(struct walk *walk, size_t at)
{
    const struct step *step = &walk->code->steps[at];
    if (step->is_end && !step->is_conditional)
        return walk->code->count;
    if (step->is_end && is_past_barriers(walk))
        walk->is_alone = true;
    if (!step->is_jump || step->target == NOWHERE)
        return at + 1;
    const size_t target = (size_t)step->target;
    if (target <= at)
        return is_again(walk, at, target) ? target : at + 1;
    return step->is_conditional && is_entered(walk, at, target) ? at + 1 : target;
}

static void scale(struct sass_issue *issue, double factor)
{
    issue->instructions *= factor;
    issue->in_tree *= factor;
    issue->memory *= factor;
    issue->divisions *= factor;
    issue->joined *= factor;
    issue->waits *= factor;
}

int sass_walk(struct sass_issue *out, const char *text, bool is_ptx,
              const struct sass_block *block, struct error *error)
{
    struct code code = {.count = 0};
    struct walk walk = {.code = &code,
                        .block = block,
                        .issue = out,
                        .left = fmin(ceil(block->bytes), BYTES_MAX),
                        .round = 1};
    const double all = walk.left;
    *out = (struct sass_issue){.waits = 0};
    walk.loaded_in = calloc(REGISTERS, sizeof *walk.loaded_in);
    int failed = !walk.loaded_in ? error_memory(error, REGISTERS * sizeof *walk.loaded_in)
                                 : read_code(&code, text, is_ptx, error);
    mark_trees(&code);
    size_t at = 0;
    for (size_t steps = 0; !failed && at < code.count && steps < STEPS_MAX; steps++) {
        follow_loads(&walk, at);
        count_step(&walk, at);
        walk.barriers += code.steps[at].is_barrier;
        at = next_step(&walk, at);
    }
    end_round(&walk);
    if (block->bytes > BYTES_MAX && all > walk.left)
        scale(out, block->bytes / (all - fmax(0, walk.left)));
    free(walk.loaded_in);
    free(code.steps);
    return failed ? -1 : 0;
}
