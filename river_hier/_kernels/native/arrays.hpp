// Between vectors and numpy's arrays; always copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

namespace river_hier {

namespace nb = nanobind;

template <class T>
nb::object array(const T* numbers, size_t n) {
    T* copy = new T[n];
    std::copy(numbers, numbers + n, copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(copy, {n}, owner));
}

template <class T>
nb::object array(const std::vector<T>& numbers) {
    return array(numbers.data(), numbers.size());
}

inline nb::object matrix(const std::vector<double>& numbers, size_t rows, size_t columns) {
    return array(numbers).attr("reshape")(rows, columns);
}

template <class T>
std::vector<T> numbers_of(nb::handle array) {
    auto all = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(array);
    return std::vector<T>(all.data(), all.data() + all.size());
}

inline std::vector<double> numbers(nb::handle array) { return numbers_of<double>(array); }

}  // namespace river_hier
