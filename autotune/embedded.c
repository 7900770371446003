/* embedded: finds a file among those built into the program. The bytes themselves are assembled
 * by generator/embed.sh. */
#include "autotune/embedded.h"

#include <stdio.h>
#include <string.h>

const struct embedded *embedded_find(const char *name)
{
    for (size_t i = 0; i < embedded_count; i++)
        if (strcmp(embedded_files[i].name, name) == 0)
            return &embedded_files[i];
    return NULL;
}

const char *embedded_space(const char *name, const char **file)
{
    char path[80];
    snprintf(path, sizeof path, "configs/%.60s.ini", name);
    const struct embedded *found = embedded_find(path);
    *file = found ? found->name : NULL;
    return found ? found->bytes : NULL;
}
