// What linear learners have learned, and the compiled learners, as Python sees them. A compiled learner is a
// policy (see algorithms/linear.hpp) and one line in `linear` below; `learn_one` and `learn_many` are built
// from it here.

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "algorithms/hminover.hpp"
#include "algorithms/label_probabilities.hpp"
#include "algorithms/merging.hpp"
#include "algorithms/rules.hpp"
#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

using Matrix = HMinOver::Matrix;

template <class Policy>
constexpr bool on_paths = std::is_base_of_v<OnPaths, Policy>;

// The label of an example: a node, or the nodes that are on.
template <class Policy>
auto target_of(nb::handle y, const Labels& labels) {
    if constexpr (on_paths<Policy>) {
        Known known{};
        if (nb::isinstance<nb::tuple>(y))
            std::tie(known.node, known.cuts) = nb::cast<std::pair<uint32_t, std::map<uint32_t, bool>>>(y);
        else
            known.node = nb::cast<uint32_t>(y);
        labels.check(known.node);
        for (auto [v, _] : known.cuts) labels.check(v);
        return known;
    } else {
        return labels.closed(y);
    }
}

template <class Policy>
auto targets_of(nb::handle y, const Labels& labels) {
    if constexpr (on_paths<Policy>)
        return labels.known(y);
    else
        return Multilabels(y, labels);
}

// A policy for a state with its parameters: none, one number, or a tuple of several.
template <class Policy, class... P>
Policy policy_for(const LinearState& state, nb::handle parameters) {
    ensure(!std::is_base_of_v<SecondOrder, Policy> || state.w.n_planes == 2, "weights without variances");
    const Scoring& scoring = *state.scoring;
    ensure(typeid(scoring) == typeid(typename Policy::Scoring), "weight vectors of another learner");
    std::tuple<P...> found;
    bool fits = parameters.is_none();
    if constexpr (sizeof...(P) == 1)
        fits = nb::try_cast(parameters, std::get<0>(found));
    else if constexpr (sizeof...(P) > 1)
        fits = nb::try_cast(parameters, found);
    ensure(fits, "`compiled` names other parameters than the compiled policy has");
    return std::make_from_tuple<Policy>(std::move(found));
}

template <class Policy, class Target>
void learn(const Policy& policy, LinearState& state, const Vector& x, const Target& target, double weight) {
    state.begin_round(target);
    step(policy, state, x, target, weight);
    state.end_round(weight);
}

template <class Policy, class... P>
void learn_one(LinearState& state, nb::handle x, nb::handle y, double weight, nb::handle parameters,
               nb::object taxonomy) {
    const auto policy = policy_for<Policy, P...>(state, parameters);
    if (!taxonomy.is_none()) state.grow(taxonomy);
    auto target = target_of<Policy>(y, state.labels);  // y is read before x, both before writing
    const Vector& vector = state.features.insert(x);
    if constexpr (!on_paths<Policy>) target.mask.resize(state.labels.n());  // x's own code may add nodes
    learn(policy, state, vector, target, weight);
}

// Learns the next rows, which have a label each in y, for so many seconds.
template <class Policy, class... P>
void learn_many(LinearState& state, Vectors& rows, nb::handle y, nb::handle parameters, double seconds) {
    const auto policy = policy_for<Policy, P...>(state, parameters);
    auto targets = targets_of<Policy>(y, state.labels);
    learn_next(rows, targets.size(), seconds, [&](size_t row, size_t i) {
        if constexpr (on_paths<Policy>)
            learn(policy, state, rows.insert(row), Known{targets[i]}, rows.weight(row));
        else
            learn(policy, state, rows.insert(row), targets[i], rows.weight(row));
        return true;
    });
}

