// H-RLS and SH-RLS: regularised least squares at the nodes of a taxonomy, with features or a kernel
// (Cesa-Bianchi, Gentile and Zaniboni, 2006).
#pragma once

#include <optional>
#include <variant>

#include "algorithms/dual.hpp"
#include "algorithms/primal.hpp"
#include "store/labels.hpp"

namespace river_hier {

// The largest |x|^2 / l2 for which the digits of a double hold both.
constexpr double largest_ratio = 1e12;

// How the past is discounted: by `rate` after each `period` of examples, or never if that is 0.
struct Forgetting {
    double rate = 1.0;
    size_t period = 0;
};

// Nodes that share their instances, and how they are solved.
struct System {
    // Either solver: apply([](auto& solver) { ... }).
    template <class F>
    auto apply(F f) { return std::visit(f, solver); }

    Dual* dual() { return std::get_if<Dual>(&solver); }
    Primal* primal() { return std::get_if<Primal>(&solver); }

    std::vector<uint32_t> nodes;
    std::variant<Dual, Primal> solver;
    double n_stored = 0.0;  // the weight of all instances, including dropped ones
    uint64_t n_visits = 0;  // examples that it was trained on, counted where it forgets
    size_t n_features = 0;  // up to the last one that it has met
};

// A system starts in dual variables. Once it holds as many instances as it has met features, though at
// least `few` or a budget, the inverse in primal ones is the smaller matrix, and it changes to that for
// good. With more than `budget` instances a system in dual variables drops the older half. With a
// kernel all systems are dual, and instances and budgets are the caller's.
class LeastSquares {
  public:
    LeastSquares(double l2, std::optional<size_t> budget, Forgetting forgetting, bool kernel)
        : l2(l2), budget(budget), forgetting(forgetting), kernel(kernel) {}
    LeastSquares(const LeastSquares&) = delete;

    const double l2;
    const std::optional<size_t> budget;
    const Forgetting forgetting;
    const bool kernel;
    Instances instances;
    std::vector<System> systems;

    uint32_t n_nodes() const { return n_nodes_; }

    size_t bytes() {
        size_t bytes = instances.bytes() + heap_bytes(systems);
        for (System& system : systems)
            bytes += heap_bytes(system.nodes) + system.apply([](auto& solver) { return solver.bytes(); });
        return bytes;
    }

    void add_system(System system) {
        count(system.nodes);
        systems.push_back(std::move(system));
    }

    // More nodes at a system, off on every instance so far.
    void add_outputs(size_t s, const std::vector<uint32_t>& nodes) {
        System& system = systems.at(s);
        system.apply([&](auto& solver) { solver.add_outputs(nodes.size(), instances); });
        count(nodes);
        system.nodes.insert(system.nodes.end(), nodes.begin(), nodes.end());
    }

    // Fig. 3, step 4: nodes whose parents are truly on store x, if they are in doubt or, given `chosen`, if
    // they are among them. -> whether any does.
    bool learn(Example& example, const char* on, const Labels& labels, double c_ln_t,
               const std::vector<bool>* chosen = nullptr) {
        bool stored = false;
        for (System& system : systems) {
            const uint32_t first = system.nodes.empty() ? 0 : system.nodes[0];
            if (!labels.all_parents(on, first)) continue;
            const bool stores = in_doubt(system, example, chosen ? HUGE_VAL : c_ln_t);
            if (chosen ? chosen->at(first) : stores) {
                store(system, example, on);
                stored = true;
            }
            if (forgetting.period && ++system.n_visits % forgetting.period == 0) {
                system.n_stored *= forgetting.rate;
                system.apply([&](auto& solver) { solver.discount(forgetting.rate, instances); });
            }
        }
        if (instances.n() >= tidy_at_) {
            drop_unused();
            tidy_at_ = std::max(few_instances, 2 * size_t{instances.n()});
        }
        return stored;
    }

    // Fig. 3, step 2: from the top down, the nodes with w . x >= 0; 1 + r in Eq. (1) is positive.
    void top_down(const Example& example, const Labels& labels, std::vector<uint32_t>& on) {
        std::vector<char> mask(labels.n(), 0);
        mask[0] = 1;
        on.clear();
        for (System& system : systems) {
            const auto& nodes = system.nodes;  // the last ones may have no labels yet
            if (nodes.empty() || nodes[0] >= labels.n() || !labels.all_parents(mask.data(), nodes[0])) continue;
            find_scores(system, example);
            for (size_t o = 0; o < scores_.size(); ++o)
                if (nodes[o] < labels.n() && scores_[o] >= 0.0) {
                    mask[system.nodes[o]] = 1;
                    on.push_back(system.nodes[o]);
                }
        }
        std::sort(on.begin(), on.end());  // systems need not be in the order of their nodes
    }

