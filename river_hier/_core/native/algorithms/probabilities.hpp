// The probabilities of nodes, where a decision needs them, and the decisions that go from the top down.
#pragma once

#include <algorithm>
#include <optional>

#include "algorithms/calibration.hpp"
#include "algorithms/linear.hpp"
#include "hardware/loops.hpp"

namespace river_hier {

// P(on) of each node.
class Probabilities {
  public:
    explicit Probabilities(const double* p) : p_(p) {}
    Probabilities(const Probabilities&) = delete;
    virtual ~Probabilities() = default;

    // Whether all are computed.
    virtual bool computed() const { return true; }

    // Makes sure that these nodes have theirs; nodes above them have.
    virtual void expand(const Ranges&) {}

    double operator[](uint32_t v) const { return p_[v]; }
    const double* data() const { return p_; }

  protected:
    const double* p_;
};

// Those of a linear learner, which scores nodes only once they are needed. With `given`, they are
// P(on | parents on). Unseen nodes have probability 0.
class ScoredProbabilities : public Probabilities {
  public:
    ScoredProbabilities(Weights& w, const Vector& x, const Labels& labels, bool averaged,
                        const Calibration* calibration, bool given)
        : Probabilities(nullptr), w_(w), labels_(labels), calibration_(calibration), given_(given) {
        w.bind(x, averaged);
        w.p.resize(labels.n());
        w.p[0] = 1.0;
        p_ = w.p.data();
    }

    bool computed() const override { return false; }

    void expand(const Ranges& nodes) override {
        if (nodes.empty()) return;
        w_.score(nodes);
        const auto least = [](double a, double b) { return std::min(a, b); };
        for (Range range : nodes)
            for (uint32_t v = range.first; v < range.last; ++v) {
                double p = 0.0;
                if (!labels_.unseen(v))
                    p = calibration_ ? calibration_->given(w_.scores[v], v) : logistic(w_.scores[v]);
                w_.p[v] = given_ ? p : p * labels_.of_parents(w_.p, v, least);
            }
    }

  private:
    Weights& w_;
    const Labels& labels_;
    const Calibration* calibration_;
    const bool given_;
};

// The nodes but the root with at least this value whose parents have it, too, as far down as `max_depth`.
inline Nodes connected(Probabilities& p, const Labels& labels, double threshold,
                       std::optional<uint32_t> max_depth) {
    Nodes on{0};
    std::vector<char> mask(labels.tree() ? 0 : labels.n());
    std::vector<uint32_t> depth(max_depth ? labels.n() : 0);
    if (!mask.empty()) mask[0] = 1;
    for (size_t i = 0; i < on.size(); ++i) {
        if (max_depth && depth[on[i]] == *max_depth) continue;
        p.expand(labels.below(on[i]));
        for (Range below : labels.below(on[i]))
            for (uint32_t v = below.first; v < below.last; ++v) {
                if (!(mask.empty() || labels.all_parents(mask.data(), v)) || !(p[v] >= threshold)) continue;
                if (!mask.empty()) mask[v] = 1;
                if (max_depth)
                    depth[v] = 1 + labels.of_parents(depth, v, [](auto a, auto b) { return std::max(a, b); });
                if (!max_depth || depth[v] <= *max_depth) insert(on, i, v);
            }
    }
    on.erase(on.begin());
    return on;
}

// The k best nodes: the largest values first, of equal ones the deepest, then the first.
class Ranking {
  public:
    struct Entry {
        double value;
        uint32_t depth, node;
    };

    explicit Ranking(size_t k) : k_(k) {}

    // Whether a node might be among the best; nan never is.
    bool admits(double value) const { return value >= least_; }

    void add(const Entry& entry) {
        best_.push_back(entry);
        std::push_heap(best_.begin(), best_.end(), before);
        if (best_.size() > k_) {
            std::pop_heap(best_.begin(), best_.end(), before);
            best_.pop_back();
        }
        if (best_.size() == k_) least_ = best_.front().value;
    }

    std::vector<Entry> sorted() {
        std::sort_heap(best_.begin(), best_.end(), before);
        return std::move(best_);
    }

  private:
    static bool before(const Entry& a, const Entry& b) {
        if (a.value != b.value) return a.value > b.value;
        return a.depth != b.depth ? a.depth > b.depth : a.node < b.node;
    }

    const size_t k_;
    double least_ = -HUGE_VAL;
    std::vector<Entry> best_;  // a heap, whose first entry is the last of the best
};

// The k most probable nodes of a tree but the root. As no node is more probable than its parent, only the
// nodes below those that may be among them are visited.
inline std::vector<Ranking::Entry> most_probable(Probabilities& p, const Labels& tree, size_t k, bool leaves,
                                                 std::optional<uint32_t> depth) {
    const auto less = [](const Ranking::Entry& a, const Ranking::Entry& b) { return a.value < b.value; };
    Ranking best(k);
    std::vector<Ranking::Entry> waiting{{1.0, 0, 0}};  // a heap
    while (!waiting.empty()) {
        std::pop_heap(waiting.begin(), waiting.end(), less);
        const Ranking::Entry above = waiting.back();
        waiting.pop_back();
        if (!best.admits(above.value)) break;
        p.expand(tree.below(above.node));
        for (Range below : tree.below(above.node))
            for (uint32_t v = below.first; v < below.last; ++v) {
                if (!best.admits(p[v])) continue;
                const Ranking::Entry here{p[v], above.depth + 1, v};
                const bool inner = !tree.below(v).empty();
                if ((!leaves || !inner) && here.depth == depth.value_or(here.depth)) best.add(here);
                if (!inner || here.depth >= depth.value_or(UINT32_MAX)) continue;
                waiting.push_back(here);
                std::push_heap(waiting.begin(), waiting.end(), less);
            }
    }
    return best.sorted();
}

// The same for any values, and also of one label: then the root is ranked, too, and depths do not matter.
inline std::vector<Ranking::Entry> ranked(Probabilities& values, const Labels& labels, size_t k, bool leaves,
                                          std::optional<uint32_t> depth, bool multilabel) {
    Ranking best(k);
    const std::vector<char> inner = leaves ? labels.inner() : std::vector<char>();
    std::vector<uint32_t> depths(depth || multilabel ? labels.n() : 0);
    const auto most = [](uint32_t a, uint32_t b) { return std::max(a, b); };
    values.expand({{1, labels.n()}});
    for (uint32_t v = 0; v < labels.n(); ++v) {
        if (v && !depths.empty()) depths[v] = 1 + labels.of_parents(depths, v, most);
        if (multilabel && v == 0) continue;
        if (!best.admits(values[v]) || (leaves && inner[v]) || (depth && depths[v] != *depth)) continue;
        best.add({values[v], multilabel ? depths[v] : 0, v});
    }
    return best.sorted();
}

}  // namespace river_hier
