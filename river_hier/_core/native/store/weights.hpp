// The weight vectors of all nodes, one row a feature, and the averages of their hypotheses.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "store/labels.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

class Average;

// The weights of a store, which may be averaged.
class Weights {
  public:
    Weights(size_t n_nodes, bool single, size_t n_planes = 1);
    Weights(const Weights&) = delete;
    ~Weights();

    WeightStore* operator->() const { return store_.get(); }

    size_t n_nodes() const { return n_nodes_; }
    const char* dtype() const { return single ? "float32" : "float64"; }

    // The rows of x, for `score`: of the last hypotheses or, `averaged`, of their averages.
    void bind(const Vector& x, bool averaged);

    // w . x of some nodes, in `scores`.
    void score(const Ranges& nodes);

    void score_all(const Vector& x, bool averaged = false);

    // The largest step along an x of this squared norm: beyond it, scores might overflow.
    double largest_step(double norm2) const { return (single ? 1e20 : 1e140) / std::sqrt(norm2); }

    // w_v += step_v x, or the largest step; the steps are used up.
    void add(const Vector& x, const Nodes& nodes, Numbers& steps);

    // The variance of the score of a node, x^T S x, once it is discounted. Rows and nodes may be new.
    double variance(const Vector& x, uint32_t v, double forgetting) const;

    // Multiply 1 / S - 1 by `forgetting` where x is not zero, and move uncertain weights. Unlike that of the store, this must move all nodes.
    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule, double forgetting = 1.0);

    // Make room up to `n_nodes` nodes; the new ones start at zero.
    void add_nodes(size_t n_nodes);

    // A node starts at zero again: O(features).
    void forget(uint32_t v);

    size_t bytes() const;

    const size_t n_planes;
    const bool single;  // weights are float, else double
    std::unique_ptr<Average> average;  // null if hypotheses are not averaged

    // Scratch memory of the algorithms, which would otherwise be allocated at every step.
    Numbers scores, steps, p;
    Ranges ranges;
    Nodes nodes;
    std::vector<char> mask;  // of nodes; 0 whenever no algorithm runs

  private:
    std::unique_ptr<WeightStore> store_for(size_t room);

    size_t n_nodes_;
    bool averaged_ = false;
    size_t room_;  // nodes that the layout has room for
    std::unique_ptr<WeightStore> store_;
    Numbers changes_;  // scratch
};

// The averages of the hypotheses of each node. The hypothesis before round i is w_i, and s_i is the step of
// that round, so that after m rounds
//
//     1 / (m + 1) sum_{i=1}^{m+1} w_i = w_{m+1} - 1 / (m + 1) sum_{i=1}^m i s_i:
//
// work is done only where weights change. Rounds are counted by the weights of their examples. The average
// of a node begins when the node is added, and again with its first example, whose label is the node or below
// it. With `from_first_round` the averages of all nodes are over all rounds.
class Average {
  public:
    Average(size_t n_nodes, bool single, bool from_first_round)
        : updates(n_nodes, single), from_first_round(from_first_round) {
        add_nodes(n_nodes);
    }

    // The round of a node, from 1 on: the weight of the hypotheses in its average.
    double rounds(uint32_t v) const { return m + 1.0 - since[v]; }

    // A node has an example in this round. If it is the first one, this takes O(features).
    void begin(uint32_t v) {
        if (begun[v]) return;
        if (moved[v]) updates.forget(v);
        begun[v] = 1;
        since[v] = m;
    }

    void forget(uint32_t v) {
        updates.forget(v);
        since[v] = from_first_round ? 0.0 : m;
        begun[v] = from_first_round;
        moved[v] = 0;
    }

    void add_nodes(size_t n_nodes) {
        updates.add_nodes(n_nodes);
        since.resize(n_nodes, from_first_round ? 0.0 : m);
        begun.resize(n_nodes, from_first_round);
        moved.resize(n_nodes, 0);
    }

    // The weights of these nodes have changed: the changes, one after the other of each node, become updates.
    void scale(const Nodes& nodes, Numbers& changes) {
        for (size_t i = 0; i < changes.size();)
            for (uint32_t v : nodes) changes[i++] *= rounds(v);
        for (uint32_t v : nodes) moved[v] = 1;
    }

    size_t bytes() const { return updates.bytes() + heap_bytes(since, begun, moved); }

    Weights updates;     // sum of i s_i
    double m = 0.0;      // the weight of all examples
    Numbers since;       // what it was when the average of each node began
    std::vector<char> begun;  // with an example
    std::vector<char> moved;  // whether there are updates
    const bool from_first_round;
};

}  // namespace river_hier
