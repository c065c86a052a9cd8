// Rows that hold every node: for taxonomies of up to some hundred nodes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "store/weight_store.hpp"
#include "hardware/loops.hpp"

namespace river_hier {

// Rows lie in blocks that never move: plane after plane, each padded to whole cache lines.
template <class T>
class Dense : public WeightStore {
  public:
    Dense(size_t n_nodes, size_t n_planes)
        : width_(whole_lines<T>(n_nodes)),
          stride_(n_planes * width_),
          sums_(width_ + lanes<T>),
          steps_(width_),
          confidences_(n_planes > 1 ? width_ : 0) {}

    void step(const Vector& x, const Nodes& nodes, const Numbers& steps) override {
        grow(x);
        find_rows(x);
        lines_of(nodes);
        for (size_t i = 0; i < nodes.size(); ++i) steps_[nodes[i]] = steps[i];
        for (Range range : near_)
            step_rows(rows_.data(), values_.data(), rows_.size(), range.first, range.last,
                      steps_.data());
        for (uint32_t v : nodes) steps_[v] = 0;
    }

    void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& cells) override {
        if (x.size() == 0 || nodes.empty()) return;
        grow(x);
        const double* cell = cells.data();
        for (uint32_t row : x.rows) {
            T* weights = at(row, plane);
            for (uint32_t v : nodes) weights[v] = static_cast<T>(weights[v] + *cell++);
        }
    }

    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule) override {
        grow(x);
        find_rows(x);
        for (T*& row : rows_) row += width_;
        for (double& value : values_) value *= value;
        lines_of(nodes);
        variances_.resize(width_ + lanes<T>);
        score(near_, variances_.data());  // x^T S x = ||x||^2 + sum (S - 1) x^2
        for (size_t i = 0; i < nodes.size(); ++i) variances_[i] = x.norm2 + variances_[nodes[i]];
        moves_.clear();
        rule(variances_, moves_);
        for (const Move& move : moves_) {
            steps_[move.node] = move.step;
            confidences_[move.node] = move.confidence;
        }
        if (moves_.empty()) return;
        for (Range range : near_)
            move_rows(rows_.data(), width_, x.values.data(), rows_.size(), range.first, range.last,
                      steps_.data(), confidences_.data());
        for (const Move& move : moves_) steps_[move.node] = confidences_[move.node] = 0;
    }

    void clear(size_t feature, uint32_t node) override {
        for (size_t k = 0; k * width_ < stride_; ++k) at(feature, k)[node] = 0;
    }

    size_t n_features() const override { return n_features_; }

    double get(size_t plane, size_t feature, uint32_t node) const override {
        return feature < n_features_ ? at(feature, plane)[node] : 0.0;
    }

    void save(size_t feature, Entries& entries) const override {
        const T* row = at(feature);
        for (uint32_t v = 0; v < width_; ++v) {
            if (row[v] == 0 && row[stride_ - width_ + v] == 0) continue;
            entries.nodes.push_back(v);
            for (size_t k = 0; k * width_ < stride_; ++k) entries.planes[k].push_back(row[k * width_ + v]);
        }
    }

    void load(size_t feature, const Entries& entries, size_t first, size_t last) override {
        grow(feature + 1);
        for (size_t k = 0; k * width_ < stride_; ++k)
            for (size_t i = first; i < last; ++i)
                at(feature, k)[entries.nodes[i]] = static_cast<T>(entries.planes[k][i]);
    }

    size_t bytes() const override { return n_features_ * stride_ * sizeof(T); }

    void find_rows(const Vector& x) override {
        rows_.resize(x.size());
        values_.resize(x.size());
        size_t n = 0;
        for (size_t i = 0; i < x.size(); ++i)
            if (x.rows[i] < n_features_) {
                rows_[n] = at(x.rows[i]);
                river_hier::prefetch(rows_[n]);
                values_[n++] = x.values[i];
            }
        rows_.resize(n);
        values_.resize(n);
    }

    void prefetch_rows(size_t plane, const Ranges& ranges) const override {
        if (bytes() < 1'000'000) return;  // they are in the processor's cache
        for (const T* row : rows_)
            for (Range range : ranges)
                for (size_t v = range.first / lanes<T> * lanes<T>; v < range.last; v += lanes<T>)
                    river_hier::prefetch(row + plane * width_ + v);
    }

    void score(const Ranges& ranges, double* scores) override {
        for (Range range : ranges)
            if constexpr (std::is_same_v<T, double>) {
                sum(range, scores);
            } else {
                sum(range, sums_.data());
                std::copy(&sums_[range.first], &sums_[0] + range.last, scores + range.first);
            }
    }

  private:
    void sum(Range range, T* sums) const {
        sum_rows(rows_.data(), values_.data(), rows_.size(), range.first, range.last, sums);
    }

    // Put the lines of some nodes into `near_`, as few pieces as possible.
    void lines_of(const Nodes& nodes) {
        near_.clear();
        for (uint32_t v : nodes)
            if (near_.empty() || v >= near_.back().last + lanes<T>)
                near_.push_back({v, v + 1});
            else
                near_.back().last = v + 1;
    }

    static constexpr size_t block = 64;  // rows

    T* at(size_t row, size_t plane = 0) const {
        return blocks_[row / block].data()->numbers + row % block * stride_ + plane * width_;
    }

    // Make rows for all features of x.
    void grow(const Vector& x) {
        size_t n = n_features_;
        for (uint32_t row : x.rows) n = std::max(n, size_t{row} + 1);
        grow(n);
    }

    void grow(size_t n) {
        while (blocks_.size() * block < n) blocks_.emplace_back(block * stride_ / lanes<T>);
        n_features_ = n;
    }

    size_t width_, stride_;  // numbers of a plane and of a row
    size_t n_features_ = 0;
    mutable std::vector<std::vector<Line<T>>> blocks_;  // `at` is to read and to write
    std::vector<T*> rows_;  // of x, and its values there
    Numbers values_;
    std::vector<T> sums_;
    Ranges near_;
    Numbers variances_;
    Moves moves_;
    Numbers steps_, confidences_;  // of all nodes, as whole lines move: 0 for those that do not
};

}  // namespace river_hier
