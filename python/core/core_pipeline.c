/* core_pipeline: the type Pipeline: reduces data of the host on a GPU, in chunks. One call at a time:
 * another thread's waits for it, without the GIL. */
#include "core.h"

#include <pthread.h>

struct core_pipeline {
    PyObject_HEAD struct core_context *context;
    struct autotune_pipeline *at;
    pthread_mutex_t calls;
};

enum { OP, TYPE, ACC, NAMES };
enum { N, SCAN, ORDER, NUMBERS };

PyObject *core_pipeline_make(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    struct core_context *context = (struct core_context *)object;
    struct autotune_problem problem = {0};
    struct autotune_pipeline *at = NULL;
    struct autotune_error error;
    uint64_t numbers[NUMBERS];
    int failed;
    if (count < NAMES || !core_read_text(&problem.op, args[OP]) ||
        !core_read_text(&problem.type, args[TYPE]) || !core_read_text(&problem.acc, args[ACC]))
        return PyErr_Occurred() ? NULL
                                : PyErr_Format(PyExc_TypeError, "pipeline of no problem");
    if (!core_read_numbers(numbers, args + NAMES, count - NAMES, NUMBERS, "pipeline"))
        return NULL;
    problem.n = numbers[N];
    problem.scan = (int)numbers[SCAN];
    problem.order = (int)numbers[ORDER];
    PyThreadState *state = PyEval_SaveThread();
    void *before = gpu_enter(&context->gpu);
    failed = autotune_pipeline_create(&at, context->at, &problem, NULL, NULL, &error);
    gpu_leave(&context->gpu, before);
    PyEval_RestoreThread(state);
    if (failed)
        return core_raise(error.code, error.text);
    struct core_pipeline *self =
        (struct core_pipeline *)core_new(PyType_GetModule(Py_TYPE(object)), "Pipeline");
    if (!self) {
        autotune_pipeline_destroy(at, NULL);
        return NULL;
    }
    Py_INCREF(object);
    self->context = context;
    self->at = at;
    pthread_mutex_init(&self->calls, NULL);
    return (PyObject *)self;
}

static void pipeline_free(PyObject *object)
{
    struct core_pipeline *self = (struct core_pipeline *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->context) {
        void *before = gpu_enter(&self->context->gpu);
        autotune_pipeline_destroy(self->at, NULL);
        gpu_leave(&self->context->gpu, before);
        pthread_mutex_destroy(&self->calls);
    }
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* execute(input, n, output): addresses in the host's memory. */
static PyObject *pipeline_execute(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    struct core_pipeline *self = (struct core_pipeline *)object;
    struct autotune_error error;
    uint64_t numbers[3];
    int failed;
    if (!core_read_numbers(numbers, args, count, 3, "execute"))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    pthread_mutex_lock(&self->calls);
    void *before = gpu_enter(&self->context->gpu);
    failed = autotune_execute_host(self->at, (void *)(uintptr_t)numbers[0], numbers[1],
                                   (void *)(uintptr_t)numbers[2], &error);
    gpu_leave(&self->context->gpu, before);
    pthread_mutex_unlock(&self->calls);
    PyEval_RestoreThread(state);
    if (failed)
        return core_raise(error.code, error.text);
    Py_RETURN_NONE;
}

static PyObject *pipeline_result_bytes(PyObject *object, void *ignored)
{
    const struct core_pipeline *self = (struct core_pipeline *)object;
    struct autotune_pipeline_info info;
    (void)ignored;
    autotune_pipeline_describe(self->at, &info);
    return PyLong_FromSize_t(autotune_plan_result_bytes(info.plan));
}

static PyGetSetDef says[] = {
    {"result_bytes", pipeline_result_bytes, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"execute", (PyCFunction)(void (*)(void))pipeline_execute, METH_FASTCALL,
     "execute(input, n, output)"},
    {NULL, NULL, 0, NULL},
};

int core_add_pipeline(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)(uintptr_t)pipeline_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, says},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Pipeline", sizeof(struct core_pipeline), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
