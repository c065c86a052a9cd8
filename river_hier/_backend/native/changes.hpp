// Least squares from dual to primal variables, and back.
//
// Both are rare and want a symmetric eigensolver: numpy has one. A batch, and its threads, come
// without Python's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "arrays.hpp"
#include "direct.hpp"
#include "primal.hpp"

namespace river_hier {

inline nb::object reference() {
    return nb::module_::import_("river_hier._backend.reference.least_squares");
}

[[gnu::cold]] inline std::unique_ptr<Solver> to_primal(Dual& dual, const Instances& instances,
                                                       double l2, size_t n_features) {
    nb::gil_scoped_acquire python;
    Numbers S(dual.n() * n_features, 0.0);
    for (size_t i = 0; i < dual.n(); ++i) instances.add_to(dual.ids[i], 1.0, &S[i * n_features]);
    const Numbers w = dual.weights(instances, n_features);
    nb::object inverse = reference().attr("primal_inverse")(matrix(S, dual.n(), n_features), l2);
    Numbers total(n_features, 0.0);
    for (size_t i = 0; i < dual.n(); ++i)
        for (size_t j = 0; j < n_features; ++j) total[j] += dual.ones[i] * S[i * n_features + j];
    return std::make_unique<Primal>(l2, n_features, dual.n_outputs(), numbers(inverse).data(),
                                    w.data(), total.data());
}

// Its instances are new.
[[gnu::cold]] inline std::unique_ptr<Solver> to_dual(Primal& primal, Instances& instances,
                                                     double l2) {
    nb::gil_scoped_acquire python;
    const size_t d = primal.d(), m = primal.n_outputs();
    nb::tuple found = nb::cast<nb::tuple>(reference().attr("equivalent_instances")(
        matrix(primal.inverse(), d, d), matrix(primal.weights(instances, d), d, m),
        array(primal.total()), l2));
    const Numbers S = numbers(found[0]), v = numbers(found[1]), ones = numbers(found[2]);
    auto direct = std::make_unique<Direct>(m, l2);
    Vector x;
    for (uint32_t j = 0; j < d; ++j) x.rows.push_back(j);
    for (size_t i = 0; i < ones.size(); ++i) {
        x.values.assign(&S[i * d], &S[i * d] + d);
        x.norm2 = 0.0;
        for (double value : x.values) x.norm2 += value * value;
        direct->ids.push_back(instances.append(x));
        direct->ones.push_back(ones[i]);
        for (size_t o = 0; o < m; ++o) direct->v[o].push_back(v[i * m + o]);
    }
    return direct;
}

}  // namespace river_hier
