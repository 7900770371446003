/* core_plan: the type Plan: a plan of the library and the workspaces of its calls. A call takes a
 * workspace that none has on its stream, and gives it back when it is queued: calls on one stream
 * follow each other, those on two never share one. */
#include "core.h"

#include <pthread.h>
#include <stdlib.h>

struct idle {
    void *stream;
    struct autotune_workspace *workspace;
};

struct core_plan {
    PyObject_HEAD struct core_context *context;
    struct autotune_plan *at;
    struct idle *idle;
    size_t count, room;
    pthread_mutex_t lock; /* of what is idle, where no GIL is */
};

static void lock(struct core_plan *self)
{
#ifdef Py_GIL_DISABLED
    pthread_mutex_lock(&self->lock);
#else
    (void)self;
#endif
}

static void unlock(struct core_plan *self)
{
#ifdef Py_GIL_DISABLED
    pthread_mutex_unlock(&self->lock);
#else
    (void)self;
#endif
}

enum { OP, TYPE, ACC, LIES, NAMES, NUMBERS = 11, AXES_MOST = 8 };

/* The numbers of a problem as plan(...) takes them, behind its names; then, of an array, the size
 * of each axis and the stride of each. */
enum { N, ROWS, LEN, PITCH, AXIS, SCAN, ORDER, IS_WARM, FROM, BUDGET_MS, AXES };

struct array {
    struct autotune_dims dims;
    uint64_t sizes[2 * AXES_MOST];
};

/* The array that a problem is of, where there are sizes. */
static bool read_array(struct array *out, struct autotune_problem *problem, uint64_t axes,
                       PyObject *const *args, Py_ssize_t count)
{
    const Py_ssize_t ndim = count / 2 < AXES_MOST ? count / 2 : AXES_MOST;
    if (count == 0)
        return true;
    if (!core_read_numbers(out->sizes, args, count, 2 * ndim, "plan"))
        return false;
    out->dims = (struct autotune_dims){.size = sizeof out->dims,
                                       .ndim = (unsigned)ndim,
                                       .axes = (unsigned)axes,
                                       .shape = out->sizes,
                                       .strides = out->sizes + ndim};
    problem->dims = &out->dims;
    return true;
}

static bool read_problem(struct autotune_problem *out, struct array *array,
                         uint64_t numbers[NUMBERS], PyObject *const *args, Py_ssize_t count)
{
    if (count < NAMES || !core_read_text(&out->op, args[OP]) ||
        !core_read_text(&out->type, args[TYPE]) || !core_read_text(&out->acc, args[ACC]) ||
        !core_read_text(&out->lies, args[LIES]))
        return false;
    const Py_ssize_t given = count - NAMES, own = given < NUMBERS ? given : NUMBERS;
    if (!core_read_numbers(numbers, args + NAMES, own, NUMBERS, "plan") ||
        !read_array(array, out, numbers[AXES], args + NAMES + NUMBERS, given - own))
        return false;
    out->n = numbers[N];
    out->rows = numbers[ROWS];
    out->len = numbers[LEN];
    out->pitch = numbers[PITCH];
    out->axis = (int)numbers[AXIS];
    out->scan = (int)numbers[SCAN];
    out->order = (int)numbers[ORDER];
    out->is_warm = (int)numbers[IS_WARM];
    return true;
}

/* A new plan of the context. */
static PyObject *make_plan(PyObject *object, const struct autotune_problem *problem,
                           const struct autotune_plan_options *options)
{
    struct core_context *context = (struct core_context *)object;
    struct autotune_plan *at = NULL;
    struct autotune_error error;
    int failed;
    PyThreadState *state = PyEval_SaveThread();
    void *before = gpu_enter(&context->gpu);
    failed = autotune_plan_create(&at, context->at, problem, options, &error);
    gpu_leave(&context->gpu, before);
    PyEval_RestoreThread(state);
    if (failed)
        return core_raise(error.code, error.text);
    struct core_plan *self =
        (struct core_plan *)core_new(PyType_GetModule(Py_TYPE(object)), "Plan");
    if (!self) {
        autotune_plan_destroy(at, NULL);
        return NULL;
    }
    Py_INCREF(object);
    self->context = context;
    self->at = at;
    pthread_mutex_init(&self->lock, NULL);
    return (PyObject *)self;
}

