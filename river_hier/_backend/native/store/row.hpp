// A row that holds only the nodes that have an entry, until these are many.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "store/weight_store.hpp"

namespace river_hier {

// What all rows of a matrix have in common: how many nodes there are, and the bytes of a cell.
struct Shape {
    size_t n_nodes, cell;
};

// A list of (node, cell), sorted by node, so that siblings are neighbours here too. It becomes
// dense when a third of the nodes is in it. Cells are all zeros at first.
//
// One piece of memory: the cells, then their nodes. A dense row has room for all nodes and size
// `all`; it needs no list of them.
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

    // `cell` is always the bytes of a cell.
    uint32_t* nodes(size_t cell) const { return reinterpret_cast<uint32_t*>(memory + room * cell); }
    size_t bytes(size_t cell) const { return room * (dense() ? cell : cell + sizeof(uint32_t)); }

    // The first place from `at` on whose node is not before v; it is expected to be near.
    uint32_t first_from(const uint32_t* nodes, uint32_t v, uint32_t at) const {
        uint32_t step = 1;
        for (; at + step <= size && nodes[at + step - 1] < v; step *= 2) at += step;
        const uint32_t* end = nodes + std::min(at + step, size);
        return static_cast<uint32_t>(std::lower_bound(nodes + at, end, v) - nodes);
    }

    // The place of a node, or `all` if it has none.
    uint32_t find(uint32_t v, size_t cell) const {
        if (dense()) return v;
        const uint32_t at = first_from(nodes(cell), v, 0);
        return at < size && nodes(cell)[at] == v ? at : all;
    }

    // Put in those of some nodes that are missing; -> the places of all. What stands behind them
    // moves once, however many they are.
    void include(const Nodes& wanted, const Shape& shape, uint32_t* places, Nodes& missing) {
        missing.clear();
        if (!dense()) locate(wanted, nodes(shape.cell), places, missing);
        uint32_t more = static_cast<uint32_t>(missing.size()), from = size;
        if (more && 3 * (size_t{size} + more - 1) >= shape.n_nodes) densify(shape);
        if (dense()) {
            std::copy(wanted.begin(), wanted.end(), places);
            return;
        }
        if (size + more > room) move_to(size + more + room / 8, shape.cell);
        size += more;
        uint32_t* nodes = this->nodes(shape.cell);
        for (; more; --more) {
            const uint32_t to = places[missing[more - 1]], first = to - (more - 1);
            const size_t behind = from - first, cell = shape.cell;
            std::memmove(memory + (to + 1) * cell, memory + first * cell, behind * cell);
            std::memmove(nodes + to + 1, nodes + first, behind * sizeof(uint32_t));
            std::memset(memory + to * cell, 0, cell);
            nodes[to] = wanted[missing[more - 1]];
            from = first;
        }
    }

  private:
    // Where some nodes are, or will be once those that are missing have been put in.
    void locate(const Nodes& wanted, const uint32_t* nodes, uint32_t* places,
                Nodes& missing) const {
        uint32_t at = 0;
        for (uint32_t i = 0; i < wanted.size(); ++i) {
            at = first_from(nodes, wanted[i], at);
            places[i] = at + static_cast<uint32_t>(missing.size());
            if (at == size || nodes[at] != wanted[i]) missing.push_back(i);
        }
    }

    void move_to(uint32_t new_room, size_t cell) {
        char* larger = allocate(new_room * (cell + sizeof(uint32_t)));
        if (size) {
            std::memcpy(larger, memory, size * cell);
            std::memcpy(larger + new_room * cell, nodes(cell), size * sizeof(uint32_t));
        }
        std::free(memory);
        memory = larger;
        room = new_room;
    }

    void densify(const Shape& shape) {
        char* whole = allocate(shape.n_nodes * shape.cell);
        std::memset(whole, 0, shape.n_nodes * shape.cell);
        for (uint32_t i = 0; i < size; ++i)
            std::memcpy(whole + nodes(shape.cell)[i] * shape.cell, memory + i * shape.cell,
                        shape.cell);
        std::free(memory);
        memory = whole;
        size = all;
        room = static_cast<uint32_t>(shape.n_nodes);
    }

    static char* allocate(size_t bytes) {
        void* memory = std::malloc(bytes);
        if (!memory) throw std::bad_alloc();
        return static_cast<char*>(memory);
    }
};

}  // namespace river_hier
