// How many children of a node are on: none, one or more. Given the node, its children are independent but for a
// factor of each of the three cases, learned from how often it occurs and how often independence expects it.
// In a DAG, this holds for nodes none of whose children has other parents.
#pragma once

#include <array>

#include "algorithms/probabilities.hpp"

namespace river_hier {

class ChildCounts {
  public:
    using Cases = std::array<double, 3>;
    struct Row {
        Cases found, expected;
        double gain;  // log loss of the children, joint minus independent
    };

    ChildCounts(const double* rows, size_t n, const Labels& labels)
        : rows_(reinterpret_cast<const Row*>(rows)), n_(n), labels_(labels) {
        if (labels.tree()) return;
        shared_.resize(labels.n());
        for (uint32_t v = 1; v < labels.n(); ++v)
            labels.each_parent(v, [&](uint32_t u) {
                if (u != labels.parent(v)) shared_[u] = shared_[labels.parent(v)] = 1;
            });
    }

    // P(v | u) of a child, away from 0 and 1, as products and logarithms are taken.
    static double given(const Probabilities& p, uint32_t v, double above) {
        return above > 0.0 ? std::clamp(p[v] / above, least, 1.0 - least) : least;
    }

    // Whether the number of children of u counts.
    bool counts(uint32_t u) const { return !labels_.below(u).empty() && (shared_.empty() || !shared_[u]); }

    Cases factors(uint32_t u) const {
        Cases factors{1.0, 1.0, 1.0};
        if (u >= n_ || !counts(u)) return factors;
        const Row& row = rows_[u];
        const double all = row.expected[0] + row.expected[1] + row.expected[2];
        for (size_t k = 0; k < 3 && all > 0.0; ++k) {
            const double prior = shrinkage * row.expected[k] / all;
            if (row.expected[k] > 0.0) factors[k] = (row.found[k] + prior) / (row.expected[k] + prior);
        }
        return factors;
    }

    // The probabilities of the cases if children are independent.
    Cases independent(uint32_t u, const Probabilities& p) const {
        double none = 1.0, odds = 0.0;
        each(labels_.below(u), [&](uint32_t v) {
            const double c = given(p, v, p[u]);
            none *= 1.0 - c;
            odds += c / (1.0 - c);
        });
        return {none, none * odds, std::max(0.0, 1.0 - none - none * odds)};
    }

    // P(v | u) under the joint model, from that of independence.
    static double joint(double c, const Cases& p, const Cases& factors) {
        const double alone = std::min(c, p[0] * c / (1.0 - c));  // v is on, and no other child
        return (factors[1] * alone + factors[2] * (c - alone)) / dot(p, factors);
    }

    static double dot(const Cases& a, const Cases& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

    bool better(uint32_t u) const { return u < n_ && counts(u) && rows_[u].gain < 0.0; }

    // What the children of u add to its row.
    Row seen(uint32_t u, const Probabilities& p, const On& on) const {
        Row row{{}, independent(u, p), 0.0};
        const Cases weights = factors(u);
        size_t n_on = 0;
        each(labels_.below(u), [&](uint32_t v) {
            const double c = given(p, v, p[u]), d = std::clamp(joint(c, row.expected, weights), least, 1.0 - least);
            row.gain += on.mask[v] ? std::log(c / d) : std::log((1.0 - c) / (1.0 - d));
            n_on += on.mask[v];
        });
        row.found[std::min<size_t>(n_on, 2)] = 1.0;
        return row;
    }

    static constexpr double least = 1e-12;

  private:
    static constexpr double shrinkage = 4.0;  // examples

    const Row* rows_;
    const size_t n_;
    const Labels& labels_;
    std::vector<char> shared_;  // nodes with children that have other parents
};

// P(on) under the joint model, at nodes where it has had the lower log loss.
class JointProbabilities : public Probabilities {
  public:
    JointProbabilities(Probabilities& p, const Labels& labels, const ChildCounts& counts)
        : Probabilities(nullptr), from_(p), labels_(labels), counts_(counts), joint_(new double[labels.n()]) {
        joint_[0] = 1.0;
        p_ = joint_.get();
    }

