// An example before the systems of least squares that may learn from it.
#pragma once

#include <algorithm>
#include <cmath>

#include "hardware/loops.hpp"
#include "store/instances.hpp"

namespace river_hier {

class Example {
  public:
    // With explicit features.
    explicit Example(const Vector& given, double weight = 1.0)
        : x(sorted(given)), norm2(x.norm2), weight(weight) {}

    // With a kernel, by K(x_i, x) of every instance and K(x, x). x has no features.
    Example(Numbers values, double norm2, double weight)
        : norm2(norm2), weight(weight), number(static_cast<uint32_t>(values.size())), has_dots_(true),
          dots_(std::move(values)) {}

    // x . every instance, as many as there were at the first call.
    const Numbers& dots(const Instances& instances) const {
        if (!has_dots_) dots_ = instances.dots(x);
        has_dots_ = true;
        return dots_;
    }

    // x as a dense vector of at least n numbers.
    const double* dense(size_t n) const {
        n = std::max(n, x.size() ? whole_lines<double>(size_t{1} + x.rows.back()) : 0);
        if (dense_.size() < n) {
            dense_.assign(n, 0.0);
            for (size_t j = 0; j < x.size(); ++j) dense_[x.rows[j]] = x.values[j];
        }
        return dense_.data();
    }

    const Vector x;  // its rows ascend
    const double norm2, weight;
    uint32_t number = no_row;  // among the instances, once it is stored

  private:
    static Vector sorted(const Vector& given) {
        if (std::is_sorted(given.rows.begin(), given.rows.end())) return given;
        std::vector<uint64_t> order(given.size());  // rows, and behind them where each stands in x
        for (size_t j = 0; j < order.size(); ++j) order[j] = uint64_t{given.rows[j]} << 32 | j;
        std::sort(order.begin(), order.end());
        Vector x = given;
        for (size_t j = 0; j < order.size(); ++j) {
            x.rows[j] = static_cast<uint32_t>(order[j] >> 32);
            x.values[j] = given.values[order[j] & UINT32_MAX];
        }
        return x;
    }

    mutable bool has_dots_ = false;
    mutable Numbers dots_, dense_;
};

inline double product(const Numbers& a, const Numbers& b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace river_hier