PyObject *core_plan_make(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    struct autotune_problem problem = {0};
    struct autotune_plan_options options = {0};
    struct array array;
    uint64_t numbers[NUMBERS];
    if (!read_problem(&problem, &array, numbers, args, count))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "plan of no problem");
    options.from = (enum autotune_from)numbers[FROM];
    options.budget_seconds = (double)numbers[BUDGET_MS] / 1000;
    return make_plan(object, &problem, &options);
}

PyObject *core_segments_make(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    enum { OFFSETS = ACC + 1, TEXTS, COUNTS = 3 };
    struct autotune_problem problem = {0};
    struct autotune_dims dims = {.size = sizeof dims, .ndim = 1, .axes = 1};
    const struct autotune_plan_options options = {0};
    uint64_t numbers[COUNTS]; /* n, segments, order */
    if (count != TEXTS + COUNTS)
        return PyErr_Format(PyExc_TypeError, "segments takes %d arguments", TEXTS + COUNTS);
    if (!core_read_text(&problem.op, args[OP]) || !core_read_text(&problem.type, args[TYPE]) ||
        !core_read_text(&problem.acc, args[ACC]) ||
        !core_read_text(&dims.offsets, args[OFFSETS]) ||
        !core_read_numbers(numbers, args + TEXTS, COUNTS, COUNTS, "segments"))
        return NULL;
    dims.shape = &numbers[0];
    dims.segments = numbers[1];
    problem.order = (int)numbers[2];
    problem.dims = &dims;
    return make_plan(object, &problem, &options);
}

