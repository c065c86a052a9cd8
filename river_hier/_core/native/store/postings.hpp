// Rows that hold only the nodes that have an entry: for taxonomies of thousands of nodes.
#pragma once

#include <algorithm>

#include "hardware/loops.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

// The numbers of a feature and a node: a weight or, with a variance, two.
template <class T, size_t n_planes>
struct Cell {
    static constexpr size_t planes = n_planes;

    double get(size_t plane) const { return numbers[plane]; }
    void set(size_t plane, double number) { numbers[plane] = static_cast<T>(number); }

    T numbers[n_planes];
};

// Nodes and a cell of each, sorted by node, so that siblings are neighbours here too. Once a third of
// the nodes is in it, it is dense: it has the cells of all nodes, and no list of them.
template <class Cell, class Node>
struct Row {
    std::vector<Cell> cells;
    std::vector<Node> nodes;

    bool dense() const { return nodes.empty() && !cells.empty(); }

    // The first place from `at` on whose node is not before v; it is expected to be near.
    uint32_t first_from(uint32_t v, uint32_t at) const {
        uint32_t step = 1;
        const uint32_t size = static_cast<uint32_t>(nodes.size());
        const Node* list = nodes.data();
        for (; at + step <= size && list[at + step - 1] < v; step *= 2) at += step;
        return static_cast<uint32_t>(
            std::lower_bound(list + at, list + std::min(at + step, size), v) - list);
    }

    // Inserts the nodes that are missing, with zeros; `places` are those of all wanted nodes. Each entry
    // behind them moves only once.
    void include(const Nodes& wanted, size_t n_nodes, uint32_t* places, Nodes& missing) {
        missing.clear();
        uint32_t at = 0;
        for (uint32_t i = 0; !dense() && i < wanted.size(); ++i) {
            at = first_from(wanted[i], at);
            places[i] = at + static_cast<uint32_t>(missing.size());
            if (at == nodes.size() || nodes[at] != wanted[i]) missing.push_back(i);
        }
        size_t more = missing.size(), from = nodes.size();
        if (more && 3 * (from + more - 1) >= n_nodes) densify(n_nodes);
        if (dense()) {
            std::copy(wanted.begin(), wanted.end(), places);
            return;
        }
        if (from + more > std::min(nodes.capacity(), cells.capacity())) {
            nodes.reserve(from + more + from / 8);
            cells.reserve(nodes.capacity());
        }
        nodes.resize(from + more);
        cells.resize(nodes.size());
        for (; more; --more) {
            const uint32_t i = missing[more - 1];
            const size_t first = places[i] - (more - 1);
            const auto move = [=](auto list) {
                std::move_backward(list + first, list + from, list + from + more);
            };
            move(nodes.begin());
            move(cells.begin());
            nodes[places[i]] = static_cast<Node>(wanted[i]);
            cells[places[i]] = Cell();
            from = first;
        }
    }

    void densify(size_t n_nodes) {
        std::vector<Cell> all(n_nodes);
        for (size_t i = 0; i < nodes.size(); ++i) all[nodes[i]] = cells[i];
        cells = std::move(all);
        nodes = std::vector<Node>();
    }
};

// A row of each feature. The type `Node` has room for the number of any node.
template <class Cell, class Node>
class Postings : public WeightStore {
  public:
    explicit Postings(size_t n_nodes) : n_nodes_(n_nodes) {}

    void step(const Vector& x, const Nodes& nodes, const Numbers& steps) override {
        include(x, nodes);
        each_cell(x, nodes, [&](Cell& cell, size_t i, double value) {
            cell.set(0, cell.get(0) + value * steps[i]);
        });
    }

