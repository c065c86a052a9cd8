// Calibration, and decisions from probabilities, as Python sees them.

#include <nanobind/stl/optional.h>
#include "algorithms/calibration.hpp"
#include "algorithms/decoding.hpp"
#include "bindings/bindings.hpp"
#include "store/digests.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// From scores, or from rows of them.
nb::object given(const Calibration& calibration, const Values& scores) {
    const size_t n = calibration.n();
    ensure(scores.ndim() > 0 && scores.shape(scores.ndim() - 1) == n, "a score for each node");
    Numbers p(scores.size());
    for (size_t first = 0; first < p.size(); first += n)
        calibration.given(scores.data() + first, p.data() + first);
    return scores.ndim() == 1 ? array(p) : matrix(p, p.size() / n, n);
}

// The nodes with at least this value whose parents have it, too, as far down as `max_depth`.
nb::object connected(const Labels& labels, const Values& values, double threshold,
                     std::optional<uint32_t> max_depth) {
    const double* p = checked(values, labels.n());
    std::vector<char> on(labels.n(), 0);
    std::vector<uint32_t> depth(labels.n(), 0);
    Nodes nodes;
    on[0] = 1;
    for (uint32_t v = 1; v < labels.n(); ++v) {
        depth[v] = 1 + labels.of_parents(depth, v, [](auto a, auto b) { return std::max(a, b); });
        on[v] = p[v] >= threshold && labels.all_parents(on.data(), v) &&
                (!max_depth || depth[v] <= *max_depth);
        if (on[v]) nodes.push_back(v);
    }
    return Labels::nodes(nodes);
}

nb::object least_h_loss(const Labels& tree, const Values& p, const std::optional<Values>& costs) {
    const HLossRule rule{costs ? checked(*costs, tree.n()) : nullptr};
    return Labels::nodes(decode(rule, checked(p, tree.n()), tree));
}

nb::object likeliest(const Labels& tree, const Values& p) {
    return Labels::nodes(decode(ZeroOneRule{}, checked(p, tree.n()), tree));
}

// What all nodes share, and the parameters of each node in rows.
nb::object parameters(const Calibration& c) {
    const Numbers shared{c.squares,       c.n_scores,        c.slope.value,
                         c.slope.squares, c.intercept.value, c.intercept.squares};
    Numbers own;
    for (const Numbers* part : {&c.own_slope.value, &c.own_slope.squares, &c.own_intercept.value,
                                &c.own_intercept.squares})
        own.insert(own.end(), part->begin(), part->end());
    return nb::make_tuple(array(shared), matrix(own, 4, c.n()));
}

void set_parameters(Calibration& c, const nb::tuple& both) {
    const Numbers shared = numbers(both[0]);
    const auto own = columns_of(nb::handle(both[1]).attr("T"));
    ensure(shared.size() == 6 && own.size() == 4 && own[0].size() == c.n(), "all parameters");
    c.squares = shared[0];
    c.n_scores = shared[1];
    c.slope = {shared[2], shared[3]};
    c.intercept = {shared[4], shared[5]};
    c.own_slope.value = own[0];
    c.own_slope.squares = own[1];
    c.own_intercept.value = own[2];
    c.own_intercept.squares = own[3];
}

}  // namespace

void decisions(nb::module_& m) {
    nb::class_<Calibration>(m, "Calibration")
        .def(nb::init<size_t>(), "n"_a)
        .def("add_nodes", &Calibration::add_nodes, "n"_a)
        .def("given", &given, "scores"_a)
        .def("learn",
             [](Calibration& calibration, const Values& scores, nb::handle y, const Labels& labels,
                double w) {
                 ensure(calibration.n() == labels.n(), "parameters for each node");
                 const On on = labels.closed(y);
                 calibration.learn(checked(scores, labels.n()), on, labels, w);
             },
             "scores"_a, "y"_a.none(), "labels"_a, "w"_a)
        .def_prop_rw("parameters", &parameters, &set_parameters);
    m.def("digests", [](nb::handle x) -> nb::object {
        std::pair<uint32_t, uint32_t> found;
        if (digests(x.ptr(), found)) return nb::make_tuple(found.first, found.second);
        return nb::module_::import_("river_hier._backend.reference.digests").attr("digests")(x);
    }, "x"_a.none());
    m.def("connected", &connected, "labels"_a, "values"_a, "threshold"_a, "max_depth"_a.none());
    m.def("least_h_loss", &least_h_loss, "tree"_a, "p"_a, "costs"_a = nb::none());
    m.def("likeliest", &likeliest, "tree"_a, "p"_a);
}

}  // namespace river_hier
