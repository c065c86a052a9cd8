// The extension: names of features, labels, and texts.

#include <nanobind/stl/pair.h>

#include "algorithms/forest.hpp"
#include "bindings/bindings.hpp"
#include "store/vocabulary.hpp"

using namespace river_hier;
using namespace nb::literals;

namespace {

template <class T>
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<T>(self)->traverse(visit, arg) : 0;
}

int clear_features(PyObject* self) {
    nb::inst_ptr<FeatureIndex>(self)->clear();
    return 0;
}

const PyType_Slot label_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse<Labels>)}, {0, nullptr}};

const PyType_Slot feature_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse<FeatureIndex>)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_features)}, {0, nullptr}};

void features(nb::module_& m) {
    nb::class_<Vector>(m, "Vector")
        .def_prop_ro("rows", [](const Vector& x) { return array(x.rows); })
        .def_prop_ro("values", [](const Vector& x) { return array(x.values); })
        .def_ro("norm2", &Vector::norm2)
        .def("dense", [](const Vector& x, size_t n_rows) {
            Numbers dense(n_rows);
            for (size_t j = 0; j < x.size(); ++j) if (x.rows[j] < n_rows) dense[x.rows[j]] = x.values[j];
            return array(std::move(dense));
        }, "n_rows"_a);

    nb::class_<FeatureIndex>(m, "FeatureIndex", nb::type_slots(feature_slots))
        .def(nb::init<nb::list, double>(), "names"_a = nb::list(), "intercept"_a = 0.0)
        .def_ro("intercept", &FeatureIndex::intercept)
        .def_ro("most_norm2", &FeatureIndex::most_norm2)
        .def_ro("first_row", &FeatureIndex::first_row)
        .def("__len__", &FeatureIndex::size)
        .def("__sizeof__", [](const FeatureIndex& names) { return sizeof(FeatureIndex) + names.bytes(); })
        .def("find", [](FeatureIndex& names, nb::handle x) { return Vector(names.find(x)); }, "x"_a.none())
        .def("insert", [](FeatureIndex& names, nb::handle x) { return Vector(names.insert(x)); }, "x"_a.none())
        .def("names", &FeatureIndex::names)
        .def("row", [](FeatureIndex& names, nb::handle name) {
            const uint32_t row = names.row_of(name.ptr());
            return row == no_row ? nb::none() : nb::object(nb::int_(row));
        }, "name"_a.none())
        .def("saved", [](const FeatureIndex& names) { return nb::make_tuple(names.names(), names.intercept); });
}

// The closed multilabels of ys[first:last], up to one that only Python can read or refuse: in an open taxonomy
// also a tuple, which may be a label, and the root, which may be refused.
nb::tuple closed_many(Labels& labels, nb::list ys, size_t first, size_t last, bool open) {
    std::vector<int64_t> start{0};
    Nodes nodes;
    for (size_t i = first; i < std::min(last, ys.size()); ++i) {
        const nb::object y = ys[i];
        On on;
        if (open && (PyTuple_Check(y.ptr()) || !labels.read(y, on) || labels.names_root(y))) break;
        try {
            if (!open) on = labels.closed(y);
            nodes.insert(nodes.end(), on.nodes.begin(), on.nodes.end());
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_Exception)) throw;
            break;
        }
        start.push_back(static_cast<int64_t>(nodes.size()));
    }
    return nb::make_tuple(array(std::move(start)), array(std::move(nodes)));
}

void labels(nb::module_& m) {
    nb::class_<Labels>(m, "Labels", nb::type_slots(label_slots))
        .def(nb::init<nb::object, nb::handle, bool>(), "taxonomy"_a, "unseen"_a = nb::tuple(),
             "has_learned"_a = false)
        .def("saved", [](const Labels& labels) {
            return nb::make_tuple(labels.taxonomy(), labels.unseen_nodes(), labels.has_learned);
        })
        .def("grow", &Labels::grow, "taxonomy"_a, "unseen"_a = false)
        .def_prop_ro("taxonomy", &Labels::taxonomy)
        .def_ro("has_learned", &Labels::has_learned)
        .def_prop_ro("unseen", &Labels::unseen_nodes)
        .def_prop_ro("n_unseen", &Labels::n_unseen)
        .def_prop_ro("all_seen", [](const Labels& labels) { return labels.has_learned && !labels.n_unseen(); })
        .def("node", &Labels::node, "label"_a.none())
        .def("learned", [](Labels& labels, nb::handle nodes) { labels.learned(labels.known(nodes)); }, "nodes"_a)
        .def("forget", [](Labels& labels, nb::handle nodes) { labels.forget(labels.known(nodes)); }, "nodes"_a)
        .def("learned_path", [](Labels& labels, uint32_t y) {
            labels.check(y);
            labels.watch({y});
            labels.learned(y);
        }, "y"_a)
        .def("watch", [](Labels& labels, nb::handle nodes) { labels.watch(labels.known(nodes)); }, "nodes"_a)
        .def("__sizeof__", [](const Labels& labels) { return sizeof(Labels) + labels.bytes(); })
        .def("closure", &Labels::closure, "y"_a.none())
        .def("predicted", &Labels::predicted, "y"_a.none())
        .def("given", &Labels::given, "y"_a.none())
        .def("numbers", &Labels::values, "y"_a.none())
        .def("path", &Labels::path, "node"_a)
        .def("dictionary", &Labels::dictionary, "nodes"_a)
        .def("marginals", [](const Labels& labels, const Values& given) {
            const size_t n = std::min<size_t>(given.size(), labels.n());  // another thread may add nodes
            ensure(given.ndim() == 1 && n, "a number for each node");
            Numbers p(given.data(), given.data() + n);
            p[0] = 1.0;
            for (uint32_t v = 1; v < n; ++v)  // not above that of any parent
                p[v] *= labels.of_parents(p, v, smaller);
            return array(std::move(p));
        }, "given"_a)
        .def("probabilities", &probabilities, "p"_a);
    m.def("closed_many", &closed_many, "labels"_a, "ys"_a, "first"_a, "last"_a, "open"_a);
}

