// A lower bound for benchmarks: reading a dict and looking up its features, less than any learner does.
#pragma once

#include <array>

#include "python.hpp"

namespace river_hier {

// Keys are compared by their hash alone, in a table of fixed size.
class DictWalk {
  public:
    double walk(nb::dict x) {
        Py_ssize_t position = 0;
        PyObject *name, *value;
        double sum = 0.0;
        while (PyDict_Next(x.ptr(), &position, &name, &value)) {
            double number = 0.0;
            plain_number(value, number);
            sum += number + row(hash_of_text(name));
        }
        return sum;
    }

  private:
    struct Slot {
        uint64_t hash = 0;
        uint32_t row = 0;  // 0: the slot is empty
    };

    uint32_t row(uint64_t hash) {
        for (size_t i = hash % slots_.size();; i = (i + 1) % slots_.size()) {
            if (slots_[i].row == 0) {
                if (2 * n_ > slots_.size()) throw nb::value_error("more names than fit");
                slots_[i] = Slot{hash, ++n_};
            }
            if (slots_[i].hash == hash) return slots_[i].row;
        }
    }

    std::array<Slot, 1 << 17> slots_{};
    uint32_t n_ = 0;
};

}  // namespace river_hier
