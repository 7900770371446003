/* core_buffer: the type Buffer: memory of a GPU, for results of arrays whose library allocates none
 * for us and for copies of what lies on the host. Other libraries take it over by DLPack. */
#include "core.h"
#include "dlpack.h"

#include <stdlib.h>

struct core_buffer {
    PyObject_HEAD struct core_context *context;
    uint64_t address;
};

PyObject *core_buffer_make(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    struct core_context *context = (struct core_context *)object;
    uint64_t bytes;
    if (!core_read_numbers(&bytes, args, count, 1, "buffer"))
        return NULL;
    struct core_buffer *self =
        (struct core_buffer *)core_new(PyType_GetModule(Py_TYPE(object)), "Buffer");
    if (!self)
        return NULL;
    Py_INCREF(object);
    self->context = context;
    void *before = gpu_enter(&context->gpu);
    const int result = gpu_alloc(&self->address, bytes ? bytes : 1);
    gpu_leave(&context->gpu, before);
    if (result) {
        Py_DECREF(self);
        return PyErr_Format(PyExc_MemoryError, "no room for %llu bytes on GPU %d: %s",
                            (unsigned long long)bytes, context->gpu.number, gpu_error(result));
    }
    return (PyObject *)self;
}

static void buffer_free(PyObject *object)
{
    struct core_buffer *self = (struct core_buffer *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->address) {
        void *before = gpu_enter(&self->context->gpu);
        gpu_free(self->address);
        gpu_leave(&self->context->gpu, before);
    }
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* Copies between here and the host: (address there, bytes, stream); `is_in`: to the GPU. */
static PyObject *copy(PyObject *object, PyObject *const *args, Py_ssize_t count, bool is_in)
{
    const struct core_buffer *self = (struct core_buffer *)object;
    const struct gpu *gpu = &self->context->gpu;
    uint64_t at[3];
    int result;
    if (!core_read_numbers(at, args, count, 3, "copy"))
        return NULL;
    void *host = (void *)(uintptr_t)at[0], *stream = (void *)(uintptr_t)at[2];
    PyThreadState *state = PyEval_SaveThread();
    void *before = gpu_enter(gpu);
    result = is_in ? gpu_copy_in(self->address, host, at[1], stream)
                   : gpu_copy_out(host, self->address, at[1], stream);
    gpu_leave(gpu, before);
    PyEval_RestoreThread(state);
    if (result)
        return PyErr_Format(PyExc_RuntimeError, "copying %s GPU %d failed: %s",
                            is_in ? "to" : "from", gpu->number, gpu_error(result));
    Py_RETURN_NONE;
}

static PyObject *buffer_fill(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    return copy(self, args, count, true);
}

static PyObject *buffer_read(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    return copy(self, args, count, false);
}

/* --- DLPack -------------------------------------------------------------------------------- */

enum { NDIM_MAX = 64 };

struct handed {
    struct dlpack_managed managed;
    int64_t shape[NDIM_MAX];
};

/* From any thread; behind the interpreter's end nothing is left to be given back to. */
static void give_back(struct dlpack_managed *managed)
{
    if (!Py_IsInitialized())
        return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)managed->context);
    free(managed);
    PyGILState_Release(state);
}

static void drop_unused(PyObject *capsule)
{
    struct dlpack_managed *managed;
    if (!PyCapsule_IsValid(capsule, "dltensor"))
        return;
    managed = PyCapsule_GetPointer(capsule, "dltensor");
    if (managed)
        give_back(managed);
}

/* dlpack(shape, kind, bits): a capsule that keeps this memory for who takes it. */
static PyObject *buffer_dlpack(PyObject *object, PyObject *args)
{
    const struct core_buffer *self = (struct core_buffer *)object;
    PyObject *shape;
    int code, bits;
    if (!PyArg_ParseTuple(args, "O!ii", &PyTuple_Type, &shape, &code, &bits))
        return NULL;
    const Py_ssize_t ndim = PyTuple_Size(shape);
    struct handed *handed = ndim <= NDIM_MAX ? calloc(1, sizeof *handed) : NULL;
    if (!handed)
        return PyErr_NoMemory();
    handed->managed.tensor = (struct dlpack_tensor){
        .data = (void *)(uintptr_t)self->address,
        .device_type = DLPACK_CUDA,
        .device_id = self->context->gpu.number,
        .ndim = (int32_t)ndim,
        .code = (uint8_t)code,
        .bits = (uint8_t)bits,
        .lanes = 1,
        .shape = handed->shape,
    };
    for (Py_ssize_t i = 0; i < ndim; i++)
        handed->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    handed->managed.context = object;
    handed->managed.deleter = give_back;
    PyObject *capsule =
        PyErr_Occurred() ? NULL : PyCapsule_New(&handed->managed, "dltensor", drop_unused);
    if (capsule)
        Py_INCREF(object);
    else
        free(handed);
    return capsule;
}

static PyObject *say_address(PyObject *object, void *ignored)
{
    (void)ignored;
    return PyLong_FromUnsignedLongLong(((struct core_buffer *)object)->address);
}

static PyGetSetDef says[] = {
    {"address", say_address, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"fill", (PyCFunction)(void (*)(void))buffer_fill, METH_FASTCALL,
     "fill(address, bytes, stream): from the host"},
    {"read", (PyCFunction)(void (*)(void))buffer_read, METH_FASTCALL,
     "read(address, bytes, stream): to the host"},
    {"dlpack", buffer_dlpack, METH_VARARGS, "dlpack(shape, kind, bits)"},
    {NULL, NULL, 0, NULL},
};

int core_add_buffer(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)(uintptr_t)buffer_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, says},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Buffer", sizeof(struct core_buffer), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
