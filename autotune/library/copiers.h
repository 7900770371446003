/* copiers: copies by several threads at a time, which one thread cannot do as fast as a GPU takes
 * it: ordinary memory, or a file, into pinned buffers, and results out of them. The threads wait
 * between copies. */
#ifndef AUTOTUNE_COPIERS_H
#define AUTOTUNE_COPIERS_H

#include <stddef.h>
#include <stdint.h>

/* Copies `bytes` bytes of something, from byte `at` of it on, to or from `memory`. How many, which
 * is fewer only where it ends, or -1 with errno. May be called by several threads at once. */
typedef int64_t copiers_copy(void *context, void *memory, uint64_t at, size_t bytes);

enum { COPIERS_MAX = 64 };

struct copiers;

/* `count` threads copy, the caller's among them, which then is one of 1 to COPIERS_MAX. Where
 * fewer can be started, these copy. NULL: no memory. */
struct copiers *copiers_open(unsigned count);
void copiers_close(struct copiers *copiers);

/* Copies in slices. How much was copied from `at` on: fewer bytes than asked for where the data ends; -1
 * with errno where a slice failed, which is COPIERS_GAP where one ended early and another, behind it, had
 * data all the same. One caller at a time. */
enum { COPIERS_GAP = -1 };
int64_t copiers_run(struct copiers *copiers, copiers_copy *copy, void *context, void *memory,
                    uint64_t at, size_t bytes);

#endif
