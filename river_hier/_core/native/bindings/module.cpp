// What Python sees of the compiled kernels: the names of `river_hier/_core`, where they are
// documented.

#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "store/feature_hasher.hpp"
#include "store/feature_index.hpp"

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
    {Py_tp_clear, reinterpret_cast<void*>(clear_features)},
    {0, nullptr}};

void features(nb::module_& m) {
    nb::class_<Vector>(m, "Vector")
        .def_prop_ro("rows", [](const Vector& x) { return array(x.rows); })
        .def_prop_ro("values", [](const Vector& x) { return array(x.values); })
        .def_ro("norm2", &Vector::norm2);

    nb::class_<FeatureMap>(m, "FeatureMap")
        .def_ro("intercept", &FeatureMap::intercept)
        .def_ro("first_row", &FeatureMap::first_row)
        .def("__len__", &FeatureMap::size)
        .def("__sizeof__",
             [](const FeatureMap& names) { return sizeof(FeatureMap) + not_in_use(names).bytes(); })
        .def("find", [](FeatureMap& names, nb::handle x) { return Vector(names.find(x)); }, "x"_a.none())
        .def("insert", [](FeatureMap& names, nb::handle x) { return Vector(names.insert(x)); },
             "x"_a.none())
        .def("names", &FeatureMap::names)
        .def("row",
             [](FeatureMap& names, nb::handle name) -> nb::object {
                 PyObject* one = name.ptr();
                 uint32_t row;
                 names.rows(&one, 1, &row);
                 return row == no_row ? nb::none() : nb::object(nb::int_(row));
             },
             "name"_a.none());

    nb::class_<FeatureIndex, FeatureMap>(m, "FeatureIndex", nb::type_slots(feature_slots))
        .def(nb::init<double>(), "intercept"_a = 0.0);

    nb::class_<FeatureRows, FeatureMap>(m, "FeatureRows")
        .def(nb::init<double>(), "intercept"_a = 0.0);

    nb::class_<FeatureHasher, FeatureMap>(m, "FeatureHasher")
        .def(nb::init<size_t, double>(), "n_rows"_a, "intercept"_a = 0.0);
}

nb::tuple closed_many(Labels& labels, nb::list ys) {
    std::vector<int64_t> start{0};
    std::vector<uint32_t> nodes;
    for (nb::handle y : ys) {
        const On on = labels.closed(y);
        nodes.insert(nodes.end(), on.nodes.begin(), on.nodes.end());
        start.push_back(static_cast<int64_t>(nodes.size()));
    }
    return nb::make_tuple(array(start), array(nodes));
}

nb::list unlearned(const Labels& labels) {
    nb::list nodes;
    for (uint32_t v = 0; v < labels.n(); ++v)
        if (labels.unlearned(v)) nodes.append(v);
    return nodes;
}

void labels(nb::module_& m) {
    nb::class_<On>(m, "On");
    nb::class_<Labels>(m, "Labels", nb::type_slots(label_slots))
        .def(nb::init<nb::object, nb::object, nb::handle>(), "taxonomy"_a,
             "learning"_a = nb::none(), "unlearned"_a = nb::tuple())
        .def("grow", &Labels::grow, "taxonomy"_a, "unlearned"_a = false)
        .def_prop_ro("taxonomy", &Labels::taxonomy)
        .def_prop_ro("learning",
                     [](const Labels& labels) -> nb::object {
                         return labels.all_learn() ? nb::none() : mask(labels.learning());
                     })
        .def_prop_ro("unlearned", &unlearned)
        .def("learned",
             [](Labels& labels, uint32_t y) {
                 ensure(y < labels.n(), "a node of another taxonomy");
                 for (uint32_t v = y; v; v = labels.parent(v)) labels.set_unlearned(v, false);
             },
             "y"_a)
        .def("__sizeof__", [](const Labels& labels) { return sizeof(Labels) + labels.bytes(); })
        .def("closed", &Labels::closed, "y"_a.none())
        .def("closure", &Labels::closure, "y"_a.none())
        .def("predicted", &Labels::predicted, "y"_a.none())
        .def("given", &Labels::given, "y"_a.none())
        .def("numbers", &Labels::numbers, "y"_a.none())
        .def("path", &Labels::path, "node"_a)
        .def("dictionary", &Labels::dictionary, "nodes"_a)
        .def("marginals",
             [](const Labels& labels, const Values& given) {
                 Numbers p(checked(given, labels.n()), given.data() + labels.n());
                 p[0] = 1.0;
                 for (uint32_t v = 1; v < labels.n(); ++v)  // not above that of any parent
                     p[v] *= labels.of_parents(p, v, [](auto a, auto b) { return std::min(a, b); });
                 return array(p);
             },
             "given"_a)
        .def("probabilities", &probabilities, "p"_a);
    m.def("closed_many", &closed_many, "labels"_a, "ys"_a);
}

}  // namespace

NB_MODULE(_native, m) {
    // Models may be in global variables of notebooks and scripts; at exit these are no leaks.
    nb::set_leak_warnings(false);
    features(m);
    labels(m);
    weights(m);
    least_squares(m);
    linear_learners(m);
    decisions(m);
    texts(m);
    turns(m);
}
