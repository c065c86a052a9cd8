// Uncertain weights for taxonomies of thousands of nodes.
#pragma once

#include "gaussian_row.hpp"

namespace river_hier {

template <class T>
class GaussianPostings : public Layout, public Gaussians {
  public:
    using Cell = Gaussian<T>;

    explicit GaussianPostings(size_t n_nodes) : n_nodes_(n_nodes), made_(n_nodes) {}

    void look(const Vector& x) override {
        for (uint32_t r : x.rows)
            if (r < rows_.size()) __builtin_prefetch(&rows_[r]);
        for (uint32_t r : x.rows)
            if (r < rows_.size()) rows_[r].prefetch();
        x_ = &x;
        places_.assign(x.size(), 0);
    }

    void score(Range range, double* scores) override {
        std::fill(scores + range.first, scores + range.last, 0.0);
        for (size_t j = 0; j < x_->size(); ++j) {
            if (x_->rows[j] >= rows_.size()) continue;
            const double value = x_->values[j];
            rows_[x_->rows[j]].visit(range, places_[j], made_, [=](uint32_t v, Cell cell) {
                scores[v] += value * cell.w;
            });
        }
    }

    void doubts(const Vector& x, const Nodes& nodes, Numbers& doubts) override {
        grow(x);
        const size_t n = nodes.size();
        doubts.assign(n, 0.0);
        places_.resize(x.size() * n);
        for (size_t j = 0; j < x.size(); ++j) {
            GaussianRow<T>& row = rows_[x.rows[j]];
            const bool kept = row.keeps(n, n_nodes_);
            uint32_t* places = &places_[j * n];
            if (kept) {
                row.repeat(everywhere(), made_);
                std::copy(nodes.begin(), nodes.end(), places);
            } else {
                row.settle(n_nodes_).include(nodes, places, missing_, n_nodes_);
            }
            const Cell* cells = kept ? made_.data() : row.settle(n_nodes_).cells();
            for (size_t i = 0; i < n; ++i) doubts[i] += cells[places[i]].doubt(x.values[j]);
            if (kept) row.clear(everywhere(), made_);
        }
    }

    void learn(const Vector& x, const GaussianStep& step) override {
        const size_t n = step.nodes.size();
        const auto shared = std::make_shared<const GaussianStep>(step);
        for (size_t j = 0; j < x.size(); ++j) {
            GaussianRow<T>& row = rows_[x.rows[j]];
            if (row.keeps(n, n_nodes_)) {
                row.keep(shared, x.values[j]);
                continue;
            }
            Cell* cells = row.settle(n_nodes_).cells();
            const uint32_t* places = &places_[j * n];
            for (size_t i = 0; i < n; ++i)
                cells[places[i]].learn(x.values[j], step.steps[i], step.confidences[i]);
        }
    }

    void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& numbers) override {
        if (x.size() == 0 || nodes.empty()) return;
        grow(x);
        places_.resize(nodes.size());
        const double* number = numbers.data();
        for (uint32_t r : x.rows) {
            Row<Cell>& row = rows_[r].settle(n_nodes_);
            row.include(nodes, places_.data(), missing_, n_nodes_);
            for (uint32_t at : places_) {
                T& stored = row.cells()[at].plane(plane);
                stored = static_cast<T>(stored + *number++);
            }
        }
    }

    void prefetch(uint32_t row) const override {
        if (row < rows_.size()) __builtin_prefetch(&rows_[row]);
    }

    size_t n_planes() const override { return 2; }
    size_t n_features() const override { return rows_.size(); }

    double get(size_t plane, size_t feature, uint32_t node) const override {
        return feature < rows_.size() ? rows_[feature].get(node).plane(plane) : 0.0;
    }

    void row(size_t plane, size_t feature, Nodes& nodes, Numbers& numbers) const override {
        rows_[feature].append(plane, n_nodes_, nodes, numbers);
    }

    size_t bytes() const override {
        size_t bytes = rows_.capacity() * sizeof(GaussianRow<T>);
        for (const GaussianRow<T>& row : rows_) bytes += row.bytes();
        return bytes;
    }

  private:
    Range everywhere() const { return {0, static_cast<uint32_t>(n_nodes_)}; }

    void grow(const Vector& x) {
        const size_t n = 1 + *std::max_element(x.rows.begin(), x.rows.end());
        if (n > rows_.size()) rows_.resize(n);
    }

    size_t n_nodes_;
    std::vector<GaussianRow<T>> rows_;
    const Vector* x_ = nullptr;
    std::vector<Cell> made_;  // scratch, as the following
    Nodes places_, missing_;
};

extern template class GaussianPostings<double>;
extern template class GaussianPostings<float>;

}  // namespace river_hier
