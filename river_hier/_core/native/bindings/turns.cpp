// The locks of models, as base/turns.py uses them: a lock, and methods that take it in compiled code.

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// A reentrant lock, like threading.RLock. Its other fields are read and written under Python's lock or,
// where there is none, under that of `fields_`; exchanges of `owner_` order what its owners do.
//
// If a thread waits, `release` hands the lock over and nobody else can take it, so that the thread,
// once awake, has its turn before the process exits.
class Lock {
  public:
    Lock() : handed_over_(PyThread_allocate_lock()) {
        if (!handed_over_) throw std::bad_alloc();
        PyThread_acquire_lock(handed_over_, NOWAIT_LOCK);
    }
    Lock(const Lock&) = delete;
    ~Lock() { PyThread_free_lock(handed_over_); }

    bool owned() const { return owner_ == PyThread_get_thread_ident(); }

    // Takes the lock unless others have it.
    bool try_acquire() {
        const nb::ft_lock_guard guard(fields_);
        return take();
    }

    // Waits for the lock, for so many seconds or, if they are negative, without end.
    bool acquire(bool blocking, double timeout) {
        {
            const nb::ft_lock_guard guard(fields_);
            if (take()) return true;
            if (!blocking) return false;
            ++waiting_;
        }
        const long long microseconds = timeout < 0.0 ? -1 : static_cast<long long>(1e6 * timeout);
        PyLockStatus status;
        bool raised = false;
        do {
            PyThreadState* state = PyEval_SaveThread();
            status = PyThread_acquire_lock_timed(handed_over_, microseconds, 1);
            PyEval_RestoreThread(state);
            if (status == PY_LOCK_INTR) raised = PyErr_CheckSignals();
        } while (status == PY_LOCK_INTR && !raised);
        const bool taken = end_wait(status);
        if (taken && raised) release();
        if (raised) throw nb::python_error();
        return taken;
    }

    void release() {
        const nb::ft_lock_guard guard(fields_);
        if (!owned()) throw std::runtime_error("this thread does not hold the lock");
        if (depth_ == 1) owner_ = 0;
        if (depth_ == 1 && waiting_)
            PyThread_release_lock(handed_over_);
        else
            --depth_;
    }

  private:
    bool take() {
        if (depth_ && !owned()) return false;
        owner_.exchange(PyThread_get_thread_ident());
        ++depth_;
        return true;
    }

    // Whether this thread, which has waited, has the lock; it may have been handed over late.
    bool end_wait(PyLockStatus status) {
        const nb::ft_lock_guard guard(fields_);
        --waiting_;
        if (status != PY_LOCK_ACQUIRED && !PyThread_acquire_lock(handed_over_, NOWAIT_LOCK)) return false;
        owner_.exchange(PyThread_get_thread_ident());
        return true;
    }

    nb::ft_mutex fields_;
    PyThread_type_lock handed_over_;  // free for the moment between `release` and the next owner
    std::atomic<unsigned long> owner_{0};  // the thread that has the lock
    size_t depth_ = 0, waiting_ = 0;  // `depth_` is 1 while the lock is handed over
};

PyTypeObject* lock_type;
PyObject *method_type, *bound_method_type;
PyObject *name_of_turn, *name_of_lock, *name_of_batch, *name_of_between_rows;

// A lock in an attribute; if it was free, it is held for as long as this object lives.
class Held {
  public:
    Held(nb::handle turn, PyObject* name) : object_(nb::steal(PyObject_GetAttr(turn.ptr(), name))) {
        if (!object_) PyErr_Clear();
        if (object_ && Py_TYPE(object_.ptr()) == lock_type) lock_ = nb::inst_ptr<Lock>(object_);
    }
    ~Held() {
        if (held_) lock_->release();
    }

    bool owned() { return lock_ && lock_->owned(); }
    bool try_acquire() { return held_ = lock_ && lock_->try_acquire(); }

  private:
    nb::object object_;
    Lock* lock_ = nullptr;
    bool held_ = false;
};

bool is_between_rows(nb::handle turn) {
    const nb::object found = nb::steal(PyObject_GetAttr(turn.ptr(), name_of_between_rows));
    if (!found) PyErr_Clear();
    return found.ptr() == Py_True;
}

