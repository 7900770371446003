/* shared_object: opens a shared object of a name that a user gave or that was found. The
 * loader itself would wait for ever for a FIFO's writer, and would end the process where a
 * file is shorter than its own tables say. */
#ifndef AUTOTUNE_SHARED_OBJECT_H
#define AUTOTUNE_SHARED_OBJECT_H

#include "generator/text.h"

#include <stdbool.h>

enum { SHARED_OBJECT_WHY = 256 };

/* As dlopen, with its flags. What is no regular file, is cut short, or has headers that
 * contradict themselves or lead out of the file is not opened; nor is what the loader would
 * find by a name without a folder, unless it is loaded already. NULL with the reason in
 * `why`. Damage behind the headers, in code or data, is not seen. */
void *shared_object_open(const char *name, int flags, char why[SHARED_OBJECT_WHY]);

/* False where the file of that name is one that shared_object_open refuses: what else opens
 * it must not try. True where there is none. */
bool shared_object_check(const char *name, char why[SHARED_OBJECT_WHY]);

/* Puts the path of the file that the loader would take for a name without a folder into
 * `out`, a text of its own; false: there is none. */
bool shared_object_find(struct text *out, const char *name);

#endif
