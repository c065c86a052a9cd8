// What a linear learner has learned: names of features, labels, weights and their averages, and what its scores
// of labels need beside them.
#pragma once

#include <map>

#include "store/feature_index.hpp"
#include "store/weights.hpp"

namespace river_hier {

class LinearState;

// The logarithms of the probabilities of the nodes of a tree, where a search needs them.
class Search {
  public:
    explicit Search(const Labels& labels) : labels(labels) {}
    virtual ~Search() = default;

    // Makes those of a node as a label, and of its children.
    virtual void expand(uint32_t u) = 0;

    // That the label is v or lies below it, and that it is v itself.
    virtual double below(uint32_t v) const = 0;
    virtual double label(uint32_t v) const = 0;

    const Labels& labels;
};

// How scores of labels follow from those of weight vectors: by default, they are sums along paths.
class Scoring {
  public:
    static constexpr const char* name = "paths";

    virtual ~Scoring() = default;
    virtual const char* named() const { return name; }

    // Weight vectors of a node.
    virtual size_t vectors() const { return 1; }

    // The score of every label, in scratch memory of the weights.
    virtual double* of_labels(LinearState& state, const Vector& x, bool averaged) const;

    // The factor of scores whose softmax, once they are multiplied by `sharp`, is the probabilities of labels.
    virtual double slope(const double*, size_t, double) const { return 1.0; }

    // If probabilities are products of decisions; the labels before `first` have none.
    virtual std::unique_ptr<Search> search(LinearState&, const Vector&, uint32_t) const { return nullptr; }

    // The numbers that are learned beside the weights. Merged models have their means.
    virtual Numbers learned() const { return {}; }
    virtual void load(const Numbers& learned) { ensure(learned.empty(), "nothing learned beside weights"); }
};

// What is known of the label of an example: it is a node or, with cuts, one of some labels at or below it. From a cut
// on, as far as the next ones, labels are among them or not.
struct Known {
    uint32_t node;
    std::map<uint32_t, bool> cuts{};

    bool whole() const { return cuts.empty(); }

    // Which labels it may be.
    std::vector<char> mask(const Labels& labels) const {
        std::vector<char> may(labels.n(), 0);
        if (whole()) may[node] = 1;
        auto cut = cuts.begin();
        for (uint32_t v = 0; !whole() && v < labels.n(); ++v) {
            if (v) may[v] = may[labels.parent(v)];
            if (cut != cuts.end() && cut->first == v) may[v] = (cut++)->second;
        }
        for (uint32_t v = 1; labels.n_unseen() && v < labels.n(); ++v) may[v] &= !labels.unseen(v);
        return may;
    }
};

// What a call of compiled code reads and changes. `labels` is an object of Python, which its model shares.
class LinearState {
  public:
    // Features are a list of names.
    LinearState(nb::object labels, nb::handle features, double intercept, bool single, size_t n_planes,
                std::unique_ptr<Scoring> scoring)
        : shared_labels(labels), labels(nb::cast<Labels&>(labels)), scoring(std::move(scoring)),
          vectors(this->scoring->vectors()), w(vectors * this->labels.n(), single, n_planes),
          features(features, intercept, single ? 1e30 : 1e290) {}

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
    void begin_round(const Known& y) {
        for (uint32_t v = y.node; w.average && v; v = labels.parent(v)) w.average->begin(v);
        labels.learned(y.node);
    }
    void end_round(double weight) {
        n += weight;
        if (w.average) w.average->m += weight;
    }

    const nb::object shared_labels;
    Labels& labels;
    const std::unique_ptr<Scoring> scoring;
    const size_t vectors;  // of a node
    Weights w;
    double n = 0.0;  // the weight of all examples
    FeatureIndex features;
};

}  // namespace river_hier
