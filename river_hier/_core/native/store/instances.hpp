// Stored instances: sparse vectors, each held once however many systems use it.
#pragma once

#include <vector>

#include "store/vector.hpp"

namespace river_hier {

// The number by which a system knows an instance.
using Ids = std::vector<uint32_t>;

class Instances {
  public:
    uint32_t n() const { return static_cast<uint32_t>(all_.size()); }
    size_t n_features() const { return by_feature_.size(); }
    const Vector& operator[](uint32_t number) const { return all_[number]; }

    size_t bytes() const {
        size_t bytes = allocated(all_.capacity() * sizeof(Vector)) + heap_bytes(by_feature_);
        for (const Vector& x : all_) bytes += heap_bytes(x.rows) + heap_bytes(x.values);
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

    // x . instance i for every i
    Numbers dots(const Vector& x) const {
        Numbers dots(n(), 0.0);
        for (size_t j = 0; j < x.size(); ++j) {
            if (x.rows[j] >= by_feature_.size()) continue;
            const double value = x.values[j];
            for (const Entry& entry : by_feature_[x.rows[j]]) dots[entry.number] += value * entry.value;
        }
        return dots;
    }

    // dense += a * instance
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

}  // namespace river_hier
