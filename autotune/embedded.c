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

const struct embedded *embedded_next(const struct embedded *last, const char *folder)
{
    const size_t length = strlen(folder);
    for (size_t i = last ? (size_t)(last - embedded_files) + 1 : 0; i < embedded_count; i++) {
        const char *name = embedded_files[i].name;
        if (strncmp(name, folder, length) == 0 && !strchr(name + length, '/'))
            return &embedded_files[i];
    }
    return NULL;
}

const struct embedded *embedded_next_space(const struct embedded *last)
{
    do
        last = embedded_next(last, "configs/");
    while (last && !strstr(last->bytes, "\n[space]\n"));
    return last;
}

const char *embedded_stem(const struct embedded *file, int *length)
{
    const char *slash = strrchr(file->name, '/'), *stem = slash ? slash + 1 : file->name;
    *length = (int)strcspn(stem, ".");
    return stem;
}

const char *embedded_space(const char *name, const char **file)
{
    char path[80];
    snprintf(path, sizeof path, "configs/%.60s.ini", name);
    const struct embedded *found = embedded_find(path);
    *file = found ? found->name : NULL;
    return found ? found->bytes : NULL;
}
