/* planted: proves that faults which somebody planted by hand are found. A list of them is a text:
 *
 *   # a comment
 *   space scan                             configs/scan.ini; what follows is of it
 *   variant t: sum i32 inclusive; BLOCK=64 ITEMS=12; GRID=1; GRID=2
 *   source templates/scan.cu               or types.cu, intrinsics.cu, the space: what follows is of it
 *   fault tx 2: the last element is left out
 *   - i < n;                               the second of these places becomes the other
 *   + i + 1 < n;
 *   barriers __syncthreads() tx . t        each of them in the source, left out
 *
 * A variant has a letter, a problem (an operation's name or file, a type, a scan's kind, `any` for any order), params, and
 * what else differs between its candidates. A fault has the letters of the variants, each of which must
 * show it; lines with "- " and "+ " are joined by ends of lines, "-" alone is an empty one. A barrier that
 * no emulator can miss has a dot for letters. */
#ifndef AUTOTUNE_TEST_PLANTED_H
#define AUTOTUNE_TEST_PLANTED_H

#include <stdbool.h>
#include <stdint.h>

struct planted_choice {
    uint64_t sample;                  /* one of so many faults */
    uint64_t part, parts;             /* part of parts, from 0 */
    unsigned tries;                   /* variants for each fault, of those that it names */
    bool has_all_positions, is_drawn; /* as of attempt_variant */
};

/* Tries the faults of the list at `path`, and each variant as it is; prints what is not found, and a row.
 * Returns 0 where all is as it must be, else 1; ends the program where the list itself is wrong. */
int planted_run(const char *path, const struct planted_choice *choice);

#endif