// A method that takes the locks of its model; if another thread has them, it waits in Python.
struct Method {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *attributes, *method, *waiting;
    Py_ssize_t n_arguments;  // calls with keywords or another number go to `waiting`; -1: none do
    bool changes;
};

Method* method_of(PyObject* self) { return reinterpret_cast<Method*>(self); }

PyObject* call_method(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
    const Method& m = *method_of(self);
    const Py_ssize_t n = PyVectorcall_NARGS(flags);
    if (n > 0 && (m.n_arguments < 0 || (n == m.n_arguments && !names))) {
        const nb::object turn = nb::steal(PyObject_GetAttr(args[0], name_of_turn));
        if (turn) {
            Held lock(turn, name_of_lock);
            if (!m.changes) {
                if (lock.try_acquire()) return PyObject_Vectorcall(m.method, args, flags, names);
            } else {
                Held batch(turn, name_of_batch);
                const bool within = lock.owned() && !is_between_rows(turn);
                if (batch.owned() == within && batch.try_acquire() && lock.try_acquire())
                    return PyObject_Vectorcall(m.method, args, flags, names);
            }
        } else if (PyErr_ExceptionMatches(PyExc_AttributeError)) {  // of the first call
            PyErr_Clear();
        } else {
            return nullptr;
        }
    }
    return PyObject_Vectorcall(m.waiting, args, flags, names);
}

PyObject* bind_method(PyObject* self, PyObject* model, PyObject*) {
    if (!model || model == Py_None) return nb::borrow(self).release().ptr();
    return PyObject_CallFunctionObjArgs(bound_method_type, self, model, nullptr);
}

int traverse_method(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(method_of(self)->attributes);
    Py_VISIT(method_of(self)->method);
    Py_VISIT(method_of(self)->waiting);
    return 0;
}

int clear_method(PyObject* self) {
    Py_CLEAR(method_of(self)->attributes);
    Py_CLEAR(method_of(self)->method);
    Py_CLEAR(method_of(self)->waiting);
    return 0;
}

void delete_method(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_method(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Method, attributes), READONLY, nullptr},
    {}};
PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyType_Slot method_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                              {Py_tp_descr_get, reinterpret_cast<void*>(bind_method)},
                              {Py_tp_traverse, reinterpret_cast<void*>(traverse_method)},
                              {Py_tp_clear, reinterpret_cast<void*>(clear_method)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(delete_method)},
                              {Py_tp_members, members},
                              {Py_tp_getset, attributes},
                              {0, nullptr}};
PyType_Spec method_spec = {"river_hier._native.Method", sizeof(Method), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                               Py_TPFLAGS_METHOD_DESCRIPTOR,
                           method_slots};

nb::object in_turn(nb::object method, nb::object waiting, Py_ssize_t n_arguments, bool changes) {
    Method* made = PyObject_GC_New(Method, reinterpret_cast<PyTypeObject*>(method_type));
    if (!made) throw nb::python_error();
    made->call = call_method;
    made->attributes = nullptr;
    made->method = method.release().ptr();
    made->waiting = waiting.release().ptr();
    made->n_arguments = n_arguments;
    made->changes = changes;
    PyObject_GC_Track(made);
    return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void turns(nb::module_& m) {
    name_of_turn = PyUnicode_InternFromString("_turn");
    name_of_lock = PyUnicode_InternFromString("lock");
    name_of_batch = PyUnicode_InternFromString("batch");
    name_of_between_rows = PyUnicode_InternFromString("between_rows");
    bound_method_type = nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
    method_type = PyType_FromSpec(&method_spec);
    if (!method_type) throw nb::python_error();
    nb::class_<Lock>(m, "Lock")
        .def(nb::init<>())
        .def("acquire", &Lock::acquire, "blocking"_a = true, "timeout"_a = -1.0)
        .def("release", &Lock::release)
        .def("_is_owned", &Lock::owned)
        .def("__enter__", [](Lock& lock) { return lock.acquire(true, -1.0); })
        .def("__exit__", [](Lock& lock, nb::args) { lock.release(); });
    lock_type = reinterpret_cast<PyTypeObject*>(nb::type<Lock>().ptr());
    m.def("in_turn", &in_turn, "method"_a, "waiting"_a, "n_arguments"_a, "changes"_a);
}

}  // namespace river_hier
