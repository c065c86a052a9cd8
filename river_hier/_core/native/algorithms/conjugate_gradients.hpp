// The method of conjugate gradients: slower than a factor, in less memory.
#pragma once

#include "store/instances.hpp"

namespace river_hier {

// Improves a until (l2 I + S^T S) a = b, for instances S, to a tolerance relative to b.
inline void conjugate_gradients(const Instances& instances, const std::vector<uint32_t>& ids, double l2,
                                const Numbers& b, Numbers& a, double tolerance) {
    const size_t n = b.size();
    Numbers Sa(instances.n_features());
    const auto multiply = [&](const Numbers& a, Numbers& image) {
        std::fill(Sa.begin(), Sa.end(), 0.0);
        for (size_t i = 0; i < n; ++i)
            if (a[i] != 0.0) instances.add_to(ids[i], a[i], Sa.data());
        for (size_t i = 0; i < n; ++i)
            image[i] = l2 * a[i] + instances.dot(ids[i], Sa.data());
    };
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
