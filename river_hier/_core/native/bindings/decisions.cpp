// Calibration, and decisions from probabilities, as Python sees them.

#include <nanobind/stl/optional.h>
#include "algorithms/calibration.hpp"
#include "algorithms/decoding.hpp"
#include "bindings/bindings.hpp"
#include "python/callbacks.hpp"
#include "store/checksums.hpp"
#include "store/linear_state.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// From scores, or from rows of them.
nb::object given(const Calibration& calibration, const Values& scores) {
    const size_t n = calibration.n();
    ensure(scores.ndim() > 0 && scores.shape(scores.ndim() - 1) == n, "a score for each node");
    Numbers p(scores.data(), scores.data() + scores.size());
    for (size_t i = 0; i < p.size(); ++i) p[i] = calibration.given(p[i], i % n);
    const size_t rows = p.size() / n;
    return scores.ndim() == 1 ? array(std::move(p)) : array(std::move(p), {rows, n});
}

// The probabilities of a linear learner for an x, computed where a decision needs them.
struct NodeProbabilities {
    nb::object state, x, calibration;
    bool averaged, given;
};

// Calls `decide` with probabilities: an array, or those of a linear learner.
template <class Decide>
auto with_probabilities(const Labels& labels, nb::handle p, Decide decide) {
    if (!nb::isinstance<NodeProbabilities>(p)) {
        Probabilities known(checked(nb::cast<Values>(p), labels.n()));
        return decide(known);
    }
    const auto& from = nb::cast<const NodeProbabilities&>(p);
    auto& state = nb::cast<LinearState&>(from.state);
    const auto* calibration =
        from.calibration.is_none() ? nullptr : &nb::cast<Calibration&>(from.calibration);
    const Vector& x = state.find(from.x);
    ensure(labels.n() <= state.labels.n() && (!calibration || calibration->n() >= state.labels.n()),
           "parameters for each node");
    ScoredProbabilities scored(state.w, x, state.labels, from.averaged, calibration, from.given);
    return decide(scored);
}

nb::object connected_nodes(const Labels& labels, nb::handle values, double threshold,
                           std::optional<uint32_t> max_depth) {
    return Labels::nodes(with_probabilities(
        labels, values, [&](Probabilities& p) { return connected(p, labels, threshold, max_depth); }));
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

nb::object ranked_labels(LinearState& state, nb::handle x, bool averaged, size_t k, bool leaves) {
    ensure(k > 0 && state.labels.tree(), "a number of nodes of a tree");
    path_scores(state.w, state.find(x), state.labels, averaged);
    return listed(ranked_softmax(state.w.scores, state.labels, k, leaves));
}

// What all nodes share, and the parameters of each node in rows.
nb::object parameters(const Calibration& c) {
    const Numbers shared{c.squares,       c.n_scores,        c.slope.value,
                         c.slope.squares, c.intercept.value, c.intercept.squares};
    Numbers own;
    for (const auto* of_nodes : {&c.own_slope, &c.own_intercept})
        for (const auto number : {&Calibration::Descent::value, &Calibration::Descent::squares})
            for (const Calibration::Descent& of_node : *of_nodes) own.push_back(of_node.*number);
    return nb::make_tuple(array(shared), array(std::move(own), {4, c.n()}));
}

void restore(Calibration* calibration, nb::handle of_all, nb::handle of_each) {
    const Numbers shared = numbers(of_all);
    const auto own = columns_of(of_each.attr("T"));
    ensure(shared.size() == 6 && own.size() == 4, "all parameters");
    Calibration c(own[0].size());
    c.squares = shared[0];
    c.n_scores = shared[1];
    c.slope = {shared[2], shared[3]};
    c.intercept = {shared[4], shared[5]};
    for (size_t v = 0; v < c.n(); ++v) {
        c.own_slope[v] = {own[0].at(v), own[1].at(v)};
        c.own_intercept[v] = {own[2].at(v), own[3].at(v)};
    }
    new (calibration) Calibration(std::move(c));
}

}  // namespace

nb::object probabilities(Labels& labels, nb::handle values) {
    if (!nb::isinstance<NodeProbabilities>(values)) {
        const Numbers p = numbers(values);
        ensure(p.size() <= labels.n(), "a number for each node");
        return labels.probabilities(p);
    }
    const uint32_t n = labels.n();
    return labels.probabilities(with_probabilities(labels, values, [&](Probabilities& p) {
        p.expand({{1, n}});
        return Numbers(p.data(), p.data() + n);
    }));
}

void decisions(nb::module_& m) {
    nb::class_<Calibration>(m, "Calibration")
        .def(nb::init<size_t>(), "n"_a)
        .def("add_nodes", &Calibration::add_nodes, "n"_a)
        .def("given", &given, "scores"_a)
        .def("learn",
             [](Calibration& calibration, const Values& scores, nb::handle y, const Labels& labels,
                double w) {
                 calibration.add_nodes(labels.n());
                 const On on = labels.closed(y);
                 calibration.learn(checked(scores, labels.n()), on, labels, w);
             },
             "scores"_a, "y"_a.none(), "labels"_a, "w"_a)
        .def("saved", &parameters)
        .def("__init__", &restore, "shared"_a, "own"_a);
    m.def("digests", [](nb::handle x) -> nb::object {
        std::pair<uint32_t, uint32_t> found;
        if (digests(x.ptr(), found)) return nb::make_tuple(found.first, found.second);
        return callbacks().digests(x);
    }, "x"_a.none());
    nb::class_<NodeProbabilities>(m, "NodeProbabilities");
    m.def("node_probabilities",
          [](nb::object state, nb::object x, bool averaged, nb::object calibration, bool given) {
              return NodeProbabilities{state, x, calibration, averaged, given};
          },
          "state"_a, "x"_a.none(), "averaged"_a, "calibration"_a = nb::none(), "given"_a = false);
    m.def("connected", &connected_nodes, "labels"_a, "values"_a, "threshold"_a, "max_depth"_a.none());
    m.def("ranked", &ranked_nodes, "labels"_a, "values"_a, "k"_a, "leaves"_a, "depth"_a.none(),
          "multilabel"_a);
    m.def("ranked_paths", &ranked_labels, "state"_a, "x"_a.none(), "averaged"_a, "k"_a, "leaves"_a);
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
