// Rows that hold only the nodes that have a weight: for taxonomies of thousands of nodes.
#pragma once

#include <algorithm>

#include "layout.hpp"
#include "row.hpp"

namespace river_hier {

template <class T>
class Postings : public Layout {
  public:
    explicit Postings(size_t n_nodes) : n_nodes_(n_nodes) {}

    void look(const Vector& x) override {
        for (uint32_t r : x.rows)
            if (r < rows_.size()) __builtin_prefetch(&rows_[r]);
        for (uint32_t r : x.rows)
            if (r < rows_.size()) __builtin_prefetch(rows_[r].memory);
        x_ = &x;
        places_.assign(x.size(), 0);
    }

    void score(Range range, double* scores) override {
        std::fill(scores + range.first, scores + range.last, 0.0);
        for (size_t i = 0; i < x_->size(); ++i) {
            if (x_->rows[i] >= rows_.size()) continue;
            const double value = x_->values[i];
            rows_[x_->rows[i]].visit(range, places_[i],
                                     [=](uint32_t v, T weight) { scores[v] += value * weight; });
        }
    }

    void add(size_t, const Vector& x, const Nodes& nodes, const Numbers& cells) override {
        if (x.size() == 0 || nodes.empty()) return;
        size_t n = 1 + *std::max_element(x.rows.begin(), x.rows.end());
        if (n > rows_.size()) rows_.resize(n);
        places_.resize(nodes.size());
        const double* cell = cells.data();
        for (uint32_t r : x.rows) {
            Row<T>& row = rows_[r];
            row.include(nodes, places_.data(), missing_, n_nodes_);
            T* weights = row.cells();
            for (uint32_t at : places_) weights[at] = static_cast<T>(weights[at] + *cell++);
        }
    }

    void prefetch(uint32_t row) const override {
        if (row < rows_.size()) __builtin_prefetch(&rows_[row]);
    }

    size_t n_features() const override { return rows_.size(); }

    double get(size_t, size_t feature, uint32_t node) const override {
        return feature < rows_.size() ? rows_[feature].get(node) : 0.0;
    }

    void row(size_t, size_t feature, Nodes& nodes, Numbers& weights) const override {
        rows_[feature].append(nodes, weights, [](T weight) { return weight; });
    }

    size_t bytes() const override {
        size_t bytes = rows_.capacity() * sizeof(Row<T>);
        for (const Row<T>& row : rows_) bytes += row.bytes();
        return bytes;
    }

  private:
    size_t n_nodes_;
    std::vector<Row<T>> rows_;
    const Vector* x_ = nullptr;
    Nodes places_, missing_;  // scratch
};

extern template class Postings<double>;
extern template class Postings<float>;

}  // namespace river_hier
