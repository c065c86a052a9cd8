// Declarations shared by the files of this folder.
#pragma once

#include <nanobind/stl/unique_ptr.h>

#include <chrono>

#include "python/objects.hpp"
#include "store/rows.hpp"

namespace river_hier {

using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

inline const double* checked(const Values& values, size_t n) {
    ensure(values.ndim() == 1 && values.size() == n, "a number for each node");
    return values.data();
}

// When a call that learns many rows ends.
class Deadline {
  public:
    explicit Deadline(double seconds) : end_(Clock::now() + std::chrono::duration<double>(seconds)) {}
    bool passed() const { return Clock::now() >= end_; }

  private:
    using Clock = std::chrono::steady_clock;
    const std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
};

// Which nodes are on in each row, (rows, nodes): those that `find(x, on)` puts into `on`.
template <class Find>
nb::object masks(Rows& X, size_t n_nodes, Find find) {
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
