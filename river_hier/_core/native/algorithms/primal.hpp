// Regularised least squares in primal variables: for more instances than features.
#pragma once

#include "algorithms/example.hpp"

namespace river_hier {

// A symmetric matrix. Row i holds the columns from the cache line of its diagonal on; the rest stands
// in the rows above. A product and an update thus read half the matrix, from end to end. An update
// waits for the next product, which reads the matrix anyway.
class SymmetricMatrix {
  public:
    // Makes room for n rows and columns; the new ones are zero.
    void resize(size_t n) {
        SymmetricMatrix larger;
        larger.size_ = whole_lines<double>(n);
        larger.lines_.resize(larger.row(larger.size_) / lanes<double>);
        for (size_t i = 0; i < size_; ++i)
            for (size_t j = first_of(i); j < size_; ++j) larger.stored(i, j) = at(i, j);
        *this = std::move(larger);
    }

    // Rows and columns, in whole cache lines. Vectors beside the matrix must have as many numbers.
    size_t size() const { return size_; }

    // For i <= j.
    double at(size_t i, size_t j) const {
        return update_.empty() ? stored(i, j) : stored(i, j) - update_[i] * update_[j];
    }
    void set(size_t i, size_t j, double value) {
        stored(i, j) = value;
        if (i >= first_of(j)) stored(j, i) = value;
    }

    void multiply(const double* x, double* u) {
        std::fill(u, u + size_, 0.0);
        multiply_symmetric(lines_.data()->numbers, update_.empty() ? nullptr : update_.data(), x, size_, u);
        update_.clear();
    }

    // A -= h h^T, after a product.
    void subtract_square(const Numbers& h) { update_ = h; }

    void scale(double a) {
        for (Line<double>& line : lines_)
            for (double& number : line.numbers) number *= a;
        for (double& h : update_) h *= std::sqrt(a);
    }

    size_t bytes() const { return heap_bytes(lines_, update_); }

  private:
    static size_t first_of(size_t i) { return i - i % lanes<double>; }

    size_t row(size_t i) const {
        const size_t first = first_of(i);
        return i * size_ - first * (first / 2 - lanes<double> / 2 + i - first);
    }

    double& stored(size_t i, size_t j) { return lines_.data()->numbers[row(i) + j - first_of(i)]; }
    double stored(size_t i, size_t j) const { return lines_.data()->numbers[row(i) + j - first_of(i)]; }

    size_t size_ = 0;
    std::vector<Line<double>> lines_;
    Numbers update_;  // the h of an update that waits
};

// w = A^-1 S y with the inverse of A = l2 I + S S^T, for several outputs (nodes) over the same
// instances S, which are not kept. d features take O(d^2) memory and a step O(d^2), however many
// instances there were. For an example, call `scores` first, then `r` and `store`.
class Primal {
  public:
    // Without instances, from a w of zeros for every output.
    Primal(double l2, std::vector<Numbers> w) : l2_(l2), w_(std::move(w)) {
        if (!w_.empty()) grow(w_[0].size());
    }

    // From the inverse (d, d), the w of every output and S 1 (d).
    Primal(double l2, const Numbers& inverse, std::vector<Numbers> w, const Numbers& total)
        : l2_(l2), w_(std::move(w)) {
        const size_t d = total.size();
        grow(d);
        total_ = total;
        for (size_t i = 0; i < d; ++i)
            for (size_t j = i; j < d; ++j) inverse_.set(i, j, inverse[i * d + j]);
    }

    size_t d() const { return total_.size(); }

    size_t bytes() const { return inverse_.bytes() + heap_bytes(w_, total_, u_); }

    const Numbers& total() const { return total_; }

    void scores(const Example& example, const Instances&, double* scores) {
        const double* x = example.dense(size());
        for (const Numbers& w : w_) *scores++ = dot(x, w.data(), w.size());
    }