    void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& changes) override {
        const double* change = changes.data();
        include(x, nodes);
        each_cell(x, nodes, [&](Cell& cell, size_t, double) {
            cell.set(plane, cell.get(plane) + *change++);
        });
    }

    void move(const Vector& x, const Nodes& nodes, const MoveRule& rule) override {
        variances_.assign(nodes.size(), 0.0);
        places_.resize(x.size() * nodes.size());
        for (size_t j = 0; j < x.size(); ++j) {
            const uint32_t* at = &places_[j * nodes.size()];
            const Cell* cells = include(x.rows[j], nodes, &places_[j * nodes.size()]);
            for (double& sum : variances_) sum += (1.0 + cells[*at++].get(1)) * x.values[j] * x.values[j];
        }
        moves_.clear();
        rule(variances_, moves_);
        each_cell(x, moves_, [&](Cell& cell, size_t i, double value) {
            const Move by = moves_[i];
            const double s = cell.get(1), move = (1.0 + s) * value;  // S x
            cell.set(0, cell.get(0) + move * by.step);
            cell.set(1, s - by.confidence * move * move);
        });
    }

    void clear(size_t feature, uint32_t node) override {
        if (Cell* cell = find(feature, node)) *cell = Cell();
    }

    size_t n_features() const override { return rows_.size(); }

    double get(size_t plane, size_t feature, uint32_t node) const override {
        const Cell* cell = const_cast<Postings*>(this)->find(feature, node);
        return cell ? cell->get(plane) : 0.0;
    }

    void save(size_t feature, Entries& entries) const override {
        const auto& row = rows_[feature];
        for (uint32_t i = 0; i < row.cells.size(); ++i) {
            const Cell& cell = row.cells[i];
            if (cell.get(0) == 0.0 && cell.get(Cell::planes - 1) == 0.0) continue;
            entries.nodes.push_back(row.dense() ? i : row.nodes[i]);
            for (size_t k = 0; k < Cell::planes; ++k) entries.planes[k].push_back(cell.get(k));
        }
    }

    void load(size_t feature, const Entries& entries, size_t first, size_t last) override {
        const Nodes nodes(entries.nodes.begin() + first, entries.nodes.begin() + last);
        Nodes places(nodes.size());
        Cell* cells = include(static_cast<uint32_t>(feature), nodes, places.data());
        for (size_t i = first; i < last; ++i)
            for (size_t k = 0; k < Cell::planes; ++k) cells[places[i - first]].set(k, entries.planes[k][i]);
    }

    size_t bytes() const override {
        size_t bytes = heap_bytes(rows_);
        for (const auto& row : rows_) bytes += heap_bytes(row.cells) + heap_bytes(row.nodes);
        return bytes;
    }

    void find_rows(const Vector& x) override {
        for (uint32_t r : x.rows)
            if (r < rows_.size()) river_hier::prefetch(&rows_[r]);
        for (uint32_t r : x.rows)
            if (r < rows_.size()) {
                river_hier::prefetch(rows_[r].nodes.data());
                river_hier::prefetch(rows_[r].cells.data());
            }
        x_ = &x;
        places_.assign(x.size(), 0);
    }

    void prefetch_rows(size_t plane, const Ranges& ranges) const override {
        constexpr size_t step = line / sizeof(Cell);
        if (plane) return;  // a cell has them all
        for (uint32_t r : x_->rows)
            if (r < rows_.size() && rows_[r].dense())
                for (Range range : ranges)
                    for (size_t v = range.first; v < range.last; v += step)
                        river_hier::prefetch(&rows_[r].cells[v]);
    }

    void score(const Ranges& ranges, double* scores) override {
        for (Range range : ranges) std::fill(scores + range.first, scores + range.last, 0.0);
        for (size_t i = 0; i < x_->size(); ++i) {
            if (x_->rows[i] >= rows_.size()) continue;
            const auto& row = rows_[x_->rows[i]];
            const double value = x_->values[i];
            const Cell* cells = row.cells.data();
            uint32_t& at = places_[i];  // ranges mostly come in order
            for (Range range : ranges) {
                if (row.dense()) {
                    for (uint32_t v = range.first; v < range.last; ++v)
                        scores[v] += value * cells[v].get(0);
                    continue;
                }
                const bool behind = at && row.nodes[at - 1] >= range.first;
                at = row.first_from(range.first, behind ? 0 : at);
                for (; at < row.nodes.size() && row.nodes[at] < range.last; ++at)
                    scores[row.nodes[at]] += value * cells[at].get(0);
            }
        }
    }

  private:
    // Makes sure that some nodes have cells for all features of x.
    void include(const Vector& x, const Nodes& nodes) {
        places_.resize(x.size() * nodes.size());
        for (size_t j = 0; j < x.size(); ++j)
            include(x.rows[j], nodes, places_.data() + j * nodes.size());
    }

    // Makes sure that some nodes have cells in a row; -> its cells, and the places of the nodes.
    Cell* include(uint32_t row, const Nodes& nodes, uint32_t* places) {
        if (row >= rows_.size()) rows_.resize(size_t{row} + 1);
        rows_[row].include(nodes, n_nodes_, places, missing_);
        return rows_[row].cells.data();
    }

    // The cell of a node for a feature, if it has one.
    Cell* find(size_t feature, uint32_t node) {
        if (feature >= rows_.size()) return nullptr;
        auto& row = rows_[feature];
        if (row.dense()) return &row.cells[node];
        const uint32_t at = row.first_from(node, 0);
        return at < row.nodes.size() && row.nodes[at] == node ? &row.cells[at] : nullptr;
    }

    // visit(cell, i, value) for the i-th node and each feature of x; `places_` are those of cells.
    template <class List, class Visit>
    void each_cell(const Vector& x, const List& nodes, Visit visit) {
        const uint32_t* at = places_.data();
        for (size_t j = 0; j < x.size() && !nodes.empty(); ++j) {
            Cell* cells = rows_[x.rows[j]].cells.data();
            const double value = x.values[j];
            for (size_t i = 0; i < nodes.size(); ++i) visit(cells[*at++], i, value);
        }
    }

    const size_t n_nodes_;
    std::vector<Row<Cell, Node>> rows_;
    const Vector* x_ = nullptr;
    Nodes places_, missing_;  // scratch
    Numbers variances_;
    Moves moves_;
};

}  // namespace river_hier