void texts(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary")
        .def(nb::init<nb::object, std::optional<TextReader::Lengths>, uint32_t, nb::tuple, uint64_t, uint64_t,
                      nb::object, double>(),
             "tokenize"_a, "ngram_range"_a.none(), "n_features"_a, "stop_words"_a, "min_count"_a, "max_rare"_a,
             "counts"_a = nb::none(), "least_idf"_a = 0.0)
        .def_ro("n", &Vocabulary::n)
        .def_prop_ro("dfs", &Vocabulary::dfs)
        .def("saved", [](Vocabulary& v) { return v.options + nb::make_tuple(v.counts(), v.least_idf); })
        .def("learn", &Vocabulary::learn, "text"_a)
        .def("weights", &Vocabulary::weights, "text"_a, "normalize"_a, "counted"_a)
        .def("matrix", &Vocabulary::matrix, "texts"_a, "normalize"_a, "learning"_a)
        .def("__sizeof__", [](const Vocabulary& v) { return sizeof v + v.bytes(); });
}

void forest(nb::module_& m) {
    nb::class_<Forest>(m, "Forest")
        .def(nb::init<size_t, size_t, uint64_t, bool, nb::handle>(), "n_trees"_a, "budget"_a, "seed"_a,
             "of_labels"_a, "saved"_a = nb::none())
        .def("saved", &Forest::saved)
        .def_prop_ro("d", &Forest::d)
        .def("widen", [](Forest& forest, nb::handle keys) { forest.widen(numbers<uint32_t>(keys)); }, "keys"_a)
        .def("forget", [](Forest& forest, nb::handle nodes) { forest.forget(numbers<uint32_t>(nodes)); }, "nodes"_a)
        .def("learn", [](Forest& forest, nb::handle X, nb::handle start, nb::handle targets, nb::handle w) {
            const auto rows = view<double>(X);
            const auto starts = numbers<int64_t>(start);
            const Nodes nodes = numbers<uint32_t>(targets);
            const Numbers weights = numbers(w);
            ensure(rows.ndim() == 2 && rows.shape(1) == forest.d(), "a number for each feature");
            for (size_t i = 0; i < weights.size(); ++i)
                forest.learn(rows.data() + i * forest.d(),
                             {nodes.begin() + starts[i], nodes.begin() + starts[i + 1]}, weights[i]);
        }, "X"_a, "start"_a, "targets"_a, "w"_a)
        .def("shares", [](const Forest& forest, nb::handle X, size_t n_nodes) {
            const auto rows = view<double>(X);
            const size_t n = rows.shape(0), width = std::min(rows.shape(1), forest.d());
            Numbers shares(n * n_nodes), x(forest.d());  // which may have more since X was read
            for (size_t i = 0; i < n; ++i) {
                std::copy_n(rows.data() + i * rows.shape(1), width, x.data());
                forest.shares(x.data(), &shares[i * n_nodes], n_nodes);
            }
            return array(std::move(shares), {n, n_nodes});
        }, "X"_a, "n_nodes"_a)
        .def("__sizeof__", [](const Forest& forest) { return sizeof forest + forest.bytes(); });
}

}  // namespace

NB_MODULE(_native, m) {
    // Models may be in global variables of notebooks and scripts; at exit these are no leaks.
    nb::set_leak_warnings(false);
    features(m);
    labels(m);
    linear(m);
    least_squares(m);
    decisions(m);
    texts(m);
    forest(m);
    m.def("set_callbacks", [](nb::kwargs functions) { callbacks().update(functions); });
}
