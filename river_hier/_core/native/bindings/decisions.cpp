// Calibration, and decisions from probabilities, as Python sees them.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "algorithms/calibration.hpp"
#include "algorithms/child_counts.hpp"
#include "algorithms/label_probabilities.hpp"
#include "algorithms/logarithmic_pool.hpp"
#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

nb::object given(const Calibration& calibration, const Values& scores) {
    ensure(scores.ndim() > 0, "a score for each node");
    const size_t n = scores.shape(scores.ndim() - 1);
    Numbers p(scores.data(), scores.data() + scores.size());
    for (size_t i = 0; i < p.size(); ++i) p[i] = calibration.given(p[i], i % n);
    return scores.ndim() == 1 ? array(std::move(p)) : array(std::move(p), {scores.shape(0), n});
}

// The probabilities of a linear learner for an x, computed where a decision needs them.
struct NodeProbabilities {
    nb::object state, x;
    bool averaged;
    nb::object calibration;
    bool given;
};

// Calls `decide` with probabilities: an array, or those of a linear learner.
template <class Decide>
auto with_probabilities(const Labels& labels, nb::handle p, Decide decide) {
    if (!nb::isinstance<NodeProbabilities>(p)) {
        const auto values = nb::cast<Values>(p);
        ensure(values.ndim() == 1, "a number for each node");
        Numbers padded;
        if (values.size() < labels.n()) {  // another thread has added nodes since, which are off
            padded.assign(values.data(), values.data() + values.size());
            padded.resize(labels.n(), -std::numeric_limits<double>::min());
        }
        Probabilities known(padded.empty() ? values.data() : padded.data());
        return decide(known);
    }
    const auto& from = nb::cast<const NodeProbabilities&>(p);
    auto& state = nb::cast<LinearState&>(from.state);
    const auto* calibration = from.calibration.is_none() ? nullptr : &nb::cast<Calibration&>(from.calibration);
    const Vector& x = state.features.find(from.x);
    ensure(labels.n() <= state.labels.n(), "a probability for each node");
    ScoredProbabilities scored(state.w, x, state.labels, from.averaged, calibration, from.given);
    return decide(scored);
}

struct LabelProbabilities {
    nb::object state, x;
    bool averaged;
    uint32_t first;
    double sharp, flat, share;
    bool tempered;  // by the temperature of the state
    Numbers shares{};  // P(label) of each node but for the factor, once the best label was asked for
    double factor = 1.0;
};

// A linear learner's scores of labels, in which those that are never predicted are -inf.
double* scores_of(const Labels& labels, const LabelProbabilities& from) {
    auto& state = nb::cast<LinearState&>(from.state);
    ensure(labels.n() <= state.labels.n(), "a probability for each node");
    return rival_scores(state, state.features.find(from.x), from.averaged, from.first);
}

// Decides by search where `values` are the probabilities of decisions along paths; else there is no answer.
template <class Decide>
auto by_search(nb::handle values, Decide decide) -> std::optional<decltype(decide(std::declval<Search&>()))> {
    const LabelProbabilities* from = nullptr;
    if (!nb::try_cast(values, from) || from->sharp != 1.0 || from->share != 0.0) return {};
    auto& state = nb::cast<LinearState&>(from->state);
    const auto search = state.scoring->search(state, state.features.find(from->x), from->first);
    if (!search) return {};
    return decide(*search);
}

// They become probabilities, but for the factor that is returned.
double to_probabilities(double* scores, const LabelProbabilities& from) {
    auto& state = nb::cast<LinearState&>(from.state);
    double sharp = from.sharp;
    if (from.tempered) sharp *= state.scoring->slope(scores, state.labels.n(), sharp);
    return Softmax{sharp, from.flat, from.share}.apply(scores, state.labels, from.first, state.w.p);
}

// P(label) of each node but for a factor, valid until the next call. Those of an array, whose nan stand for 0,
// are copied.
struct Shares {
    Shares(const Labels& labels, nb::handle values) {
        if (nb::isinstance<LabelProbabilities>(values)) {
            const auto& from = nb::cast<const LabelProbabilities&>(values);
            if (from.shares.empty()) {
                p = scores_of(labels, from);
                factor = to_probabilities(p, from);
                return;
            }
            copied = from.shares;
            factor = from.factor;
        } else {
            copied = numbers(values);
        }
        copied.resize(labels.n());  // another thread may have added nodes
        for (double& each : copied) each = std::isnan(each) ? 0.0 : each;
        p = copied.data();
    }

