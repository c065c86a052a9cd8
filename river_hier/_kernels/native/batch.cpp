// The loops over the rows of a batch, around the steps of the algorithms.

#include "batch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "at_work.hpp"
#include "features.hpp"
#include "hashed_features.hpp"
#include "harow.hpp"
#include "hieron.hpp"
#include "hperceptron.hpp"
#include "rls_steps.hpp"
#include "top_down.hpp"

namespace river_hier {

namespace {

constexpr uint32_t none = TextTable::none;

void ensure(bool fine, const char* what) {
    if (!fine) throw nb::value_error(what);
}

// Both must cover what is looked at without a check.
void ensure_starts(const std::vector<int64_t>& start, size_t n_entries) {
    ensure(!start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
               static_cast<size_t>(start.back()) == n_entries,
           "the rows do not follow one another");
}

}  // namespace

Rows::Rows(Names& features, nb::handle batch, bool insert)
    : values_(batch.attr("values")) {
    const nb::tuple names(nb::handle(batch.attr("names")));  // nobody can change it meanwhile
    width_ = names.size();
    read_entries(batch);
    look_up(features, names, insert);
    if (dynamic_cast<HashedFeatures*>(&features)) share();
}

void Rows::read_entries(nb::handle batch) {
    nb::object columns = batch.attr("columns");
    dense_ = columns.is_none();
    row_of_.assign(width_, none);
    if (dense_) {
        ensure(values_.ndim() == 2 && values_.shape(1) == width_, "a name for each column");
        n_ = values_.shape(0);
        for (uint32_t c = 0; n_ && c < width_; ++c) asked_.push_back(c);
        return;
    }
    columns_ = numbers_of<uint32_t>(columns);
    start_ = numbers_of<int64_t>(batch.attr("start"));
    ensure(values_.ndim() == 1 && values_.size() == columns_.size(), "a column for each entry");
    ensure_starts(start_, columns_.size());
    n_ = start_.size() - 1;
    std::vector<char> seen(width_, 0);
    for (uint32_t c : columns_) {
        ensure(c < width_, "a name for each column");
        if (!seen[c]) asked_.push_back(c);
        seen[c] = 1;
    }
}

void Rows::look_up(Names& features, const nb::tuple& names, bool insert) {
    std::vector<PyObject*> asked;
    for (uint32_t c : asked_) asked.push_back(names[c].ptr());
    std::vector<uint32_t> rows(asked.size());
    features.rows(asked.data(), asked.size(), rows.data());
    nb::dict fresh;
    std::vector<uint32_t> unknown;
    for (size_t k = 0; k < asked.size(); ++k) {
        row_of_[asked_[k]] = rows[k];
        if (!insert || rows[k] != none) continue;
        fresh[nb::handle(asked[k])] = 0.0;
        unknown.push_back(asked_[k]);
    }
    if (unknown.empty()) return;
    ensure(nb::len(fresh) == unknown.size(), "a column comes twice");
    const Vector& x = features.insert(fresh);
    for (size_t k = 0; k < unknown.size(); ++k) row_of_[unknown[k]] = x.rows[k];
}

const Vector& Rows::operator[](size_t i) {
    const size_t first = begin(i), last = begin(i + 1);
    const double* values = values_.data();
    double norm2 = 0.0;
    for (size_t e = first; e < last; ++e) norm2 += values[e] * values[e];
    const bool zero = norm2 < smallest_norm2;
    x_.norm2 = zero ? 0.0 : norm2;
    x_.rows.resize(last - first);
    x_.values.resize(last - first);
    size_t n = 0;
    for (size_t e = first; e < last; ++e) {
        const uint32_t row = row_of_[column(e, first)];
        if (row == none) continue;
        x_.rows[n] = row;
        x_.values[n++] = zero ? 0.0 : values[e];
    }
    x_.rows.resize(n);
    x_.values.resize(n);
    if (!slot_of_.empty()) add_up(first);
    return x_;
}

void Rows::share() {
    std::vector<uint32_t> slots;
    for (uint32_t c : asked_) slots.push_back(row_of_[c]);
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    slot_of_.assign(width_, 0);
    for (uint32_t c : asked_)
        slot_of_[c] = static_cast<uint32_t>(
            std::lower_bound(slots.begin(), slots.end(), row_of_[c]) - slots.begin());
    at_.assign(slots.size(), 0);
    if (slots.size() == asked_.size()) slot_of_.clear();  // no two names meet
}

// Names that fall into one row are added up, as `HashedFeatures` does.
void Rows::add_up(size_t first) {
    size_t n = 0;
    for (size_t i = 0; i < x_.size(); ++i) {
        uint32_t& at = at_[slot_of_[column(first + i, first)]];
        if (at) {
            x_.values[at - 1] += x_.values[i];
            continue;
        }
        x_.rows[n] = x_.rows[i];
        x_.values[n++] = x_.values[i];
        at = static_cast<uint32_t>(n);
    }
    const bool shared = n < x_.size();
    for (size_t i = 0; i < x_.size(); ++i) at_[slot_of_[column(first + i, first)]] = 0;
    x_.rows.resize(n);
    x_.values.resize(n);
    if (!shared) return;
    x_.norm2 = 0.0;
    for (double value : x_.values) x_.norm2 += value * value;
}

void Rows::prefetch(size_t i, const Layout& weights) const {
    if (dense_ || i >= n_) return;
    for (size_t e = begin(i); e < begin(i + 1); ++e)
        if (row_of_[columns_[e]] != none) weights.prefetch(row_of_[columns_[e]]);
}

Numbers Rows::norms2() {
    Numbers norms2(n_);
    for (size_t i = 0; i < n_; ++i) norms2[i] = (*this)[i].norm2;
    return norms2;
}

Multilabels::Multilabels(nb::handle multilabels, const Labels& labels)
    : start_(numbers_of<int64_t>(multilabels.attr("start"))),
      nodes_(numbers_of<uint32_t>(multilabels.attr("nodes"))) {
    ensure_starts(start_, nodes_.size());
    for (uint32_t v : nodes_) ensure(v < labels.n(), "a node of another taxonomy");
    on_.mask.assign(labels.n(), 0);
}

const On& Multilabels::operator[](size_t i) {
    for (uint32_t v : on_.nodes) on_.mask[v] = 0;
    on_.nodes.assign(nodes_.begin() + start_[i], nodes_.begin() + start_[i + 1]);
    for (uint32_t v : on_.nodes) on_.mask[v] = 1;
    return on_;
}

namespace {

// Without Python's lock, unless there are so few rows that others would only be in the way: they
// would find the model at work as often as they look.
class Unlocked {
  public:
    explicit Unlocked(const Rows& X) {
        if (X.n() > few) free_.emplace();
    }

