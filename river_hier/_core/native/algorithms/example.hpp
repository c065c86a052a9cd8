// The instances that systems of least squares store, and an example from which they may learn.
#pragma once

#include <algorithm>
#include <cmath>

#include "hardware/loops.hpp"
#include "store/vector.hpp"

namespace river_hier {

// The number by which a system knows an instance.
using Ids = std::vector<uint32_t>;

// Sparse vectors, each held once however many systems use it.
class Instances {
  public:
    uint32_t n() const { return static_cast<uint32_t>(all_.size()); }
    size_t n_features() const { return by_feature_.size(); }
    const Vector& operator[](uint32_t number) const { return all_[number]; }

    size_t bytes() const {
        size_t bytes = heap_bytes(all_, by_feature_);
        for (const Vector& x : all_) bytes += heap_bytes(x.rows, x.values);
        return bytes;
    }

    // Stores x, whose rows ascend, and returns its number.
    uint32_t append(const Vector& x) {
        if (x.size()) ensure_features(size_t{1} + x.rows.back());
        for (size_t j = 0; j < x.size(); ++j) by_feature_[x.rows[j]].push_back({n(), x.values[j]});
        all_.push_back(x);
        return n() - 1;
    }

    void ensure_features(size_t n) {
        if (n > by_feature_.size()) by_feature_.resize(n);
    }

    // Keeps the instances with these ascending numbers, which become 0, 1, ...
    void keep(const Ids& kept) {
        Instances left;
        left.ensure_features(n_features());
        for (uint32_t number : kept) left.append(all_[number]);
        *this = std::move(left);
    }

    Numbers dots(const Vector& x) const {
        Numbers dots(n(), 0.0);
        for (size_t j = 0; j < x.size(); ++j) {
            if (x.rows[j] >= by_feature_.size()) continue;
            const double value = x.values[j];
            for (const Entry& entry : by_feature_[x.rows[j]]) dots[entry.number] += value * entry.value;
        }
        return dots;
    }

    void add_to(uint32_t number, double a, double* dense) const {
        const Vector& x = all_[number];
        for (size_t j = 0; j < x.size(); ++j) dense[x.rows[j]] += a * x.values[j];
    }

  private:
#pragma pack(push, 4)
    struct Entry {  // 12 bytes: `dots` is bound by memory
        uint32_t number;
        double value;
    };
#pragma pack(pop)

    std::vector<Vector> all_;
    std::vector<std::vector<Entry>> by_feature_;
};

class Example {
  public:
    // With explicit features.
    explicit Example(const Vector& given, double weight = 1.0) : x(sorted(given)), norm2(x.norm2), weight(weight) {}

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