    Numbers all(size_t n) const {
        Numbers found(p, p + n);
        for (double& each : found) each *= factor;
        return found;
    }

    Numbers copied;
    double* p;
    double factor = 1.0;
};

// The label with the largest score, whose probabilities can then be asked for without another look at x.
uint32_t best_label(const Labels& labels, nb::handle values) {
    auto& from = nb::cast<LabelProbabilities&>(values);
    if (const auto best = by_search(values, [](Search& p) { return most_probable(p, 1); }))
        return best->empty() ? from.first : best->front().node;
    double* p = scores_of(labels, from);
    const uint32_t best = argmax(p, labels.n());
    from.factor = to_probabilities(p, from);
    from.shares.assign(p, p + labels.n());
    return best;
}

// The deepest node whose subtree has at least this probability or, without a threshold, more than half.
uint32_t deepest_label(const Labels& labels, nb::handle values, std::optional<double> threshold) {
    const auto enough = [&](double share, double all) { return threshold ? share >= *threshold : share > all / 2.0; };
    if (const auto found = by_search(values, [&](Search& p) {
            return deepest(labels, [&](uint32_t u) { p.expand(u); }, [&](uint32_t v) { return p.below(v); },
                           [&](double log) { return enough(std::exp(log), 1.0); });
        }))
        return *found;
    const Shares shares(labels, values);
    subtree_sums(shares.p, labels);
    if (threshold) *threshold /= shares.factor;
    return deepest(labels, [](uint32_t) {}, [&](uint32_t v) { return shares.p[v]; },
                   [&](double share) { return enough(share, shares.p[0]); });
}

nb::dict distribution(const Labels& labels, nb::handle values) {
    const Numbers p = Shares(labels, values).all(labels.n());  // a label's own code may add nodes
    nb::dict found;
    for (uint32_t v = 0; v < p.size(); ++v) found[labels.label(v)] = p[v];
    return found;
}

// The probability that the label is a node or lies below it.
nb::object below(const Labels& labels, nb::handle values) {
    const Shares shares(labels, values);
    subtree_sums(shares.p, labels);
    return array(shares.all(labels.n()));
}

// The probabilities of all nodes, of one label or of several.
Numbers expanded(const Labels& labels, nb::handle values) {
    if (nb::isinstance<NodeProbabilities>(values))
        return with_probabilities(labels, values, [&](Probabilities& p) {
            p.expand({{1, labels.n()}});
            return Numbers(p.data(), p.data() + labels.n());
        });
    return Shares(labels, values).all(labels.n());
}

// The probabilities that the label is a node of the path of v or lies below it, from the root down, and that it is v.
Numbers path_probabilities(const Labels& labels, nb::handle values, uint32_t v) {
    labels.check(v);
    Nodes path;
    labels.above(v, path);  // and itself
    Numbers found;
    if (by_search(values, [&](Search& p) {
            for (uint32_t u : path) if (u != v || !labels.below(v).empty()) p.expand(u);
            for (uint32_t u : path) found.push_back(std::exp(p.below(u)));
            found.push_back(std::exp(labels.below(v).empty() ? p.below(v) : p.label(v)));
            return true;
        }))
        return found;
    const Shares shares(labels, values);
    const double own = shares.p[v];
    subtree_sums(shares.p, labels);
    for (uint32_t u : path) found.push_back(std::min(shares.factor * shares.p[u], 1.0));
    found.push_back(std::min(shares.factor * own, 1.0));
    return found;
}

// The probability that the label is a node or lies below it or, of several, that the node is on.
double probability(const Labels& labels, nb::handle values, uint32_t v, bool multilabel) {
    if (!multilabel) return *(path_probabilities(labels, values, v).end() - 2);
    labels.check(v);
    Nodes above;
    labels.above(v, above);
    return with_probabilities(labels, values, [&](Probabilities& p) {
        for (uint32_t u : above) if (u) p.expand({{u, u + 1}});
        return p[v];
    });
}

