/* emit_params: hands an operation's params and further inputs from a kernel's arguments to the functions that mention them.
 * Templates name no params: each function that calls one that needs them gets them, too. */
#ifndef AUTOTUNE_EMIT_PARAMS_H
#define AUTOTUNE_EMIT_PARAMS_H

#include "generator/problem.h"
#include "generator/text.h"

/* Appends `code`, CUDA C with one kernel in which functions mention `given`, a given_params. The kernel gets an
 * argument more for each param, in their order, whether it needs them or not; then each further input, and its
 * strides. */
int emit_params(struct text *out, const char *code, const struct problem *problem,
                struct error *error);

#endif