template <class Policy, class... P>
void add_learner(nb::dict& policies, nb::module_& m, const char* name) {
    nb::module_ learner = m.def_submodule(name);
    learner.def("learn_one", &learn_one<Policy, P...>, "state"_a, "x"_a.none(), "y"_a.none(), "weight"_a,
                "parameters"_a.none(), "taxonomy"_a = nb::none());
    learner.def("learn_many", &learn_many<Policy, P...>, "state"_a, "X"_a, "y"_a, "parameters"_a.none(), "seconds"_a);
    policies[name] = learner;
}

// The node with the largest score, the first one of several.
uint32_t best_path(LinearState& state, const Vector& x, bool averaged, uint32_t first) {
    if (const auto search = state.scoring->search(state, x, first)) {
        const auto best = most_probable(*search, 1);
        return best.empty() ? first : best[0].node;
    }
    return argmax(rival_scores(state, x, averaged, first), state.labels.n());
}

nb::object best_paths(LinearState& state, Vectors& X, bool averaged, uint32_t first) {
    Nodes best;
    for (size_t i = 0; i < X.n(); ++i) best.push_back(best_path(state, X[i], averaged, first));
    return array(std::move(best));
}

nb::object top_down_nodes(LinearState& state, nb::handle x, bool averaged) {
    Nodes on;
    top_down(state.w, state.features.find(x), state.labels, averaged, on);
    return Labels::nodes(on);
}

nb::object top_down_masks(LinearState& state, Vectors& X, bool averaged) {
    return masks(X, state.labels.n(), [&](const Vector& x, Nodes& on) {
        top_down(state.w, x, state.labels, averaged, on);
    });
}

// w . x of every weight vector; 0 of those of nodes that are to come. x may be a vector of this state.
nb::object scores(LinearState& state, nb::handle x, bool averaged, size_t n_nodes) {
    const Vector* known = nullptr;
    state.w.score_all(nb::try_cast(x, known) && known ? *known : state.features.find(x), averaged);
    Numbers scores(state.w.scores.begin(), state.w.scores.begin() + state.w.n_nodes());
    scores.resize(std::max(scores.size(), state.vectors * n_nodes));
    return array(std::move(scores));
}

// The same for each row, (vectors, rows).
nb::object scores_many(LinearState& state, Vectors& X, bool averaged) {
    Numbers all;
    const size_t n = state.w.n_nodes();
    all.reserve(X.n() * n);
    for (size_t i = 0; i < X.n(); ++i) {
        state.w.score_all(X[i], averaged);
        all.insert(all.end(), state.w.scores.begin(), state.w.scores.begin() + n);
    }
    return array(std::move(all), {X.n(), n}).attr("T");
}

Nodes ascending(nb::handle nodes, size_t n) {
    Nodes found;
    for (int64_t v : numbers<int64_t>(nodes)) {
        ensure(v >= (found.empty() ? 0 : int64_t{found.back()} + 1) && static_cast<size_t>(v) < n,
               "nodes must ascend, up to the last there is");
        found.push_back(static_cast<uint32_t>(v));
    }
    return found;
}

// Learns from an example of these nodes, by the steps of a rule in Python: all that is written of it. The taxonomy
// has its labels, if they are new.
void learn_steps(LinearState& state, nb::handle x, double weight, nb::handle on, nb::handle nodes, nb::handle steps,
                 nb::handle confidences, double forgetting, nb::object taxonomy) {
    const size_t n = taxonomy.is_none() ? state.labels.n() : nb::len(taxonomy);
    const Nodes round = ascending(on, n), places = ascending(nodes, state.vectors * n);
    const bool certain = confidences.is_none();
    Numbers sizes = numbers(steps);
    const Numbers confident = certain ? sizes : numbers(confidences);
    ensure(sizes.size() == places.size() && confident.size() == places.size(), "a step for each node");
    ensure(certain || state.w.n_planes == 2, "weights without variances");
    if (!taxonomy.is_none()) state.grow(taxonomy);
    const Vector& vector = state.features.insert(x);
    state.begin_round(round);
    const double most = state.w.largest_step(vector.norm2);
    const auto moves_of = [&](const Numbers&, Moves& moves) {
        for (size_t i = 0; i < places.size(); ++i)
            moves.push_back({places[i], std::clamp(sizes[i], -most, most), confident[i]});
    };
    if (certain)
        state.w.add(vector, places, sizes);
    else if (!places.empty())
        state.w.move(vector, places, std::cref(moves_of), forgetting);
    state.end_round(weight);
}

