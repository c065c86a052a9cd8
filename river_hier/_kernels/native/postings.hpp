// Rows that hold only the nodes that have a weight: for taxonomies of thousands of nodes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "layout.hpp"

namespace river_hier {

// A row is a list of (node, weight), sorted by node, so that siblings are neighbours here too. It
// becomes dense when a fifth of the nodes is in it.
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
            const Row& row = rows_[x_->rows[i]];
            const double value = x_->values[i];
            const T* weights = row.weights();
            if (row.dense()) {
                for (uint32_t v = range.first; v < range.last; ++v) scores[v] += value * weights[v];
                continue;
            }
            const uint32_t* nodes = row.nodes();
            uint32_t& at = places_[i];  // ranges mostly come in order
            at = row.first_from(range.first, at && nodes[at - 1] >= range.first ? 0 : at);
            for (; at < row.size && nodes[at] < range.last; ++at)
                scores[nodes[at]] += value * weights[at];
        }
    }

    void read(const Vector& x, const Nodes& nodes, Numbers& cells) override {
        cells.assign(x.size() * nodes.size(), 0.0);
        double* cell = cells.data();
        for (uint32_t r : x.rows) {
            if (r >= rows_.size()) {
                cell += nodes.size();
                continue;
            }
            const Row& row = rows_[r];
            uint32_t at = 0;
            for (uint32_t v : nodes) *cell++ = row.get(v, at);
        }
    }

    void add(const Vector& x, const Nodes& nodes, const Numbers& cells) override {
        if (x.size() == 0 || nodes.empty()) return;
        size_t n = 1 + *std::max_element(x.rows.begin(), x.rows.end());
        if (n > rows_.size()) rows_.resize(n);
        places_.resize(nodes.size());
        const double* cell = cells.data();
        for (uint32_t r : x.rows) {
            Row& row = rows_[r];
            if (!row.dense()) row.include(nodes, places_, missing_, n_nodes_);
            T* weights = row.weights();
            const Nodes& places = row.dense() ? nodes : places_;
            for (uint32_t at : places) weights[at] = static_cast<T>(weights[at] + *cell++);
        }
    }

    void prefetch(uint32_t row) const override {
        if (row < rows_.size()) __builtin_prefetch(&rows_[row]);
    }

    size_t n_features() const override { return rows_.size(); }

    double get(size_t feature, uint32_t node) const override {
        uint32_t at = 0;
        return feature < rows_.size() ? rows_[feature].get(node, at) : 0.0;
    }

    void row(size_t feature, Nodes& nodes, Numbers& weights) const override {
        const Row& row = rows_[feature];
        const uint32_t size = row.dense() ? static_cast<uint32_t>(n_nodes_) : row.size;
        for (uint32_t i = 0; i < size; ++i)
            if (row.weights()[i] != 0) {
                nodes.push_back(row.dense() ? i : row.nodes()[i]);
                weights.push_back(row.weights()[i]);
            }
    }

    size_t bytes() const override {
        size_t bytes = rows_.capacity() * sizeof(Row);
        for (const Row& row : rows_)
            bytes += row.room * (row.dense() ? sizeof(T) : sizeof(T) + sizeof(uint32_t));
        return bytes;
    }

  private:
    // One piece of memory: the weights, then their nodes. A dense row has room for all nodes and
    // size `all`; it needs no list of them.
    struct Row {
        char* memory = nullptr;
        uint32_t size = 0, room = 0;

        static constexpr uint32_t all = UINT32_MAX;

        Row() = default;
        Row(Row&& other) noexcept : memory(other.memory), size(other.size), room(other.room) {
            other.memory = nullptr;
        }
        Row& operator=(Row&&) = delete;
        ~Row() { std::free(memory); }

        bool dense() const { return size == all; }
        T* weights() const { return reinterpret_cast<T*>(memory); }
        uint32_t* nodes() const { return reinterpret_cast<uint32_t*>(memory + room * sizeof(T)); }

        // The first place from `at` on whose node is not before v; it is expected to be near.
        uint32_t first_from(uint32_t v, uint32_t at) const {
            const uint32_t* nodes = this->nodes();
            uint32_t step = 1;
            for (; at + step <= size && nodes[at + step - 1] < v; step *= 2) at += step;
            const uint32_t* end = nodes + std::min(at + step, size);
            return static_cast<uint32_t>(std::lower_bound(nodes + at, end, v) - nodes);
        }

        double get(uint32_t v, uint32_t& at) const {
            if (dense()) return weights()[v];
            at = first_from(v, at);
            return at < size && nodes()[at] == v ? weights()[at] : 0.0;
        }

        // Put in those of some nodes that are missing, with weight zero; -> the places of all, and
        // which were missing. What stands behind them moves once, however many they are.
        void include(const Nodes& wanted, Nodes& places, Nodes& missing, size_t n_nodes) {
            missing.clear();
            uint32_t at = 0;
            for (uint32_t i = 0; i < wanted.size(); ++i) {
                at = first_from(wanted[i], at);
                places[i] = at + static_cast<uint32_t>(missing.size());
                if (at == size || nodes()[at] != wanted[i]) missing.push_back(i);
            }
            if (missing.empty()) return;
            uint32_t more = static_cast<uint32_t>(missing.size()), from = size;
            if (5 * (size_t{size} + more - 1) >= n_nodes) return spread(n_nodes);
            if (size + more > room) move_to(size + more + room / 4);
            size += more;
            for (; more; --more) {
                const uint32_t to = places[missing[more - 1]], first = to - (more - 1);
                std::memmove(weights() + to + 1, weights() + first, (from - first) * sizeof(T));
                std::memmove(nodes() + to + 1, nodes() + first, (from - first) * sizeof(uint32_t));
                weights()[to] = 0;
                nodes()[to] = wanted[missing[more - 1]];
                from = first;
            }
        }

        void move_to(uint32_t new_room) {
            char* larger = allocate(new_room * (sizeof(T) + sizeof(uint32_t)));
            if (size) {
                std::memcpy(larger, weights(), size * sizeof(T));
                std::memcpy(larger + new_room * sizeof(T), nodes(), size * sizeof(uint32_t));
            }
            std::free(memory);
            memory = larger;
            room = new_room;
        }

        void spread(size_t n_nodes) {
            char* whole = allocate(n_nodes * sizeof(T));
            std::memset(whole, 0, n_nodes * sizeof(T));
            for (uint32_t i = 0; i < size; ++i)
                reinterpret_cast<T*>(whole)[nodes()[i]] = weights()[i];
            std::free(memory);
            memory = whole;
            size = all;
            room = static_cast<uint32_t>(n_nodes);
        }

        static char* allocate(size_t bytes) {
            void* memory = std::malloc(bytes);
            if (!memory) throw std::bad_alloc();
            return static_cast<char*>(memory);
        }
    };

    size_t n_nodes_;
    std::vector<Row> rows_;
    const Vector* x_ = nullptr;
    Nodes places_, missing_;  // scratch
};

extern template class Postings<double>;
extern template class Postings<float>;

}  // namespace river_hier
