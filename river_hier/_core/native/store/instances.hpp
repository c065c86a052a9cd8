// Stored instances: sparse vectors, each held once however many systems use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "store/vector.hpp"

namespace river_hier {

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

    uint32_t append(const Vector& x) {
        const uint32_t number = append_unindexed(x);
        while (n_indexed_ < n()) index_next();
        return number;
    }

    // The same, but `dots` leaves x out until `keep` or `append` has indexed it.
    uint32_t append_unindexed(const Vector& x) {
        if (x.size()) ensure_features(size_t{1} + *std::max_element(x.rows.begin(), x.rows.end()));
        make_room(data_.rows, x.size());
        make_room(data_.values, x.size());
        make_room(data_.start);
        make_room(data_.norms2);
        data_.rows.insert(data_.rows.end(), x.rows.begin(), x.rows.end());
        data_.values.insert(data_.values.end(), x.values.begin(), x.values.end());
        data_.start.push_back(data_.rows.size());
        data_.norms2.push_back(x.norm2);
        return n() - 1;
    }

    // Keeps the first n instances.
    void truncate(uint32_t n) {
        for (; n_indexed_ > n; --n_indexed_)
            each(n_indexed_ - 1, [this](uint32_t row, double) { by_feature_[row].pop_back(); });
        resize(n, data_.start[n]);
    }

    void ensure_features(size_t n) {
        if (n > by_feature_.size()) by_feature_.resize(n);
    }

    // Of the instances from `first` on, keeps those that are marked, under the next free numbers, and
    // indexes them.
    void keep(uint32_t first, const std::vector<char>& marked) {
        uint32_t n = first;
        size_t end = data_.start[first];
        for (uint32_t number = first; number < this->n(); ++number) {
            if (!marked[number - first]) continue;
            const size_t begin = data_.start[number], size = data_.start[number + 1] - begin;
            std::copy_n(data_.rows.begin() + begin, size, data_.rows.begin() + end);
            std::copy_n(data_.values.begin() + begin, size, data_.values.begin() + end);
            data_.norms2[n] = data_.norms2[number];
            data_.start[++n] = end += size;
        }
        if (n < this->n() && first < n_indexed_) {
            for (auto& entries : by_feature_) entries.clear();
            n_indexed_ = 0;
        }
        resize(n, end);
        while (n_indexed_ < n) index_next();
    }

    // dots[i] = x . instance i, for every indexed instance.
    void dots(const Vector& x, Numbers& dots) const {
        dots.assign(n_indexed_, 0.0);
        for (size_t j = 0; j < x.size(); ++j) {
            if (x.rows[j] >= by_feature_.size()) continue;
            const double value = x.values[j];
            for (const Entry& entry : by_feature_[x.rows[j]])
                dots[entry.number] += value * entry.value;
        }
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

    void resize(uint32_t n, size_t n_entries) {
        data_.rows.resize(n_entries);
        data_.values.resize(n_entries);
        data_.norms2.resize(n);
        data_.start.resize(size_t{n} + 1);
    }

    void index_next() {
        each(n_indexed_, [this](uint32_t row, double) { make_room(by_feature_[row]); });  // may fail
        each(n_indexed_, [this](uint32_t row, double value) {
            by_feature_[row].push_back({n_indexed_, value});
        });
        ++n_indexed_;
    }

    Data data_;
    std::vector<std::vector<Entry>> by_feature_;
    uint32_t n_indexed_ = 0;
};

}  // namespace river_hier
