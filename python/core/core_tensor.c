/* core_tensor: the type Tensor: an array that another library handed over by DLPack, with what can be
 * known of it, and the duty to give it back when the object ends. */
#include "core.h"
#include "dlpack.h"

struct core_tensor {
    PyObject_HEAD struct dlpack_managed *managed; /* one of the two */
    struct dlpack_versioned *versioned;
};

static const struct dlpack_tensor *tensor_of(PyObject *object)
{
    const struct core_tensor *self = (struct core_tensor *)object;
    return self->managed ? &self->managed->tensor : &self->versioned->tensor;
}

/* Takes over what a capsule holds, which from then on has another name. */
static bool take(struct core_tensor *self, PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        self->managed = PyCapsule_GetPointer(capsule, "dltensor");
        return PyCapsule_SetName(capsule, "used_dltensor") == 0;
    }
    struct dlpack_versioned *at = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (!at)
        return false;
    if (at->major != 1) {
        PyErr_Format(PyExc_BufferError, "DLPack %u.%u is not known here, only 1", at->major,
                     at->minor);
        return false;
    }
    self->versioned = at;
    return PyCapsule_SetName(capsule, "used_dltensor_versioned") == 0;
}

/* Tensor(capsule) */
static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *capsule;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O", &capsule))
        return NULL;
    struct core_tensor *self = (struct core_tensor *)PyType_GenericAlloc(type, 0);
    if (self && !take(self, capsule)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void tensor_free(PyObject *object)
{
    struct core_tensor *self = (struct core_tensor *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->managed && self->managed->deleter)
        self->managed->deleter(self->managed);
    if (self->versioned && self->versioned->deleter)
        self->versioned->deleter(self->versioned);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *say_numbers(const int64_t *numbers, int32_t count)
{
    PyObject *tuple = numbers ? PyTuple_New(count) : Py_BuildValue("");
    for (int32_t i = 0; numbers && tuple && i < count; i++)
        if (PyTuple_SetItem(tuple, i, PyLong_FromLongLong(numbers[i]))) {
            Py_DECREF(tuple);
            return NULL;
        }
    return tuple;
}

static PyObject *say_address(PyObject *self, void *ignored)
{
    const struct dlpack_tensor *at = tensor_of(self);
    (void)ignored;
    return PyLong_FromUnsignedLongLong((uintptr_t)at->data + at->byte_offset);
}

static PyObject *say_shape(PyObject *self, void *ignored)
{
    static const int64_t none;
    const struct dlpack_tensor *at = tensor_of(self);
    (void)ignored;
    return say_numbers(at->ndim ? at->shape : &none, at->ndim);
}

static PyObject *say_strides(PyObject *self, void *ignored)
{
    (void)ignored;
    return say_numbers(tensor_of(self)->strides, tensor_of(self)->ndim);
}

static PyObject *say_type(PyObject *self, void *ignored)
{
    const struct dlpack_tensor *at = tensor_of(self);
    (void)ignored;
    return Py_BuildValue("(iii)", (int)at->code, (int)at->bits, (int)at->lanes);
}

static PyObject *say_device(PyObject *self, void *ignored)
{
    const struct dlpack_tensor *at = tensor_of(self);
    (void)ignored;
    return Py_BuildValue("(ii)", (int)at->device_type, (int)at->device_id);
}

static PyGetSetDef says[] = {
    {"address", say_address, NULL, "of the first element", NULL},
    {"shape", say_shape, NULL, NULL, NULL},
    {"strides", say_strides, NULL, "in elements; None: without gaps", NULL},
    {"type", say_type, NULL, "kind, bits and lanes", NULL},
    {"device", say_device, NULL, "kind and number", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int core_add_tensor(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)(uintptr_t)tensor_new},
        {Py_tp_dealloc, (void *)(uintptr_t)tensor_free},
        {Py_tp_getset, says},
        {Py_tp_doc, "Tensor(capsule)"},
        {0, NULL},
    };
    static PyType_Spec spec = {"autotune._core.Tensor", sizeof(struct core_tensor), 0,
                               Py_TPFLAGS_DEFAULT, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
}
