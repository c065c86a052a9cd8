// The step of `HMinOver` in linear_model/hminover.py (Cai and Hofmann, 2007).
#pragma once

#include "algorithms/linear.hpp"
#include "store/rows.hpp"

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
            ensure(v < labels.n(), "a node of another taxonomy");
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

// The highest of the thresholds with the fewest candidates on the wrong side; see `best_threshold` in Python.
inline double best_threshold(const Numbers& scores, const std::vector<char>& relevant) {
    std::vector<size_t> order(scores.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return scores[i] > scores[j]; });
    const size_t n = order.size();
    size_t best = 0;  // how many candidates are on
    for (ptrdiff_t k = 1, wrong = 0, fewest = 0; k <= static_cast<ptrdiff_t>(n); ++k) {
        const size_t last = order[k - 1];
        wrong += relevant[last] ? -1 : 1;
        const bool tied = k < static_cast<ptrdiff_t>(n) && scores[order[k]] == scores[last];
        if (tied || wrong >= fewest) continue;
        fewest = wrong;
        best = k;
    }
    return (scores[order[best ? best - 1 : 0]] + scores[order[std::min(best, n - 1)]]) / 2.0;
}

// Least squares on the best thresholds, as `Threshold.learn` in Python.
inline void learn_threshold(const HMinOver& policy, const Numbers& scores, const std::vector<char>& relevant,
                            double weight) {
    double z[3] = {1.0, scores[argmax(scores.data(), scores.size())], 0.0}, size = 0.0;
    for (double score : scores) z[2] += score;
    z[2] /= static_cast<double>(scores.size());
    for (double part : z) size = std::max(size, std::fabs(part));
    for (double& part : z) part /= size;
    const double target = weight * best_threshold(scores, relevant) / size;
    for (size_t i = 0; i < 3; ++i) {
        policy.b[i] += target * z[i];
        for (size_t j = 0; j < 3; ++j) policy.a[3 * i + j] += weight * (z[i] * z[j]);
    }
}

// F(x, y) of a node, the sum over it and all its ancestors.
inline double sum_above(const Nodes& above, const double* values) {
    double sum = 0.0;
    for (uint32_t v : above) sum += values[v];
    if (std::isnan(sum)) return 0.0;
    return std::clamp(sum, -1e300, 1e300);
}

inline void step(const HMinOver& policy, Weights& w, const Vector& x, const On& on, const Labels& labels,
                 double weight) {
    const Nodes candidates = policy.candidates(labels);
    if (candidates.empty()) return;
    w.score_all(x);
    double* values = w.scores.data();
    for (uint32_t v = 0; v < labels.n(); ++v) values[v] *= policy.t(v);
    Numbers scores;
    std::vector<char> relevant;
    for (uint32_t v : candidates) {
        labels.above(v, w.nodes);
        scores.push_back(sum_above(w.nodes, values));
        relevant.push_back(on.mask[v]);
    }
    learn_threshold(policy, scores, relevant, weight);
    size_t low = scores.size(), high = scores.size();  // the worst pair, if there is one
    for (size_t i = 0; i < scores.size(); ++i) {
        if (relevant[i] && (low == scores.size() || scores[i] < scores[low])) low = i;
        if (!relevant[i] && (high == scores.size() || scores[i] > scores[high])) high = i;
    }
    if (low == scores.size() || high == scores.size()) return;
    Nodes above, others;
    labels.above(candidates[low], above);
    labels.above(candidates[high], others);
    w.nodes.clear();
    std::set_symmetric_difference(above.begin(), above.end(), others.begin(), others.end(),
                                  std::back_inserter(w.nodes));
    const double step = policy.rule(scores[low] - scores[high], static_cast<double>(w.nodes.size()));
    if (!(step > 0.0)) return;
    w.steps.clear();
    for (uint32_t v : w.nodes) {
        const bool own = std::binary_search(above.begin(), above.end(), v);
        w.steps.push_back(weight * step * (own ? policy.t(v) : -policy.t(v)));
    }
    w.add(x, w.nodes, w.steps);
}

}  // namespace river_hier
