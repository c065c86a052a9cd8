// Cache lines of numbers, and the loops over many of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace river_hier {

constexpr size_t line = 64;  // bytes in a cache line

template <class T>
constexpr size_t lanes = line / sizeof(T);

// A call out of a loop compiled for one kind of processor would be to code for another kind.
#if defined(__GNUC__)
#define RIVER_HIER_INLINE inline __attribute__((always_inline))
#else
#define RIVER_HIER_INLINE inline
#endif

// As many numbers as a cache line holds.
template <class T>
struct Lanes {
#if defined(__GNUC__)
    typedef T Numbers __attribute__((vector_size(line)));
    Numbers numbers = {};
    RIVER_HIER_INLINE void add_product(T a, const Lanes& b) { numbers += a * b.numbers; }
    RIVER_HIER_INLINE void add_product(const Lanes& a, const Lanes& b) {
        numbers += a.numbers * b.numbers;
    }
#else
    T numbers[lanes<T>] = {};
    void add_product(T a, const Lanes& b) {
        for (size_t k = 0; k < lanes<T>; ++k) numbers[k] += a * b.numbers[k];
    }
    void add_product(const Lanes& a, const Lanes& b) {
        for (size_t k = 0; k < lanes<T>; ++k) numbers[k] += a.numbers[k] * b.numbers[k];
    }
#endif
    RIVER_HIER_INLINE void load(const T* from) { std::memcpy(&numbers, from, line); }
    RIVER_HIER_INLINE void store(T* to) const { std::memcpy(to, &numbers, line); }
};

RIVER_HIER_INLINE double sum_of(const Lanes<double>& parts) {
    double p[lanes<double>];
    parts.store(p);
    return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
}

// The loops; simd.cpp tells how they are compiled.

// sums[first:last] = the sum of values[i] * rows[i][the same columns]. The cache lines they lie in,
// and no other, are read and written, so a few columns on either side are summed as well.
void sum_rows(const double* const* rows, const double* values, size_t n, size_t first, size_t last,
              double* sums);
void sum_rows(const float* const* rows, const double* values, size_t n, size_t first, size_t last,
              float* sums);

constexpr size_t strip = 4;  // rows that are read together

// Of a strip whose rows lie line by line in turns: out[r] = row r [:n] . y[:n]
void strip_dots(const double* rows, const double* y, size_t n, double* out);

// x[:n] += a[0] row 0 [:n] + ... + a[3] row 3 [:n]
void strip_add(const double* rows, const double* a, size_t n, double* x);

// u += A x, where row i of the symmetric A is known from the cache line of its diagonal on. Here and
// below all sizes are whole cache lines.
void multiply_symmetric(const double* const* rows, const double* x, size_t whole, double* u);

// A -= h h^T
void subtract_square(double* const* rows, const double* h, size_t whole);

// a . b
double dot_lines(const double* a, const double* b, size_t whole);

// x += a y
void add_lines(double a, const double* y, size_t whole, double* x);

}  // namespace river_hier