// From the root down to the most probable child, as long as the label is rather there than at the node itself: the
// nodes and their probabilities.
nb::list descent(const Labels& labels, nb::handle values) {
    const auto descend = [&](const auto& p, const auto& expand) {
        nb::list way;
        for (uint32_t u = 0;;) {
            expand(u);
            uint32_t best = 0;
            double sum = 0.0;
            each(labels.below(u), [&](uint32_t v) {
                sum += p(v);
                if (!best || p(v) > p(best)) best = v;
            });
            if (!best || p(best) <= p(u) - sum) return way;
            way.append(nb::make_tuple(best, p(best)));
            u = best;
        }
    };
    if (auto found = by_search(values, [&](Search& p) {
            return descend([&](uint32_t v) { return std::exp(p.below(v)); }, [&](uint32_t u) { p.expand(u); });
        }))
        return *found;
    const Shares shares(labels, values);
    subtree_sums(shares.p, labels);
    return descend([&](uint32_t v) { return std::min(shares.factor * shares.p[v], 1.0); }, [](uint32_t) {});
}

// The rows of a table of counts, one a node; nodes after its last one have none.
using Table = nb::ndarray<const double, nb::c_contig, nb::device::cpu, nb::shape<-1, 7>>;

ChildCounts counts_of(const Labels& labels, const Table& table) { return {table.data(), table.shape(0), labels}; }

// The nodes that are on, and what each adds to its row of the table.
nb::object child_counts(const Labels& labels, nb::handle p, nb::handle y, const Table& table) {
    const ChildCounts counts = counts_of(labels, table);
    On on = labels.closed(y);
    std::sort(on.nodes.begin(), on.nodes.end());  // from the top down
    Nodes nodes;
    Numbers rows;
    with_probabilities(labels, p, [&](Probabilities& p) {
        for (uint32_t u : on.nodes) {
            p.expand(labels.below(u));
            if (!counts.counts(u)) continue;
            const ChildCounts::Row row = counts.seen(u, p, on);
            nodes.push_back(u);
            rows.insert(rows.end(), row.found.begin(), row.found.end());
            rows.insert(rows.end(), row.expected.begin(), row.expected.end());
            rows.push_back(row.gain);
        }
    });
    const size_t n = nodes.size();
    return nb::make_tuple(array(std::move(nodes)), array(std::move(rows), {n, 7}));
}

nb::object likeliest_nodes(const Labels& labels, nb::handle p, const Table& table) {
    const ChildCounts counts = counts_of(labels, table);
    return Labels::nodes(with_probabilities(labels, p, [&](Probabilities& p) { return likeliest(p, labels, counts); }));
}

nb::object least_h_loss_nodes(const Labels& labels, nb::handle p, const Table& table,
                              const std::optional<Values>& costs) {
    const double* of_nodes = costs ? checked(*costs, labels.n()) : nullptr;
    const ChildCounts counts = counts_of(labels, table);
    return Labels::nodes(with_probabilities(labels, p, [&](Probabilities& p) {
        JointProbabilities joint(p, labels, counts);
        return least_h_loss(joint, labels, of_nodes);
    }));
}

// By the joint model if there is a table.
nb::object connected_nodes(const Labels& labels, nb::handle values, double threshold,
                           std::optional<uint32_t> max_depth, const std::optional<Table>& table) {
    return Labels::nodes(with_probabilities(labels, values, [&](Probabilities& p) {
        if (!table) return connected(p, labels, threshold, max_depth);
        const ChildCounts counts = counts_of(labels, *table);
        JointProbabilities joint(p, labels, counts);
        return connected(joint, labels, threshold, max_depth);
    }));
}

// Paths and values, the best first.
nb::list ranked_paths(const Labels& labels, nb::handle values, size_t k, bool leaves,
                      std::optional<uint32_t> depth, bool multilabel) {
    ensure(k > 0, "a number of nodes");
    std::vector<Ranking::Entry> best;
    if (auto found = by_search(values, [&](Search& p) { return most_probable(p, k, leaves, depth); })) {
        best = std::move(*found);
        for (Ranking::Entry& each : best) each.value = std::exp(each.value);
    } else if (nb::isinstance<LabelProbabilities>(values)) {
        const auto& from = nb::cast<const LabelProbabilities&>(values);
        double *p = scores_of(labels, from), factor = 1.0;
        if (depth) {
            factor = to_probabilities(p, from);
            subtree_sums(p, labels);
        }
        Probabilities known(p);  // or scores, whose differences may be lost in probabilities
        best = ranked(known, labels, k, leaves, depth, multilabel);
        if (!depth) factor = to_probabilities(p, from);
        for (Ranking::Entry& each : best) each.value = factor * p[each.node];
    } else {
        best = with_probabilities(labels, values, [&](Probabilities& p) {
            return p.computed() || !labels.tree() ? ranked(p, labels, k, leaves, depth, multilabel)
                                                  : most_probable(p, labels, k, leaves, depth);
        });
    }
    nb::list found;
    for (const Ranking::Entry& each : best) found.append(nb::make_tuple(labels.path(each.node), each.value));
    return found;
}

