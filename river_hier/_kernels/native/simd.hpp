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

// In front of a loop of few turns, whose numbers then stay in registers.
#if defined(__clang__)
#define RIVER_HIER_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define RIVER_HIER_UNROLL _Pragma("GCC unroll 8")
#else
#define RIVER_HIER_UNROLL
#endif

// Whether the loops are compiled for several kinds of processors.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && \
    !defined(RIVER_HIER_SANITIZE)
#define RIVER_HIER_CLONES
#endif

// As many numbers as a cache line holds, in parts as wide as a register: wider ones gcc would keep in
// memory. AVX-512 would like them wider: products with dense matrices are a little slower for it.
template <class T>
struct Lanes {
#if defined(RIVER_HIER_CLONES)
    typedef T Part __attribute__((vector_size(32)));
#elif defined(__GNUC__)
    typedef T Part __attribute__((vector_size(16)));
#else
    typedef T Part;
#endif
    static constexpr size_t n = line / sizeof(Part);
    Part parts[n] = {};

    RIVER_HIER_INLINE void add_product(T a, const Lanes& b) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) parts[k] += a * b.parts[k];
    }
    RIVER_HIER_INLINE void add_product(const Lanes& a, const Lanes& b) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) parts[k] += a.parts[k] * b.parts[k];
    }
    RIVER_HIER_INLINE void load(const T* from) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) std::memcpy(&parts[k], from + k * lanes<T> / n, sizeof(Part));
    }
    RIVER_HIER_INLINE void load_half(const T* from) {
        *this = Lanes();
        std::memcpy(parts, from, line / 2);
    }
    RIVER_HIER_INLINE void store(T* to) const {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) std::memcpy(to + k * lanes<T> / n, &parts[k], sizeof(Part));
    }
};

RIVER_HIER_INLINE double sum_of(const Lanes<double>& parts) {
    double p[lanes<double>], q[4];
    parts.store(p);
    for (size_t k = 0; k < 4; ++k) q[k] = p[k] + p[k + 4];
    return (q[0] + q[1]) + (q[2] + q[3]);
}

// The loops; simd.cpp tells how they are compiled.

// sums[first:last] = the sum of values[i] * rows[i][the same columns]. The cache lines they lie in,
// and no other, are read and written, so a few columns on either side are summed as well.
void sum_rows(const double* const* rows, const double* values, size_t n, size_t first, size_t last,
              double* sums);
void sum_rows(const float* const* rows, const double* values, size_t n, size_t first, size_t last,
              float* sums);

constexpr size_t strip = lanes<double> / 2;  // rows that are read together

// Of a triangular matrix L the strip from row i on, whose rows lie line by line in turns, up to the
// last row: carry on y := L^-1 y ...
void strip_forward(const double* rows, size_t i, size_t last, double* y);

// ... and x := L^-T x, where strips come from the last to the first: `next` is the one before.
void strip_backward(const double* rows, const double* next, size_t i, size_t last, double* x);

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
