// The step of `HMinOver` in linear_model/hminover.py (Cai and Hofmann, 2007).
#pragma once

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

// Least squares on the best thresholds, as `Threshold.learn` in Python.
inline void learn_threshold(const HMinOver& policy, const std::vector<Candidate>& ranked, double weight) {
    double z[3] = {1.0, ranked[0].score, 0.0};
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

inline void step(const HMinOver& policy, LinearState& state, const Vector& x, const On& on, double weight) {
    Weights& w = state.w;
    const Labels& labels = state.labels;
    w.score_all(x);
    for (uint32_t v = 0; v < labels.n(); ++v) w.scores[v] *= policy.t(v);
    std::vector<Candidate> ranked;
    for (uint32_t y : policy.candidates(labels)) {
        labels.above(y, w.nodes);
        double sum = 0.0;  // F(x, y)
        for (uint32_t v : w.nodes) sum += w.scores[v];
        ranked.push_back({std::isnan(sum) ? 0.0 : std::clamp(sum, -1e300, 1e300), y, on.mask[y] != 0});
    }
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

}  // namespace river_hier
