/* locate: the NVRTC libraries on this machine, by path. Opens none of them for good. */
#ifndef AUTOTUNE_LOCATE_H
#define AUTOTUNE_LOCATE_H

#include <stddef.h>

struct locate_list {
    char **paths; /* real paths, each once, in the order in which they should be tried */
    size_t count;
};

/* `path` alone where it is given; else the loader's path, $CUDA_HOME, the toolkit's usual
 * places, and pip's packages under $VIRTUAL_ENV, each python3 on PATH, ~/.local, /usr and
 * /usr/local. Initialise `list` with {0}; dispose of it afterwards. */
void locate_nvrtc(struct locate_list *list, const char *path);
void locate_dispose(struct locate_list *list);

#endif
