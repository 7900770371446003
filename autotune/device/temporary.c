/* temporary: names folders and files by the machine and process that made them, locks them, and
 * removes those of its kind whose lock nobody holds. Of a folder the file "lock" in it is locked,
 * for NFS knows no locks of folders. A relative TMPDIR would be another folder for a process that
 * works elsewhere. */
#include "autotune/device/temporary.h"

#include "generator/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    HOST_CHARS = 33, /* of the machine's name in a name, with the end */
    TRIES = 1000,
    LONG_AGO_S = 24 * 60 * 60,
    DEPTH = 8, /* of folders that are removed */
};
#define HOST_FORMAT "%32[A-Za-z0-9]"
static const char lock_name[] = "lock";

const char *temporary_folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named == '/' && strlen(named) < TEMPORARY_CHARS ? named : P_tmpdir;
}

bool temporary_is_drawn(const char *name, const char *start, const char *end)
{
    static const char drawn[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const size_t length = strlen(start), count = strlen("XXXXXX");
    return strncmp(name, start, length) == 0 && strspn(name + length, drawn) >= count &&
           strcmp(name + length + count, end) == 0;
}

/* This machine's name, its letters and digits. */
static const char *own_host(char out[HOST_CHARS])
{
    char name[256] = "";
    size_t length = 0;
    gethostname(name, sizeof name - 1);
    for (const char *at = name; *at && length < HOST_CHARS - 1; at++)
        if (text_is_word(*at) && *at != '_')
            out[length++] = *at;
    out[length] = '\0';
    return length ? out : strcpy(out, "host");
}

/* --- Locks -------------------------------------------------------------------------------- */

/* Is the open file still the one of that name? */
static bool is_at(int folder, const char *name, int file)
{
    struct stat here, there;
    return fstat(file, &here) == 0 && fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

/* Locks a file that was made just now; false where another process took it for one that was left. */
static bool lock_new(int folder, const char *name, int file)
{
    const bool is_taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !is_taken && is_at(folder, name, file);
}

/* The lock of a file of this user whose process has ended, or -1. */
static int lock_left(int folder, const char *name, const char *host)
{
    char own[HOST_CHARS];
    struct stat status;
    const int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == geteuid() &&
        (strcmp(host, own_host(own)) == 0 || time(NULL) - status.st_mtime > LONG_AGO_S) &&
        flock(file, LOCK_EX | LOCK_NB) == 0 && is_at(folder, name, file))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* --- Folders ------------------------------------------------------------------------------ */

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Empties a folder, whose descriptor is closed; its lock stays. */
static void empty_folder(int folder, int depth)
{
    DIR *list = fdopendir(folder);
    if (!list) {
        close(folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(list));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            (depth == DEPTH && strcmp(name, lock_name) == 0))
            continue;
        const int inner = unlinkat(folder, name, 0) ? open_folder(folder, name) : -1;
        if (inner >= 0 && depth > 0)
            empty_folder(inner, depth - 1);
        else if (inner >= 0)
            close(inner);
        if (inner >= 0)
            unlinkat(folder, name, AT_REMOVEDIR);
    }
    closedir(list);
}

/* The lock goes last: who is ended here leaves what the next one can remove. */
static void remove_folder(int at, const char *name)
{
    const int folder = open_folder(at, name);
    if (folder < 0)
        return;
    const int again = dup(folder);
    empty_folder(folder, DEPTH);
    if (again >= 0) {
        unlinkat(again, lock_name, 0);
        close(again);
    }
    unlinkat(at, name, AT_REMOVEDIR);
}

/* Is it named as temporary_open does, and a folder that this user made so? */
static bool is_folder(int at, const char *name, char host[HOST_CHARS])
{
    struct stat status;
    int parent, own, used = 0;
    return sscanf(name, "autotune-" HOST_FORMAT "-%d-%d-%n", host, &parent, &own, &used) == 3 &&
           used > 0 && temporary_is_drawn(name + used, "", "") &&
           fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_mode & 0777) == 0700 && status.st_uid == geteuid();
}

/* One without a lock is just being made, or was when its process was killed: its maker makes another. */
static void sweep_folder(int at, const char *name)
{
    char host[HOST_CHARS];
    if (!is_folder(at, name, host))
        return;
    const int folder = open_folder(at, name);
    const int lock = folder < 0 ? -1 : lock_left(folder, lock_name, host);
    if (lock >= 0)
        remove_folder(at, name);
    else
        unlinkat(at, name, AT_REMOVEDIR); /* only where it is empty */
    if (lock >= 0)
        close(lock);
    if (folder >= 0)
        close(folder);
}

static int make_folder(struct temporary *out)
{
    char host[HOST_CHARS];
    snprintf(out->path, sizeof out->path, "%s/autotune-%s-%d-%d-XXXXXX", temporary_folder(),
             own_host(host), (int)getppid(), (int)getpid());
    if (!mkdtemp(out->path))
        return -1;
    const int folder = open_folder(AT_FDCWD, out->path);
    out->lock = folder < 0 ? -1
                           : openat(folder, lock_name,
                                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int cause = errno;
    if (out->lock >= 0 && !lock_new(folder, lock_name, out->lock)) {
        close(out->lock);
        out->lock = -1;
        cause = ENOENT;
    }
    if (folder >= 0)
        close(folder);
    if (out->lock < 0)
        rmdir(out->path);
    errno = cause;
    return out->lock < 0 ? -1 : 0;
}

int temporary_open(struct temporary *out, struct error *error)
{
    for (int i = 0; i < TRIES; i++) {
        if (make_folder(out) == 0)
            return 0;
        if (errno != ENOENT || access(temporary_folder(), F_OK))
            break;
    }
    const int cause = errno;
    *out = (struct temporary){.lock = -1};
    return error_set(
        error, ERROR_IO,
        "cannot create a folder in %s to work in: %s; name another folder in TMPDIR",
        temporary_folder(), strerror(cause));
}

void temporary_close(struct temporary *temporary)
{
    if (*temporary->path)
        remove_folder(AT_FDCWD, temporary->path);
    if (temporary->lock >= 0)
        close(temporary->lock);
    *temporary = (struct temporary){.lock = -1};
}

/* --- Files -------------------------------------------------------------------------------- */

static void sweep_file(int at, const char *name)
{
    char host[HOST_CHARS];
    int own, number, used = 0;
    if (sscanf(name, ".autotune-" HOST_FORMAT "-%d-%d.part%n", host, &own, &number, &used) !=
            3 ||
        used == 0 || name[used] != '\0')
        return;
    const int lock = lock_left(at, name, host);
    if (lock < 0)
        return;
    unlinkat(at, name, 0);
    close(lock);
}

/* Hands over each entry of the folder. */
static void each_entry(const char *folder, void (*take)(int at, const char *name))
{
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));)
        take(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
}

void temporary_sweep(void)
{
    each_entry(temporary_folder(), sweep_folder);
}

int temporary_make_file(char path[PATH_MAX], const char *folder)
{
    char host[HOST_CHARS];
    int file = -1;
    each_entry(folder, sweep_file);
    for (int i = 0; i < TRIES && file < 0; i++) {
        if (snprintf(path, PATH_MAX, "%s/.autotune-%s-%d-%d.part", folder, own_host(host),
                     (int)getpid(), i) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
        if (file >= 0 && !lock_new(AT_FDCWD, path, file)) {
            close(file);
            file = -1;
            errno = EEXIST;
        }
    }
    return file;
}
