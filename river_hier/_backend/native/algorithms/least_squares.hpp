// Regularised least squares for many nodes over one set of stored instances.
#pragma once

#include <atomic>
#include <optional>
#include <variant>

#include "python/arrays.hpp"
#include "algorithms/dual.hpp"
#include "algorithms/primal.hpp"
#include "python/reentrancy_guard.hpp"

namespace river_hier {

// Nodes that share their instances, and how they are solved.
struct System {
    System(const std::vector<uint32_t>& nodes, double l2)
        : nodes(nodes), solver(Dual(nodes.size(), l2)) {}

    Dual* dual() { return std::get_if<Dual>(&solver); }
    Primal* primal() { return std::get_if<Primal>(&solver); }

    // Either solver: apply([](auto& solver) { ... }).
    template <class F>
    auto apply(F f) {
        return std::visit(f, solver);
    }

    double solve(ExampleContext& context) {
        return apply([&](auto& solver) { return solver.solve(context); });
    }
    void scores(ExampleContext& context, double* scores) {
        apply([&](auto& solver) { solver.scores(context, scores); });
    }
    size_t factor_bytes() { return dual() ? dual()->factor_bytes() : 0; }

    std::vector<uint32_t> nodes;
    std::variant<Dual, Primal> solver;
    double n_stored = 0.0;  // the weight of all instances, including dropped ones
    size_t n_features = 0;  // up to the last one that it has met
};

// A system starts in dual variables. Once it holds as many instances as it has met features, the
// primal inverse is the smaller matrix, and it changes to that; if then far more features appear, it
// changes back. Cholesky factors take at most `memory` bytes together; systems beyond take conjugate
// gradients. With more than `budget` instances a system in dual variables forgets the older half.
// The weights are the same. While `memory` lasts, no system depends on another one.
class LeastSquares : public Guarded {
  public:
    LeastSquares(double l2, double memory, std::optional<size_t> budget)
        : l2(l2), memory(memory), budget(budget) {}
    LeastSquares(const LeastSquares&) = delete;

    const double l2, memory;
    const std::optional<size_t> budget;
    Instances instances;
    std::vector<System> systems;
    ExampleIds ids;
    Scratch scratch;

    // One more than the last node of all systems.
    uint32_t n_nodes() const { return n_nodes_; }

    // Features that some system has met.
    size_t n_features() const {
        size_t n = instances.n_features();
        for (const System& system : systems) n = std::max(n, system.n_features);
        return n;
    }

    // Bytes of factors and inverses.
    size_t n_bytes() {
        size_t bytes = factor_bytes_;
        for (System& system : systems)
            if (auto* primal = system.primal()) bytes += primal->d() * primal->d() * sizeof(double);
        return bytes;
    }

    // Bytes of instances and systems.
    size_t memory_used() {
        size_t bytes = instances.bytes() + allocated(systems.capacity() * sizeof(System));
        for (System& system : systems)
            bytes += heap_bytes(system.nodes) +
                     system.apply([](auto& solver) { return solver.memory(); });
        return bytes;
    }

    void add_system(System system) {
        count(system.nodes);
        systems.push_back(std::move(system));
    }

    // More nodes at a system, off on every instance so far.
    void add_outputs(size_t s, const std::vector<uint32_t>& nodes) {
        System& system = systems.at(s);
        count(nodes);
        system.apply([&](auto& solver) { solver.add_outputs(nodes.size()); });
        system.nodes.insert(system.nodes.end(), nodes.begin(), nodes.end());
    }

    // Adds x with its labels, which are 1 or -1 times the root of its weight. If `lazily`, what has
    // not been solved for x is solved when it is needed.
    void store(System& system, ExampleContext& context, const double* labels, bool lazily) {
        prepare(system, context.x());
        system.apply([&](auto& solver) { solver.store(context, labels, lazily); });
        system.n_stored += context.example.weight;
        settle(system);
    }

    // How many examples the systems may take one after the other, each system all of them: while
    // `memory` lasts, or if there is none at all, they do not depend on each other. The examples
    // have at most so many features.
    size_t block_size(size_t n_features) {
        constexpr size_t most_dots = 1'000'000;
        // Dot products within a block are computed one by one, at a cost that grows with features.
        size_t most = n_features <= 1'000 ? 1'024 : 64;
        most = std::clamp<size_t>(most_dots / (instances.n() + 1), 1, most);
        while (most > 1 && !memory_lasts(most)) most /= 2;
        return most;
    }

