// Regularised least squares for many nodes over one set of stored instances.
#pragma once

#include <atomic>
#include <memory>

#include "at_work.hpp"
#include "changes.hpp"
#include "iterative.hpp"
#include "labels.hpp"

namespace river_hier {

// The nodes that share their instances, and how they are solved.
struct System {
    std::vector<uint32_t> nodes;
    size_t n_stored = 0;
    size_t n_features = 0;  // up to the last one that it has met
    std::unique_ptr<Solver> solver;
};

// A system starts with a factor in dual variables. Once it holds as many instances as it has
// met features, the primal inverse is the smaller one, and it goes over to that; if then far more
// features appear, it goes back. A factor for which `memory` bytes do not suffice, all factors
// together, gives way to conjugate gradients. The weights are the same. With more than `budget`
// instances a system in dual variables forgets the older half. While `memory` lasts, the numbers of a
// system depend on no other system.
class LeastSquares : public Shared {
  public:
    static constexpr size_t unlimited = SIZE_MAX;

    LeastSquares(double l2, double memory, size_t budget)
        : l2(l2), memory(memory), budget(budget) {}
    LeastSquares(const LeastSquares&) = delete;

    // One more than the last node of all systems.
    uint32_t n_nodes() const { return n_nodes_; }

    void add_system(std::vector<uint32_t> nodes) {
        count(nodes);
        System system;
        system.solver = std::make_unique<Direct>(nodes.size(), l2);
        system.nodes = std::move(nodes);
        systems.push_back(std::move(system));
    }

    // More nodes at a system, off in all that is stored.
    void add_outputs(size_t s, const std::vector<uint32_t>& nodes) {
        count(nodes);
        systems.at(s).solver->add_outputs(nodes.size());
        systems[s].nodes.insert(systems[s].nodes.end(), nodes.begin(), nodes.end());
    }

    // How many examples the systems may take one after the other, each all of them: while `memory`
    // lasts, or if there is none at all, they do not depend on each other. The examples have no more
    // features than that.
    size_t at_once(size_t n_features) const {
        constexpr size_t most_dots = 1'000'000;
        const size_t n = instances.n(), until_tidied = many_ > n ? many_ - n : 1;
        // Of instances of one block, dot products are taken one by one, which costs the more the
        // more features there are.
        size_t most = n_features <= 1'000 ? 1'024 : 64;
        most = std::clamp<size_t>(std::min(most_dots / (n + 1), until_tidied), 1, most);
        while (most > 1 && !lasts(most)) most /= 2;
        return most;
    }

    // Whether the system could go back to dual variables, which makes new instances, at so many
    // examples, of which each has met at least so many features and one so many.
    static bool may_go_back(const System& system, size_t n_examples, size_t least,
                            size_t n_features) {
        auto* dual = system.solver->dual();
        const size_t d = dual ? std::max(system.n_features, least) : system.n_features;
        return n_features > 2 * d + few_features && (!dual || dual->n() + n_examples >= d);
    }

    // Of the instances from `first` on keep these, and so many features.
    void keep(uint32_t first, const std::vector<uint32_t>& kept, size_t n_features) {
        std::vector<uint32_t> renumbered(instances.n() - first);
        for (uint32_t i = 0; i < kept.size(); ++i) renumbered[kept[i] - first] = first + i;
        for (System& system : systems)
            if (auto* dual = system.solver->dual())
                for (size_t i = dual->n(); i-- > 0 && dual->ids[i] >= first;)
                    dual->ids[i] = renumbered[dual->ids[i] - first];
        instances.keep(first, kept, n_features);
    }

    // Take in x with its labels, after `solve`.
    void store(System& system, Visit& visit, const double* v, double r) {
        if (prepare(system, visit.x)) r = system.solver->solve(visit);
        system.solver->store(visit, v, r);
        settle(system);
    }

    // Take in x with its labels, without a `solve`.
    void append(System& system, Visit& visit, const double* v) {
        prepare(system, visit.x);
        system.solver->append(visit, v);
        settle(system);
    }

