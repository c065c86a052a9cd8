// Regularised least squares in dual variables: for fewer instances than features.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "algorithms/cholesky_solver.hpp"
#include "algorithms/conjugate_gradients.hpp"
#include "algorithms/example_context.hpp"
#include "algorithms/explicit_weights.hpp"

namespace river_hier {

// w = w0 + S alpha with B alpha = v - S^T w0 and B = l2 I + S^T S, for several outputs (nodes) over
// the same instances S. Solved by a Cholesky factor; or, where there is no memory for one, by
// conjugate gradients: a solve then walks over the stored instances some ten times, and memory is
// O(n).
class Dual {
  public:
    Dual(size_t n_outputs, double l2)
        : v(n_outputs), alpha_(n_outputs), l2_(l2), cholesky_(std::in_place, n_outputs, l2) {}

    size_t n() const { return ids.size(); }
    size_t n_outputs() const { return v.size(); }
    bool has_factor() const { return cholesky_.has_value(); }

    // Bytes of the factor of all instances, also if it has not been computed yet.
    size_t factor_bytes() const { return cholesky_ ? CholeskyFactor::bytes(n()) : 0; }

    size_t memory() const {
        size_t bytes = heap_bytes(ids) + heap_bytes(ones) + heap_bytes(v) + heap_bytes(w0) +
                       heap_bytes(alpha_) + heap_bytes(g_) + heap_bytes(k_);
        if (cholesky_) bytes += cholesky_->memory();
        if (explicit_) bytes += explicit_->memory();
        return bytes;
    }

    // Change to conjugate gradients.
    void drop_factor() {
        cholesky_.reset();
        for (Numbers& a : alpha_) a.resize(n(), 0.0);
        changed();
    }

    // w . x of every output.
    void scores(ExampleContext& context, double* scores) {
        update_alpha(context.instances());
        scores_from_alpha(context, scores);
    }

    // The same, where only the signs must be right.
    void signs(ExampleContext& context, double* scores) {
        const bool first = n_predictions_++ == 0;
        if (cholesky_ && first && !ready_ && scores_from_factor(context, scores)) return;
        update_alpha(context.instances());
        if (n_predictions_ > patience && !explicit_) make_explicit(context.instances());
        if (!explicit_ || !explicit_->signs(context.x(), scores)) scores_from_alpha(context, scores);
    }

    // r = x^T A^-1 x with A = l2 I + S S^T.
    double solve(ExampleContext& context) {
        if (solved_ == context.id()) return r_;
        solved_ = 0;
        const double norm2 = context.x().norm2;
        if (cholesky_) {
            complete_factor(context.instances());
            r_ = cholesky_->solve(dots(context), norm2);
        } else {
            const Numbers& k = dots(context);
            g_.assign(n(), 0.0);
            conjugate_gradients(context.instances(), ids, l2_, k, g_, loose);
            double kg = 0.0;
            for (size_t i = 0; i < n(); ++i) kg += k[i] * g_[i];
            r_ = std::max(0.0, (norm2 - kg) / l2_);
        }
        solved_ = context.id();
        return r_;
    }

    // Adds x with its labels while the factor is still in the processor's cache. If `lazily`, what has
    // not been solved for x is solved when it is needed.
    void store(ExampleContext& context, const double* labels, bool lazily) {
        make_room(ids);  // first all that may fail
        make_room(ones);
        for (Numbers& of_one : v) make_room(of_one);
        for (Numbers& a : alpha_) make_room(a);
        if (!lazily) solve(context);
        const bool solved = solved_ == context.id();
        if (!cholesky_ && solved) return store_by_gradients(context, labels);
        remember(context, labels);
        if (solved) cholesky_->append(context.x().norm2, r_, v);
        if (!cholesky_)
            for (Numbers& a : alpha_) a.push_back(0.0);
        if (!lazily) update_alpha(context.instances());
    }

    // More outputs, whose labels were -1 on every instance so far.
    void add_outputs(size_t count) {
        Numbers labels;
        for (double one : ones) labels.push_back(-one);
        v.resize(n_outputs() + count, labels);
        alpha_.resize(n_outputs(), Numbers(n(), 0.0));
        if (!w0.empty()) w0.resize(n_outputs());
        for (size_t o = n_outputs() - count; cholesky_ && o < n_outputs(); ++o)
            cholesky_->add_output(v[o]);
        changed();
    }

    // The w of every output.
    std::vector<Numbers> weights(const Instances& instances, size_t n_features) {
        update_alpha(instances);
        std::vector<Numbers> w = w0;
        w.resize(n_outputs());
        for (size_t o = 0; o < n_outputs(); ++o) {
            w[o].resize(n_features, 0.0);
            for (size_t i = 0; i < n(); ++i) instances.add_to(ids[i], alpha_[o][i], w[o].data());
        }
        return w;
    }

    // Forgets the `count` oldest instances. w stays as it is: from now on it is regularised towards
    // their contribution, which moves into w0. A new factor takes O(n^3), once in n / 2 steps.
    void forget(size_t count, const Instances& instances, size_t n_features) {
        update_alpha(instances);
        const auto drop = [count](auto& list) { list.erase(list.begin(), list.begin() + count); };
        w0.resize(n_outputs());
        for (size_t o = 0; o < n_outputs(); ++o) {
            Numbers contribution(n_features, 0.0);
            for (size_t i = 0; i < count; ++i)
                instances.add_to(ids[i], alpha_[o][i], contribution.data());
            for (size_t i = count; i < n(); ++i)
                v[o][i] -= instances.dot(ids[i], contribution.data());
            drop(v[o]);
            drop(alpha_[o]);
            w0[o].resize(n_features, 0.0);
            for (size_t j = 0; j < n_features; ++j) w0[o][j] += contribution[j];
        }
        drop(ids);
        drop(ones);
        if (!cholesky_) return;
        cholesky_.emplace(n_outputs(), l2_);
        changed();
        complete_factor(instances);
    }

