// Stored instances: sparse vectors, each held once however many systems use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "store/vector.hpp"

namespace river_hier {

// The number by which a system knows an instance.
using Ids = std::vector<uint32_t>;

class Instances {
  public:
    // Compressed sparse rows.
    struct Data {
        std::vector<uint64_t> start{0};
        std::vector<uint32_t> rows;
        Numbers values, norms2;
    };

    const Data& data() const { return data_; }
    uint32_t n() const { return static_cast<uint32_t>(data_.norms2.size()); }
    size_t n_features() const { return by_feature_.size(); }
    double norm2(uint32_t number) const { return data_.norms2[number]; }

    size_t bytes() const {
        return heap_bytes(data_.start) + heap_bytes(data_.rows) + heap_bytes(data_.values) +
               heap_bytes(data_.norms2) + heap_bytes(by_feature_);
    }

    // Stores x, whose rows ascend, and returns its number. If memory runs out, nothing is stored.
    uint32_t append(const Vector& x) {
        if (x.size()) ensure_features(size_t{1} + x.rows.back());
        make_room(data_.rows, x.size());
        make_room(data_.values, x.size());
        make_room(data_.start);
        make_room(data_.norms2);
        for (uint32_t row : x.rows) make_room(by_feature_[row]);
        data_.rows.insert(data_.rows.end(), x.rows.begin(), x.rows.end());
        data_.values.insert(data_.values.end(), x.values.begin(), x.values.end());
        data_.start.push_back(data_.rows.size());
        data_.norms2.push_back(x.norm2);
        for (size_t j = 0; j < x.size(); ++j) by_feature_[x.rows[j]].push_back({n() - 1, x.values[j]});
        return n() - 1;
    }

    void ensure_features(size_t n) {
        if (n > by_feature_.size()) by_feature_.resize(n);
    }

    // Keeps the instances with these ascending numbers, which become 0, 1, ...
    void keep(const Ids& kept) {
        Instances left;
        left.ensure_features(n_features());
        for (uint32_t number : kept) left.append(vector(number));
        *this = std::move(left);
    }

    Vector vector(uint32_t number) const {
        Vector x;
        x.norm2 = norm2(number);
        each(number, [&](uint32_t row, double value) {
            x.rows.push_back(row);
            x.values.push_back(value);
        });
        return x;
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
        each(number, [=](uint32_t row, double value) { dense[row] += a * value; });
    }

    // dense . instance, in the order of the features, to the same bits as `dots`.
    double dot(uint32_t number, const double* dense) const {
        double sum = 0.0;
        each(number, [&](uint32_t row, double value) { sum += dense[row] * value; });
        return sum;
    }

    // visit(row, value) for each entry of an instance.
    template <class Visit>
    void each(uint32_t number, Visit visit) const {
        const size_t end = data_.start[number + 1];
        for (size_t e = data_.start[number]; e < end; ++e) visit(data_.rows[e], data_.values[e]);
    }

  private:
#pragma pack(push, 4)
    struct Entry {  // 12 bytes: `dots` is bound by memory
        uint32_t number;
        double value;
    };
#pragma pack(pop)

    Data data_;
    std::vector<std::vector<Entry>> by_feature_;
};

}  // namespace river_hier
