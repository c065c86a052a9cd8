// Rows that hold every node: for taxonomies of up to some hundred nodes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "layout.hpp"
#include "pages.hpp"
#include "simd.hpp"

namespace river_hier {

// Rows are padded to whole cache lines and lie in blocks that never move.
template <class T>
class Dense : public Layout {
  public:
    explicit Dense(size_t n_nodes)
        : stride_((n_nodes + lanes<T> - 1) / lanes<T> * lanes<T>), sums_(stride_ + lanes<T>) {}

    void look(const Vector& x) override {
        rows_.resize(x.size());
        values_.resize(x.size());
        n_ = 0;
        for (size_t i = 0; i < x.size(); ++i)
            if (x.rows[i] < n_features_) {
                rows_[n_] = at(x.rows[i]);
                __builtin_prefetch(rows_[n_]);
                values_[n_++] = x.values[i];
            }
    }

    void score(Range range, double* scores) override {
        if constexpr (std::is_same_v<T, double>) {
            sum_rows(rows_.data(), values_.data(), n_, range.first, range.last, scores);
        } else {
            sum_rows(rows_.data(), values_.data(), n_, range.first, range.last, sums_.data());
            std::copy(&sums_[range.first], &sums_[0] + range.last, scores + range.first);
        }
    }

    void read(const Vector& x, const Nodes& nodes, Numbers& cells) override {
        cells.assign(x.size() * nodes.size(), 0.0);
        double* cell = cells.data();
        for (uint32_t row : x.rows) {
            if (row < n_features_) {
                const T* weights = at(row);
                for (size_t i = 0; i < nodes.size(); ++i) cell[i] = weights[nodes[i]];
            }
            cell += nodes.size();
        }
    }

    void add(const Vector& x, const Nodes& nodes, const Numbers& cells) override {
        if (x.size() == 0 || nodes.empty()) return;
        grow(1 + *std::max_element(x.rows.begin(), x.rows.end()));
        const double* cell = cells.data();
        for (uint32_t row : x.rows) {
            T* weights = at(row);
            for (uint32_t v : nodes) weights[v] = static_cast<T>(weights[v] + *cell++);
        }
    }

    void prefetch(uint32_t row) const override {
        if (row < n_features_) __builtin_prefetch(at(row));
    }

    size_t n_features() const override { return n_features_; }

    double get(size_t feature, uint32_t node) const override {
        return feature < n_features_ ? at(feature)[node] : 0.0;
    }

    void row(size_t feature, Nodes& nodes, Numbers& weights) const override {
        const T* row = at(feature);
        for (uint32_t v = 0; v < stride_; ++v)
            if (row[v] != 0) {
                nodes.push_back(v);
                weights.push_back(row[v]);
            }
    }

    size_t bytes() const override { return n_features_ * stride_ * sizeof(T); }

  private:
    // Block k holds 64 * 2^k rows.
    static constexpr size_t smallest = 64;

    T* at(size_t row) const {
        const int k = 63 - __builtin_clzll(row / smallest + 1);
        return static_cast<T*>(blocks_[k].get()) + (row - before(k)) * stride_;
    }

    // Rows before block k.
    static size_t before(size_t k) { return smallest * ((size_t{1} << k) - 1); }

    void grow(size_t n_features) {
        while (before(blocks_.size()) < n_features)
            blocks_.push_back(zeroed((smallest << blocks_.size()) * stride_ * sizeof(T), line));
        n_features_ = std::max(n_features_, n_features);
    }

    size_t stride_;
    size_t n_features_ = 0;
    std::vector<Pages> blocks_;
    std::vector<const T*> rows_;  // of x, and its values there
    Numbers values_;
    size_t n_ = 0;
    std::vector<T> sums_;
};

extern template class Dense<double>;
extern template class Dense<float>;

}  // namespace river_hier
