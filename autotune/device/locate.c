/* locate: looks for libnvrtc where people have it. Hides the usual places of toolkits and of
 * pip's packages, and that one library often goes by several names. */
#include "autotune/device/locate.h"

#include "generator/text.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void locate_dispose(struct locate_list *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->paths[i]);
    free(places->paths);
}

/* A place that cannot be added for want of memory is one that was not found. */
static void add_place(struct locate_list *places, const char *path)
{
    char *real = realpath(path, NULL);
    bool is_known = !real;
    for (size_t i = 0; i < places->count && !is_known; i++)
        is_known = strcmp(places->paths[i], real) == 0;
    char **paths = is_known ? NULL
                            : realloc(places->paths, (places->count + 1) * sizeof *paths);
    if (!paths) {
        free(real);
        return;
    }
    places->paths = paths;
    paths[places->count++] = real;
}

static void add_matches(struct locate_list *places, const char *root, const char *pattern)
{
    struct text path = {0};
    glob_t found = {0};
    text_addf(&path, "%s/%s", root, pattern);
    if (!path.failed && glob(path.at, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_place(places, found.gl_pathv[i]);
    globfree(&found);
    text_dispose(&path);
}

static void add_loaders(struct locate_list *places)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct link_map *map = NULL;
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        if (!library)
            continue;
        if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
            add_place(places, map->l_name);
        dlclose(library);
    }
}

static void add_packages(struct locate_list *places, const char *root)
{
    add_matches(places, root, "lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*");
    add_matches(places, root, "lib/python3*/dist-packages/nvidia/*/lib/libnvrtc.so*");
}

/* The prefix of each python3 on PATH: <prefix>/bin/python3. */
static void add_pythons(struct locate_list *places)
{
    const char *rest = getenv("PATH");
    while (rest && *rest) {
        size_t length = strcspn(rest, ":");
        struct text root = {0};
        text_add(&root, rest, length);
        text_adds(&root, "/python3");
        bool is_there = length && !root.failed && access(root.at, X_OK) == 0;
        text_clear(&root);
        text_add(&root, rest, length);
        text_adds(&root, "/..");
        if (is_there && !root.failed)
            add_packages(places, root.at);
        text_dispose(&root);
        rest += length + (rest[length] == ':');
    }
}

void locate_nvrtc(struct locate_list *places, const char *path)
{
    const char *cuda_home = getenv("CUDA_HOME");
    const char *venv = getenv("VIRTUAL_ENV"), *home = getenv("HOME");
    struct text local = {0};
    if (path) {
        add_place(places, path);
        return;
    }
    add_loaders(places);
    if (cuda_home && *cuda_home) {
        add_matches(places, cuda_home, "lib64/libnvrtc.so*");
        add_matches(places, cuda_home, "lib/libnvrtc.so*");
    }
    add_matches(places, "/usr/local", "cuda/lib64/libnvrtc.so*");
    add_matches(places, "/usr/local", "cuda-*/lib64/libnvrtc.so*");
    if (venv && *venv)
        add_packages(places, venv);
    add_pythons(places);
    text_addf(&local, "%s/.local", home ? home : "");
    if (home && !local.failed)
        add_packages(places, local.at);
    text_dispose(&local);
    add_packages(places, "/usr");
    add_packages(places, "/usr/local");
}
