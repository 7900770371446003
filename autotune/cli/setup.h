/* setup: holds what a command works on: the space, the template, the device or architecture,
 * the record files. Read once, disposed of together. */
#ifndef AUTOTUNE_SETUP_H
#define AUTOTUNE_SETUP_H

#include "autotune/cli/request.h"
#include "autotune/device/device.h"
#include "cache/collection.h"
#include "generator/emit.h"
#include "generator/point.h"

struct setup {
    struct space *space;
    struct text space_text, template_text; /* of --space, --template */
    struct emit_file space_file;
    struct emit_sources sources;
    struct device *device; /* NULL without one */
    struct target target;
    struct problem problem; /* the request's, with n set */
    struct point_context context;
};

/* Loads space and template and, when `needs_device`, opens the device; otherwise the target
 * comes from --arch, else sm_90. Sets n to the device's default where none was given. */
int setup_open(struct setup *out, const struct request *request, bool needs_device,
               struct error *error);
void setup_close(struct setup *setup);

/* The default n. */
uint64_t setup_usual_n(bool is_host);

/* Changes to other dims and another regime of the same problem, and to the space's default for
 * them. */
int setup_resize(struct setup *setup, const struct dims *dims, enum regime regime,
                 struct error *error);

/* Have the device and this machine room for the elements and the results at all? ERROR_FAILED
 * with both sizes if not. Whether that much is free now shows when the device is opened. */
int setup_check_room(const struct setup *setup, struct error *error);

/* ERROR_USAGE where the space gives several results, which `what` ("a sweep") does not take
 * yet. */
int setup_require_value(const struct setup *setup, const char *what, struct error *error);

/* The key of a record of this setup's winner. Without a device it has the architecture only,
 * for look-ups. */
void setup_record(struct record *out, const struct setup *setup);

/* Does the record's config give the kernels that it was measured with? */
bool setup_is_current(const struct setup *setup, const struct record *record,
                      struct code_memo *memo);

/* The best matching record, from the folder and the shipped ones, with its config: as find
 * does, it skips records that the space's rules do not allow here. A damaged file or record is
 * no error: it is reported in `warning` (ERROR_NONE if there is none). */
int setup_find(struct find_result *out, const struct setup *setup,
               const struct request *request, struct error *warning, struct error *error);

/* The records of the request's --cache, and what ships. collection_dispose frees them. */
struct collection setup_collection(const struct request *request);

/* The sources that a request's search is in, as COLLECTION_ bits. */
unsigned setup_sources(const struct request *request);

/* As setup_find, among some sources of records that are at hand for longer. The
 * warning is of the own ones alone. */
int setup_find_in(struct find_result *out, const struct setup *setup,
                  struct collection *records, unsigned sources, struct error *warning,
                  struct error *error);

/* The config of --variant over that of this GPU's best record, or without --variant of any
 * GPU's, over the default. Notes on stderr where it is from, and which rule it breaks. */
int setup_config(int64_t *config, const struct setup *setup, const struct request *request,
                 struct error *error);

/* The same config, emitted; a record's kernels, which were emitted to see whether it still holds, are
 * not emitted twice. */
int setup_variant(struct emit_variant *out, int64_t *config, const struct setup *setup,
                  const struct request *request, struct error *error);

#endif
