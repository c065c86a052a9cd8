// Regularised least squares in primal variables: for more instances than features.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/example_context.hpp"
#include "hardware/pages.hpp"

namespace river_hier {

// A symmetric matrix. Row i holds the columns from the cache line of its diagonal on; the rest stands
// in the rows above. A product and an update thus read half the matrix, from end to end. An update
// waits for the next product, which reads the matrix anyway.
class SymmetricMatrix {
  public:
    SymmetricMatrix() = default;
    SymmetricMatrix(SymmetricMatrix&&) = default;
    SymmetricMatrix& operator=(SymmetricMatrix&&) = default;
    SymmetricMatrix(const SymmetricMatrix& other) : SymmetricMatrix(other, other.size()) {}

    // A copy with at least n rows and columns; the new ones are zero.
    SymmetricMatrix(const SymmetricMatrix& other, size_t n) : rows_(whole_lines<double>(n)) {
        memory_ = zeroed(numbers(size()) * sizeof(double));
        double* next = static_cast<double*>(memory_.get());
        for (size_t i = 0; i < size(); next += size() - first_of(i++)) {
            rows_[i] = next - first_of(i);
            if (i < other.size())
                std::copy(other.rows_[i] + first_of(i), other.rows_[i] + other.size(),
                          rows_[i] + first_of(i));
        }
        update_.reserve(size());
        update_ = other.update_;
        if (!update_.empty()) update_.resize(size(), 0.0);
    }

    // Rows and columns, in whole cache lines. Vectors beside the matrix must have as many numbers.
    size_t size() const { return rows_.size(); }

    // For i <= j.
    double at(size_t i, size_t j) const {
        return update_.empty() ? rows_[i][j] : rows_[i][j] - update_[i] * update_[j];
    }
    void set(size_t i, size_t j, double value) {
        rows_[i][j] = value;
        if (i >= first_of(j)) rows_[j][i] = value;
    }

    // u = A x
    void multiply(const double* x, double* u) {
        std::fill(u, u + size(), 0.0);
        loops.multiply_symmetric(rows_.data(), update_.empty() ? nullptr : update_.data(), x, size(),
                                 u);
        update_.clear();
    }

    // A -= h h^T, after a product.
    void subtract_square(const Numbers& h) { update_ = h; }

    size_t memory() const {
        return numbers(size()) * sizeof(double) + heap_bytes(rows_) + heap_bytes(update_);
    }

  private:
    // The first column that row i holds.
    static size_t first_of(size_t i) { return i - i % lanes<double>; }

    static size_t numbers(size_t size) { return size * (size + lanes<double>) / 2; }

    Pages memory_;
    std::vector<double*> rows_;
    Numbers update_;  // the h of an update that waits
};

// w = A^-1 S v with the inverse of A = l2 I + S S^T, for several outputs (nodes) over the same
// instances S. d features take O(d^2) memory and a step O(d^2), however many instances there were.
// Once there is room for its features, here and in the scratch, an example takes no memory: nothing fails.
class Primal {
  public:
    // From the inverse (d, d), the w of every output and S 1 (d).
    Primal(double l2, const Numbers& inverse, std::vector<Numbers> w, const Numbers& total)
        : first_d_(total.size()), l2_(l2), w_(std::move(w)), scores_(w_.size()) {
        const size_t d = total.size();
        reserve(d);
        total_ = total;
        for (size_t i = 0; i < d; ++i)
            for (size_t j = i; j < d; ++j) inverse_.set(i, j, inverse[i * d + j]);
    }

    size_t d() const { return total_.size(); }
    size_t size() const { return inverse_.size(); }  // features that there is room for
    size_t first_d() const { return first_d_; }  // features at first

    size_t memory() const {
        return inverse_.memory() + heap_bytes(w_) + heap_bytes(total_) + heap_bytes(u_) +
               + heap_bytes(scores_);
    }

    const Numbers& total() const { return total_; }

    // Makes room for d features, all or nothing.
    void reserve(size_t d) {
        const size_t size = whole_lines<double>(d);
        if (size <= inverse_.size()) return;
        for (Numbers& w : w_) w.reserve(size);
        for (Numbers* list : {&total_, &u_}) list->reserve(size);
        inverse_ = SymmetricMatrix(inverse_, size);  // the last that may fail
        for (Numbers& w : w_) w.resize(size, 0.0);
        u_.resize(size, 0.0);
        solved_ = 0;
    }

    // w . x of every output.
    void scores(ExampleContext& context, double* scores) {
        const double* x = context.dense(size());
        for (const Numbers& w : w_) *scores++ = loops.dot(x, w.data(), w.size());
    }
    void signs(ExampleContext& context, double* scores) { this->scores(context, scores); }

    // r = x^T A^-1 x. Computes u = A^-1 x.
    double solve(ExampleContext& context) {
        if (solved_ == context.id()) return r_;
        solved_ = 0;
        const double* dense = context.dense(size());
        inverse_.multiply(dense, u_.data());
        r_ = std::max(0.0, loops.dot(dense, u_.data(), u_.size()));
        const Vector& x = context.x();
        double unmet2 = x.norm2;  // on features that A has not met, A is l2 I
        for (size_t j = 0; j < x.size() && x.rows[j] < d(); ++j) unmet2 -= x.values[j] * x.values[j];
        if (unmet2 > rounding * static_cast<double>(x.size() + 1) * x.norm2) r_ += unmet2 / l2_;
        solved_ = context.id();
        return r_;
    }

    // Adds x with label(o) for output o.
    template <class Label>
    void store(ExampleContext& context, Label label, bool) {
        const Vector& x = context.x();
        const size_t met = size_t{1} + x.rows.back();
        reserve(met);
        for (; d() < met; solved_ = 0) {
            inverse_.set(d(), d(), 1.0 / l2_);
            total_.push_back(0.0);
        }
        const double r = solve(context);
        scores(context, scores_.data());
        const double* u = u_.data();
        for (size_t o = 0; o < w_.size(); ++o)
            loops.add((label(o) - scores_[o]) / (1.0 + r), u, u, u_.size(), w_[o].data());
        solved_ = 0;
        const double shrink = 1.0 / std::sqrt(1.0 + r);
        for (double& u : u_) u *= shrink;
        inverse_.subtract_square(u_);  // Sherman and Morrison's formula
        for (size_t j = 0; j < x.size(); ++j) total_[x.rows[j]] += context.root() * x.values[j];
    }

    // More outputs, whose labels were -1 on every instance so far.
    void add_outputs(size_t count) {
        Numbers off(inverse_.size(), 0.0), w = off;
        for (size_t i = 0; i < d(); ++i) off[i] = -total_[i];
        inverse_.multiply(off.data(), w.data());
        scores_.reserve(w_.size() + count);
        std::vector<Numbers> more(count, w);
        make_room(w_, count);
        std::move(more.begin(), more.end(), std::back_inserter(w_));
        scores_.resize(w_.size());
    }

    // Removes all outputs but the first n.
    void keep_outputs(size_t n) {
        if (n >= w_.size()) return;
        w_.resize(n);
        scores_.resize(n);
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
    static constexpr double rounding = 1e-15;  // relative error of a sum, for each of its terms

    size_t first_d_;
    double l2_;
    SymmetricMatrix inverse_;
    std::vector<Numbers> w_;  // for each output, in whole cache lines
    Numbers total_;           // S 1
    Numbers scores_, u_;      // scratch, and A^-1 x
    double r_ = 0.0;          // x^T A^-1 x
    uint64_t solved_ = 0;     // the example that u_ and r_ belong to
};

}  // namespace river_hier
