/* sass: reads a disassembly line by line. Knows how opcodes, their widths and their jumps are
 * written in SASS and PTX. */
#include "autotune/analysis/sass.h"

#include "generator/array.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first row that an opcode begins with gives its kind; all others are SASS_OTHER. */
struct opcode {
    const char *start;
    enum sass_kind kind;
};

static const struct opcode machine[] = {
    {"LDGSTS", SASS_LOAD},    {"LDGDEPBAR", SASS_BARRIER}, {"LDG", SASS_LOAD},
    {"LD.", SASS_LOAD},       {"UBLKCP", SASS_LOAD},       {"STG", SASS_STORE},
    {"ST.", SASS_STORE},      {"ATOMS", SASS_SHARED},      {"ATOM", SASS_ATOMIC},
    {"REDUX", SASS_WARP},     {"CREDUX", SASS_WARP},       {"REDG", SASS_ATOMIC},
    {"RED.", SASS_ATOMIC},    {"RED", SASS_ATOMIC},        {"LDS", SASS_SHARED},
    {"STS", SASS_SHARED},     {"LDL", SASS_LOCAL},         {"STL", SASS_LOCAL},
    {"SHFL", SASS_WARP},      {"VOTE", SASS_WARP},         {"MATCH", SASS_WARP},
    {"BAR", SASS_BARRIER},    {"WARPSYNC", SASS_BARRIER},  {"MEMBAR", SASS_BARRIER},
    {"ERRBAR", SASS_BARRIER}, {"DEPBAR", SASS_BARRIER},    {"FENCE", SASS_BARRIER},
    {"SYNCS", SASS_BARRIER},  {"BRA", SASS_BRANCH},        {"EXIT", SASS_BRANCH},
    {"RET", SASS_BRANCH},     {"CALL", SASS_BRANCH},       {"BRX", SASS_BRANCH},
    {"JMP", SASS_BRANCH},     {"BSSY", SASS_BRANCH},       {"BSYNC", SASS_BRANCH},
};

static const struct opcode portable[] = {
    {"ld.global", SASS_LOAD},
    {"ld.volatile.global", SASS_LOAD},
    {"ld.relaxed", SASS_LOAD},
    {"ld.acquire", SASS_LOAD},
    {"cp.async.c", SASS_LOAD},
    {"cp.async.bulk.shared", SASS_LOAD},
    {"cp.async.bulk.global", SASS_STORE},
    {"cp.async", SASS_BARRIER},
    {"st.global", SASS_STORE},
    {"st.volatile.global", SASS_STORE},
    {"st.relaxed", SASS_STORE},
    {"st.release", SASS_STORE},
    {"atom.shared", SASS_SHARED},
    {"red.shared", SASS_SHARED},
    {"atom", SASS_ATOMIC},
    {"redux", SASS_WARP},
    {"red.", SASS_ATOMIC},
    {"ld.shared", SASS_SHARED},
    {"st.shared", SASS_SHARED},
    {"ld.volatile.shared", SASS_SHARED},
    {"st.volatile.shared", SASS_SHARED},
    {"ld.local", SASS_LOCAL},
    {"st.local", SASS_LOCAL},
    {"shfl", SASS_WARP},
    {"vote", SASS_WARP},
    {"match", SASS_WARP},
    {"bar", SASS_BARRIER},
    {"membar", SASS_BARRIER},
    {"fence", SASS_BARRIER},
    {"mbarrier", SASS_BARRIER},
    {"bra", SASS_BRANCH},
    {"ret", SASS_BRANCH},
    {"call", SASS_BRANCH},
    {"exit", SASS_BRANCH},
    {"brx", SASS_BRANCH},
};
enum {
    MACHINE = sizeof machine / sizeof *machine,
    PORTABLE = sizeof portable / sizeof *portable
};

static const char *const bulk_copies[] = {"UBLKCP", "cp.async.bulk.shared"}; /* [is PTX] */

static enum sass_kind find_kind(const char *opcode, bool is_ptx)
{
    const struct opcode *table = is_ptx ? portable : machine;
    for (size_t i = 0; i < (size_t)(is_ptx ? PORTABLE : MACHINE); i++)
        if (strncmp(opcode, table[i].start, strlen(table[i].start)) == 0)
            return table[i].kind;
    return SASS_OTHER;
}

/* --- Widths ------------------------------------------------------------------------------- */

enum { WORD_MAX = 64 };

/* Is `.part` among the dotted parts of the opcode? */
static bool has_part(const char *opcode, const char *part)
{
    const size_t length = strlen(part);
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, part, length) == 0 && (at[1 + length] == '.' || !at[1 + length]))
            return true;
    return false;
}