// The parameters that all nodes share, and a row for each node.
nb::object parameters(const Calibration& c) {
    const auto* own = reinterpret_cast<const double*>(c.own.data());
    const auto& [a, b] = c.shared;
    return nb::make_tuple(array(Numbers{c.squares, c.n_scores, a.value, a.squares, b.value, b.squares}),
                          array(Numbers(own, own + 4 * c.n()), {c.n(), 4}));
}

void restore(Calibration* calibration, nb::handle of_all, nb::handle of_each) {
    const Numbers shared = numbers(of_all), own = numbers(of_each);
    ensure(shared.size() == 6 && own.size() == 4 * nb::len(of_each), "all parameters");
    Calibration c(nb::len(of_each));
    c.squares = shared[0];
    c.n_scores = shared[1];
    c.shared = {{shared[2], shared[3]}, {shared[4], shared[5]}};
    std::copy(own.begin(), own.end(), reinterpret_cast<double*>(c.own.data()));
    new (calibration) Calibration(std::move(c));
}

// P(label) of each node by each member, (members, 1, nodes).
nb::object member_probabilities(const Labels& labels, nb::list models) {
    const size_t n = labels.n();
    Numbers all;
    for (nb::handle values : models) {
        const Numbers p = expanded(labels, values);
        all.insert(all.end(), p.begin(), p.end());
    }
    return array(std::move(all), {nb::len(models), 1, n});
}

Numbers logarithms(const Values& members, size_t n, bool multilabel) {
    Numbers logs(members.data(), members.data() + members.size());
    for (size_t i = 0; i < logs.size(); ++i) logs[i] = logarithm(logs[i], i % n, multilabel);
    return logs;
}

// The scores of a pool, (rows, nodes), from the probabilities of its members, (members, rows, nodes).
nb::object pool_scores(const Values& members, const Values& coefficients, bool multilabel) {
    ensure(members.ndim() == 3 && members.shape(0) == coefficients.size(), "a coefficient for each member");
    const size_t rows = members.shape(1), n = members.shape(2);
    const Numbers logs = logarithms(members, n, multilabel);
    Numbers scores(rows * n);
    for (size_t i = 0; i < logs.size(); ++i) scores[i % (rows * n)] += coefficients.data()[i / (rows * n)] * logs[i];
    return array(std::move(scores), {rows, n});
}

nb::object pool_probabilities(const Values& scores, nb::handle never, bool multilabel) {
    ensure(scores.ndim() == 2, "a score of each node in each row");
    const Nodes hidden = nb::cast<Nodes>(never);
    const size_t rows = scores.shape(0), n = scores.shape(1);
    ensure(hidden.empty() || *std::max_element(hidden.begin(), hidden.end()) < n, "nodes of the taxonomy");
    Numbers p(scores.data(), scores.data() + scores.size());
    for (size_t i = 0; i < rows; ++i) pooled(p.data() + i * n, n, hidden, multilabel);
    return array(std::move(p), {rows, n});
}

// The coefficients and their precision after an example, given the probabilities of the members, (members, nodes).
nb::tuple pool_step(const Values& members, const Nodes& never, const Nodes& on, double w, double memory,
                    bool multilabel, const Values& coefficients, const Values& precision) {
    const size_t m = coefficients.size(), n = members.size() / std::max<size_t>(m, 1);
    ensure(members.size() == m * n && precision.size() == m * m, "a coefficient for each member");
    for (const Nodes& nodes : {std::cref(never), std::cref(on)})
        ensure(std::all_of(nodes.begin(), nodes.end(), [&](uint32_t v) { return v < n; }), "nodes of the taxonomy");
    Numbers moved(coefficients.data(), coefficients.data() + m), kept(precision.data(), precision.data() + m * m);
    const Numbers logs = logarithms(members, n, multilabel);
    Numbers p(n);
    for (size_t i = 0; i < logs.size(); ++i) p[i % n] += moved[i / n] * logs[i];
    pooled(p.data(), n, never, multilabel);
    step(logs, p, on, w, memory, multilabel, moved, kept);
    return nb::make_tuple(array(std::move(moved)), array(std::move(kept), {m, m}));
}

}  // namespace

