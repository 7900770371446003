/* empty: a module whose one function launches an empty kernel, by the same kind of call and in the same context as the
 * package's extension does (python/core): what a call costs that does nothing else. Built by call.py. */
#include "python/core/gpu.h"

#include <Python.h>
#include <dlfcn.h>

static const char *ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                         ".visible .entry empty()\n{\n    ret;\n}\n";

static struct gpu gpu;
static void *function;
static int (*launch_kernel)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, void *stream,
                            void **params, void **extra);

/* launch(stream) */
static PyObject *launch(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 1)
        return PyErr_Format(PyExc_TypeError, "launch(stream)");
    const unsigned long long stream = PyLong_AsUnsignedLongLong(args[0]);
    if (PyErr_Occurred())
        return NULL;
    void *before = gpu_enter(&gpu);
    const int result =
        launch_kernel(function, 1, 1, 1, 128, 1, 1, 0, (void *)(uintptr_t)stream, NULL, NULL);
    gpu_leave(&gpu, before);
    if (result)
        return PyErr_Format(PyExc_RuntimeError, "the driver said %d", result);
    Py_RETURN_NONE;
}

static int load(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *module = NULL;
    int (*load_data)(void **, const void *) = NULL;
    int (*get_function)(void **, void *, const char *) = NULL;
    if (!driver || gpu_open(&gpu, 0))
        return -1;
    *(void **)&load_data = dlsym(driver, "cuModuleLoadData");
    *(void **)&get_function = dlsym(driver, "cuModuleGetFunction");
    *(void **)&launch_kernel = dlsym(driver, "cuLaunchKernel");
    if (!load_data || !get_function || !launch_kernel)
        return -1;
    void *before = gpu_enter(&gpu);
    const int failed = load_data(&module, ptx) || get_function(&function, module, "empty");
    gpu_leave(&gpu, before);
    return failed ? -1 : 0;
}

static PyMethodDef functions[] = {
    {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, "launch(stream)"},
    {NULL, NULL, 0, NULL},
};

PyMODINIT_FUNC PyInit_empty(void);

PyMODINIT_FUNC PyInit_empty(void)
{
    static struct PyModuleDef module =
        {PyModuleDef_HEAD_INIT, "empty", NULL, -1, functions, NULL, NULL, NULL, NULL};
    if (load()) {
        PyErr_SetString(PyExc_ImportError, "no GPU, or no empty kernel for it");
        return NULL;
    }
    return PyModule_Create(&module);
}
