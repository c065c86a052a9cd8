// A row that holds only the nodes that have an entry, until these are many.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "layout.hpp"

namespace river_hier {

// A list of (node, cell), sorted by node, so that siblings are neighbours here too. It becomes
// dense when a fifth of the nodes is in it.
//
// One piece of memory: the cells, then their nodes. A dense row has room for all nodes and size
// `all`; it needs no list of them. Cells are plain numbers, zero at first.
template <class Cell>
struct Row {
    char* memory = nullptr;
    uint32_t size = 0, room = 0;

    static constexpr uint32_t all = UINT32_MAX;

    Row() = default;
    Row(Row&& other) noexcept : memory(other.memory), size(other.size), room(other.room) {
        other.memory = nullptr;
    }
    Row& operator=(Row&& other) noexcept {
        std::swap(memory, other.memory);
        std::swap(size, other.size);
        std::swap(room, other.room);
        return *this;
    }
    ~Row() { std::free(memory); }

    static bool fills(size_t size, size_t n_nodes) { return 5 * size >= n_nodes; }
    bool dense() const { return size == all; }
    Cell* cells() const { return reinterpret_cast<Cell*>(memory); }
    uint32_t* nodes() const { return reinterpret_cast<uint32_t*>(memory + room * sizeof(Cell)); }
    size_t bytes() const {
        return room * (dense() ? sizeof(Cell) : sizeof(Cell) + sizeof(uint32_t));
    }

    // The first place from `at` on whose node is not before v; it is expected to be near.
    uint32_t first_from(uint32_t v, uint32_t at) const {
        const uint32_t* nodes = this->nodes();
        uint32_t step = 1;
        for (; at + step <= size && nodes[at + step - 1] < v; step *= 2) at += step;
        const uint32_t* end = nodes + std::min(at + step, size);
        return static_cast<uint32_t>(std::lower_bound(nodes + at, end, v) - nodes);
    }

    // Visit the entries of a range. `at` is the place where the last visit ended, or 0: ranges
    // mostly come in order.
    template <class Visit>
    void visit(Range range, uint32_t& at, Visit visit) const {
        const Cell* cells = this->cells();
        if (dense()) {
            for (uint32_t v = range.first; v < range.last; ++v) visit(v, cells[v]);
            return;
        }
        const uint32_t* nodes = this->nodes();
        at = first_from(range.first, at && nodes[at - 1] >= range.first ? 0 : at);
        for (; at < size && nodes[at] < range.last; ++at) visit(nodes[at], cells[at]);
    }

    Cell get(uint32_t v) const {
        if (dense()) return cells()[v];
        const uint32_t at = first_from(v, 0);
        return at < size && nodes()[at] == v ? cells()[at] : Cell{};
    }

    // Append the nodes and numbers of the entries that are not zero.
    template <class NumberOf>
    void append(Nodes& nodes, Numbers& numbers, NumberOf number_of) const {
        const uint32_t n = dense() ? room : size;
        for (uint32_t at = 0; at < n; ++at)
            if (number_of(cells()[at]) != 0) {
                nodes.push_back(dense() ? at : this->nodes()[at]);
                numbers.push_back(number_of(cells()[at]));
            }
    }

    // Put in those of some nodes that are missing; -> the places of all, in `places`, and which
    // were missing. What stands behind them moves once, however many they are.
    void include(const Nodes& wanted, uint32_t* places, Nodes& missing, size_t n_nodes) {
        missing.clear();
        uint32_t at = 0;
        if (!dense())
            for (uint32_t i = 0; i < wanted.size(); ++i) {
                at = first_from(wanted[i], at);
                places[i] = at + static_cast<uint32_t>(missing.size());
                if (at == size || nodes()[at] != wanted[i]) missing.push_back(i);
            }
        uint32_t more = static_cast<uint32_t>(missing.size()), from = size;
        if (more && fills(size_t{size} + more - 1, n_nodes)) spread(n_nodes);
        if (dense()) {
            std::copy(wanted.begin(), wanted.end(), places);
            return;
        }
        if (size + more > room) move_to(size + more + room / 4);
        size += more;
        for (; more; --more) {
            const uint32_t to = places[missing[more - 1]], first = to - (more - 1);
            std::memmove(cells() + to + 1, cells() + first, (from - first) * sizeof(Cell));
            std::memmove(nodes() + to + 1, nodes() + first, (from - first) * sizeof(uint32_t));
            cells()[to] = Cell{};
            nodes()[to] = wanted[missing[more - 1]];
            from = first;
        }
    }

  private:
    void move_to(uint32_t new_room) {
        char* larger = allocate(new_room * (sizeof(Cell) + sizeof(uint32_t)));
        if (size) {
            std::memcpy(larger, memory, size * sizeof(Cell));
            std::memcpy(larger + new_room * sizeof(Cell), nodes(), size * sizeof(uint32_t));
        }
        std::free(memory);
        memory = larger;
        room = new_room;
    }

    void spread(size_t n_nodes) {
        char* whole = allocate(n_nodes * sizeof(Cell));
        std::memset(whole, 0, n_nodes * sizeof(Cell));
        for (uint32_t i = 0; i < size; ++i) reinterpret_cast<Cell*>(whole)[nodes()[i]] = cells()[i];
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

}  // namespace river_hier
