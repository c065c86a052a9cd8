// What Python sees of the compiled kernels: the names of `river_hier/_backend`, where they are
// documented.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "store/batch.hpp"
#include "store/feature_index.hpp"
#include "store/feature_hasher.hpp"
#include "bindings/saved.hpp"

using namespace river_hier;
using namespace nb::literals;

namespace {

nb::object reader() {
    return nb::module_::import_("river_hier._backend.reference.feature_index").attr("read_odd");
}

nb::object check(const char* module) {
    return nb::module_::import_((std::string("river_hier._backend.reference.") + module).c_str()).attr("check");
}

int traverse_features(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<FeatureIndex>(self)->traverse(visit, arg) : 0;
}

int clear_features(PyObject* self) {
    nb::inst_ptr<FeatureIndex>(self)->clear();
    return 0;
}

const PyType_Slot feature_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_features)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_features)},
    {0, nullptr}};

void features(nb::module_& m) {
    nb::class_<Vector>(m, "Vector")
        .def_prop_ro("rows", [](const Vector& x) { return array(x.rows); })
        .def_prop_ro("values", [](const Vector& x) { return array(x.values); })
        .def_ro("norm2", &Vector::norm2);

    nb::class_<FeatureMap>(m, "FeatureMap")
        .def("__len__", &FeatureMap::size)
        .def("find", [](FeatureMap& names, nb::handle x) { return Vector(names.find(x)); }, "x"_a.none())
        .def("insert", [](FeatureMap& names, nb::handle x) { return Vector(names.insert(x)); },
             "x"_a.none())
        .def("names", &FeatureMap::names)
        .def("row",
             [](FeatureMap& names, nb::handle name) -> nb::object {
                 PyObject* one = name.ptr();
                 uint32_t row;
                 names.rows(&one, 1, &row);
                 return row == TextTable::none ? nb::none() : nb::object(nb::int_(row));
             },
             "name"_a.none());

    nb::class_<FeatureIndex, FeatureMap>(m, "FeatureIndex", nb::type_slots(feature_slots))
        .def("__init__", [](FeatureIndex* features) { new (features) FeatureIndex(reader()); })
        .def("__reduce__", [](FeatureIndex& f) { return saved("FeatureIndex", f.names()); })
        .def_static("restore", [](nb::list names) {
            auto* features = new FeatureIndex(reader());
            nb::object owner = nb::cast(features, nb::rv_policy::take_ownership);
            features->add_all(names);
            return owner;
        });

    nb::class_<FeatureHasher, FeatureMap>(m, "FeatureHasher")
        .def("__init__",
             [](FeatureHasher* f, size_t n) { new (f) FeatureHasher(reader(), n); }, "n_rows"_a)
        .def("__reduce__", [](FeatureHasher& f) { return saved("FeatureHasher", f.size()); })
        .def_static("restore", [](size_t n) {
            if (n < 1 || n > (size_t{1} << 31) || n & (n - 1)) throw nb::value_error("not a power of 2");
            return new FeatureHasher(reader(), n);
        });
}

void labels(nb::module_& m) {
    nb::class_<On>(m, "On");
    nb::class_<Labels>(m, "Labels")
        .def(nb::init<nb::object, nb::object>(), "taxonomy"_a, "learning"_a = nb::none())
        .def_prop_ro("taxonomy", &Labels::taxonomy)
        .def_prop_ro("learning",
                     [](const Labels& labels) -> nb::object {
                         if (labels.learning().is_none()) return nb::none();
                         std::unique_ptr<bool[]> mask = std::make_unique<bool[]>(labels.n());
                         for (uint32_t v = 0; v < labels.n(); ++v) mask[v] = labels.learns(v);
                         return array<bool>(mask.get(), labels.n());
                     })
        .def("closed", &Labels::closed, "y"_a.none())
        .def("__reduce__",
             [](Labels& labels) { return saved("Labels", labels.taxonomy(), labels.learning()); })
        .def_static("restore",
                    [](nb::object taxonomy, nb::object learning) {
                        return new Labels(taxonomy, learning);
                    },
                    "taxonomy"_a, "learning"_a = nb::none());
}

// The weights of a pickle, from the rows of each plane.
template <class W>
nb::object restored(size_t n_nodes, const std::string& dtype,
                    std::initializer_list<nb::handle> planes) {
    for (nb::handle rows : planes) check("sparse_rows")(n_nodes, dtype, rows);
    auto* w = new W(n_nodes, dtype == "float32");
    nb::object owner = nb::cast(w, nb::rv_policy::take_ownership);
    size_t plane = 0;
    for (nb::handle rows : planes) load_rows(*w, plane++, rows);
    return owner;
}

