// The update of H-AROW: adaptive regularisation of weights at every node, from the top down.
#pragma once

#include "gaussian_weights.hpp"

namespace river_hier {

// Every node whose parents are truly on learns if its margin is below 1.
inline void harow_step(GaussianWeights& w, const Vector& x, const On& on, double r,
                       const Labels& labels) {
    std::vector<Range> ranges;
    labels.trained(on, ranges);
    w.score(x, ranges);
    GaussianStep step;
    for (Range range : ranges)
        for (uint32_t v = range.first; v < range.last; ++v)
            if ((on.mask[v] ? w.scores[v] : -w.scores[v]) < 1.0) step.nodes.push_back(v);
    if (step.nodes.empty() || x.norm2 == 0.0) return;
    w.gaussians().doubts(x, step.nodes, step.confidences);
    for (size_t i = 0; i < step.nodes.size(); ++i) {
        const uint32_t v = step.nodes[i];
        const double y = on.mask[v] ? 1.0 : -1.0;
        double& confidence = step.confidences[i];  // x^T S x so far
        step.steps.push_back((y - w.scores[v]) / (confidence + r));
        confidence = 1.0 / (confidence + r);
    }
    w.gaussians().learn(x, step);
}

}  // namespace river_hier
