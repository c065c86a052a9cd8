// The probabilities of `LogarithmicPool` in ensemble.py, and the step of its coefficients.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/calibration.hpp"
#include "algorithms/cholesky_factor.hpp"

namespace river_hier {

constexpr double least_probability = 1e-6;  // of a member; smaller ones count as this

// The log p of a member or, for multilabels, the log-odds; the root is always on.
inline double logarithm(double p, size_t node, bool multilabel) {
    if (!multilabel) return std::log(std::max(p, least_probability));
    if (node == 0) return 0.0;
    p = std::clamp(p, least_probability, 1.0 - least_probability);
    return std::log(p) - std::log1p(-p);
}

// The scores of n nodes become probabilities; `never` are those that are never predicted.
inline void pooled(double* scores, size_t n, const Nodes& never, bool multilabel) {
    if (multilabel) {
        std::transform(scores, scores + n, scores, logistic);
        scores[0] = 1.0;
        for (uint32_t v : never) scores[v] = 0.0;
        return;
    }
    for (uint32_t v : never) scores[v] = -HUGE_VAL;
    const double most = *std::max_element(scores, scores + n);
    double total = 0.0;
    for (size_t v = 0; v < n; ++v) total += scores[v] = std::exp(scores[v] - most);
    for (size_t v = 0; v < n; ++v) scores[v] /= total;
}

// A Newton step on the log loss. The logarithms of the members are (members, nodes), p those of the pool.
inline void step(const Numbers& logs, const Numbers& p, const Nodes& on, double w, double memory, bool multilabel,
                 Numbers& coefficients, Numbers& precision) {
    const size_t m = coefficients.size(), n = p.size();
    Numbers off(n), mean(m), slope(m);
    for (uint32_t v : on) off[v] = 1.0;
    for (size_t v = 0; v < n; ++v) off[v] -= p[v];
    for (size_t a = 0; a < m; ++a) {
        const double* of_a = logs.data() + a * n;
        slope[a] = w * std::inner_product(of_a, of_a + n, off.begin(), 0.0);
        if (!multilabel) mean[a] = std::inner_product(of_a, of_a + n, p.begin(), 0.0);
        for (size_t b = 0; b <= a; ++b) {
            const double* of_b = logs.data() + b * n;
            double curved = 0.0;
            for (size_t v = 0; v < n; ++v)
                curved += (of_a[v] - mean[a]) * (of_b[v] - mean[b]) * (multilabel ? p[v] * (1.0 - p[v]) : p[v]);
            precision[a * m + b] = memory * precision[a * m + b] + (1.0 - memory) * (a == b) + w * curved;
            precision[b * m + a] = precision[a * m + b];
        }
    }
    CholeskyFactor factor;
    for (size_t a = 0; a < m; ++a) {
        const double* row = precision.data() + a * m;
        Numbers l(row, row + a);
        factor.forward(l);
        factor.append(l, std::sqrt(row[a] - std::inner_product(l.begin(), l.end(), l.begin(), 0.0)));
    }
    Numbers move = slope;
    factor.forward(move);
    factor.backward(move);
    const double length = std::sqrt(std::inner_product(slope.begin(), slope.end(), move.begin(), 0.0));
    for (size_t a = 0; a < m; ++a)
        coefficients[a] = std::max(coefficients[a] + move[a] / std::max(length, 1.0), 0.0);
}

}  // namespace river_hier
