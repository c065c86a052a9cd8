// In front of a source: only what the stable ABI of Python 3.12 has. Where Py_LIMITED_API is defined,
// the headers of 3.11 hide the rest, too; what 3.12 has added to it is declared here.
#define Py_LIMITED_API 0x030C0000
#include <Python.h>

#if PY_VERSION_HEX < 0x030C0000
extern "C" {
typedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *PyObject_VectorcallMethod(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *PyVectorcall_Call(PyObject *, PyObject *, PyObject *);
Py_ssize_t PyVectorcall_NARGS(size_t);
PyObject *PyErr_GetRaisedException();
void PyErr_SetRaisedException(PyObject *);
}
#define PY_VECTORCALL_ARGUMENTS_OFFSET (static_cast<size_t>(1) << (8 * sizeof(size_t) - 1))
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
