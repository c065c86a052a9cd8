// The update of Hieron (Dekel, Keshet and Singer, 2004).
#pragma once

#include <cmath>

#include "weights.hpp"

namespace river_hier {

// Of every node the sum over its path.
inline void path_sums(double* values, const Labels& tree) {
    for (uint32_t v = 1; v < tree.n(); ++v) values[v] += values[tree.parent(v)];
}

// The first of the largest. Four at a time, as each comparison waits for the one before.
inline uint32_t argmax(const double* scores, size_t n) {
    double most[4] = {scores[0], scores[0], scores[0], scores[0]};
    size_t v = 0;
    for (; v + 4 <= n; v += 4)
        for (size_t k = 0; k < 4; ++k) most[k] = scores[v + k] > most[k] ? scores[v + k] : most[k];
    for (; v < n; ++v) most[0] = scores[v] > most[0] ? scores[v] : most[0];
    const double largest = *std::max_element(most, most + 4);
    for (v = 0; v + 1 < n; ++v)
        if (scores[v] == largest) break;
    return static_cast<uint32_t>(v);
}

// W^v . x of every node, in `w.scores`.
inline const double* hieron_scores(Weights& w, const Vector& x, const Labels& tree) {
    w.score_all(x);
    path_sums(w.scores.data(), tree);  // Eq. (2)
    return w.scores.data();
}

// Put into `w` the nodes to move along x, and by how much, so that y wins over `y_hat` by its
// margin, unless the step would be larger than C.
inline bool hieron_move(Weights& w, double norm2, uint32_t y, uint32_t y_hat, const Labels& tree,
                        double C) {
    Nodes& nodes = w.nodes;
    Numbers& steps = w.steps;
    nodes.clear();
    steps.clear();
    for (uint32_t u = y, v = y_hat; u != v;) {  // ancestors come before: the later of both is none
        const bool rises = u > v;
        uint32_t& node = rises ? u : v;
        nodes.push_back(node);
        steps.push_back(rises ? 1.0 : -1.0);
        node = tree.parent(node);
    }
    std::reverse(nodes.begin(), nodes.end());
    std::reverse(steps.begin(), steps.end());
    const double gamma = static_cast<double>(nodes.size());
    const double loss = w.scores[y_hat] - w.scores[y] + std::sqrt(gamma);  // Eq. (5)
    if (gamma == 0.0 || norm2 == 0.0 || loss <= 0.0) return false;
    const double alpha = std::min(C, loss / (gamma * norm2));  // Eq. (8)
    for (double& step : steps) step *= alpha;  // Eq. (7)
    return true;
}

// One round of online Hieron.
inline void hieron_step(Weights& w, double C, const Vector& x, uint32_t y, const Labels& tree) {
    const double* scores = hieron_scores(w, x, tree);
    const uint32_t y_hat = argmax(scores, tree.n());  // Eq. (3)
    if (hieron_move(w, x.norm2, y, y_hat, tree, C)) w.add(x, w.nodes, w.steps);
}

// Round i of batch Hieron: a move against the label of the largest loss, counted i times in `lag`.
inline void averaged_hieron_step(Weights& w, Weights& lag, double i, double C, const Vector& x,
                                 uint32_t y, const Labels& tree) {
    const double* scores = hieron_scores(w, x, tree);
    Numbers& losses = w.steps;  // at first distances to y: a step nearer on its path, or farther
    losses.assign(tree.n(), 1.0);
    for (uint32_t v = y; v; v = tree.parent(v)) losses[v] = -1.0;
    losses[0] = tree.depth(y);
    path_sums(losses.data(), tree);
    for (uint32_t v = 0; v < tree.n(); ++v)
        losses[v] = scores[v] + std::sqrt(losses[v]);  // the most of Eq. (5)
    const uint32_t y_hat = argmax(losses.data(), tree.n());
    if (!hieron_move(w, x.norm2, y, y_hat, tree, C)) return;
    w.add(x, w.nodes, w.steps);
    for (double& step : w.steps) step *= i;
    lag.add(x, w.nodes, w.steps);
}

}  // namespace river_hier
