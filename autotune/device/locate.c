/* locate: looks for libnvrtc where people have it. Hides the usual places of toolkits and of
 * pip's packages, and that one library often goes by several names. */
#include "autotune/device/locate.h"

#include "generator/text.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
    char **seen; /* real paths */
    size_t count;
    locate_visit *visit;
    void *context;
    bool is_over;
};

/* A place that cannot be noted for want of memory is one that was not found. */
static void add_place(struct search *search, const char *path)
{
    char *real = realpath(path, NULL);
    bool is_known = !real;
    for (size_t i = 0; i < search->count && !is_known; i++)
        is_known = strcmp(search->seen[i], real) == 0;
    char **seen = is_known ? NULL : realloc(search->seen, (search->count + 1) * sizeof *seen);
    if (!seen) {
        free(real);
        return;
    }
    search->seen = seen;
    seen[search->count++] = real;
    search->is_over = !search->visit(search->context, real);
}

static void add_matches(struct search *search, const char *root, const char *pattern)
{
    struct text path = {0};
    glob_t found = {0};
    text_addf(&path, "%s/%s", root, pattern);
    if (!search->is_over && !path.failed && glob(path.at, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !search->is_over; i++)
            add_place(search, found.gl_pathv[i]);
    globfree(&found);
    text_dispose(&path);
}

static void add_loaders(struct search *search)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !search->is_over; i++) {
        struct link_map *map = NULL;
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        if (!library)
            continue;
        if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
            add_place(search, map->l_name);
        dlclose(library);
    }
}

static void add_packages(struct search *search, const char *root)
{
    add_matches(search, root, "lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*");
    add_matches(search, root, "lib/python3*/dist-packages/nvidia/*/lib/libnvrtc.so*");
}

/* The prefix of each python3 on PATH: <prefix>/bin/python3. */
static void add_pythons(struct search *search)
{
    const char *rest = getenv("PATH");
    while (rest && *rest && !search->is_over) {
        size_t length = strcspn(rest, ":");
        struct text root = {0};
        text_add(&root, rest, length);
        text_adds(&root, "/python3");
        bool is_there = length && !root.failed && access(root.at, X_OK) == 0;
        text_clear(&root);
        text_add(&root, rest, length);
        text_adds(&root, "/..");
        if (is_there && !root.failed)
            add_packages(search, root.at);
        text_dispose(&root);
        rest += length + (rest[length] == ':');
    }
}

static void add_places(struct search *search)
{
    const char *cuda_home = getenv("CUDA_HOME");
    const char *venv = getenv("VIRTUAL_ENV"), *home = getenv("HOME");
    struct text local = {0};
    add_loaders(search);
    if (cuda_home && *cuda_home) {
        add_matches(search, cuda_home, "lib64/libnvrtc.so*");
        add_matches(search, cuda_home, "lib/libnvrtc.so*");
    }
    add_matches(search, "/usr/local", "cuda/lib64/libnvrtc.so*");
    add_matches(search, "/usr/local", "cuda-*/lib64/libnvrtc.so*");
    if (venv && *venv)
        add_packages(search, venv);
    add_pythons(search);
    text_addf(&local, "%s/.local", home ? home : "");
    if (home && !local.failed)
        add_packages(search, local.at);
    text_dispose(&local);
    add_packages(search, "/usr");
    add_packages(search, "/usr/local");
}

void locate_nvrtc(const char *path, locate_visit *visit, void *context)
{
    struct search search = {.visit = visit, .context = context};
    if (path)
        add_place(&search, path);
    else
        add_places(&search);
    for (size_t i = 0; i < search.count; i++)
        free(search.seen[i]);
    free(search.seen);
}