/* Kernels of its calls may still run. */
static void plan_free(PyObject *object)
{
    struct core_plan *self = (struct core_plan *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->context) {
        const struct gpu *gpu = &self->context->gpu;
        void *before = gpu_enter(gpu);
        gpu_wait_all(gpu);
        for (size_t i = 0; i < self->count; i++)
            autotune_workspace_destroy(self->idle[i].workspace, NULL);
        autotune_plan_destroy(self->at, NULL);
        gpu_leave(gpu, before);
        pthread_mutex_destroy(&self->lock);
    }
    free(self->idle);
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* One of the stream's, or NULL. */
static struct autotune_workspace *take(struct core_plan *self, const void *stream)
{
    for (size_t i = self->count; i-- > 0;)
        if (self->idle[i].stream == stream) {
            struct autotune_workspace *found = self->idle[i].workspace;
            self->idle[i] = self->idle[--self->count];
            return found;
        }
    return NULL;
}

/* Where there is no room to note it, it is given up, when its call has ended. */
static void give(struct core_plan *self, void *stream, struct autotune_workspace *workspace)
{
    if (self->count == self->room) {
        const size_t room = self->room * 2 + 1;
        struct idle *grown = realloc(self->idle, room * sizeof *grown);
        if (!grown) {
            gpu_wait_all(&self->context->gpu);
            autotune_workspace_destroy(workspace, NULL);
            return;
        }
        self->idle = grown;
        self->room = room;
    }
    self->idle[self->count++] = (struct idle){stream, workspace};
}

/* The i-th call of a run. */
static int run_call(struct autotune_workspace *workspace, const struct core_run *run,
                    uint64_t i, struct autotune_error *error)
{
    void *stream = (void *)(uintptr_t)run->stream;
    const void *input = (void *)(uintptr_t)(run->input + i * run->input_step);
    void *output = (void *)(uintptr_t)(run->output + i * run->output_step);
    struct autotune_call call = {.size = sizeof call, .n = run->n, .stream = stream};
    if (!run->given && !run->offsets && !run->further_count)
        return autotune_execute(workspace, input, run->n, output, stream, error);
    call.inputs[0].data = input;
    for (size_t k = 0; k < run->further_count; k++)
        call.inputs[k + 1].data = (const void *)(uintptr_t)run->further[k];
    call.outputs[0] = output;
    call.offsets = (const void *)(uintptr_t)run->offsets;
    for (size_t k = 0; k < CORE_PARAMS_MAX; k++)
        if (run->given >> k & 1)
            call.params[k] = &run->params[k];
    return autotune_execute_call(workspace, &call, error);
}

/* All calls of a run, one behind another on its stream. */
static int run_calls(struct core_plan *self, struct autotune_workspace **workspace,
                     const struct core_run *run, struct autotune_error *error)
{
    void *stream = (void *)(uintptr_t)run->stream;
    int failed = 0;
    if (!*workspace)
        failed = autotune_workspace_create(workspace, self->at, NULL, stream, error);
    for (uint64_t i = 0; i < run->calls && !failed; i++)
        failed = run_call(*workspace, run, i, error);
    if (failed && *workspace)
        autotune_workspace_reset(*workspace, stream, NULL);
    return failed;
}

int core_plan_run(PyObject *plan, const struct core_run *run, struct autotune_error *error)
{
    struct core_plan *self = (struct core_plan *)plan;
    const struct gpu *gpu = &self->context->gpu;
    void *stream = (void *)(uintptr_t)run->stream;
    lock(self);
    struct autotune_workspace *workspace = take(self, stream);
    unlock(self);
    void *before = gpu_enter(gpu);
    int failed;
    if (gpu->context && workspace && run->calls == 1) {
        failed = run_calls(self, &workspace, run, error);
    } else {
        PyThreadState *state = PyEval_SaveThread();
        failed = run_calls(self, &workspace, run, error);
        PyEval_RestoreThread(state);
    }
    lock(self);
    if (workspace)
        give(self, stream, workspace);
    unlock(self);
    gpu_leave(gpu, before);
    return failed;
}

/* The bits of params; None: the usual value. */
static bool read_params(struct core_run *run, PyObject *const *args, Py_ssize_t count)
{
    if (count > CORE_PARAMS_MAX) {
        PyErr_SetString(PyExc_TypeError, "more params than an operation has");
        return false;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        if (args[k] == Py_None)
            continue;
        if (!core_read_numbers(&run->params[k], args + k, 1, 1, "execute"))
            return false;
        run->given |= 1u << k;
    }
    return true;
}

/* The addresses of a tuple. */
static bool read_further(struct core_run *run, PyObject *given)
{
    const Py_ssize_t count = PyTuple_Size(given);
    if (count >= CORE_INPUTS_MAX)
        PyErr_SetString(PyExc_TypeError, "more arrays than an operation has");
    for (Py_ssize_t k = 0; k < count && !PyErr_Occurred(); k++)
        run->further[k] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(given, k));
    run->further_count = count > 0 ? (size_t)count : 0;
    return !PyErr_Occurred();
}

/* execute(input, n, output, stream, calls, input_step, output_step, further, *params): as struct core_run,
 * with a tuple of further inputs. */
static PyObject *plan_execute(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    uint64_t at[7];
    const Py_ssize_t numbers = sizeof at / sizeof *at, further = numbers, params = further + 1;
    struct autotune_error error;
    if (count < params)
        return PyErr_Format(PyExc_TypeError, "execute takes %zd arguments or more", params);
    if (!core_read_numbers(at, args, numbers, numbers, "execute"))
        return NULL;
    struct core_run run = {.input = at[0],
                           .n = at[1],
                           .output = at[2],
                           .stream = at[3],
                           .calls = at[4],
                           .input_step = at[5],
                           .output_step = at[6]};
    if (!read_further(&run, args[further]) || !read_params(&run, args + params, count - params))
        return NULL;
    if (core_plan_run(self, &run, &error))
        return core_raise(error.code, error.text);
    Py_RETURN_NONE;
}

/* execute_segments(input, n, offsets, output, stream, *params). */
static PyObject *plan_execute_segments(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    uint64_t at[5];
    const Py_ssize_t numbers = sizeof at / sizeof *at;
    struct autotune_error error;
    if (!core_read_numbers(at, args, count < numbers ? count : numbers, numbers,
                           "execute_segments"))
        return NULL;
    struct core_run run = {.input = at[0],
                           .n = at[1],
                           .output = at[3],
                           .stream = at[4],
                           .calls = 1,
                           .offsets = at[2]};
    if (!read_params(&run, args + numbers, count - numbers))
        return NULL;
    if (core_plan_run(self, &run, &error))
        return core_raise(error.code, error.text);
    Py_RETURN_NONE;
}

