// The linear learners, as Python sees them. A compiled learner is a policy (see linear.hpp) and one
// line in `linear_learners` below; `learn_one` and `learn_many` are built from it here.

#include <chrono>

#include "algorithms/harow.hpp"
#include "algorithms/hieron.hpp"
#include "algorithms/hperceptron.hpp"
#include "algorithms/path_softmax.hpp"
#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

const Vector& insert(const Weights& w, FeatureMap& features, nb::handle x) {
    if (w.single()) w.check_range(features.find(x).norm2);  // before anything is written
    return features.insert(x);
}

template <class Policy>
constexpr bool on_paths = std::is_base_of_v<OnPaths, Policy>;

template <class Policy>
void check(const Weights& w) {
    if (std::is_base_of_v<SecondOrder, Policy> && w.n_planes() < 2)
        throw nb::value_error("weights without variances");
}

// The label of an example: a node, or the nodes that are on.
template <class Policy>
auto target_of(nb::handle y, const Labels& labels) {
    if constexpr (on_paths<Policy>) {
        const auto node = nb::cast<uint32_t>(y);
        ensure(node < labels.n(), "a node of another taxonomy");
        return node;
    } else {
        return labels.closed(y);
    }
}

// Those of a batch.
template <class Policy>
auto targets_of(nb::handle y, const Labels& labels) {
    if constexpr (on_paths<Policy>) {
        Nodes nodes = numbers_of<uint32_t>(y);
        for (uint32_t node : nodes) ensure(node < labels.n(), "a node of another taxonomy");
        return nodes;
    } else {
        return Multilabels(y, labels);
    }
}

// A policy with its parameters: one number, or a tuple of several.
template <class Policy, class... P, size_t... I>
Policy with_parameters(nb::handle parameters, std::index_sequence<I...>) {
    const char* wrong = "`compiled` names other parameters than the compiled policy has";
    if constexpr (sizeof...(P) > 1) {
        ensure(nb::isinstance<nb::tuple>(parameters) && nb::len(parameters) == sizeof...(P), wrong);
        return Policy{nb::cast<P>(parameters[I])...};
    } else {
        ensure(sizeof...(P) == 0 ? parameters.is_none() : PyNumber_Check(parameters.ptr()), wrong);
        return Policy{nb::cast<P>(parameters)...};
    }
}

template <class Policy, class... P>
void learn_one(Weights& w, Weights* lag, Clocks* clocks, FeatureMap& features, Labels& labels,
               nb::handle x, nb::handle y, double weight, nb::handle parameters) {
    const auto policy = with_parameters<Policy, P...>(parameters, std::index_sequence_for<P...>{});
    auto target = target_of<Policy>(y, labels);  // y is read before x, both before writing
    check<Policy>(w);
    const Vector& vector = insert(w, features, x);
    if constexpr (!on_paths<Policy>) target.mask.resize(labels.n());  // x's own code may add nodes
    ready(w, labels);
    Recording recording(w, ready(lag, clocks, labels), clocks);
    recording.start(target, labels);
    step(policy, w, vector, target, labels, weight);
    recording.proceed(weight);
}

// Learns the rows from `first` on that have a label in y, for so many seconds. Returns the next row.
template <class Policy, class... P>
size_t learn_many(Weights& w, Weights* lag, Clocks* clocks, FeatureMap& features, Labels& labels,
                  Rows& rows, size_t first, nb::handle y, nb::handle parameters, double seconds) {
    const auto policy = with_parameters<Policy, P...>(parameters, std::index_sequence_for<P...>{});
    auto targets = targets_of<Policy>(y, labels);
    check<Policy>(w);
    const size_t last = first + targets.size();
    ensure(last <= rows.n(), "a row for each label");
    ready(w, labels);
    Recording recording(w, ready(lag, clocks, labels), clocks);
    ReentrancyGuard guard(w);
    ReentrancyGuard features_guard(features);
    const auto others = unlocked(rows);
    size_t row = first;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    try {
        for (; row < last && (row == first || Clock::now() < end); ++row) {
            const double weight = rows.weight(row);
            recording.start(targets[row - first], labels);
            step(policy, w, rows[row], targets[row - first], labels, weight);
            recording.proceed(weight);
        }
    } catch (const std::bad_alloc&) {
        if (row == first) throw;  // else the next call does, unless there is memory again
    }
    return row;
}

