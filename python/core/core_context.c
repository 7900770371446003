/* core_context: the type Context: a context of the library, on a GPU or on the emulator. What plans
 * and pipelines are made from. */
#include "core.h"

/* Context(gpu, records, kernels, nvrtc, program): gpu -1 is the emulator; each other is a str or
 * None, as autotune_context_options has them. */
static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    struct autotune_context_options options = {0};
    struct autotune_error error;
    int number;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "izzzz", &number, &options.records, &options.kernels,
                          &options.nvrtc, &options.program))
        return NULL;
    struct core_context *self = (struct core_context *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    const int refused = number < 0 ? 0 : gpu_open(&self->gpu, number);
    options.device = number < 0 ? "host" : NULL;
    if (refused) {
        Py_DECREF(self);
        return PyErr_Format(PyExc_RuntimeError, "GPU %d cannot be opened: %s", number,
                            gpu_error(refused));
    }
    void *before = gpu_enter(&self->gpu);
    const int failed = autotune_context_create(&self->at, &options, &error);
    gpu_leave(&self->gpu, before);
    if (failed) {
        Py_DECREF(self);
        return core_raise(error.code, error.text);
    }
    return (PyObject *)self;
}

static void context_free(PyObject *object)
{
    struct core_context *self = (struct core_context *)object;
    PyTypeObject *type = Py_TYPE(object);
    void *before = gpu_enter(&self->gpu);
    autotune_context_destroy(self->at, NULL);
    gpu_leave(&self->gpu, before);
    gpu_close(&self->gpu);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* wait(stream): until all that was queued there has ended. */
static PyObject *context_wait(PyObject *object, PyObject *stream)
{
    const struct core_context *self = (struct core_context *)object;
    const uint64_t at = PyLong_AsUnsignedLongLong(stream);
    int result = 0;
    if (at == UINT64_MAX && PyErr_Occurred())
        return NULL;
    if (self->gpu.context) {
        PyThreadState *state = PyEval_SaveThread();
        void *before = gpu_enter(&self->gpu);
        result = gpu_wait((void *)(uintptr_t)at);
        gpu_leave(&self->gpu, before);
        PyEval_RestoreThread(state);
    }
    if (result)
        return PyErr_Format(PyExc_RuntimeError, "a kernel on GPU %d failed: %s",
                            self->gpu.number, gpu_error(result));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"plan", (PyCFunction)(void (*)(void))core_plan_make, METH_FASTCALL,
     "plan(op, type, acc, n, rows, len, pitch, axis, scan, order, is_warm, from, budget_ms)"},
    {"segments", (PyCFunction)(void (*)(void))core_segments_make, METH_FASTCALL,
     "segments(op, type, acc, offsets, n, count, order): a plan"},
    {"pipeline", (PyCFunction)(void (*)(void))core_pipeline_make, METH_FASTCALL,
     "pipeline(op, type, acc, n, scan, order)"},
    {"buffer", (PyCFunction)(void (*)(void))core_buffer_make, METH_FASTCALL,
     "buffer(bytes): memory of this GPU"},
    {"wait", context_wait, METH_O, "wait(stream)"},
    {NULL, NULL, 0, NULL},
};

int core_add_context(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)(uintptr_t)context_new},
        {Py_tp_dealloc, (void *)(uintptr_t)context_free},
        {Py_tp_methods, methods},
        {Py_tp_doc, "Context(gpu, records, kernels, nvrtc, program)"},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Context", sizeof(struct core_context), 0,
                               Py_TPFLAGS_DEFAULT, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
