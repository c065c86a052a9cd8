// A hash table from exact str to row numbers, made for few cache misses.
//
// Most of the time for a sparse example goes into cache misses at its strings, so short names stand in
// the table itself: open addressing, slots of 32 bytes. Longer names are compared as Python objects,
// which the caller owns.
#pragma once

#include <cstring>

#include "hardware/memory.hpp"
#include "hardware/portable.hpp"
#include "python/objects.hpp"
#include "store/vector.hpp"

namespace river_hier {

class TextTable {
  public:
    TextTable() { clear(); }

    void prefetch(uint64_t hash) const { river_hier::prefetch(&slots_[hash & mask_]); }

    // The row of a name, or `no_row`; `keys[row]` is the object that was inserted with it.
    uint32_t find(PyObject* name, uint64_t hash, const nb::object* keys) const {
        Text text = short_ascii(name, longest);
        for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.row == no_row) return no_row;
            if (slot.hash == hash && same(slot, text, name, keys)) return slot.row;
        }
    }

    // Make room for more names, or leave all as it is after an error.
    void reserve(size_t more) {
        size_t n = mask_ + 1;
        while (10 * (size_ + more) > 7 * n) n *= 2;
        if (n > mask_ + 1) resize(n);
    }

    // Insert a name that is not in the table, which has room for it.
    void insert(PyObject* name, uint64_t hash, uint32_t row) {
        Slot slot{};
        slot.hash = hash;
        slot.row = row;
        if (Text text = short_ascii(name, longest); text.data) {
            slot.size = static_cast<uint32_t>(text.size);
            std::memcpy(slot.text, text.data, text.size);
        }
        place(slot);
        ++size_;
    }

    size_t bytes() const { return (mask_ + 1) * sizeof(Slot); }

    void clear() {
        size_ = 0;
        resize(1024);
    }

  private:
    static constexpr Py_ssize_t longest = 16;

    struct alignas(32) Slot {
        uint64_t hash;
        uint32_t row;
        uint32_t size;  // 0: the name is not in `text`
        char text[longest];
    };

    static bool same(const Slot& slot, Text text, PyObject* name, const nb::object* keys) {
        if (slot.size || text.data)
            return slot.size == static_cast<uint32_t>(text.size) &&
                   std::memcmp(slot.text, text.data, slot.size) == 0;
        PyObject* key = keys[slot.row].ptr();
        return key == name || PyUnicode_Compare(key, name) == 0;
    }

    void place(const Slot& slot) {
        size_t i = slot.hash & mask_;
        while (slots_[i].row != no_row) i = (i + 1) & mask_;
        slots_[i] = slot;
    }

    void resize(size_t n) {
        Memory memory = zeroed(n * sizeof(Slot));
        memory_.swap(memory);
        const Slot* old = slots_;
        const size_t n_old = size_ ? mask_ + 1 : 0;
        slots_ = static_cast<Slot*>(memory_.get());
        mask_ = n - 1;
        for (size_t i = 0; i < n; ++i) slots_[i].row = no_row;
        for (size_t i = 0; i < n_old; ++i)
            if (old[i].row != no_row) place(old[i]);
    }

    Memory memory_;
    Slot* slots_ = nullptr;
    size_t mask_ = 0;  // slots less 1; their number is a power of 2
    size_t size_ = 0;
};

}  // namespace river_hier
