/* core: what the files of the extension share: Python's interface (setup.py says which: the stable one of 3.10
 * but for free-threaded Pythons), and how a failure of the library becomes an exception. The extension has the library's objects and nothing else:
 * names, axes and types are the business of the Python files beside it. */
#ifndef CORE_H
#define CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "gpu.h"
#include "include/autotune.h"

/* Raises the exception that autotune/_errors.py has for the code; returns NULL. */
PyObject *core_raise(int code, const char *text);

/* Reads `count` unsigned numbers of a call's arguments, each an int; false: an exception is set. */
bool core_read_numbers(uint64_t *out, PyObject *const *args, Py_ssize_t count,
                       Py_ssize_t wanted, const char *call);

/* The text of a str, or NULL of None; it lives as long as the str. */
bool core_read_text(const char **out, PyObject *arg);

/* A context of the library, and the GPU that it is for. */
struct core_context {
    PyObject_HEAD struct autotune_context *at;
    struct gpu gpu;
};

enum { CORE_PARAMS_MAX = 8, CORE_INPUTS_MAX = 4 };

/* Calls of a plan, one behind another on a stream: each of n elements or rows, and steps in bytes from
 * a call's elements and results to the next one's; with the same values of the operation's own params. */
struct core_run {
    uint64_t input, n, output, stream, calls, input_step, output_step;
    uint64_t params[CORE_PARAMS_MAX];      /* bits of their types, the others 0 */
    unsigned given;                        /* a bit for each that has a value here */
    uint64_t offsets;                      /* of segments, else 0 */
    uint64_t further[CORE_INPUTS_MAX - 1]; /* inputs behind the first, the same for each call */
    size_t further_count;
};

/* Runs them, without the GIL where that waits; as autotune_execute_call. */
int core_plan_run(PyObject *plan, const struct core_run *run, struct autotune_error *error);

/* What each type's file adds to the module; 0, or -1 with an exception. */
int core_add_context(PyObject *module);
int core_add_plan(PyObject *module);
int core_add_pipeline(PyObject *module);
int core_add_call(PyObject *module);
int core_add_tensor(PyObject *module);
int core_add_buffer(PyObject *module);

/* Makes an object of a type of the module, with all of it zero but its head. */
PyObject *core_new(PyObject *module, const char *type);

/* For core_context.c: what context.plan(...), context.segments(...) and context.pipeline(...) do. */
PyObject *core_plan_make(PyObject *object, PyObject *const *args, Py_ssize_t count);
PyObject *core_segments_make(PyObject *object, PyObject *const *args, Py_ssize_t count);
PyObject *core_pipeline_make(PyObject *object, PyObject *const *args, Py_ssize_t count);
PyObject *core_buffer_make(PyObject *object, PyObject *const *args, Py_ssize_t count);

#endif
