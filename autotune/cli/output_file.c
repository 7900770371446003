/* output_file: writes a new file beside its place, and renames it when it is whole. Knows what
 * cannot be replaced: what is no file, and what is open, standard output before all. */
#include "autotune/cli/output_file.h"

#include "autotune/cli/interrupt.h"
#include "autotune/device/temporary.h"
#include "cache/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 50, LINKS_MAX = 40 };

static int report(const char *path, int cause, struct error *error)
{
    return error_set(error, ERROR_IO, "%.1000s: cannot be written: %s", path, strerror(cause));
}

/* --- Opening ------------------------------------------------------------------------------ */

/* Of a FIFO: it has no reader yet. */
static bool has_no_reader(const struct stat *status)
{
    return S_ISFIFO(status->st_mode) && errno == ENXIO;
}

/* A plain open of a FIFO would wait, and go on to wait after a signal that is caught. */
static int open_at_once(struct output_file *out, const char *path, const struct stat *status,
                        struct error *error)
{
    const int flags = O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
    while ((out->file = open(path, flags)) < 0 && has_no_reader(status)) {
        if (interrupt_came())
            return error_set(error, ERROR_INTERRUPTED,
                             "interrupted: %.1000s is a FIFO without a reader; run the same "
                             "command again",
                             path);
        poll(NULL, 0, LOOK_MS);
    }
    if (out->file < 0)
        return report(path, errno, error);
    fcntl(out->file, F_SETFL, fcntl(out->file, F_GETFL) & ~O_NONBLOCK);
    return 0;
}

/* Appends what the last link of a path leads to, which need not be there. -1 with errno. */
static int follow(char path[PATH_MAX], char target[PATH_MAX])
{
    const ssize_t length = readlink(path, target, PATH_MAX - 1);
    if (length < 0)
        return -1;
    target[length] = '\0';
    char *slash = strrchr(path, '/');
    char *name = *target == '/' || !slash ? path : slash + 1;
    const size_t room = (size_t)(path + PATH_MAX - name);
    errno = ENAMETOOLONG;
    return snprintf(name, room, "%s", target) < (int)room ? 0 : -1;
}

/* Where the results belong; a link stays one, and what it leads to is made where it is not there. */
static int find_place(struct output_file *out, const char *path)
{
    char target[PATH_MAX];
    errno = ENAMETOOLONG;
    if (snprintf(out->place, sizeof out->place, "%s", path) >= PATH_MAX)
        return -1;
    for (int links = 0; follow(out->place, target) == 0; links++)
        if (links == LINKS_MAX) {
            errno = ELOOP;
            return -1;
        }
    return errno == EINVAL || errno == ENOENT ? 0 : -1; /* no link; nothing is there */
}

/* Makes a file in the folder of the place. */
static int make_part(struct output_file *out)
{
    struct text folder = {0};
    file_add_folder_of(&folder, out->place);
    errno = ENOMEM;
    out->file = folder.failed ? -1 : temporary_make_file(out->part, folder.at);
    const int cause = errno;
    text_dispose(&folder);
    errno = cause;
    return out->file < 0 ? -1 : 0;
}

/* The number of the open file that is named by its number, or -1. */
static int find_descriptor(const char *path)
{
    static const char *const starts[] = {"/dev/fd/", "/proc/self/fd/"};
    int number, used = 0;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(path, starts[i], strlen(starts[i])) == 0 &&
            sscanf(path + strlen(starts[i]), "%9d%n", &number, &used) == 1 && number >= 0 &&
            path[strlen(starts[i]) + (size_t)used] == '\0')
            return number;
    return -1;
}

/* Its name is no longer what standard output writes to once another file has it. */
static bool is_stdout(const struct stat *status)
{
    struct stat own;
    return fstat(STDOUT_FILENO, &own) == 0 && own.st_dev == status->st_dev &&
           own.st_ino == status->st_ino;
}

/* An open file is gone on with where it is: it is neither opened anew nor emptied. */
static int open_again(struct output_file *out, const char *path, int number,
                      struct error *error)
{
    const int flags = fcntl(number, F_GETFL);
    out->file = flags < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (out->file >= 0 && (flags & O_ACCMODE) != O_RDONLY)
        return 0;
    if (out->file >= 0)
        close(out->file);
    return report(path, EBADF, error);
}

int output_file_open(struct output_file *out, const char *path, struct error *error)
{
    struct stat status;
    const bool is_there = stat(path, &status) == 0;
    const int number = is_there && is_stdout(&status) ? STDOUT_FILENO : find_descriptor(path);
    *out = (struct output_file){.file = -1};
    if (number >= 0)
        return open_again(out, path, number, error);
    if (is_there && !S_ISREG(status.st_mode))
        return open_at_once(out, path, &status, error);
    /* A rename would replace what its owner may not write. */
    if ((is_there && access(path, W_OK)) || find_place(out, path) || make_part(out)) {
        const int cause = errno;
        *out = (struct output_file){.file = -1};
        return report(path, cause, error);
    }
    if (is_there && fchmod(out->file, status.st_mode & 0777))
        return output_file_close(out, path, report(path, errno, error), error);
    return 0;
}

int output_file_place(struct output_file *out, const char *path, struct error *error)
{
    if (*out->place && rename(out->part, out->place))
        return report(path, errno, error);
    *out->place = '\0';
    return 0;
}

int output_file_close(struct output_file *out, const char *path, int failed,
                      struct error *error)
{
    if (close(out->file) && !failed)
        failed = report(path, errno, error);
    if (!failed)
        failed = output_file_place(out, path, error);
    if (*out->place && failed)
        unlink(out->part);
    return failed;
}
