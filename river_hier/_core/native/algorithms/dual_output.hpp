// One output (node) of a system in dual variables.
#pragma once

#include <algorithm>
#include <cmath>

#include "store/instances.hpp"

namespace river_hier {

inline double product(const Numbers& a, const Numbers& b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

using Ids = std::vector<uint32_t>;  // numbers of instances

struct DualOutput {
    size_t memory() const {
        return heap_bytes(v) + heap_bytes(w0) + heap_bytes(alpha) + heap_bytes(z) + heap_bytes(w);
    }

    void truncate(size_t n) {
        v.resize(n);
        z.resize(std::min(n, z.size()));
    }

    // w0 . x
    double prior_score(const Vector& x) const { return x.dot(w0); }

    // w . x, where k = S^T x.
    double score(const Vector& x, const Numbers& k) const {
        double sum = prior_score(x);
        for (size_t i = 0; i < k.size(); ++i) sum += alpha[i] * k[i];
        return sum;
    }

    // The next element of z = L^-1 v, from the next row of L. Always in this order, which gives a
    // loaded model the same bits.
    void append_z(double v, const double* l, double s) {
        for (size_t i = 0; i < z.size(); ++i) v -= l[i] * z[i];
        z.push_back(v / s);
    }

    // w0 + S alpha
    Numbers weights(const Instances& instances, const Ids& ids, size_t n_features) const {
        Numbers sum = w0;
        sum.resize(n_features, 0.0);
        for (size_t i = 0; i < ids.size(); ++i) instances.add_to(ids[i], alpha[i], sum.data());
        return sum;
    }

    // The sum of the sizes of what is added up in `weights`.
    double size(const Instances& instances, const Ids& ids) const {
        double sum = 0.0;
        for (size_t i = 0; i < ids.size(); ++i)
            sum += std::fabs(alpha[i]) * std::sqrt(instances.norm2(ids[i]));
        for (double weight : w0) sum += std::fabs(weight);
        return sum;
    }

    // The same output without the `count` oldest instances, whose part of w moves into w0.
    DualOutput without_oldest(size_t count, const Instances& instances, const Ids& ids,
                              size_t n_features) const {
        Numbers part(n_features, 0.0);
        for (size_t i = 0; i < count; ++i) instances.add_to(ids[i], alpha[i], part.data());
        DualOutput left;
        left.alpha.assign(alpha.begin() + count, alpha.end());
        for (size_t i = count; i < ids.size(); ++i)
            left.v.push_back(v[i] - instances.dot(ids[i], part.data()));
        left.w0 = w0;
        left.w0.resize(n_features, 0.0);
        for (size_t j = 0; j < n_features; ++j) left.w0[j] += part[j];
        return left;
    }

    Numbers v;      // labels less S^T w0
    Numbers w0;     // empty if nothing was forgotten
    Numbers alpha;  // the solution, or where conjugate gradients start
    Numbers z;      // L^-1 v, as far as there is a factor
    Numbers w;      // for many predictions in a row, else empty
};

}  // namespace river_hier
