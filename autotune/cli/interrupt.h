/* interrupt: Ctrl-C ends a run cleanly. A guarded device refuses work once a signal came, so
 * that whoever uses it unwinds as after any error and leaves nothing behind. */
#ifndef AUTOTUNE_INTERRUPT_H
#define AUTOTUNE_INTERRUPT_H

#include "autotune/device/device.h"

/* Stands in front of a device's operations while it is guarded. */
struct interrupt_guard {
    struct device_ops ops; /* first: the device's ops point here */
    const struct device_ops *real;
    struct device *device; /* NULL: none is guarded */
};

/* From now on SIGINT and SIGTERM are noted, and make the device's compile, load, launch, sync,
 * prepare and time fail; a second signal ends the program at once. `guard` must outlive
 * interrupt_end; `device` may be NULL for whoever asks interrupt_signal himself. With a device a
 * thread takes the signals, and this one and those that it starts have them blocked. */
void interrupt_begin(struct interrupt_guard *guard, struct device *device);
void interrupt_end(struct interrupt_guard *guard);

/* The signal that came, or 0; whether one came. */
int interrupt_signal(void);
bool interrupt_came(void);

#endif
