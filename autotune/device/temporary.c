/* temporary: looks at TMPDIR, which POSIX has for it. A relative one would be another folder for a
 * process that works elsewhere. */
#include "autotune/device/temporary.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool temporary_is_made(const char *name, const char *start)
{
    char path[2 * TEMPORARY_CHARS];
    struct stat status;
    const int used = snprintf(path, sizeof path, "%s/%s", temporary_folder(), name);
    return temporary_is_drawn(name, start, "") && used < (int)sizeof path &&
           lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_mode & 0777) == 0700 && status.st_uid == geteuid();
}

int temporary_lock(const char *folder, bool is_new)
{
    char path[2 * TEMPORARY_CHARS];
    snprintf(path, sizeof path, "%s/lock", folder);
    const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (is_new ? O_CREAT : 0), 0600);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}
