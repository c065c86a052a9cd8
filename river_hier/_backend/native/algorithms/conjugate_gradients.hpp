// The method of conjugate gradients for symmetric positive definite systems.
#pragma once

#include "store/vector.hpp"

namespace river_hier {

// Improves a until B a = b, to a tolerance relative to b; multiply(a, image) sets image = B a.
template <class Multiply>
void conjugate_gradients(const Multiply& multiply, const Numbers& b, Numbers& a, double tolerance) {
    const size_t n = b.size();
    Numbers residual(n), direction(n), image(n);
    multiply(a, image);
    double rr = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; ++i) {
        direction[i] = residual[i] = b[i] - image[i];
        rr += residual[i] * residual[i];
        bb += b[i] * b[i];
    }
    for (size_t step = 0; step < 2 * n + 10; ++step) {  // in exact arithmetic n steps suffice
        if (rr <= tolerance * tolerance * bb) return;
        multiply(direction, image);
        double curvature = 0.0;
        for (size_t i = 0; i < n; ++i) curvature += direction[i] * image[i];
        const double length = rr / curvature;
        double next = 0.0;
        for (size_t i = 0; i < n; ++i) {
            a[i] += length * direction[i];
            residual[i] -= length * image[i];
            next += residual[i] * residual[i];
        }
        for (size_t i = 0; i < n; ++i) direction[i] = residual[i] + next / rr * direction[i];
        rr = next;
    }
}

}  // namespace river_hier