    // Whether a system may change back to dual variables, which creates instances, within so many
    // examples, of which each has met at least `least` features and one `most`.
    static bool may_become_dual(System& system, size_t n_examples, size_t least, size_t most) {
        auto* dual = system.dual();
        const size_t d = dual ? std::max(system.n_features, least) : system.n_features;
        return far_more(most, d) && (!dual || dual->n() + n_examples >= d);
    }

    // After some examples: drops those of their instances, from `first` on, that no system needs; and
    // all others once they may be many.
    void tidy(uint32_t first) { drop_unneeded(instances.n() < tidy_at_ ? first : 0); }

    void drop_unneeded(uint32_t first) {
        std::vector<char> needed(instances.n() - first, 0);
        const auto each_id = [&](auto visit) {
            for (System& system : systems)
                if (auto* dual = system.dual())
                    for (size_t i = dual->n(); i-- > 0 && dual->ids[i] >= first;) visit(dual->ids[i]);
        };
        each_id([&](uint32_t id) { needed[id - first] = 1; });
        std::vector<uint32_t> number;
        uint32_t next = first;
        for (char one : needed) number.push_back(one ? next++ : 0);
        if (next < instances.n()) each_id([&](uint32_t& id) { id = number[id - first]; });
        instances.keep(first, needed);
        if (first == 0) tidy_at_ = std::max(few_instances, 2 * size_t{next});
    }

    // Replaces a system by how(l2, instances, system), all of them as in pickles.
    void change(System& system, nb::handle how);

    void recount_bytes() {
        factor_bytes_ = 0;
        for (System& system : systems) factor_bytes_ += system.factor_bytes();
    }

  private:
    static constexpr size_t few_instances = 1024;  // too few to look for those not needed

    // Whether features that are new make a primal matrix of d features too large.
    static bool far_more(size_t n_features, size_t d) { return n_features > 2 * d + 64; }

    void count(const std::vector<uint32_t>& nodes) {
        for (uint32_t v : nodes) n_nodes_ = std::max(n_nodes_, v + 1);
    }

    // Whether `memory` suffices if every system stores so many examples.
    bool memory_lasts(size_t n_examples) {
        if (memory < sizeof(double)) return true;  // there are no factors
        size_t numbers = 0;
        for (System& system : systems)
            if (auto* dual = system.dual(); dual && dual->has_factor())
                numbers += n_examples * (dual->n() + n_examples);
        return static_cast<double>(factor_bytes_ + numbers * sizeof(double)) <= memory;
    }

    // Changes the solver if it cannot take x.
    void prepare(System& system, const Vector& x) {
        const size_t met = std::max(system.n_features, size_t{1} + x.rows.back());
        if (auto* primal = system.primal(); primal && far_more(met, primal->d())) {
            change_variables(system, "in_dual_variables");
            factor_bytes_ += system.factor_bytes();
        }
        system.n_features = met;  // not before: numpy may have thrown
        auto* dual = system.dual();
        if (!dual || !dual->has_factor()) return;
        const size_t row = (dual->n() + 1) * sizeof(double);
        if (static_cast<double>(factor_bytes_ + row) > memory) {
            factor_bytes_ -= dual->factor_bytes();
            dual->drop_factor();
        } else {
            factor_bytes_ += row;
        }
    }

    // Makes a system smaller that has grown too large.
    void settle(System& system) {
        auto* dual = system.dual();
        if (!dual) return;
        const size_t before = dual->factor_bytes();
        if (dual->n() >= system.n_features)
            change_variables(system, "in_primal_variables");
        else if (budget && dual->n() > *budget)
            dual->forget(dual->n() - *budget / 2, instances, system.n_features);
        factor_bytes_ += system.factor_bytes() - before;
    }

    // A change of variables. It needs a symmetric eigensolver, and numpy has one.
    void change_variables(System& system, const char* how) {
        nb::gil_scoped_acquire python;
        const auto numpy_part = nb::module_::import_("river_hier._backend.reference.least_squares");
        change(system, numpy_part.attr(how));
    }

    std::atomic<size_t> factor_bytes_{0};  // of all factors
    uint32_t n_nodes_ = 0;
    size_t tidy_at_ = few_instances;  // the number of instances at which `tidy` looks
};

}  // namespace river_hier
