// Cholesky factorisation of a symmetric matrix that grows by one row at a time.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "hardware/pages.hpp"
#include "hardware/simd.hpp"
#include "store/vector.hpp"

namespace river_hier {

// L with L L^T = B. A new column b of B with diagonal element c gives the new row (l, s) of L, where
// L l = b and s^2 = c - l . l. Unlike the inverse of B, which could be grown as well, the factor
// stays accurate however badly B is conditioned.
//
// A solve reads the n^2 / 2 stored numbers once, row by row.
class CholeskyFactor {
  public:
    size_t n() const { return diagonal_.size(); }

    static size_t bytes(size_t n) { return n * (n + 1) / 2 * sizeof(double); }

    // Row i up to the diagonal, and the element on it.
    const double* row(size_t i) const { return rows_[i]; }
    double diagonal(size_t i) const { return diagonal_[i]; }

    // y := L^-1 y
    void forward(Numbers& y) const {
        y.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = 0; i < n(); ++i)
            y[i] = (y[i] - loops.dot(row(i), y.data(), whole_lines<double>(i))) / diagonal_[i];
        y.resize(n());
    }

    // x := L^-T x
    void backward(Numbers& x) const {
        x.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = n(); i-- > 0;) {
            x[i] /= diagonal_[i];
            loops.add(-x[i], row(i), row(i ? i - 1 : 0), whole_lines<double>(i), x.data());
        }
        x.resize(n());
    }

    void append(const double* l, double s) {
        make_room(diagonal_);
        make_room(rows_);
        rows_.push_back(allocate(whole_lines<double>(n())));
        std::copy(l, l + n(), rows_.back());
        diagonal_.push_back(s);
    }

    // Keeps the first n rows, which are the factor of the first n rows of B.
    void truncate(size_t n) {
        rows_.resize(std::min(n, rows_.size()));
        diagonal_.resize(rows_.size());
    }

    size_t memory() const {
        size_t numbers = 0;
        for (size_t i = 0; i < n(); ++i) numbers += whole_lines<double>(i);
        return numbers * sizeof(double) + heap_bytes(rows_) + heap_bytes(diagonal_);
    }

  private:
    // Memory for a row, taken from blocks of at least 64 rows; of huge pages in a large factor.
    double* allocate(size_t size) {
        if (size > left_) {
            size_t room = 64 * size;
            if (bytes(n()) > huge_page / 2) room = std::max(room, huge_page / sizeof(double));
            make_room(blocks_);
            blocks_.push_back(zeroed(room * sizeof(double)));
            next_ = static_cast<double*>(blocks_.back().get());
            left_ = room;
        }
        left_ -= size;
        return std::exchange(next_, next_ + size);
    }

    std::vector<double*> rows_;  // in whole cache lines; zero from the diagonal on
    Numbers diagonal_;
    std::vector<Pages> blocks_;
    double* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace river_hier
