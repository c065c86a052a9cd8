// What the algorithms need of a matrix (features, nodes) that grows on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "labels.hpp"
#include "vector.hpp"

namespace river_hier {

using Nodes = std::vector<uint32_t>;  // in ascending order
using Ranges = std::vector<Range>;
// What a step does to an uncertain weight: w += step S x, S -= confidence (S x)^2.
struct Move {
    uint32_t node;
    double step, confidence;
};

using Moves = std::vector<Move>;  // nodes ascend

// Features that have no row yet weigh nothing. Numbers are double, whatever is stored.
//
// Plane 0 holds the weights. Uncertain weights have a second plane, of their variances less 1: what
// was never met is zero in both.
class Layout {
  public:
    virtual ~Layout() = default;

    // Find the rows of x, which `score` is about until the next change.
    virtual void look(const Vector& x) = 0;

    // Send for the numbers of some nodes at once, where one after the other would take longer.
    virtual void send_for(size_t, const Ranges&) const {}

    // scores[v] = w_v . x for the nodes of some ranges; `scores` has room for a cache line more.
    virtual void score(const Ranges& ranges, double* scores) = 0;

    // Add steps[i] x to the weights of the i-th node.
    virtual void step(const Vector& x, const Nodes& nodes, const Numbers& steps) = 0;

    // Add cells[j * nodes + i] to the number of the i-th node for the j-th feature of x.
    virtual void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& cells) = 0;

    // Of uncertain weights: the variances x^T S x of the scores of some nodes, and then the moves
    // of the same nodes.
    virtual void score_variances(const Vector& x, const Nodes& nodes, Numbers& variances) = 0;
    virtual void learn(const Vector& x, const Moves& moves) = 0;

    // Send for the row of a feature that will be asked for soon.
    virtual void prefetch(uint32_t row) const = 0;

    virtual size_t n_features() const = 0;

    // The number of a node for a feature.
    virtual double get(size_t plane, size_t feature, uint32_t node) const = 0;

    // Append the entries of a feature that are not zero.
    virtual void row(size_t plane, size_t feature, Nodes& nodes, Numbers& numbers) const = 0;
    virtual size_t bytes() const = 0;
};

}  // namespace river_hier
