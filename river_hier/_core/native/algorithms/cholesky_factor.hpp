// Cholesky factorisation of a symmetric matrix that grows by one row at a time.
#pragma once

#include <vector>

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
    CholeskyFactor() = default;
    CholeskyFactor(CholeskyFactor&&) = default;  // a copy would point to these rows
    CholeskyFactor& operator=(CholeskyFactor&&) = default;

    size_t n() const { return diagonal_.size(); }

    // y := L^-1 y
    void forward(Numbers& y) const {
        y.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = 0; i < n(); ++i)
            y[i] = (y[i] - dot(rows_[i], y.data(), whole_lines<double>(i))) / diagonal_[i];
        y.resize(n());
    }

    // x := L^-T x
    void backward(Numbers& x) const {
        x.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = n(); i-- > 0;) {
            x[i] /= diagonal_[i];
            add(-x[i], rows_[i], whole_lines<double>(i), x.data());
        }
        x.resize(n());
    }

    void append(const Numbers& l, double s) {
        const size_t size = whole_lines<double>(n()) / lanes<double>;
        if (size > left_) {  // blocks of 64 rows: a solve is fast where one row follows another
            left_ = 64 * size;
            blocks_.emplace_back(left_);
        }
        rows_.push_back(n() ? (blocks_.back().data() + blocks_.back().size() - left_)->numbers : nullptr);
        std::copy_n(l.begin(), n(), rows_.back());
        diagonal_.push_back(s);
        left_ -= size;
    }

    // The rows one after the other, each up to the diagonal.
    Numbers packed() const {
        Numbers all;
        for (size_t i = 0; i < n(); ++i) {
            all.insert(all.end(), rows_[i], rows_[i] + i);
            all.push_back(diagonal_[i]);
        }
        return all;
    }

    size_t bytes() const { return heap_bytes(blocks_, rows_, diagonal_); }

  private:
    std::vector<double*> rows_;  // in whole cache lines; zero from the diagonal on
    Numbers diagonal_;
    std::vector<std::vector<Line<double>>> blocks_;
    size_t left_ = 0;  // lines of the last block
};

}  // namespace river_hier
