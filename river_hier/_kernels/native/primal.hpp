// Regularised least squares in primal variables: for more instances than features.
#pragma once

#include <algorithm>
#include <cmath>

#include "solver.hpp"
#include "symmetric.hpp"

namespace river_hier {

// `w = A^-1 S v` with the inverse of `A = l2 I + S S^T`. d features take O(d^2) memory and a step
// O(d^2), however many instances have been stored.
class Primal : public Solver {
  public:
    // The inverse (d, d), w (d, m) and S 1 (d) of d features.
    Primal(double l2, size_t d, size_t m, const double* inverse, const double* w,
           const double* total)
        : l2_(l2), m_(m) {
        add_features(d);
        w_.assign(w, w + d * m);
        total_.assign(total, total + d);
        for (size_t i = 0; i < d; ++i)
            for (size_t j = i; j < d; ++j) inverse_.set(i, j, inverse[i * d + j]);
    }

    ~Primal() override;

    size_t n_outputs() const override { return m_; }
    size_t d() const { return inverse_.size(); }

    void scores(Visit& visit, double* scores) override {
        const Vector& x = visit.x;
        for (size_t o = 0; o < m_; ++o) {
            double sums[4] = {};  // as each addition waits for the one before
            for (size_t j = 0; j < x.size(); ++j)
                if (x.rows[j] < d()) sums[j % 4] += x.values[j] * w_[x.rows[j] * m_ + o];
            scores[o] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
    }

    double solve(Visit& visit) override {  // u = A^-1 x
        const Vector& x = visit.x;
        double norm2 = 0.0;
        std::fill(u_.begin(), u_.end(), 0.0);
        if (lanes<double> * x.size() < d()) {
            for (size_t j = 0; j < x.size(); ++j)
                if (x.rows[j] < d()) inverse_.add_column(x.rows[j], x.values[j], u_.data());
        } else {
            std::fill(x_.begin(), x_.end(), 0.0);
            for (size_t j = 0; j < x.size(); ++j)
                if (x.rows[j] < d()) x_[x.rows[j]] = x.values[j];
            inverse_.multiply(x_.data(), u_.data());
        }
        double r = 0.0;
        for (size_t j = 0; j < x.size(); ++j)
            if (x.rows[j] < d()) {
                r += x.values[j] * u_[x.rows[j]];
                norm2 += x.values[j] * x.values[j];
            }
        // On features that A has not met, A is l2 I.
        return std::max(0.0, r) + std::max(0.0, x.norm2 - norm2) / l2_;
    }

    void store(Visit& visit, const double* v, double r) override {
        const Vector& x = visit.x;
        const size_t met = 1 + *std::max_element(x.rows.begin(), x.rows.end());
        if (met > d()) {
            add_features(met);
            r = solve(visit);
        }
        step_.resize(m_);
        scores(visit, step_.data());
        for (size_t o = 0; o < m_; ++o) step_[o] = (v[o] - step_[o]) / (1.0 + r);
        for (size_t i = 0; i < d(); ++i)
            for (size_t o = 0; o < m_; ++o) w_[i * m_ + o] += u_[i] * step_[o];
        const double shrink = 1.0 / std::sqrt(1.0 + r);
        for (size_t i = 0; i < d(); ++i) u_[i] *= shrink;
        inverse_.subtract(u_.data());  // Sherman and Morrison's formula
        for (size_t j = 0; j < x.size(); ++j) total_[x.rows[j]] += x.values[j];
    }

    void append(Visit& visit, const double* v) override { store(visit, v, solve(visit)); }

    [[gnu::cold]] void add_outputs(size_t n) override {
        Numbers w;
        for (size_t i = 0; i < d(); ++i) {
            const auto row = w_.begin() + static_cast<std::ptrdiff_t>(i * m_);
            w.insert(w.end(), row, row + static_cast<std::ptrdiff_t>(m_));
            double sum = 0.0;
            for (size_t k = 0; k < d(); ++k) sum += inverse_.at(i, k) * total_[k];
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
        for (size_t i = 0; i < d(); ++i)
            for (size_t j = 0; j < d(); ++j) inverse.push_back(inverse_.at(i, j));
        return inverse;
    }

    const Numbers& total() const { return total_; }

  private:
    void add_features(size_t d) {
        inverse_.grow(d, 1.0 / l2_);
        w_.resize(d * m_, 0.0);
        total_.resize(d, 0.0);
        u_.assign(inverse_.whole(), 0.0);
        x_.assign(inverse_.whole(), 0.0);
    }

    double l2_;
    size_t m_;
    Symmetric inverse_;
    Numbers w_, total_;
    Numbers u_, x_, step_;  // u of the last solve, and scratch
};

}  // namespace river_hier
