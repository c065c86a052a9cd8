// Cholesky factorisation of a symmetric matrix that grows by one row at a time.
#pragma once

#include <utility>
#include <vector>

#include "hardware/memory.hpp"
#include "hardware/loops.hpp"
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

    // y := L^-1 y
    void forward(Numbers& y) const {
        y.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = 0; i < n(); ++i)
            y[i] = (y[i] - dot(row(i), y.data(), whole_lines<double>(i))) / diagonal_[i];
        y.resize(n());
    }

    // x := L^-T x
    void backward(Numbers& x) const {
        x.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = n(); i-- > 0;) {
            x[i] /= diagonal_[i];
            add(-x[i], row(i), whole_lines<double>(i), x.data());
        }
        x.resize(n());
    }

    void append(const Numbers& l, double s) {
        make_room(diagonal_);
        make_room(rows_);
        rows_.push_back(allocate(whole_lines<double>(n())));
        std::copy_n(l.begin(), n(), rows_.back());
        diagonal_.push_back(s);
    }

    // The rows one after the other, each up to the diagonal.
    Numbers packed() const {
        Numbers all;
        for (size_t i = 0; i < n(); ++i) {
            all.insert(all.end(), row(i), row(i) + i);
            all.push_back(diagonal_[i]);
        }
        return all;
    }

    size_t bytes() const {
        size_t numbers = 0;
        for (size_t i = 0; i < n(); ++i) numbers += whole_lines<double>(i);
        return numbers * sizeof(double) + heap_bytes(rows_) + heap_bytes(diagonal_);
    }

  private:
    const double* row(size_t i) const { return rows_[i]; }

    // Memory for a row, from blocks of 64: a solve is fast where one row follows another.
    double* allocate(size_t size) {
        if (size > left_) {
            make_room(blocks_);
            blocks_.push_back(zeroed(64 * size * sizeof(double)));
            next_ = static_cast<double*>(blocks_.back().get());
            left_ = 64 * size;
        }
        left_ -= size;
        return std::exchange(next_, next_ + size);
    }

    std::vector<double*> rows_;  // in whole cache lines; zero from the diagonal on
    Numbers diagonal_;
    std::vector<Memory> blocks_;
    double* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace river_hier
