// The Cholesky factor of a symmetric matrix that grows by one row at a time.
#pragma once

#include <cmath>
#include <vector>

#include "pages.hpp"
#include "simd.hpp"

namespace river_hier {

constexpr size_t strip = 4;  // rows that are read side by side

// out[r] = rows[r][:n] . y[:n]
RIVER_HIER_WIDE inline void strip_dots(const double* const* rows, const double* y, size_t n,
                                       double* out) {
    Lanes<double> total[strip];
    size_t j = 0;
    for (; j + lanes<double> <= n; j += lanes<double>) {
        Lanes<double> part, row;
        part.load(y + j);
        for (size_t r = 0; r < strip; ++r) {
            row.load(rows[r] + j);
            total[r].add_product(part, row);
        }
    }
    for (size_t r = 0; r < strip; ++r) {
        out[r] = sum_of(total[r]);
        for (size_t k = j; k < n; ++k) out[r] += rows[r][k] * y[k];
    }
}

// x[:n] += a[0] rows[0][:n] + ... + a[3] rows[3][:n]
RIVER_HIER_WIDE inline void strip_add(const double* const* rows, const double* a, size_t n,
                                      double* x) {
    size_t j = 0;
    for (; j + lanes<double> <= n; j += lanes<double>) {
        Lanes<double> total, row;
        total.load(x + j);
        for (size_t r = 0; r < strip; ++r) {
            row.load(rows[r] + j);
            total.add_product(a[r], row);
        }
        total.store(x + j);
    }
    for (; j < n; ++j)
        for (size_t r = 0; r < strip; ++r) x[j] += a[r] * rows[r][j];
}

// `L L^T = B` for a symmetric positive definite B that gains a row and a column at a time.
//
// For a new column b with diagonal element c the new row of L is (l, s), where `L l = b` and
// `s^2 = c - l . l`: `forward` gives l and `append` takes it. Unlike the inverse of B, which could
// be grown as well, the factor stays accurate however badly B is conditioned. A solve reads the
// n^2 / 2 stored numbers once, four rows at a time.
class Factor {
  public:
    size_t n() const { return rows_.size(); }

    static size_t bytes(size_t n) { return n * (n + 1) / 2 * sizeof(double); }

    const double* row(size_t i) const { return rows_[i]; }

    // y := L^-1 y
    void forward(double* y) const {
        size_t i = 0;
        for (; i + strip <= n(); i += strip) {
            double sums[strip];
            strip_dots(&rows_[i], y, i, sums);
            for (size_t r = 0; r < strip; ++r) {
                const double* row = rows_[i + r] + i;
                double rest = y[i + r] - sums[r];
                for (size_t k = 0; k < r; ++k) rest -= row[k] * y[i + k];
                y[i + r] = rest / row[r];
            }
        }
        for (; i < n(); ++i) {
            double rest = y[i];
            for (size_t k = 0; k < i; ++k) rest -= rows_[i][k] * y[k];
            y[i] = rest / rows_[i][i];
        }
    }

    // x := L^-T x
    void backward(double* x) const {
        size_t end = n();
        for (; end % strip; --end) {
            const size_t i = end - 1;
            x[i] /= rows_[i][i];
            for (size_t k = 0; k < i; ++k) x[k] -= rows_[i][k] * x[i];
        }
        for (; end; end -= strip) {
            const size_t i = end - strip;
            double less[strip];
            for (size_t r = strip; r-- > 0;) {
                double rest = x[i + r];
                for (size_t k = r + 1; k < strip; ++k) rest -= rows_[i + k][i + r] * x[i + k];
                x[i + r] = rest / rows_[i + r][i + r];
                less[r] = -x[i + r];
            }
            strip_add(&rows_[i], less, i, x);
        }
    }

    // Grow by the row (l, s).
    void append(const double* l, double s) {
        const size_t i = n();
        double* row = room(i + 1);
        std::copy(l, l + i, row);
        row[i] = s;
        rows_.push_back(row);
    }

  private:
    // Memory for a row, each from the start of a cache line: 64 rows at a time, and in huge pages as
    // soon as the factor is larger than one.
    double* room(size_t length) {
        const size_t whole = (length + lanes<double> - 1) / lanes<double> * lanes<double>;
        if (whole > left_) {
            left_ = 64 * whole;
            if (bytes(length) > huge_page / 2) left_ = std::max(left_, huge_page / sizeof(double));
            blocks_.push_back(zeroed(left_ * sizeof(double), line));
            next_ = static_cast<double*>(blocks_.back().get());
        }
        double* row = next_;
        next_ += whole;
        left_ -= whole;
        return row;
    }

    std::vector<const double*> rows_;
    std::vector<Pages> blocks_;
    double* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace river_hier