static unsigned bytes_of_machine(const char *opcode)
{
    static const struct {
        const char *part;
        unsigned bytes;
    } rows[] = {{"256", 32}, {"128", 16}, {"64", 8}, {"U16", 2},
                {"S16", 2},  {"U8", 1},   {"S8", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has_part(opcode, rows[i].part))
            return rows[i].bytes;
    return 4;
}

/* ld.global.nc.v4.f32: four of 32 bits. */
static unsigned bytes_of_portable(const char *opcode)
{
    const unsigned count = has_part(opcode, "v8")   ? 8
                           : has_part(opcode, "v4") ? 4
                           : has_part(opcode, "v2") ? 2
                                                    : 1;
    const char *type = strrchr(opcode, '.');
    const int bits = type && strchr("bfsu", type[1]) ? atoi(type + 2) : 0;
    return count * (unsigned)(bits >= 8 && bits <= 128 ? bits / 8 : 4);
}

/* Bytes that an instruction of one thread loads from global memory. A bulk copy is made by one
 * thread for the whole block and has no width: its bytes count where each thread reads its own
 * from shared memory, so that the loop that reads is found, not the one that waits or
 * copies. */
static unsigned bytes_of(const char *opcode, enum sass_kind kind, bool is_ptx, bool has_bulk)
{
    const bool is_shared_read = kind == SASS_SHARED && tolower((unsigned char)*opcode) == 'l';
    const bool is_bulk = strncmp(opcode, bulk_copies[is_ptx], strlen(bulk_copies[is_ptx])) == 0;
    if (is_bulk || !(kind == SASS_LOAD || (has_bulk && is_shared_read)))
        return 0;
    return is_ptx ? bytes_of_portable(opcode) : bytes_of_machine(opcode);
}

/* --- Lines -------------------------------------------------------------------------------- */

/* An instruction or, with `label` set, a place to jump to. */
struct line {
    char opcode[WORD_MAX];
    char label[WORD_MAX];
    char target[WORD_MAX];  /* target of a branch; "" = none */
    char address[WORD_MAX]; /* its address, as jumps without labels have it; "" = unknown */
    bool is_conditional;    /* it has a predicate */
};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static void copy_word(char out[WORD_MAX], const char *at, size_t length)
{
    snprintf(out, WORD_MAX, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX - 1), at);
}

/* Skips a predicate: "@!P0 BRA ..." or "@%p1 bra ...". */
static const char *skip_predicate(const char *at)
{
    return *at == '@' ? skip_blanks(at + strcspn(at, " \t;")) : at;
}

/* The last word of a jump: a label, in backquotes or not, or an address. */
static void read_target(struct line *out, const char *at)
{
    const char *label = strstr(at, "`(");
    if (label) {
        copy_word(out->target, label + 2, strcspn(label + 2, ")"));
        return;
    }
    size_t length = strcspn(at, ";");
    while (length > 0 && strchr(" \t", at[length - 1]))
        length--;
    size_t first = length;
    while (first > 0 && !strchr(" \t,", at[first - 1]))
        first--;
    if (length - first > 0 && (at[first] == '$' || strncmp(at + first, "0x", 2) == 0))
        copy_word(out->target, at + first, length - first);
}

/* An address, as a comment before the instruction: the number that a jump there names. */
static const char *read_address(struct line *out, const char *at)
{
    if (strncmp(at, "/*", 2) != 0)
        return at;
    const char *end = strstr(at, "*/");
    if (!end)
        return at;
    snprintf(out->address, WORD_MAX, "0x%lx", strtoul(at + 2, NULL, 16));
    return skip_blanks(end + 2);
}

static bool is_opcode_start(char c, bool is_ptx)
{
    return is_ptx ? islower((unsigned char)c) != 0 : isupper((unsigned char)c) != 0;
}

/* False when the line is neither: a directive, a comment, a brace, the bytes of an instruction.
 */
static bool read_line(struct line *out, const char *at, bool is_ptx)
{
    memset(out, 0, sizeof *out);
    at = skip_blanks(at);
    const size_t word = strcspn(at, " \t:;\n");
    if ((*at == '.' || *at == '$') && at[word] == ':') {
        copy_word(out->label, at, word);
        return true;
    }
    at = is_ptx ? at : read_address(out, at);
    if (!is_ptx && !out->address[0])
        return false;
    out->is_conditional = *at == '@';
    at = skip_predicate(at);
    const size_t length = strcspn(at, " \t;\n");
    if (!is_opcode_start(*at, is_ptx) || !strchr(at, ';'))
        return false;
    copy_word(out->opcode, at, length);
    read_target(out, at + length);
    return true;
}

