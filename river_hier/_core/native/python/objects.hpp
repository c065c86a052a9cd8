// Fast reading of Python's objects. Nothing in this file runs a user's code.
//
// The full API gives access to fields; the stable ABI (one wheel for all versions of Python) has
// function calls instead.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace river_hier {

namespace nb = nanobind;

// A function or type of a module of Python. Those of this package read what compiled code leaves to them:
// anything unusual, and all errors.
inline nb::object imported(const char* module, const char* name) {
    return nb::module_::import_(module).attr(name);
}

// Types of other modules whose methods run no user code.
class Types {
  public:
    Types(const char* module, std::initializer_list<const char*> names) {
        const nb::module_ from = nb::module_::import_(module);
        for (const char* name : names) types_.push_back(from.attr(name));
    }

    // Whether an object is of one of these types, not of a derived class.
    bool hold(PyObject* object) const {
        for (const nb::object& type : types_)
            if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == type.ptr()) return true;
        return false;
    }

  private:
    std::vector<nb::object> types_;
};

// The hash of an exact str. It cannot fail.
inline uint64_t hash_of_text(PyObject* text) {
#ifndef Py_LIMITED_API
    Py_hash_t known = reinterpret_cast<PyASCIIObject*>(text)->hash;
    if (known != -1) return static_cast<uint64_t>(known);
#endif
    return static_cast<uint64_t>(PyObject_Hash(text));
}

// The bytes of an exact str if it is short ASCII, else nothing: then compare objects.
inline std::string_view short_ascii(PyObject* text, Py_ssize_t longest) {
#ifndef Py_LIMITED_API
    if (!PyUnicode_IS_COMPACT_ASCII(text)) return {};
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    const char* data = reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(text) + 1);
    if (size <= 0 || size > longest) return {};
    return {data, static_cast<size_t>(size)};
#else
    Py_ssize_t length = PyUnicode_GetLength(text);
    if (length <= 0 || length > longest) return {};
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (!data) PyErr_Clear();  // a lone surrogate has no UTF-8
    if (!data || size != length) return {};  // equal sizes: it is ASCII
    return {data, static_cast<size_t>(size)};
#endif
}

// Whether the value is an exact float, int or bool that fits a double. If so, `number` is set.
inline bool plain_number(PyObject* value, double& number) {
    if (PyFloat_CheckExact(value)) {
#ifndef Py_LIMITED_API
        number = PyFloat_AS_DOUBLE(value);
#else
        number = PyFloat_AsDouble(value);
#endif
        return true;
    }
    if (PyLong_CheckExact(value) || PyBool_Check(value)) {
        number = PyLong_AsDouble(value);
        if (number != -1.0 || !PyErr_Occurred()) return true;
        PyErr_Clear();  // too large for a double; `read_odd` raises the error
    }
    return false;
}

}  // namespace river_hier
