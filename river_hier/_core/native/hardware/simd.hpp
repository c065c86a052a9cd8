// Cache lines of numbers, and the loops over many of them, for the processor at hand.
#pragma once

#include <cstddef>

#include "hardware/portable.hpp"

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

// Loops over the columns first:last of rows of type T. They read and write the whole cache lines of
// these columns, and no others.
template <class T>
struct RowLoops {
    // sums = the sum of values[i] * rows[i]
    void (*sum_rows)(const T* const* rows, const double* values, size_t n, size_t first,
                     size_t last, T* sums);

    // rows[i] += values[i] * steps
    void (*step_rows)(T* const* rows, const double* values, size_t n, size_t first, size_t last,
                      const double* steps);

    // Gaussian weights: w += steps S x and S -= confidences (S x)^2. The rows hold S - 1, and the
    // weights lie `before` numbers ahead of them.
    void (*move_rows)(T* const* rows, size_t before, const double* values, size_t n, size_t first,
                      size_t last, const double* steps, const double* confidences);
};

// All loops of an instruction set.
struct Loops : RowLoops<double>, RowLoops<float> {
    // A -= h h^T unless h is null, and then u += A x. Row i of the symmetric A is stored from the
    // cache line of its diagonal on. All sizes are whole cache lines.
    void (*multiply_symmetric)(double* const* rows, const double* h, const double* x, size_t whole,
                               double* u);

    // a . b
    double (*dot)(const double* a, const double* b, size_t whole);

    // x += a y; `next` is the y to prefetch.
    void (*add)(double a, const double* y, const double* next, size_t whole, double* x);

    // The sum of e^(x - most); most is the largest x, or more.
    double (*sum_exp)(const double* x, double most, size_t whole);
};

extern const Loops loops;

}  // namespace river_hier
