// A row of weights for each feature, which holds only the nodes that have an entry, or all nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "hardware/pages.hpp"
#include "store/dense.hpp"

namespace river_hier {

// The numbers of a feature and a node: a weight or, with a variance, two.
template <class T, size_t n_planes>
using Cell = std::array<T, n_planes>;

// Nodes and a cell of each, sorted by node, so that siblings are neighbours here too.
template <class Cell, class Node>
struct Row {
    std::vector<Cell> cells;
    std::vector<Node> nodes;

    // The first place from `at` on whose node is not before v; it is expected to be near.
    uint32_t first_from(uint32_t v, uint32_t at) const {
        uint32_t step = 1;
        const uint32_t size = static_cast<uint32_t>(nodes.size());
        const Node* list = nodes.data();
        for (; at + step <= size && list[at + step - 1] < v; step *= 2) at += step;
        return static_cast<uint32_t>(std::lower_bound(list + at, list + std::min(at + step, size), v) - list);
    }

    // Whether a node, whose place would be `at`, is in the list.
    bool has(uint32_t v, uint32_t at) const { return at < nodes.size() && nodes[at] == v; }

    // Inserts the nodes that are missing, with zeros; `places` are those of all wanted nodes. Each entry
    // behind them moves only once. Returns false where the row should become dense.
    bool include(const Nodes& wanted, size_t n_nodes, uint32_t* places, Nodes& missing) {
        missing.clear();
        uint32_t at = 0;
        for (uint32_t i = 0; i < wanted.size(); ++i) {
            at = first_from(wanted[i], at);
            places[i] = at + static_cast<uint32_t>(missing.size());
            if (!has(wanted[i], at)) missing.push_back(i);
        }
        size_t more = missing.size(), from = nodes.size();
        if (more && 3 * (from + more - 1) >= n_nodes) return false;
        if (from + more > std::min(nodes.capacity(), cells.capacity())) {
            nodes.reserve(from + more + from / 8);
            cells.reserve(nodes.capacity());
        }
        nodes.resize(from + more);
        cells.resize(nodes.size());
        for (; more; --more) {
            const uint32_t i = missing[more - 1];
            const size_t first = places[i] - (more - 1);
            const auto move = [=](auto list) { std::move_backward(list + first, list + from, list + from + more); };
            move(nodes.begin());
            move(cells.begin());
            nodes[places[i]] = static_cast<Node>(wanted[i]);
            cells[places[i]] = Cell();
            from = first;
        }
        return true;
    }
};

// A row of each feature. In a small taxonomy, or once a third of the nodes is in it, it is dense: it has the
// numbers of all nodes as `DenseRows` takes them, and no lists. The type `Node` has room for the number of any node.
template <class Cell, class Node>
class Postings : public WeightStore {
    using T = typename Cell::value_type;
    static constexpr size_t n_planes = std::tuple_size_v<Cell>;

  public:
    explicit Postings(size_t n_nodes) : n_nodes_(n_nodes), small_(n_nodes <= 128), dense_(n_nodes, n_planes) {}

    void step(const Vector& x, const Nodes& nodes, const Numbers& steps) override {
        include(x, nodes);
        if (!dense_.empty()) dense_.step(nodes, steps);
        each_cell(x, nodes, [&](Cell& cell, size_t i, double value) { change(cell[0], value * steps[i]); });
        assert(are_sound(x.rows));
    }