/* --- Loops -------------------------------------------------------------------------------- */

/* The place of an instruction, by label and by address, and the counts before it. */
struct place {
    char name[WORD_MAX];
    uint64_t total, bytes;
};

struct counter {
    struct sass_mix *mix;
    struct place *places;
    size_t count;
    uint64_t last_target; /* instructions before the start of the last loop found */
    uint64_t last_end;    /* instructions up to the last one that ends all threads that reach
                           * it */
    bool has_bulk;        /* somewhere in the kernel */
    bool failed;
};

static void note_place(struct counter *counter, const char *name)
{
    struct error ignored;
    if (!*name || counter->failed)
        return;
    counter->failed =
        array_grow(&counter->places, counter->count, sizeof *counter->places, &ignored);
    if (counter->failed)
        return;
    struct place *place = &counter->places[counter->count++];
    *place = (struct place){.total = counter->mix->total, .bytes = counter->mix->load_bytes};
    copy_word(place->name, name, strlen(name));
}

/* A jump back to a known place closes a loop. One that holds a loop found before has it in its
 * bytes already: of such a pair the inner counts. One over the kernel's end is none: it comes
 * back from what the compiler moved out of the way, as the wait for a bulk copy. */
static void close_loop(struct counter *counter, const char *target)
{
    struct sass_mix *mix = counter->mix;
    for (size_t i = counter->count; *target && i-- > 0;) {
        const struct place *place = &counter->places[i];
        if (strcmp(place->name, target) != 0)
            continue;
        if (place->total < counter->last_end)
            return;
        const uint64_t bytes = mix->load_bytes - place->bytes;
        const bool is_outer = mix->loop_total && place->total <= counter->last_target;
        if (bytes > (is_outer ? 2 * mix->loop_bytes : mix->loop_bytes)) {
            mix->loop_bytes = bytes;
            mix->loop_total = mix->total - place->total;
            counter->last_target = place->total;
        }
        return;
    }
}

static bool is_end(const struct line *line)
{
    static const char *const ends[] = {"EXIT", "exit", "ret"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !line->is_conditional; i++)
        if (strcmp(line->opcode, ends[i]) == 0)
            return true;
    return false;
}

static void count_line(struct counter *counter, const struct line *line)
{
    struct sass_mix *mix = counter->mix;
    note_place(counter, line->label);
    if (line->label[0])
        return;
    note_place(counter, line->address);
    const enum sass_kind kind = find_kind(line->opcode, mix->is_ptx);
    if (strncmp(line->opcode, "NOP", 3) == 0) /* NOPs pad the end of a kernel */
        return;
    mix->total++;
    mix->counts[kind]++;
    mix->load_bytes += bytes_of(line->opcode, kind, mix->is_ptx, counter->has_bulk);
    if (kind == SASS_BRANCH)
        close_loop(counter, line->target);
    if (is_end(line))
        counter->last_end = mix->total;
}

/* A compiler may copy a loop that matters several times, for the remainder of unrolling; a loop
 * with less of the loads than this many copies would have is not one. */
enum { LEFT_OVER = 8 };

int sass_count(struct sass_mix *out, const char *text, bool is_ptx, struct error *error)
{
    struct counter counter = {.mix = out, .has_bulk = strstr(text, bulk_copies[is_ptx])};
    *out = (struct sass_mix){.is_ptx = is_ptx};
    for (const char *at = text; *at && !counter.failed;) {
        char copy[512];
        struct line line;
        const size_t length = strcspn(at, "\n");
        snprintf(copy, sizeof copy, "%.*s", (int)(length < 511 ? length : 511), at);
        if (read_line(&line, copy, is_ptx))
            count_line(&counter, &line);
        at += length + (at[length] == '\n');
    }
    free(counter.places);
    if (out->loop_bytes * LEFT_OVER < out->load_bytes)
        out->loop_bytes = out->loop_total = 0;
    if (counter.failed)
        return error_memory(error, 2 * counter.count * sizeof *counter.places);
    return out->total ? 0
                      : error_set(error, ERROR_FAILED, "no instruction stands in the %s",
                                  is_ptx ? "PTX" : "disassembly");
}

double sass_per_element(const struct sass_mix *mix, int elem_bytes)
{
    const uint64_t bytes = sass_bytes_at_once(mix);
    const uint64_t total = mix->loop_bytes ? mix->loop_total : mix->total;
    return bytes ? (double)total * elem_bytes / (double)bytes : 0;
}

uint64_t sass_bytes_at_once(const struct sass_mix *mix)
{
    return mix->loop_bytes ? mix->loop_bytes : mix->load_bytes;
}
