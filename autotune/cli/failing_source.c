/* failing_source: saves the source that the compiler refused, so that the user can open it.
 * Finds the failing variant by compiling again, which costs one compile and only after a
 * failure. */
#include "autotune/cli/failing_source.h"

#include "autotune/cli/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int write_all(int file, const struct text *text)
{
    for (size_t done = 0; done < text->length;) {
        ssize_t count = write(file, text->at + done, text->length - done);
        if (count <= 0)
            return -1;
        done += (size_t)count;
    }
    return 0;
}

void failing_source_save(const struct emit_variant *variant, struct error *error)
{
    char path[300];
    const char *folder = getenv("TMPDIR");
    int failed = 0;
    snprintf(path, sizeof path, "%s/autotune-XXXXXX.cu", folder && *folder ? folder : "/tmp");
    int file = mkstemps(path, 3);
    if (file < 0)
        return;
    for (size_t i = 0; i < variant->count; i++)
        failed |= write_all(file, &variant->texts[i]);
    if (close(file) == 0 && !failed)
        error_set(error, error->code, "%s\nthe source is kept in %s", error->text, path);
    else
        unlink(path);
}

/* True when the config does not compile; the error then says so. */
static bool is_failing(const struct setup *setup, const int64_t *config, struct error *error)
{
    struct device_source sources[SPACE_PASSES_MAX];
    struct device_image image = {0};
    struct emit_variant variant;
    struct error cause;
    if (emit_variant(&variant, &setup->context, &setup->sources, config, &cause))
        return false; /* the error has the emitter's message already */
    for (size_t i = 0; i < variant.count; i++)
        sources[i] = (struct device_source){emit_source(&variant, i), setup->space->kernel};
    int failed =
        setup->device->ops->compile(setup->device, sources, variant.count, &image, &cause);
    if (failed) {
        *error = cause;
        failing_source_save(&variant, error);
    }
    device_dispose_image(&image);
    emit_dispose(&variant);
    return failed != 0;
}

void failing_source_explain(const struct setup *setup, const int64_t *config,
                            struct error *error)
{
    if (interrupt_signal() || (error->code != ERROR_FAILED && error->code != ERROR_WRONG))
        return;
    if (!is_failing(setup, setup->space->default_config, error))
        is_failing(setup, config, error);
}