    void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& changes) override {
        include(x, nodes);
        for (size_t j = 0; j < x.size(); ++j) {
            T* const dense = numbers_[x.rows[j]];
            for (size_t i = 0; i < nodes.size(); ++i) {
                const size_t at = j * nodes.size() + i;
                change(dense ? dense[plane * dense_.width + nodes[i]] : rows_[x.rows[j]].cells[places_[at]][plane],
                       changes[at]);
            }
        }
        assert(are_sound(x.rows));
    }

    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule) override {
        include(x, nodes);
        variances_.assign(nodes.size(), 0.0);
        if (!dense_.empty()) dense_.add_variances(nodes, variances_);
        each_cell(x, nodes, [&](Cell& cell, size_t i, double value) {
            variances_[i] += (1.0 + cell[1]) * value * value;
        });
        moves_.clear();
        rule(variances_, moves_);
        if (!dense_.empty()) dense_.move(moves_);
        each_cell(x, moves_, [&](Cell& cell, size_t i, double value) {
            const Move by = moves_[i];
            const double move = (1.0 + cell[1]) * value;  // S x
            change(cell[0], move * by.step);
            change(cell[1], -by.confidence * move * move);
            cell[1] = std::max(least_variance<T>, cell[1]);
        });
        assert(are_sound(x.rows));
    }

    void clear(size_t feature, uint32_t node) override {
        for (size_t k = 0; k < n_planes; ++k) if (T* const number = find(k, feature, node)) *number = 0;
    }

    size_t n_features() const override { return numbers_.size(); }

    double get(size_t plane, size_t feature, uint32_t node) override {
        const T* const number = feature < numbers_.size() ? find(plane, feature, node) : nullptr;
        return number ? *number : 0.0;
    }

    void save(size_t feature, Entries& entries) const override {
        const T* const dense = numbers_[feature];
        if (small_ && !dense) return;
        const Row<Cell, Node>* const row = dense ? nullptr : &rows_[feature];
        const size_t n = dense ? n_nodes_ : row->nodes.size();
        for (size_t at = 0; dense && at < dense_.stride; at += lanes<T>) river_hier::prefetch(dense + at);
        size_t end = entries.nodes.size();
        entries.resize(end + n, n_planes);
        for (uint32_t i = 0; i < n; ++i) {  // what is zero is written over
            entries.nodes[end] = dense ? i : row->nodes[i];
            bool zero = true;
            for (size_t k = 0; k < n_planes; ++k) {
                const double number = dense ? dense[k * dense_.width + i] : row->cells[i][k];
                entries.planes[k][end] = number;
                zero = zero && number == 0.0;
            }
            end += !zero;
        }
        entries.resize(end, n_planes);
    }

    void load(size_t feature, const Entries& entries) override {
        const size_t n = entries.nodes.size();
        if (n == 0) return;
        make_room(feature + 1);
        if (small_ || 3 * (n - 1) >= n_nodes_) {
            densify(feature);
        } else {
            rows_[feature].nodes.assign(entries.nodes.begin(), entries.nodes.end());
            rows_[feature].cells.resize(n);
        }
        T* const dense = numbers_[feature];
        for (size_t k = 0; k < n_planes; ++k)
            for (size_t i = 0; i < n; ++i)
                (dense ? dense[k * dense_.width + entries.nodes[i]] : rows_[feature].cells[i][k]) =
                    std::max(k ? least_variance<T> : std::numeric_limits<T>::lowest(), static_cast<T>(entries.planes[k][i]));
        assert(are_sound({static_cast<uint32_t>(feature)}));
    }

    size_t bytes() const override {
        // Room beyond is not touched.
        size_t bytes = numbers_.size() * sizeof(T*) + rows_.size() * sizeof(rows_[0]) +
                       n_dense_ * dense_.stride * sizeof(T);
        for (size_t i = 0; i < rows_.size(); ++i) bytes += heap_bytes(rows_[i].cells) + heap_bytes(rows_[i].nodes);
        return bytes;
    }

    void find_rows(const Vector& x) override {
        for (uint32_t r : x.rows) {
            if (r >= numbers_.size()) continue;
            river_hier::prefetch(&numbers_[r]);
            if (!small_) river_hier::prefetch(&rows_[r]);
        }
        dense_.find(x, [&](uint32_t r) -> T* {
            if (r >= numbers_.size()) return nullptr;
            river_hier::prefetch(numbers_[r]);
            if (!small_) {
                river_hier::prefetch(rows_[r].nodes.data());
                river_hier::prefetch(rows_[r].cells.data());
            }
            return numbers_[r];
        });
        x_ = &x;
        if (!small_) places_.assign(x.size(), 0);
    }

    void prefetch_rows(size_t plane, const Ranges& ranges) const override {
        const size_t bytes = n_dense_ * dense_.stride * sizeof(T);
        if (bytes >= 1'000'000) dense_.prefetch(plane, ranges);  // else they are in the processor's cache
    }

    void score(const Ranges& ranges, double* scores) override {
        if (dense_.empty())
            for (Range range : ranges) std::fill(scores + range.first, scores + range.last, 0.0);
        else
            dense_.score(ranges, scores, small_);
        for (size_t i = 0; !small_ && i < x_->size(); ++i) {
            if (x_->rows[i] >= numbers_.size() || numbers_[x_->rows[i]]) continue;
            const auto& row = rows_[x_->rows[i]];
            const double value = x_->values[i];
            const Cell* cells = row.cells.data();
            uint32_t& at = places_[i];  // ranges mostly come in order
            for (Range range : ranges) {
                const bool behind = at && row.nodes[at - 1] >= range.first;
                at = row.first_from(range.first, behind ? 0 : at);
                for (; at < row.nodes.size() && row.nodes[at] < range.last; ++at)
                    scores[row.nodes[at]] += value * cells[at][0];
            }
        }
    }

  private:
    // Whether the rows of some features are lists in order, or dense, of finite numbers; zeros beyond the last node.
    bool are_sound(const std::vector<uint32_t>& features) const {
        if (!dense_.is_sound() || rows_.size() != (small_ ? 0 : numbers_.size())) return false;
        for (uint32_t feature : features) {
            const T* const dense = numbers_.at(feature);
            for (size_t i = 0; dense && i < dense_.stride; ++i) {
                const T number = dense[i], least = i < dense_.width ? std::numeric_limits<T>::lowest() : least_variance<T>;
                if (i % dense_.width < n_nodes_ ? !std::isfinite(number) || number < least : number != 0) return false;
            }
            if (small_) continue;
            const auto& [cells, nodes] = rows_[feature];
            if (cells.size() != nodes.size() || (dense && !nodes.empty())) return false;
            for (size_t i = 0; i < nodes.size(); ++i) {
                if (nodes[i] >= n_nodes_ || (i && nodes[i - 1] >= nodes[i])) return false;
                for (T number : cells[i]) if (!std::isfinite(number)) return false;
            }
        }
        return true;
    }

    static void change(T& number, double by) { number = static_cast<T>(number + by); }

    // A number, or null if there is none.
    T* find(size_t plane, size_t feature, uint32_t node) {
        if (T* const dense = numbers_[feature]) return &dense[plane * dense_.width + node];
        if (small_) return nullptr;
        auto& row = rows_[feature];
        const uint32_t at = row.first_from(node, 0);
        return row.has(node, at) ? &row.cells[at][plane] : nullptr;
    }

    // Makes sure that some nodes have numbers for all features of x; finds the dense rows and, in the others,
    // the places of these nodes.
    void include(const Vector& x, const Nodes& nodes) {
        if (!small_) places_.resize(x.size() * nodes.size());
        uint32_t* places = places_.data();
        dense_.find(x, [&](uint32_t row) {
            make_room(size_t{row} + 1);
            if (!numbers_[row] && (small_ || !rows_[row].include(nodes, n_nodes_, places, missing_))) densify(row);
            if (!small_) places += nodes.size();
            return numbers_[row];
        });
    }

    void make_room(size_t n_features) {
        if (n_features <= numbers_.size()) return;
        if (!small_) rows_.resize(n_features);
        numbers_.resize(n_features);
    }

    // Dense rows lie in blocks that never move.
    void densify(size_t feature) {
        const size_t size = dense_.stride / lanes<T>;
        if (!n_free_) {
            const size_t most = (size_t{1} << 26) / (size * sizeof(Line<T>));  // 64 MB
            const size_t n = std::max(small_ ? size_t{64} : size_t{1}, std::min(n_dense_ / 4, most));
            blocks_.emplace_back(n * size);
            n_free_ = n;
        }
        T* const numbers = numbers_[feature] = (blocks_.back().data() + blocks_.back().size() - n_free_-- * size)->numbers;
        ++n_dense_;
        if (small_) return;
        auto& row = rows_[feature];
        for (size_t i = 0; i < row.nodes.size(); ++i)
            for (size_t k = 0; k < n_planes; ++k) numbers[k * dense_.width + row.nodes[i]] = row.cells[i][k];
        row = {};
    }

    // visit(cell, i, value) for the i-th node and each feature of x whose row is not dense.
    template <class List, class Visit>
    void each_cell(const Vector& x, const List& nodes, Visit visit) {
        for (size_t j = 0; !small_ && j < x.size() && !nodes.empty(); ++j) {
            if (numbers_[x.rows[j]]) continue;
            auto& row = rows_[x.rows[j]];
            const uint32_t* at = places_.data() + j * nodes.size();
            for (size_t i = 0; i < nodes.size(); ++i) visit(row.cells[*at++], i, x.values[j]);
        }
    }

    const size_t n_nodes_;
    const bool small_;  // all rows are dense
    std::vector<T*> numbers_;             // of all nodes, for each feature whose row is dense; else null
    std::vector<Row<Cell, Node>> rows_;  // none in a small taxonomy
    std::vector<std::vector<Line<T>, Zeros<Line<T>>>> blocks_;
    size_t n_dense_ = 0, n_free_ = 0;  // rows in use, and those left in the last block
    DenseRows<T> dense_;  // of x
    const Vector* x_ = nullptr;
    Nodes places_, missing_;  // scratch
    Numbers variances_;
    Moves moves_;
};

}  // namespace river_hier
