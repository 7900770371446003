/* request_files: asks the file system whether each file could be opened. A full disk shows only
 * when a file is written. */
#include "autotune/cli/request_files.h"

#include "autotune/device/nvrtc.h"
#include "cache/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, else errno. */
static int check_folder(const char *path)
{
    struct text folder = {0};
    int cause = ENOMEM;
    file_add_folder_of(&folder, path);
    if (!folder.failed)
        cause = access(folder.at, W_OK | X_OK) ? errno : 0;
    text_dispose(&folder);
    return cause;
}

static int check_file(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return errno == ENOENT ? check_folder(path) : errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return access(path, W_OK) ? errno : 0;
}

int request_files_check(const struct request *request, struct error *error)
{
    const char *const written[] = {request->csv, request->json, request->cubin,
                                   request->verb == VERB_REPORT ? request->output : NULL};
    const enum verb needless = VERB_COMPARE | VERB_REPORT | VERB_LADDER;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const bool is_file = written[i] && strcmp(written[i], "-") != 0;
        const int cause = is_file ? check_file(written[i]) : 0;
        if (cause)
            return error_set(error, ERROR_IO, "%.1000s: cannot be written: %s", written[i],
                             strerror(cause));
    }
    return request->nvrtc && request->verb & needless ? nvrtc_check(request->nvrtc, error) : 0;
}
