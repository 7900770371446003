/* cores: counts the processor's cores that this process may use: a launcher or a container may have
 * bound it to some. */
#ifndef AUTOTUNE_CORES_H
#define AUTOTUNE_CORES_H

/* Both are at least 1. */
unsigned cores_own(void);
unsigned cores_of_machine(void);

/* Where this process may use all cores, of which `count` processes divide them among themselves: binds it,
 * and what it starts, to those of number `index`, from 0 on; two processes have one core where there are
 * too few. */
void cores_take_share(unsigned index, unsigned count);

#endif