Nodes ascending(nb::handle nodes, const Weights& w) {
    Nodes found;
    for (int64_t v : numbers_of<int64_t>(nodes)) {
        if (v < (found.empty() ? 0 : int64_t{found.back()} + 1) ||
            static_cast<size_t>(v) >= w.n_nodes())
            throw nb::value_error("nodes must ascend, up to the last there is");
        found.push_back(static_cast<uint32_t>(v));
    }
    return found;
}

void weights(nb::module_& m) {
    nb::class_<Weights>(m, "Weights")
        .def("__init__",
             [](Weights* w, size_t n_nodes, const std::string& dtype) {
                 new (w) Weights(n_nodes, dtype == "float32");
             },
             "n_nodes"_a, "dtype"_a = "float64")
        .def("add_nodes", [](Weights& w, size_t n_nodes) { not_in_use(w).add_nodes(n_nodes); },
             "n_nodes"_a)
        .def("scores", [](Weights& w, Rows& x) { return scores_of(w, x); }, "x"_a)
        .def("scores",
             [](Weights& w, const Vector& x) {
                 not_in_use(w).check_range(x.norm2);
                 w.score_all(x);
                 return array(w.scores.data(), w.n_nodes());
             },
             "x"_a)
        .def("check_range", [](const Weights& w, double norm2) { w.check_range(norm2); }, "norm2"_a)
        .def("add",
             [](Weights& w, const Vector& x, nb::handle nodes, nb::handle steps) {
                 const Nodes places = ascending(nodes, w);
                 const Numbers sizes = numbers(steps);
                 if (sizes.size() != places.size()) throw nb::value_error("a step for each node");
                 not_in_use(w).check_range(x.norm2);
                 w.add(x, places, sizes);
             },
             "x"_a, "nodes"_a, "steps"_a)
        .def("record",
             [](Weights& w, Weights* lag, double i) {
                 not_in_use(w).record(lag ? &not_in_use(*lag) : nullptr, i);
             },
             "lag"_a.none(), "i"_a, nb::keep_alive<1, 2>())
        .def("column",
             [](const Weights& w, uint32_t node, size_t n_features) {
                 Numbers column(n_features);
                 not_in_use(w);
                 for (size_t row = 0; row < n_features; ++row) column[row] = w->get(0, row, node);
                 return array(column);
             },
             "node"_a, "n_features"_a)
        .def_prop_ro("n_bytes", [](const Weights& w) { return not_in_use(w)->bytes(); })
        .def("__reduce__", [](const Weights& w) { return save("Weights", not_in_use(w)); })
        .def_static("restore", [](size_t n_nodes, const std::string& dtype, nb::handle parts) {
            return restored<Weights>(n_nodes, dtype, {parts});
        });

    nb::class_<GaussianWeights, Weights>(m, "GaussianWeights")
        .def("__init__",
             [](GaussianWeights* w, size_t n_nodes, const std::string& dtype) {
                 new (w) GaussianWeights(n_nodes, dtype == "float32");
             },
             "n_nodes"_a, "dtype"_a = "float64")
        .def("variances",
             [](GaussianWeights& w, const Vector& x, nb::handle nodes) {
                 Numbers found;
                 const Nodes places = ascending(nodes, not_in_use(w));
                 w.move(x, places, [&](const Numbers& variances, Moves&) {
                     found.assign(variances.begin(), variances.begin() + places.size());
                 });
                 return array(found);
             },
             "x"_a, "nodes"_a)
        .def("learn",
             [](GaussianWeights& w, const Vector& x, nb::handle nodes, nb::handle steps,
                nb::handle confidence) {
                 const Nodes places = ascending(nodes, not_in_use(w));
                 const Numbers sizes = numbers(steps), certain = numbers(confidence);
                 if (sizes.size() != places.size() || certain.size() != places.size())
                     throw nb::value_error("a step and a confidence for each node");
                 w.move(x, places, [&](const Numbers&, Moves& moves) {
                     for (size_t i = 0; i < places.size(); ++i)
                         moves.push_back({places[i], sizes[i], certain[i]});
                 });
             },
             "x"_a, "nodes"_a, "steps"_a, "confidence"_a)
        .def("discount",
             [](GaussianWeights& w, const Vector& x, nb::handle nodes, double forgetting) {
                 if (forgetting < 1.0) w.discount(x, ascending(nodes, not_in_use(w)), forgetting);
             },
             "x"_a, "nodes"_a, "forgetting"_a)
        .def("__reduce__",
             [](const GaussianWeights& w) { return save("GaussianWeights", not_in_use(w)); })
        .def_static("restore", [](size_t n_nodes, const std::string& dtype, nb::handle weights,
                                  nb::handle variances) {
            return restored<GaussianWeights>(n_nodes, dtype, {weights, variances});
        });
}

}  // namespace

NB_MODULE(_native, m) {
    // Models live in global variables of notebooks and scripts: at exit that is no leak.
    nb::set_leak_warnings(false);
    features(m);
    labels(m);
    weights(m);
    least_squares(m);
    linear_learners(m);
}
