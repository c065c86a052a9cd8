// The step and the scores of `PathSoftmax` in linear_model/path_softmax.py. Node v has two weight vectors:
// column 2 v is shared by its subtree, column 2 v + 1 is its own.
#pragma once

#include "algorithms/temperature.hpp"

namespace river_hier {

// Labels whose scores move together: the last moving column of their path names the group.
struct Group {
    uint32_t above;  // the group of the moving column before it; the first group has none
    double target, variance = 1.0;
    double score = -HUGE_VAL, sum = 0.0;  // of the labels: the largest, and sum exp(s - score)
    double mass = 0.0;  // the probability of those whose scores are near the largest of all
    double move = 0.0, most = 0.0, last = 0.0, rate = 1.0;
    double shift = 0.0, p = 0.0, curvature = 0.0;

    void add(double s) {
        if (s > score) {
            sum = sum * std::exp(score - s) + 1.0;
            score = s;
        } else {
            sum += std::exp(s - score);
        }
    }
};

constexpr double most_variance = 1e300;  // of a score, so that no product overflows

// The score of every label, in place: the sum along its path and its own, less the scale.
inline double* label_scores(Weights& w, const Vector& x, const Labels& labels) {
    w.score_all(x);
    double* s = w.scores.data();
    for (uint32_t v = 1; v < labels.n(); ++v) s[2 * v] += s[2 * labels.parent(v)];
    for (uint32_t v = 0; v < labels.n(); ++v) s[v] = s[2 * v] + s[2 * v + 1];
    return s;
}

class SoftmaxScoring : public Scoring {
  public:
    static constexpr const char* name = "softmax";

    const char* named() const override { return name; }
    size_t vectors() const override { return 2; }
    double* of_labels(LinearState& state, const Vector& x, bool) const override {
        return label_scores(state.w, x, state.labels);
    }
    double slope(const double* scores, size_t n, double sharp) const override {
        return temperature.slope(scores, n, sharp);
    }
    Numbers learned() const override { return temperature.learned(); }
    void load(const Numbers& learned) override { temperature.load(learned); }

    Temperature temperature;
};

struct PathSoftmax : OnPaths, SecondOrder {
    using Scoring = SoftmaxScoring;

    PathSoftmax(double prior_variance, double forgetting, double margin = 0.0)
        : SecondOrder{forgetting}, prior_variance(prior_variance), margin(margin) {}

    bool learns(double p, double y) const { return std::abs(y - p) >= 0.01; }

    // The most probable moves, by damped Newton steps; see `rule` in Python.
    void rule(std::vector<Group>& groups, uint32_t truth, double weight) const {
        for (int k = 0; k < 30; ++k) {
            double largest = -HUGE_VAL, total = 0.0, worst = 0.0;
            for (Group& g : groups) {
                g.shift = groups[g.above].shift + g.move * g.variance;
                largest = std::max(largest, g.score + g.shift);
            }
            for (Group& g : groups) total += g.p = std::exp(g.score + g.shift - largest);
            if (k == 0) {
                const double gap = largest + std::log(total) - groups[truth].score;
                for (Group& g : groups) g.most = (gap + std::log1p(weight * g.variance)) / g.variance;
            }
            for (size_t i = groups.size(); --i;) groups[groups[i].above].p += groups[i].p;
            for (size_t i = 1; i < groups.size(); ++i) {
                Group& g = groups[i];
                g.p = std::min(g.p / total, 1.0);
                g.curvature = weight * g.p * (1.0 - g.p);
                worst = std::max(worst, std::abs(weight * (g.target - g.p) - g.move));
            }
            if (worst < 0.01 * weight) return;
            for (size_t i = 1; i < groups.size(); ++i) {
                Group& g = groups[i];
                const double rest = weight * (g.target - g.p) - g.move;
                if (rest * g.last < 0.0) g.rate *= 0.5;
                g.last = rest;
                g.move += g.rate * rest / (1.0 + g.curvature * g.variance);
                g.move = std::clamp(g.move, -g.most, g.most);
            }
        }
    }

