// Cache lines of numbers, and the loops over many of them.
#pragma once

#include <cstddef>

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

constexpr size_t strip = lanes<double> / 2;  // rows that are read together

// sums[first:last] = the sum of values[i] * rows[i][the same columns]. The cache lines they lie in,
// and no other, are read and written, so a few columns on either side are summed as well.
template <class T>
using SumRows = void (*)(const T* const* rows, const double* values, size_t n, size_t first,
                         size_t last, T* sums);

// The moves of uncertain weights: w += steps S x and S -= confidences (S x)^2 in the cache lines of
// the columns first:last. `rows` hold S - 1; the weights stand `before` them by so many numbers.
template <class T>
using MoveRows = void (*)(T* const* rows, size_t before, const double* values, size_t n,
                          size_t first, size_t last, const T* steps, const T* confidences);

// The loops for a kind of processor.
struct Loops {
    SumRows<double> sum_doubles;
    SumRows<float> sum_floats;
    MoveRows<double> move_doubles;
    MoveRows<float> move_floats;

    // Of a triangular matrix L the strip from row i on, whose rows lie line by line in turns, up to
    // the last row: carry on y := L^-1 y ...
    void (*strip_forward)(const double* rows, size_t i, size_t last, double* y);

    // ... and x := L^-T x, where strips come from the last to the first: `next` is the one before.
    void (*strip_backward)(const double* rows, const double* next, size_t i, size_t last, double* x);

    // A -= h h^T, unless h is null, and then u += A x. Row i of the symmetric A is known from the
    // cache line of its diagonal on. Here and below all sizes are whole cache lines.
    void (*multiply_symmetric)(double* const* rows, const double* h, const double* x, size_t whole,
                               double* u);

    // A -= h h^T
    void (*subtract_square)(double* const* rows, const double* h, size_t whole);

    // a . b
    double (*dot)(const double* a, const double* b, size_t whole);

    // x += a y
    void (*add)(double a, const double* y, size_t whole, double* x);
};

// Those for the processor at hand.
extern const Loops loops;

}  // namespace river_hier
