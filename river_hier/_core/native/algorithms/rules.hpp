// The rules of the linear learners of linear_model, by the names of their classes.
#pragma once

#include "algorithms/linear.hpp"

namespace river_hier {

// Cesa-Bianchi, Gentile and Zaniboni (2006), section 8.
struct HPerceptron : FirstOrder {
    bool learns(double score, double y) const { return (score >= 0.0) != (y > 0.0); }

    double rule(double, double y, double) const { return y; }
};

// Adaptive regularisation of weights at every node.
struct HAROW : SecondOrder {
    HAROW(double r, double forgetting) : SecondOrder{forgetting}, r(r) {}

    bool learns(double score, double y) const { return y * score < 1.0; }

    // The step and the confidence, from the variance of the score.
    Step rule(double score, double y, double, double variance) const {
        const double confidence = 1.0 / (variance + r);  // 1 / (x^T S x + r)
        return {(y - score) * confidence, confidence};
    }

    double r;
};

// Hieron, online and batch (Dekel, Keshet and Singer, 2004).
struct Hieron : OnPaths {
    explicit Hieron(double C) : C(C) {}

    // The predicted label, Eq. (3).
    uint32_t rival(const double* scores, uint32_t, const Labels& tree, Numbers&) const {
        return argmax(scores, tree.n());
    }

    // The smallest step that makes up for the loss, and at most C.
    double rule(double margin, double gamma, double norm2) const {
        const double loss = std::sqrt(gamma) - margin;  // Eq. (5)
        return std::min(C, loss / (gamma * norm2));     // Eq. (8); Eq. (7) is the move itself
    }

    double C;
};

struct AveragedHieron : Hieron {
    using Hieron::Hieron;

    // The label of the largest loss, the maximum of Eq. (5).
    uint32_t rival(const double* scores, uint32_t y, const Labels& tree, Numbers& losses) const {
        distances_from(y, tree, losses);
        for (uint32_t v = 0; v < tree.n(); ++v) losses[v] = scores[v] + std::sqrt(losses[v]);
        return argmax(losses.data(), tree.n());
    }
};

}  // namespace river_hier
