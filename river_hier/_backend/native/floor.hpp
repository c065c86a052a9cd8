// The floor under every learner: read the dict and look up its features, nothing else.
#pragma once

#include "features.hpp"

namespace river_hier {

// A bare table, {hash, row} a slot, keys compared by their hash alone: less than any learner can do.
class Floor {
  public:
    Floor() = default;
    Floor(const Floor&) = delete;

    double look_up(nb::dict x) {
        Py_ssize_t position = 0;
        PyObject *name, *value;
        double sum = 0.0;
        while (PyDict_Next(x.ptr(), &position, &name, &value)) {
            double number = 0.0;
            plain_number(value, number);
            sum += number + find(hash_of_text(name));
        }
        return sum;
    }

  private:
    struct Slot {
        uint64_t hash = 0;
        uint32_t row = TextTable::none;
    };

    uint32_t find(uint64_t hash) {
        for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[i];
            if (slot.row == TextTable::none) {
                slot = Slot{hash, n_++};
                if (2 * n_ > slots_.size()) grow();
                return n_ - 1;
            }
            if (slot.hash == hash) return slot.row;
        }
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.row == TextTable::none) continue;
            size_t i = slot.hash & (slots_.size() - 1);
            while (slots_[i].row != TextTable::none) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = slot;
        }
    }

    std::vector<Slot> slots_ = std::vector<Slot>(1024);
    uint32_t n_ = 0;
};

}  // namespace river_hier
