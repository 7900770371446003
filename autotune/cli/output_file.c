/* output_file: a new file beside its place, by O_EXCL, then a rename. Knows what cannot be replaced:
 * what is no file, and the file that is standard output. */
#include "autotune/cli/output_file.h"

#include "autotune/cli/interrupt.h"
#include "cache/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 50, NAMES_MAX = 1000 };

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

/* Where the results belong; a link stays one. */
static int find_place(struct output_file *out, const char *path)
{
    char resolved[PATH_MAX];
    if (realpath(path, resolved))
        path = resolved;
    else if (errno != ENOENT)
        return -1;
    const int used = snprintf(out->place, sizeof out->place, "%s", path);
    errno = ENAMETOOLONG;
    return used < PATH_MAX ? 0 : -1;
}

/* Was it left by a process that was killed? Its lock ended with it, on whatever machine it ran. */
static bool is_abandoned(int folder, const char *name)
{
    struct stat status;
    int pid, number, used = 0;
    if (sscanf(name, ".autotune-%d-%d.part%n", &pid, &number, &used) != 2 || used == 0 ||
        name[used] != '\0' || pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
        return false;
    const int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is_free = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0)
        close(file);
    return is_free;
}

static void sweep(const char *folder)
{
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (is_abandoned(dirfd(list), entry->d_name))
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

/* Makes a file in the folder of the place, by the first name that is free: another process's
 * is not, and nobody else's is taken. It is locked, so that no other process sweeps it. */
static int make_part(struct output_file *out)
{
    struct text folder = {0};
    file_add_folder_of(&folder, out->place);
    if (!folder.failed)
        sweep(folder.at);
    errno = ENOMEM;
    out->file = -1;
    for (int i = 0; i < NAMES_MAX && !folder.failed && out->file < 0; i++) {
        errno = ENAMETOOLONG;
        if (snprintf(out->part, sizeof out->part, "%s/.autotune-%d-%d.part", folder.at,
                     (int)getpid(), i) >= PATH_MAX)
            break;
        out->file = open(out->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->file < 0 && errno != EEXIST)
            break;
    }
    const int cause = errno;
    text_dispose(&folder);
    if (out->file >= 0)
        flock(out->file, LOCK_EX | LOCK_NB);
    errno = cause;
    return out->file < 0 ? -1 : 0;
}

/* Its name is no longer what standard output writes to once another file has it. */
static bool is_stdout(const struct stat *status)
{
    struct stat own;
    return fstat(STDOUT_FILENO, &own) == 0 && own.st_dev == status->st_dev &&
           own.st_ino == status->st_ino;
}

int output_file_open(struct output_file *out, const char *path, struct error *error)
{
    struct stat status;
    const bool is_there = stat(path, &status) == 0;
    *out = (struct output_file){.file = -1};
    if (is_there && (!S_ISREG(status.st_mode) || is_stdout(&status)))
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
