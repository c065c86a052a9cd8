// Sums of rows, as wide as the processor allows.
//
// On x86 under gcc each function is compiled for AVX-512, AVX2 and plain SSE2, and the right one is
// chosen when the library is loaded. The sums are the same to the last bit: lanes are columns, each
// is summed in the order of the features, and products are not fused with sums (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && \
    !defined(RIVER_HIER_SANITIZE)
#define RIVER_HIER_WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define RIVER_HIER_WIDE
#endif

namespace river_hier {

constexpr size_t line = 64;  // bytes in a cache line

template <class T>
constexpr size_t lanes = line / sizeof(T);

// As many numbers as a cache line holds.
#if defined(__GNUC__)
template <class T>
struct Lanes {
    typedef T Numbers __attribute__((vector_size(line)));
    Numbers numbers = {};
    void load(const T* from) { std::memcpy(&numbers, from, line); }
    void store(T* to) const { std::memcpy(to, &numbers, line); }
    void add_product(T a, const Lanes& b) { numbers += a * b.numbers; }
    void add_product(const Lanes& a, const Lanes& b) { numbers += a.numbers * b.numbers; }
};
#else
template <class T>
struct Lanes {
    T numbers[lanes<T>] = {};
    void load(const T* from) { std::memcpy(numbers, from, line); }
    void store(T* to) const { std::memcpy(to, numbers, line); }
    void add_product(T a, const Lanes& b) {
        for (size_t k = 0; k < lanes<T>; ++k) numbers[k] += a * b.numbers[k];
    }
    void add_product(const Lanes& a, const Lanes& b) {
        for (size_t k = 0; k < lanes<T>; ++k) numbers[k] += a.numbers[k] * b.numbers[k];
    }
};
#endif

inline __attribute__((always_inline)) double sum_of(const Lanes<double>& parts) {
    double p[lanes<double>];
    parts.store(p);
    return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
}

// sums[first : first + N lines] = the sum of values[i] * rows[i][the same columns].
template <class T, int N>
inline __attribute__((always_inline)) void sum_lines(const T* const* rows, const double* values,
                                                     size_t n, size_t first, T* sums) {
    Lanes<T> total[N];
    for (size_t i = 0; i < n; ++i) {
        const T* row = rows[i] + first;
        const T value = static_cast<T>(values[i]);
        for (int k = 0; k < N; ++k) {
            Lanes<T> part;
            part.load(row + k * lanes<T>);
            total[k].add_product(value, part);
        }
    }
    for (int k = 0; k < N; ++k) total[k].store(sums + first + k * lanes<T>);
}

// The same for many lines: row by row, as memory likes it best, the sums in the nearest cache.
template <class T>
inline __attribute__((always_inline)) void sum_wide(const T* const* rows, const double* values,
                                                    size_t n, size_t first, size_t last, T* sums) {
    constexpr size_t ahead = 4;  // rows that are sent for before their turn
    Lanes<T> total, part;
    for (size_t j = first; j < last; j += lanes<T>) total.store(sums + j);
    for (size_t i = 0; i < n; ++i) {
        const T value = static_cast<T>(values[i]);
        const T* next = rows[i + ahead < n ? i + ahead : i];
        for (size_t j = first; j < last; j += lanes<T>) {
            __builtin_prefetch(next + j);
            total.load(sums + j);
            part.load(rows[i] + j);
            total.add_product(value, part);
            total.store(sums + j);
        }
    }
}

// The same for columns [first, last): the cache lines they lie in, and no other, are read and
// written, so a few columns on either side are summed as well.
template <class T>
inline __attribute__((always_inline)) void sum_columns(const T* const* rows, const double* values,
                                                       size_t n, size_t first, size_t last,
                                                       T* sums) {
    first -= first % lanes<T>;
    switch ((last - first + lanes<T> - 1) / lanes<T>) {
        case 1: return sum_lines<T, 1>(rows, values, n, first, sums);
        case 2: return sum_lines<T, 2>(rows, values, n, first, sums);
        case 3: return sum_lines<T, 3>(rows, values, n, first, sums);
        case 4: return sum_lines<T, 4>(rows, values, n, first, sums);
        default: return sum_wide<T>(rows, values, n, first, last, sums);
    }
}

RIVER_HIER_WIDE inline void sum_rows(const double* const* rows, const double* values, size_t n,
                                     size_t first, size_t last, double* sums) {
    sum_columns<double>(rows, values, n, first, last, sums);
}

RIVER_HIER_WIDE inline void sum_rows(const float* const* rows, const double* values, size_t n,
                                     size_t first, size_t last, float* sums) {
    sum_columns<float>(rows, values, n, first, last, sums);
}

}  // namespace river_hier
