// Regularised least squares in dual variables: for fewer instances than features, and for kernels.
#pragma once

#include "algorithms/cholesky_factor.hpp"
#include "algorithms/example.hpp"

namespace river_hier {

// w = w0 + S c with B c = y - S^T w0 and B = l2 I + S^T S, for several outputs (nodes) over the same
// instances S. An instance of weight a is the vector sqrt(a) x with the label +-sqrt(a).
//
// A new instance takes O(n^2): it adds a row to the Cholesky factor L of B, and B^-1 S^T x, which L
// gives, is what all c change by. w . x takes O(n). For an example, call `scores` first, then `r`
// and `store`.
class Dual {
  public:
    struct Output {
        Numbers y, c;
        // What w is regularised towards, once a budget has dropped instances; else empty. With a
        // kernel it is a sum over the first instances; then these are its coefficients, and c includes them.
        Numbers w0;
    };

    Dual(double l2, size_t n_outputs) : outputs(n_outputs), l2_(l2) {}

    Ids ids;       // of the instances, in order
    Numbers ones;  // the roots of their weights
    std::vector<Output> outputs;

    size_t n() const { return ids.size(); }
    const CholeskyFactor& factor() const { return factor_; }

    size_t bytes() const {
        size_t bytes = heap_bytes(ids, ones, k_, g_, outputs) + factor_.bytes();
        for (const Output& of : outputs) bytes += heap_bytes(of.y, of.c, of.w0);
        return bytes;
    }

    // w . x of every output.
    void scores(const Example& example, const Instances& instances, double* scores) {
        const Numbers& dots = example.dots(instances);
        k_.resize(n());  // S^T x
        for (size_t i = 0; i < n(); ++i) k_[i] = ids[i] < dots.size() ? ones[i] * dots[ids[i]] : 0.0;
        for (const Output& of : outputs) *scores++ = example.x.dot(of.w0) + product(of.c, k_);
    }

    // r = x^T A^-1 x with A = l2 I + S S^T: l2 r = |x|^2 - |g|^2 with g = L^-1 S^T x.
    double r(const Example& example, const Instances& instances) {
        complete(instances);
        g_ = k_;
        factor_.forward(g_);
        return std::max(0.0, (example.norm2 - product(g_, g_)) / l2_);
    }

    // Adds x, whose label is 1 where `on`, given the scores and r.
    template <class On>
    void store(const Example& example, const double* scores, double r, On on) {
        const double root = std::sqrt(example.weight);
        for (double& g : g_) g *= root;
        k_ = g_;
        factor_.backward(k_);  // B^-1 S^T x
        const double s2 = append(example.norm2, example.weight, r);
        for (size_t o = 0; o < outputs.size(); ++o) {
            const double label = on(o) ? 1.0 : -1.0, last = root * (label - scores[o]) / s2;
            Numbers& c = outputs[o].c;
            for (size_t i = 0; i < n(); ++i) c[i] -= last * k_[i];
            c.push_back(last);
            outputs[o].y.push_back(root * label);
        }
        ids.push_back(example.number);
        ones.push_back(root);
    }

    // More outputs, whose labels were -1 on every instance so far.
    void add_outputs(size_t count, const Instances& instances) {
        Output off;
        for (double one : ones) off.y.push_back(-one);
        if (!outputs.empty()) off.w0.resize(outputs[0].w0.size(), 0.0);
        complete(instances);
        off.c = solved(off.y);
        outputs.resize(outputs.size() + count, off);
    }

    // w0 + S c of every output.
    std::vector<Numbers> weights(const Instances& instances, size_t n_features) const {
        std::vector<Numbers> all;
        for (const Output& of : outputs) all.push_back(weights(of, n(), instances, n_features));
        return all;
    }

