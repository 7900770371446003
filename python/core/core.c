/* core: the module autotune._core: what the library has, one function or object each. Everything that
 * a user sees is made of it by the Python files beside it. */
#include "core.h"

PyObject *core_raise(int code, const char *text)
{
    PyObject *errors = PyImport_ImportModule("autotune._errors");
    PyObject *made = errors ? PyObject_CallMethod(errors, "make", "is", code, text) : NULL;
    if (made)
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    Py_XDECREF(made);
    Py_XDECREF(errors);
    return NULL;
}

bool core_read_numbers(uint64_t *out, PyObject *const *args, Py_ssize_t count,
                       Py_ssize_t wanted, const char *call)
{
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", call, wanted, count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        out[i] = PyLong_AsUnsignedLongLong(args[i]);
        if (out[i] == UINT64_MAX && PyErr_Occurred())
            return false;
    }
    return true;
}

bool core_read_text(const char **out, PyObject *arg)
{
    *out = NULL;
    if (arg == Py_None)
        return true;
    *out = PyUnicode_AsUTF8AndSize(arg, NULL);
    return *out != NULL;
}

PyObject *core_new(PyObject *module, const char *type)
{
    PyObject *of = module ? PyObject_GetAttrString(module, type) : NULL;
    PyObject *made = of ? PyType_GenericAlloc((PyTypeObject *)of, 0) : NULL;
    Py_XDECREF(of);
    return made;
}

/* operation(name, text): the key that problems have for it. */
static PyObject *read_operation(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    const char *name, *text, *op;
    struct autotune_error error;
    (void)module;
    if (count != 2 || !core_read_text(&name, args[0]) || !core_read_text(&text, args[1]))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "operation(name, text)");
    if (autotune_operation_read(&op, name, text, &error))
        return core_raise(error.code, error.text);
    return PyUnicode_FromString(op);
}

static PyObject *count_gpus(PyObject *module, PyObject *ignored)
{
    (void)module, (void)ignored;
    return PyLong_FromLong(gpu_count());
}

static PyObject *find_gpu(PyObject *module, PyObject *address)
{
    (void)module;
    const uint64_t at = PyLong_AsUnsignedLongLong(address);
    return at == UINT64_MAX && PyErr_Occurred() ? NULL : PyLong_FromLong(gpu_of(at));
}

static PyMethodDef functions[] = {
    {"operation", (PyCFunction)(void (*)(void))read_operation, METH_FASTCALL,
     "operation(name, text): the key of an operation of one's own"},
    {"gpu_count", count_gpus, METH_NOARGS, "how many GPUs the driver shows"},
    {"gpu_of", find_gpu, METH_O, "the GPU of an address, or -1"},
    {NULL, NULL, 0, NULL},
};

static int fill(PyObject *module)
{
    return core_add_context(module) || core_add_plan(module) || core_add_pipeline(module) ||
                   core_add_call(module) || core_add_tensor(module) ||
                   core_add_buffer(module) ||
                   PyModule_AddStringConstant(module, "version", autotune_version())
               ? -1
               : 0;
}

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    static PyModuleDef_Slot slots[] = {
        {Py_mod_exec, (void *)(uintptr_t)fill},
#ifdef Py_GIL_DISABLED
        {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
        {0, NULL},
    };
    static struct PyModuleDef module = {
        .m_base = PyModuleDef_HEAD_INIT,
        .m_name = "autotune._core",
        .m_doc = "the library libautotune, as it is",
        .m_methods = functions,
        .m_slots = slots,
    };
    return PyModuleDef_Init(&module);
}
