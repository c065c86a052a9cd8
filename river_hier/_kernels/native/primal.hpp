// Regularised least squares in primal variables: for more instances than features.
#pragma once

#include <algorithm>
#include <cmath>

#include "pages.hpp"
#include "simd.hpp"
#include "solver.hpp"

namespace river_hier {

// matrix -= h h^T, row by row.
RIVER_HIER_WIDE inline void subtract_square(double* const* rows, const double* h, size_t d) {
    const size_t whole = (d + lanes<double> - 1) / lanes<double> * lanes<double>;
    for (size_t i = 0; i < d; ++i) {
        const double minus = -h[i];
        if (minus == 0.0) continue;
        for (size_t j = 0; j < whole; j += lanes<double>) {
            Lanes<double> row, part;
            row.load(rows[i] + j);
            part.load(h + j);
            row.add_product(minus, part);
            row.store(rows[i] + j);
        }
    }
}

// `w = A^-1 S v` with the inverse of `A = l2 I + S S^T`. d features take O(d^2) memory and a step
// O(d^2), however many instances have been stored.
class Primal : public Solver {
  public:
    // The inverse (d, d), w (d, m) and S 1 (d) of d features.
    Primal(double l2, size_t d, size_t m, const double* inverse, const double* w,
           const double* total)
        : l2_(l2), m_(m), w_(w, w + d * m), total_(total, total + d) {
        reserve(d);
        d_ = d;
        for (size_t i = 0; i < d; ++i) std::copy(inverse + i * d, inverse + (i + 1) * d, rows_[i]);
    }

    ~Primal() override;

    size_t n_outputs() const override { return m_; }
    size_t d() const { return d_; }

    void scores(Visit& visit, double* scores) override {
        std::fill(scores, scores + m_, 0.0);
        const Vector& x = visit.x;
        for (size_t j = 0; j < x.size(); ++j)
            if (x.rows[j] < d_)
                for (size_t o = 0; o < m_; ++o) scores[o] += x.values[j] * w_[x.rows[j] * m_ + o];
    }

    double solve(Visit& visit) override {  // u = A^-1 x
        const Vector& x = visit.x;
        met_.clear();
        values_.clear();
        double norm2 = 0.0;
        for (size_t j = 0; j < x.size(); ++j)
            if (x.rows[j] < d_) {
                met_.push_back(rows_[x.rows[j]]);
                values_.push_back(x.values[j]);
                norm2 += x.values[j] * x.values[j];
            }
        sum_rows(met_.data(), values_.data(), met_.size(), 0, d_, u_.data());
        double r = 0.0;
        for (size_t j = 0; j < x.size(); ++j)
            if (x.rows[j] < d_) r += x.values[j] * u_[x.rows[j]];
        // On features that A has not met, A is l2 I.
        return std::max(0.0, r) + std::max(0.0, x.norm2 - norm2) / l2_;
    }

    void store(Visit& visit, const double* v, double r) override {
        const Vector& x = visit.x;
        const size_t d = 1 + *std::max_element(x.rows.begin(), x.rows.end());
        if (d > d_) {
            add_features(d);
            r = solve(visit);
        }
        step_.resize(m_);
        scores(visit, step_.data());
        for (size_t o = 0; o < m_; ++o) step_[o] = (v[o] - step_[o]) / (1.0 + r);
        for (size_t i = 0; i < d_; ++i)
            for (size_t o = 0; o < m_; ++o) w_[i * m_ + o] += u_[i] * step_[o];
        const double shrink = 1.0 / std::sqrt(1.0 + r);
        for (size_t i = 0; i < d_; ++i) u_[i] *= shrink;
        subtract_square(rows_.data(), u_.data(), d_);  // Sherman and Morrison's formula
        for (size_t j = 0; j < x.size(); ++j) total_[x.rows[j]] += x.values[j];
    }

    void append(Visit& visit, const double* v) override { store(visit, v, solve(visit)); }

    void add_outputs(size_t n) override {
        Numbers w;
        for (size_t i = 0; i < d_; ++i) {
            const auto row = w_.begin() + static_cast<std::ptrdiff_t>(i * m_);
            w.insert(w.end(), row, row + static_cast<std::ptrdiff_t>(m_));
            double sum = 0.0;
            for (size_t k = 0; k < d_; ++k) sum += rows_[i][k] * total_[k];
            w.insert(w.end(), n, -sum);
        }
        w_ = std::move(w);
        m_ += n;
    }

    Numbers weights(const Instances&, size_t n_features) override {
        Numbers w = w_;
        w.resize(n_features * m_, 0.0);
        return w;
    }

    Numbers inverse() const {
        Numbers inverse;
        for (size_t i = 0; i < d_; ++i) inverse.insert(inverse.end(), rows_[i], rows_[i] + d_);
        return inverse;
    }

    const Numbers& total() const { return total_; }

  private:
    void add_features(size_t d) {
        if (d > rows_.size()) {
            Pages old = std::move(memory_);
            std::vector<double*> before = rows_;
            reserve(2 * d);
            for (size_t i = 0; i < d_; ++i) std::copy(before[i], before[i] + d_, rows_[i]);
        }
        for (size_t i = d_; i < d; ++i) rows_[i][i] = 1.0 / l2_;
        w_.resize(d * m_, 0.0);
        total_.resize(d, 0.0);
        d_ = d;
    }

    // Rows for up to d features, each padded to whole cache lines of zeros.
    void reserve(size_t d) {
        const size_t stride = (d + lanes<double> - 1) / lanes<double> * lanes<double>;
        memory_ = zeroed(std::max<size_t>(d, 1) * stride * sizeof(double), line);
        rows_.resize(d);
        for (size_t i = 0; i < d; ++i) rows_[i] = static_cast<double*>(memory_.get()) + i * stride;
        u_.assign(stride + lanes<double>, 0.0);
    }

    double l2_;
    size_t d_ = 0, m_;
    Pages memory_;
    std::vector<double*> rows_;
    Numbers w_, total_;
    Numbers u_;  // of the last solve, zero beyond d
    std::vector<const double*> met_;
    Numbers values_, step_;
};

}  // namespace river_hier
