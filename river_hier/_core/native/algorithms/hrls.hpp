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

    bool stores(const LeastSquares& rls, System& system, ExampleContext& context, double ln_t) const {
        if (!selects()) return true;
        const double n = system.n_stored, weight = context.example.weight;
        const double bound = n ? std::sqrt(c * ln_t / n) : HUGE_VAL;
        double score;
        system.scores(context, &score);
        score = std::fabs(score) / context.root();
        const double most = 1.0 + context.x().norm2 / weight / rls.l2;  // 1 + r is at most this
        return score <= bound * most && score <= bound * (1.0 + system.solve(context) / weight);
    }

    double c;
};

// How systems that an example changes forget: `systems` are replaced by how(l2, instances, system).
struct Forgetting {
    std::vector<size_t> systems;
    nb::handle how;
};

// Successive examples that are learned system by system: a system takes all of them while it is in
// the processor's cache, and other threads take other systems. The result is that of one example
// after the other, since no system depends on another one. All of them are learned, or none.
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

    // Whether the result may differ from that of one example after the other.
    bool depends_on_order() const {
        return n() > 1 && std::any_of(rls_.systems.begin(), rls_.systems.end(), [&](System& system) {
                   return LeastSquares::may_become_dual(system, n(), least_met_, most_met_);
               });
    }

    void learn(const Rule& rule, size_t n_threads, const Forgetting& forgetting = {}) {
        find_tasks(rule);
        size_t n_reversible = 0;
        uint32_t first = UINT32_MAX;
        try {
            n_reversible = prepare(forgetting, n_threads);
            first = rls_.instances.n();
            store_all();
            if (rule.selects())
                parallel_for(n(), n_threads, rls_.scratches, [&](size_t i, Scratch&) {
                    if (stored_[i]) examples_[i]->find_dots();
                });
            learn_tasks(rule, n_threads, 0, n_reversible);
            for (size_t s : forgetting.systems) rls_.change(rls_.systems.at(s), forgetting.how);
        } catch (...) {
            for (Task& task : tasks_) task.system->undo();
            if (first < rls_.instances.n()) rls_.instances.truncate(first);
            commit();
            throw;
        }
        learn_tasks(rule, n_threads, n_reversible, tasks_.size());  // needs no memory
        commit();
        rls_.tidy(first);
    }

  private:
    // A system, and the range of `visits_` with the examples that it learns from.
    struct Task {
        System* system;
        size_t first, last;
        size_t n_features;    // of these examples, up to the last one
        double factor_bytes;  // of the system, before it learns
    };

    size_t n() const { return ln_ts_.size(); }
    const char* on(size_t i) const { return &masks_[i * labels_.n()]; }

    void find_tasks(const Rule& rule) {
        for (System& system : rls_.systems) {
            const uint32_t node = system.nodes.empty() ? 0 : system.nodes[0];
            if (!labels_.learns(node)) continue;
            if (rule.selects() && system.nodes.size() != 1)
                throw nb::value_error("SH-RLS has a system for each node");
            Task task{&system, visits_.size(), visits_.size(), 0, system.factor_bytes()};
            for (size_t i = 0; i < n(); ++i) {
                if (!labels_.all_parents(on(i), node)) continue;
                visits_.push_back(static_cast<uint32_t>(i));
                task.n_features = std::max(task.n_features, size_t{1} + examples_[i]->x.rows.back());
            }
            task.last = visits_.size();
            if (task.last > task.first) tasks_.push_back(task);
        }
    }

    // Prepares the systems, and puts those first whose learning can be undone. -> their number.
    size_t prepare(const Forgetting& forgetting, size_t n_threads) {
        double bytes = rls_.factor_bytes;
        size_t n_dense = 0, n_entries = 0;
        for (Task& task : tasks_) {
            rls_.prepare(*task.system, task.last - task.first, task.n_features, bytes);
            if (auto* primal = task.system->primal()) n_dense = std::max(n_dense, primal->size());
            const size_t s = static_cast<size_t>(task.system - rls_.systems.data());
            const auto& changed = forgetting.systems;
            task.system->begin(std::count(changed.begin(), changed.end(), s) > 0);
        }
        for (size_t i = 0; n_dense && i < n(); ++i) {
            n_dense = std::max(n_dense, size_t{1} + examples_[i]->x.rows.back());
            n_entries = std::max(n_entries, examples_[i]->x.size());
        }
        if (rls_.scratches.size() < n_threads) rls_.scratches.resize(n_threads);
        for (Scratch& scratch : rls_.scratches) scratch.reserve(n_dense, n_entries);
        const auto reversible = [](const Task& task) { return task.system->reversible(); };
        return static_cast<size_t>(std::partition(tasks_.begin(), tasks_.end(), reversible) -
                                   tasks_.begin());
    }

    // Makes instances of all examples that a system may store: afterwards several threads may read the
    // instances, but none may write.
    void store_all() {
        stored_.assign(n(), 0);
        for (const Task& task : tasks_)
            for (size_t visit = task.first; visit < task.last; ++visit)
                if (task.system->dual()) stored_[visits_[visit]] = 1;
        for (uint32_t i = 0; i < n(); ++i) {
            examples_[i]->shared = true;
            if (stored_[i]) examples_[i]->number = rls_.instances.append_unindexed(examples_[i]->x);
        }
    }

    void learn_tasks(const Rule& rule, size_t n_threads, size_t first, size_t last) {
        parallel_for(last - first, n_threads, rls_.scratches, [&](size_t k, Scratch& scratch) {
            const Task& task = tasks_[first + k];
            for (size_t visit = task.first; visit < task.last; ++visit) {
                const uint32_t i = visits_[visit];
                ExampleContext context{*examples_[i], scratch};
                if (rule.stores(rls_, *task.system, context, ln_ts_[i]))
                    rls_.store(*task.system, context, on(i), rule.selects());
            }
        });
    }

    void commit() {
        for (Task& task : tasks_) {
            task.system->before.reset();
            rls_.factor_bytes += task.system->factor_bytes() - task.factor_bytes;
        }
    }

    LeastSquares& rls_;
    const Labels& labels_;
    std::unique_ptr<std::optional<Example>[]> examples_;
    std::vector<char> masks_;  // for each example, whether each node is on
    Numbers ln_ts_;
    std::vector<Task> tasks_;
    std::vector<uint32_t> visits_;
    std::vector<char> stored_;                    // whether an example is made an instance
    size_t least_met_ = SIZE_MAX, most_met_ = 0;  // features, up to the last one
};

// w . x / (1 + r) of every node, Eq. (1): the instances of w include x.
inline Numbers scores_of(LeastSquares& rls, const Vector& x, size_t n_nodes) {
    Example example(x, rls.instances, rls.ids);
    ExampleContext context{example, rls.scratches[0]};
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
    ExampleContext context{example, rls.scratches[0]};
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
