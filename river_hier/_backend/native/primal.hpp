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
        : l2_(l2), w_(m) {
        add_features(d);
        total_.assign(total, total + d);
        for (size_t i = 0; i < d; ++i) {
            for (size_t o = 0; o < m; ++o) w_[o][i] = w[i * m + o];
            for (size_t j = i; j < d; ++j) inverse_.set(i, j, inverse[i * d + j]);
        }
    }

    ~Primal() override;

    Primal* primal() override { return this; }

    size_t n_outputs() const override { return w_.size(); }
    size_t d() const { return inverse_.size(); }

    void scores(Visit& visit, double* scores) override {
        const Vector& x = visit.x;
        const bool all = spread(visit);
        for (const Numbers& w : w_) {
            double score = 0.0;
            if (all) score = loops.dot(x_.data(), w.data(), w.size());
            for (size_t j = 0; !all && j < x.size() && x.rows[j] < d(); ++j)
                score += x.values[j] * w[x.rows[j]];
            *scores++ = score;
        }
    }

    double solve(Visit& visit) override {  // u = A^-1 x
        const Vector& x = visit.x;
        double r = 0.0, rest = visit.unknown2;
        if (spread(visit)) {
            inverse_.multiply(x_.data(), u_.data());
            r = loops.dot(x_.data(), u_.data(), u_.size());
        } else {
            std::fill(u_.begin(), u_.end(), 0.0);
            for (size_t j = 0; j < x.size() && x.rows[j] < d(); ++j)
                inverse_.add_column(x.rows[j], x.values[j], u_.data());
            for (size_t j = 0; j < x.size() && x.rows[j] < d(); ++j)
                r += x.values[j] * u_[x.rows[j]];
        }
        for (size_t j = x.size(); j-- > 0 && x.rows[j] >= d();) rest += x.values[j] * x.values[j];
        return std::max(0.0, r) + rest / l2_;  // on features that A has not met, A is l2 I
    }

    void store(Visit& visit, const double* v, double r) override {
        const Vector& x = visit.x;
        const size_t met = size_t{1} + x.rows.back();
        if (met > d()) {
            add_features(met);
            r = solve(visit);
        }
        step_.resize(w_.size());
        scores(visit, step_.data());
        for (size_t o = 0; o < w_.size(); ++o)
            loops.add((v[o] - step_[o]) / (1.0 + r), u_.data(), u_.size(), w_[o].data());
        const double shrink = 1.0 / std::sqrt(1.0 + r);
        for (double& u : u_) u *= shrink;
        inverse_.subtract(u_);  // Sherman and Morrison's formula
        for (size_t j = 0; j < x.size(); ++j) total_[x.rows[j]] += x.values[j];
    }

    void append(Visit& visit, const double* v) override { store(visit, v, solve(visit)); }

    [[gnu::cold]] void add_outputs(size_t n) override {
        Numbers w(inverse_.whole(), 0.0);
        for (size_t i = 0; i < d(); ++i)
            for (size_t k = 0; k < d(); ++k) w[i] -= inverse_.at(i, k) * total_[k];
        w_.insert(w_.end(), n, w);
    }

    Numbers weights(const Instances&, size_t n_features) override {
        const size_t m = w_.size();
        Numbers w(n_features * m, 0.0);
        for (size_t o = 0; o < m; ++o)
            for (size_t i = 0; i < std::min(d(), n_features); ++i) w[i * m + o] = w_[o][i];
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
        for (Numbers& w : w_) w.resize(inverse_.whole(), 0.0);
        total_.resize(d, 0.0);
        u_.assign(inverse_.whole(), 0.0);
        x_.assign(inverse_.whole(), 0.0);
        visit_ = 0;
    }

    // Write x out, if it is dense. Returns whether it is.
    bool spread(const Visit& visit) {
        const Vector& x = visit.x;
        if (lanes<double> * x.size() < d()) return false;
        if (visit_ != visit.number_of_visit) {
            const bool whole = x.rows.back() < x.size();  // all features up to the last one
            const size_t n = whole ? std::min(x.size(), d()) : 0;
            std::fill(std::copy_n(x.values.begin(), n, x_.begin()), x_.end(), 0.0);
            for (size_t j = n; j < x.size() && x.rows[j] < d(); ++j) x_[x.rows[j]] = x.values[j];
        }
        visit_ = visit.number_of_visit;
        return true;
    }

    double l2_;
    Symmetric inverse_;
    std::vector<Numbers> w_;  // an output each, in whole cache lines
    Numbers total_;
    Numbers u_, x_, step_;  // u of the last solve, and scratch
    uint64_t visit_ = 0;    // the one that x_ is of
};

}  // namespace river_hier
