// Rows that hold only the nodes that have an entry: for taxonomies of thousands of nodes.
#pragma once

#include <algorithm>

#include "hardware/portable.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

// Nodes and a number of each for every plane, sorted by node, so that siblings are neighbours here too.
// Once a third of the nodes is in it, it is dense: it has the numbers of all nodes, and no list of them.
template <class T>
struct Row {
    std::vector<T> numbers;
    Nodes nodes;

    bool dense() const { return nodes.empty() && !numbers.empty(); }

    // The first place from `at` on whose node is not before v; it is expected to be near.
    uint32_t first_from(uint32_t v, uint32_t at) const {
        uint32_t step = 1;
        const uint32_t size = static_cast<uint32_t>(nodes.size()), *list = nodes.data();
        for (; at + step <= size && list[at + step - 1] < v; step *= 2) at += step;
        return static_cast<uint32_t>(
            std::lower_bound(list + at, list + std::min(at + step, size), v) - list);
    }

    // Inserts the nodes that are missing, with zeros; `places` are those of all wanted nodes. Each entry
    // behind them moves only once.
    void include(const Nodes& wanted, size_t n_nodes, size_t n_planes, uint32_t* places,
                 Nodes& missing) {
        missing.clear();
        uint32_t at = 0;
        for (uint32_t i = 0; !dense() && i < wanted.size(); ++i) {
            at = first_from(wanted[i], at);
            places[i] = at + static_cast<uint32_t>(missing.size());
            if (at == nodes.size() || nodes[at] != wanted[i]) missing.push_back(i);
        }
        size_t more = missing.size(), from = nodes.size();
        if (more && 3 * (from + more - 1) >= n_nodes) densify(n_nodes, n_planes);
        if (dense()) {
            std::copy(wanted.begin(), wanted.end(), places);
            return;
        }
        if (from + more > nodes.capacity()) {
            nodes.reserve(from + more + from / 8);
            numbers.reserve(nodes.capacity() * n_planes);
        }
        nodes.resize(from + more);
        numbers.resize(nodes.size() * n_planes);
        for (; more; --more) {
            const uint32_t i = missing[more - 1];
            const size_t first = places[i] - (more - 1);
            const auto move = [=](auto list, size_t width) {
                std::move_backward(list + first * width, list + from * width, list + (from + more) * width);
            };
            move(nodes.begin(), 1);
            move(numbers.begin(), n_planes);
            nodes[places[i]] = wanted[i];
            std::fill_n(&numbers[places[i] * n_planes], n_planes, T());
            from = first;
        }
    }

    void densify(size_t n_nodes, size_t n_planes) {
        std::vector<T> all(n_nodes * n_planes);
        for (size_t i = 0; i < nodes.size(); ++i)
            std::copy_n(&numbers[i * n_planes], n_planes, &all[nodes[i] * n_planes]);
        numbers = std::move(all);
        nodes = Nodes();
    }
};

// A row of each feature.
template <class T>
class Postings : public WeightStore {
  public:
    Postings(size_t n_nodes, size_t n_planes) : n_nodes_(n_nodes), n_planes_(n_planes) {}

    void reserve(const Vector& x, const Nodes& nodes) override {
        places_.resize(x.size() * nodes.size());
        for (size_t j = 0; j < x.size(); ++j)
            include(x.rows[j], nodes, places_.data() + j * nodes.size());
    }

    void step(const Vector& x, const Nodes& nodes, const Numbers& steps) override {
        reserve(x, nodes);
        const uint32_t* at = places_.data();
        for (size_t j = 0; j < x.size(); ++j) {
            T* numbers = rows_[x.rows[j]].numbers.data();
            for (size_t i = 0; i < nodes.size(); ++i) {
                T& weight = numbers[*at++ * n_planes_];
                weight = static_cast<T>(weight + x.values[j] * steps[i]);
            }
        }
    }