/* --- What a plan says ---------------------------------------------------------------------- */

typedef const char *(*say_text)(const struct autotune_plan *);
typedef uint64_t (*say_number)(const struct autotune_plan *);
typedef const char *(*say_kth)(const struct autotune_plan *, size_t k);

static uint64_t say_grade(const struct autotune_plan *at)
{
    return (uint64_t)autotune_plan_grade(at);
}

static uint64_t say_kernels(const struct autotune_plan *at)
{
    return (uint64_t)autotune_plan_kernels(at);
}

static uint64_t say_launches(const struct autotune_plan *at)
{
    return autotune_plan_launches(at);
}

static uint64_t say_element(const struct autotune_plan *at)
{
    return autotune_plan_element_bytes(at);
}

static uint64_t say_result(const struct autotune_plan *at)
{
    return autotune_plan_result_bytes(at);
}

static uint64_t say_workspace(const struct autotune_plan *at)
{
    return autotune_plan_workspace_bytes(at);
}

static const struct saying {
    say_text text;
    say_number number;
} sayings[] = {
    {autotune_plan_params, NULL},
    {autotune_plan_origin, NULL},
    {autotune_plan_advice, NULL},
    {autotune_plan_warning, NULL},
    {NULL, autotune_plan_n},
    {NULL, autotune_plan_results},
    {NULL, say_launches},
    {NULL, say_element},
    {NULL, say_result},
    {NULL, say_workspace},
    {NULL, say_grade},
    {NULL, say_kernels},
    {autotune_plan_result_type, NULL},
};

static PyObject *plan_say(PyObject *object, void *which)
{
    const struct core_plan *self = (struct core_plan *)object;
    const struct saying *saying = which;
    return saying->text ? PyUnicode_FromString(saying->text(self->at))
                        : PyLong_FromUnsignedLongLong(saying->number(self->at));
}

/* (name, type) of each of the `count` that a plan names. */
static PyObject *list_named(const struct autotune_plan *at, size_t count, say_kth name,
                            say_kth type)
{
    PyObject *list = PyTuple_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *one = Py_BuildValue("(ss)", name(at, k), type(at, k));
        if (!one || PyTuple_SetItem(list, (Py_ssize_t)k, one)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *plan_op_params(PyObject *object, void *unused)
{
    const struct autotune_plan *at = ((struct core_plan *)object)->at;
    (void)unused;
    return list_named(at, autotune_plan_op_param_count(at), autotune_plan_op_param_name,
                      autotune_plan_op_param_type);
}

static PyObject *plan_inputs(PyObject *object, void *unused)
{
    const struct autotune_plan *at = ((struct core_plan *)object)->at;
    (void)unused;
    return list_named(at, autotune_plan_input_count(at), autotune_plan_input_name,
                      autotune_plan_input_type);
}

#define SAYS(name, i) {name, plan_say, NULL, NULL, (void *)(uintptr_t) & sayings[i]}

static PyGetSetDef says[] = {
    SAYS("params", 0),
    SAYS("origin", 1),
    SAYS("advice", 2),
    SAYS("warning", 3),
    SAYS("n", 4),
    SAYS("results", 5),
    SAYS("launches", 6),
    SAYS("element_bytes", 7),
    SAYS("result_bytes", 8),
    SAYS("workspace_bytes", 9),
    SAYS("grade", 10),
    SAYS("kernels", 11),
    SAYS("result_type", 12),
    {"op_params", plan_op_params, NULL, NULL, NULL},
    {"inputs", plan_inputs, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"execute", (PyCFunction)(void (*)(void))plan_execute, METH_FASTCALL,
     "execute(input, n, output, stream, calls, input_step, output_step, further, *params)"},
    {"execute_segments", (PyCFunction)(void (*)(void))plan_execute_segments, METH_FASTCALL,
     "execute_segments(input, n, offsets, output, stream, *params)"},
    {NULL, NULL, 0, NULL},
};

int core_add_plan(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)(uintptr_t)plan_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, says},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Plan", sizeof(struct core_plan), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
