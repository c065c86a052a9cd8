// A sparse vector whose features have rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace river_hier {

using Numbers = std::vector<double>;

// What an allocation takes of memory: malloc keeps a header and rounds up.
inline size_t allocated(size_t bytes) { return bytes ? std::max<size_t>(32, (bytes + 23) / 16 * 16) : 0; }

template <class T>
size_t heap_bytes(const std::vector<T>& list) { return allocated(list.capacity() * sizeof(T)); }
template <class T>
size_t heap_bytes(const std::vector<std::vector<T>>& lists) {
    size_t bytes = allocated(lists.capacity() * sizeof(std::vector<T>));
    for (const std::vector<T>& list : lists) bytes += heap_bytes(list);
    return bytes;
}
template <class T, class... Lists>
size_t heap_bytes(const std::vector<T>& list, const Lists&... others) {
    return heap_bytes(list) + (heap_bytes(others) + ...);
}

constexpr uint32_t no_row = UINT32_MAX;

struct Vector {
    std::vector<uint32_t> rows;
    Numbers values;
    double norm2 = 0.0;  // of all features of x, those without a row included

    size_t size() const { return rows.size(); }
    void resize(size_t n) {
        rows.resize(n);
        values.resize(n);
    }

    void clear() {
        norm2 = 0.0;
        std::fill(values.begin(), values.end(), 0.0);
    }

    // The dot product with w, which may lack the last rows.
    double dot(const Numbers& w) const {
        double sum = 0.0;
        for (size_t j = 0; j < size(); ++j) if (rows[j] < w.size()) sum += values[j] * w[rows[j]];
        return sum;
    }
};

// An x with a smaller squared norm counts as zero: dividing by it would overflow.
constexpr double smallest_norm2 = 1e-300;

}  // namespace river_hier