nb::object probabilities(Labels& labels, nb::handle values) {
    if (!nb::isinstance<NodeProbabilities>(values)) {
        const Numbers p = numbers(values);
        ensure(p.size() <= labels.n(), "a number for each node");
        return labels.probabilities(p);
    }
    return labels.probabilities(expanded(labels, values));
}

void decisions(nb::module_& m) {
    nb::class_<Calibration>(m, "Calibration")
        .def(nb::init<size_t>(), "n"_a)
        .def("given", &given, "scores"_a)
        .def("learn", [](Calibration& calibration, const Values& scores, nb::handle y, const Labels& labels,
                double w) {
                 calibration.add_nodes(labels.n());
                 const On on = labels.closed(y);
                 calibration.learn(checked(scores, labels.n()), on, labels, w);
             }, "scores"_a, "y"_a.none(), "labels"_a, "w"_a)
        .def("saved", &parameters)
        .def("__init__", &restore, "shared"_a, "own"_a);
    nb::class_<NodeProbabilities>(m, "NodeProbabilities")
        .def(nb::init<nb::object, nb::object, bool, nb::object, bool>(), "state"_a, "x"_a.none(), "averaged"_a,
             "calibration"_a.none(), "given"_a);
    nb::class_<LabelProbabilities>(m, "LabelProbabilities")
        .def(nb::init<nb::object, nb::object, bool, uint32_t, double, double, double, bool>(), "state"_a,
             "x"_a.none(), "averaged"_a, "first"_a, "sharp"_a, "flat"_a, "share"_a, "tempered"_a);
    m.def("best_label", &best_label, "labels"_a, "values"_a);
    m.def("deepest", &deepest_label, "labels"_a, "values"_a, "threshold"_a.none());
    m.def("descent", &descent, "labels"_a, "values"_a);
    m.def("distribution", &distribution, "labels"_a, "values"_a);
    m.def("below", &below, "labels"_a, "values"_a);
    m.def("expanded", [](const Labels& labels, nb::handle values) { return array(expanded(labels, values)); },
          "labels"_a, "values"_a);
    m.def("probability", &probability, "labels"_a, "values"_a, "v"_a, "multilabel"_a);
    m.def("path_probabilities", &path_probabilities, "labels"_a, "values"_a, "v"_a);
    m.def("connected", &connected_nodes, "labels"_a, "values"_a, "threshold"_a, "max_depth"_a.none(),
          "table"_a = nb::none());
    m.def("child_counts", &child_counts, "labels"_a, "p"_a, "y"_a.none(), "table"_a);
    m.def("ranked", &ranked_paths, "labels"_a, "values"_a, "k"_a, "leaves"_a, "depth"_a.none(), "multilabel"_a);
    m.def("logistic", [](nb::handle scores) {  // of any shape and memory layout
              nb::object p = numpy("array")(scores, "order"_a = "K", "dtype"_a = "float64");
              const auto all = nb::cast<nb::ndarray<double, nb::device::cpu>>(p);
              std::transform(all.data(), all.data() + all.size(), all.data(), logistic);
              return p;
          }, "scores"_a);
    m.def("least_h_loss", &least_h_loss_nodes, "labels"_a, "p"_a, "table"_a, "costs"_a = nb::none());
    m.def("member_probabilities", &member_probabilities, "labels"_a, "models"_a);
    m.def("pool_scores", &pool_scores, "members"_a, "coefficients"_a, "multilabel"_a);
    m.def("pool_probabilities", &pool_probabilities, "scores"_a, "never"_a, "multilabel"_a);
    m.def("pool_step", &pool_step, "members"_a, "never"_a, "on"_a, "w"_a, "memory"_a, "multilabel"_a, "coefficients"_a,
          "precision"_a);
    m.def("likeliest", &likeliest_nodes, "labels"_a, "p"_a, "table"_a);
}

}  // namespace river_hier
