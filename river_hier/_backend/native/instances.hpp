// Stored instances, each once, whoever uses them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vector.hpp"

namespace river_hier {

// Sparse vectors, by instance and by feature.
class Instances {
  public:
    uint32_t n() const { return static_cast<uint32_t>(start_.size() - 1); }
    size_t n_features() const { return by_feature_.size(); }

    uint32_t append(const Vector& x) {
        const uint32_t number = add(x);
        while (n_posted_ < n()) post();
        return number;
    }

    // The first half of it: x is an instance, but `dots` does not know it.
    uint32_t add(const Vector& x) {
        rows_.insert(rows_.end(), x.rows.begin(), x.rows.end());
        values_.insert(values_.end(), x.values.begin(), x.values.end());
        start_.push_back(rows_.size());
        norms2_.push_back(x.norm2);
        return n() - 1;
    }

    // There are at least so many features.
    void know(size_t n_features) {
        if (n_features > by_feature_.size()) by_feature_.resize(n_features);
    }

    Vector vector(uint32_t number) const {
        Vector x;
        x.rows.assign(rows_.begin() + start_[number], rows_.begin() + start_[number + 1]);
        x.values.assign(values_.begin() + start_[number], values_.begin() + start_[number + 1]);
        x.norm2 = norms2_[number];
        return x;
    }

    // x . every posted instance: O(the instances that share a feature with x, for each).
    void dots(const Vector& x, std::vector<double>& dots) const;

    // dense += a * the instance.
    void add_to(uint32_t number, double a, double* dense) const;

    // dense . the instance.
    double dot(uint32_t number, const double* dense) const;

    // The same, one addition after the other.
    double dot_in_order(uint32_t number, const double* dense) const;

    // How many entries `dots` reads.
    double entries(const Vector& x) const {
        size_t n = 0;
        for (uint32_t row : x.rows)
            if (row < by_feature_.size()) n += by_feature_[row].size();
        return static_cast<double>(n);
    }

    // Features of an instance, on average.
    double mean_size() const { return static_cast<double>(values_.size()) / n(); }

    // How many features there are, up to the last one of an instance.
    size_t features_of(uint32_t number) const {
        size_t n = 0;
        for (size_t e = start_[number]; e < start_[number + 1]; ++e)
            n = std::max(n, size_t{rows_[e]} + 1);
        return n;
    }

    // Of those from `first` on only these, with the next numbers; and so many features.
    void keep(uint32_t first, const std::vector<uint32_t>& kept, size_t n_features) {
        if (first < n_posted_) {
            n_posted_ = 0;
            by_feature_.clear();
        }
        by_feature_.resize(n_features);
        size_t end = start_[first];
        uint32_t n = first;
        for (uint32_t number : kept) {
            const size_t begin = start_[number], size = start_[number + 1] - begin;
            std::copy_n(rows_.begin() + begin, size, rows_.begin() + end);
            std::copy_n(values_.begin() + begin, size, values_.begin() + end);
            norms2_[n] = norms2_[number];
            start_[++n] = end += size;
        }
        rows_.resize(end);
        values_.resize(end);
        norms2_.resize(n);
        start_.resize(size_t{n} + 1);
        while (n_posted_ < n) post();
    }

    const std::vector<size_t>& start() const { return start_; }
    const std::vector<uint32_t>& rows() const { return rows_; }
    const std::vector<double>& values() const { return values_; }
    const std::vector<double>& norms2() const { return norms2_; }

  private:
    // The second half, of the next one.
    void post() {
        for (size_t e = start_[n_posted_]; e < start_[n_posted_ + 1]; ++e) {
            know(size_t{rows_[e]} + 1);
            by_feature_[rows_[e]].push_back({n_posted_, values_[e]});
        }
        ++n_posted_;
    }

    struct __attribute__((packed)) Entry {
        uint32_t number;
        double value;
    };

    uint32_t n_posted_ = 0;
    std::vector<size_t> start_{0};
    std::vector<uint32_t> rows_;
    std::vector<double> values_, norms2_;
    std::vector<std::vector<Entry>> by_feature_;
};

}  // namespace river_hier
