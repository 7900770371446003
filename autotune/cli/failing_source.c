/* failing_source: saves the source that the compiler refused, so that the user can open it.
 * Finds the failing variant by compiling again, which costs one compile and only after a
 * failure. */
#include "autotune/cli/failing_source.h"

#include "autotune/cli/interrupt.h"
#include "autotune/device/temporary.h"
#include "cache/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 16 }; /* sources that are kept; the oldest goes */
#define START "autotune-failing-"
#define ENDING ".cu"
static const char pattern[] = START "XXXXXX" ENDING;

/* Is it a source that was kept for this user, by mkstemps? One of his own may be called so, too. */
static bool is_kept(int folder, const char *name, struct stat *status)
{
    return temporary_is_drawn(name, START, ENDING) &&
           fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status->st_mode) && (status->st_mode & 0777) == 0600 &&
           status->st_uid == geteuid();
}

/* Removes the oldest where there are too many; was there one to remove? */
static bool make_room(const char *folder)
{
    char oldest[sizeof pattern] = "";
    time_t since = 0;
    int count = 0;
    DIR *list = opendir(folder);
    if (!list)
        return false;
    for (const struct dirent *entry; (entry = readdir(list));) {
        struct stat status;
        if (!is_kept(dirfd(list), entry->d_name, &status))
            continue;
        if (count++ == 0 || status.st_mtime < since) {
            since = status.st_mtime;
            memcpy(oldest, entry->d_name, sizeof oldest);
        }
    }
    const bool is_removed = count >= KEPT && unlinkat(dirfd(list), oldest, 0) == 0;
    closedir(list);
    return is_removed;
}

void failing_source_save(const struct emit_variant *variant, struct error *error)
{
    char path[TEMPORARY_CHARS + sizeof pattern];
    int failed = 0;
    while (make_room(temporary_folder())) {
    }
    snprintf(path, sizeof path, "%s/%s", temporary_folder(), pattern);
    int file = mkstemps(path, (int)strlen(ENDING));
    if (file < 0)
        return;
    for (size_t i = 0; i < variant->count; i++)
        failed |= file_write(file, variant->texts[i].at, variant->texts[i].length);
    if (close(file) == 0 && !failed)
        error_set_lines(error, error->code, "%s\nthe source is kept in %s", error->text, path);
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
        if (cause.code == ERROR_FAILED)
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
