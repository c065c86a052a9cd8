// Loops over many numbers.
//
// With gcc on Linux for x86 they are compiled for AVX-512 and AVX2, too, and chosen when the library is
// loaded. The results are the same to the last bit: each column is summed in the order of the rows, and
// products are not fused with sums (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

// For what is called in the innermost loops: a call empties the registers.
#if defined(__GNUC__)
#define RIVER_HIER_INLINE inline __attribute__((always_inline))
#else
#define RIVER_HIER_INLINE inline
#endif

namespace river_hier {

// Asks the processor to load a cache line that will be needed soon.
RIVER_HIER_INLINE void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

constexpr size_t line = 64;  // bytes in a cache line

template <class T>
constexpr size_t lanes = line / sizeof(T);

// A cache line of zeros: lists of them are aligned.
template <class T>
struct alignas(line) Line {
    T numbers[lanes<T>] = {};
};

template <class T>
constexpr size_t whole_lines(size_t n) { return (n + lanes<T> - 1) / lanes<T> * lanes<T>; }

// The least that is stored of a variance S, as S - 1: rounding must not leave nothing of S, or less.
template <class T>
constexpr T least_variance = std::numeric_limits<T>::epsilon() / 2 - 1;

// Loops over the columns first:last of rows of type T, double or float. They read and write the whole
// cache lines of these columns, and no others.

// sums = the sum of values[i] * rows[i]
template <class T>
void sum_rows(const T* const* rows, const double* values, size_t n, size_t first, size_t last, T* sums);

// rows[i] += values[i] * steps
template <class T>
void step_rows(T* const* rows, const double* values, size_t n, size_t first, size_t last, const double* steps);

// Gaussian weights: w += steps S x and S -= confidences (S x)^2. The rows hold weights, and S - 1
// `behind` numbers further on.
template <class T>
void move_rows(T* const* rows, size_t behind, const double* values, size_t n, size_t first, size_t last,
               const double* steps, const double* confidences);

// A -= h h^T unless h is null, and then u += A x. The rows of the symmetric A follow one another, each from
// the cache line of its diagonal on. All sizes are whole cache lines.
void multiply_symmetric(double* a, const double* h, const double* x, size_t whole, double* u);

double dot(const double* a, const double* b, size_t whole);

void add(double a, const double* y, size_t whole, double* x);

// x = e^(slope (x - most)) over whole lines, where most is the largest x, or more, and slope >= 0; nothing
// becomes less than e^-708. Returns the sum.
double exponentials(double* x, double most, double slope, size_t whole);

}  // namespace river_hier
