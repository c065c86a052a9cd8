// Regularised least squares for many nodes over one set of stored instances.
#pragma once

#include <optional>
#include <variant>

#include "algorithms/dual.hpp"
#include "algorithms/primal.hpp"
#include "python/arrays.hpp"
#include "python/reentrancy_guard.hpp"

namespace river_hier {

// Nodes that share their instances, and how they are solved.
struct System {
    using Solver = std::variant<Dual, Primal>;

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

    double factor_bytes() {
        return dual() && dual()->has_factor() ? CholeskyFactor::bytes(dual()->n()) : 0.0;
    }

    // After `begin` a system in dual variables can be taken back to where it was; one in primal variables
    // only if it is copied.
    void begin(bool copied) {
        before = Before{dual() ? dual()->n() : 0, n_features, n_stored, std::nullopt};
        if (copied && primal()) before->solver.emplace(*primal());
    }
    bool reversible() { return dual() || before->solver; }
    void undo() {
        if (!before) return;
        n_features = before->n_features;
        n_stored = before->n_stored;
        if (before->solver) solver = std::move(*before->solver);
        if (dual()) dual()->truncate(before->n);
    }

    // Changes how the nodes are solved.
    void replace(Solver other) {
        if (before && !before->solver) before->solver = std::move(solver);
        solver = std::move(other);
    }

    struct Before {
        size_t n, n_features;
        double n_stored;
        std::optional<Solver> solver;  // if it has changed
    };

    std::vector<uint32_t> nodes;
    Solver solver;
    double n_stored = 0.0;  // the weight of all instances, including dropped ones
    size_t n_features = 0;  // up to the last one that it has met
    std::optional<Before> before;
};

// A system starts in dual variables. Once it holds as many instances as it has met features, the
// primal inverse is the smaller matrix, and it changes to that; if since then features have more than
// doubled, it changes back. Cholesky factors take at most `memory` bytes together; systems beyond take conjugate
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
    std::vector<Scratch> scratches{1};  // of each thread

    // One more than the last node of all systems.
    uint32_t n_nodes() const { return n_nodes_; }

    // Bytes of instances and systems.
    size_t memory_used() {
        size_t bytes = instances.bytes() + allocated(systems.capacity() * sizeof(System));
        for (System& system : systems)
            bytes += heap_bytes(system.nodes) +
                     system.apply([](auto& solver) { return solver.memory(); });
        return bytes;
    }

    void add_system(System system) {
        make_room(systems);
        count(system.nodes);
        factor_bytes += system.factor_bytes();
        systems.push_back(std::move(system));
    }

    // More nodes at a system, off on every instance so far.
    void add_outputs(size_t s, const std::vector<uint32_t>& nodes) {
        System& system = systems.at(s);
        make_room(system.nodes, nodes.size());
        system.apply([&](auto& solver) { solver.add_outputs(nodes.size()); });
        count(nodes);
        system.nodes.insert(system.nodes.end(), nodes.begin(), nodes.end());
    }

    // Removes the nodes and systems that were added after these, which have learned nothing.
    void remove_nodes(size_t n_systems, uint32_t n_nodes) {
        systems.erase(systems.begin() + std::min(n_systems, systems.size()), systems.end());
        for (System& system : systems) {
            while (!system.nodes.empty() && system.nodes.back() >= n_nodes) system.nodes.pop_back();
            system.apply([&](auto& solver) { solver.keep_outputs(system.nodes.size()); });
        }
        n_nodes_ = std::min(n_nodes_, n_nodes);
    }

    // How many examples the systems may take one after the other, each system all of them: while
    // `memory` lasts, or if there is none at all, they do not depend on each other. The examples
    // have at most so many features.
    size_t block_size(size_t n_features) {
        constexpr size_t most_dots = 1'000'000;
        // Dot products within a block are computed one by one, at a cost that grows with features.
        size_t most = n_features <= 1'000 ? 1'024 : 64;
        most = std::clamp<size_t>(most_dots / (instances.n() + 1), 1, most);
        while (most > 1 && memory >= sizeof(double) && !memory_lasts(most)) most /= 2;
        return most;
    }

