// Fast reading of Python's objects, which runs no user's code, and arrays.
//
// The full API gives access to fields; the stable ABI (one wheel for all versions of Python) has
// function calls instead.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace river_hier {

namespace nb = nanobind;

// Python functions that read what compiled code leaves to them: anything unusual, and all errors.
// `_core/__init__.py` sets them. They are never deleted: Python may be gone by then.
inline nb::dict& callbacks() {
    static auto* const all = new nb::dict();
    return *all;
}

inline void ensure(bool fine, const char* what) {
    if (!fine) throw nb::value_error(what);
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

// Between vectors and numpy's arrays

inline nb::object numpy(const char* name) { return nb::module_::import_("numpy").attr(name); }

// A new array, which takes over the numbers; char stands for bool.
template <class T>
nb::object array(std::vector<T> numbers, std::initializer_list<size_t> shape) {
    using Item = std::conditional_t<std::is_same_v<T, char>, bool, T>;
    auto owned = std::make_unique<std::vector<T>>(std::move(numbers));
    const nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Item>(owned.release()->data(), shape, owner));
}

template <class T>
nb::object array(std::vector<T> numbers) {
    const size_t n = numbers.size();
    return array(std::move(numbers), {n});
}

// The numbers of an array of just this type, row by row.
template <class T>
using View = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
View<T> view(nb::handle array) {
    View<T> found;
    if (nb::try_cast(array, found, false)) return found;
    if (nb::try_cast(numpy("ascontiguousarray")(array), found, false)) return found;
    throw nb::type_error("an array of another type was expected");
}

template <class T = double>
std::vector<T> numbers(nb::handle array) {
    const View<T> all = view<T>(array);
    return std::vector<T>(all.data(), all.data() + all.size());
}

// A matrix by its columns of n numbers, and back.
inline nb::object from_columns(const std::vector<std::vector<double>>& columns, size_t n) {
    std::vector<double> all;
    for (const auto& column : columns) all.insert(all.end(), column.begin(), column.end());
    return numpy("ascontiguousarray")(array(std::move(all), {columns.size(), n}).attr("T"));
}

inline std::vector<std::vector<double>> columns_of(nb::handle matrix) {
    std::vector<std::vector<double>> columns;
    for (nb::handle column : matrix.attr("T")) columns.push_back(numbers(column));
    return columns;
}

}  // namespace river_hier
