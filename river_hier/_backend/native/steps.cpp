// The steps are compiled for speed, the bindings around them for size.

#include "steps.hpp"

#include "features.hpp"
#include "hashed_features.hpp"
#include "harow.hpp"
#include "hieron.hpp"
#include "hperceptron.hpp"
#include "top_down.hpp"

namespace river_hier {

// Where a class has its destructor, there the compiler puts its virtual functions.
FeatureIndex::~FeatureIndex() = default;
FeatureHasher::~FeatureHasher() = default;
template class Dense<double>;
template class Dense<float>;
template class Postings<double>;
template class Postings<float>;

}  // namespace river_hier

namespace river_hier::step {

namespace {

// Weights that nobody else is at work on, and that belong to this taxonomy: a pickle may lie.
Weights& ready(Weights& w, const Labels& labels) {
    if (not_in_use(w).n_nodes() < labels.n()) throw nb::value_error("fewer weights than nodes");
    return w;
}

void check_node(uint32_t v, const Labels& labels) {
    if (v >= labels.n()) throw nb::value_error("no such node");
}

const Vector& find(const Weights& w, FeatureMap& features, nb::handle x) {
    const Vector& vector = features.find(x);
    w.check_range(vector.norm2);
    return vector;
}

const Vector& insert(const Weights& w, FeatureMap& features, nb::handle x) {
    if (w.single()) w.check_range(features.find(x).norm2);  // before anything is written
    return features.insert(x);
}

// Of the average of m + 1 hypotheses, whose last one is w, the scores of all nodes.
Numbers& averaged_scores(Weights& w, Weights& lag, double m, FeatureMap& features, const Labels& labels,
                         nb::handle x) {
    const Vector& vector = find(w, features, x);
    ready(w, labels).score_all(vector);
    ready(lag, labels).score_all(vector);
    for (size_t v = 0; v < labels.n(); ++v) w.scores[v] -= lag.scores[v] / (m + 1.0);
    return w.scores;
}

}  // namespace

void hperceptron(Weights& w, FeatureMap& features, Labels& labels, nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    hperceptron_step(ready(w, labels), insert(w, features, x), on, labels);
}

void harow(GaussianWeights& w, double r, double forgetting, FeatureMap& features, Labels& labels,
           nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    const Vector& vector = insert(w, features, x);
    ready(w, labels);
    harow_step(w, vector, on, r, forgetting, labels);
}

nb::object top_down_answer(Weights& w, FeatureMap& features, Labels& labels, nb::handle x) {
    Nodes on;
    const Vector& vector = find(w, features, x);
    top_down(ready(w, labels), vector, labels, on);
    return labels.answer(on);
}

nb::object averaged_top_down_answer(Weights& w, Weights& lag, double m, FeatureMap& features,
                                    Labels& labels, nb::handle x) {
    Nodes on;
    decide(averaged_scores(w, lag, m, features, labels, x), labels, on);
    return labels.answer(on);
}

void hieron(Weights& w, double C, FeatureMap& features, Labels& labels, nb::handle x, uint32_t y) {
    check_node(y, labels);
    hieron_step(ready(w, labels), C, insert(w, features, x), y, labels);
}

void averaged_hieron(Weights& w, Weights& lag, double i, double C, FeatureMap& features, Labels& labels,
                     nb::handle x, uint32_t y) {
    check_node(y, labels);
    const Vector& vector = insert(w, features, x);
    averaged_hieron_step(ready(w, labels), ready(lag, labels), i, C, vector, y, labels);
}

nb::object hieron_answer(Weights& w, FeatureMap& features, Labels& labels, nb::handle x) {
    const Vector& vector = find(w, features, x);
    const double* scores = hieron_scores(ready(w, labels), vector, labels);
    return labels.label(argmax(scores, labels.n()));
}

nb::object averaged_hieron_answer(Weights& w, Weights& lag, double m, FeatureMap& features,
                                  Labels& labels, nb::handle x) {
    double* scores = averaged_scores(w, lag, m, features, labels, x).data();
    path_sums(scores, labels);
    return labels.label(argmax(scores, labels.n()));
}

}  // namespace river_hier::step