    // Whether a system may change back to dual variables, which creates instances, within so many
    // examples, of which each has met at least `least` features and one `most`.
    static bool may_become_dual(System& system, size_t n_examples, size_t least, size_t most) {
        auto* dual = system.dual();
        const size_t d = dual ? std::max(system.n_features, least) : system.primal()->first_d();
        return far_more(most, d) && (!dual || dual->n() + n_examples >= d);
    }

    // Prepares a system for some examples, with features up to `n_features`, of which it may store all;
    // `bytes` are those of all factors then. The weights stay the same.
    void prepare(System& system, size_t n_examples, size_t n_features, double& bytes) {
        if (auto* primal = system.primal()) {
            if (!far_more(n_features, primal->first_d())) return primal->reserve(n_features);
            change_variables(system, "in_dual_variables");
            system.n_features = n_features;
        }
        auto* dual = system.dual();
        const double more = factor_growth(*dual, n_examples);
        if (bytes + more > memory) dual->drop_factor();
        if (dual->has_factor()) bytes += more;
    }

    // Adds x, where `on` are the nodes that are on.
    void store(System& system, ExampleContext& context, const char* on, bool eagerly) {
        const auto label = [&](size_t o) { return context.label(on[system.nodes[o]]); };
        system.apply([&](auto& solver) { solver.store(context, label, eagerly); });
        system.n_features = std::max(system.n_features, size_t{1} + context.x().rows.back());
        system.n_stored += context.example.weight;
        auto* dual = system.dual();
        const size_t d = system.n_features;
        if (dual && dual->n() >= d)
            change_variables(system, "in_primal_variables");
        else if (dual && budget && dual->n() > *budget)
            system.replace(dual->without_oldest(dual->n() - *budget / 2, instances, d));
    }

    // After some examples: drops those of their instances, from `first` on, that no system needs; and
    // all others once they may be many. If memory runs out, it does so later.
    void tidy(uint32_t first) {
        try {
            drop_unneeded(instances.n() < tidy_at_ ? first : 0);
        } catch (const std::bad_alloc&) {
        }
    }

    void drop_unneeded(uint32_t first) {
        std::vector<char> needed(instances.n() - first, 0);
        std::vector<uint32_t> number(needed.size());
        const auto each_id = [&](auto visit) {
            for (System& system : systems)
                if (auto* dual = system.dual())
                    for (size_t i = dual->n(); i-- > 0 && dual->ids[i] >= first;) visit(dual->ids[i]);
        };
        each_id([&](uint32_t id) { needed[id - first] = 1; });
        uint32_t next = first;
        for (size_t i = 0; i < needed.size(); ++i) number[i] = needed[i] ? next++ : 0;
        if (next < instances.n()) each_id([&](uint32_t& id) { id = number[id - first]; });
        if (first == 0) tidy_at_ = std::max(few_instances, 2 * size_t{next});
        instances.keep(first, needed);
    }

    // Replaces a system by how(l2, instances, system), all of them as in pickles.
    void change(System& system, nb::handle how);

    double factor_bytes = 0.0;  // of all factors

  private:
    static constexpr size_t few_instances = 1024;  // too few to look for those not needed

    // Whether features have more than doubled since there were d; a few more do not count.
    static bool far_more(size_t n_features, size_t d) { return n_features > 2 * d + 64; }

    void count(const std::vector<uint32_t>& nodes) {
        for (uint32_t v : nodes) n_nodes_ = std::max(n_nodes_, v + 1);
    }

    static double factor_growth(const Dual& dual, size_t n_examples) {
        return dual.has_factor() ? sizeof(double) * n_examples * (dual.n() + n_examples) : 0.0;
    }

    // Whether `memory` suffices if every system stores so many examples.
    bool memory_lasts(size_t n_examples) {
        double bytes = factor_bytes;
        for (System& system : systems)
            if (auto* dual = system.dual()) bytes += factor_growth(*dual, n_examples);
        return bytes <= memory;
    }

    // A change of variables. It needs a symmetric eigensolver, and numpy has one.
    void change_variables(System& system, const char* how) {
        nb::gil_scoped_acquire python;
        change(system, nb::module_::import_("river_hier._core.reference.least_squares").attr(how));
    }

    uint32_t n_nodes_ = 0;
    size_t tidy_at_ = few_instances;  // the number of instances at which `tidy` looks
};

}  // namespace river_hier