    std::vector<uint32_t> ids;  // numbers of the instances
    Numbers ones;               // S ones is the sum of all instances that w has seen
    std::vector<Numbers> v;     // labels less S^T w0, for each output
    std::vector<Numbers> w0;    // for each output; empty if nothing was forgotten

  private:
    // Tolerances of conjugate gradients, relative to the right-hand side.
    static constexpr double loose = 1e-3;   // in a step
    static constexpr double tight = 1e-10;  // for scores
    // After 1 + n / some loose steps alpha is solved for tightly, so that errors do not add up.
    static constexpr size_t some = 64;
    static constexpr size_t patience = 16;  // predictions in a row, after which an explicit w pays off

    // Factors what was stored lazily.
    void complete_factor(const Instances& instances) {
        if (cholesky_->n() == n()) return;
        cholesky_->complete(instances, ids, v);
        ready_ = false;
        solved_ = 0;
    }

    void update_alpha(const Instances& instances) {
        if (ready_) return;
        if (cholesky_) complete_factor(instances);
        for (size_t o = 0; o < n_outputs(); ++o)
            if (cholesky_)
                cholesky_->solve_for(o, alpha_[o]);
            else
                conjugate_gradients(instances, ids, l2_, v[o], alpha_[o], tight);
        ready_ = true;
    }

    // k = S^T x
    const Numbers& dots(ExampleContext& context) {
        if (k_of_ == context.id()) return k_;
        k_of_ = 0;
        context.dots(ids, k_);
        k_of_ = context.id();
        return k_;
    }

    double prior_score(const Vector& x, size_t output) const {
        return w0.empty() ? 0.0 : x.dot(w0[output]);
    }

    void scores_from_alpha(ExampleContext& context, double* scores) {
        const Numbers& k = dots(context);
        for (size_t o = 0; o < n_outputs(); ++o) {
            scores[o] = prior_score(context.x(), o);
            for (size_t i = 0; i < n(); ++i) scores[o] += alpha_[o][i] * k[i];
        }
    }

    // w . x as l . z, by one solve for all outputs, which the next step can take over. False if
    // rounding could matter to a sign.
    bool scores_from_factor(ExampleContext& context, double* scores) {
        solve(context);
        const Numbers& l = cholesky_->l();
        double length2 = 0.0;
        for (double number : l) length2 += number * number;
        for (size_t o = 0; o < n_outputs(); ++o) {
            const Numbers& z = cholesky_->z(o);
            const double prior = prior_score(context.x(), o);
            double sum = 0.0, size2 = 0.0;
            for (size_t i = 0; i < n(); ++i) {
                sum += l[i] * z[i];
                size2 += z[i] * z[i];
            }
            scores[o] = prior + sum;
            // |B^-1 k| <= |l| / sqrt(l2) and |alpha| <= |z| / sqrt(l2)
            if (std::fabs(scores[o]) <= cholesky_->error() * std::sqrt(length2 * size2) +
                                            CholeskySolver::rounding * std::fabs(prior))
                return false;
        }
        return true;
    }

    void make_explicit(const Instances& instances) {
        double size = 0.0;
        for (size_t o = 0; o < n_outputs(); ++o) {
            for (size_t i = 0; i < n(); ++i)
                size += std::fabs(alpha_[o][i]) * std::sqrt(instances.norm2(ids[i]));
            if (!w0.empty())
                for (double w : w0[o]) size += std::fabs(w);
        }
        explicit_.emplace(weights(instances, instances.n_features()), n(), size);
    }

    void store_by_gradients(ExampleContext& context, const double* labels) {
        update_alpha(context.instances());
        Numbers scores(n_outputs());
        scores_from_alpha(context, scores.data());
        for (size_t o = 0; o < n_outputs(); ++o) {
            const double last = (labels[o] - scores[o]) / (l2_ * (1.0 + r_));
            for (size_t i = 0; i < n(); ++i) alpha_[o][i] -= last * g_[i];
            alpha_[o].push_back(last);
        }
        remember(context, labels);
        ready_ = n() % (1 + n() / some) != 0;
    }

    void remember(ExampleContext& context, const double* labels) {
        ids.push_back(context.example.number);
        ones.push_back(context.root());
        for (size_t o = 0; o < n_outputs(); ++o)
            v[o].push_back(labels[o] - prior_score(context.x(), o));
        changed();
    }

    // Nothing that was computed holds any more.
    void changed() {
        ready_ = false;
        k_of_ = solved_ = 0;
        n_predictions_ = 0;
        explicit_.reset();
    }

    std::vector<Numbers> alpha_;  // for each output
    bool ready_ = false;          // alpha_ solves B alpha = v; else conjugate gradients start from it
    double l2_;
    std::optional<CholeskySolver> cholesky_;
    Numbers g_;                      // B^-1 k, by conjugate gradients
    Numbers k_;                      // S^T x
    double r_ = 0.0;                 // x^T A^-1 x
    uint64_t k_of_ = 0, solved_ = 0;  // the examples that k_ and r_ belong to
    size_t n_predictions_ = 0;       // since the last change
    std::optional<ExplicitWeights> explicit_;
};

}  // namespace river_hier
