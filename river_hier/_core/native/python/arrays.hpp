// Between vectors and numpy's arrays.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace river_hier {

namespace nb = nanobind;

inline nb::object numpy(const char* name) { return nb::module_::import_("numpy").attr(name); }

// A new array. The numbers are copied before Python code runs, in which they might change.
template <class T>
nb::object array(const T* numbers, std::initializer_list<size_t> shape) {
    size_t n = 1;
    for (size_t length : shape) n *= length;
    auto owned = std::make_unique<T[]>(n);
    std::copy_n(numbers, n, owned.get());
    const nb::capsule owner(owned.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(owned.release(), shape, owner));
}

template <class T>
nb::object array(const std::vector<T>& numbers) {
    return array(numbers.data(), {numbers.size()});
}

// An array of bool.
inline nb::object mask(const std::vector<char>& flags) {
    return array(reinterpret_cast<const bool*>(flags.data()), {flags.size()});
}

inline nb::object matrix(const std::vector<double>& numbers, size_t rows, size_t columns) {
    return array(numbers.data(), {rows, columns});
}

// The numbers of an array of just this type, row by row.
template <class T>
using View = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
View<T> view(nb::handle array) {
    View<T> found;
    if (nb::try_cast(numpy("ascontiguousarray")(array), found, false)) return found;
    throw nb::type_error("an array of another type was expected");
}

template <class T>
std::vector<T> numbers_of(nb::handle array) {
    const View<T> all = view<T>(array);
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
