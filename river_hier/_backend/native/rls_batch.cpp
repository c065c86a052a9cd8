// The loops over the rows of a batch, for least squares.

#include <algorithm>

#include "at_work.hpp"
#include "batch.hpp"
#include "rls_block.hpp"

namespace river_hier {

namespace {

void ensure_room(const LeastSquares& rls, const Labels& labels) {
    ensure(rls.n_nodes() <= labels.n(), "a label for each node");
}

void least_squares_steps(LeastSquares& rls, RLSStep&& step, size_t t, FeatureMap& features,
                         const Labels& labels, nb::handle batch, nb::handle multilabels) {
    ensure_room(rls, labels);
    Multilabels Y(multilabels, labels);
    Rows X(features, batch, true);
    AtWork at_work(rls);
    ensure(X.n() == Y.n(), "a label for each row");
    FeatureMap::Busy busy(features);
    const size_t n_features = features.size();
    const size_t n_threads = Crew::n_threads();  // no other thread may change the environment
    Unlocked unlocked(X);
    Crew crew(unlocked ? n_threads : 1);
    for (size_t first = 0, n; first < X.n(); first += n) {
        n = std::min(rls.at_once(n_features), X.n() - first);
        Block block(rls, labels, n);
        for (size_t i = first; i < first + n; ++i) {
            const Vector& x = X[i];
            if (x.norm2 != 0.0) block.add(x, Y[i], t + i);
        }
        block.learn(step, crew);
    }
}

void hrls_steps(LeastSquares& rls, FeatureMap& features, const Labels& labels, nb::handle batch,
                nb::handle multilabels) {
    least_squares_steps(rls, HRLSStep(), 1, features, labels, batch, multilabels);
}

void shrls_steps(LeastSquares& rls, double c, size_t t, FeatureMap& features, const Labels& labels,
                 nb::handle batch, nb::handle multilabels) {
    least_squares_steps(rls, SHRLSStep(c), t, features, labels, batch, multilabels);
}

nb::object least_squares_answers(LeastSquares& rls, const Labels& labels, Rows& X) {
    ensure_room(idle(rls), labels);
    Masks masks(X.n(), labels.n());
    Nodes on;
    for (size_t i = 0; i < X.n(); ++i) {
        on.clear();
        top_down(rls, X[i], labels, on);
        masks.set(i, on);
    }
    return masks.done();
}

}  // namespace

nb::object scores_of(LeastSquares& rls, Rows& X, size_t n_nodes) {
    ensure(idle(rls).n_nodes() <= n_nodes, "a label for each node");
    Numbers all;
    for (size_t i = 0; i < X.n(); ++i) {
        const Numbers scores = least_squares_scores(rls, X[i], n_nodes);
        all.insert(all.end(), scores.begin(), scores.end());
    }
    return matrix(all, X.n(), n_nodes).attr("T");
}

void least_squares_batches(nb::module_& m) {
    using namespace nb::literals;
    m.def("hrls_steps", &hrls_steps, "rls"_a, "features"_a, "labels"_a, "X"_a, "Y"_a);
    m.def("shrls_steps", &shrls_steps, "rls"_a, "c"_a, "t"_a, "features"_a, "labels"_a, "X"_a,
          "Y"_a);
    m.def("least_squares_answers", &least_squares_answers, "rls"_a, "labels"_a, "X"_a);
}

}  // namespace river_hier
