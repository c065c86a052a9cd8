// Regularised least squares for many nodes over one set of stored instances.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <numeric>

#include "arrays.hpp"
#include "at_work.hpp"
#include "direct.hpp"
#include "iterative.hpp"
#include "labels.hpp"
#include "primal.hpp"

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

    Visit visit(const Vector& x) { return Visit(x, instances, buffers, 0); }

    // How many examples the systems may take one after the other, each all of them: while `memory`
    // lasts, they do not depend on each other.
    size_t at_once() const {
        constexpr size_t most_dots = 4'000'000, most = VisitBuffers::most;
        double needed = static_cast<double>(used_);
        for (const System& system : systems)
            if (auto* direct = system.solver->direct())
                needed += static_cast<double>(most * (direct->n() + most) * sizeof(double));
        const size_t n = instances.n(), until_tidied = many_ > n ? many_ - n : 1;
        if (needed > memory) return 1;
        return std::clamp<size_t>(std::min(most_dots / (n + 1), until_tidied), 1, most);
    }

    // They have; the instances from `first` on belong to these examples, and shall be in their order.
    void done_at_once(uint32_t first, const std::vector<size_t>& examples) {
        for (size_t place = 1; place < VisitBuffers::most; ++place) buffers.dots[place] = Numbers();
        if (std::is_sorted(examples.begin(), examples.end())) return;
        std::vector<uint32_t> order(examples.size()), renumbered(examples.size());
        std::iota(order.begin(), order.end(), first);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return std::make_pair(examples[a - first], a) < std::make_pair(examples[b - first], b);
        });
        for (uint32_t i = 0; i < order.size(); ++i) renumbered[order[i] - first] = first + i;
        instances.reorder(first, order);
        for (System& system : systems)
            if (auto* dual = system.solver->dual())
                for (uint32_t& number : dual->ids)
                    if (number >= first) number = renumbered[number - first];
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
    VisitBuffers buffers;
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
        std::vector<Dual*> duals;
        for (System& system : systems)
            if (auto* dual = system.solver->dual()) duals.push_back(dual);
        for (Dual* dual : duals)
            for (uint32_t number : dual->ids) needed[number] = 1;
        std::vector<uint32_t> kept, renumbered(instances.n());
        for (uint32_t i = 0; i < instances.n(); ++i) {
            renumbered[i] = static_cast<uint32_t>(kept.size());
            if (needed[i]) kept.push_back(i);
        }
        if (kept.size() < instances.n()) {
            instances = instances.chosen(kept);
            for (Dual* dual : duals)
                for (uint32_t& number : dual->ids) number = renumbered[number];
        }
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
        for (const System& system : systems)
            if (auto* direct = system.solver->direct())
                used_ += Factor::bytes(direct->n());
    }

  private:
    // With fewer instances it is not worth while to look for those that nobody needs.
    static constexpr size_t few_instances = 1024;
    void count(const std::vector<uint32_t>& nodes) {
        for (uint32_t v : nodes) n_nodes_ = std::max(n_nodes_, v + 1);
    }

    // A few features more are no reason to leave primal variables, or to change back and forth.
    static constexpr size_t few_features = 64;

    // Change the solver if it cannot take x. Returns whether it has changed.
    bool prepare(System& system, const Vector& x) {
        system.n_features = std::max(system.n_features, size_t{1} + x.rows.back());
        bool changed = false;
        if (auto* primal = system.solver->primal())
            if (system.n_features > 2 * primal->d() + few_features) {
                system.solver = to_dual(*primal);
                recount();
                changed = true;
            }
        if (auto* direct = system.solver->direct()) {
            const size_t row = (direct->n() + 1) * sizeof(double);
            if (static_cast<double>(used_ + row) > memory) {
                used_ -= Factor::bytes(direct->n());
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
        if (dual->n() >= system.n_features)
            system.solver = to_primal(*dual, system.n_features);
        else if (dual->n() > budget)
            dual->forget(dual->n() - budget / 2, instances, system.n_features);
        else
            return;
        recount();
    }

    // Both changes of variables are rare and want a symmetric eigensolver: numpy has one.

    [[gnu::cold]] std::unique_ptr<Solver> to_primal(Dual& dual, size_t n_features) const {
        nb::gil_scoped_acquire python;  // a batch comes without
        Numbers S(dual.n() * n_features, 0.0);
        for (size_t i = 0; i < dual.n(); ++i) instances.add_to(dual.ids[i], 1.0, &S[i * n_features]);
        const Numbers w = dual.weights(instances, n_features);
        nb::object inverse = changes().attr("inverse")(matrix(S, dual.n(), n_features), l2);
        Numbers total(n_features, 0.0);
        for (size_t i = 0; i < dual.n(); ++i)
            for (size_t j = 0; j < n_features; ++j)
                total[j] += dual.ones[i] * S[i * n_features + j];
        return std::make_unique<Primal>(l2, n_features, dual.n_outputs(), numbers(inverse).data(),
                                        w.data(), total.data());
    }

    [[gnu::cold]] std::unique_ptr<Solver> to_dual(Primal& primal) {
        nb::gil_scoped_acquire python;
        const size_t d = primal.d(), m = primal.n_outputs();
        nb::tuple found = nb::cast<nb::tuple>(changes().attr("instances")(
            matrix(primal.inverse(), d, d), matrix(primal.weights(instances, d), d, m),
            array(primal.total()), l2));
        const Numbers S = numbers(found[0]), diagonal = numbers(found[1]), v = numbers(found[2]),
                      ones = numbers(found[3]);
        auto direct = std::make_unique<Direct>(m, l2);
        Vector x;
        for (uint32_t j = 0; j < d; ++j) x.rows.push_back(j);
        for (size_t i = 0; i < diagonal.size(); ++i) {
            x.values.assign(&S[i * d], &S[i * d] + d);
            x.norm2 = 0.0;
            for (double value : x.values) x.norm2 += value * value;
            direct->ids.push_back(instances.append(x));
            direct->ones.push_back(ones[i]);
            for (size_t o = 0; o < m; ++o) direct->v[o].push_back(v[i * m + o]);
            const Numbers zeros(i);  // the instances are orthogonal
            direct->append_row(zeros.data(), diagonal[i]);
        }
        return direct;
    }

    static nb::object changes() {
        return nb::module_::import_("river_hier._kernels.change_of_variables");
    }

    size_t used_ = 0;  // bytes of all factors
    uint32_t n_nodes_ = 0;
    size_t many_ = few_instances;  // instances at which to look
};

}  // namespace river_hier
