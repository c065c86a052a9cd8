// The probabilities of single labels, and the decisions by them.
#pragma once

#include "algorithms/hierarchical_softmax.hpp"

namespace river_hier {

inline double* path_scores(LinearState& state, const Vector& x, bool averaged) {
    if (state.decides) return PathProbabilities(state.w, x, state.labels, 0).expand_all(x);
    return state.vectors == PathSoftmax::vectors ? label_scores(state.w, x, state.labels)
                              : path_scores(state.w, x, state.labels, averaged);
}

// The same, in which labels that are never predicted lose to all others: unseen ones and those before `first`.
inline double* rival_scores(LinearState& state, const Vector& x, bool averaged, uint32_t first) {
    double* scores = path_scores(state, x, averaged);
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
    double apply(double* scores, const Labels& tree, uint32_t first, Numbers& scratch) const {
        const size_t n = tree.n(), whole = whole_lines<double>(n);
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
        for (uint32_t v = 0; tree.n_unseen() && v < n; ++v) if (tree.unseen(v)) scores[v] = 0.0;
        return factor;
    }
};

// p[v] becomes the probability that the label is v or lies below it.
inline void subtree_sums(double* p, const Labels& tree) {
    const uint32_t* parents = tree.parents();
    for (uint32_t v = tree.n(); --v;) p[parents[v - 1]] += p[v];
}

// The deepest node whose subtree has at least this share of it all or, without a share, more than half; of
// several the most probable, then the first. p has the sums of subtrees.
inline uint32_t deepest(const double* p, const Labels& tree, std::optional<double> least) {
    const double enough = least ? *least : std::nextafter(p[0] / 2.0, HUGE_VAL);
    struct Reached {
        uint32_t node, depth;
    };
    std::vector<Reached> reached{{0, 0}};  // parents come before their children
    Reached best{0, 0};
    for (uint32_t v = 1; v < tree.n(); ++v) {
        if (!(p[v] >= enough)) continue;
        const auto before = [](Reached a, uint32_t node) { return a.node < node; };
        const auto above = std::lower_bound(reached.begin(), reached.end(), tree.parent(v), before);
        const Reached here{v, above->depth + 1};
        reached.push_back(here);
        if (here.depth > best.depth || (here.depth == best.depth && p[v] > p[best.node])) best = here;
    }
    return best.node;
}

}  // namespace river_hier
