// The update of H-PERC (Cesa-Bianchi, Gentile and Zaniboni, 2006, section 8).
#pragma once

#include "weights.hpp"

namespace river_hier {

// Every node whose parents are truly on learns from its mistake.
inline void hperceptron_step(Weights& w, const Vector& x, const On& on, const Labels& labels) {
    Nodes& nodes = w.nodes;
    Numbers& steps = w.steps;
    nodes.clear();
    steps.clear();
    labels.trained(on, w.ranges);
    w.score(x, w.ranges);
    for (Range range : w.ranges)
        for (uint32_t v = range.first; v < range.last; ++v)
            if ((w.scores[v] >= 0.0) != static_cast<bool>(on.mask[v])) {
                nodes.push_back(v);
                steps.push_back(on.mask[v] ? 1.0 : -1.0);
            }
    w.add(x, nodes, steps);  // w + v x
}

}  // namespace river_hier
