/* cores: counts the processor's cores that this process may use: a launcher or a container may have
 * bound it to some. */
#ifndef AUTOTUNE_CORES_H
#define AUTOTUNE_CORES_H

/* Both are at least 1. */
unsigned cores_own(void);
unsigned cores_of_machine(void);

#endif
