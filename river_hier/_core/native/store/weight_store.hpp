// A matrix (features, nodes) that grows on both sides, as the algorithms use it.
#pragma once

#include <functional>
#include <vector>

#include "store/labels.hpp"
#include "store/vector.hpp"

namespace river_hier {

// What a step does to an uncertain weight: w += step S x, S -= confidence (S x)^2.
struct Move {
    uint32_t node;
    double step, confidence;
};

using Moves = std::vector<Move>;  // nodes ascend

// Computes the moves of all nodes of a step, or none, from the variances x^T S x of their scores.
using MoveRule = std::function<void(const Numbers& variances, Moves& moves)>;

// Entries of some features: their nodes, the weights and, with a second plane, the variances less 1.
struct Entries {
    void resize(size_t n, size_t n_planes) {
        nodes.resize(n);
        for (size_t k = 0; k < n_planes; ++k) planes[k].resize(n);
    }

    Nodes nodes;
    Numbers planes[2];
};

// A matrix (features, nodes) of weights. A feature without a row weighs nothing. Arguments and
// results are double, whatever type is stored.
//
// Plane 0 holds the weights. Uncertain weights have a second plane, of their variances less 1: a
// feature that was never met is zero in both.
class WeightStore {
  public:
    virtual ~WeightStore() = default;

    // The rows of one x, for `prefetch_rows` and `score`, until the weights change.
    virtual void find_rows(const Vector& x) = 0;

    // Ask for the numbers of some nodes at once, where one after the other would take longer.
    virtual void prefetch_rows(size_t plane, const Ranges& ranges) const = 0;

    // scores[v] = w_v . x for the nodes of some ranges; `scores` has room for a cache line more.
    virtual void score(const Ranges& ranges, double* scores) = 0;

    // Add steps[i] x to the weights of the i-th node.
    virtual void step(const Vector& x, const Nodes& nodes, const Numbers& steps) = 0;

    // Add cells[j * nodes + i] to the number of the i-th node for the j-th feature of x.
    virtual void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& cells) = 0;

    virtual void move(const Vector& x, const Nodes& nodes, const MoveRule& rule) = 0;

    virtual void clear(size_t feature, uint32_t node) = 0;

    virtual size_t n_features() const = 0;

    virtual double get(size_t plane, size_t feature, uint32_t node) = 0;

    // Appends the entries of a feature that are not all zero.
    virtual void save(size_t feature, Entries& entries) const = 0;

    // Some of them again, for a feature without any.
    virtual void load(size_t feature, const Entries& entries) = 0;

    virtual size_t bytes() const = 0;
};

}  // namespace river_hier
