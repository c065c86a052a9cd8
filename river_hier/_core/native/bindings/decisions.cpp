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
    Numbers p(scores.data(), scores.data() + scores.size());
    for (size_t i = 0; i < p.size(); ++i) p[i] = calibration.given(p[i], i % n);
    return scores.ndim() == 1 ? array(p) : matrix(p, p.size() / n, n);
}

// What a linear learner needs to compute probabilities.
struct NodeProbabilities {
    nb::object w, lag, clocks, features, x, unlearned, calibration;
    bool given;
};

template <class T>
T* object_or_none(nb::handle object) {
    return object.is_none() ? nullptr : &nb::cast<T&>(object);
}

// Calls `decide` with probabilities: an array, or those of a linear learner.
template <class Decide>
auto with_probabilities(const Labels& labels, nb::handle p, Decide decide) {
    NodeProbabilities* from = nullptr;
    if (!nb::try_cast(p, from, false)) {
        Probabilities known(checked(nb::cast<Values>(p), labels.n()));
        return decide(known);
    }
    auto& w = nb::cast<Weights&>(from->w);
    const auto* clocks = object_or_none<Clocks>(from->clocks);
    Weights* lag = ready(object_or_none<Weights>(from->lag), clocks, labels);
    const auto* calibration = object_or_none<Calibration>(from->calibration);
    ensure(!calibration || calibration->n() == labels.n(), "parameters for each node");
    ensure(PyAnySet_Check(from->unlearned.ptr()), "a set of unlearned nodes");
    const Vector& x = find(w, nb::cast<FeatureMap&>(from->features), from->x);
    ScoredProbabilities scored(ready(w, labels), lag, clocks, x, labels, calibration, from->unlearned,
                               from->given);
    return decide(scored);
}

// The nodes with at least this value whose parents have it, too, as far down as `max_depth`.
nb::object connected_nodes(const Labels& labels, nb::handle values, double threshold,
                           std::optional<uint32_t> max_depth) {
    const auto reaches = [=](double p) { return p >= threshold; };
    return Labels::nodes(with_probabilities(
        labels, values, [&](Probabilities& p) { return connected(p, labels, reaches, max_depth); }));
}

nb::object least_symmetric_difference(const Labels& labels, nb::handle p, double missed,
                                      double spurious) {
    const auto on = [=](double p) { return missed * p >= spurious * (1.0 - p); };
    return Labels::nodes(with_probabilities(
        labels, p, [&](Probabilities& p) { return connected(p, labels, on); }));
}

nb::object least_h_loss(const Labels& tree, nb::handle p, const std::optional<Values>& costs) {
    const HLossRule rule{costs ? checked(*costs, tree.n()) : nullptr};
    return Labels::nodes(
        with_probabilities(tree, p, [&](Probabilities& p) { return decode(rule, p, tree); }));
}

nb::object likeliest(const Labels& tree, nb::handle p) {
    return Labels::nodes(with_probabilities(
        tree, p, [&](Probabilities& p) { return decode(ZeroOneRule{}, p, tree); }));
}

nb::object listed(const std::vector<Ranking::Entry>& best) {
    nb::list found;
    for (const Ranking::Entry& each : best) found.append(nb::make_tuple(each.node, each.value));
    return found;
}

nb::object ranked_nodes(const Labels& labels, nb::handle values, size_t k, bool leaves,
                        std::optional<uint32_t> depth, bool multilabel) {
    ensure(k > 0, "a number of nodes");
    return listed(with_probabilities(labels, values, [&](Probabilities& p) {
        return p.computed() || !labels.tree() ? ranked(p, labels, k, leaves, depth, multilabel)
                                              : most_probable(p, labels, k, leaves, depth);
    }).sorted());
}

nb::object ranked_labels(Weights& w, Weights* lag, const Clocks* clocks, FeatureMap& features,
                         Labels& labels, nb::handle x, size_t k, bool leaves) {
    ensure(k > 0 && labels.tree(), "a number of nodes of a tree");
    const Vector& vector = find(w, features, x);
    lag = ready(lag, clocks, labels);
    Numbers& scores = averaged_scores(ready(w, labels), lag, clocks, vector, labels);
    return listed(ranked_paths(scores, labels, k, leaves));
}

// What all nodes share, and the parameters of each node in rows.
nb::object parameters(const Calibration& c) {
    const Numbers shared{c.squares,       c.n_scores,        c.slope.value,
                         c.slope.squares, c.intercept.value, c.intercept.squares};
    Numbers own;
    for (const auto* of_nodes : {&c.own_slope, &c.own_intercept})
        for (const auto number : {&Calibration::Descent::value, &Calibration::Descent::squares})
            for (const Calibration::Descent& of_node : *of_nodes) own.push_back(of_node.*number);
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
    for (size_t v = 0; v < c.n(); ++v) {
        c.own_slope[v] = {own[0][v], own[1][v]};
        c.own_intercept[v] = {own[2][v], own[3][v]};
    }
}

}  // namespace

nb::object probabilities(Labels& labels, nb::handle values) {
    const Numbers p = with_probabilities(labels, values, [&](Probabilities& p) {
        p.expand({{1, labels.n()}});
        return Numbers(p.data(), p.data() + labels.n());  // a label's own code may change the weights
    });
    return labels.probabilities(p.data());
}

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
        return nb::module_::import_("river_hier._core.reference.digests").attr("digests")(x);
    }, "x"_a.none());
    nb::class_<NodeProbabilities>(m, "NodeProbabilities");
    m.def("node_probabilities",
          [](nb::object w, nb::object lag, nb::object clocks, nb::object features, const Labels&,
             nb::object x, nb::object unlearned, nb::object calibration, bool given) {
              return NodeProbabilities{w, lag, clocks, features, x, unlearned, calibration, given};
          },
          "w"_a, "lag"_a.none(), "clocks"_a.none(), "features"_a, "labels"_a, "x"_a.none(),
          "unlearned"_a, "calibration"_a = nb::none(), "given"_a = false);
    m.def("connected", &connected_nodes, "labels"_a, "values"_a, "threshold"_a, "max_depth"_a.none());
    m.def("least_symmetric_difference", &least_symmetric_difference, "labels"_a, "p"_a, "missed"_a,
          "spurious"_a);
    m.def("ranked", &ranked_nodes, "labels"_a, "values"_a, "k"_a, "leaves"_a, "depth"_a.none(),
          "multilabel"_a);
    m.def("ranked_paths", &ranked_labels, "w"_a, "lag"_a.none(), "clocks"_a.none(), "features"_a,
          "labels"_a, "x"_a.none(), "k"_a, "leaves"_a);
    m.def("logistic",
          [](nb::handle scores) {  // of any shape and memory layout
              nb::object p = numpy("array")(scores, "order"_a = "K", "dtype"_a = "float64");
              const auto all = nb::cast<nb::ndarray<double, nb::device::cpu>>(p);
              std::transform(all.data(), all.data() + all.size(), all.data(), logistic);
              return p;
          },
          "scores"_a);
    m.def("least_h_loss", &least_h_loss, "tree"_a, "p"_a, "costs"_a = nb::none());
    m.def("likeliest", &likeliest, "tree"_a, "p"_a);
}

}  // namespace river_hier
