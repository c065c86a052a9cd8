// The step of `HMinOver` in linear_model/hminover.py (Cai and Hofmann, 2007).
#pragma once

#include <array>

#include "algorithms/calibration.hpp"
#include "algorithms/linear.hpp"
#include "store/vectors.hpp"

namespace river_hier {

struct HMinOver : FirstOrder {
    using Matrix = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

    // t_v of each node, and a last one for nodes that are added later; the candidates, or None for the
    // leaves; and what `Threshold` in Python has learned.
    HMinOver(double margin, nb::object t, nb::object candidates, Matrix a, Matrix b)
        : margin(margin), a(a.data()), b(b.data()), attributes_(numbers(t)), leaves_(candidates.is_none()) {
        ensure(a.size() == 9 && b.size() == 3 && !attributes_.empty(), "a system of three numbers");
        if (!leaves_) candidates_ = numbers<uint32_t>(candidates);
    }

    // The step of the worst pair, Delta(y, y-bar) (Algorithm 2).
    double rule(double difference, double gamma) const { return difference < margin ? gamma : 0.0; }

    double t(uint32_t v) const { return attributes_[std::min(size_t{v}, attributes_.size() - 1)]; }

    // Those that have been seen.
    Nodes candidates(const Labels& labels) const {
        Nodes found;
        std::vector<char> inner(labels.n(), 0);
        for (uint32_t v = labels.n(); leaves_ && --v;) {
            if (labels.unseen(v)) continue;
            if (!inner[v]) found.push_back(v);
            labels.each_parent(v, [&](uint32_t u) { inner[u] = 1; });
        }
        std::reverse(found.begin(), found.end());
        for (uint32_t v : candidates_) {
            labels.check(v);
            if (!labels.unseen(v)) found.push_back(v);
        }
        return found;
    }

    double margin;
    double *a, *b;

