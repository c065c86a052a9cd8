// The weight vectors of all nodes, one row a feature.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "python/reentrancy_guard.hpp"
#include "store/dense.hpp"
#include "store/postings.hpp"

namespace river_hier {

// A matrix (features, nodes) in the layout that its number of nodes asks for.
class Weights : public Guarded {
  public:
    static constexpr size_t most_dense = 128;  // nodes
    // Squares of values beyond it would not fit a float.
    static constexpr double most_for_float = 1e30;

    Weights(size_t n_nodes, bool single, size_t n_planes = 1)
        : n_planes_(n_planes), n_nodes_(n_nodes), single_(single) {
        arrange(n_nodes);
    }

    WeightStore* operator->() const { return store_.get(); }
    const WeightStore* store() const { return store_.get(); }

    size_t n_nodes() const { return n_nodes_; }
    size_t n_planes() const { return n_planes_; }
    bool single() const { return single_; }
    const char* dtype() const { return single_ ? "float32" : "float64"; }

    // Throw an error if this squared norm of an x is too large for the weights.
    void check_range(double norm2) const {
        if (!single_ || norm2 <= most_for_float) return;
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", norm2);
        throw nb::value_error((std::string("the squared norm of x is ") + number +
                               ", too large for weights of dtype \"float32\"; scale x, or take "
                               "dtype=\"float64\"").c_str());
    }

    // w . x of all nodes, in `scores`.
    void score_all(const Vector& x) {
        score(x, {Range{0, static_cast<uint32_t>(n_nodes_)}});
    }

    // The same for some nodes.
    void score(const Vector& x, const Ranges& ranges) {
        const WeightStore::Bound rows = store_->bind(x);
        rows.prefetch(0, ranges);
        rows.score(ranges, scores.data());
    }

    // w_v += step_v x.
    void add(const Vector& x, const Nodes& nodes, const Numbers& steps) {
        if (nodes.empty()) return;
        store_->step(x, nodes, steps);
        if (follower != this) keep(x, nodes, steps);
    }

    // Multiply 1 / S - 1 by `forgetting` for some nodes, where x is not zero.
    void discount(const Vector& x, const Nodes& nodes, double forgetting) {
        Numbers cells;
        for (size_t j = 0; j < x.size(); ++j)
            for (uint32_t v : nodes) {
                const double s = store_->get(1, x.rows[j], v);
                const double f = x.values[j] == 0.0 ? 1.0 : forgetting;
                cells.push_back(f * s / (1.0 + (1.0 - f) * s) - s);
            }
        store_->add(1, x, nodes, cells);
    }

    // Move uncertain weights by a rule that gives a move for each of the nodes, or none.
    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule) {
        if (follower == this)
            store_->move(x, nodes, rule);
        else
            move_and_keep(x, nodes, rule);
    }

    // Add every change of the weights to `lag`, i times, until null ends it.
    void record(Weights* lag, double i) {
        follower = lag ? lag : this;
        round_ = i;
    }

    void next_round(double weight) { round_ += weight; }

    // Make room up to `n_nodes` nodes; the new ones start at zero.
    void add_nodes(size_t n_nodes) {
        n_nodes_ = n_nodes;
        if (n_nodes <= room_) return;
        std::unique_ptr<WeightStore> old = std::move(store_);
        arrange(std::max(n_nodes, 2 * room_));
        Vector x{{0}, {1.0}, 1.0};
        for (size_t row = 0; row < old->n_features(); ++row)
            for (size_t plane = 0; plane < n_planes_; ++plane) {
                Nodes nodes;
                Numbers numbers;
                old->row(plane, row, nodes, numbers);
                x.rows[0] = static_cast<uint32_t>(row);
                store_->add(plane, x, nodes, numbers);
            }
    }

    // Scratch of the algorithms: what they would allocate at every step.
    Numbers scores, steps;
    Ranges ranges;
    Nodes nodes;
    std::vector<char> mask;  // of nodes; 0 whenever no algorithm runs

  private:
    WeightStore* lag() const;
    void keep(const Vector& x, const Nodes& nodes, Numbers steps);
    void move_and_keep(const Vector& x, const Nodes& nodes, const MoveRule& rule);

    void arrange(size_t room) {
        room_ = room;
        scores.resize(room + lanes<double>);
        if (room <= most_dense)
            single_ ? place<Dense<float>>() : place<Dense<double>>();
        else
            single_ ? place<Postings<float>>() : place<Postings<double>>();
    }

    template <class L>
    void place() {
        store_ = std::make_unique<L>(room_, n_planes_);
    }

    size_t room_ = 0;  // nodes that the layout has room for
    size_t n_planes_;
    size_t n_nodes_;
    bool single_;
    std::unique_ptr<WeightStore> store_;
    double round_ = 0.0;
};

// The same with a variance for each weight.
class GaussianWeights : public Weights {
  public:
    GaussianWeights(size_t n_nodes, bool single) : Weights(n_nodes, single, 2) {}
};

}  // namespace river_hier
