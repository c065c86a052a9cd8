// Between vectors and numpy's arrays, by way of Python's buffers.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>
#include <vector>

namespace river_hier {

namespace nb = nanobind;

// The letters that Python's buffers and numpy have for a type; which one depends on the system.
template <class T>
constexpr const char* letters() {
    if (std::is_same_v<T, double>) return "d";
    if (std::is_same_v<T, bool>) return "?";
    if (std::is_same_v<T, uint32_t>) return "IL";
    return std::is_signed_v<T> ? "ql" : "QL";
}

inline nb::object numpy(const char* name) { return nb::module_::import_("numpy").attr(name); }

// A new array.
template <class T>
nb::object array(const T* numbers, size_t n) {
    const auto* bytes = reinterpret_cast<const char*>(numbers);
    nb::object copy = nb::steal(
        PyByteArray_FromStringAndSize(bytes, static_cast<Py_ssize_t>(n * sizeof(T))));
    if (!copy) throw nb::python_error();
    return numpy("frombuffer")(copy, nb::str(letters<T>(), 1));
}

template <class T>
nb::object array(const std::vector<T>& numbers) {
    return array(numbers.data(), numbers.size());
}

inline nb::object matrix(const std::vector<double>& numbers, size_t rows, size_t columns) {
    return array(numbers).attr("reshape")(rows, columns);
}

// The numbers of an array of just this type, row by row, for as long as this lives.
template <class T>
class View {
  public:
    explicit View(nb::handle array) {
        nb::object whole = numpy("ascontiguousarray")(array);
        if (PyObject_GetBuffer(whole.ptr(), &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
            throw nb::python_error();
        const char* format = buffer_.format;
        for (const char* known = letters<T>(); *known; ++known)
            if (format[0] == *known && !format[1] && buffer_.itemsize == sizeof(T)) return;
        PyBuffer_Release(&buffer_);
        throw nb::type_error("an array of another type was expected");
    }
    View(const View&) = delete;
    ~View() { PyBuffer_Release(&buffer_); }

    const T* data() const { return static_cast<const T*>(buffer_.buf); }
    size_t size() const { return static_cast<size_t>(buffer_.len) / sizeof(T); }
    size_t ndim() const { return static_cast<size_t>(buffer_.ndim); }
    size_t shape(size_t axis) const { return static_cast<size_t>(buffer_.shape[axis]); }

  private:
    Py_buffer buffer_;
};

template <class T>
std::vector<T> numbers_of(nb::handle array) {
    const View<T> all(array);
    return std::vector<T>(all.data(), all.data() + all.size());
}

inline std::vector<double> numbers(nb::handle array) { return numbers_of<double>(array); }

// A matrix by its columns of n numbers, and back.
inline nb::object from_columns(const std::vector<std::vector<double>>& columns, size_t n) {
    std::vector<double> all;
    for (const auto& column : columns) all.insert(all.end(), column.begin(), column.end());
    return numpy("ascontiguousarray")(matrix(all, columns.size(), n).attr("T"));
}

inline std::vector<std::vector<double>> columns_of(nb::handle matrix) {
    std::vector<std::vector<double>> columns;
    for (nb::handle column : matrix.attr("T")) columns.push_back(numbers(column));
    return columns;
}

}  // namespace river_hier
