// A hash table from exact str to row numbers, made for few cache misses.
//
// Most of the time for a sparse example goes into cache misses at its strings, so short names stand in
// the table itself: open addressing, slots of 32 bytes. Longer names are compared as Python objects,
// which the caller owns.
#pragma once

#include "hardware/loops.hpp"
#include "hardware/pages.hpp"
#include "python/objects.hpp"
#include "store/vector.hpp"

namespace river_hier {

class TextTable {
  public:
    TextTable() { clear(); }

    void prefetch(uint64_t hash) const { river_hier::prefetch(&slots_[hash & mask_]); }

    // The row of a name, or `no_row`; `keys[row]` is the object that was inserted with it.
    uint32_t find(PyObject* name, uint64_t hash, const nb::object* keys) const {
        return slots_[slot_of(name, hash, short_ascii(name, longest), keys)].number - 1;
    }

    // The same, but a new name gets this row.
    uint32_t insert(PyObject* name, uint64_t hash, const nb::object* keys, uint32_t row) {
        if (10 * (size_ + 1) > 7 * slots_.size()) grow();
        const std::string_view text = short_ascii(name, longest);
        Slot& slot = slots_[slot_of(name, hash, text, keys)];
        if (!slot.number) {
            slot = {hash, row + 1, static_cast<uint32_t>(text.size())};
            std::copy(text.begin(), text.end(), slot.text);
            ++size_;
        }
        return slot.number - 1;
    }

    size_t bytes() const { return slots_.size() * sizeof(Slot); }

    void clear() {
        size_ = 0;
        slots_ = decltype(slots_)(1024);
        mask_ = slots_.size() - 1;
    }

  private:
    static constexpr Py_ssize_t longest = 16;

    struct alignas(32) Slot {
        uint64_t hash = 0;
        uint32_t number = 0;  // 1 more than the row; 0: the slot is free
        uint32_t size = 0;  // 0: the name is not in `text`
        char text[longest] = {};
    };

    static bool same(const Slot& slot, std::string_view text, PyObject* name, const nb::object* keys) {
        if (slot.size || !text.empty()) return text == std::string_view(slot.text, slot.size);
        PyObject* key = keys[slot.number - 1].ptr();
        return key == name || PyUnicode_Compare(key, name) == 0;
    }

    // Where a name is, or the free slot for it.
    size_t slot_of(PyObject* name, uint64_t hash, std::string_view text, const nb::object* keys) const {
        size_t i = hash & mask_;
        while (slots_[i].number && !(slots_[i].hash == hash && same(slots_[i], text, name, keys)))
            i = (i + 1) & mask_;
        return i;
    }

    void grow() {
        decltype(slots_) old(2 * slots_.size());
        slots_.swap(old);
        mask_ = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (!slot.number) continue;
            size_t i = slot.hash & mask_;
            while (slots_[i].number) i = (i + 1) & mask_;
            slots_[i] = slot;
        }
    }

    std::vector<Slot, Zeros<Slot>> slots_;  // their number is a power of 2
    size_t mask_ = 0;          // slots less 1
    size_t size_ = 0;
};

}  // namespace river_hier
