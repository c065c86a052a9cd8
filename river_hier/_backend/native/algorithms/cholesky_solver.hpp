// Cholesky factorisation of a symmetric matrix that grows by one row at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hardware/pages.hpp"
#include "hardware/simd.hpp"
#include "store/instances.hpp"

namespace river_hier {

// L with L L^T = B. A new column b of B with diagonal element c gives the new row (l, s) of L, where
// L l = b and s^2 = c - l . l. Unlike the inverse of B, which could be grown as well, the factor
// stays accurate however badly B is conditioned.
//
// A solve reads the n^2 / 2 stored numbers once, row by row.
class CholeskyFactor {
  public:
    size_t n() const { return rows_.size(); }

    static size_t bytes(size_t n) { return n * (n + 1) / 2 * sizeof(double); }

    // Row i up to the diagonal, and the element on it.
    const double* row(size_t i) const { return rows_[i]; }
    double diagonal(size_t i) const { return diagonal_[i]; }

    // y := L^-1 y
    void forward(Numbers& y) const {
        y.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = 0; i < n(); ++i)
            y[i] = (y[i] - loops.dot(rows_[i], y.data(), whole_lines<double>(i))) / diagonal_[i];
        y.resize(n());
    }

    // x := L^-T x
    void backward(Numbers& x) const {
        x.resize(whole_lines<double>(n()), 0.0);
        for (size_t i = n(); i-- > 0;) {
            x[i] /= diagonal_[i];
            loops.add(-x[i], rows_[i], rows_[i ? i - 1 : 0], whole_lines<double>(i), x.data());
        }
        x.resize(n());
    }

    void append(const double* l, double s) {
        make_room(diagonal_);
        rows_.push_back(allocate(whole_lines<double>(n())));
        std::copy(l, l + n() - 1, rows_.back());
        diagonal_.push_back(s);
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

// Solves (l2 I + S^T S) alpha = v for several v. n instances take O(n^2) memory and a step O(n^2).
class CholeskySolver {
  public:
    // What a squared norm loses to rounding in a solve, for each instance; a generous bound.
    static constexpr double rounding = 1e-14;

    CholeskySolver(size_t n_outputs, double l2) : l2_(l2), z_(n_outputs) {}

    size_t n() const { return factor_.n(); }
    const Numbers& l() const { return l_; }
    const Numbers& z(size_t output) const { return z_[output]; }

    size_t memory() const { return factor_.memory() + heap_bytes(z_) + heap_bytes(l_); }

    // A bound for the error of B^-1, relative to B's smallest eigenvalue l2.
    double error() const { return rounding * static_cast<double>(n()) * trace_ / l2_; }

    // l = L^-1 k for k = S^T x. Returns r = x^T A^-1 x = (||x||^2 - l . l) / l2.
    double solve(const Numbers& k, double norm2) {
        l_ = k;
        factor_.forward(l_);
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
        for (Numbers& z : z_) make_room(z);
        factor_.append(l_.data(), s);  // before the rest, as it may throw
        trace_ += l2_ + norm2;
        for (size_t o = 0; o < z_.size(); ++o) advance(v[o], l_.data(), s, z_[o]);
    }

    // Appends those of the instances that are not in the factor yet.
    void complete(const Instances& instances, const std::vector<uint32_t>& ids,
                  const std::vector<Numbers>& v) {
        Numbers dense(instances.n_features(), 0.0), k;
        while (n() < ids.size()) {
            const uint32_t id = ids[n()];
            instances.each(id, [&](uint32_t row, double value) { dense[row] = value; });
            k.resize(n());
            for (size_t i = 0; i < k.size(); ++i) k[i] = instances.dot(ids[i], dense.data());
            instances.each(id, [&](uint32_t row, double) { dense[row] = 0.0; });
            const double r = solve(k, instances.norm2(id));
            append(instances.norm2(id), r, v);
        }
    }

    void add_output(const Numbers& v) {
        z_.emplace_back();
        for (size_t i = 0; i < n(); ++i)
            advance(v, factor_.row(i), factor_.diagonal(i), z_.back());
    }

    // alpha = L^-T z
    void solve_for(size_t output, Numbers& alpha) const {
        alpha = z_[output];
        factor_.backward(alpha);
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
