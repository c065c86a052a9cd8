// Regularised least squares in dual variables, by a Cholesky factor.
#pragma once

#include <algorithm>
#include <cmath>

#include "dual.hpp"
#include "factor.hpp"

namespace river_hier {

// `B = L L^T`. n instances take O(n^2) memory and a step O(n^2) time. Of the labels
// `z = L^-1 v` is kept, which only grows.
class Direct : public Dual {
  public:
    Direct(size_t n_outputs, double l2) : Dual(n_outputs, l2), z_(n_outputs) {}
    ~Direct() override;

    Direct* direct() override { return this; }

    void scores(Visit& visit, double* scores) override {
        settle(visit.instances);
        times_alpha(visit, scores);
    }

    void signs(Visit& visit, double* scores) override {
        if (first_question() && (!fresh_ || factor.n() < n()) && factor_scores(visit, scores)) return;
        settle(visit.instances);
        if (!explicit_scores(visit, scores)) times_alpha(visit, scores);
    }

    double solve(Visit& visit) override {
        catch_up(visit.instances);
        if (!has_solved(visit)) {
            l_ = gather(visit);
            r_ = reduce(visit.x.norm2);
            solved_ = visit.number_of_visit;
        }
        return r_;
    }

    void store(Visit& visit, const double* labels, double r) override {
        remember(visit, labels);
        grow(visit.x.norm2, r);
        // At once, while the factor is still in the cache.
        back();
    }

    // If x has just been solved for, the factor grows; else the work can wait until somebody asks.
    void append(Visit& visit, const double* labels) override {
        const bool solved = factor.n() == n() && has_solved(visit);
        remember(visit, labels);
        if (solved) grow(visit.x.norm2, r_);
    }

    [[gnu::cold]] void add_outputs(size_t n) override {
        for (size_t o = 0; o < n; ++o) {
            v.push_back(minus(ones));
            alpha.emplace_back();
            z_.emplace_back();
            for (size_t i = 0; i < factor.n(); ++i) {
                const Numbers row = factor.row(i);
                advance(z_.size() - 1, row.data(), row[i]);
            }
        }
        m_ += n;
        changed();
        fresh_ = false;
    }

    // The factor of those that are kept is made anew: O(n^3), once in n / 2 steps.
    void forget(size_t count, const Instances& instances, size_t n_features) override {
        Dual::forget(count, instances, n_features);
        factor = Factor();
        trace_ = 0.0;
        for (Numbers& z : z_) z.clear();
        catch_up(instances);
    }

    // The next row of the factor; its instance has been remembered.
    void append_row(const double* l, double s) {
        for (size_t o = 0; o < m_; ++o) advance(o, l, s);
        trace_ += s * s;
        for (size_t i = 0; i < factor.n(); ++i) trace_ += l[i] * l[i];
        factor.append(l, s);
        fresh_ = false;
    }

    // Bring in the instances that wait.
    void catch_up(const Instances& instances) {
        if (factor.n() == n()) return;
        Numbers dense(instances.n_features(), 0.0);
        solved_ = 0;
        while (factor.n() < n()) {
            const size_t i = factor.n();
            const Vector x = instances.vector(ids[i]);
            for (size_t j = 0; j < x.size(); ++j) dense[x.rows[j]] = x.values[j];
            l_.resize(i);
            for (size_t k = 0; k < i; ++k) l_[k] = instances.dot_in_order(ids[k], dense.data());
            for (uint32_t row : x.rows) dense[row] = 0.0;
            grow(x.norm2, reduce(x.norm2));
        }
    }

    Factor factor;

  protected:
    void settle(const Instances& instances) override {
        catch_up(instances);
        if (!fresh_) back();
    }

  private:
    // Of a squared norm, what a solve loses to rounding for each instance; generously.
    static constexpr double rounding = 1e-14;

    // One row further in L z = v; always in this order, so that a pickle, which has no z, gives the
    // same bits again.
    void advance(size_t o, const double* l, double s) {
        Numbers& z = z_[o];
        double rest = v[o][z.size()];
        for (size_t i = 0; i < z.size(); ++i) rest -= l[i] * z[i];
        z.push_back(rest / s);
    }

    bool has_solved(const Visit& visit) const {
        return solved_ == visit.number_of_visit && l_.size() == factor.n();
    }

    // w . x as l . z, of all outputs by one solve, which the next step can take over. It is the same
    // but for rounding; where that could matter to a sign, it does not answer.
    bool factor_scores(Visit& visit, double* scores) {
        solve(visit);
        double length2 = 0.0;
        for (double l : l_) length2 += l * l;
        for (size_t o = 0; o < m_; ++o) {
            const double before = prior(visit.x, o);
            double sum = 0.0, size2 = 0.0;
            for (size_t i = 0; i < n(); ++i) {
                sum += l_[i] * z_[o][i];
                size2 += z_[o][i] * z_[o][i];
            }
            scores[o] = before + sum;
            // |B^-1 k| <= |l| / sqrt(l2) and |alpha| <= |z| / sqrt(l2), times what B may be off by
            const double off = rounding * static_cast<double>(n()) * trace_;
            if (std::fabs(scores[o]) <=
                off * std::sqrt(length2 * size2) / l2_ + rounding * std::fabs(before))
                return false;
        }
        return true;
    }

    // l := L^-1 l, and r.
    double reduce(double norm2) {
        factor.forward(l_.data());
        double length2 = 0.0;
        for (double l : l_) length2 += l * l;
        return std::max(0.0, (norm2 - length2) / l2_);
    }

    void grow(double norm2, double r) {
        const size_t n = factor.n();
        // The new diagonal element; where l2 is lost in rounding, what rounding leaves of it.
        const double s = std::sqrt(
            std::max(l2_ * (1.0 + r), rounding * static_cast<double>(n + 1) * norm2));
        append_row(l_.data(), s);
    }

    void back() {
        for (size_t o = 0; o < m_; ++o) {
            alpha[o] = z_[o];
            factor.backward(alpha[o].data());
        }
        fresh_ = true;
    }

    std::vector<Numbers> z_;
    Numbers l_;            // of the last solve
    double r_ = 0.0;       // likewise
    uint64_t solved_ = 0;  // the visit that it was for
    double trace_ = 0.0;   // of B
    bool fresh_ = false;
};

}  // namespace river_hier
