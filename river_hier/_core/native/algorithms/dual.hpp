// Regularised least squares in dual variables: for fewer instances than features.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "algorithms/cholesky_factor.hpp"
#include "algorithms/conjugate_gradients.hpp"
#include "algorithms/dual_output.hpp"
#include "algorithms/example_context.hpp"

namespace river_hier {

// w = w0 + S alpha with B alpha = v - S^T w0 and B = l2 I + S^T S, for several outputs (nodes) over
// the same instances S. Solved by a Cholesky factor, in O(n^2) memory and time; or, where there is no
// memory for one, by conjugate gradients: a solve then walks over the stored instances some ten times,
// and memory is O(n).
//
// What is stored is what defines w; the rest is computed when it is needed, and again if memory ran out
// meanwhile. Learning can be undone by `truncate`.
class Dual {
  public:
    Dual(size_t n_outputs, double l2) : outputs(n_outputs), l2_(l2), factor_(std::in_place) {}

    Ids ids;       // of the instances, in order
    Numbers ones;  // S ones is the sum of all instances that w has seen
    std::vector<DualOutput> outputs;

    size_t n() const { return ids.size(); }
    bool has_factor() const { return factor_.has_value(); }

    size_t memory() const {
        size_t bytes = heap_bytes(ids) + heap_bytes(ones) + heap_bytes(g_) + heap_bytes(k_) +
                       allocated(outputs.capacity() * sizeof(DualOutput));
        for (const DualOutput& of : outputs) bytes += of.memory();
        return factor_ ? bytes + factor_->memory() : bytes;
    }

    // Change to conjugate gradients.
    void drop_factor() {
        factor_.reset();
        for (DualOutput& of : outputs) of.z = Numbers();
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
        if (first && !ready_ && (factor_ || outputs.size() > 1) && scores_from_solve(context, scores))
            return;
        update_alpha(context.instances());
        if (n_predictions_ > patience && !explicit_) make_explicit(context.instances());
        if (!explicit_ || !scores_from_weights(context.x(), scores)) scores_from_alpha(context, scores);
    }

    // r = x^T A^-1 x with A = l2 I + S S^T; also g = L^-1 k or, to a tolerance, B^-1 k for k = S^T x.
    double solve(ExampleContext& context, double tolerance = loose) {
        if (solved_ == context.id() && tolerance_ <= tolerance) return r_;
        solved_ = 0;
        if (factor_) complete_factor(context.instances());
        const Numbers& k = dots(context);
        if (factor_) {
            g_ = k;
            factor_->forward(g_);
        } else {
            g_.assign(n(), 0.0);
            conjugate_gradients(context.instances(), ids, l2_, k, g_, tolerance);
        }
        r_ = std::max(0.0, (context.x().norm2 - product(factor_ ? g_ : k, g_)) / l2_);
        tolerance_ = factor_ ? 0.0 : tolerance;
        solved_ = context.id();
        return r_;
    }

    // Adds x with label(o) for output o. What was solved for x is not solved again. If `eagerly`, the
    // next solution is computed while the factor is in the processor's cache.
    template <class Label>
    void store(ExampleContext& context, Label label, bool eagerly) {
        make_room(ids);
        make_room(ones);
        for (DualOutput& of : outputs) {
            make_room(of.v);
            make_room(of.alpha);
        }
        const bool solved = solved_ == context.id(), improve = solved && ready_ && !factor_;
        const auto v = [&](size_t o) { return label(o) - outputs[o].prior_score(context.x()); };
        if (solved && factor_) append(context.x().norm2, v);
        for (size_t o = 0; o < outputs.size(); ++o) {
            Numbers& alpha = outputs[o].alpha;
            const double last = improve ? (v(o) - product(alpha, k_)) / (l2_ * (1.0 + r_)) : 0.0;
            for (size_t i = 0; improve && i < n(); ++i) alpha[i] -= last * g_[i];
            if (improve) alpha.push_back(last);
            outputs[o].v.push_back(v(o));
        }
        ids.push_back(context.example.number);
        ones.push_back(context.root());
        changed();
        ready_ = improve && n() % (1 + n() / some) != 0;
        if (eagerly && factor_) update_alpha(context.instances());
    }

