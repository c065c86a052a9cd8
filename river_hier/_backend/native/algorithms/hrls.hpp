// H-RLS and SH-RLS, the learners that are built on least squares (Cesa-Bianchi, Gentile and
// Zaniboni, 2006).
#pragma once

#include <cmath>
#include <memory>
#include <optional>

#include "algorithms/least_squares.hpp"
#include "hardware/parallel.hpp"
#include "store/labels.hpp"

namespace river_hier {

// The largest ||x||^2 / l2 for which the digits of a double hold both.
constexpr double largest_ratio = 1e12;

// Whether a node whose parents are truly on stores x (Fig. 3). In SH-RLS, section 8, only if its score
// is small: w . x / (1 + r) <= sqrt(c ln t / N). In H-RLS c is infinite.
struct Rule {
    bool selects() const { return !std::isinf(c); }

    void operator()(LeastSquares& rls, System& system, ExampleContext& context, const char* on,
                    double ln_t) const {
        if (selects() && !in_doubt(rls, system, context, ln_t)) return;
        Numbers& labels = context.scratch.labels;
        labels.resize(system.nodes.size());
        for (size_t o = 0; o < labels.size(); ++o)
            labels[o] = context.label(on[system.nodes[o]]);
        rls.store(system, context, labels.data(), !selects());
    }

    double c;

  private:
    bool in_doubt(const LeastSquares& rls, System& system, ExampleContext& context,
                  double ln_t) const {
        if (system.nodes.size() != 1) throw nb::value_error("SH-RLS has a system for each node");
        const double n = system.n_stored, weight = context.example.weight;
        const double bound = n ? std::sqrt(c * ln_t / n) : HUGE_VAL;
        double score;
        system.scores(context, &score);
        score = std::fabs(score) / context.root();
        const double most = 1.0 + context.x().norm2 / weight / rls.l2;  // 1 + r is at most this
        return score <= bound * most && score <= bound * (1.0 + system.solve(context) / weight);
    }
};

// Successive examples that are learned system by system: a system takes all of them while it is in
// the processor's cache, and other threads take other systems. The result is that of one example
// after the other, since no system depends on another one.
class Block {
  public:
    Block(LeastSquares& rls, const Labels& labels, size_t capacity)
        : rls_(rls), labels_(labels), examples_(new std::optional<Example>[capacity]) {}

    // Adds the example of round t.
    void add(const Vector& x, const On& on, double t, double weight) {
        examples_[n()].emplace(x, rls_.instances, rls_.ids, weight);
        const size_t met = size_t{1} + examples_[n()]->x.rows.back();
        least_met_ = std::min(least_met_, met);
        most_met_ = std::max(most_met_, met);
        masks_.insert(masks_.end(), on.mask.begin(), on.mask.end());
        ln_ts_.push_back(std::log(std::max(1.0, t)));
    }

    void learn(const Rule& rule, size_t n_threads) {
        find_tasks(0, n());
        bool together = n() > 1;
        for (const Task& task : tasks_)
            together = together &&
                       !LeastSquares::may_become_dual(*task.system, n(), least_met_, most_met_);
        if (together) return learn_tasks(rule, true, n_threads);
        for (size_t i = 0; i < n(); ++i) {
            find_tasks(i, i + 1);
            learn_tasks(rule, false, 1);
        }
    }

  private:
    // A system, and the range of `visits_` with the examples that it learns from.
    struct Task {
        System* system;
        size_t first, last;
    };

    size_t n() const { return ln_ts_.size(); }
    const char* on(size_t i) const { return &masks_[i * labels_.n()]; }

    // The systems that learn from the examples first:last.
    void find_tasks(size_t first, size_t last) {
        tasks_.clear();
        visits_.clear();
        for (System& system : rls_.systems) {
            const uint32_t node = system.nodes.empty() ? 0 : system.nodes[0];
            if (!labels_.learns(node)) continue;
            const size_t start = visits_.size();
            for (size_t i = first; i < last; ++i)
                if (labels_.all_parents(on(i), node)) visits_.push_back(static_cast<uint32_t>(i));
            if (visits_.size() > start) tasks_.push_back({&system, start, visits_.size()});
        }
    }

