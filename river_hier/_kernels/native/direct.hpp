// Regularised least squares in dual variables, by a Cholesky factor.
#pragma once

#include <algorithm>
#include <cmath>

#include "factor.hpp"
#include "solver.hpp"

namespace river_hier {

// What the two solvers in dual variables share: which instances, their labels, and predictions.
class Dual : public Solver {
  public:
    Dual(size_t n_outputs, double l2) : v(n_outputs), alpha(n_outputs), m_(n_outputs), l2_(l2) {}

    size_t n() const { return ids.size(); }
    size_t n_outputs() const override { return m_; }
    double l2() const { return l2_; }

    Numbers weights(const Instances& instances, size_t n_features) override {
        settle(instances);
        Numbers w(n_features * m_, 0.0), column(n_features);
        for (size_t o = 0; o < m_; ++o) {
            std::fill(column.begin(), column.end(), 0.0);
            if (!w0.empty()) std::copy(w0[o].begin(), w0[o].end(), column.begin());
            for (size_t i = 0; i < n(); ++i) instances.add_to(ids[i], alpha[o][i], column.data());
            for (size_t j = 0; j < n_features; ++j) w[j * m_ + o] = column[j];
        }
        return w;
    }

    // Forget the `count` oldest instances. w stays as it is: it is regularised from now on towards
    // what they had contributed, w0, and v is what w0 leaves of the labels.
    virtual void forget(size_t count, const Instances& instances) {
        settle(instances);
        w0.resize(m_);
        for (size_t o = 0; o < m_; ++o) {
            Numbers part(instances.n_features(), 0.0);
            for (size_t i = 0; i < count; ++i) instances.add_to(ids[i], alpha[o][i], part.data());
            drop(v[o], count);
            drop(alpha[o], count);
            for (size_t i = 0; i < v[o].size(); ++i)
                v[o][i] -= instances.dot(ids[count + i], part.data());
            w0[o].resize(part.size(), 0.0);
            for (size_t j = 0; j < part.size(); ++j) w0[o][j] += part[j];
        }
        ids.erase(ids.begin(), ids.begin() + count);
        drop(ones, count);
    }

    std::vector<uint32_t> ids;   // the numbers of the instances
    Numbers ones;                // 1 for an instance: S ones is their sum
    std::vector<Numbers> v;      // the labels, an output each
    std::vector<Numbers> alpha;  // the dual variables; those of `settle`
    std::vector<Numbers> w0;     // an output each; none as long as nothing was forgotten

  protected:
    // Make alpha right.
    virtual void settle(const Instances& instances) = 0;

    static void drop(Numbers& numbers, size_t count) {
        numbers.erase(numbers.begin(), numbers.begin() + count);
    }

    // w0 . x
    double prior(const Vector& x, size_t o) const {
        if (w0.empty()) return 0.0;
        double sum = 0.0;
        for (size_t j = 0; j < x.size(); ++j)
            if (x.rows[j] < w0[o].size()) sum += x.values[j] * w0[o][x.rows[j]];
        return sum;
    }

    // k = S^T x
    const Numbers& gather(Visit& visit) {
        if (visit_ != visit.number_of_visit || k_.size() != n()) visit.dots(ids, k_);
        visit_ = visit.number_of_visit;
        return k_;
    }

    void times_alpha(Visit& visit, double* scores) {
        const Numbers& k = gather(visit);
        for (size_t o = 0; o < m_; ++o) {
            double sum = prior(visit.x, o);
            for (size_t i = 0; i < n(); ++i) sum += alpha[o][i] * k[i];
            scores[o] = sum;
        }
    }

    // Predictions in a row are better answered by an explicit w, as soon as it pays off: then the
    // dot products with all instances need not be known.
    bool explicit_scores(Visit& visit, double* scores) {
        constexpr size_t patience = 16;
        if (w_.empty()) {
            if (++predictions_ <= patience) return false;
            w_ = weights(visit.instances, visit.instances.n_features());
        }
        std::fill(scores, scores + m_, 0.0);
        const size_t known = w_.size() / m_;
        for (size_t j = 0; j < visit.x.size(); ++j)
            if (visit.x.rows[j] < known)
                for (size_t o = 0; o < m_; ++o)
                    scores[o] += visit.x.values[j] * w_[visit.x.rows[j] * m_ + o];
        return true;
    }

    static Numbers minus(Numbers numbers) {
        for (double& number : numbers) number = -number;
        return numbers;
    }

    void changed() {
        predictions_ = 0;
        w_ = Numbers();
    }

    void remember(Visit& visit, const double* labels) {
        ids.push_back(visit.number());
        ones.push_back(1.0);
        for (size_t o = 0; o < m_; ++o) v[o].push_back(labels[o] - prior(visit.x, o));
        changed();
    }

    size_t m_;
    double l2_;

    Numbers k_;  // of the last visit

  private:
    uint64_t visit_ = 0;
    size_t predictions_ = 0;  // since the last change
    Numbers w_;
};

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

    void add_outputs(size_t n) override {
        for (size_t o = 0; o < n; ++o) {
            v.push_back(minus(ones));
            alpha.emplace_back();
            z_.emplace_back(v.back().begin(), v.back().begin() + factor.n());
            factor.forward(z_.back().data());
        }
        m_ += n;
        changed();
        fresh_ = false;
    }

    // The factor of those that are kept is made anew: O(n^3), once in n / 2 steps.
    void forget(size_t count, const Instances& instances) override {
        Dual::forget(count, instances);
        factor = Factor();
        for (Numbers& z : z_) z.clear();
        catch_up(instances);
    }

    // The next row of the factor; its instance has been remembered.
    void append_row(const double* l, double s) {
        const size_t n = factor.n();
        for (size_t o = 0; o < m_; ++o) {
            double rest = v[o][n];
            for (size_t i = 0; i < n; ++i) rest -= l[i] * z_[o][i];
            z_[o].push_back(rest / s);
        }
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