    const double l2;
    const double memory;
    const size_t budget;
    Instances instances;
    ExampleBuffers buffers;
    std::vector<System> systems;

    // Features that some system has met.
    size_t n_features() const {
        size_t n = instances.n_features();
        for (const System& system : systems) n = std::max(n, system.n_features);
        return n;
    }

    // Drop the instances that nobody needs any more; between two examples.
    [[gnu::cold]] void tidy() {
        if (instances.n() < many_) return;
        std::vector<char> needed(instances.n(), 0);
        for (System& system : systems)
            if (auto* dual = system.solver->dual())
                for (uint32_t number : dual->ids) needed[number] = 1;
        std::vector<uint32_t> kept;
        for (uint32_t i = 0; i < instances.n(); ++i)
            if (needed[i]) kept.push_back(i);
        if (kept.size() < instances.n()) keep(0, kept, instances.n_features());
        many_ = std::max(few_instances, 2 * kept.size());
    }

    // Memory that factors and inverses take.
    [[gnu::cold]] size_t n_bytes() const {
        size_t bytes = used_;
        for (const System& system : systems)
            if (auto* primal = system.solver->primal())
                bytes += primal->d() * primal->d() * sizeof(double);
        return bytes;
    }

    // Count the bytes of all factors anew.
    [[gnu::cold]] void recount() {
        used_ = 0;
        for (const System& system : systems) used_ += bytes(system);
    }

  private:
    // Whether `memory` does if every system stores so many examples.
    bool lasts(size_t n_examples) const {
        if (memory < sizeof(double)) return true;  // there are no factors
        size_t numbers = 0;
        for (const System& system : systems)
            if (auto* direct = system.solver->direct())
                numbers += n_examples * (direct->n() + n_examples);
        return static_cast<double>(used_ + numbers * sizeof(double)) <= memory;
    }

    // With fewer instances it is not worth while to look for those that nobody needs.
    static constexpr size_t few_instances = 1024;

    void count(const std::vector<uint32_t>& nodes) {
        for (uint32_t v : nodes) n_nodes_ = std::max(n_nodes_, v + 1);
    }

    // A few features more are no reason to leave primal variables, or to change back and forth.
    static constexpr size_t few_features = 64;

    // Change the solver if it cannot take x. Returns whether it has changed.
    bool prepare(System& system, const Vector& x) {
        const size_t met = std::max(system.n_features, size_t{1} + x.rows.back());
        bool changed = false;
        if (auto* primal = system.solver->primal())
            if (met > 2 * primal->d() + few_features) {
                system.solver = to_dual(*primal, instances, l2);
                used_ += bytes(system);
                changed = true;
            }
        system.n_features = met;  // not before: numpy may have thrown
        if (auto* direct = system.solver->direct()) {
            const size_t row = (direct->n() + 1) * sizeof(double);
            if (static_cast<double>(used_ + row) > memory) {
                used_ -= bytes(system);
                system.solver = std::make_unique<Iterative>(*direct);
                changed = true;
            } else {
                used_ += row;
            }
        }
        return changed;
    }

    void settle(System& system) {
        ++system.n_stored;
        auto* dual = system.solver->dual();
        if (!dual) return;
        const size_t before = bytes(system);
        if (dual->n() >= system.n_features)
            system.solver = to_primal(*dual, instances, l2, system.n_features);
        else if (dual->n() > budget)
            dual->forget(dual->n() - budget / 2, instances, system.n_features);
        used_ += bytes(system) - before;
    }

    // Of its factor, if it has one.
    static size_t bytes(const System& system) {
        auto* direct = system.solver->direct();
        return direct ? Factor::bytes(direct->n()) : 0;
    }


    std::atomic<size_t> used_{0};  // bytes of all factors
    uint32_t n_nodes_ = 0;
    size_t many_ = few_instances;  // instances at which to look
};

}  // namespace river_hier
