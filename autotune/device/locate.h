/* locate: finds the NVRTC libraries on this machine, by path, and Nsight Compute. Leaves no
 * library open. */
#ifndef AUTOTUNE_LOCATE_H
#define AUTOTUNE_LOCATE_H

#include "generator/text.h"

#include <stdbool.h>

/* Given each library's real path, once, in the order in which they should be tried; returns
 * whether to go on. */
typedef bool locate_visit(void *context, const char *path);

/* `path` alone where it is given; else the loader's path, $CUDA_HOME, the toolkit's usual
 * places, and pip's packages under $VIRTUAL_ENV, each python3 on PATH, ~/.local, /usr and
 * /usr/local. Looks nowhere any more once `visit` has had enough: to look means to load
 * libraries and to read folders. */
void locate_nvrtc(const char *path, locate_visit *visit, void *context);

/* Appends the path of a program of the CUDA toolkit, as nvcc: the first on PATH, else in
 * $CUDA_HOME or the toolkit's usual places. False: there is none. */
bool locate_program(struct text *out, const char *name);

/* Appends the path of ncu, Nsight Compute's command line: the first on PATH, else in
 * $CUDA_HOME, the toolkit's usual places and its own. False: there is none. */
bool locate_ncu(struct text *out);

#endif
