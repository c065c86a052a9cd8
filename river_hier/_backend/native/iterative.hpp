// Regularised least squares in dual variables, by conjugate gradients: no matrix at all.
#pragma once

#include <algorithm>
#include <cmath>

#include "dual.hpp"

namespace river_hier {

// A solve walks over the stored instances some ten times, O(their nonzeros) each time, and memory
// is O(n). Signs are exact all the same: an error bound tells when to stop.
class Iterative : public Dual {
  public:
    // Carry on from a factor that has become too large.
    explicit Iterative(Dual& dual) : Dual(dual.n_outputs(), dual.l2()) {
        ids = std::move(dual.ids);
        ones = std::move(dual.ones);
        v = std::move(dual.v);
        alpha = std::move(dual.alpha);
        w0 = std::move(dual.w0);
        for (Numbers& a : alpha) a.resize(n(), 0.0);
    }

    ~Iterative() override;

    void scores(Visit& visit, double* scores) override {
        settle(visit.instances);
        times_alpha(visit, scores);
    }

    void signs(Visit& visit, double* scores) override {
        if (settled_) return this->scores(visit, scores);
        gather(visit);
        // |k . (alpha* - alpha)| <= |B^-1 k| |residual|, and |B^-1 k| is at most this:
        double length2 = 0.0;
        for (double k : k_) length2 += k * k;
        const double most =
            std::min(std::sqrt(visit.x.norm2 / l2_), std::sqrt(length2) / l2_);
        for (size_t o = 0; o < m_; ++o)
            gradients(visit.instances, v[o], alpha[o], tight, [&](double residual) {
                double score = prior(visit.x, o);
                for (size_t i = 0; i < n(); ++i) score += k_[i] * alpha[o][i];
                scores[o] = score;
                return std::fabs(score) > certain * most * residual;
            });
    }

    double solve(Visit& visit) override {
        gather(visit);
        g_.assign(n(), 0.0);
        gradients(visit.instances, k_, g_, loose, [](double) { return false; });
        double kg = 0.0;
        for (size_t i = 0; i < n(); ++i) kg += k_[i] * g_[i];
        return std::max(0.0, (visit.x.norm2 - kg) / l2_);
    }

    void store(Visit& visit, const double* labels, double r) override {
        settle(visit.instances);
        for (size_t o = 0; o < m_; ++o) {
            double score = prior(visit.x, o);
            for (size_t i = 0; i < n(); ++i) score += k_[i] * alpha[o][i];
            const double last = (labels[o] - score) / (l2_ * (1.0 + r));
            for (size_t i = 0; i < n(); ++i) alpha[o][i] -= last * g_[i];
            alpha[o].push_back(last);
        }
        remember(visit, labels);
        settled_ = n() % (1 + n() / some) != 0;
    }

    void append(Visit& visit, const double* labels) override {
        remember(visit, labels);
        for (Numbers& a : alpha) a.push_back(0.0);
        settled_ = false;
    }

    [[gnu::cold]] void add_outputs(size_t n) override {
        for (size_t o = 0; o < n; ++o) {
            v.push_back(minus(ones));
            alpha.emplace_back(this->n(), 0.0);
        }
        m_ += n;
        changed();
        settled_ = false;
    }

  protected:
    void settle(const Instances& instances) override {
        if (settled_) return;
        for (size_t o = 0; o < m_; ++o)
            gradients(instances, v[o], alpha[o], tight, [](double) { return false; });
        settled_ = true;
    }

  private:
    static constexpr double loose = 1e-3;     // of a residual to its right-hand side, in a step
    // After 1 + n / some such steps alpha is solved for tightly, so that their errors do not add up.
    static constexpr size_t some = 64;
    static constexpr double tight = 1e-10;    // where scores are asked for
    static constexpr double certain = 1.001;  // the residual itself is known to some digits

    // Improve a until B a = b, or until `enough(|residual|)`.
    template <class Enough>
    void gradients(const Instances& instances, const Numbers& b, Numbers& a, double tolerance,
                   Enough enough) {
        const size_t n = this->n();
        Numbers residual(n), direction(n), image(n);
        times_B(instances, a, image);
        double rr = 0.0, bb = 0.0;
        for (size_t i = 0; i < n; ++i) {
            direction[i] = residual[i] = b[i] - image[i];
            rr += residual[i] * residual[i];
            bb += b[i] * b[i];
        }
        // In exact arithmetic n steps suffice.
        for (size_t step = 0; step < 2 * n + 10; ++step) {
            if (enough(std::sqrt(rr)) || rr <= tolerance * tolerance * bb) return;
            times_B(instances, direction, image);
            double curvature = 0.0;
            for (size_t i = 0; i < n; ++i) curvature += direction[i] * image[i];
            const double length = rr / curvature;
            double next = 0.0;
            for (size_t i = 0; i < n; ++i) {
                a[i] += length * direction[i];
                residual[i] -= length * image[i];
                next += residual[i] * residual[i];
            }
            for (size_t i = 0; i < n; ++i)
                direction[i] = residual[i] + next / rr * direction[i];
            rr = next;
        }
    }

    // image = l2 a + S^T S a
    void times_B(const Instances& instances, const Numbers& a, Numbers& image) {
        dense_.assign(instances.n_features(), 0.0);
        for (size_t i = 0; i < n(); ++i)
            if (a[i] != 0.0) instances.add_to(ids[i], a[i], dense_.data());
        for (size_t i = 0; i < n(); ++i)
            image[i] = l2_ * a[i] + instances.dot(ids[i], dense_.data());
    }

    Numbers g_, dense_;
    bool settled_ = false;
};

}  // namespace river_hier
