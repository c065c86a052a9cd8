// Weights that are uncertain: each has a variance of its own.
#pragma once

#include "layout.hpp"

namespace river_hier {

// A weight and its variance less 1, so that one never met is all zeros.
template <class T>
struct Gaussian {
    T w = 0, s = 0;

    T& plane(size_t plane) { return plane ? s : w; }

    // Its part of x^T S x.
    double doubt(double value) const { return (1.0 + s) * value * value; }

    // w += step S x, S -= confidence (S x)^2.
    void learn(double value, double step, double confidence) {
        const double move = (1.0 + s) * value;  // S x
        w = static_cast<T>(w + move * step);
        s = static_cast<T>(s - confidence * move * move);
    }
};

// A step at some nodes, the same for all features of x. The confidence is 1 / (x^T S x + r).
struct GaussianStep {
    Nodes nodes;
    Numbers steps, confidences;

    size_t bytes() const {
        return sizeof *this + nodes.size() * (sizeof nodes[0] + sizeof steps[0] + sizeof confidences[0]);
    }
};

// What H-AROW needs of a layout beside the scores.
class Gaussians {
  public:
    virtual ~Gaussians() = default;

    // x^T S x of some nodes, which `learn` is about at once.
    virtual void doubts(const Vector& x, const Nodes& nodes, Numbers& doubts) = 0;
    virtual void learn(const Vector& x, const GaussianStep& step) = 0;
};

}  // namespace river_hier
