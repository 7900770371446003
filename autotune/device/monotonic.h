/* monotonic: reads the clock that durations are taken from; nobody sets it back. */
#ifndef AUTOTUNE_MONOTONIC_H
#define AUTOTUNE_MONOTONIC_H

#include <stdint.h>

uint64_t monotonic_ns(void);
double monotonic_s(void);

#endif
