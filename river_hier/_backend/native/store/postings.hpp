// Rows that hold only the nodes that have an entry: for taxonomies of thousands of nodes.
#pragma once

#include <algorithm>

#include "store/weight_store.hpp"
#include "hardware/portable.hpp"
#include "store/row.hpp"

namespace river_hier {

// A cell holds the numbers of all planes side by side.
template <class T>
class Postings : public WeightStore {
  public:
    Postings(size_t n_nodes, size_t n_planes)
        : n_planes_(n_planes), shape_{n_nodes, n_planes * sizeof(T)} {}

    void step(const Vector& x, const Nodes& nodes, const Numbers& steps) override {
        places_.resize(nodes.size());
        for (size_t j = 0; j < x.size(); ++j) {
            T* numbers = include(x.rows[j], nodes, places_.data());
            for (size_t i = 0; i < nodes.size(); ++i) {
                T& weight = numbers[places_[i] * n_planes_];
                weight = static_cast<T>(weight + x.values[j] * steps[i]);
            }
        }
    }

    void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& cells) override {
        if (x.size() == 0 || nodes.empty()) return;
        const double* cell = cells.data();
        places_.resize(nodes.size());
        for (uint32_t r : x.rows) {
            T* numbers = include(r, nodes, places_.data()) + plane;
            for (uint32_t at : places_) {
                T& number = numbers[at * n_planes_];
                number = static_cast<T>(number + *cell++);
            }
        }
    }

    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule) override {
        variances_.assign(nodes.size(), 0.0);
        places_.resize(x.size() * nodes.size());
        for (size_t j = 0; j < x.size(); ++j) {
            const uint32_t* at = &places_[j * nodes.size()];
            const T* s = include(x.rows[j], nodes, &places_[j * nodes.size()]) + 1;
            for (double& sum : variances_) sum += variance(s[2 * *at++], x.values[j]);
        }
        moves_.clear();
        rule(variances_, moves_);
        if (moves_.empty()) return;
        const uint32_t* at = places_.data();
        for (size_t j = 0; j < x.size(); ++j) {
            T* w = numbers(rows_[x.rows[j]]);
            for (const Move& move : moves_) {
                T* cell = w + 2 * *at++;
                apply(move, x.values[j], cell[0], cell[1]);
            }
        }
    }

    void prefetch(uint32_t row) const override {
        if (row < rows_.size()) river_hier::prefetch(&rows_[row]);
    }

    size_t n_features() const override { return rows_.size(); }

    double get(size_t plane, size_t feature, uint32_t node) const override {
        if (feature >= rows_.size()) return 0.0;
        const uint32_t at = rows_[feature].find(node, shape_.cell);
        return at == Row::all ? 0.0 : numbers(rows_[feature])[at * n_planes_ + plane];
    }

    void row(size_t plane, size_t feature, Nodes& nodes, Numbers& found) const override {
        const Row& row = rows_[feature];
        const uint32_t size = row.dense() ? row.room : row.size;
        for (uint32_t i = 0; i < size; ++i)
            if (const T number = numbers(row)[i * n_planes_ + plane]; number != 0) {
                nodes.push_back(row.dense() ? i : row.nodes(shape_.cell)[i]);
                found.push_back(number);
            }
    }

    size_t bytes() const override {
        size_t bytes = rows_.capacity() * sizeof(Row);
        for (const Row& row : rows_) bytes += row.bytes(shape_.cell);
        return bytes;
    }

    void copy_row(size_t feature, size_t n_nodes, void* to) const override {
        if (feature >= rows_.size()) return;
        const Row& row = rows_[feature];
        const T* weights = numbers(row);
        T* cells = static_cast<T*>(to);
        for (uint32_t v = 0; row.dense() && v < n_nodes; ++v) cells[v] = weights[v * n_planes_];
        for (uint32_t i = 0; !row.dense() && i < row.size; ++i)
            cells[row.nodes(shape_.cell)[i]] = weights[i * n_planes_];
    }

  protected:
    void find_rows(const Vector& x) override {
        for (uint32_t r : x.rows)
            if (r < rows_.size()) river_hier::prefetch(&rows_[r]);
        for (uint32_t r : x.rows)
            if (r < rows_.size()) river_hier::prefetch(rows_[r].memory);
        x_ = &x;
        places_.assign(x.size(), 0);
    }

    void score(const Ranges& ranges, double* scores) override {
        for (Range range : ranges) std::fill(scores + range.first, scores + range.last, 0.0);
        for (size_t i = 0; i < x_->size(); ++i) {
            if (x_->rows[i] >= rows_.size()) continue;
            const Row& row = rows_[x_->rows[i]];
            const double value = x_->values[i];
            const T* weights = numbers(row);
            const uint32_t* nodes = row.nodes(shape_.cell);
            uint32_t& at = places_[i];  // ranges mostly come in order
            for (Range range : ranges) {
                if (row.dense()) {
                    for (uint32_t v = range.first; v < range.last; ++v)
                        scores[v] += value * weights[v * n_planes_];
                    continue;
                }
                const bool behind = at && nodes[at - 1] >= range.first;
                at = row.first_from(nodes, range.first, behind ? 0 : at);
                for (; at < row.size && nodes[at] < range.last; ++at)
                    scores[nodes[at]] += value * weights[at * n_planes_];
            }
        }
    }

  private:
    static T* numbers(const Row& row) { return reinterpret_cast<T*>(row.memory); }

    // The part of a feature in x^T S x.
    static double variance(double s, double value) { return (1.0 + s) * value * value; }

    static void apply(const Move& by, double value, T& w, T& s) {
        const double before = s, move = (1.0 + before) * value;  // S x
        w = static_cast<T>(w + move * by.step);
        s = static_cast<T>(before - by.confidence * move * move);
    }

    // Make sure that some nodes have cells in a row; -> its numbers, and the places of the nodes.
    T* include(uint32_t row, const Nodes& nodes, uint32_t* places) {
        if (row >= rows_.size()) rows_.resize(size_t{row} + 1);
        rows_[row].include(nodes, shape_, places, missing_);
        return numbers(rows_[row]);
    }

    const size_t n_planes_;
    const Shape shape_;
    std::vector<Row> rows_;
    const Vector* x_ = nullptr;
    Nodes places_, missing_;  // scratch
    Numbers variances_;
    Moves moves_;
};

extern template class Postings<double>;
extern template class Postings<float>;

}  // namespace river_hier