    double r(const Example& example, const Instances&) {
        const Vector& x = example.x;
        double r = multiply(example.dense(size()));
        double unmet2 = x.norm2;  // on features that A has not met, A is l2 I
        for (size_t j = 0; j < x.size() && x.rows[j] < d(); ++j) unmet2 -= x.values[j] * x.values[j];
        if (unmet2 > rounding * static_cast<double>(x.size() + 1) * x.norm2) r += unmet2 / l2_;
        return r;
    }

    // Adds x, whose label is 1 where `on`, given the scores and r.
    template <class On>
    void store(const Example& example, const double* scores, double r, On on) {
        const Vector& x = example.x;
        if (x.rows.back() >= d()) {
            grow(size_t{1} + x.rows.back());
            r = multiply(example.dense(size()));
        }
        update(example.weight, r, [&](size_t o) { return (on(o) ? 1.0 : -1.0) - scores[o]; });
        for (size_t j = 0; j < x.size(); ++j) total_[x.rows[j]] += example.weight * x.values[j];
    }

    // More outputs, whose labels were -1 on every instance so far.
    void add_outputs(size_t count, const Instances&) {
        Numbers off(size(), 0.0), w = off;
        for (size_t i = 0; i < d(); ++i) off[i] = -total_[i];
        inverse_.multiply(off.data(), w.data());
        w_.resize(w_.size() + count, w);
    }

    // Multiplies the weight of all instances by `rate`. Then A = rate (S S^T + l2 I / rate), in which
    // the second part has grown by a multiple of one unit vector after the other, of label 0.
    void discount(double rate, const Instances&) {
        Numbers unit(size(), 0.0);
        for (size_t j = 0; j < d(); ++j) {
            unit[j] = 1.0;
            const double r = multiply(unit.data());
            unit[j] = 0.0;
            update(l2_ * (1.0 - rate) / rate, r, [&](size_t o) { return -w_[o][j]; });
        }
        inverse_.scale(1.0 / rate);
        for (double& sum : total_) sum *= rate;
    }

    std::vector<Numbers> weights(const Instances&, size_t n_features) const {
        std::vector<Numbers> w = w_;
        for (Numbers& column : w) column.resize(n_features, 0.0);
        return w;
    }

    Numbers inverse() const {
        Numbers inverse(d() * d());
        for (size_t i = 0; i < d(); ++i)
            for (size_t j = i; j < d(); ++j) inverse[i * d() + j] = inverse[j * d() + i] = inverse_.at(i, j);
        return inverse;
    }

  private:
    static constexpr double rounding = 1e-15;  // relative error of a sum, for each of its terms

    size_t size() const { return inverse_.size(); }  // features that there is room for

    // Makes room for d features, of which A is l2 I on the new ones.
    void grow(size_t d) {
        const size_t size = whole_lines<double>(d);
        if (size > inverse_.size()) inverse_.resize(size);
        for (Numbers& w : w_) w.resize(size, 0.0);
        u_.resize(size, 0.0);
        for (; this->d() < d; total_.push_back(0.0)) inverse_.set(this->d(), this->d(), 1.0 / l2_);
    }

    // u = A^-1 x; returns x . u.
    double multiply(const double* x) {
        inverse_.multiply(x, u_.data());
        return std::max(0.0, dot(x, u_.data(), u_.size()));
    }

    // Adds the x of the last product, whose label is larger than the score of output o by error(o):
    // Sherman and Morrison's formula.
    template <class Error>
    void update(double weight, double r, Error error) {
        const double share = weight / (1.0 + weight * r);
        for (size_t o = 0; o < w_.size(); ++o) add(share * error(o), u_.data(), u_.size(), w_[o].data());
        for (double& u : u_) u *= std::sqrt(share);
        inverse_.subtract_square(u_);
    }

    double l2_;
    SymmetricMatrix inverse_;
    std::vector<Numbers> w_;  // for each output, in whole cache lines
    Numbers total_;           // S 1
    Numbers u_;               // A^-1 x
};

}  // namespace river_hier
