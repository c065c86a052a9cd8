// Cholesky factorisation of a symmetric matrix that grows by one row at a time.
#pragma once

#include <algorithm>
#include <cmath>
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
// A solve reads the n^2 / 2 stored numbers once, and they lie in the order in which it reads them:
// strips of four rows, of which one cache line each follow one another.
class CholeskyFactor {
  public:
    size_t n() const { return n_; }

    static size_t bytes(size_t n) { return n * (n + 1) / 2 * sizeof(double); }

    // Row i, up to the diagonal.
    Numbers row(size_t i) const {
        Numbers row;
        for (size_t k = 0; k <= i; ++k) row.push_back(*place(i, k));
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

    void append(const double* l, double s) {
        if (n_ % strip == 0) strips_.push_back(allocate(n_ + strip));
        for (size_t k = 0; k < n_; ++k) *place(n_, k) = l[k];
        *place(n_, n_) = s;
        ++n_;
    }

  private:
    double* place(size_t i, size_t k) const {
        constexpr size_t width = lanes<double>;
        return strips_[i / strip] + (k / width * strip + i % strip) * width + k % width;
    }

    // Memory for a strip, taken from blocks of at least 16 strips; of huge pages in a large factor.
    double* allocate(size_t columns) {
        const size_t size = strip * whole_lines<double>(columns);
        if (size > left_) {
            left_ = 16 * size;
            if (bytes(columns) > huge_page / 2) left_ = std::max(left_, huge_page / sizeof(double));
            blocks_.push_back(zeroed(left_ * sizeof(double)));
            next_ = static_cast<double*>(blocks_.back().get());
        }
        left_ -= size;
        return std::exchange(next_, next_ + size);
    }

    size_t n_ = 0;
    std::vector<double*> strips_;
    std::vector<Pages> blocks_;
    double* next_ = nullptr;
    size_t left_ = 0;
};

// Solves (l2 I + S^T S) alpha = v for several v. n instances take O(n^2) memory and a step O(n^2).
class CholeskySolver {
  public:
    // What a squared norm loses to rounding in a solve, for each instance; a generous bound.
    static constexpr double rounding = 1e-14;

    CholeskySolver(size_t n_outputs, double l2) : l2_(l2), z_(n_outputs) {}

    size_t n() const { return factor_.n(); }
    const Numbers& l() const { return l_; }
    const Numbers& z(size_t output) const { return z_[output]; }

    // A bound for the error of B^-1, relative to B's smallest eigenvalue l2.
    double error() const { return rounding * static_cast<double>(n()) * trace_ / l2_; }

    // l = L^-1 k for k = S^T x. Returns r = x^T A^-1 x = (||x||^2 - l . l) / l2.
    double solve(const Numbers& k, double norm2) {
        l_ = k;
        factor_.forward(l_.data());
        double length2 = 0.0;
        for (double l : l_) length2 += l * l;
        return std::max(0.0, (norm2 - length2) / l2_);
    }

    // Appends the x of the last solve, whose labels are the last ones of v.
    void append(double norm2, double r, const std::vector<Numbers>& v) {
        const size_t n = this->n();
        // The new diagonal element; where l2 is lost in rounding, what rounding leaves of it.
        const double s = std::sqrt(
            std::max(l2_ * (1.0 + r), rounding * static_cast<double>(n + 1) * norm2));
        trace_ += l2_ + norm2;
        for (size_t o = 0; o < z_.size(); ++o) advance(v[o], l_.data(), s, z_[o]);
        factor_.append(l_.data(), s);
    }

    void add_output(const Numbers& v) {
        z_.emplace_back();
        for (size_t i = 0; i < n(); ++i) {
            const Numbers row = factor_.row(i);
            advance(v, row.data(), row[i], z_.back());
        }
    }

    // alpha = L^-T z
    void solve_for(size_t output, Numbers& alpha) const {
        alpha = z_[output];
        factor_.backward(alpha.data());
    }

  private:
    // The next element of z = L^-1 v, from the next row of L. Always in this order, which gives a
    // loaded model the same bits.
    static void advance(const Numbers& v, const double* l, double s, Numbers& z) {
        double rest = v[z.size()];
        for (size_t i = 0; i < z.size(); ++i) rest -= l[i] * z[i];
        z.push_back(rest / s);
    }

    double l2_;
    CholeskyFactor factor_;
    std::vector<Numbers> z_;  // L^-1 v
    Numbers l_;
    double trace_ = 0.0;  // of B
};

}  // namespace river_hier