    // Forgets all instances but the first n, as if they had never been stored.
    void truncate(size_t n) {
        ids.resize(n);
        ones.resize(n);
        for (DualOutput& of : outputs) of.truncate(n);
        if (factor_) factor_->truncate(n);
        changed();
    }

    // More outputs, whose labels were -1 on every instance so far.
    void add_outputs(size_t count) {
        DualOutput off;
        for (double one : ones) off.v.push_back(-one);
        if (!outputs.empty()) off.w0.resize(outputs[0].w0.size(), 0.0);
        for (size_t i = 0; factor_ && i < factor_->n(); ++i)
            off.append_z(off.v[i], factor_->row(i), factor_->diagonal(i));
        std::vector<DualOutput> more(count, off);
        make_room(outputs, count);
        std::move(more.begin(), more.end(), std::back_inserter(outputs));
        changed();
    }

    // Removes all outputs but the first n.
    void keep_outputs(size_t n) {
        if (n >= outputs.size()) return;
        outputs.erase(outputs.begin() + n, outputs.end());
        changed();
    }

    // The w of every output.
    std::vector<Numbers> weights(const Instances& instances, size_t n_features) {
        update_alpha(instances);
        std::vector<Numbers> all;
        for (const DualOutput& of : outputs)
            all.push_back(of.weights(instances, ids, n_features));
        return all;
    }

    // The same system without the `count` oldest instances. w stays as it is: from now on it is
    // regularised towards their contribution, which moves into w0. A new factor takes O(n^3), once in
    // n / 2 steps.
    Dual without_oldest(size_t count, const Instances& instances, size_t n_features) {
        update_alpha(instances);
        Dual left(outputs.size(), l2_);
        left.ids.assign(ids.begin() + count, ids.end());
        left.ones.assign(ones.begin() + count, ones.end());
        for (size_t o = 0; o < outputs.size(); ++o)
            left.outputs[o] = outputs[o].without_oldest(count, instances, ids, n_features);
        if (factor_)
            left.complete_factor(instances);
        else
            left.drop_factor();
        return left;
    }

  private:
    // Tolerances of conjugate gradients, relative to the right-hand side.
    static constexpr double loose = 1e-3;   // in a step
    static constexpr double tight = 1e-10;  // for scores
    // After 1 + n / some loose steps alpha is solved for tightly, so that errors do not add up.
    static constexpr size_t some = 64;
    static constexpr size_t patience = 16;  // predictions in a row, after which an explicit w pays off
    // What a squared norm loses to rounding in a solve, for each instance; a generous bound.
    static constexpr double rounding = 1e-14;

    // Appends the x of the last solve to the factor; its v(o) is that of output o.
    template <class V>
    void append(double norm2, V v) {
        const double count = static_cast<double>(factor_->n() + 1);
        // The new diagonal element; where l2 is lost in rounding, what rounding leaves of it.
        const double s = std::sqrt(std::max(l2_ * (1.0 + r_), rounding * count * norm2));
        for (DualOutput& of : outputs) make_room(of.z);
        factor_->append(g_.data(), s);  // the last that may fail
        for (size_t o = 0; o < outputs.size(); ++o)
            outputs[o].append_z(v(o), g_.data(), s);
    }

