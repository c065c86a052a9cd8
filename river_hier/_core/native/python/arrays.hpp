// Between vectors and numpy's arrays.
#pragma once

#include <nanobind/ndarray.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "python/objects.hpp"

namespace river_hier {

inline nb::object numpy(const char* name) { return imported("numpy", name); }

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
