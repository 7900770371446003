/* sass_line: reads a line of a disassembly or of PTX. Knows how opcodes, their widths, registers and
 * jumps are written in each. */
#include "autotune/analysis/sass_line.h"

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

const char *const sass_bulk_copies[] = {"UBLKCP", "cp.async.bulk.shared"};

enum sass_kind sass_kind_of(const char *opcode, bool is_ptx)
{
    const struct opcode *table = is_ptx ? portable : machine;
    for (size_t i = 0; i < (size_t)(is_ptx ? PORTABLE : MACHINE); i++)
        if (strncmp(opcode, table[i].start, strlen(table[i].start)) == 0)
            return table[i].kind;
    return SASS_OTHER;
}

/* --- Widths ------------------------------------------------------------------------------- */

bool sass_has_part(const char *opcode, const char *part)
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
        if (sass_has_part(opcode, rows[i].part))
            return rows[i].bytes;
    return 4;
}

/* ld.global.nc.v4.f32: four of 32 bits. */
static unsigned bytes_of_portable(const char *opcode)
{
    const unsigned count = sass_has_part(opcode, "v8")   ? 8
                           : sass_has_part(opcode, "v4") ? 4
                           : sass_has_part(opcode, "v2") ? 2
                                                         : 1;
    const char *type = strrchr(opcode, '.');
    const int bits = type && strchr("bfsu", type[1]) ? atoi(type + 2) : 0;
    return count * (unsigned)(bits >= 8 && bits <= 128 ? bits / 8 : 4);
}

unsigned sass_bytes_of(const char *opcode, enum sass_kind kind, bool is_ptx, bool has_bulk)
{
    const bool is_shared_read = kind == SASS_SHARED && tolower((unsigned char)*opcode) == 'l';
    const bool is_bulk =
        strncmp(opcode, sass_bulk_copies[is_ptx], strlen(sass_bulk_copies[is_ptx])) == 0;
    if (is_bulk || !(kind == SASS_LOAD || (has_bulk && is_shared_read)))
        return 0;
    return is_ptx ? bytes_of_portable(opcode) : bytes_of_machine(opcode);
}

/* --- Lines -------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static void copy_word(char out[SASS_WORD], const char *at, size_t length)
{
    snprintf(out, SASS_WORD, "%.*s", (int)(length < SASS_WORD ? length : SASS_WORD - 1), at);
}

/* Skips a predicate: "@!P0 BRA ..." or "@%p1 bra ...". */
static const char *skip_predicate(const char *at)
{
    return *at == '@' ? skip_blanks(at + strcspn(at, " \t;")) : at;
}

/* The last word of a jump: a label, in backquotes or not, or an address. */
static void read_target(struct sass_line *out, const char *at)
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
static const char *read_address(struct sass_line *out, const char *at)
{
    if (strncmp(at, "/*", 2) != 0)
        return at;
    const char *end = strstr(at, "*/");
    if (!end)
        return at;
    snprintf(out->address, SASS_WORD, "0x%lx", strtoul(at + 2, NULL, 16));
    return skip_blanks(end + 2);
}

static bool is_opcode_start(char c, bool is_ptx)
{
    return is_ptx ? islower((unsigned char)c) != 0 : isupper((unsigned char)c) != 0;
}

bool sass_read_line(struct sass_line *out, const char *at, bool is_ptx)
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
    snprintf(out->operands, sizeof out->operands, "%.*s", (int)strcspn(at + length, ";"),
             at + length);
    read_target(out, at + length);
    return true;
}

bool sass_next_line(struct sass_line *out, const char *at, const char **next, bool is_ptx)
{
    char copy[512];
    const size_t length = strcspn(at, "\n");
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 511 ? length : 511), at);
    *next = at + length + (at[length] == '\n');
    return sass_read_line(out, copy, is_ptx);
}

bool sass_is_end(const struct sass_line *line)
{
    static const char *const ends[] = {"EXIT", "exit", "ret"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !line->is_conditional; i++)
        if (strcmp(line->opcode, ends[i]) == 0)
            return true;
    return false;
}
