/* sass_line: reads a line of a disassembly or of PTX: an instruction with its kind, width, operands and
 * jump, or a label. */
#ifndef AUTOTUNE_SASS_LINE_H
#define AUTOTUNE_SASS_LINE_H

#include "autotune/analysis/sass.h"

enum { SASS_WORD = 64, SASS_OPERANDS = 200 };

/* An instruction or, with `label` set, a place to jump to. */
struct sass_line {
    char opcode[SASS_WORD];
    char label[SASS_WORD];
    char target[SASS_WORD];  /* target of a branch; "" = none */
    char address[SASS_WORD]; /* its address, as jumps without labels have it; "" = unknown */
    char operands[SASS_OPERANDS]; /* all of them, as written */
    bool is_conditional;          /* it has a predicate */
};

/* False when the line is neither: a directive, a comment, a brace, the bytes of an instruction. */
bool sass_read_line(struct sass_line *out, const char *at, bool is_ptx);

/* The line at `at` of a text, as sass_read_line has it; `*next` gets the start of the next one. */
bool sass_next_line(struct sass_line *out, const char *at, const char **next, bool is_ptx);

enum sass_kind sass_kind_of(const char *opcode, bool is_ptx);

/* Is `.part` among the dotted parts of the opcode? */
bool sass_has_part(const char *opcode, const char *part);

/* Does an instruction end all threads that reach it? */
bool sass_is_end(const struct sass_line *line);

extern const char *const sass_bulk_copies[]; /* their opcodes: [is PTX] */

/* Bytes that an instruction of one thread loads from global memory. A bulk copy is made by one
 * thread for the whole block and has no width: its bytes count where each thread reads its own
 * from shared memory, so that the loop that reads is found, not the one that waits or
 * copies. */
unsigned sass_bytes_of(const char *opcode, enum sass_kind kind, bool is_ptx, bool has_bulk);

#endif
