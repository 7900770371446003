/* failing_source: saves the source of a kernel that does not compile, and tells where. */
#ifndef AUTOTUNE_FAILING_SOURCE_H
#define AUTOTUNE_FAILING_SOURCE_H

#include "autotune/cli/setup.h"

/* Writes the kernels of a variant to a new file in TMPDIR, else /tmp, and appends its path to
 * the error's sentence. Of many such files the newest are left. If the file cannot be written, only the hint is lost. */
void failing_source_save(const struct emit_variant *variant, struct error *error);

/* After a failed run on the device: when the space's default or else the variant of `config`
 * does not compile, makes that the error, with the compiler's message and the path of the
 * source. Otherwise leaves the error as it is. */
void failing_source_explain(const struct setup *setup, const int64_t *config,
                            struct error *error);

#endif