    void add(size_t plane, const Vector& x, const Nodes& nodes, const Numbers& cells) override {
        const double* cell = cells.data();
        places_.resize(nodes.size());
        for (size_t j = 0; j < x.size() && !nodes.empty(); ++j) {
            T* numbers = include(x.rows[j], nodes, places_.data()) + plane;
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
            for (double& sum : variances_) sum += (1.0 + s[2 * *at++]) * x.values[j] * x.values[j];
        }
        moves_.clear();
        rule(variances_, moves_);
        if (moves_.empty()) return;
        const uint32_t* at = places_.data();
        for (size_t j = 0; j < x.size(); ++j)
            for (const Move& by : moves_) {
                T* cell = &rows_[x.rows[j]].numbers[2 * *at++];
                const double move = (1.0 + cell[1]) * x.values[j];  // S x
                cell[0] = static_cast<T>(cell[0] + move * by.step);
                cell[1] = static_cast<T>(cell[1] - by.confidence * move * move);
            }
    }

    size_t n_features() const override { return rows_.size(); }

    double get(size_t plane, size_t feature, uint32_t node) const override {
        if (feature >= rows_.size()) return 0.0;
        const Row<T>& row = rows_[feature];
        if (row.dense()) return row.numbers[node * n_planes_ + plane];
        const uint32_t at = row.first_from(node, 0);
        return at < row.nodes.size() && row.nodes[at] == node ? row.numbers[at * n_planes_ + plane] : 0.0;
    }

    void row(size_t plane, size_t feature, Nodes& nodes, Numbers& found) const override {
        const Row<T>& row = rows_[feature];
        for (uint32_t i = 0; i < row.numbers.size() / n_planes_; ++i)
            if (const T number = row.numbers[i * n_planes_ + plane]; number != 0) {
                nodes.push_back(row.dense() ? i : row.nodes[i]);
                found.push_back(number);
            }
    }

    void copy_weights(size_t feature, size_t n_nodes, void* zeros) const override {
        const Row<T>& row = rows_[feature];
        for (size_t i = 0, n = row.dense() ? n_nodes : row.nodes.size(); i < n; ++i)
            static_cast<T*>(zeros)[row.dense() ? i : row.nodes[i]] = row.numbers[i * n_planes_];
    }

    size_t bytes() const override {
        size_t bytes = heap_bytes(rows_);
        for (const Row<T>& row : rows_) bytes += heap_bytes(row.numbers) + heap_bytes(row.nodes);
        return bytes;
    }

  protected:
    void find_rows(const Vector& x) override {
        for (uint32_t r : x.rows)
            if (r < rows_.size()) river_hier::prefetch(&rows_[r]);
        for (uint32_t r : x.rows)
            if (r < rows_.size()) {
                river_hier::prefetch(rows_[r].nodes.data());
                river_hier::prefetch(rows_[r].numbers.data());
            }
        x_ = &x;
        places_.assign(x.size(), 0);
    }

    void score(const Ranges& ranges, double* scores) override {
        for (Range range : ranges) std::fill(scores + range.first, scores + range.last, 0.0);
        for (size_t i = 0; i < x_->size(); ++i) {
            if (x_->rows[i] >= rows_.size()) continue;
            const Row<T>& row = rows_[x_->rows[i]];
            const double value = x_->values[i];
            const T* numbers = row.numbers.data();
            uint32_t& at = places_[i];  // ranges mostly come in order
            for (Range range : ranges) {
                if (row.dense()) {
                    for (uint32_t v = range.first; v < range.last; ++v)
                        scores[v] += value * numbers[v * n_planes_];
                    continue;
                }
                const bool behind = at && row.nodes[at - 1] >= range.first;
                at = row.first_from(range.first, behind ? 0 : at);
                for (; at < row.nodes.size() && row.nodes[at] < range.last; ++at)
                    scores[row.nodes[at]] += value * numbers[at * n_planes_];
            }
        }
    }

  private:
    // Makes sure that some nodes have numbers in a row; -> these, and the places of the nodes.
    T* include(uint32_t row, const Nodes& nodes, uint32_t* places) {
        if (row >= rows_.size()) rows_.resize(size_t{row} + 1);
        rows_[row].include(nodes, n_nodes_, n_planes_, places, missing_);
        return rows_[row].numbers.data();
    }

    const size_t n_nodes_, n_planes_;
    std::vector<Row<T>> rows_;
    const Vector* x_ = nullptr;
    Nodes places_, missing_;  // scratch
    Numbers variances_;
    Moves moves_;
};

}  // namespace river_hier
