// The step and the scores of `PathSoftmax` in linear_model/path_softmax.py. Node v has two weight vectors:
// column 2 v is shared by its subtree, column 2 v + 1 is its own.
#pragma once

#include "algorithms/temperature.hpp"

namespace river_hier {

// log sum exp of scores.
struct LogSum {
    double largest = -HUGE_VAL, sum = 0.0;

    void add(double s) {
        if (s > largest) {
            sum = sum * std::exp(largest - s) + 1.0;
            largest = s;
        } else if (s > -HUGE_VAL) {
            sum += std::exp(s - largest);
        }
    }
    double value() const { return largest + std::log(sum); }
};

// Labels whose scores move together: the last moving column of their path names the group.
struct Group {
    uint32_t above;  // the group of the moving column before it; the first group has none
    double target, variance = 1.0;
    LogSum all{}, known{};  // of its labels, and of those that may be the true one
    double mass = 0.0;    // the probability of those whose scores are near the largest of all
    double score = 0.0, truth = 0.0;  // the values of `all` and `known`
    double move = 0.0, most = 0.0, last = 0.0, rate = 1.0;
    double shift = 0.0, p = 0.0, curvature = 0.0;
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

class SoftmaxScoring : public TemperedScoring {
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
};

struct PathSoftmax : OnPaths, SecondOrder {
    using Scoring = SoftmaxScoring;

    PathSoftmax(double prior_variance, double forgetting, double margin = 0.0)
        : SecondOrder{forgetting}, prior_variance(prior_variance), margin(margin) {}

    bool learns(double p, double y) const { return std::abs(y - p) >= 0.01; }

