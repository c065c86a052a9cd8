// The weight vectors of all nodes, one row a feature, and the averages of their hypotheses: all that a linear
// learner has learned.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "store/feature_index.hpp"
#include "store/labels.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

class Average;

// The temperature of a softmax whose entropy is H, 1 / slope with slope = e^a (1 + H)^b; a and b follow the log loss
// of the latest thousand examples.
struct Temperature {
    std::array<double, 5> values{0.0, 0.0, 10.0, 0.0, 10.0};  // a, b, and the second derivatives aa, ab, bb

    bool constant() const { return values[1] == 0.0; }

    double slope(double entropy) const {
        return std::exp(std::clamp(values[0] + values[1] * std::log1p(entropy), -3.0, 3.0));
    }

    // A Newton step, from the first and the second derivative of the log loss in the logarithm of the slope.
    void learn(double gradient, double second, double entropy, double weight) {
        auto& [a, b, aa, ab, bb] = values;
        const double kept = std::max(1.0 - weight / 1000.0, 0.0), by = std::log1p(entropy);
        aa = kept * aa + weight * (0.1 + second);
        ab = kept * ab + weight * second * by;
        bb = kept * bb + weight * (0.1 + second * by * by);
        const double step = weight * gradient / (aa * bb - ab * ab);
        a = std::clamp(a - std::clamp(step * (bb - ab * by), -1.0, 1.0), -3.0, 3.0);
        b = std::clamp(b - std::clamp(step * (aa * by - ab), -1.0, 1.0), -3.0, 3.0);
    }
};

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
    Temperature temperature;           // of `PathSoftmax`

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

// Names of features, labels, weights and their averages: what a call of compiled code reads and changes.
// `labels` is an object of Python, which its model shares.
class LinearState {
  public:
    // Nodes have `vectors` weight vectors each. Features are a list of names. With `decides`, scores are those
    // of nodes among their siblings.
    LinearState(nb::object labels, nb::handle features, double intercept, bool single, size_t n_planes,
                size_t vectors, bool decides)
        : shared_labels(labels), labels(nb::cast<Labels&>(labels)), w(vectors * this->labels.n(), single, n_planes),
          vectors(vectors), decides(decides), features(features, intercept, single ? 1e30 : 1e290) {}

    void add_nodes(size_t n_nodes) { w.add_nodes(vectors * n_nodes); }

    // The labels of an example are new: they are in this larger taxonomy.
    void grow(nb::object taxonomy) {
        add_nodes(nb::len(taxonomy));
        labels.grow(taxonomy, false);
    }

    void start_average(bool from_first_round) {
        w.average = std::make_unique<Average>(w.n_nodes(), w.single, from_first_round);
    }

    // A round begins, in which these nodes have an example, and ends with the weight of the example.
    void begin_round(const Nodes& on) {
        if (w.average)
            for (uint32_t v : on) w.average->begin(v);
        labels.learned(on);
    }
    void begin_round(const On& on) { begin_round(on.nodes); }
    void begin_round(uint32_t y) {
        for (uint32_t v = y; w.average && v; v = labels.parent(v)) w.average->begin(v);
        labels.learned(y);
    }
    void end_round(double weight) {
        n += weight;
        if (w.average) w.average->m += weight;
    }

    const nb::object shared_labels;
    Labels& labels;
    Weights w;
    const size_t vectors;
    const bool decides;
    double n = 0.0;  // the weight of all examples
    FeatureIndex features;
};

}  // namespace river_hier
