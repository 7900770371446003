/* locate: looks for libnvrtc and ncu in the usual places of toolkits and of pip's packages. One
 * library often has several names. */
#include "autotune/device/locate.h"

#include "autotune/device/shared_object.h"
#include "generator/array.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
    char **seen; /* real paths */
    size_t count;
    locate_visit *visit;
    void *context;
    bool is_over;
};

/* Notes a place. One that cannot be noted for want of memory counts as not found. */
static void add_place(struct search *search, const char *path)
{
    char *real = realpath(path, NULL);
    bool is_known = !real;
    struct error ignored;
    for (size_t i = 0; i < search->count && !is_known; i++)
        is_known = strcmp(search->seen[i], real) == 0;
    if (is_known || array_grow(&search->seen, search->count, sizeof *search->seen, &ignored)) {
        free(real);
        return;
    }
    search->seen[search->count++] = real;
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

/* One that is there and cannot be opened is to be named. */
static void add_refused(struct search *search, const char *name)
{
    struct text path = {0};
    if (shared_object_find(&path, name))
        add_place(search, path.at);
    text_dispose(&path);
}

static void add_loaders(struct search *search)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !search->is_over; i++) {
        struct link_map *map = NULL;
        char ignored[SHARED_OBJECT_WHY];
        void *library =
            shared_object_open(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE, ignored);
        if (!library) {
            add_refused(search, names[i]);
            continue;
        }
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

/* The next folder of PATH, to `out`; false after the last. */
static bool next_folder(struct text *out, const char **rest)
{
    size_t length = 0;
    while (*rest && **rest && !length) {
        length = strcspn(*rest, ":");
        text_clear(out);
        text_add(out, *rest, length);
        *rest += length + ((*rest)[length] == ':');
    }
    return length && !out->failed;
}

/* The prefix of each python3 on PATH: <prefix>/bin/python3. */
static void add_pythons(struct search *search)
{
    const char *rest = getenv("PATH");
    struct text folder = {0}, program = {0};
    while (!search->is_over && next_folder(&folder, &rest)) {
        text_clear(&program);
        text_addf(&program, "%s/python3", folder.at);
        text_adds(&folder, "/..");
        if (!program.failed && !folder.failed && access(program.at, X_OK) == 0)
            add_packages(search, folder.at);
    }
    text_dispose(&folder);
    text_dispose(&program);
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

static void end_search(struct search *search)
{
    for (size_t i = 0; i < search->count; i++)
        free(search->seen[i]);
    free(search->seen);
}

void locate_nvrtc(const char *path, locate_visit *visit, void *context)
{
    struct search search = {.visit = visit, .context = context};
    if (path)
        add_place(&search, path);
    else
        add_places(&search);
    end_search(&search);
}

/* The first that can be run is taken. */
static bool take_program(void *context, const char *path)
{
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || access(path, X_OK))
        return true;
    text_adds(context, path);
    return false;
}

/* On PATH, then in the toolkit. */
static void add_program(struct search *search, const char *name)
{
    static const char *const folders[] = {"bin", "cuda/bin", "cuda-*/bin"};
    const char *rest = getenv("PATH"), *cuda_home = getenv("CUDA_HOME");
    struct text folder = {0};
    while (!search->is_over && next_folder(&folder, &rest))
        add_matches(search, folder.at, name);
    text_dispose(&folder);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char pattern[64];
        snprintf(pattern, sizeof pattern, "%s/%.40s", folders[i], name);
        if (i > 0 || (cuda_home && *cuda_home))
            add_matches(search, i > 0 ? "/usr/local" : cuda_home, pattern);
    }
}

bool locate_program(struct text *out, const char *name)
{
    struct search search = {.visit = take_program, .context = out};
    const size_t before = out->length;
    add_program(&search, name);
    end_search(&search);
    return out->length > before && !out->failed;
}

bool locate_ncu(struct text *out)
{
    struct search search = {.visit = take_program, .context = out};
    const size_t before = out->length;
    add_program(&search, "ncu");
    add_matches(&search, "/opt/nvidia/nsight-compute", "*/ncu");
    end_search(&search);
    return out->length > before && !out->failed;
}
