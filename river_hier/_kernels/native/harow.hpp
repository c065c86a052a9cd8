// The update of H-AROW: adaptive regularisation of weights at every node, from the top down.
#pragma once

#include "weights.hpp"

namespace river_hier {

// `s` holds the variances less 1, so that a feature never met has variance 1.
inline void harow_step(Weights& w, Weights& s, const Vector& x, const On& on, double r,
                       const Labels& labels) {
    std::vector<Range> ranges;
    labels.trained(on, ranges);
    w.score(x, ranges);
    Nodes nodes;
    for (Range range : ranges)
        for (uint32_t v = range.first; v < range.last; ++v)
            if ((on.mask[v] ? w.scores[v] : -w.scores[v]) < 1.0) nodes.push_back(v);
    if (nodes.empty() || x.norm2 == 0.0) return;
    const size_t n = nodes.size();
    Numbers variances, moves, confidence(n, 0.0);
    s->read(x, nodes, variances);
    moves.resize(variances.size());
    double *move = moves.data(), *variance = variances.data();
    for (const double value : x.values)
        for (size_t i = 0; i < n; ++i, ++move, ++variance) {
            *move = (1.0 + *variance) * value;  // S x
            confidence[i] += *move * value;     // x^T S x
        }
    Numbers step(n);
    for (size_t i = 0; i < n; ++i) {
        const double y = on.mask[nodes[i]] ? 1.0 : -1.0;
        step[i] = (y - w.scores[nodes[i]]) / (confidence[i] + r);
        confidence[i] = 1.0 / (confidence[i] + r);
    }
    move = moves.data(), variance = variances.data();
    for (size_t j = 0; j < x.size(); ++j)
        for (size_t i = 0; i < n; ++i, ++move, ++variance) {
            *variance = -confidence[i] * *move * *move;
            *move *= step[i];
        }
    w->add(x, nodes, moves);
    s->add(x, nodes, variances);
}

}  // namespace river_hier
