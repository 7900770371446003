/* temporary: looks at TMPDIR, which POSIX has for it. A relative one would be another folder for a
 * process that works elsewhere. */
#include "autotune/device/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *temporary_folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named == '/' && strlen(named) < TEMPORARY_CHARS ? named : P_tmpdir;
}