template <class Policy, class... P>
void add_learner(nb::dict& policies, nb::module_& m, const char* name) {
    nb::module_ learner = m.def_submodule(name);
    learner.def("learn_one", &learn_one<Policy, P...>, "w"_a, "lag"_a.none(), "clocks"_a.none(),
                "features"_a, "labels"_a, "x"_a.none(), "y"_a.none(), "weight"_a,
                "parameters"_a.none());
    learner.def("learn_many", &learn_many<Policy, P...>, "w"_a, "lag"_a.none(),
                "clocks"_a.none(), "features"_a, "labels"_a, "X"_a, "first"_a, "y"_a,
                "parameters"_a.none(), "seconds"_a);
    policies[name] = learner;
}

nb::object top_down_nodes(Weights& w, Weights* lag, const Clocks* clocks, FeatureMap& features,
                          Labels& labels, nb::handle x) {
    Nodes on;
    const Vector& vector = find(w, features, x);
    top_down(ready(w, labels), ready(lag, clocks, labels), clocks, vector, labels, on);
    return Labels::nodes(on);
}

nb::object path_answer(Weights& w, Weights* lag, const Clocks* clocks, FeatureMap& features,
                       Labels& labels, nb::handle x) {
    const Vector& vector = find(w, features, x);
    lag = ready(lag, clocks, labels);
    return labels.label(best_path(ready(w, labels), lag, clocks, vector, labels));
}

// The next row, which the weights can take.
const Vector& next(const Weights& w, Rows& X, size_t i) {
    const Vector& x = X[i];
    w.check_range(x.norm2);
    return x;
}

// Predictions keep Python's lock, so that threads that only predict do not refuse each other.
nb::object top_down_answers(Weights& w, Weights* lag, const Clocks* clocks, const Labels& labels,
                            Rows& X) {
    ready(w, labels);
    ready(lag, clocks, labels);
    return masks(X.n(), labels, [&](size_t i, Nodes& on) {
        top_down(w, lag, clocks, next(w, X, i), labels, on);
    });
}

// The nodes of a shard that are on where some nodes are known to be, as the fields of `Multilabels`.
nb::object descend(Weights& w, const Labels& labels, Rows& X, nb::handle known) {
    ready(w, labels);
    Multilabels from(known, labels);
    ensure(from.size() == X.n(), "some nodes for each row");
    std::vector<int64_t> start{0};
    Nodes all, on;
    for (size_t i = 0; i < X.n(); ++i) {
        on = from[i].nodes;
        descend(w, nullptr, nullptr, next(w, X, i), labels, on);
        all.insert(all.end(), on.begin(), on.end());
        start.push_back(static_cast<int64_t>(all.size()));
    }
    return nb::make_tuple(array(start), array(all));
}

nb::object path_answers(Weights& w, Weights* lag, const Clocks* clocks, const Labels& labels,
                        Rows& X) {
    ready(w, labels);
    ready(lag, clocks, labels);
    Nodes best;
    for (size_t i = 0; i < X.n(); ++i)
        best.push_back(best_path(w, lag, clocks, next(w, X, i), labels));
    return array(best);
}

// The scores of all labels, their sums along paths.
nb::object path_scores(Weights& w, Weights* lag, const Clocks* clocks, FeatureMap& features,
                       Labels& labels, nb::handle x) {
    const Vector& vector = find(w, features, x);
    lag = ready(lag, clocks, labels);
    double* scores = averaged_scores(ready(w, labels), lag, clocks, vector, labels).data();
    path_sums(scores, labels);
    return array(scores, {labels.n()});
}

