// Online Platt scaling: P(node on | parents on), a logistic function of the node's score. Slope and intercept
// are sums of a part shared by all nodes and a part of the node's own, so a node with few examples is
// calibrated like the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "store/labels.hpp"

namespace river_hier {

inline double logistic(double z) { return 1.0 / (1.0 + std::exp(-z)); }

class Calibration {
  public:
    explicit Calibration(size_t n) : own(n) {}

    // A parameter that is learned by AdaGrad.
    struct Descent {
        double value = 0.0, squares = 1.0;

        void move(double gradient, double step) {
            squares += gradient * gradient;
            value -= step * gradient / std::sqrt(squares);
        }
    };

    struct Line {
        Descent slope, intercept;
    };

    void add_nodes(size_t n_nodes) { own.resize(std::max(n_nodes, n())); }

    size_t n() const { return own.size(); }

    // P(on | parents on) of a node; a score of -inf is that of a node that is off.
    double given(double score, size_t v) const {
        return score == -infinity ? 0.0 : logistic(steep(score, v) + flat(v));
    }

    // One gradient step on w times the log loss of nodes whose parents are on; a node whose score
    // is not a number is left out.
    void learn(const double* scores, const On& on, const Labels& labels, double w) {
        labels.trained(on, ranges_);
        nodes_.clear();
        near_.clear();
        const double most = std::min(far * unit(), largest);
        double added = 0.0;
        each(ranges_, [&](uint32_t v) {
            if (std::isnan(scores[v])) return;
            nodes_.push_back(v);
            near_.push_back(std::clamp(scores[v], -most, most));
            added += near_.back() * near_.back();
        });
        squares += w * added;
        n_scores += w * static_cast<double>(nodes_.size());
        double by_slopes = 0.0, errors = 0.0;
        errors_.clear();
        for (size_t i = 0; i < nodes_.size(); ++i) {
            const uint32_t v = nodes_[i];
            near_[i] = steep(near_[i], v);
            errors_.push_back(w * (logistic(near_[i] + flat(v)) - on.mask[v]));
            by_slopes += errors_[i] * near_[i];
            errors += errors_[i];
        }
        shared.slope.move(by_slopes, shared_step);
        shared.intercept.move(errors, shared_step);
        for (size_t i = 0; i < nodes_.size(); ++i) {
            own[nodes_[i]].slope.move(errors_[i] * near_[i], own_step);
            own[nodes_[i]].intercept.move(errors_[i], own_step);
        }
    }

    double squares = 0.0, n_scores = 0.0;  // of all scores, weighted like their examples
    Line shared{{std::log(2.0)}, {}};
    std::vector<Line> own;  // for each node

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double shared_step = 0.2, own_step = 0.1, far = 10.0, largest = 1e140;

    // Infinite as long as all scores were 0 or tiny, so that the next one has no effect.
    double unit() const { return squares < smallest_norm2 ? infinity : std::sqrt(squares / n_scores); }

    // Nodes that have learned nothing may have no place yet.
    double steep(double score, size_t v) const {
        return std::exp(shared.slope.value + (v < n() ? own[v].slope.value : 0.0)) * (score / unit());
    }

    double flat(size_t v) const { return shared.intercept.value + (v < n() ? own[v].intercept.value : 0.0); }

    Ranges ranges_;
    Nodes nodes_;
    Numbers near_, errors_;
};

}  // namespace river_hier
