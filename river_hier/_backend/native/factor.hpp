// The Cholesky factor of a symmetric matrix that grows by one row at a time.
#pragma once

#include <cmath>
#include <vector>

#include "pages.hpp"
#include "simd.hpp"
#include "vector.hpp"

namespace river_hier {

// `L L^T = B` for a symmetric positive definite B that gains a row and a column at a time.
//
// For a new column b with diagonal element c the new row of L is (l, s), where `L l = b` and
// `s^2 = c - l . l`: `forward` gives l and `append` takes it. Unlike the inverse of B, which could
// be grown as well, the factor stays accurate however badly B is conditioned. A solve reads the
// n^2 / 2 stored numbers once. They lie in the order in which it reads them, four rows at a time and
// of these a cache line each by turns: memory is fastest when it is read from end to end.
class Factor {
  public:
    size_t n() const { return n_; }

    static size_t bytes(size_t n) { return n * (n + 1) / 2 * sizeof(double); }

    // Row i, up to the diagonal.
    Numbers row(size_t i) const {
        Numbers row;
        for (size_t k = 0; k <= i; ++k) row.push_back(at(i, k));
        return row;
    }

    // y := L^-1 y
    void forward(double* y) const {
        for (size_t i = 0; i < n_; i += strip)
            loops.strip_forward(strips_[i / strip], i, std::min(i + strip, n_), y);
    }

    // x := L^-T x
    void backward(double* x) const {
        for (size_t k = strips_.size(); k-- > 0;) {
            const double* next = strips_[k ? k - 1 : 0];
            loops.strip_backward(strips_[k], next, k * strip, std::min((k + 1) * strip, n_), x);
        }
    }

    // Grow by the row (l, s).
    void append(const double* l, double s) {
        if (n_ % strip == 0) strips_.push_back(room(n_ + strip));
        for (size_t k = 0; k < n_; ++k) at(n_, k) = l[k];
        at(n_, n_) = s;
        ++n_;
    }

  private:
    double& at(size_t i, size_t k) const {
        constexpr size_t width = lanes<double>;
        return strips_[i / strip][(k / width * strip + i % strip) * width + k % width];
    }

    // Memory for a strip with so many columns: 16 at a time, and in huge pages as soon as the factor
    // is larger than one.
    double* room(size_t columns) {
        const size_t whole = strip * ((columns + lanes<double> - 1) / lanes<double> * lanes<double>);
        if (whole > left_) {
            left_ = 16 * whole;
            if (bytes(columns) > huge_page / 2) left_ = std::max(left_, huge_page / sizeof(double));
            blocks_.push_back(zeroed(left_ * sizeof(double), line));
            next_ = static_cast<double*>(blocks_.back().get());
        }
        double* room = next_;
        next_ += whole;
        left_ -= whole;
        return room;
    }

    size_t n_ = 0;
    std::vector<double*> strips_;
    std::vector<Pages> blocks_;
    double* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace river_hier
