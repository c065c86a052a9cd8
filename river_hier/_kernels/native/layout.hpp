// What the algorithms need of a matrix (features, nodes) that grows on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "labels.hpp"
#include "vector.hpp"

namespace river_hier {

using Nodes = std::vector<uint32_t>;  // in ascending order
using Numbers = std::vector<double>;

// Features that have no row yet weigh nothing. Numbers are double, whatever is stored. Plane 0
// holds the weights; those that are uncertain have their variances in plane 1.
class Layout {
  public:
    virtual ~Layout() = default;

    // Find the rows of x, which `score` is about until the next change.
    virtual void look(const Vector& x) = 0;

    // scores[v] = w_v . x for the nodes of a range; `scores` has room for a cache line more.
    virtual void score(Range range, double* scores) = 0;

    // Add cells[j * nodes + i] to the number of the i-th node for the j-th feature of x.
    virtual void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& cells) = 0;

    // Send for the row of a feature that will be asked for soon.
    virtual void prefetch(uint32_t row) const = 0;

    virtual size_t n_planes() const { return 1; }
    virtual size_t n_features() const = 0;
    virtual double get(size_t plane, size_t feature, uint32_t node) const = 0;

    // Append the entries of a feature that are not zero.
    virtual void row(size_t plane, size_t feature, Nodes& nodes, Numbers& numbers) const = 0;
    virtual size_t bytes() const = 0;
};

}  // namespace river_hier