    // The most probable moves, by damped Newton steps; see `rule` in Python.
    void rule(std::vector<Group>& groups, double weight) const {
        LogSum possible;  // the labels of groups of the true label
        size_t n_possible = 0;
        for (Group& g : groups) {
            g.score = g.all.value();
            g.truth = g.known.value();
            if (g.known.sum == 0.0) continue;
            possible.add(g.score);
            ++n_possible;
        }
        for (int k = 0; k < 30; ++k) {
            double largest = -HUGE_VAL, total = 0.0, worst = 0.0, likeliest = -HUGE_VAL, known = 0.0;
            for (Group& g : groups) {
                g.shift = groups[g.above].shift + g.move * g.variance;
                largest = std::max(largest, g.score + g.shift);
                if (g.known.sum > 0.0) likeliest = std::max(likeliest, g.truth + g.shift);
            }
            for (Group& g : groups) total += g.p = std::exp(g.score + g.shift - largest);
            if (n_possible > 1)  // else targets stay
                for (Group& g : groups)
                    known += g.target = g.known.sum > 0.0 ? std::exp(g.truth + g.shift - likeliest) : 0.0;
            if (k == 0) {
                const double gap = largest + std::log(total) - possible.value();
                for (Group& g : groups) g.most = (gap + std::log1p(weight * g.variance)) / g.variance;
            }
            for (size_t i = groups.size(); --i;) {
                groups[groups[i].above].p += groups[i].p;
                if (n_possible > 1) groups[groups[i].above].target += groups[i].target;
            }
            for (size_t i = 1; i < groups.size(); ++i) {
                Group& g = groups[i];
                g.p = std::min(g.p / total, 1.0);
                if (n_possible > 1) g.target = std::min(g.target / known, 1.0);
                g.curvature = weight * std::max(g.p * (1.0 - g.p) - g.target * (1.0 - g.target), 0.0);
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

// How far each node is from the nearest label that may be the true one.
inline Numbers distances_from(const std::vector<char>& may, const Labels& labels) {
    Numbers distances(labels.n());
    for (uint32_t v = labels.n(); v--;) distances[v] = may[v] ? 0.0 : HUGE_VAL;
    for (uint32_t v = labels.n(); --v;)
        distances[labels.parent(v)] = std::min(distances[labels.parent(v)], distances[v] + 1.0);
    for (uint32_t v = 1; v < labels.n(); ++v) distances[v] = std::min(distances[v], distances[labels.parent(v)] + 1.0);
    return distances;
}

// The probabilities of scores, which are left as they are, and their log sum exp.
inline std::pair<Numbers, double> softmax_of(const double* scores, uint32_t n) {
    Numbers p(whole_lines<double>(n), -HUGE_VAL);
    std::copy(scores, scores + n, p.begin());
    const double largest = scores[argmax(scores, n)], sum = exponentials(p.data(), largest, 1.0, p.size());
    for (double& q : p) q /= sum;
    p.resize(n);
    return {std::move(p), largest + std::log(sum)};
}

inline Numbers subtrees_of(Numbers p, const Labels& labels) {
    for (uint32_t v = labels.n(); --v;) p[labels.parent(v)] += p[v];
    return p;
}

inline void step(const PathSoftmax& policy, LinearState& state, const Vector& x, const Known& known, double weight) {
    if (x.norm2 == 0.0) return;
    Weights& w = state.w;
    const Labels& labels = state.labels;
    const uint32_t n = labels.n();
    const double scale = std::sqrt(policy.prior_variance);
    const std::vector<char> may = known.mask(labels);
    if (!known.whole() && std::find(may.begin(), may.end(), 1) == may.end()) return;
    double* scores = label_scores(w, x, labels);
    for (uint32_t v = 0; v < n; ++v) scores[v] *= scale;
    labels.without_unseen(scores);
    if (known.whole())
        static_cast<SoftmaxScoring&>(*state.scoring).temperature.learn(scores, n, known.node, weight);
    if (policy.margin > 0.0) {  // Eq. (5)
        const Numbers distances = known.whole() ? distances_from(known.node, labels) : distances_from(may, labels);
        for (uint32_t v = 0; v < n; ++v) scores[v] += policy.margin * distances[v];
    }
    const auto [own, total] = softmax_of(scores, n);  // of labels
    const Numbers p = subtrees_of(own, labels);
    Numbers own_target(n, 0.0), target(n, 0.0);  // the same, given what is known
    if (known.whole()) {
        own_target[known.node] = target[0] = 1.0;
        for (uint32_t v = known.node; v; v = labels.parent(v)) target[v] = 1.0;
    } else {
        Numbers possible(scores, scores + n);
        for (uint32_t v = 0; v < n; ++v) if (!may[v]) possible[v] = -HUGE_VAL;
        own_target = softmax_of(possible.data(), n).first;
        target = subtrees_of(own_target, labels);
    }

    const auto inner = [&](uint32_t v) {
        bool any = !labels.n_unseen() && !labels.below(v).empty();
        if (labels.n_unseen()) each(labels.below(v), [&](uint32_t u) { any = any || !labels.unseen(u); });
        return any;
    };
    std::vector<Group> groups{{0, 1.0}};
    Nodes group(n, 0);  // of the labels of each subtree that have no later one
    w.nodes.clear();
    for (uint32_t v = 0; v < n; ++v) {
        const auto learn = [&](uint32_t column, double target) {
            w.nodes.push_back(column);
            groups.push_back({group[v], target});
            return static_cast<uint32_t>(groups.size() - 1);
        };
        if (v) group[v] = group[labels.parent(v)];
        // Which of several labels side by side it is, is not known: what sets them apart stays.
        const bool among = !known.whole() && may[v];
        if (v && !(among && may[labels.parent(v)]) && policy.learns(p[v], target[v]))
            group[v] = learn(2 * v, target[v]);
        const bool alone = inner(v) && !among && policy.learns(own[v], own_target[v]);
        Group& mine = groups[alone ? learn(2 * v + 1, own_target[v]) : group[v]];
        if (scores[v] - total > -700.0)
            mine.mass += own[v];
        else if (!labels.unseen(v))
            mine.all.add(scores[v]);
        if (may[v]) mine.known.add(scores[v]);
    }
    if (w.nodes.empty()) return;
    for (Group& g : groups)
        if (g.mass > 0.0) g.all.add(total + std::log(g.mass));
    const double most = w.largest_step(x.norm2);
    const auto moves_of = [&](const Numbers& variances, Moves& moves) {
        for (size_t i = 1; i < groups.size(); ++i)
            groups[i].variance = std::min(policy.prior_variance * variances[i - 1], most_variance);
        policy.rule(groups, weight);
        for (size_t i = 1; i < groups.size(); ++i) {
            const double h = groups[i].curvature;
            moves.push_back({w.nodes[i - 1], std::clamp(scale * groups[i].move, -most, most),
                             policy.prior_variance * h / (1.0 + h * groups[i].variance)});
        }
    };
    w.move(x, w.nodes, std::cref(moves_of), policy.forgetting);
}

}  // namespace river_hier
