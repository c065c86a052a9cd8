// Loops over many numbers, written so that compilers keep their sums in registers.

#include "hardware/loops.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(RIVER_HIER_SANITIZE)
#define RIVER_HIER_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RIVER_HIER_CLONES
#endif

namespace river_hier {

namespace {

// sums[first : first + n_lines cache lines] = the sum of values[i] * rows[i][the same columns]
template <class T, size_t n_lines>
RIVER_HIER_INLINE void sum_lines(const T* const* rows, const double* values, size_t n, size_t first, T* sums) {
    constexpr size_t width = n_lines * lanes<T>;
    T total[width] = {};
    for (size_t i = 0; i < n; ++i) {
#if defined(__GNUC__)
        __asm__ volatile("");  // else compilers vectorise this loop, with numbers of several rows in a register
#endif
        const T* row = rows[i] + first;
        const T value = static_cast<T>(values[i]);
        for (size_t k = 0; k < width; ++k) total[k] += value * row[k];
    }
    for (size_t k = 0; k < width; ++k) sums[first + k] = total[k];
}

RIVER_HIER_INLINE double sum_of(const double* p) {
    return ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7]));
}

// e^x for x <= 0, within 1e-14 of it; e^-708 for less, and for nan.
RIVER_HIER_INLINE double exponential(double x) {
    x = x > -708.0 ? x : -708.0;
    const double shifted = x * 0x1.71547652b82fep0 + 0x1.8p52;  // x / log 2, rounded
    const double whole = shifted - 0x1.8p52;
    const double r = (x - whole * 0x1.62e42feep-1) - whole * 0x1.a39ef35793c76p-33;
    double e = r * (1.0 / 39916800) + 1.0 / 3628800;  // e^r, by Taylor
    e = ((e * r + 1.0 / 362880) * r + 1.0 / 40320) * r + 1.0 / 5040;
    e = ((e * r + 1.0 / 720) * r + 1.0 / 120) * r + 1.0 / 24;
    e = (((e * r + 1.0 / 6) * r + 0.5) * r + 1.0) * r + 1.0;
    uint64_t power, bits;
    std::memcpy(&power, &shifted, sizeof power);
    std::memcpy(&bits, &e, sizeof bits);
    bits += power << 52;  // times 2^whole
    std::memcpy(&e, &bits, sizeof e);
    return e;
}

}  // namespace

template <class T>
RIVER_HIER_CLONES void sum_rows(const T* const* rows, const double* values, size_t n, size_t first,
                                size_t last, T* sums) {
    constexpr size_t most = 4;  // lines whose sums stay in registers
    first -= first % lanes<T>;
    for (; first + (most - 1) * lanes<T> < last; first += most * lanes<T>)
        sum_lines<T, most>(rows, values, n, first, sums);
    for (; first < last; first += lanes<T>) sum_lines<T, 1>(rows, values, n, first, sums);
}

template <class T>
RIVER_HIER_CLONES void step_rows(T* const* rows, const double* values, size_t n, size_t first,
                                 size_t last, const double* steps) {
    first -= first % lanes<T>;
    last = whole_lines<T>(last);
    for (size_t i = 0; i < n; ++i) {
        T* __restrict w = rows[i];
        const double value = values[i];
        for (size_t k = first; k < last; ++k) w[k] = static_cast<T>(w[k] + value * steps[k]);
    }
}

template <class T>
RIVER_HIER_CLONES void move_rows(T* const* rows, size_t behind, const double* values, size_t n,
                                 size_t first, size_t last, const double* steps,
                                 const double* confidences) {
    first -= first % lanes<T>;
    last = whole_lines<T>(last);
    for (size_t i = 0; i < n; ++i) {
        T* __restrict w = rows[i];
        T* __restrict s = rows[i] + behind;
        const double value = values[i];
        for (size_t k = first; k < last; ++k) {
            const double moved = (1.0 + s[k]) * value;  // S x
            w[k] = static_cast<T>(w[k] + moved * steps[k]);
            s[k] = std::max(least_variance<T>, static_cast<T>(s[k] - confidences[k] * moved * moved));
        }
    }
}

#define RIVER_HIER_ROWS(T)                                                                         \
    template void sum_rows(const T* const*, const double*, size_t, size_t, size_t, T*);           \
    template void step_rows(T* const*, const double*, size_t, size_t, size_t, const double*);     \
    template void move_rows(T* const*, size_t, const double*, size_t, size_t, size_t, const double*, \
                            const double*);
RIVER_HIER_ROWS(double)
RIVER_HIER_ROWS(float)

RIVER_HIER_CLONES void multiply_symmetric(double* a, const double* h, const double* x, size_t whole, double* u) {
    for (size_t i = 0; i < whole; ++i) {
        const size_t first = i - i % lanes<double>;
        double* __restrict row = a - first;
        if (h)
            for (size_t j = first; j < whole; ++j) row[j] -= h[i] * h[j];
        double total[lanes<double>] = {};
        for (size_t j = first; j < whole; j += lanes<double>)
            for (size_t k = 0; k < lanes<double>; ++k) total[k] += row[j + k] * x[j + k];
        u[i] += sum_of(total);
        const double part = x[i];
        for (size_t j = first + lanes<double>; j < whole; ++j) u[j] += part * row[j];
        a += whole - first;
    }
}

RIVER_HIER_CLONES double dot(const double* a, const double* b, size_t whole) {
    constexpr size_t n = 4 * lanes<double>;  // sums in turn, as each waits for the one before
    double totals[n] = {}, total[lanes<double>] = {};
    size_t j = 0;
    for (; j + n <= whole; j += n)
        for (size_t k = 0; k < n; ++k) totals[k] += a[j + k] * b[j + k];
    for (; j < whole; j += lanes<double>)
        for (size_t k = 0; k < lanes<double>; ++k) total[k] += a[j + k] * b[j + k];
    for (size_t k = 0; k < n; ++k) total[k % lanes<double>] += totals[k];
    return sum_of(total);
}

RIVER_HIER_CLONES void add(double a, const double* y, size_t whole, double* x) {
    for (size_t j = 0; j < whole; ++j) x[j] += a * y[j];
}

RIVER_HIER_CLONES double exponentials(double* __restrict x, double most, double slope, size_t whole) {
    for (size_t j = 0; j < whole; ++j) x[j] = exponential(slope * (x[j] - most));
    double total[lanes<double>] = {};
    for (size_t j = 0; j < whole; j += lanes<double>)
        for (size_t k = 0; k < lanes<double>; ++k) total[k] += x[j + k];
    return sum_of(total);
}

}  // namespace river_hier
