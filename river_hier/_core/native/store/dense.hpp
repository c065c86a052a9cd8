// Rows that hold every node: for taxonomies of up to some hundred nodes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "hardware/loops.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

// The rows of one x that hold every node: plane after plane, each padded to `width` numbers in whole cache
// lines.
template <class T>
class DenseRows {
  public:
    DenseRows(size_t n_nodes, size_t n_planes)
        : width(whole_lines<T>(n_nodes)),
          stride(n_planes * width),
          sums_(width + lanes<T>),
          steps_(width),
          confidences_(n_planes > 1 ? width : 0) {}

    // The rows that `find(row)` has for the features of x; null for none.
    template <class Find>
    void find(const Vector& x, Find find) {
        rows_.resize(x.size());
        values_.resize(x.size());
        size_t n = 0;
        for (size_t i = 0; i < x.size(); ++i)
            if (T* row = find(x.rows[i])) {
                rows_[n] = row;
                values_[n++] = x.values[i];
            }
        rows_.resize(n);
        values_.resize(n);
    }

    bool empty() const { return rows_.empty(); }

    void prefetch(size_t plane, const Ranges& ranges) const {
        for (const T* row : rows_)
            for (Range range : ranges)
                for (size_t v = range.first / lanes<T> * lanes<T>; v < range.last; v += lanes<T>)
                    river_hier::prefetch(row + plane * width + v);
    }

    // scores[v] = the sum of values * rows, for the nodes of some ranges. `alone`, whole lines may be written.
    void score(const Ranges& ranges, double* scores, bool alone) {
        for (Range range : ranges) {
            if constexpr (std::is_same_v<T, double>)
                if (alone) {
                    sum(range, scores);
                    continue;
                }
            sum(range, sums_.data());
            std::copy(&sums_[range.first], &sums_[0] + range.last, scores + range.first);
        }
    }

    void step(const Nodes& nodes, const Numbers& steps) {
        lines_of(nodes);
        for (size_t i = 0; i < nodes.size(); ++i) steps_[nodes[i]] = steps[i];
        for (Range range : near_)
            step_rows(rows_.data(), values_.data(), rows_.size(), range.first, range.last, steps_.data());
        for (uint32_t v : nodes) steps_[v] = 0;
    }

    // variances[i] += the sum of S x^2 for the i-th node.
    void add_variances(const Nodes& nodes, Numbers& variances) {
        lines_of(nodes);
        plain_ = values_;
        double norm2 = 0.0;
        for (T*& row : rows_) row += width;
        for (double& value : values_) norm2 += value *= value;
        for (Range range : near_) sum(range, sums_.data());
        for (size_t i = 0; i < nodes.size(); ++i) variances[i] += norm2 + sums_[nodes[i]];
        for (T*& row : rows_) row -= width;
        values_ = plain_;
    }

    // Moves nodes of the last `add_variances`.
    void move(const Moves& moves) {
        if (moves.empty()) return;
        for (const Move& move : moves) {
            steps_[move.node] = move.step;
            confidences_[move.node] = move.confidence;
        }
        for (T*& row : rows_) row += width;
        for (Range range : near_)
            move_rows(rows_.data(), width, values_.data(), rows_.size(), range.first, range.last,
                      steps_.data(), confidences_.data());
        for (T*& row : rows_) row -= width;
        for (const Move& move : moves) steps_[move.node] = confidences_[move.node] = 0;
    }

    const size_t width, stride;  // numbers of a plane and of a row

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

    std::vector<T*> rows_;
    Numbers values_, plain_;
    std::vector<T> sums_;
    Ranges near_;
    Numbers steps_, confidences_;  // of all nodes, as whole lines move: 0 for those that do not
};

// Rows lie in blocks that never move.
template <class T>
class Dense : public WeightStore {
  public:
    Dense(size_t n_nodes, size_t n_planes) : of_x_(n_nodes, n_planes) {}

    void step(const Vector& x, const Nodes& nodes, const Numbers& steps) override {
        grow(x);
        find_rows(x);
        of_x_.step(nodes, steps);
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
        variances_.assign(nodes.size(), 0.0);
        of_x_.add_variances(nodes, variances_);
        moves_.clear();
        rule(variances_, moves_);
        of_x_.move(moves_);
    }

    void clear(size_t feature, uint32_t node) override {
        for (size_t k = 0; k < n_planes(); ++k) at(feature, k)[node] = 0;
    }

    size_t n_features() const override { return n_features_; }

    double get(size_t plane, size_t feature, uint32_t node) const override {
        return feature < n_features_ ? at(feature, plane)[node] : 0.0;
    }

    void save(size_t feature, Entries& entries) const override {
        const size_t width = of_x_.width;
        const T* row = at(feature);
        for (uint32_t v = 0; v < width; ++v) {
            if (row[v] == 0 && row[of_x_.stride - width + v] == 0) continue;
            entries.nodes.push_back(v);
            for (size_t k = 0; k < n_planes(); ++k) entries.planes[k].push_back(row[k * width + v]);
        }
    }

    void load(size_t feature, const Entries& entries, size_t first, size_t last) override {
        grow(feature + 1);
        for (size_t k = 0; k < n_planes(); ++k)
            for (size_t i = first; i < last; ++i)
                at(feature, k)[entries.nodes[i]] = static_cast<T>(entries.planes[k][i]);
    }

    size_t bytes() const override { return n_features_ * of_x_.stride * sizeof(T); }

    void find_rows(const Vector& x) override {
        of_x_.find(x, [&](uint32_t r) -> T* {
            if (r >= n_features_) return nullptr;
            T* row = at(r);
            river_hier::prefetch(row);
            return row;
        });
    }

    void prefetch_rows(size_t plane, const Ranges& ranges) const override {
        if (bytes() >= 1'000'000) of_x_.prefetch(plane, ranges);  // else they are in the processor's cache
    }

    void score(const Ranges& ranges, double* scores) override { of_x_.score(ranges, scores, true); }

  private:
    static constexpr size_t block = 64;  // rows

    size_t n_planes() const { return of_x_.stride / of_x_.width; }

    T* at(size_t row, size_t plane = 0) const {
        return blocks_[row / block].data()->numbers + row % block * of_x_.stride + plane * of_x_.width;
    }

    // Make rows for all features of x.
    void grow(const Vector& x) {
        size_t n = n_features_;
        for (uint32_t row : x.rows) n = std::max(n, size_t{row} + 1);
        grow(n);
    }

    void grow(size_t n) {
        while (blocks_.size() * block < n) blocks_.emplace_back(block * of_x_.stride / lanes<T>);
        n_features_ = n;
    }

    size_t n_features_ = 0;
    mutable std::vector<std::vector<Line<T>>> blocks_;  // `at` is to read and to write
    DenseRows<T> of_x_;
    Numbers variances_;
    Moves moves_;
};

}  // namespace river_hier
