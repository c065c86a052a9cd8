// The weight vectors of all nodes, one row a feature.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "python/reentrancy_guard.hpp"
#include "store/clocks.hpp"
#include "store/labels.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

// A matrix (features, nodes) in the layout that its number of nodes asks for.
class Weights : public Guarded {
  public:
    Weights(size_t n_nodes, std::string dtype, size_t n_planes = 1);

    WeightStore* operator->() const { return store_.get(); }
    WeightStore& operator*() const { return *store_; }

    size_t n_nodes() const { return n_nodes_; }
    size_t n_planes() const { return n_planes_; }
    bool single() const { return single_; }

    const std::string& dtype() const { return dtype_; }

    // The type in which a plane is saved: compact numbers as codes.
    std::string saved_dtype(size_t plane) const { return !compact_ ? dtype_ : plane ? "uint16" : "int16"; }

    // Allocate all that a change for these nodes needs, so that it cannot fail.
    void reserve(const Vector& x, const Nodes& nodes);

    // Throw an error if this squared norm of an x is too large for the weights.
    void check_range(double norm2) const;

    // w . x of all nodes, in `scores`.
    void score_all(const Vector& x);

    // The largest step along an x of this squared norm: beyond it, scores might overflow.
    double largest_step(double norm2) const { return (single_ ? 1e20 : 1e140) / std::sqrt(norm2); }

    // w_v += step_v x, or the largest step.
    void add(const Vector& x, const Nodes& nodes, Numbers& steps);

    // Set the weights of a node to zero: O(features).
    void clear(uint32_t node) {
        for (size_t row = 0; row < store_->n_features(); ++row) store_->clear(row, node);
    }

    // Multiply 1 / S - 1 by `forgetting` for some nodes, where x is not zero, after `reserve`.
    void discount(const Vector& x, const Nodes& nodes, double forgetting);

    // Discount and move uncertain weights. Unlike that of the store, this must move all nodes.
    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule, double forgetting = 1.0);

    // Add every change of the weights to `lag`, times the round, until this is called with null.
    void record(Weights* lag, Clocks* clocks) {
        follower = lag && clocks ? lag : this;
        clocks_ = clocks;
    }

    // Forget all weights.
    void reset() { store_ = store_for(room_); }

    // Begin the averages of the nodes that have their first example.
    void start_averages() {
        if (lag()) clocks_->start(*lag());
    }

    // Make room up to `n_nodes` nodes, or leave all as it is after an error; the new ones start at zero.
    void add_nodes(size_t n_nodes);

    size_t scratch() const {
        return heap_bytes(scores) + heap_bytes(steps) + heap_bytes(ranges) + heap_bytes(nodes) +
               heap_bytes(mask) + heap_bytes(p) + heap_bytes(dither_.of_nodes) + heap_bytes(draws) +
               heap_bytes(changes_);
    }

    // Scratch memory of the algorithms, which would otherwise be allocated at every step.
    Numbers scores, steps, p;
    Ranges ranges;
    Nodes nodes;
    std::vector<char> mask;  // of nodes; 0 whenever no algorithm runs

    // Compact weights are rounded by random numbers from a seed and, for each node, from how often its
    // weights have changed. Thus they depend neither on other nodes nor on their numbers.
    uint64_t seed = 0;
    std::vector<uint32_t> draws;

  private:
    WeightStore* lag() const;
    const Dither& dither(const Nodes& nodes);
    void drawn(const Nodes& nodes);
    std::unique_ptr<WeightStore> store_for(size_t room);

    size_t n_planes_;
    size_t n_nodes_;
    std::string dtype_;
    bool single_, compact_;
    Dither dither_;
    size_t room_;  // nodes that the layout has room for
    std::unique_ptr<WeightStore> store_;
    Clocks* clocks_ = nullptr;  // of the lag
    Numbers changes_;           // scratch
};

// The same with a variance for each weight.
class GaussianWeights : public Weights {
  public:
    GaussianWeights(size_t n_nodes, const std::string& dtype) : Weights(n_nodes, dtype, 2) {}
};

// While it lives, changes of w are added to the lag, times the round. What `start` changes is changed
// back unless `proceed` is called.
class Recording {
  public:
    Recording(Weights& w, Weights* lag, Clocks* clocks) : w_(w), lag_(lag), clocks_(clocks) {
        w.record(lag, clocks);
    }
    Recording(const Recording&) = delete;
    ~Recording() {
        if (lag_) clocks_->cancel();
        for (uint32_t v : unlearned_) labels_->set_unlearned(v, true);
        w_.record(nullptr, nullptr);
    }

    // The averages of nodes with their first example begin again before its step.
    void start(uint32_t y, Labels& tree) {
        labels_ = &tree;
        for (uint32_t v = y; v; v = tree.parent(v)) {
            if (lag_) clocks_->announce(v, **lag_);
            if (tree.unlearned(v)) unlearned_.push_back(v);
        }
        for (uint32_t v : unlearned_) tree.set_unlearned(v, false);
    }
    void start(const On& on, const Labels&) {
        if (lag_)
            for (uint32_t v : on.nodes) clocks_->announce(v, **lag_);
    }
    void proceed(double weight) {
        unlearned_.clear();
        w_.start_averages();
        if (lag_) clocks_->m += weight;
    }

  private:
    Weights& w_;
    Weights* lag_;
    Clocks* clocks_;
    Labels* labels_ = nullptr;
    Nodes unlearned_;
};

}  // namespace river_hier