// Those of the scores of some weight vectors, whose precision will be discounted.
nb::object variances(const LinearState& state, const Vector& x, nb::handle columns, double forgetting) {
    ensure(state.w.n_planes == 2, "weights without variances");
    Numbers found;
    for (uint32_t v : ascending(columns, no_row)) found.push_back(state.w.variance(x, v, forgetting));
    return array(std::move(found));
}

nb::object column(const LinearState& state, uint32_t node, bool averaged) {
    ensure(node < state.w.n_nodes(), "a weight vector");
    Numbers weights(state.features.size());
    const Average* average = averaged ? state.w.average.get() : nullptr;
    for (size_t row = 0; row < weights.size(); ++row) {
        weights[row] = state.w->get(0, row, node);
        if (average) weights[row] -= average->updates->get(0, row, node) / average->rounds(node);
    }
    return array(weights);
}

// The weights of the columns of a batch, (columns, weight vectors), as double or float.
nb::object column_weights(const LinearState& state, const Vectors& X, bool averaged) {
    const Weights& w = state.w;
    const Average* average = averaged ? w.average.get() : nullptr;
    const std::vector<uint32_t>& rows = X.rows_of_columns();
    Numbers all(rows.size() * w.n_nodes());
    double* of_column = all.data();
    for (uint32_t row : rows) {
        Entries weights, updates;
        if (row < w->n_features()) w->save(row, weights);
        if (average && row < average->updates->n_features()) average->updates->save(row, updates);
        for (size_t i = 0; i < weights.nodes.size(); ++i) of_column[weights.nodes[i]] = weights.planes[0][i];
        for (size_t i = 0; i < updates.nodes.size(); ++i)
            of_column[updates.nodes[i]] -= updates.planes[0][i] / average->rounds(updates.nodes[i]);
        of_column += w.n_nodes();
    }
    return array(std::move(all), {rows.size(), w.n_nodes()}).attr("astype")(w.dtype(), "copy"_a = false);
}

// Where the entries of each row start, their nodes, and the numbers of each plane; only those that are not
// all zero.
nb::tuple saved(const Weights& w) {
    Entries entries;
    std::vector<int64_t> start{0};
    for (size_t row = 0; row < w->n_features(); ++row) {
        w->save(row, entries);
        start.push_back(static_cast<int64_t>(entries.nodes.size()));
    }
    while (start.size() > 1 && start[start.size() - 2] == start.back()) start.pop_back();
    nb::list rows;
    rows.append(array(std::move(start)));
    rows.append(array(std::move(entries.nodes)));
    for (size_t k = 0; k < w.n_planes; ++k)
        rows.append(array(std::move(entries.planes[k])).attr("astype")(w.dtype(), "copy"_a = false));
    return nb::tuple(rows);
}