    // Factors the instances that were stored without being solved for.
    void complete_factor(const Instances& instances) {
        if (factor_->n() == n()) return;
        ready_ = false;
        solved_ = 0;
        Numbers dense(instances.n_features(), 0.0);
        for (size_t i; (i = factor_->n()) < n();) {
            instances.each(ids[i], [&](uint32_t row, double value) { dense[row] = value; });
            g_.resize(i);
            for (size_t j = 0; j < i; ++j) g_[j] = instances.dot(ids[j], dense.data());
            instances.each(ids[i], [&](uint32_t row, double) { dense[row] = 0.0; });
            factor_->forward(g_);
            const double norm2 = instances.norm2(ids[i]);
            r_ = std::max(0.0, (norm2 - product(g_, g_)) / l2_);
            append(norm2, [&](size_t o) { return outputs[o].v[i]; });
        }
    }

    void update_alpha(const Instances& instances) {
        if (ready_) return;
        if (factor_) complete_factor(instances);
        for (DualOutput& of : outputs) {
            if (factor_) {
                of.alpha = of.z;
                factor_->backward(of.alpha);
            } else {
                of.alpha.resize(n(), 0.0);
                conjugate_gradients(instances, ids, l2_, of.v, of.alpha, tight);
            }
        }
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

    void scores_from_alpha(ExampleContext& context, double* scores) {
        const Numbers& k = dots(context);
        for (const DualOutput& of : outputs) *scores++ = of.score(context.x(), k);
    }

    // w . x as (L^-1 k) . z or (B^-1 k) . v, by one solve for all outputs, which the next step can take
    // over. False if the errors could matter to a sign.
    bool scores_from_solve(ExampleContext& context, double* scores) {
        solve(context, tight);
        double trace = 0.0;  // of B
        for (uint32_t id : ids) trace += l2_ + context.instances().norm2(id);
        // |B^-1 k| <= |L^-1 k| / sqrt(l2) and |alpha| <= |z| / sqrt(l2); B's eigenvalues are at least l2
        const double error = factor_ ? rounding * static_cast<double>(n()) * trace / l2_ : 4.0 * tight / l2_;
        const Numbers& left = factor_ ? g_ : k_;
        for (size_t o = 0; o < outputs.size(); ++o) {
            const Numbers& right = factor_ ? outputs[o].z : outputs[o].v;
            const double prior = outputs[o].prior_score(context.x());
            scores[o] = prior + product(g_, right);
            if (std::fabs(scores[o]) <= error * std::sqrt(product(left, left) * product(right, right)) +
                                            rounding * std::fabs(prior))
                return false;
        }
        return true;
    }

    void make_explicit(const Instances& instances) {
        size_ = 0.0;
        for (DualOutput& of : outputs) {
            size_ += of.size(instances, ids);
            of.w = of.weights(instances, ids, instances.n_features());
        }
        explicit_ = true;
    }

    // False if rounding could matter to a sign.
    bool scores_from_weights(const Vector& x, double* scores) const {
        const double error = 1e-15 * static_cast<double>(n() + x.size()) * size_ * std::sqrt(x.norm2);
        for (size_t o = 0; o < outputs.size(); ++o) {
            scores[o] = x.dot(outputs[o].w);
            if (std::fabs(scores[o]) <= error) return false;
        }
        return true;
    }

    // Nothing that was computed holds any more.
    void changed() {
        ready_ = explicit_ = false;
        k_of_ = solved_ = 0;
        n_predictions_ = 0;
        for (DualOutput& of : outputs) of.w = Numbers();
    }

    double l2_;
    std::optional<CholeskyFactor> factor_;
    bool ready_ = false;  // every alpha solves B alpha = v
    bool explicit_ = false;  // every w is there
    double size_ = 0.0;  // bounds what rounding may have added up in each w: the sum of its terms
    size_t n_predictions_ = 0;  // since the last change
    Numbers k_, g_;             // S^T x, and its solution
    double r_ = 0.0;            // x^T A^-1 x
    uint64_t k_of_ = 0, solved_ = 0;  // the examples that k_ and r_ belong to
    double tolerance_ = 0.0;          // of the solution
};

}  // namespace river_hier
