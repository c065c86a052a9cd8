// Pickles: the same plain arrays that the reference writes, checked by it when they come back.
#pragma once

#include "arrays.hpp"
#include "least_squares.hpp"
#include "weights.hpp"

namespace river_hier {

template <class... State>
nb::object saved(const char* kind, State&&... state) {
    return nb::module_::import_("river_hier._backend.reference.pickles")
        .attr("saved")(kind, std::forward<State>(state)...);
}

// The entries of a plane that are not zero, row by row.
inline nb::object save_rows(const Weights& w, size_t plane) {
    std::vector<int64_t> start{0};
    std::vector<uint32_t> nodes;
    Numbers numbers;
    size_t last = 0;
    for (size_t row = 0; row < w->n_features(); ++row) {
        w->row(plane, row, nodes, numbers);
        start.push_back(static_cast<int64_t>(nodes.size()));
        if (start.back() > start[row]) last = row + 1;
    }
    start.resize(last + 1);
    return nb::make_tuple(array(start), array(nodes), array(numbers).attr("astype")(w.dtype()));
}

// Of weights, after what they were made from, the rows of each plane.
inline nb::object save(const char* kind, const Weights& w) {
    nb::list state;
    for (size_t plane = 0; plane < w.n_planes(); ++plane) state.append(save_rows(w, plane));
    return saved(kind, w.n_nodes(), w.dtype(), *state);
}

inline void load_rows(Weights& w, size_t plane, nb::handle parts) {
    const auto start = numbers_of<int64_t>(parts[0]);
    const auto nodes = numbers_of<uint32_t>(parts[1]);
    const auto all = numbers(parts[2].attr("astype")("float64"));
    Vector x{{0}, {1.0}, 1.0};
    for (size_t row = 0; row + 1 < start.size(); ++row) {
        x.rows[0] = static_cast<uint32_t>(row);
        w->add(plane, x, Nodes(nodes.begin() + start[row], nodes.begin() + start[row + 1]),
               Numbers(all.begin() + start[row], all.begin() + start[row + 1]));
    }
}

// A matrix (instances, outputs) from columns, and back.
inline nb::object save_columns(const std::vector<Numbers>& columns, size_t n) {
    Numbers all;
    for (const Numbers& column : columns) all.insert(all.end(), column.begin(), column.end());
    return nb::module_::import_("numpy").attr("ascontiguousarray")(
        matrix(all, columns.size(), n).attr("T"));
}

inline std::vector<Numbers> load_columns(nb::handle matrix, size_t n, size_t m) {
    const Numbers all = numbers(matrix);
    std::vector<Numbers> columns(m, Numbers(n));
    for (size_t i = 0; i < n; ++i)
        for (size_t o = 0; o < m; ++o) columns[o][i] = all[i * m + o];
    return columns;
}

// A system by what defines it. In dual variables these are its instances and labels: a factor is
// computed from them when it is needed. In primal variables the instances are gone, all but their
// sums.
inline nb::object save(System& system, const Instances& instances) {
    nb::list nodes;
    for (uint32_t v : system.nodes) nodes.append(v);
    if (auto* primal = system.solver->primal()) {
        const size_t d = primal->d(), m = primal->n_outputs();
        return nb::make_tuple("primal", nodes, system.n_stored, matrix(primal->inverse(), d, d),
                              matrix(primal->weights(instances, d), d, m), array(primal->total()));
    }
    auto* dual = static_cast<Dual*>(system.solver.get());
    nb::object ids = array(dual->ids), ones = array(dual->ones),
               v = save_columns(dual->v, dual->n());
    nb::object w0 = save_columns(dual->w0.empty() ? std::vector<Numbers>(dual->n_outputs()) : dual->w0,
                                 dual->w0.empty() ? 0 : dual->w0[0].size());
    const char* kind = dual->direct() ? "cholesky" : "cg";
    return nb::make_tuple(kind, nodes, system.n_stored, ids, ones, v, w0);
}

inline nb::object save(const Instances& instances) {
    std::vector<uint64_t> start(instances.start().begin(), instances.start().end());
    return nb::make_tuple(array(start), array(instances.rows()), array(instances.values()),
                          array(instances.norms2()));
}

inline nb::object save(LeastSquares& rls) {
    nb::list systems;
    for (System& system : rls.systems) systems.append(save(system, rls.instances));
    nb::object parts = save(rls.instances);
    nb::object budget =
        rls.budget == LeastSquares::unlimited ? nb::none() : nb::object(nb::int_(rls.budget));
    return saved("LeastSquares", rls.l2, rls.memory, budget, parts, systems);
}

// Systems as they were saved, and their instances; both come after those that are there.
inline void load(LeastSquares& rls, nb::handle parts, nb::handle systems) {
    const auto start = numbers_of<uint64_t>(parts[0]);
    const auto rows = numbers_of<uint32_t>(parts[1]);
    const Numbers values = numbers(parts[2]), norms2 = numbers(parts[3]);
    const uint32_t first = rls.instances.n();
    for (size_t i = 0; i + 1 < start.size(); ++i) {
        Vector x;
        x.rows.assign(rows.begin() + start[i], rows.begin() + start[i + 1]);
        x.values.assign(values.begin() + start[i], values.begin() + start[i + 1]);
        x.norm2 = norms2[i];
        rls.instances.append(x);
    }
    for (nb::handle saved : systems) {
        const auto kind = nb::cast<std::string>(saved[0]);
        std::vector<uint32_t> nodes;
        for (nb::handle v : saved[1]) nodes.push_back(nb::cast<uint32_t>(v));
        const size_t m = nodes.size();
        rls.add_system(std::move(nodes));
        System& system = rls.systems.back();
        system.n_stored = nb::cast<size_t>(saved[2]);
        if (kind == "primal") {
            const Numbers total = numbers(saved[5]);
            system.n_features = total.size();
            system.solver = std::make_unique<Primal>(rls.l2, total.size(), m, numbers(saved[3]).data(),
                                                     numbers(saved[4]).data(), total.data());
            continue;
        }
        auto direct = std::make_unique<Direct>(m, rls.l2);
        direct->ids = numbers_of<uint32_t>(saved[3]);
        for (uint32_t& number : direct->ids) number += first;
        direct->ones = numbers(saved[4]);
        direct->v = load_columns(saved[5], direct->n(), m);
        const size_t d = nb::cast<size_t>(saved[6].attr("shape")[0]);
        if (d) direct->w0 = load_columns(saved[6], d, m);
        rls.instances.know(d);
        system.n_features = d;
        for (uint32_t number : direct->ids)
            system.n_features = std::max(system.n_features, rls.instances.features_of(number));
        if (kind == "cg") {
            system.solver = std::make_unique<Iterative>(*direct);
            continue;
        }
        system.solver = std::move(direct);
    }
    rls.recount();
}

// Put in the place of a system what `how` makes of it and of the instances.
inline void change(LeastSquares& rls, size_t s, nb::handle how) {
    AtWork work(rls);  // other threads may come in there
    const nb::object changed = how(save(rls.instances), save(rls.systems.at(s), rls.instances));
    load(rls, changed[0], changed[1]);
    rls.systems[s] = std::move(rls.systems.back());
    rls.systems.pop_back();
    rls.recount();
}

}  // namespace river_hier
