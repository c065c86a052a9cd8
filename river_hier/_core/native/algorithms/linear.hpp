// One step and one answer of a linear learner, for any policy. `TopDownLearner` and `PathLearner` do the same
// for a rule in Python.
//
// A policy is a struct with the methods of the Python learner, a number at a time:
//   top-down, first order:   bool learns(score, y); double rule(score, y, norm2)
//   top-down, second order:  bool learns(score, y); Step rule(score, y, norm2, variance)
//   on paths:                uint32_t rival(scores, y, tree); double rule(margin, gamma, norm2)
#pragma once

#include <algorithm>
#include <cmath>

#include "algorithms/linear_state.hpp"

namespace river_hier {

struct FirstOrder {
    using Scoring = river_hier::Scoring;
};

struct SecondOrder {
    using Scoring = river_hier::Scoring;
    double forgetting;  // the factor that discounts the precision gained before a step
};

struct OnPaths {
    using Scoring = river_hier::Scoring;
};

struct Step {
    double step, confidence;
};

// values[v] becomes the sum over the path of v.
inline void path_sums(double* values, const Labels& labels) {
    const uint32_t* parents = labels.parents();
    for (uint32_t v = 1; v < labels.n(); ++v) values[v] += values[parents[v - 1]];
}

// The sum of scores along the path of each label.
inline double* path_scores(Weights& w, const Vector& x, const Labels& labels, bool averaged) {
    w.score_all(x, averaged);
    path_sums(w.scores.data(), labels);
    return w.scores.data();
}

inline double* Scoring::of_labels(LinearState& state, const Vector& x, bool averaged) const {
    return path_scores(state.w, x, state.labels, averaged);
}

// The first of the largest. Four at a time, as each comparison waits for the one before.
inline uint32_t argmax(const double* scores, size_t n) {
    double most[4] = {scores[0], scores[0], scores[0], scores[0]};
    size_t v = 0;
    for (; v + 4 <= n; v += 4)
        for (size_t k = 0; k < 4; ++k) most[k] = scores[v + k] > most[k] ? scores[v + k] : most[k];
    for (; v < n; ++v) most[0] = scores[v] > most[0] ? scores[v] : most[0];
    const double largest = *std::max_element(most, most + 4);
    for (v = 0; v + 1 < n; ++v) if (scores[v] == largest) break;
    return static_cast<uint32_t>(v);
}

inline Numbers distances_from(uint32_t y, const Labels& labels) {
    Numbers distances(labels.n(), 1.0);  // of a node from its parent: nearer to y on its path
    distances[0] = 0.0;
    for (uint32_t v = y; v; v = labels.parent(v)) {
        distances[v] = -1.0;
        ++distances[0];
    }
    path_sums(distances.data(), labels);
    return distances;
}

// The weight of the example multiplies the step or, with variances, the precision that the step
// adds: from k to weight * k, where confidence = k / (1 + k variance).
template <class Policy>
void step(const Policy& policy, LinearState& state, const Vector& x, const On& on, double weight) {
    constexpr bool second_order = std::is_base_of_v<SecondOrder, Policy>;
    if (x.norm2 == 0.0) return;
    Weights& w = state.w;
    const auto y = [&](uint32_t v) { return on.mask[v] ? 1.0 : -1.0; };
    w.nodes.clear();
    state.labels.trained(on, w.ranges);
    w.bind(x, false);
    for (size_t plane = 0; plane <= second_order; ++plane) w->prefetch_rows(plane, w.ranges);
    w.score(w.ranges);
    each(w.ranges, [&](uint32_t v) {
        if (policy.learns(w.scores[v], y(v))) w.nodes.push_back(v);
    });
    if (w.nodes.empty()) return;
    if constexpr (second_order) {
        const double most = w.largest_step(x.norm2);
        const auto moves_of = [&](const Numbers& variances, Moves& moves) {  // x^T S x
            for (size_t i = 0; i < w.nodes.size(); ++i) {
                const uint32_t v = w.nodes[i];
                const Step step = policy.rule(w.scores[v], y(v), x.norm2, variances[i]);
                const double known = variances[i] * step.confidence;  // at most 1, up to rounding
                const double factor = weight == 1.0 ? 1.0 : weight / (std::max(1.0 - known, 0.0) + weight * known);
                moves.push_back({v, std::clamp(factor * step.step, -most, most), factor * step.confidence});
            }
        };
        w.move(x, w.nodes, std::cref(moves_of), policy.forgetting);
    } else {
        w.steps.clear();
        size_t n = 0;  // nodes that move
        for (uint32_t v : w.nodes) {
            const double step = weight * policy.rule(w.scores[v], y(v), x.norm2);
            if (step == 0.0) continue;
            w.steps.push_back(step);
            w.nodes[n++] = v;
        }
        w.nodes.resize(n);
        w.add(x, w.nodes, w.steps);
    }
}

// The nodes of only one of two paths, ascending: sign 1 on that of y, -1 on the other one's.
inline void path_difference(uint32_t y, uint32_t other, const Labels& labels, Nodes& nodes, Numbers& signs) {
    nodes.clear();
    signs.clear();
    for (uint32_t u = y, v = other; u != v;) {  // the later of both is not shared
        const bool rises = u > v;
        uint32_t& node = rises ? u : v;
        nodes.push_back(node);
        signs.push_back(rises ? 1.0 : -1.0);
        node = labels.parent(node);
    }
    std::reverse(nodes.begin(), nodes.end());
    std::reverse(signs.begin(), signs.end());
}

template <class Policy>
void step(const Policy& policy, LinearState& state, const Vector& x, const Known& known, double weight) {
    ensure(known.whole(), "a whole label");
    const uint32_t y = known.node;
    Weights& w = state.w;
    const Labels& labels = state.labels;
    double* scores = path_scores(w, x, labels, false);  // Eq. (2)
    labels.without_unseen(scores);
    const uint32_t rival = policy.rival(scores, y, labels);
    path_difference(y, rival, labels, w.nodes, w.steps);
    const double gamma = static_cast<double>(w.nodes.size());
    if (gamma == 0.0 || x.norm2 == 0.0) return;
    const double step = policy.rule(scores[y] - scores[rival], gamma, x.norm2);
    if (!(step > 0.0)) return;
    for (double& sign : w.steps) sign *= weight * step;
    w.add(x, w.nodes, w.steps);
}

// Inserts a node below on[i] in its place. In this order, the parents of a node are decided before it, also
// where nodes were added to a DAG later.
inline void insert(Nodes& on, size_t i, uint32_t v) {
    on.insert(std::upper_bound(on.begin() + i + 1, on.end(), v), v);
}

// The nodes that are on, the root first: those whose parents are on and whose own score is >= 0. Only nodes
// below nodes that are on are scored. Unseen nodes are off.
inline void top_down(Weights& w, const Vector& x, const Labels& labels, bool averaged, Nodes& on) {
    on.assign(1, 0);
    if (!labels.has_learned) return;  // before the first example no label is predicted
    w.bind(x, averaged);
    w.mask.resize(labels.n());
    w.mask[0] = 1;
    for (size_t i = 0; i < on.size(); ++i) {
        const Ranges& below = labels.below(on[i]);
        if (below.empty()) continue;
        w.score(below);
        each(below, [&](uint32_t v) {
            if (!(w.scores[v] >= 0.0) || labels.unseen(v) || !labels.all_parents(w.mask.data(), v)) return;
            w.mask[v] = 1;
            insert(on, i, v);
        });
    }
    for (uint32_t v : on) w.mask[v] = 0;
}

}  // namespace river_hier
