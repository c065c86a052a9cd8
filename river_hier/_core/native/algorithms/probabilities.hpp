// The probabilities of nodes, where a decision needs them, and the decisions that go from the top down.
#pragma once

#include <algorithm>
#include <optional>

#include "algorithms/calibration.hpp"
#include "algorithms/linear.hpp"
#include "hardware/loops.hpp"

namespace river_hier {

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
        each(nodes, [&](uint32_t v) {
            double p = 0.0;
            if (!labels_.unseen(v))
                p = calibration_ ? calibration_->given(w_.scores[v], v) : logistic(w_.scores[v]);
            w_.p[v] = given_ ? p : p * labels_.of_parents(w_.p, v, smaller);
        });
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
        each(labels.below(on[i]), [&](uint32_t v) {
            if (!(mask.empty() || labels.all_parents(mask.data(), v)) || !(p[v] >= threshold)) return;
            if (!mask.empty()) mask[v] = 1;
            if (max_depth) depth[v] = 1 + labels.of_parents(depth, v, larger);
            if (!max_depth || depth[v] <= *max_depth) insert(on, i, v);
        });
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

// Best-first search in a tree, whose nodes have no larger value than their parents: only those that may be
// among the best are visited. Calls `expand(node)` before `value(child)`, and `rank(entry, inner)` of each node.
template <class Expand, class Value, class Rank>
void best_first(const Ranking& best, const Labels& labels, double all, std::optional<uint32_t> depth, Expand expand,
                Value value, Rank rank) {
    const auto less = [](const Ranking::Entry& a, const Ranking::Entry& b) { return a.value < b.value; };
    std::vector<Ranking::Entry> waiting;  // a heap
    const auto reach = [&](const Ranking::Entry& here) {
        if (!best.admits(here.value)) return;
        const bool inner = !labels.below(here.node).empty();
        rank(here, inner);
        if (!inner || here.depth >= depth.value_or(UINT32_MAX)) return;
        waiting.push_back(here);
        std::push_heap(waiting.begin(), waiting.end(), less);
    };
    reach({all, 0, 0});
    while (!waiting.empty() && best.admits(waiting.front().value)) {
        std::pop_heap(waiting.begin(), waiting.end(), less);
        const Ranking::Entry above = waiting.back();
        waiting.pop_back();
        expand(above.node);
        each(labels.below(above.node), [&](uint32_t v) { reach({value(v), above.depth + 1, v}); });
    }
}

// The k most probable nodes of a tree but the root.
inline std::vector<Ranking::Entry> most_probable(Probabilities& p, const Labels& labels, size_t k, bool leaves,
                                                 std::optional<uint32_t> depth) {
    Ranking best(k);
    best_first(best, labels, 1.0, depth, [&](uint32_t u) { p.expand(labels.below(u)); },
               [&](uint32_t v) { return p[v]; },
               [&](const Ranking::Entry& here, bool inner) {
                   if (here.node && !(leaves && inner) && here.depth == depth.value_or(here.depth)) best.add(here);
               });
    return best.sorted();
}

// The same for any values, and also of one label: then the root is ranked, too, and depths do not matter.
inline std::vector<Ranking::Entry> ranked(Probabilities& values, const Labels& labels, size_t k, bool leaves,
                                          std::optional<uint32_t> depth, bool multilabel) {
    Ranking best(k);
    const std::vector<char> inner = leaves ? labels.inner() : std::vector<char>();
    std::vector<uint32_t> depths(depth || multilabel ? labels.n() : 0);
    values.expand({{1, labels.n()}});
    for (uint32_t v = 0; v < labels.n(); ++v) {
        if (v && !depths.empty()) depths[v] = 1 + labels.of_parents(depths, v, larger);
        if (multilabel && v == 0) continue;
        if (!best.admits(values[v]) || (leaves && inner[v]) || (depth && depths[v] != *depth)) continue;
        best.add({values[v], multilabel ? depths[v] : 0, v});
    }
    return best.sorted();
}

// The last of several: the root, which is the first, only if there is no other.
inline uint32_t least_probable_parent(const Probabilities& p, const Labels& labels, uint32_t v) {
    uint32_t least = labels.parent(v);
    labels.each_parent(v, [&](uint32_t u) { least = p[u] <= p[least] ? u : least; });
    return least;
}

// The multilabel of the least expected H-loss, with the costs of nodes or 1 each: under a parent that is on, a
// node costs c (P_parent - P) if it is on, else c P.
//
// Only nodes that are more likely on than off, given their parents, all the way up, can be on. They are
// visited from the top down, and decided from the bottom up. In a DAG, what is below several nodes counts
// for the least probable of them, as if the others were on whenever it is. The sum of these costs is at least
// the expected loss, and equal to it if no node is on: then only the root's own children cost anything.
inline Nodes least_h_loss(Probabilities& p, const Labels& labels, const double* costs) {
    const auto cost = [&](uint32_t v) { return costs ? costs[v] : 1.0; };
    struct Visited {
        uint32_t node;
        double below;  // of the best decisions below it, if it is on
        bool on;
    };
    std::vector<Visited> visited{{0, 0.0, true}};  // in order
    std::vector<char> mask(labels.n());
    mask[0] = 1;
    const auto place = [&](uint32_t v) {
        return std::lower_bound(visited.begin(), visited.end(), v,
                                [](const Visited& a, uint32_t b) { return a.node < b; });
    };
    const auto parent = [&](uint32_t v) { return least_probable_parent(p, labels, v); };
    for (size_t i = 0; i < visited.size(); ++i) {
        const Ranges& below = labels.below(visited[i].node);
        p.expand(below);
        each(below, [&](uint32_t v) {
            if (!labels.all_parents(mask.data(), v)) return;
            const uint32_t u = parent(v);
            mask[v] = p[v] != 0.0 && 2.0 * p[v] >= p[u];
            if (mask[v])
                visited.insert(place(v), {v, 0.0, false});
            else
                place(u)->below += cost(v) * p[v];
        });
    }
    for (size_t i = visited.size(); i-- > 1;) {
        Visited& here = visited[i];
        const uint32_t v = here.node, u = parent(v);
        const double on = cost(v) * (p[u] - p[v]) + here.below, off = cost(v) * p[v];
        here.on = on <= off;
        place(u)->below += std::min(on, off);
    }
    Nodes found;
    for (size_t i = 1; i < visited.size(); ++i) {
        const uint32_t v = visited[i].node;
        mask[v] = visited[i].on && labels.all_parents(mask.data(), v);
        if (mask[v]) found.push_back(v);
    }
    return found;
}

}  // namespace river_hier
