/* interrupt: lets Ctrl-C end a run cleanly. A guarded device refuses work after a signal, so
 * that its user unwinds as after any error and leaves nothing behind. */
#ifndef AUTOTUNE_INTERRUPT_H
#define AUTOTUNE_INTERRUPT_H

#include "autotune/device/device.h"

/* Replaces a device's operations while it is guarded. */
struct interrupt_guard {
    struct device_ops ops; /* first: the device's ops point here */
    const struct device_ops *real;
    struct device *device; /* NULL: no device is guarded */
};

/* From now on SIGINT, SIGTERM and SIGHUP are noted, and make the device's compile, load, launch, sync,
 * prepare and time fail; a second signal ends the program at once. `guard` must outlive
 * interrupt_end; `device` may be NULL for callers that check interrupt_signal themselves. With
 * a device a thread takes the signals, and this thread and those that it starts have them
 * blocked. */
void interrupt_begin(struct interrupt_guard *guard, struct device *device);
void interrupt_end(struct interrupt_guard *guard);

/* The signal that came, or 0; whether one came. */
int interrupt_signal(void);
bool interrupt_came(void);

#endif
