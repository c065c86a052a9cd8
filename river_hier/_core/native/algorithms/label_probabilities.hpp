// The probabilities of single labels, and the decisions by them.
#pragma once

#include <tuple>

#include "algorithms/hierarchical_softmax.hpp"

namespace river_hier {

// Scores of labels, in which those that are never predicted lose to all others: unseen ones and those before `first`.
inline double* rival_scores(LinearState& state, const Vector& x, bool averaged, uint32_t first) {
    double* scores = state.scoring->of_labels(state, x, averaged);
    state.labels.without_unseen(scores);
    if (first < state.labels.n()) std::fill(scores, scores + first, -HUGE_VAL);
    return scores;
}

// P(label) is a mixture of two softmax functions of the scores: (1 - share) of the sharp one, whose scores
// are multiplied by `sharp`, and `share` of the flat one.
struct Softmax {
    double sharp, flat, share;

    // Scores become probabilities, but for the factor that is returned; labels that are never predicted have
    // none. Beyond those of the labels there is room for whole cache lines.
    double apply(double* scores, const Labels& labels, uint32_t first, Numbers& scratch) const {
        const size_t n = labels.n(), whole = whole_lines<double>(n);
        const double most = scores[argmax(scores, n)];
        std::fill(scores + n, scores + whole, -HUGE_VAL);
        if (share > 0.0) scratch.assign(scores, scores + whole);
        double factor = 1.0 / exponentials(scores, most, sharp, whole);
        if (share > 0.0) {
            const double other = share / exponentials(scratch.data(), most, flat, whole);
            for (size_t v = 0; v < n; ++v) scores[v] = (1.0 - share) * factor * scores[v] + other * scratch[v];
            factor = 1.0;
        }
        if (first < n) std::fill(scores, scores + first, 0.0);
        for (uint32_t v = 0; labels.n_unseen() && v < n; ++v) if (labels.unseen(v)) scores[v] = 0.0;
        return factor;
    }
};

// p[v] becomes the probability that the label is v or lies below it.
inline void subtree_sums(double* p, const Labels& labels) {
    const uint32_t* parents = labels.parents();
    for (uint32_t v = labels.n(); --v;) p[parents[v - 1]] += p[v];
}

// The deepest node that is reached by nodes with `enough(value)`; of several the one of the largest value, then
// the first. Calls `expand(node)` before `value(child)`.
template <class Expand, class Value, class Enough>
uint32_t deepest(const Labels& labels, Expand expand, Value value, Enough enough) {
    Ranking::Entry best{0.0, 0, 0};
    std::vector<Ranking::Entry> reached{best};
    while (!reached.empty()) {
        const Ranking::Entry above = reached.back();
        reached.pop_back();
        expand(above.node);
        each(labels.below(above.node), [&](uint32_t v) {
            const Ranking::Entry here{value(v), above.depth + 1, v};
            if (!enough(here.value)) return;
            reached.push_back(here);
            if (std::tuple(here.depth, here.value, best.node) > std::tuple(best.depth, best.value, v)) best = here;
        });
    }
    return best.node;
}

}  // namespace river_hier
