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
            if (r < rows_.size()) __builtin_prefetch(rows_[r].memory);
        x_ = &x;
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
            for (uint32_t at = row.first_from(range.first, 0);
                 at < row.size && nodes[at] < range.last; ++at)
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
        const double* cell = cells.data();
        for (uint32_t r : x.rows) {
            Row& row = rows_[r];
            uint32_t at = 0;
            for (uint32_t v : nodes) {
                T* weight = row.dense() ? row.weights() + v : row.find(v, at, n_nodes_);
                *weight = static_cast<T>(*weight + *cell++);
            }
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

        // The first place from `at` on whose node is not before v.
        uint32_t first_from(uint32_t v, uint32_t at) const {
            const uint32_t* nodes = this->nodes();
            return static_cast<uint32_t>(std::lower_bound(nodes + at, nodes + size, v) - nodes);
        }

        double get(uint32_t v, uint32_t& at) const {
            if (dense()) return weights()[v];
            at = first_from(v, at);
            return at < size && nodes()[at] == v ? weights()[at] : 0.0;
        }

        // The weight of v, which is put in if it is not there.
        T* find(uint32_t v, uint32_t& at, size_t n_nodes) {
            at = first_from(v, at);
            if (at < size && nodes()[at] == v) return weights() + at;
            if (5 * size_t{size} >= n_nodes) {
                spread(n_nodes);
                return weights() + v;
            }
            if (size == room) move_to(room < 4 ? 4 : room + room / 2);
            std::memmove(weights() + at + 1, weights() + at, (size - at) * sizeof(T));
            std::memmove(nodes() + at + 1, nodes() + at, (size - at) * sizeof(uint32_t));
            ++size;
            nodes()[at] = v;
            weights()[at] = 0;
            return weights() + at;
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
};

extern template class Postings<double>;
extern template class Postings<float>;

}  // namespace river_hier
