// Declarations shared by the files of this folder.
#pragma once

#include "python/arrays.hpp"
#include "store/feature_map.hpp"
#include "store/rows.hpp"
#include "store/weights.hpp"

namespace river_hier {

// A number for each node.
using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

inline const double* checked(const Values& values, size_t n) {
    ensure(values.ndim() == 1 && values.size() == n, "a number for each node");
    return values.data();
}

// Weights that no other thread uses, and that fit the taxonomy: a pickle may lie.
inline Weights& ready(Weights& w, const Labels& labels) {
    if (not_in_use(w).n_nodes() < labels.n()) throw nb::value_error("fewer weights than nodes");
    return w;
}

inline Weights* ready(Weights* lag, const Clocks* clocks, const Labels& labels) {
    ensure(!lag || (clocks && clocks->since.size() >= labels.n() &&
                    clocks->learned.size() == clocks->since.size()),
           "a clock for each node");
    return lag ? &ready(*lag, labels) : nullptr;
}

inline const Vector& find(const Weights& w, FeatureMap& features, nb::handle x) {
    const Vector& vector = features.find(x);
    w.check_range(vector.norm2);
    return vector;
}

// Which nodes are on in each of n rows; `predict(i, on)` lists those of row i.
template <class Predict>
nb::object masks(size_t n, const Labels& labels, Predict predict) {
    const size_t width = labels.n();
    const auto mask = std::make_unique<bool[]>(n * width);
    Nodes on;
    for (size_t i = 0; i < n; ++i) {
        predict(i, on);
        mask[i * width] = true;
        for (uint32_t v : on) mask[i * width + v] = true;
    }
    return array<bool>(mask.get(), {n, width});
}

// (nodes, rows)
nb::object scores_of(Weights& w, Rows& X);

// `{label: {False: 1 - p, True: p}}`, from an array or from what computes one.
nb::object probabilities(Labels& labels, nb::handle p);

// Register the bindings of each file.
void weights(nb::module_& m);
void linear_learners(nb::module_& m);
void least_squares(nb::module_& m);
void decisions(nb::module_& m);
void texts(nb::module_& m);
void turns(nb::module_& m);

}  // namespace river_hier
