// A hash table from exact str to row numbers, made for few cache misses.
//
// Most of the time for a sparse example goes into cache misses at its strings, so short names stand in
// the table itself: open addressing, slots of 32 bytes. Longer names are compared as Python objects,
// which the caller owns.
#pragma once

#include "hardware/loops.hpp"
#include "python/objects.hpp"
#include "store/vector.hpp"

namespace river_hier {

class TextTable {
  public:
    TextTable() { clear(); }

    void prefetch(uint64_t hash) const { river_hier::prefetch(&slots_[hash & mask_]); }

    // The row of a name, or `no_row`; `keys[row]` is the object that was inserted with it.
    uint32_t find(PyObject* name, uint64_t hash, const nb::object* keys) const {
        const std::string_view text = short_ascii(name, longest);
        for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.row == no_row) return no_row;
            if (slot.hash == hash && same(slot, text, name, keys)) return slot.row;
        }
    }

    void insert(PyObject* name, uint64_t hash, uint32_t row) {
        if (10 * (size_ + 1) > 7 * slots_.size()) grow();
        Slot slot{hash, row};
        const std::string_view text = short_ascii(name, longest);
        slot.size = static_cast<uint32_t>(text.size());
        std::copy(text.begin(), text.end(), slot.text);
        place(slot);
        ++size_;
    }

    size_t bytes() const { return slots_.size() * sizeof(Slot); }

    void clear() {
        size_ = 0;
        slots_ = std::vector<Slot>(1024);
        mask_ = slots_.size() - 1;
    }

  private:
    static constexpr Py_ssize_t longest = 16;

    struct alignas(32) Slot {
        uint64_t hash = 0;
        uint32_t row = no_row;
        uint32_t size = 0;  // 0: the name is not in `text`
        char text[longest] = {};
    };

    static bool same(const Slot& slot, std::string_view text, PyObject* name, const nb::object* keys) {
        if (slot.size || !text.empty()) return text == std::string_view(slot.text, slot.size);
        PyObject* key = keys[slot.row].ptr();
        return key == name || PyUnicode_Compare(key, name) == 0;
    }

    void place(const Slot& slot) {
        size_t i = slot.hash & mask_;
        while (slots_[i].row != no_row) i = (i + 1) & mask_;
        slots_[i] = slot;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        slots_.swap(old);
        mask_ = slots_.size() - 1;
        for (const Slot& slot : old)
            if (slot.row != no_row) place(slot);
    }

    std::vector<Slot> slots_;  // their number is a power of 2
    size_t mask_ = 0;          // slots less 1
    size_t size_ = 0;
};

}  // namespace river_hier
