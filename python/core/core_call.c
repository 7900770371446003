/* core_call: the type Call, which the plans of _plan.py derive from: how one is called. For arrays of one type
 * that has DLPack's exchange table, as PyTorch's, there is a short way, which sees where an array is, and on which
 * stream, without a Python object or frame in between; what is not as the plan's arrays are is left to the
 * long way, a method. */
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
    PyObject_HEAD PyObject *plan, *type; /* NULL until there is a short way */
    const struct dlpack_exchange *exchange;
    struct like elements, results;
    struct core_run run; /* but for addresses and stream */
    int is_converted;    /* are results made of what kernels give, by a method? */
};

static bool has_short(const struct core_call *self)
{
    return __atomic_load_n(&self->plan, __ATOMIC_ACQUIRE) != NULL;
}

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

/* shorten(plan, type, gpu, shape, (kind, bits), shape of results, (kind, bits), n, calls, input_step,
 * output_step, is_converted): for arrays on that GPU, or on the host for -1; BufferError where there is no short way. The
 * first that there is stays: other threads may be on it. */
static PyObject *call_shorten(PyObject *object, PyObject *args)
{
    struct core_call *self = (struct core_call *)object;
    PyObject *plan, *of, *shape, *result_shape;
    int gpu, code, bits, result_code, result_bits, is_converted;
    unsigned long long n, calls, input_step, output_step;
    if (!PyArg_ParseTuple(args, "OOiO!(ii)O!(ii)KKKKp", &plan, &of, &gpu, &PyTuple_Type, &shape,
                          &code, &bits, &PyTuple_Type, &result_shape, &result_code,
                          &result_bits, &n, &calls, &input_step, &output_step, &is_converted))
        return NULL;
    if (has_short(self))
        Py_RETURN_NONE;
    self->exchange = find_exchange(of);
    if (!self->exchange || !read_like(&self->elements, shape, code, bits) ||
        !read_like(&self->results, result_shape, result_code, result_bits))
        return NULL;
    self->elements.device_type = self->results.device_type = gpu < 0 ? DLPACK_CPU : DLPACK_CUDA;
    self->elements.device_id = self->results.device_id = gpu < 0 ? 0 : gpu;
    self->run = (struct core_run){.n = n,
                                  .calls = calls,
                                  .input_step = input_step,
                                  .output_step = output_step};
    self->is_converted = is_converted;
    Py_INCREF(of);
    self->type = of;
    Py_INCREF(plan);
    __atomic_store_n(&self->plan, plan, __ATOMIC_RELEASE);
    Py_RETURN_NONE;
}

/* Of what derives from it, too, which the collector may know. */
static void call_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    const freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF(((struct core_call *)object)->plan);
    Py_XDECREF(((struct core_call *)object)->type);
    give_back(object);
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

/* Names that each call looks up. */
static PyObject *requires_grad, *out_name;

/* A gradient would be lost: the long way says so. */
static bool has_no_gradient(PyObject *array)
{
    PyObject *found = PyObject_GetAttr(array, requires_grad);
    if (found) {
        Py_DECREF(found); /* True and False live on */
        return found == Py_False;
    }
    PyErr_Clear();
    return true;
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

/* out, or an array of the same type where it is None; NotImplemented where this way is not theirs. */
static PyObject *go_short(struct core_call *self, PyObject *x, PyObject *out)
{
    struct core_run now = self->run;
    struct dlpack_versioned *made;
    void *array;
    if (!has_short(self) || !see(&now.input, self, x, &self->elements) ||
        (out != Py_None && !see(&now.output, self, out, &self->results))) {
        Py_INCREF(Py_NotImplemented);
        return Py_NotImplemented;
    }
    if (out != Py_None) {
        if (!run(self, &now))
            return NULL;
        Py_INCREF(out);
        return out;
    }
    made = allocate(self);
    if (!made)
        return NULL;
    now.output = (uintptr_t)made->tensor.data + made->tensor.byte_offset;
    if (!run(self, &now)) {
        made->deleter(made);
        return NULL;
    }
    if (self->exchange->import(made, &array))
        return NULL;
    return self->is_converted ? PyObject_CallMethod((PyObject *)self, "convert", "N", array)
                              : array;
}

static PyObject *call_short(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    return count == 2 ? go_short((struct core_call *)self, args[0], args[1])
                      : PyErr_Format(PyExc_TypeError, "short(x, out)");
}

/* (x, out=None); of what is called otherwise the long way tells. */
static PyObject *call_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    const Py_ssize_t count = PyTuple_Size(args), named = keywords ? PyDict_Size(keywords) : 0;
    PyObject *out = count == 2 ? PyTuple_GetItem(args, 1) : Py_None;
    if (named == 1 && count == 1)
        out = PyDict_GetItemWithError(keywords, out_name);
    if (out && count + named <= 2 && count >= 1) {
        PyObject *made = go_short((struct core_call *)self, PyTuple_GetItem(args, 0), out);
        if (made != Py_NotImplemented)
            return made;
        Py_DECREF(made);
    }
    PyObject *other = PyObject_GetAttrString(self, "long");
    PyObject *made = other ? PyObject_Call(other, args, keywords) : NULL;
    Py_XDECREF(other);
    return made;
}

static PyMethodDef methods[] = {
    {"shorten", call_shorten, METH_VARARGS, NULL},
    {"short", (PyCFunction)(void (*)(void))call_short, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *say_has_short(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyBool_FromLong(has_short((struct core_call *)self));
}

static PyGetSetDef says[] = {
    {"has_short", say_has_short, NULL, "Is there a short way, for arrays of one library?",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int core_add_call(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)(uintptr_t)call_free},
        {Py_tp_call, (void *)(uintptr_t)call_call},
        {Py_tp_methods, methods},
        {Py_tp_getset, says},
        {Py_tp_doc, "how a plan is called"},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Call", sizeof(struct core_call), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    requires_grad = PyUnicode_InternFromString("requires_grad");
    out_name = PyUnicode_InternFromString("out");
    PyObject *type =
        requires_grad && out_name ? PyType_FromModuleAndSpec(module, &spec, NULL) : NULL;
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
