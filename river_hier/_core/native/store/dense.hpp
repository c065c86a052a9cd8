// The rows of one x that hold every node: plane after plane, each padded to `width` numbers in whole cache
// lines.
#pragma once

#include <algorithm>
#include <type_traits>

#include "hardware/loops.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

template <class T>
class DenseRows {
  public:
    DenseRows(size_t n_nodes, size_t n_planes)
        : width(whole_lines<T>(n_nodes)), stride(n_planes * width), sums_(width + lanes<T>), steps_(width),
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

    // Between two steps.
    bool is_sound() const {
        const auto zero = [](double number) { return number == 0.0; };
        return std::all_of(steps_.begin(), steps_.end(), zero) &&
               std::all_of(confidences_.begin(), confidences_.end(), zero);
    }

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
        const double least = (1.0 + double{least_variance<T>}) * norm2;  // of which rounding may leave nothing
        for (size_t i = 0; i < nodes.size(); ++i) variances[i] += std::max(norm2 + sums_[nodes[i]], least);
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
        for (Range range : near_)
            move_rows(rows_.data(), width, values_.data(), rows_.size(), range.first, range.last,
                      steps_.data(), confidences_.data());
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

}  // namespace river_hier
