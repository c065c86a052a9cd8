// Regularised least squares in primal variables: for more instances than features.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/example_context.hpp"
#include "hardware/pages.hpp"

namespace river_hier {

// A symmetric matrix that grows. Row i holds the columns from the cache line of its diagonal on; the
// rest stands in the rows above. A product and an update thus read half the matrix, from end to end.
// An update waits for the next product, which reads the matrix anyway.
class SymmetricMatrix {
  public:
    size_t size() const { return size_; }

    // The size in whole cache lines, which vectors beside the matrix must have; zero at the end.
    size_t whole() const { return whole_lines<double>(size_); }

    // For i <= j.
    double at(size_t i, size_t j) const {
        return update_.empty() ? rows_[i][j] : rows_[i][j] - update_[i] * update_[j];
    }
    void set(size_t i, size_t j, double value) {
        rows_[i][j] = value;
        if (i >= first_of(j)) rows_[j][i] = value;
    }

    // New rows and columns are zero but for the diagonal.
    void grow(size_t n, double diagonal) {
        apply_update();
        if (n > rows_.size()) {
            Pages old = std::move(memory_);
            std::vector<double*> rows = std::move(rows_);
            try {
                allocate(size_ ? 2 * n : n);
            } catch (...) {
                memory_ = std::move(old);
                rows_ = std::move(rows);
                throw;
            }
            for (size_t i = 0; i < size_; ++i)
                std::copy(rows[i] + first_of(i), rows[i] + whole(), rows_[i] + first_of(i));
        }
        for (size_t i = size_; i < n; ++i) rows_[i][i] = diagonal;
        size_ = n;
    }

    // u = A x
    void multiply(const double* x, double* u) {
        std::fill(u, u + whole(), 0.0);
        loops.multiply_symmetric(rows_.data(), update_.empty() ? nullptr : update_.data(), x, whole(),
                                 u);
        update_.clear();
    }

    // A -= h h^T
    void subtract_square(const Numbers& h) {
        apply_update();
        update_ = h;
    }

    size_t memory() const {
        const size_t stride = rows_.size();
        size_t numbers = 0;
        for (size_t i = 0; i < stride; ++i) numbers += stride - first_of(i);
        return numbers * sizeof(double) + heap_bytes(rows_) + heap_bytes(update_);
    }

  private:
    void apply_update() {
        if (update_.empty()) return;
        const Numbers zero(whole(), 0.0);
        Numbers unused = zero;
        multiply(zero.data(), unused.data());
    }

    // The first column that row i holds.
    static size_t first_of(size_t i) { return i - i % lanes<double>; }

    void allocate(size_t n) {
        const size_t stride = whole_lines<double>(std::max<size_t>(n, 1));
        size_t total = 0;
        for (size_t i = 0; i < stride; ++i) total += stride - first_of(i);
        memory_ = zeroed(total * sizeof(double));
        rows_.resize(stride);
        double* next = static_cast<double*>(memory_.get());
        for (size_t i = 0; i < stride; next += stride - first_of(i++)) rows_[i] = next - first_of(i);
    }

    Pages memory_;
    std::vector<double*> rows_;
    size_t size_ = 0;
    Numbers update_;  // the h of an update that waits
};

// w = A^-1 S v with the inverse of A = l2 I + S S^T, for several outputs (nodes) over the same
// instances S. d features take O(d^2) memory and a step O(d^2), however many instances there were.
class Primal {
  public:
    // From the inverse (d, d), the w of every output and S 1 (d).
    Primal(double l2, const Numbers& inverse, std::vector<Numbers> w, const Numbers& total)
        : l2_(l2), w_(std::move(w)), total_(total) {
        const size_t d = total.size();
        add_features(d);
        for (size_t i = 0; i < d; ++i)
            for (size_t j = i; j < d; ++j) inverse_.set(i, j, inverse[i * d + j]);
    }

