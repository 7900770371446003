/* shared_object: looks at the file before the loader opens it. A name without a folder that is not
 * here is left to the loader, which knows more folders. */
#include "autotune/device/shared_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>

void *shared_object_open(const char *path, int flags, char why[SHARED_OBJECT_WHY])
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        snprintf(why, SHARED_OBJECT_WHY, "it is not a regular file");
        return NULL;
    }
    void *library = dlopen(path, flags);
    if (!library) {
        const char *reason = dlerror();
        snprintf(why, SHARED_OBJECT_WHY, "%s", reason ? reason : "it cannot be opened");
    }
    return library;
}
