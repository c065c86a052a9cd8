// The steps of least squares. They spend their time in memory and in the loops of simd.cpp, so all
// this is compiled for size.

#include "rls_steps.hpp"
#include "steps.hpp"

namespace river_hier {

// Where a class has its destructor, there the compiler puts its virtual functions.
Direct::~Direct() = default;
Iterative::~Iterative() = default;
Primal::~Primal() = default;

}  // namespace river_hier

namespace river_hier::step {

namespace {

LeastSquares& ready(LeastSquares& rls, const Labels& labels) {
    if (idle(rls).n_nodes() > labels.n()) throw nb::value_error("more systems than nodes");
    return rls;
}

// Whether there is nothing left to insert.
bool all_found(const Vector& found, nb::handle x) {
    return PyDict_CheckExact(x.ptr()) &&
           static_cast<size_t>(PyDict_Size(x.ptr())) == found.size();
}

}  // namespace

// Changes of variables call numpy, where other threads may come in: the whole step is at work.

static bool learn(LeastSquares& rls, RLSStep&& step, size_t t, FeatureMap& features, Labels& labels,
                  nb::handle x, nb::handle y) {
    const On on = labels.closed(y);
    const Vector& found = features.find(x);
    if (found.norm2 > largest_ratio * ready(rls, labels).l2) return false;
    const Vector vector = all_found(found, x) ? found : features.insert(x);
    if (vector.norm2 == 0.0) return true;
    AtWork work(rls);
    Example example(vector, rls.instances, rls.buffers, rls.buffers.dots);
    rls_step(rls, example, on.mask.data(), labels, std::log(static_cast<double>(t)), step);
    return true;
}

bool hrls(LeastSquares& rls, FeatureMap& features, Labels& labels, nb::handle x, nb::handle y) {
    return learn(rls, HRLSStep(), 1, features, labels, x, y);
}

bool shrls(LeastSquares& rls, double c, size_t t, FeatureMap& features, Labels& labels, nb::handle x,
           nb::handle y) {
    return learn(rls, SHRLSStep(c), t, features, labels, x, y);
}

nb::object least_squares_answer(LeastSquares& rls, FeatureMap& features, Labels& labels, nb::handle x) {
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
