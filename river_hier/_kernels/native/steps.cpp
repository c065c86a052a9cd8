// The steps are compiled for speed, the bindings around them for size.

#include "steps.hpp"

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

void hperceptron(Weights& w, Names& features, Labels& labels, nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    hperceptron_step(w, features.insert(x, w.soon()), on, labels);
}

void harow(Weights& w, Weights& s, double r, Names& features, Labels& labels, nb::handle x,
           nb::handle y) {
    const On on = labels.closed(y);
    harow_step(w, s, features.insert(x, w.soon()), on, r, labels);
}

nb::object top_down_answer(Weights& w, Names& features, Labels& labels, nb::handle x) {
    Nodes on;
    top_down(w, features.find(x, w.soon()), labels, on);
    return labels.answer(on);
}

void hieron(Weights& w, Names& features, Labels& labels, nb::handle x, uint32_t y) {
    hieron_step(w, features.insert(x, w.soon()), y, labels);
}

void averaged_hieron(Weights& w, Weights& lag, double i, Names& features, Labels& labels,
                     nb::handle x, uint32_t y) {
    averaged_hieron_step(w, lag, i, features.insert(x, w.soon()), y, labels);
}

nb::object hieron_answer(Weights& w, Names& features, Labels& labels, nb::handle x) {
    const double* scores = hieron_scores(w, features.find(x, w.soon()), labels);
    return labels.label(argmax(scores, labels.n()));
}

bool hrls(LeastSquares& rls, Names& features, Labels& labels, nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    if (features.find(x).norm2 > largest_ratio * rls.l2) return false;
    hrls_step(rls, features.insert(x), on, labels);
    return true;
}

bool shrls(LeastSquares& rls, double c, double t, Names& features, Labels& labels, nb::handle x,
           nb::handle y) {
    const On on = labels.closed(y);
    if (features.find(x).norm2 > largest_ratio * rls.l2) return false;
    shrls_step(rls, features.insert(x), on, labels, c, t);
    return true;
}

nb::object least_squares_answer(LeastSquares& rls, Names& features, Labels& labels, nb::handle x) {
    Nodes on;
    top_down(rls, features.find(x), labels, on);
    return labels.answer(on);
}

std::vector<double> least_squares_scores(LeastSquares& rls, const Vector& x, size_t n_nodes) {
    return river_hier::least_squares_scores(rls, x, n_nodes);
}

}  // namespace river_hier::step
