// The rules of Hieron, online and batch (Dekel, Keshet and Singer, 2004): `Hieron` and
// `AveragedHieron` in linear_model.
#pragma once

#include "algorithms/linear.hpp"

namespace river_hier {

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
