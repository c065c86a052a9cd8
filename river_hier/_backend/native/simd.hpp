// Cache lines of numbers, and the loops over many of them.
#pragma once

#include <cstddef>

#include "portable.hpp"

namespace river_hier {

constexpr size_t line = 64;  // bytes in a cache line

template <class T>
constexpr size_t lanes = line / sizeof(T);

// n numbers, rounded up to whole cache lines.
template <class T>
constexpr size_t whole_lines(size_t n) {
    return (n + lanes<T> - 1) / lanes<T> * lanes<T>;
}

constexpr size_t strip = lanes<double> / 2;  // rows that are read together

// The loops for a kind of processor.

// Over rows of numbers of type T, the columns first:last. The cache lines that these lie in, and no
// other, are read and written.
template <class T>
struct RowLoops {
    // sums = the sum of values[i] * rows[i], also of the columns on either side.
    void (*sum_rows)(const T* const* rows, const double* values, size_t n, size_t first,
                     size_t last, T* sums);

    // rows[i] += values[i] * steps
    void (*step_rows)(T* const* rows, const double* values, size_t n, size_t first, size_t last,
                      const double* steps);

    // Of uncertain weights: w += steps S x and S -= confidences (S x)^2. The rows hold S - 1; the
    // weights stand `before` them by so many numbers.
    void (*move_rows)(T* const* rows, size_t before, const double* values, size_t n, size_t first,
                      size_t last, const double* steps, const double* confidences);
};

// All of them.
struct Loops : RowLoops<double>, RowLoops<float> {
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
