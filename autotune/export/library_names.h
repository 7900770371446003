/* library_names: tells names that the headers of C, C++ and CUDA have taken: an export that
 * declares a function of such a name does not compile. */
#ifndef AUTOTUNE_LIBRARY_NAMES_H
#define AUTOTUNE_LIBRARY_NAMES_H

#include <stdbool.h>

/* Is it, or may it be in another version of those libraries? */
bool library_names_has(const char *word);

#endif