    size_t d() const { return inverse_.size(); }
    size_t n_outputs() const { return w_.size(); }

    size_t memory() const {
        return inverse_.memory() + heap_bytes(w_) + heap_bytes(total_) + heap_bytes(u_) +
               heap_bytes(scores_);
    }

    const Numbers& total() const { return total_; }

    // w . x of every output.
    void scores(ExampleContext& context, double* scores) {
        const double* x = context.dense(inverse_.whole());
        for (const Numbers& w : w_) *scores++ = loops.dot(x, w.data(), w.size());
    }
    void signs(ExampleContext& context, double* scores) { this->scores(context, scores); }

    // r = x^T A^-1 x. Computes u = A^-1 x.
    double solve(ExampleContext& context) {
        if (solved_ == context.id()) return r_;
        solved_ = 0;
        const double* dense = context.dense(inverse_.whole());
        inverse_.multiply(dense, u_.data());
        double rest = context.example.unknown2;  // on features that A has not met, A is l2 I
        const Vector& x = context.x();
        for (size_t j = x.size(); j-- > 0 && x.rows[j] >= d();) rest += x.values[j] * x.values[j];
        r_ = std::max(0.0, loops.dot(dense, u_.data(), u_.size())) + rest / l2_;
        solved_ = context.id();
        return r_;
    }

    // Adds x with its labels.
    void store(ExampleContext& context, const double* labels, bool) {
        const Vector& x = context.x();
        const size_t met = size_t{1} + x.rows.back();
        if (met > d()) add_features(met);
        const double r = solve(context);
        scores_.resize(n_outputs());
        scores(context, scores_.data());
        const double* u = u_.data();
        for (size_t o = 0; o < n_outputs(); ++o)
            loops.add((labels[o] - scores_[o]) / (1.0 + r), u, u, u_.size(), w_[o].data());
        solved_ = 0;
        const double shrink = 1.0 / std::sqrt(1.0 + r);
        for (double& u : u_) u *= shrink;
        inverse_.subtract_square(u_);  // Sherman and Morrison's formula
        for (size_t j = 0; j < x.size(); ++j) total_[x.rows[j]] += context.root() * x.values[j];
    }

    // More outputs, whose labels were -1 on every instance so far.
    void add_outputs(size_t count) {
        Numbers off(inverse_.whole(), 0.0), w = off;
        for (size_t i = 0; i < d(); ++i) off[i] = -total_[i];
        inverse_.multiply(off.data(), w.data());
        w_.insert(w_.end(), count, w);
    }

    // The w of every output.
    std::vector<Numbers> weights(const Instances&, size_t n_features) const {
        std::vector<Numbers> w = w_;
        for (Numbers& column : w) column.resize(n_features, 0.0);
        return w;
    }

    Numbers inverse() const {
        Numbers inverse(d() * d());
        for (size_t i = 0; i < d(); ++i)
            for (size_t j = i; j < d(); ++j)
                inverse[i * d() + j] = inverse[j * d() + i] = inverse_.at(i, j);
        return inverse;
    }

  private:
    void add_features(size_t d) {
        const size_t whole = whole_lines<double>(d);  // first all that may fail
        for (Numbers& w : w_) make_room(w, whole - w.size());
        make_room(total_, d - total_.size());
        u_.reserve(whole);
        inverse_.grow(d, 1.0 / l2_);
        for (Numbers& w : w_) w.resize(inverse_.whole(), 0.0);
        total_.resize(d, 0.0);
        u_.assign(inverse_.whole(), 0.0);
        solved_ = 0;
    }

    double l2_;
    SymmetricMatrix inverse_;
    std::vector<Numbers> w_;  // for each output, in whole cache lines
    Numbers total_;           // S 1
    Numbers u_, scores_;      // A^-1 x, and scratch
    double r_ = 0.0;          // x^T A^-1 x
    uint64_t solved_ = 0;     // the example that u_ and r_ belong to
};

}  // namespace river_hier
