/* outdated: counts records that were made with another driver or compiler than a device has now, and says so. */
#ifndef AUTOTUNE_OUTDATED_H
#define AUTOTUNE_OUTDATED_H

#include "autotune/device/device.h"
#include "cache/record.h"

/* Such records of one device. Initialise with zeros. */
struct outdated {
    size_t count;
    const char *field;       /* of the first: "driver" or "compiler" */
    char made[64], here[64]; /* its driver or compiler then, and now */
};

/* Counts the record where it is this device's and its driver or compiler is another now; one that `info` does not
 * have ("") is not compared. */
void outdated_add(struct outdated *out, const struct record *record,
                  const struct device_info *info);

/* Appends "3 records were made with another driver (560.35 (CUDA 12.6); here is 580.95 (CUDA 13.0)): 'autotune check'
 * says what that changed"; nothing where there is none. */
void outdated_say(struct text *out, const struct outdated *outdated);

/* The same of all GPUs here and of the emulator, as it counts them: begin, give it records, then say it. */
struct outdated_machine {
    struct {
        struct device_info info;
        struct outdated found;
    } *at;
    size_t count;
    bool has_looked;
};

/* Looks for the devices at the first record that one could have made; a GPU without its compiler, which takes long to
 * find. -1 only for memory. */
int outdated_machine_add(struct outdated_machine *machine, const struct record *record,
                         struct error *error);
void outdated_machine_dispose(struct outdated_machine *machine);

#endif