    // For Eq. (1): w . x and r = x^T A^-1 x of each node.
    void solve(const Example& example, double* scores, double* rs) {
        for (System& system : systems) {
            find_scores(system, example);
            const double r = find_r(system, example);
            for (size_t o = 0; o < scores_.size(); ++o) {
                scores[system.nodes[o]] = scores_[o];
                rs[system.nodes[o]] = r;
            }
        }
    }

    // The numbers of the instances that systems use, in order; and new numbers for them, 0, 1, ...
    Ids used() {
        Ids used;
        each_id([&](uint32_t id) { used.push_back(id); });
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        return used;
    }
    void renumber(const Ids& used) {
        each_id([&](uint32_t& id) {
            id = static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), id) - used.begin());
        });
    }

    void drop_unused() {
        const Ids kept = used();
        if (kept.size() == instances.n()) return;
        instances.keep(kept);
        renumber(kept);
    }

  private:
    static constexpr size_t few = 64;  // instances
    static constexpr size_t few_instances = 1024;  // too few to look for those not used

    // Finds the scores, and the r if the system is to store x.
    bool in_doubt(System& system, const Example& example, double c_ln_t) {
        find_scores(system, example);
        double bound = HUGE_VAL;
        if (system.n_stored && !std::isinf(c_ln_t)) {
            // Section 8: |w . x| / (1 + r) <= sqrt(c ln t / N). 1 + r is at most `most`.
            if (scores_.size() != 1) throw nb::value_error("SH-RLS has a system for each node");
            bound = std::sqrt(c_ln_t / system.n_stored);
            const double most = 1.0 + example.norm2 / l2;
            if (std::fabs(scores_[0]) > bound * most) return false;
        }
        r_ = find_r(system, example);
        return bound == HUGE_VAL || std::fabs(scores_[0]) <= bound * (1.0 + r_);
    }

    void store(System& system, Example& example, const char* on) {
        if (system.dual() && example.number == no_row) example.number = instances.append(example.x);
        system.apply([&](auto& solver) {
            solver.store(example, scores_.data(), r_, [&](size_t o) { return on[system.nodes[o]]; });
        });
        system.n_stored += example.weight;
        Dual* dual = system.dual();
        if (kernel) return;
        system.n_features = std::max(system.n_features, size_t{1} + example.x.rows.back());
        const size_t enough = std::min(few, budget.value_or(few));
        if (dual && dual->n() >= std::max(enough, system.n_features)) {
            system.solver = in_primal_variables(*dual, system.n_features);
            tidy_at_ = 0;  // its instances may not be used any more
        } else if (dual && budget && dual->n() > *budget)
            dual->drop_oldest(dual->n() - *budget / 2, instances, system.n_features);
    }

    // The same system, which has learned the same instances one after the other. No budget has dropped
    // any yet: where one has, there are more features than it allows for instances.
    Primal in_primal_variables(const Dual& dual, size_t n_features) {
        Numbers scores(dual.outputs.size());
        Primal primal(l2, std::vector<Numbers>(scores.size(), Numbers(n_features, 0.0)));
        for (size_t i = 0; i < dual.n(); ++i) {
            const Example past(instances[dual.ids[i]], dual.ones[i] * dual.ones[i]);
            primal.scores(past, instances, scores.data());
            primal.store(past, scores.data(), primal.r(past, instances),
                         [&](size_t o) { return dual.outputs[o].y[i] > 0.0; });
        }
        return primal;
    }

    void find_scores(System& system, const Example& example) {
        scores_.resize(system.nodes.size());
        system.apply([&](auto& solver) { solver.scores(example, instances, scores_.data()); });
    }

    double find_r(System& system, const Example& example) {
        return system.apply([&](auto& solver) { return solver.r(example, instances); });
    }

    void count(const std::vector<uint32_t>& nodes) {
        for (uint32_t v : nodes) n_nodes_ = std::max(n_nodes_, v + 1);
    }

    template <class Visit>
    void each_id(Visit visit) {
        for (System& system : systems)
            if (Dual* dual = system.dual())
                for (uint32_t& id : dual->ids) visit(id);
    }

    uint32_t n_nodes_ = 0;
    size_t tidy_at_ = few_instances;  // the number of instances at which `learn` looks
    Numbers scores_;  // w . x of the nodes of a system
    double r_ = 0.0;
};

}  // namespace river_hier
