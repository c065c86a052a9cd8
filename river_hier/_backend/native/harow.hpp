// The update of H-AROW: adaptive regularisation of weights at every node, from the top down.
#pragma once

#include "weights.hpp"

namespace river_hier {

// Every node whose parents are truly on learns if its margin is below 1.
inline void harow_step(GaussianWeights& w, const Vector& x, const On& on, double r,
                       double forgetting, const Labels& labels) {
    Nodes& nodes = w.nodes;
    Moves& moves = w.moves;
    nodes.clear();
    moves.clear();
    labels.trained(on, w.ranges);
    w->look(x);
    for (size_t plane : {0, 1}) w->send_for(plane, w.ranges);
    w->score(w.ranges, w.scores.data());
    for (Range range : w.ranges)
        for (uint32_t v = range.first; v < range.last; ++v)
            if ((on.mask[v] ? w.scores[v] : -w.scores[v]) < 1.0) nodes.push_back(v);
    if (nodes.empty() || x.norm2 == 0.0) return;
    if (forgetting < 1.0) w.fade(x, nodes, forgetting);
    w->score_variances(x, nodes, w.variances);  // x^T S x
    for (size_t i = 0; i < nodes.size(); ++i) {
        const uint32_t v = nodes[i];
        const double y = on.mask[v] ? 1.0 : -1.0;
        const double confidence = 1.0 / (w.variances[i] + r);
        moves.push_back({v, (y - w.scores[v]) * confidence, confidence});
    }
    w.learn(x, nodes, moves);
}

}  // namespace river_hier
