// The loops over the rows of a batch, around the steps of the algorithms. Predictions keep Python's
// lock, so that threads that only predict do not turn each other away.

#include "batch.hpp"

#include "reentrancy_guard.hpp"
#include "harow.hpp"
#include "hieron.hpp"
#include "hperceptron.hpp"
#include "top_down.hpp"

namespace river_hier {

namespace {

// Take the rows one after the other.
template <class Step>
void one_by_one(FeatureMap& features, Rows& X, size_t n_labels, Weights& w, Step step) {
    ensure(X.n() == n_labels, "a label for each row");
    FeatureMap::Busy busy(features);
    Unlocked unlocked(X);
    for (size_t i = 0; i < X.n(); ++i) {
        X.prefetch(i + 1, *w.layout());
        step(X[i], i);
        w.next_round();
    }
}

void ensure_room(const Weights& w, const Labels& labels) {
    ensure(w.n_nodes() >= labels.n(), "weights for each node");
}

void hperceptron_steps(Weights& w, FeatureMap& features, const Labels& labels, nb::handle batch,
                       nb::handle multilabels) {
    ensure_room(w, labels);
    Multilabels Y(multilabels, labels);
    Rows X(features, batch, true);
    ReentrancyGuard guard(w);
    one_by_one(features, X, Y.n(), w,
                 [&](const Vector& x, size_t i) { hperceptron_step(w, x, Y[i], labels); });
}

void harow_steps(GaussianWeights& w, double r, double forgetting, FeatureMap& features,
                 const Labels& labels, nb::handle batch, nb::handle multilabels) {
    ensure_room(w, labels);
    Multilabels Y(multilabels, labels);
    Rows X(features, batch, true);
    ReentrancyGuard guard(w);
    one_by_one(features, X, Y.n(), w,
                 [&](const Vector& x, size_t i) { harow_step(w, x, Y[i], r, forgetting, labels); });
}

std::vector<uint32_t> nodes_of(nb::handle array, const Labels& tree) {
    std::vector<uint32_t> nodes = numbers_of<uint32_t>(array);
    for (uint32_t v : nodes) ensure(v < tree.n(), "a node of another taxonomy");
    return nodes;
}

void hieron_steps(Weights& w, double C, FeatureMap& features, const Labels& tree, nb::handle batch,
                  nb::handle y) {
    ensure_room(w, tree);
    const std::vector<uint32_t> nodes = nodes_of(y, tree);
    Rows X(features, batch, true);
    ReentrancyGuard guard(w);
    one_by_one(features, X, nodes.size(), w,
                 [&](const Vector& x, size_t i) { hieron_step(w, C, x, nodes[i], tree); });
}

void averaged_hieron_steps(Weights& w, Weights& lag, size_t first, double C, FeatureMap& features,
                           const Labels& tree, nb::handle batch, nb::handle y) {
    ensure_room(w, tree);
    ensure_room(lag, tree);
    const std::vector<uint32_t> nodes = nodes_of(y, tree);
    Rows X(features, batch, true);
    ReentrancyGuard guard(w), second_guard(lag);
    one_by_one(features, X, nodes.size(), w, [&](const Vector& x, size_t i) {
        averaged_hieron_step(w, lag, static_cast<double>(first + i), C, x, nodes[i], tree);
    });
}

nb::tuple closed_many(Labels& labels, nb::list ys) {
    std::vector<int64_t> start{0};
    std::vector<uint32_t> nodes;
    On on;
    for (size_t i = 0; i < ys.size(); ++i) {
        labels.close(ys[i], on);
        nodes.insert(nodes.end(), on.nodes.begin(), on.nodes.end());
        start.push_back(static_cast<int64_t>(nodes.size()));
    }
    return nb::make_tuple(array(start), array(nodes));
}

// The next row, which the weights can take.
const Vector& next(const Weights& w, Rows& X, size_t i) {
    X.prefetch(i + 1, *w.layout());
    const Vector& x = X[i];
    w.check_range(x.norm2);
    return x;
}

nb::object top_down_answers(Weights& w, const Labels& labels, Rows& X) {
    ensure_room(not_in_use(w), labels);
    Masks masks(X.n(), labels.n());
    Nodes on;
    for (size_t i = 0; i < X.n(); ++i) {
        top_down(w, next(w, X, i), labels, on);
        masks.set(i, on);
    }
    return masks.done();
}

nb::object hieron_answers(Weights& w, const Labels& labels, Rows& X) {
    ensure_room(not_in_use(w), labels);
    Nodes best;
    for (size_t i = 0; i < X.n(); ++i) {
        best.push_back(argmax(hieron_scores(w, next(w, X, i), labels), labels.n()));
    }
    return array(best);
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

void batches(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Rows>(m, "Vectors")
        .def("__init__",
             [](Rows* rows, FeatureMap& features, nb::handle X) { new (rows) Rows(features, X, false); },
             "features"_a, "X"_a)
        .def_prop_ro("norms2", [](Rows& rows) { return array(rows.norms2()); });
    m.def("closed_many", &closed_many, "labels"_a, "ys"_a);
    m.def("hperceptron_steps", &hperceptron_steps, "w"_a, "features"_a, "labels"_a, "X"_a, "Y"_a);
    m.def("harow_steps", &harow_steps, "w"_a, "r"_a, "forgetting"_a, "features"_a, "labels"_a,
          "X"_a, "Y"_a);
    m.def("hieron_steps", &hieron_steps, "w"_a, "C"_a, "features"_a, "labels"_a, "X"_a, "y"_a);
    m.def("averaged_hieron_steps", &averaged_hieron_steps, "w"_a, "lag"_a, "i"_a, "C"_a,
          "features"_a, "labels"_a, "X"_a, "y"_a);
    m.def("top_down_answers", &top_down_answers, "w"_a, "labels"_a, "X"_a);
    m.def("hieron_answers", &hieron_answers, "w"_a, "labels"_a, "X"_a);
}

}  // namespace river_hier
