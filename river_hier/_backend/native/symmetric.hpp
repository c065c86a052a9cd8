// A symmetric matrix that grows, stored once.
#pragma once

#include <algorithm>
#include <vector>

#include "pages.hpp"
#include "simd.hpp"

namespace river_hier {

// A row holds its columns from the cache line on in which the diagonal lies; what is to the left of
// that stands in the rows above. So a product and an update read half the matrix, from end to end;
// and an update waits for the next product, which reads it anyway.
class Symmetric {
  public:
    size_t size() const { return size_; }

    // The size as whole cache lines: what vectors beside the matrix have room for.
    size_t whole() const { return line_up(size_); }

    double at(size_t i, size_t j) const {
        const double number = rows_[std::min(i, j)][std::max(i, j)];
        return waiting_.empty() ? number : number - waiting_[i] * waiting_[j];
    }

    // For i <= j.
    void set(size_t i, size_t j, double value) {
        rows_[i][j] = value;
        if (i >= first_of(j)) rows_[j][i] = value;
    }

    // New rows and columns are zero but for the diagonal.
    void grow(size_t n, double diagonal) {
        settle();
        if (n > rows_.size()) {
            const Pages old = std::move(memory_);
            const std::vector<double*> before = rows_;
            reserve(size_ ? 2 * n : n);
            for (size_t i = 0; i < size_; ++i)
                std::copy(before[i] + first_of(i), before[i] + line_up(size_),
                          rows_[i] + first_of(i));
        }
        for (size_t i = size_; i < n; ++i) rows_[i][i] = diagonal;
        size_ = n;
    }

    // u = A x for a dense x; both have room for whole cache lines, zero beyond the size.
    void multiply(const double* x, double* u) {
        std::fill(u, u + whole(), 0.0);
        const double* h = waiting_.empty() ? nullptr : waiting_.data();
        loops.multiply_symmetric(rows_.data(), h, x, whole(), u);
        waiting_.clear();
    }

    // u += value A[:, i]
    void add_column(size_t i, double value, double* u) {
        settle();
        const size_t own = first_of(i);
        for (size_t j = 0; j < own; ++j) u[j] += value * rows_[j][i];
        for (size_t j = own; j < size_; ++j) u[j] += value * rows_[i][j];
    }

    // A -= h h^T
    void subtract(const std::vector<double>& h) {
        settle();
        waiting_ = h;
    }

  private:
    void settle() {
        if (!waiting_.empty()) loops.subtract_square(rows_.data(), waiting_.data(), whole());
        waiting_.clear();
    }

    // The first column that row i holds.
    static size_t first_of(size_t i) { return i - i % lanes<double>; }

    static size_t line_up(size_t n) {
        return (n + lanes<double> - 1) / lanes<double> * lanes<double>;
    }

    void reserve(size_t n) {
        const size_t stride = line_up(std::max<size_t>(n, 1));
        size_t total = 0;
        for (size_t i = 0; i < stride; ++i) total += stride - first_of(i);
        memory_ = zeroed(std::max<size_t>(total, 1) * sizeof(double), line);
        rows_.resize(stride);
        double* at = static_cast<double*>(memory_.get());
        for (size_t i = 0; i < stride; at += stride - first_of(i++)) rows_[i] = at - first_of(i);
    }

    Pages memory_;
    std::vector<double*> rows_;
    size_t size_ = 0;
    std::vector<double> waiting_;  // the h of an update, in whole cache lines
};

}  // namespace river_hier