    double prior_variance, margin;
};

inline void step(const PathSoftmax& policy, LinearState& state, const Vector& x, uint32_t y, double weight) {
    if (x.norm2 == 0.0) return;
    Weights& w = state.w;
    const Labels& labels = state.labels;
    const uint32_t n = labels.n();
    const double scale = std::sqrt(policy.prior_variance);
    double* scores = label_scores(w, x, labels);
    for (uint32_t v = 0; v < n; ++v) scores[v] *= scale;
    labels.without_unseen(scores);
    static_cast<SoftmaxScoring&>(*state.scoring).temperature.learn(scores, n, y, weight);
    if (policy.margin > 0.0) {  // Eq. (5)
        const Numbers distances = distances_from(y, labels);
        for (uint32_t v = 0; v < n; ++v) scores[v] += policy.margin * distances[v];
    }
    const double largest = scores[argmax(scores, n)];
    Numbers own(whole_lines<double>(n), -HUGE_VAL);  // the probabilities of labels
    std::copy(scores, scores + n, own.begin());
    const double total = exponentials(own.data(), largest, 1.0, own.size());
    for (double& q : own) q /= total;
    Numbers p(own.begin(), own.begin() + n);  // and of subtrees
    for (uint32_t v = n; --v;) p[labels.parent(v)] += p[v];

    const auto inner = [&](uint32_t v) {
        bool any = !labels.n_unseen() && !labels.below(v).empty();
        if (labels.n_unseen()) each(labels.below(v), [&](uint32_t u) { any = any || !labels.unseen(u); });
        return any;
    };
    std::vector<Group> groups{{0, 1.0}};
    Nodes group(n, 0);  // of the labels of each subtree that have no later one
    uint32_t truth = 0;  // the group of y
    w.nodes.clear();
    w.mask.resize(n);
    for (uint32_t v = y; v; v = labels.parent(v)) w.mask[v] = 1;
    for (uint32_t v = 0; v < n; ++v) {
        const auto learn = [&](uint32_t column, double target) {
            w.nodes.push_back(column);
            groups.push_back({group[v], target});
            return static_cast<uint32_t>(groups.size() - 1);
        };
        if (v) group[v] = group[labels.parent(v)];
        if (v && policy.learns(p[v], w.mask[v])) group[v] = learn(2 * v, w.mask[v]);
        const bool alone = inner(v) && policy.learns(own[v], v == y);
        const uint32_t mine = alone ? learn(2 * v + 1, v == y) : group[v];
        if (scores[v] - largest > -700.0)
            groups[mine].mass += own[v];
        else if (!labels.unseen(v))
            groups[mine].add(scores[v]);
        if (v == y) truth = mine;
    }
    for (uint32_t v = y; v; v = labels.parent(v)) w.mask[v] = 0;
    if (w.nodes.empty()) return;
    for (Group& g : groups) {
        if (g.mass > 0.0) g.add(largest + std::log(total * g.mass));
        g.score += std::log(g.sum);
    }
    const double most = w.largest_step(x.norm2);
    const auto moves_of = [&](const Numbers& variances, Moves& moves) {
        for (size_t i = 1; i < groups.size(); ++i)
            groups[i].variance = std::min(policy.prior_variance * variances[i - 1], most_variance);
        policy.rule(groups, truth, weight);
        for (size_t i = 1; i < groups.size(); ++i) {
            const double h = groups[i].curvature;
            moves.push_back({w.nodes[i - 1], std::clamp(scale * groups[i].move, -most, most),
                             policy.prior_variance * h / (1.0 + h * groups[i].variance)});
        }
    };
    w.move(x, w.nodes, std::cref(moves_of), policy.forgetting);
}

}  // namespace river_hier
