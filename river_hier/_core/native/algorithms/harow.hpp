// The rule of H-AROW, adaptive regularisation of weights at every node: `HAROW` in
// linear_model/harow.py.
#pragma once

#include "algorithms/linear.hpp"

namespace river_hier {

struct HAROW : SecondOrder {
    HAROW(double r, double forgetting) : SecondOrder{forgetting}, r(r) {}

    // The margin is below 1.
    bool learns(double score, double y) const { return y * score < 1.0; }

    // The step and the confidence, from the variance of the score.
    Step rule(double score, double y, double, double variance) const {
        const double confidence = 1.0 / (variance + r);  // 1 / (x^T S x + r)
        return {(y - score) * confidence, confidence};
    }

    double r;
};

}  // namespace river_hier