  private:
    static constexpr size_t few = 16;
    std::optional<nb::gil_scoped_release> free_;
};

// Take the rows one after the other.
template <class Step>
void one_by_one(Names& features, Rows& X, size_t n_labels, Weights& w, Step step) {
    ensure(X.n() == n_labels, "a label for each row");
    Names::Busy busy(features);
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

void ensure_room(const LeastSquares& rls, const Labels& labels) {
    ensure(rls.n_nodes() <= labels.n(), "a label for each node");
}

void hperceptron_steps(Weights& w, Names& features, const Labels& labels, nb::handle batch,
                       nb::handle multilabels) {
    ensure_room(w, labels);
    Multilabels Y(multilabels, labels);
    Rows X(features, batch, true);
    AtWork at_work(w);
    one_by_one(features, X, Y.n(), w,
                 [&](const Vector& x, size_t i) { hperceptron_step(w, x, Y[i], labels); });
}

void harow_steps(GaussianWeights& w, double r, double forgetting, Names& features,
                 const Labels& labels, nb::handle batch, nb::handle multilabels) {
    ensure_room(w, labels);
    Multilabels Y(multilabels, labels);
    Rows X(features, batch, true);
    AtWork at_work(w);
    one_by_one(features, X, Y.n(), w,
                 [&](const Vector& x, size_t i) { harow_step(w, x, Y[i], r, forgetting, labels); });
}

std::vector<uint32_t> nodes_of(nb::handle array, const Labels& tree) {
    std::vector<uint32_t> nodes = numbers_of<uint32_t>(array);
    for (uint32_t v : nodes) ensure(v < tree.n(), "a node of another taxonomy");
    return nodes;
}

void hieron_steps(Weights& w, double C, Names& features, const Labels& tree, nb::handle batch,
                  nb::handle y) {
    ensure_room(w, tree);
    const std::vector<uint32_t> nodes = nodes_of(y, tree);
    Rows X(features, batch, true);
    AtWork at_work(w);
    one_by_one(features, X, nodes.size(), w,
                 [&](const Vector& x, size_t i) { hieron_step(w, C, x, nodes[i], tree); });
}

void averaged_hieron_steps(Weights& w, Weights& lag, size_t first, double C, Names& features,
                           const Labels& tree, nb::handle batch, nb::handle y) {
    ensure_room(w, tree);
    ensure_room(lag, tree);
    const std::vector<uint32_t> nodes = nodes_of(y, tree);
    Rows X(features, batch, true);
    AtWork at_work(w), at_work_too(lag);
    one_by_one(features, X, nodes.size(), w, [&](const Vector& x, size_t i) {
        averaged_hieron_step(w, lag, static_cast<double>(first + i), C, x, nodes[i], tree);
    });
}

// Of examples that are known beforehand, from round t on, a system takes several while it is in the
// cache. Each has the examples before it in any case.
void rls_steps(LeastSquares& rls, Rows& X, Multilabels& Y, const Labels& labels, size_t t,
               RLSStep& step) {
    for (size_t first = 0, n; first < X.n(); first += n) {
        n = std::min(rls.at_once(), X.n() - first);
        std::array<std::optional<Visit>, VisitBuffers::most> visits;
        std::vector<char> ons;  // the masks, one after the other
        Numbers lns;
        for (size_t i = first; i < first + n; ++i) {
            const Vector& x = X[i];
            if (x.norm2 == 0.0) continue;
            visits[lns.size()].emplace(x, rls.instances, rls.buffers, lns.size());
            const On& on = Y[i];
            ons.insert(ons.end(), on.mask.begin(), on.mask.end());
            lns.push_back(std::log(static_cast<double>(t + i)));
        }
        const uint32_t n_before = rls.instances.n();
        std::vector<size_t> examples;  // of each new instance
        for (System& system : rls.systems)
            for (size_t i = 0; i < lns.size(); ++i) {
                const char* on = &ons[i * labels.n()];
                if (learns(system, on, labels)) step.take(rls, system, *visits[i], on, lns[i]);
                examples.resize(rls.instances.n() - n_before, i);
            }
        rls.done_at_once(n_before, examples);
        rls.tidy();
    }
}

void least_squares_steps(LeastSquares& rls, RLSStep&& step, size_t t, Names& features,
                         const Labels& labels, nb::handle batch, nb::handle multilabels) {
    ensure_room(rls, labels);
    Multilabels Y(multilabels, labels);
    Rows X(features, batch, true);
    AtWork at_work(rls);
    ensure(X.n() == Y.n(), "a label for each row");
    Names::Busy busy(features);
    Unlocked unlocked(X);
    rls_steps(rls, X, Y, labels, t, step);
}

void hrls_steps(LeastSquares& rls, Names& features, const Labels& labels, nb::handle batch,
                nb::handle multilabels) {
    least_squares_steps(rls, HRLSStep(), 1, features, labels, batch, multilabels);
}

void shrls_steps(LeastSquares& rls, double c, size_t t, Names& features, const Labels& labels,
                 nb::handle batch, nb::handle multilabels) {
    least_squares_steps(rls, SHRLSStep(c), t, features, labels, batch, multilabels);
}

nb::tuple closed_many(Labels& labels, nb::list ys) {
    std::vector<int64_t> start{0};
    std::vector<uint32_t> nodes;
    for (size_t i = 0; i < ys.size(); ++i) {
        const On on = labels.closed(ys[i]);
        nodes.insert(nodes.end(), on.nodes.begin(), on.nodes.end());
        start.push_back(static_cast<int64_t>(nodes.size()));
    }
    return nb::make_tuple(array(start), array(nodes));
}

// Predictions keep the lock, so that threads that only predict do not turn each other away.

class Masks {
  public:
    Masks(size_t n, size_t n_nodes)
        : n_(n), n_nodes_(n_nodes), mask_(std::make_unique<bool[]>(n * n_nodes)) {}

    void set(size_t i, const Nodes& on) {
        mask_[i * n_nodes_] = true;
        for (uint32_t v : on) mask_[i * n_nodes_ + v] = true;
    }

    nb::object done() const {
        return array<bool>(mask_.get(), n_ * n_nodes_).attr("reshape")(n_, n_nodes_);
    }

  private:
    size_t n_, n_nodes_;
    std::unique_ptr<bool[]> mask_;
};

// The next row, which the weights can take.
const Vector& next(const Weights& w, Rows& X, size_t i) {
    X.prefetch(i + 1, *w.layout());
    const Vector& x = X[i];
    w.check_range(x.norm2);
    return x;
}

nb::object top_down_answers(Weights& w, const Labels& labels, Rows& X) {
    ensure_room(idle(w), labels);
    Masks masks(X.n(), labels.n());
    Nodes on;
    for (size_t i = 0; i < X.n(); ++i) {
        top_down(w, next(w, X, i), labels, on);
        masks.set(i, on);
    }
    return masks.done();
}

nb::object hieron_answers(Weights& w, const Labels& labels, Rows& X) {
    ensure_room(idle(w), labels);
    Nodes best;
    for (size_t i = 0; i < X.n(); ++i) {
        best.push_back(argmax(hieron_scores(w, next(w, X, i), labels), labels.n()));
    }
    return array(best);
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

nb::object scores_of(Weights& w, Rows& X) {
    idle(w);
    Numbers all;
    for (size_t i = 0; i < X.n(); ++i) {
        w.score_all(next(w, X, i));
        all.insert(all.end(), w.scores.begin(), w.scores.begin() + w.n_nodes());
    }
    return matrix(all, X.n(), w.n_nodes()).attr("T");
}

nb::object scores_of(LeastSquares& rls, Rows& X, size_t n_nodes) {
    ensure(idle(rls).n_nodes() <= n_nodes, "a label for each node");
    Numbers all;
    for (size_t i = 0; i < X.n(); ++i) {
        const Numbers scores = least_squares_scores(rls, X[i], n_nodes);
        all.insert(all.end(), scores.begin(), scores.end());
    }
    return matrix(all, X.n(), n_nodes).attr("T");
}

void batches(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Rows>(m, "Vectors")
        .def("__init__",
             [](Rows* rows, Names& features, nb::handle X) { new (rows) Rows(features, X, false); },
             "features"_a, "X"_a)
        .def_prop_ro("norms2", [](Rows& rows) { return array(rows.norms2()); });
    m.def("closed_many", &closed_many, "labels"_a, "ys"_a);
    m.def("hperceptron_steps", &hperceptron_steps, "w"_a, "features"_a, "labels"_a, "X"_a, "Y"_a);
    m.def("harow_steps", &harow_steps, "w"_a, "r"_a, "forgetting"_a, "features"_a, "labels"_a,
          "X"_a, "Y"_a);
    m.def("hieron_steps", &hieron_steps, "w"_a, "C"_a, "features"_a, "labels"_a, "X"_a, "y"_a);
    m.def("averaged_hieron_steps", &averaged_hieron_steps, "w"_a, "lag"_a, "i"_a, "C"_a,
          "features"_a, "labels"_a, "X"_a, "y"_a);
    m.def("hrls_steps", &hrls_steps, "rls"_a, "features"_a, "labels"_a, "X"_a, "Y"_a);
    m.def("shrls_steps", &shrls_steps, "rls"_a, "c"_a, "t"_a, "features"_a, "labels"_a, "X"_a,
          "Y"_a);
    m.def("top_down_answers", &top_down_answers, "w"_a, "labels"_a, "X"_a);
    m.def("hieron_answers", &hieron_answers, "w"_a, "labels"_a, "X"_a);
    m.def("least_squares_answers", &least_squares_answers, "rls"_a, "labels"_a, "X"_a);
}

}  // namespace river_hier
