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
    uint32_t rival(const double* scores, uint32_t, const Labels& labels) const { return argmax(scores, labels.n()); }

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
    uint32_t rival(const double* scores, uint32_t y, const Labels& labels) const {
        Numbers losses = distances_from(y, labels);
        for (uint32_t v = 0; v < labels.n(); ++v) losses[v] = scores[v] + std::sqrt(losses[v]);
        return argmax(losses.data(), labels.n());
    }
};

// A rule in Python that numba has compiled, by the addresses of its functions: `rule`, and `learns` or `rival`
// or 0. A function that has failed leaves nan.
template <class Kind>
struct ByAddress : Kind {
    ByAddress(uint64_t rule, uint64_t other, Numbers parameters, double forgetting)
        : address(rule), other(other), parameters(std::move(parameters)) {
        if constexpr (std::is_base_of_v<SecondOrder, Kind>) this->forgetting = forgetting;
    }

    template <class... Args>
    Step call(uint64_t address, Args... args) const {
        using Function = void (*)(Args..., const double*, double*);
        Step found{std::nan(""), 0.0};
        reinterpret_cast<Function>(address)(args..., parameters.data(), &found.step);
        if (std::isnan(found.step)) throw nb::value_error("the rule must return numbers, got nan");
        return found;
    }

    bool learns(double score, double y) const { return !other || call(other, score, y, 0.0, 0.0).step != 0.0; }

    uint32_t rival(const double* scores, uint32_t y, const Labels& labels) const {
        if (!other) return argmax(scores, labels.n());
        const double node = call(other, scores, int64_t{labels.n()}, int64_t{y}).step;
        if (!(node >= 0.0 && node < labels.n())) throw nb::value_error("`rival` must return a node");
        return static_cast<uint32_t>(node);
    }

    // Of the first order or, of a margin and a distance, on paths; and of the second order.
    double rule(double a, double b, double norm2) const { return call(address, a, b, norm2, 0.0).step; }
    Step rule(double score, double y, double norm2, double variance) const {
        return call(address, score, y, norm2, variance);
    }

    uint64_t address, other;
    Numbers parameters;
};

}  // namespace river_hier
