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

    void scores(Visit& visit, double* scores) override {
        settle(visit.instances);
        times_alpha(visit, scores);
    }

    void signs(Visit& visit, double* scores) override {
        settle(visit.instances);
        if (!explicit_scores(visit, scores)) times_alpha(visit, scores);
    }

    double solve(Visit& visit) override {
        catch_up(visit.instances);
        return solve_(visit);
    }

    void store(Visit& visit, const double* labels, double r) override {
        remember(visit, labels);
        grow(visit.x.norm2, r);
        // At once, while the factor is still in the cache.
        back();
    }

    // Nobody asks for r here, so the work can wait until somebody asks for something.
    void append(Visit& visit, const double* labels) override { remember(visit, labels); }

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
        for (Numbers& z : z_) z.clear();
        catch_up(instances);
    }

    // The next row of the factor; its instance has been remembered.
    void append_row(const double* l, double s) {
        for (size_t o = 0; o < m_; ++o) advance(o, l, s);
        factor.append(l, s);
        fresh_ = false;
    }

    // Bring in the instances that wait.
    void catch_up(const Instances& instances) {
        if (factor.n() == n()) return;
        Numbers dense(instances.n_features(), 0.0);
        while (factor.n() < n()) {
            const size_t i = factor.n();
            const Vector x = instances.vector(ids[i]);
            for (size_t j = 0; j < x.size(); ++j) dense[x.rows[j]] = x.values[j];
            l_.resize(i);
            for (size_t k = 0; k < i; ++k) l_[k] = instances.dot(ids[k], dense.data());
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

    double solve_(Visit& visit) {
        l_ = gather(visit);
        return reduce(visit.x.norm2);
    }

    // l = L^-1 S^T x, and r.
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
    Numbers l_;  // of the last solve
    bool fresh_ = false;
};

}  // namespace river_hier