  private:
    Numbers attributes_;
    bool leaves_;
    Nodes candidates_;
};

// F(x, y) of each node y. Large sums are cut off, so that they can be compared and averaged.
inline const double* label_scores(const HMinOver& policy, LinearState& state, const Vector& x) {
    const Labels& labels = state.labels;
    Weights& w = state.w;
    w.score_all(x);
    double* scores = w.scores.data();
    for (uint32_t v = 0; v < labels.n(); ++v) scores[v] *= policy.t(v);
    if (labels.tree()) {
        path_sums(scores, labels);
    } else {
        Numbers sums(labels.n(), 0.0);
        for (uint32_t y = 0; y < labels.n(); ++y) {
            labels.above(y, w.nodes);
            for (uint32_t v : w.nodes) sums[y] += scores[v];
        }
        std::copy(sums.begin(), sums.end(), scores);
    }
    for (uint32_t v = 0; v < labels.n(); ++v)
        scores[v] = std::isnan(scores[v]) ? 0.0 : std::clamp(scores[v], -1e300, 1e300);
    return scores;
}

struct Candidate {
    double score;
    uint32_t node;
    bool relevant;
};

// The highest of the thresholds with the fewest candidates on the wrong side, of scores that descend; see
// `best_threshold` in Python.
inline double best_threshold(const std::vector<Candidate>& ranked) {
    const size_t n = ranked.size();
    size_t best = 0;  // how many are on
    for (int64_t k = 1, wrong = 0, fewest = 0; k <= static_cast<int64_t>(n); ++k) {
        wrong += ranked[k - 1].relevant ? -1 : 1;
        const bool between = static_cast<size_t>(k) == n || ranked[k].score < ranked[k - 1].score;
        if (!between || wrong >= fewest) continue;
        fewest = wrong;
        best = k;
    }
    return (ranked[best ? best - 1 : 0].score + ranked[std::min(best, n - 1)].score) / 2.0;
}

using Summary = std::array<double, 3>;  // 1, the highest score and the mean

// Least squares on the best thresholds, as `Threshold.learn` in Python.
inline void learn_threshold(const HMinOver& policy, const std::vector<Candidate>& ranked, double weight) {
    Summary z{1.0, ranked[0].score, 0.0};
    for (const Candidate& c : ranked) z[2] += c.score;
    z[2] /= static_cast<double>(ranked.size());
    const double size = std::max({1.0, std::fabs(z[1]), std::fabs(z[2])});
    const double target = weight * best_threshold(ranked) / size;
    for (double& part : z) part /= size;
    for (size_t i = 0; i < 3; ++i) {
        policy.b[i] += target * z[i];
        for (size_t j = 0; j < 3; ++j) policy.a[3 * i + j] += weight * (z[i] * z[j]);
    }
}

// The threshold of a ranking: z . A^-1 b, by elimination, which is stable as A is positive definite.
inline double threshold(const HMinOver& policy, const Summary& z) {
    double rows[3][4];
    for (size_t i = 0; i < 3; ++i) {
        std::copy_n(policy.a + 3 * i, 3, rows[i]);
        rows[i][3] = policy.b[i];
    }
    for (size_t k = 0; k < 3; ++k)
        for (size_t i = 0; i < 3; ++i)
            for (size_t j = k + 1; i != k && j < 4; ++j) rows[i][j] -= rows[i][k] / rows[k][k] * rows[k][j];
    double sum = 0.0;
    for (size_t k = 0; k < 3; ++k) sum += z[k] * rows[k][3] / rows[k][k];
    return sum;
}

inline void step(const HMinOver& policy, LinearState& state, const Vector& x, const On& on, double weight) {
    Weights& w = state.w;
    const Labels& labels = state.labels;
    const double* scores = label_scores(policy, state, x);
    std::vector<Candidate> ranked;
    for (uint32_t y : policy.candidates(labels)) ranked.push_back({scores[y], y, on.mask[y] != 0});
    if (ranked.empty()) return;
    const Candidate *low = nullptr, *high = nullptr;  // the worst pair, the first of several
    std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.score > b.score; });
    learn_threshold(policy, ranked, weight);
    for (const Candidate& c : ranked) {
        if (c.relevant && (!low || c.score < low->score)) low = &c;
        if (!c.relevant && !high) high = &c;
    }
    if (!low || !high) return;
    Nodes above, others;
    labels.above(low->node, above);
    labels.above(high->node, others);
    w.nodes.clear();
    std::set_symmetric_difference(above.begin(), above.end(), others.begin(), others.end(),
                                  std::back_inserter(w.nodes));
    const double step = policy.rule(low->score - high->score, static_cast<double>(w.nodes.size()));
    if (!(step > 0.0)) return;
    w.steps.clear();
    for (uint32_t v : w.nodes) {
        const bool own = std::binary_search(above.begin(), above.end(), v);
        w.steps.push_back(weight * step * (own ? policy.t(v) : -policy.t(v)));
    }
    w.add(x, w.nodes, w.steps);
}

// What is said of an x: F(x, y) of each node, and the threshold at which candidates are on.
struct LabelRanking {
    LabelRanking(const HMinOver& policy, LinearState& state, const Vector& x)
        : shared_labels(state.shared_labels), labels(state.labels), candidates(policy.candidates(labels)) {
        const double* all = label_scores(policy, state, x);
        scores.assign(all, all + labels.n());
        if (candidates.empty()) return;
        Summary z{1.0, scores[candidates[0]], 0.0};
        for (uint32_t v : candidates) {
            z[1] = std::max(z[1], scores[v]);
            z[2] += scores[v] / static_cast<double>(candidates.size());
        }
        threshold = river_hier::threshold(policy, z);
    }

    // The largest value of a candidate at or below each node.
    template <class Value>
    Numbers largest_below(Value value) const {
        Numbers largest(scores.size(), 0.0);
        for (uint32_t v : candidates) largest[v] = value(scores[v]);
        for (uint32_t v = largest.size(); --v;)
            labels.each_parent(v, [&](uint32_t u) { largest[u] = std::max(largest[u], largest[v]); });
        return largest;
    }

    Nodes nodes() const {
        const Numbers on = largest_below([&](double score) { return score >= threshold ? 1.0 : 0.0; });
        Nodes nodes;
        for (uint32_t v = 1; v < on.size(); ++v) if (on[v] == 1.0) nodes.push_back(v);
        return nodes;
    }

    Numbers marginals() const {
        Numbers p = largest_below([&](double score) { return logistic(score - threshold); });
        p[0] = 1.0;
        return p;
    }

    nb::object shared_labels;
    const Labels& labels;
    Nodes candidates;
    Numbers scores;
    double threshold = 0.0;
};

}  // namespace river_hier