    void learn_tasks(const Rule& rule, bool together, size_t n_threads) {
        const uint32_t first = rls_.instances.n();
        const std::vector<uint32_t> stored = store_all(together);
        if (rule.selects() && together)
            parallel_for(stored.size(), n_threads, rls_.scratch, [&](size_t k, Scratch&) {
                examples_[stored[k]]->expect_dots(n_dots_[stored[k]]);
            });
        parallel_for(tasks_.size(), n_threads, rls_.scratch, [&](size_t k, Scratch& scratch) {
            for (size_t visit = tasks_[k].first; visit < tasks_[k].last; ++visit) {
                const uint32_t i = visits_[visit];
                ExampleContext context{*examples_[i], scratch};
                rule(rls_, *tasks_[k].system, context, on(i), ln_ts_[i]);
            }
        });
        rls_.tidy(first);
    }

    // Makes instances of all examples that a system may store, and returns them: afterwards several
    // threads may read the instances, but none may write.
    std::vector<uint32_t> store_all(bool together) {
        n_dots_.assign(n(), 0);  // with all instances of each system and with x
        for (const Task& task : tasks_) {
            auto* dual = task.system->dual();
            if (!dual && together) continue;
            for (size_t visit = task.first; visit < task.last; ++visit)
                n_dots_[visits_[visit]] += dual ? dual->n() + 1 : 1;
        }
        rls_.instances.ensure_features(most_met_);
        std::vector<uint32_t> stored;
        for (uint32_t i = 0; i < n(); ++i) {
            if (!n_dots_[i]) continue;
            examples_[i]->number = rls_.instances.append_unindexed(examples_[i]->x);
            examples_[i]->shared = together;
            stored.push_back(i);
        }
        return stored;
    }

    LeastSquares& rls_;
    const Labels& labels_;
    std::unique_ptr<std::optional<Example>[]> examples_;
    std::vector<char> masks_;  // for each example, whether each node is on
    Numbers ln_ts_;
    std::vector<Task> tasks_;
    std::vector<uint32_t> visits_;
    std::vector<size_t> n_dots_;                   // that systems may need, for each example
    size_t least_met_ = SIZE_MAX, most_met_ = 0;  // features, up to the last one
};

// w . x / (1 + r) of every node, Eq. (1): the instances of w include x.
inline Numbers scores_of(LeastSquares& rls, const Vector& x, size_t n_nodes) {
    Example example(x, rls.instances, rls.ids);
    ExampleContext context{example, rls.scratch};
    Numbers scores(n_nodes, 0.0), part;
    for (System& system : rls.systems) {
        const double r = system.solve(context);
        part.resize(system.nodes.size());
        system.scores(context, part.data());
        for (size_t o = 0; o < part.size(); ++o) scores[system.nodes[o]] = part[o] / (1.0 + r);
    }
    return scores;
}

// The nodes that are on, from the top down: 1 + r is positive, so the sign needs only w . x.
inline void top_down(LeastSquares& rls, const Vector& x, const Labels& labels,
                     std::vector<uint32_t>& on) {
    Example example(x, rls.instances, rls.ids);
    ExampleContext context{example, rls.scratch};
    std::vector<char> mask(labels.n(), 0);
    mask[0] = 1;
    Numbers scores;
    on.clear();
    for (System& system : rls.systems) {
        if (system.nodes.empty() || !labels.all_parents(mask.data(), system.nodes[0])) continue;
        scores.resize(system.nodes.size());
        system.apply([&](auto& solver) { solver.signs(context, scores.data()); });
        for (size_t o = 0; o < scores.size(); ++o)
            if (scores[o] >= 0.0) {
                mask[system.nodes[o]] = 1;
                on.push_back(system.nodes[o]);
            }
    }
}

}  // namespace river_hier
