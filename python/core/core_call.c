/* core_call: the type Call: the short way of a plan for arrays of one type that has DLPack's exchange
 * table, as PyTorch's. It sees where an array is, and on which stream, without a Python object in
 * between; what is not as the plan's arrays are is left to the long way. */
#include "core.h"
#include "dlpack.h"

#include <string.h>

enum { NDIM_MAX = 16 };

/* What an array has to be like; without gaps, the last axis fastest. */
struct like {
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    int64_t shape[NDIM_MAX];
};

struct core_call {
    PyObject_HEAD PyObject *plan, *type;
    const struct dlpack_exchange *exchange;
    struct like elements, results;
    struct core_run run; /* but for addresses and stream */
};

static const struct dlpack_exchange *find_exchange(PyObject *type)
{
    PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
    const struct dlpack_exchange *found =
        capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    Py_XDECREF(capsule);
    while (found && found->major > 1)
        found = found->older;
    if (found && found->major == 1 && found->view)
        return found;
    PyErr_Clear();
    PyErr_SetString(PyExc_BufferError, "this type has no exchange table of DLPack 1");
    return NULL;
}

static bool read_like(struct like *out, PyObject *shape, int code, int bits)
{
    const Py_ssize_t ndim = PyTuple_Size(shape);
    if (ndim < 0 || ndim > NDIM_MAX) {
        PyErr_SetString(PyExc_BufferError, "too many axes");
        return false;
    }
    out->ndim = (int32_t)ndim;
    out->code = (uint8_t)code;
    out->bits = (uint8_t)bits;
    for (Py_ssize_t i = 0; i < ndim; i++)
        out->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    return !PyErr_Occurred();
}

/* Call(plan, type, gpu, shape, (kind, bits), shape of results, (kind, bits), n, calls, input_step,
 * output_step): of arrays on that GPU, or on the host for -1; BufferError where there is no short way. */
static PyObject *call_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *plan, *of, *shape, *result_shape;
    int gpu, code, bits, result_code, result_bits;
    unsigned long long n, calls, input_step, output_step;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OOiO!(ii)O!(ii)KKKK", &plan, &of, &gpu, &PyTuple_Type, &shape,
                          &code, &bits, &PyTuple_Type, &result_shape, &result_code,
                          &result_bits, &n, &calls, &input_step, &output_step))
        return NULL;
    const struct dlpack_exchange *exchange = find_exchange(of);
    struct core_call *self = exchange ? (struct core_call *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self)
        return NULL;
    self->elements.device_type = self->results.device_type = gpu < 0 ? DLPACK_CPU : DLPACK_CUDA;
    self->elements.device_id = self->results.device_id = gpu < 0 ? 0 : gpu;
    self->exchange = exchange;
    self->run = (struct core_run){.n = n,
                                  .calls = calls,
                                  .input_step = input_step,
                                  .output_step = output_step};
    Py_INCREF(plan);
    Py_INCREF(of);
    self->plan = plan;
    self->type = of;
    if (!read_like(&self->elements, shape, code, bits) ||
        !read_like(&self->results, result_shape, result_code, result_bits)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void call_free(PyObject *object)
{
    struct core_call *self = (struct core_call *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->plan);
    Py_XDECREF(self->type);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- Is an array like that? ---------------------------------------------------------------- */

static bool has_no_gaps(const struct dlpack_tensor *at)
{
    int64_t step = 1;
    for (int32_t i = at->ndim; at->strides && i-- > 0; step *= at->shape[i])
        if (at->shape[i] != 1 && at->strides[i] != step)
            return false;
    return true;
}

static bool is_like(const struct dlpack_tensor *at, const struct like *wanted)
{
    return at->device_type == wanted->device_type && at->device_id == wanted->device_id &&
           at->ndim == wanted->ndim && at->code == wanted->code && at->bits == wanted->bits &&
           at->lanes == 1 &&
           (!at->ndim ||
            memcmp(at->shape, wanted->shape, (size_t)at->ndim * sizeof *at->shape) == 0) &&
           has_no_gaps(at);
}

/* A gradient would be lost: the long way says so. */
static bool has_no_gradient(PyObject *array)
{
    PyObject *
        requires
    = PyObject_GetAttrString(array, "requires_grad");
    const int is_true =
        requires
    ? PyObject_IsTrue(requires) : 0;
    Py_XDECREF(requires);
    PyErr_Clear();
    return is_true == 0;
}

/* The address of its elements; false where it is not like that. */
static bool see(uint64_t *out, const struct core_call *self, PyObject *array,
                const struct like *wanted)
{
    struct dlpack_tensor at;
    if ((PyObject *)Py_TYPE(array) != self->type || !has_no_gradient(array))
        return false;
    if (self->exchange->view(array, &at)) {
        PyErr_Clear();
        return false;
    }
    *out = (uintptr_t)at.data + at.byte_offset;
    return is_like(&at, wanted);
}

/* --- Results of its own -------------------------------------------------------------------- */

static void set_error(void *context, const char *kind, const char *message)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    (void)context;
    PyErr_Format(PyExc_RuntimeError, "no array for results: %s: %s", kind, message);
    PyGILState_Release(state);
}

static struct dlpack_versioned *allocate(const struct core_call *self)
{
    struct like like = self->results;
    struct dlpack_versioned *made = NULL;
    struct dlpack_tensor prototype = {
        .device_type = like.device_type,
        .device_id = like.device_id,
        .ndim = like.ndim,
        .code = like.code,
        .bits = like.bits,
        .lanes = 1,
        .shape = like.shape,
    };
    return self->exchange->allocate(&prototype, &made, NULL, set_error) ? NULL : made;
}

/* --- The call ------------------------------------------------------------------------------ */

enum { LEGACY_STREAM = 1 };

static bool run(const struct core_call *self, struct core_run *run)
{
    struct autotune_error error;
    void *stream = NULL;
    if (self->elements.device_type == DLPACK_CUDA) {
        if (self->exchange->current_stream(DLPACK_CUDA, self->elements.device_id, &stream))
            return false;
        run->stream = stream ? (uintptr_t)stream : LEGACY_STREAM;
    }
    if (core_plan_run(self->plan, run, &error) == 0)
        return true;
    core_raise(error.code, error.text);
    return false;
}

/* run(x, out): out, or an array of the same type where it is None; NotImplemented where this way is
 * not theirs. */
static PyObject *call_run(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    const struct core_call *self = (struct core_call *)object;
    struct core_run now = self->run;
    struct dlpack_versioned *made;
    void *array;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "run(x, out)");
    if (!see(&now.input, self, args[0], &self->elements) ||
        (args[1] != Py_None && !see(&now.output, self, args[1], &self->results))) {
        Py_INCREF(Py_NotImplemented);
        return Py_NotImplemented;
    }
    if (args[1] != Py_None) {
        if (!run(self, &now))
            return NULL;
        Py_INCREF(args[1]);
        return args[1];
    }
    made = allocate(self);
    if (!made)
        return NULL;
    now.output = (uintptr_t)made->tensor.data + made->tensor.byte_offset;
    if (!run(self, &now)) {
        made->deleter(made);
        return NULL;
    }
    return self->exchange->import(made, &array) ? NULL : array;
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))call_run, METH_FASTCALL, "run(x, out)"},
    {NULL, NULL, 0, NULL},
};

int core_add_call(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)(uintptr_t)call_new},
        {Py_tp_dealloc, (void *)(uintptr_t)call_free},
        {Py_tp_methods, methods},
        {Py_tp_doc, "a plan's short way"},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Call", sizeof(struct core_call), 0,
                               Py_TPFLAGS_DEFAULT, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
