// The steps are compiled for speed, the bindings around them for size.

#include "steps.hpp"

#include "features.hpp"
#include "hashed_features.hpp"
#include "harow.hpp"
#include "hieron.hpp"
#include "hperceptron.hpp"
#include "rls_steps.hpp"
#include "top_down.hpp"

namespace river_hier {

// Where a class has its destructor, there the compiler puts its virtual functions.
Features::~Features() = default;
HashedFeatures::~HashedFeatures() = default;
template class Dense<double>;
template class Dense<float>;
template class Postings<double>;
template class Postings<float>;
Direct::~Direct() = default;
Iterative::~Iterative() = default;
Primal::~Primal() = default;

}  // namespace river_hier

namespace river_hier::step {

namespace {

// Weights that nobody else is at work on, and that belong to this taxonomy: a pickle may lie.
Weights& ready(Weights& w, const Labels& labels) {
    if (idle(w).n_nodes() < labels.n()) throw nb::value_error("fewer weights than nodes");
    return w;
}

LeastSquares& ready(LeastSquares& rls, const Labels& labels) {
    if (idle(rls).n_nodes() > labels.n()) throw nb::value_error("more systems than nodes");
    return rls;
}

void check_node(uint32_t v, const Labels& labels) {
    if (v >= labels.n()) throw nb::value_error("no such node");
}

const Vector& find(const Weights& w, Names& features, nb::handle x) {
    const Vector& vector = features.find(x);
    w.check_range(vector.norm2);
    return vector;
}

const Vector& insert(const Weights& w, Names& features, nb::handle x) {
    if (w.single()) w.check_range(features.find(x).norm2);  // before anything is written
    return features.insert(x);
}

// Whether there is nothing left to insert.
bool all_found(const Vector& found, nb::handle x) {
    return PyDict_CheckExact(x.ptr()) &&
           static_cast<size_t>(PyDict_Size(x.ptr())) == found.size();
}

}  // namespace

void hperceptron(Weights& w, Names& features, Labels& labels, nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    hperceptron_step(ready(w, labels), insert(w, features, x), on, labels);
}

void harow(GaussianWeights& w, double r, double forgetting, Names& features, Labels& labels,
           nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    const Vector& vector = insert(w, features, x);
    ready(w, labels);
    harow_step(w, vector, on, r, forgetting, labels);
}

nb::object top_down_answer(Weights& w, Names& features, Labels& labels, nb::handle x) {
    Nodes on;
    const Vector& vector = find(w, features, x);
    top_down(ready(w, labels), vector, labels, on);
    return labels.answer(on);
}

void hieron(Weights& w, double C, Names& features, Labels& labels, nb::handle x, uint32_t y) {
    check_node(y, labels);
    hieron_step(ready(w, labels), C, insert(w, features, x), y, labels);
}

void averaged_hieron(Weights& w, Weights& lag, double i, double C, Names& features, Labels& labels,
                     nb::handle x, uint32_t y) {
    check_node(y, labels);
    const Vector& vector = insert(w, features, x);
    averaged_hieron_step(ready(w, labels), ready(lag, labels), i, C, vector, y, labels);
}

nb::object hieron_answer(Weights& w, Names& features, Labels& labels, nb::handle x) {
    const Vector& vector = find(w, features, x);
    const double* scores = hieron_scores(ready(w, labels), vector, labels);
    return labels.label(argmax(scores, labels.n()));
}

// Changes of variables call numpy, where other threads may come in: the whole step is at work.

bool hrls(LeastSquares& rls, Names& features, Labels& labels, nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    const Vector& found = features.find(x);
    if (found.norm2 > largest_ratio * ready(rls, labels).l2) return false;
    const Vector vector = all_found(found, x) ? found : features.insert(x);
    AtWork work(rls);
    hrls_step(rls, vector, on, labels);
    return true;
}

bool shrls(LeastSquares& rls, double c, double t, Names& features, Labels& labels, nb::handle x,
           nb::handle y) {
    const On on = labels.closed(y);
    const Vector& found = features.find(x);
    if (found.norm2 > largest_ratio * ready(rls, labels).l2) return false;
    const Vector vector = all_found(found, x) ? found : features.insert(x);
    AtWork work(rls);
    shrls_step(rls, vector, on, labels, c, t);
    return true;
}

nb::object least_squares_answer(LeastSquares& rls, Names& features, Labels& labels, nb::handle x) {
    Nodes on;
    const Vector& vector = features.find(x);
    top_down(ready(rls, labels), vector, labels, on);
    return labels.answer(on);
}

std::vector<double> least_squares_scores(LeastSquares& rls, const Vector& x, size_t n_nodes) {
    if (rls.n_nodes() > n_nodes) throw nb::value_error("more systems than nodes");
    return river_hier::least_squares_scores(rls, x, n_nodes);
}

}  // namespace river_hier::step