void load(Weights& w, nb::handle rows) {
    ensure(nb::len(rows) == 2 + w.n_planes, "another number of planes");
    const auto start = numbers<int64_t>(rows[0]);
    const View<uint32_t> all = view<uint32_t>(rows[1]);
    ensure_starts(start, all.size());
    View<double> planes[2];
    for (size_t k = 0; k < w.n_planes; ++k) {
        planes[k] = view<double>(rows[2 + k].attr("astype")("float64", "copy"_a = false));
        ensure(planes[k].size() == all.size(), "as many numbers as nodes");
    }
    Entries entries;  // of one row
    Nodes& nodes = entries.nodes;
    for (size_t row = 0; row + 1 < start.size(); ++row) {
        const int64_t first = start[row], last = start[row + 1];
        nodes.assign(all.data() + first, all.data() + last);
        for (size_t i = 0; i < nodes.size(); ++i)
            ensure(nodes[i] < w.n_nodes() && (i == 0 || nodes[i - 1] < nodes[i]),
                   "an entry is outside the matrix, or a row out of order");
        for (size_t k = 0; k < w.n_planes; ++k) {
            entries.planes[k].assign(planes[k].data() + first, planes[k].data() + last);
            for (double number : entries.planes[k]) ensure(std::isfinite(number), "finite weights");
        }
        w->load(row, entries);
    }
}

void load(LinearState& state, nb::handle average) {
    if (average.is_none()) return;
    state.start_average(nb::cast<bool>(average[0]));
    Average& loaded = *state.w.average;
    loaded.m = nb::cast<double>(average[1]);
    loaded.since = numbers(average[2]);
    const std::vector<bool> begun = numbers<bool>(average[3]);
    loaded.begun.assign(begun.begin(), begun.end());
    loaded.moved.assign(begun.size(), 1);
    ensure(loaded.since.size() == state.w.n_nodes() && loaded.begun.size() == state.w.n_nodes(),
           "an average for each node");
    load(loaded.updates, average[4]);
}

std::unique_ptr<Scoring> scoring_of(nb::handle name) {
    if (nb::str(SoftmaxScoring::name).equal(name)) return std::make_unique<SoftmaxScoring>();
    if (nb::str(DecisionScoring::name).equal(name)) return std::make_unique<DecisionScoring>();
    ensure(nb::str(Scoring::name).equal(name), "a scoring");
    return std::make_unique<Scoring>();
}

nb::tuple saved(const LinearState& state) {
    nb::object average = nb::none();
    if (const Average* of = state.w.average.get())
        average = nb::make_tuple(of->from_first_round, of->m, array(of->since), array(of->begun), saved(of->updates));
    return nb::make_tuple(state.shared_labels, state.features.names(), state.features.intercept,
                          state.w.dtype(), state.w.n_planes, state.scoring->named(), state.n, saved(state.w),
                          average, array(state.scoring->learned()));
}

std::unique_ptr<LinearState> restored(nb::object labels, nb::handle features, double intercept,
                                      const nb::str& dtype, size_t n_planes, const nb::str& scoring, double n,
                                      nb::handle rows, nb::handle average, nb::handle learned) {
    const bool single = nb::str("float32").equal(dtype);
    ensure(single || nb::str("float64").equal(dtype), "a type of weights");
    ensure(n_planes == 1 || n_planes == 2, "one plane or two");
    ensure(std::isfinite(n) && n >= 0.0, "the weight of all examples");
    auto state = std::make_unique<LinearState>(labels, features, intercept, single, n_planes, scoring_of(scoring));
    state->n = n;
    if (!rows.is_none()) load(state->w, rows);
    load(*state, average);
    if (!learned.is_none()) state->scoring->load(numbers(learned));
    return state;
}

// The features of all parts, and the weights that `Merging` gives them, in a new state. A part is a state with,
// for each of its weight vectors, the merged one. The last part is the start.
void merge(LinearState& merged, const nb::list& states, double prior) {
    std::vector<Part> parts;
    for (nb::handle state : states) {
        Part part{nb::cast<const LinearState&>(state[0]), {}, numbers<uint32_t>(state[1]), {}, {}};
        ensure(part.columns.size() == part.state.w.n_nodes() && part.state.w.n_planes == merged.w.n_planes &&
                   !part.state.w.average == !merged.w.average, "a column for each weight vector of such a state");
        for (uint32_t column : part.columns) ensure(column < merged.w.n_nodes(), "a weight vector");
        part.rows = merged.features.find_rows(part.state.features.names(), true);
        parts.push_back(std::move(part));
    }
    for (Part& part : parts) {  // from the merged row of each feature to its own of each merged one
        std::vector<uint32_t> rows(merged.features.size(), no_row);
        for (uint32_t i = 0; i < part.rows.size(); ++i) rows[part.rows[i]] = i + part.state.features.first_row;
        for (uint32_t i = 0; i < merged.features.first_row; ++i) rows[i] = i;
        part.rows = std::move(rows);
    }
    Merging(merged, parts, prior).run();
}

}  // namespace