    bool computed() const override { return false; }

    // All children of a node at once: decisions go from a node to those below it.
    void expand(const Ranges& nodes) override {
        from_.expand(nodes);
        const auto min = [](double a, double b) { return std::min(a, b); };
        uint32_t above = UINT32_MAX;
        ChildCounts::Cases p, factors;
        bool better = false;
        each(nodes, [&](uint32_t v) {
            const uint32_t u = labels_.parent(v);
            if (u != above) {
                above = u;
                if ((better = counts_.better(u))) {
                    factors = counts_.factors(u);
                    p = counts_.independent(u, from_);
                }
            }
            const double before = labels_.of_parents(from_, v, min);
            double c = before > 0.0 ? from_[v] / before : 0.0;
            if (better && c > 0.0) c = ChildCounts::joint(ChildCounts::given(from_, v, before), p, factors);
            joint_[v] = std::min(c, 1.0) * labels_.of_parents(joint_, v, min);
        });
    }

  private:
    Probabilities& from_;
    const Labels& labels_;
    const ChildCounts& counts_;
    std::unique_ptr<double[]> joint_;
};

// The most probable multilabel under the joint model. A node's best children are decided once those below
// them are: none, the one whose switch gains most, or two and all others that gain. In a DAG, a node counts
// as a child of its least probable parent.
inline Nodes likeliest(Probabilities& p, const Labels& labels, const ChildCounts& counts) {
    struct Best {
        double off = 0.0, first = -HUGE_VAL, second = -HUGE_VAL, rest = 0.0;  // sums of logarithms
        uint32_t one = 0, two = 0;
        size_t chosen = 0;
    };
    const uint32_t n = labels.n();
    p.expand({{1, n}});
    const auto parent = [&](uint32_t v) {
        uint32_t least = labels.parent(v);
        labels.each_parent(v, [&](uint32_t u) { least = p[u] < p[least] ? u : least; });
        return least;
    };
    std::vector<Best> best(n);
    Numbers gain(n);
    for (uint32_t u = n; u-- > 0;) {
        Best& here = best[u];
        double below = 0.0;  // the logarithm of the probability of the best decisions below u, if it is on
        if (here.first > -HUGE_VAL) {
            const ChildCounts::Cases w = counts.factors(u);
            const double one = std::log(w[1]) + here.first,
                         more = std::log(w[2]) + here.first + here.second + here.rest, none = std::log(w[0]);
            below = here.off + std::max({none, one, more});
            here.chosen = one >= none && one > more ? 1 : more >= none ? 2 : 0;
            if (counts.counts(u)) below -= std::log(ChildCounts::dot(counts.independent(u, p), w));
        }
        if (u == 0) break;
        Best& above = best[parent(u)];
        const double c = ChildCounts::given(p, u, p[parent(u)]);
        above.off += std::log(1.0 - c);
        gain[u] = std::log(c / (1.0 - c)) + below;
        double less = gain[u];  // than those of the best two
        if (less >= above.first) {
            std::swap(less, above.first);
            above.two = std::exchange(above.one, u);
            std::swap(less, above.second);
        } else if (less > above.second) {
            std::swap(less, above.second);
            above.two = u;
        }
        above.rest += std::max(less, 0.0);
    }
    Nodes found;
    std::vector<char> mask(n);
    mask[0] = 1;
    for (uint32_t v = 1; v < n; ++v) {
        const Best& above = best[parent(v)];
        const bool on = above.chosen == 2 ? gain[v] >= 0.0 || v == above.one || v == above.two
                                          : above.chosen == 1 && v == above.one;
        mask[v] = on && labels.all_parents(mask.data(), v);
        if (mask[v]) found.push_back(v);
    }
    return found;
}

}  // namespace river_hier