    // Drops the `count` oldest instances. w stays as it is: from now on it is regularised towards their
    // part of it, which moves into w0. A new factor takes O(n^3), once in n / 2 steps.
    void drop_oldest(size_t count, const Instances& instances, size_t n_features) {
        std::vector<Numbers> moved;
        for (const Output& of : outputs) moved.push_back(weights(of, count, instances, n_features));
        const auto drop = [count](auto& list) { list.erase(list.begin(), list.begin() + count); };
        for (size_t o = 0; o < outputs.size(); ++o) {
            outputs[o].w0 = std::move(moved[o]);
            drop(outputs[o].y);
            drop(outputs[o].c);
        }
        drop(ids);
        drop(ones);
        factor_ = CholeskyFactor();
    }

    // Multiplies the weight of all instances by `rate`, and drops those that are then too faint to
    // matter: of a weight, or a squared norm relative to l2, below 1/1000.
    void discount(double rate, const Instances& instances) {
        constexpr double faint = 1e-3;
        Dual left(l2_, outputs.size());
        for (size_t i = 0; i < n(); ++i) {
            const double root = std::sqrt(rate), one = root * ones[i];
            if (one * one * std::max(1.0, instances[ids[i]].norm2 / l2_) < faint) continue;
            left.ids.push_back(ids[i]);
            left.ones.push_back(one);
            for (size_t o = 0; o < outputs.size(); ++o) left.outputs[o].y.push_back(root * outputs[o].y[i]);
        }
        left.complete(instances);
        for (Output& of : left.outputs) of.c = left.solved(of.y);
        *this = std::move(left);
    }

    // The factor of l2 I + K, for all instances.
    void set_factor(const double* K, size_t n) {
        factor_ = CholeskyFactor();
        for (size_t i = 0; i < n; ++i) {
            g_.assign(K + i * n, K + i * n + i);
            append_unsolved(K[i * n + i], 1.0);
        }
    }

    void set_factor(const Numbers& packed) {
        factor_ = CholeskyFactor();
        for (size_t i = 0, at = 0; at < packed.size(); at += ++i)
            factor_.append(Numbers(packed.begin() + at, packed.begin() + at + i), packed[at + i]);
    }

    Numbers solved(Numbers v) const {
        factor_.forward(v);
        factor_.backward(v);
        return v;
    }

  private:
    // w0 and the part of w of the first n instances.
    Numbers weights(const Output& of, size_t n, const Instances& instances, size_t n_features) const {
        Numbers sum = of.w0;
        sum.resize(n_features, 0.0);
        for (size_t i = 0; i < n; ++i) instances.add_to(ids[i], ones[i] * of.c[i], sum.data());
        return sum;
    }

    // Appends (g, s) to the factor and returns s^2. Where l2 is lost in rounding, s^2 is what rounding
    // leaves of it: in a solve, a squared norm loses this much for each instance, generously bounded.
    double append(double norm2, double weight, double r) {
        constexpr double rounding = 1e-14;
        const double count = static_cast<double>(factor_.n() + 1);
        const double s2 = std::max(l2_ * (1.0 + weight * r), rounding * count * weight * norm2);
        factor_.append(g_, std::sqrt(s2));
        return s2;
    }

    // The same for g = S^T x.
    void append_unsolved(double norm2, double weight) {
        factor_.forward(g_);
        const double r = std::max(0.0, (norm2 - product(g_, g_)) / l2_);
        for (double& g : g_) g *= std::sqrt(weight);
        append(norm2, weight, r);
    }

    // Factors the instances that the factor lacks: those of a pickle, and those that were left of more.
    void complete(const Instances& instances) {
        if (factor_.n() == n()) return;
        Numbers dense(instances.n_features(), 0.0);
        for (size_t i; (i = factor_.n()) < n();) {
            instances.add_to(ids[i], 1.0, dense.data());
            g_.resize(i);
            for (size_t j = 0; j < i; ++j) g_[j] = ones[j] * instances[ids[j]].dot(dense);
            instances.add_to(ids[i], -1.0, dense.data());
            append_unsolved(instances[ids[i]].norm2, ones[i] * ones[i]);
        }
    }

    double l2_;
    CholeskyFactor factor_;  // of the first instances, in some cases not of all
    Numbers k_, g_;  // S^T x and L^-1 S^T x
};

}  // namespace river_hier
