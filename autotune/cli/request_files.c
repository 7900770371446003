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

/* Do both names lead to one file, or would they once it is made? Of devices two may be written. */
static bool is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    const bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    struct text folder_a = {0}, folder_b = {0};
    if (has_a && has_b)
        return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
               of_a.st_ino == of_b.st_ino;
    const char *const slash_a = strrchr(a, '/'), *const slash_b = strrchr(b, '/');
    file_add_folder_of(&folder_a, a);
    file_add_folder_of(&folder_b, b);
    const bool is_one = !has_a && !has_b && !folder_a.failed && !folder_b.failed &&
                        strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 &&
                        stat(folder_a.at, &of_a) == 0 && stat(folder_b.at, &of_b) == 0 &&
                        of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    text_dispose(&folder_a);
    text_dispose(&folder_b);
    return is_one;
}

/* A folder of records that is named to be read from must be there; tune and merge make
 * theirs. */
static int check_records(const struct request *request, struct error *error)
{
    const enum verb makers = VERB_TUNE | VERB_MERGE | VERB_DOCTOR;
    struct stat status;
    if (!request->cache || request->verb & makers)
        return 0;
    if (stat(request->cache, &status))
        return error_set(
            error, ERROR_IO,
            "--cache %.1000s: %s: name a folder with records, which 'autotune tune' "
            "and 'autotune merge' make",
            request->cache, errno == ENOENT ? "there is no such folder" : strerror(errno));
    return S_ISDIR(status.st_mode)
               ? 0
               : error_set(error, ERROR_IO,
                           "--cache %.1000s: it is no folder: name one with records",
                           request->cache);
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
        for (size_t k = 0; k < i && is_file; k++)
            if (written[k] && strcmp(written[k], "-") != 0 && is_same(written[k], written[i]))
                return error_set(error, ERROR_USAGE,
                                 "%.500s and %.500s are the same file: give each its own",
                                 written[k], written[i]);
    }
    if (check_records(request, error))
        return -1;
    return request->nvrtc && request->verb & needless ? nvrtc_check(request->nvrtc, error) : 0;
}
