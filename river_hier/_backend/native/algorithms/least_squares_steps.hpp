// The learners that are built on least squares (Cesa-Bianchi, Gentile and Zaniboni, 2006).
#pragma once

#include <cmath>
#include <memory>
#include <optional>

#include "store/labels.hpp"
#include "algorithms/least_squares.hpp"
#include "hardware/parallel.hpp"
#include "hardware/portable.hpp"

namespace river_hier {

// The largest ||x||^2 / l2 for which the digits of a double hold both.
constexpr double largest_ratio = 1e12;

// H-RLS, Fig. 3: a node whose parents are truly on stores x.
struct HRLSRule {
    static constexpr bool needs_dots = false;

    void operator()(LeastSquares& rls, System& system, ExampleContext& context, const char* on,
                    double) const {
        Numbers& labels = context.scratch.labels;
        labels.resize(system.nodes.size());
        for (size_t o = 0; o < labels.size(); ++o) labels[o] = on[system.nodes[o]] ? context.root() : -context.root();
        rls.store(system, context, labels.data(), true);
    }
};

// SH-RLS, section 8: it stores x only if its score is small, w . x / (1 + r) <= sqrt(c ln t / N).
struct SHRLSRule {
    static constexpr bool needs_dots = true;

    void operator()(LeastSquares& rls, System& system, ExampleContext& context, const char* on,
                    double ln_t) const {
        if (system.nodes.size() != 1) throw nb::value_error("SH-RLS has a system for each node");
        const double n = system.n_stored, weight = context.example.weight;
        const double bound = n ? std::sqrt(c * ln_t / n) : HUGE_VAL;
        double score;
        system.scores(context, &score);
        score = std::fabs(score) / context.root();
        const double most = 1.0 + context.x().norm2 / weight / rls.l2;  // 1 + r is at most this
        if (score > bound * most || score > bound * (1.0 + system.solve(context) / weight)) return;
        const double label = on[system.nodes[0]] ? context.root() : -context.root();
        rls.store(system, context, &label, false);
    }

    double c;
};

// Whether a system learns; or, of several examples, a bit each.
template <class Set>
Set learns(const System& system, const Set* on, const Labels& labels) {
    const uint32_t first = system.nodes.empty() ? 0 : system.nodes[0];
    return labels.learns(first) ? labels.all_parents(on, first) : 0;
}

// Takes the example of round t to every system that learns from it.
template <class Rule>
void learn_one(LeastSquares& rls, Example& example, const char* on, const Labels& labels, double ln_t,
               const Rule& rule) {
    ExampleContext context{example, rls.scratch};
    for (System& system : rls.systems)
        if (learns(system, on, labels)) rule(rls, system, context, on, ln_t);
    rls.tidy();
}

// Successive examples that are learned system by system: a system takes all of them while it is in
// the processor's cache, and other threads take other systems. The result is that of one example
// after the other, since no system depends on another one.
class Block {
  public:
    Block(LeastSquares& rls, const Labels& labels, size_t capacity)
        : rls_(rls), labels_(labels), examples_(new std::optional<Example>[capacity]) {}

    void add(const Vector& x, const On& on, double t, double weight) {
        const size_t n = ln_ts_.size();
        if (n % bits == 0) on_sets_.resize(on_sets_.size() + labels_.n(), 0);
        for (uint32_t v : on.nodes) on_sets_[n / bits * labels_.n() + v] |= Set{1} << n % bits;
        masks_.insert(masks_.end(), on.mask.begin(), on.mask.end());
        ln_ts_.push_back(std::log(t));
        examples_[n].emplace(x, rls_.instances, rls_.ids, weight);
        const size_t met = size_t{1} + examples_[n]->x.rows.back();
        least_met_ = std::min(least_met_, met);
        most_met_ = std::max(most_met_, met);
    }

    template <class Rule>
    void learn(const Rule& rule, size_t n_threads) {
        const size_t n = ln_ts_.size();
        bool together = n > 1;
        for (System& system : rls_.systems) {
            Task task{&system, {}};
            for (size_t first = 0; first < n; first += bits) {
                Set set = learns(system, &on_sets_[first / bits * labels_.n()], labels_);
                for (; set; set &= set - 1)
                    task.examples.push_back(static_cast<uint32_t>(first + lowest_bit(set)));
            }
            if (task.examples.empty()) continue;
            tasks_.push_back(std::move(task));
            together = together && !LeastSquares::may_become_dual(system, n, least_met_, most_met_);
        }
        if (together) return learn_together(rule, n_threads);
        for (size_t i = 0; i < n; ++i)
            learn_one(rls_, *examples_[i], on(i), labels_, ln_ts_[i], rule);
    }

  private:
    using Set = uint64_t;  // of examples, a bit each
    static constexpr size_t bits = 64;

    // A system and the examples that it learns from.
    struct Task {
        System* system;
        std::vector<uint32_t> examples;
    };

    const char* on(size_t i) const { return &masks_[i * labels_.n()]; }

    template <class Rule>
    void learn_together(const Rule& rule, size_t n_threads) {
        const uint32_t first = rls_.instances.n();
        const size_t n_features = rls_.instances.n_features();
        const std::vector<uint32_t> stored = store_for_all();
        if (Rule::needs_dots)
            parallel_for(stored.size(), n_threads, rls_.scratch, [&](size_t k, Scratch&) {
                examples_[stored[k]]->expect_dots(n_dots_[stored[k]]);
            });
        parallel_for(tasks_.size(), n_threads, rls_.scratch, [&](size_t k, Scratch& scratch) {
            for (uint32_t i : tasks_[k].examples) {
                ExampleContext context{*examples_[i], scratch};
                rule(rls_, *tasks_[k].system, context, on(i), ln_ts_[i]);
            }
        });
        std::vector<uint32_t> kept;
        for (uint32_t i : stored)
            if (examples_[i]->stored) kept.push_back(examples_[i]->number());
        rls_.keep(first, kept, n_features);
        rls_.tidy();
    }

    // Several threads may read the instances, but none may write: stores every example that a system
    // may need. Returns them.
    std::vector<uint32_t> store_for_all() {
        n_dots_.assign(ln_ts_.size(), 0);  // with all instances of each system and with x
        for (const Task& task : tasks_)
            if (auto* dual = task.system->dual())
                for (uint32_t i : task.examples) n_dots_[i] += dual->n() + 1;
        rls_.instances.ensure_features(most_met_);
        std::vector<uint32_t> stored;
        for (uint32_t i = 0; i < n_dots_.size(); ++i) {
            examples_[i]->share(n_dots_[i] > 0);
            if (n_dots_[i]) stored.push_back(i);
        }
        return stored;
    }

    LeastSquares& rls_;
    const Labels& labels_;
    std::unique_ptr<std::optional<Example>[]> examples_;
    std::vector<Set> on_sets_;  // for each 64 examples, of each node: the examples that it is on in
    std::vector<char> masks_;   // of each example: whether each node is on
    std::vector<Task> tasks_;
    std::vector<size_t> n_dots_;  // that systems may ask for, of each example
    Numbers ln_ts_;
    size_t least_met_ = SIZE_MAX, most_met_ = 0;  // features, up to the last one
};

// w . x / (1 + r) of every node, Eq. (1): w counts x among its instances.
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