nb::object softmax_answer(Weights& w, FeatureMap& features, Labels& labels, nb::handle x) {
    const Vector& vector = find(not_in_use(w), features, x);
    return labels.label(argmax(label_scores(w, vector, labels), labels.n()));
}

nb::object softmax_answers(Weights& w, const Labels& labels, Rows& X) {
    not_in_use(w);
    Nodes best;
    for (size_t i = 0; i < X.n(); ++i)
        best.push_back(argmax(label_scores(w, next(w, X, i), labels), labels.n()));
    return array(best);
}

// The weights of the columns of a batch, (columns, nodes), as double or float.
nb::object column_weights(Weights& w, const Rows& X) {
    const std::vector<uint32_t>& rows = X.rows_of_columns();
    const size_t n_nodes = not_in_use(w).n_nodes();
    nb::object all = numpy("zeros")(nb::make_tuple(rows.size(), n_nodes), w.single() ? "float32" : "float64");
    const auto zeros = nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(all);
    char* to = static_cast<char*>(zeros.data());
    for (size_t c = 0; c < rows.size(); ++c, to += n_nodes * zeros.itemsize())
        if (rows[c] < w->n_features()) w->copy_weights(rows[c], n_nodes, to);
    return all;
}

}  // namespace

nb::object scores_of(Weights& w, Rows& X) {
    not_in_use(w);
    Numbers all;
    for (size_t i = 0; i < X.n(); ++i) {
        w.score_all(next(w, X, i));
        all.insert(all.end(), w.scores.begin(), w.scores.begin() + w.n_nodes());
    }
    return matrix(all, X.n(), w.n_nodes()).attr("T");
}

void linear_learners(nb::module_& m) {
    nb::dict policies;
    add_learner<HPerceptron>(policies, m, "HPerceptron");
    add_learner<HAROW, double, double>(policies, m, "HAROW");
    add_learner<Hieron, double>(policies, m, "Hieron");
    add_learner<AveragedHieron, double>(policies, m, "AveragedHieron");
    add_learner<PathSoftmax, double, double>(policies, m, "PathSoftmax");
    m.attr("policies") = policies;

    const auto add_answer = [&m](const char* name, auto answer) {
        m.def(name, answer, "w"_a, "lag"_a.none(), "clocks"_a.none(), "features"_a, "labels"_a,
              "x"_a.none());
    };
    add_answer("top_down_nodes", &top_down_nodes);
    add_answer("path_answer", &path_answer);
    add_answer("path_scores", &path_scores);
    m.def("top_down_answers", &top_down_answers, "w"_a, "lag"_a.none(), "clocks"_a.none(),
          "labels"_a, "X"_a);
    m.def("descend",
          nb::overload_cast<Weights&, const Labels&, Rows&, nb::handle>(&descend), "w"_a,
          "labels"_a, "X"_a, "known"_a);
    m.def("path_answers", &path_answers, "w"_a, "lag"_a.none(), "clocks"_a.none(), "labels"_a,
          "X"_a);
    m.def("softmax_answer", &softmax_answer, "w"_a, "features"_a, "labels"_a, "x"_a.none());
    m.def("softmax_answers", &softmax_answers, "w"_a, "labels"_a, "X"_a);
    nb::class_<Rows>(m, "Vectors")
        .def(nb::init<FeatureMap&, nb::handle, bool>(), "features"_a, "X"_a, "insert"_a = false,
             nb::keep_alive<1, 2>())
        .def_prop_ro("norms2", [](Rows& rows) {
            Numbers norms2;
            for (size_t i = 0; i < rows.n(); ++i) norms2.push_back(rows[i].norm2);
            return array(norms2);
        })
        .def_prop_ro("rows_of_columns", [](const Rows& rows) {
            const auto& found = rows.rows_of_columns();  // -1 for a feature without a row
            std::vector<int64_t> all;
            for (uint32_t row : found) all.push_back(row == no_row ? -1 : int64_t{row});
            return array(all);
        });
    m.def("column_weights", &column_weights, "w"_a, "X"_a);
}

}  // namespace river_hier
