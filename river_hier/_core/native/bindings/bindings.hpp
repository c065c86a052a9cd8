// Declarations shared by the files of this folder.
#pragma once

#include <nanobind/stl/unique_ptr.h>

#include <chrono>

#include "python/objects.hpp"
#include "store/vectors.hpp"

namespace river_hier {

using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

inline const double* checked(const Values& values, size_t n) {
    ensure(values.ndim() == 1 && values.size() == n, "a number for each node");
    return values.data();
}

// Calls `learn(row, i)` for the next n rows, for so many seconds; false if that is false.
template <class Learn>
bool learn_next(Vectors& rows, size_t n, double seconds, Learn learn) {
    using Clock = std::chrono::steady_clock;
    const size_t first = rows.n_learned;
    ensure(first + n <= rows.n(), "a row for each label");
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (size_t i = 0; i < n && (i == 0 || Clock::now() < end); ++i) {
        if (!learn(first + i, i)) return false;
        ++rows.n_learned;
    }
    return true;
}

// Which nodes are on in each row, (rows, nodes): those that `find(x, on)` puts into `on`.
template <class Find>
nb::object masks(Vectors& X, size_t n_nodes, Find find) {
    std::vector<char> mask(X.n() * n_nodes);
    Nodes on;
    for (size_t i = 0; i < X.n(); ++i) {
        find(X[i], on);
        for (uint32_t v : on) mask[i * n_nodes + v] = true;
    }
    return array(std::move(mask), {X.n(), n_nodes});
}

// `{label: {False: 1 - p, True: p}}`, from an array or from what computes one.
nb::object probabilities(Labels& labels, nb::handle p);

void linear(nb::module_& m);
void least_squares(nb::module_& m);
void decisions(nb::module_& m);

}  // namespace river_hier
