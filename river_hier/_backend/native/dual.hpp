// Regularised least squares in dual variables: which instances, their labels, and predictions.
#pragma once

#include <algorithm>
#include <cmath>

#include "solver.hpp"

namespace river_hier {

// What the two solvers in dual variables share: which instances, their labels, and predictions.
class Dual : public Solver {
  public:
    Dual(size_t n_outputs, double l2) : v(n_outputs), alpha(n_outputs), m_(n_outputs), l2_(l2) {}

    Dual* dual() override { return this; }

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

    // Forget the `count` oldest instances, in so many features. w stays as it is: it is regularised
    // from now on towards what they had contributed, w0, and v is what w0 leaves of the labels.
    [[gnu::cold]] virtual void forget(size_t count, const Instances& instances, size_t n_features) {
        settle(instances);
        w0.resize(m_);
        for (size_t o = 0; o < m_; ++o) {
            Numbers part(n_features, 0.0);
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
    // dot products with all instances need not be known. It is the same but for rounding; where that
    // could matter to a sign, it does not answer.
    bool explicit_scores(Visit& visit, double* scores) {
        constexpr size_t patience = 16;
        if (w_.empty()) {
            if (predictions_ <= patience) return false;
            w_ = weights(visit.instances, visit.instances.n_features());
            size_ = 0.0;
            for (size_t o = 0; o < m_; ++o) {
                for (size_t i = 0; i < n(); ++i)
                    size_ += std::fabs(alpha[o][i]) * std::sqrt(visit.instances.norms2()[ids[i]]);
                if (!w0.empty())
                    for (double w : w0[o]) size_ += std::fabs(w);
            }
        }
        std::fill(scores, scores + m_, 0.0);
        const size_t known = w_.size() / m_;
        for (size_t j = 0; j < visit.x.size(); ++j)
            if (visit.x.rows[j] < known)
                for (size_t o = 0; o < m_; ++o)
                    scores[o] += visit.x.values[j] * w_[visit.x.rows[j] * m_ + o];
        const double terms = static_cast<double>(n() + visit.x.size());
        const double doubt = rounding * terms * size_ * std::sqrt(visit.x.norm2);
        for (size_t o = 0; o < m_; ++o)
            if (std::fabs(scores[o]) <= doubt) return false;
        return true;
    }

    // Whether nobody has asked for signs since the last change.
    bool first_question() { return predictions_++ == 0; }

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
    // Of the size of its terms, what a sum of so many loses to rounding; generously.
    static constexpr double rounding = 1e-15;

    uint64_t visit_ = 0;
    size_t predictions_ = 0;  // since the last change
    Numbers w_;
    double size_ = 0.0;  // |w . x| / |x| is no more, not even if nothing cancelled
};

}  // namespace river_hier
