// All that a linear learner has learned.
#pragma once

#include <memory>

#include "store/feature_index.hpp"
#include "store/weights.hpp"

namespace river_hier {

// Names of features, labels, weights and their averages: what a call of compiled code reads and changes.
// `labels` is an object of Python, which its model shares.
class LinearState {
  public:
    // Nodes have `vectors` weight vectors each. Features are a list of names.
    LinearState(nb::object labels, nb::handle features, double intercept, bool single, size_t n_planes,
                size_t vectors)
        : shared_labels(labels),
          labels(nb::cast<Labels&>(labels)),
          w(vectors * this->labels.n(), single, n_planes),
          vectors(vectors),
          features(features, intercept) {}

    // Make room for more nodes; those without labels do no harm.
    void add_nodes(size_t n_nodes) { w.add_nodes(vectors * n_nodes); }

    void start_average(bool from_first_round) {
        w.average = std::make_unique<Average>(w.n_nodes(), w.single, from_first_round);
    }

    // The vector of an x to predict, or to learn from.
    const Vector& find(nb::handle x) {
        const Vector& vector = features.find(x);
        w.check_range(vector.norm2);
        return vector;
    }
    const Vector& insert(nb::handle x) {
        if (w.single) w.check_range(features.find(x).norm2);  // before anything is written
        return features.insert(x);
    }

    // A round begins, in which these nodes have an example, and ends with the weight of the example.
    void begin_round(const Nodes& on) {
        if (w.average)
            for (uint32_t v : on) w.average->begin(v);
        labels.learned(on);
    }
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
    double n = 0.0;  // the weight of all examples
    FeatureIndex features;
};

}  // namespace river_hier