// Within it, this thread repeats examples. No signal can come between its beginning and its end in Python.
struct LearnedBefore {};

void linear(nb::module_& m) {
    nb::dict policies;
    add_learner<HPerceptron>(policies, m, "HPerceptron");
    add_learner<HAROW, double, double>(policies, m, "HAROW");
    add_learner<Hieron, double>(policies, m, "Hieron");
    add_learner<AveragedHieron, double>(policies, m, "AveragedHieron");
    add_learner<PathSoftmax, double, double, double>(policies, m, "PathSoftmax");
    add_learner<HierarchicalSoftmax, double, double>(policies, m, "HierarchicalSoftmax");
    add_learner<HMinOver, double, nb::object, nb::object, Matrix, Matrix>(policies, m, "HMinOver");
    const auto hminover = policy_for<HMinOver, double, nb::object, nb::object, Matrix, Matrix>;
    add_learner<ByAddress<FirstOrder>, uint64_t, uint64_t, Numbers, double>(policies, m, "first_order");
    add_learner<ByAddress<SecondOrder>, uint64_t, uint64_t, Numbers, double>(policies, m, "second_order");
    add_learner<ByAddress<OnPaths>, uint64_t, uint64_t, Numbers, double>(policies, m, "on_paths");
    m.attr("policies") = policies;

    nb::class_<LearnedBefore>(m, "LearnedBefore")
        .def("__enter__", [](LearnedBefore) { ++repeats; })
        .def("__exit__", [](LearnedBefore, nb::args) { --repeats; });
    m.attr("learned_before") = nb::cast(LearnedBefore{});
    m.def("repeats", [] { return repeats > 0; });

    nb::class_<LinearState>(m, "LinearState")
        .def(nb::new_(&restored),
             "labels"_a, "features"_a, "intercept"_a, "dtype"_a, "n_planes"_a = 1, "scoring"_a = "paths",
             "n"_a = 0.0, "rows"_a = nb::none(), "average"_a = nb::none(), "learned"_a = nb::none())
        .def("saved", [](const LinearState& state) { return saved(state); })
        .def_prop_ro("features", [](LinearState& s) -> FeatureIndex& { return s.features; },
                     nb::rv_policy::reference_internal)
        .def_prop_ro("n_bytes", [](const LinearState& s) { return s.w->bytes(); })
        .def("__sizeof__", [](const LinearState& s) {
            return sizeof(LinearState) + s.w.bytes() + s.labels.bytes() + s.features.bytes();
        })
        .def_ro("n", &LinearState::n)
        .def_ro("vectors", &LinearState::vectors)
        .def_prop_ro("learned", [](const LinearState& s) { return s.scoring->learned(); })
        .def("temper",
             [](LinearState& s, nb::handle scores, uint32_t y, double weight) {
                 const Numbers of = numbers(scores);
                 ensure(y < of.size(), "a score of the true label");
                 dynamic_cast<TemperedScoring&>(*s.scoring).temperature.learn(of.data(), of.size(), y, weight);
             },
             "scores"_a, "y"_a, "weight"_a)
        .def_prop_ro("from_first_round",
                     [](const LinearState& s) -> nb::object {
                         if (!s.w.average) return nb::none();
                         return nb::bool_(s.w.average->from_first_round);
                     })
        .def("merge", &merge, "states"_a, "prior"_a)
        .def("start_average", &LinearState::start_average, "from_first_round"_a)
        .def("add_nodes", &LinearState::add_nodes, "n_nodes"_a)
        .def("forget", [](LinearState& s, nb::handle nodes) {
            for (uint32_t v : s.labels.known(nodes))
                for (size_t k = 0; k < s.vectors; ++k) s.w.forget(static_cast<uint32_t>(v * s.vectors + k));
        }, "nodes"_a)
        .def("find", [](LinearState& s, nb::handle x) { return Vector(s.features.find(x)); }, "x"_a.none())
        .def("preview", [](LinearState& s, nb::handle x) { return s.features.preview(x); }, "x"_a.none())
        .def("learn", &learn_steps, "x"_a.none(), "weight"_a, "on"_a, "nodes"_a, "steps"_a,
             "confidences"_a = nb::none(), nb::kw_only(), "forgetting"_a = 1.0, "taxonomy"_a = nb::none())
        .def("variances", &variances, "x"_a, "columns"_a, "forgetting"_a = 1.0)
        .def("scores", &scores, "x"_a.none(), "averaged"_a = false, "n_nodes"_a = 0)
        .def("scores_many", &scores_many, "X"_a, "averaged"_a = false)
        .def("column", &column, "node"_a, "averaged"_a = false)
        .def("column_weights", &column_weights, "X"_a, "averaged"_a)
        .def("top_down", &top_down_nodes, "x"_a.none(), "averaged"_a)
        .def("top_down_many", &top_down_masks, "X"_a, "averaged"_a)
        .def("path_scores", [](LinearState& s, nb::handle x, bool averaged) {
            const double* scores = s.scoring->of_labels(s, s.features.find(x), averaged);
            return array(Numbers(scores, scores + s.labels.n()));
        }, "x"_a.none(), "averaged"_a)
        .def("best_path", [](LinearState& s, nb::handle x, bool averaged, uint32_t first) {
            const uint32_t v = best_path(s, s.features.find(x), averaged, first);
            return first < s.labels.n() ? nb::object(s.labels.label(v)) : nb::none();
        }, "x"_a.none(), "averaged"_a, "first"_a)
        .def("best_node", [](LinearState& s, nb::handle x, bool averaged, uint32_t first) -> std::optional<uint32_t> {
            const uint32_t v = best_path(s, s.features.find(x), averaged, first);
            return first < s.labels.n() ? std::optional(v) : std::nullopt;
        }, "x"_a.none(), "averaged"_a, "first"_a)
        .def("best_paths", &best_paths, "X"_a, "averaged"_a, "first"_a);

    nb::class_<LabelRanking>(m, "LabelRanking")
        .def("__init__", [=](LabelRanking* ranking, LinearState& state, nb::handle x, nb::handle parameters) {
            new (ranking) LabelRanking(hminover(state, parameters), state, state.features.find(x));
        }, "state"_a, "x"_a.none(), "parameters"_a)
        .def_static("of_rows", [=](LinearState& state, Vectors& X, nb::handle parameters) {
            const HMinOver policy = hminover(state, parameters);
            std::vector<LabelRanking> rankings;
            for (size_t i = 0; i < X.n(); ++i) rankings.emplace_back(policy, state, X[i]);
            return rankings;
        }, "state"_a, "X"_a, "parameters"_a)
        .def_prop_ro("scores", [](const LabelRanking& r) { return array(Numbers(r.scores)); })
        .def_ro("threshold", &LabelRanking::threshold)
        .def("nodes", [](const LabelRanking& r) { return Labels::nodes(r.nodes()); })
        .def("marginals", [](const LabelRanking& r) { return array(r.marginals()); });

    nb::class_<Vectors>(m, "Vectors")
        .def(nb::init<FeatureIndex&, nb::handle>(), "features"_a, "X"_a, nb::keep_alive<1, 2>())
        .def_ro("n_learned", &Vectors::n_learned);
}

}  // namespace river_hier
