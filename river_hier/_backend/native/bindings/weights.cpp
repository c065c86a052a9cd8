// What Python sees of the weights of linear learners, and their pickles.

#include <nanobind/stl/string.h>

#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// The entries of a plane that are not zero, row by row.
nb::object save_rows(const Weights& w, size_t plane) {
    std::vector<int64_t> start{0};
    Nodes nodes;
    Numbers numbers;
    size_t last = 0;
    for (size_t row = 0; row < w->n_features(); ++row) {
        w->row(plane, row, nodes, numbers);
        start.push_back(static_cast<int64_t>(nodes.size()));
        if (start.back() > start[row]) last = row + 1;
    }
    start.resize(last + 1);
    return nb::make_tuple(array(start), array(nodes), array(numbers).attr("astype")(w.dtype()));
}

void load_rows(Weights& w, size_t plane, nb::handle rows) {
    const auto start = numbers_of<int64_t>(rows[0]);
    const auto nodes = numbers_of<uint32_t>(rows[1]);
    const auto all = numbers(rows[2].attr("astype")("float64"));
    Vector x{{0}, {1.0}, 1.0};
    for (size_t row = 0; row + 1 < start.size(); ++row) {
        x.rows[0] = static_cast<uint32_t>(row);
        w->add(plane, x, Nodes(nodes.begin() + start[row], nodes.begin() + start[row + 1]),
               Numbers(all.begin() + start[row], all.begin() + start[row + 1]));
    }
}

// What all weights have: a constructor, and pickles that hold the rows of each plane.
template <class W, class... Base>
nb::class_<W, Base...> add_weights(nb::module_& m, const char* name) {
    return nb::class_<W, Base...>(m, name)
        .def("__init__",
             [](W* w, size_t n_nodes, const std::string& dtype) {
                 new (w) W(n_nodes, dtype == "float32");
             },
             "n_nodes"_a, "dtype"_a = "float64")
        .def("__reduce__",
             [name](const W& w) {
                 nb::list planes;
                 for (size_t plane = 0; plane < not_in_use(w).n_planes(); ++plane)
                     planes.append(save_rows(w, plane));
                 return saved(name, w.n_nodes(), w.dtype(), *planes);
             })
        .def_static("restore", [](size_t n_nodes, const std::string& dtype, nb::args planes) {
            const nb::object check =
                nb::module_::import_("river_hier._backend.reference.sparse_rows").attr("check");
            for (nb::handle rows : planes) check(n_nodes, dtype, rows);
            auto* w = new W(n_nodes, dtype == "float32");
            nb::object owner = nb::cast(w, nb::rv_policy::take_ownership);
            ensure(planes.size() == w->n_planes(), "another number of planes");
            for (size_t plane = 0; plane < planes.size(); ++plane)
                load_rows(*w, plane, planes[plane]);
            return owner;
        });
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

nb::object learned(const Clocks& clocks) {
    const auto* flags = reinterpret_cast<const bool*>(clocks.learned.data());
    return array(flags, {clocks.learned.size()});
}

std::vector<char> flags(nb::handle mask) {
    const View<bool> all = view<bool>(mask);
    return std::vector<char>(all.data(), all.data() + all.size());
}

}  // namespace

void weights(nb::module_& m) {
    nb::class_<Clocks>(m, "Clocks")
        .def(nb::init<size_t>(), "n_nodes"_a)
        .def_rw("m", &Clocks::m)
        .def_prop_rw("since", [](const Clocks& clocks) { return array(clocks.since); },
                     [](Clocks& clocks, nb::handle since) { clocks.since = numbers(since); })
        .def_prop_rw("learned", &learned,
                     [](Clocks& clocks, nb::handle learned) { clocks.learned = flags(learned); })
        .def("__reduce__",
             [](const Clocks& clocks) {
                 return saved("Clocks", clocks.m, array(clocks.since), learned(clocks));
             })
        .def_static("restore", [](double m, nb::handle since, nb::handle learned) {
            auto* clocks = new Clocks(0);
            nb::object owner = nb::cast(clocks, nb::rv_policy::take_ownership);
            clocks->m = m;
            clocks->since = numbers(since);
            clocks->learned = flags(learned);
            return owner;
        });

    add_weights<Weights>(m, "Weights")
        .def("add_nodes", [](Weights& w, size_t n_nodes) { not_in_use(w).add_nodes(n_nodes); },
             "n_nodes"_a)
        .def("scores", [](Weights& w, Rows& x) { return scores_of(w, x); }, "x"_a)
        .def("scores",
             [](Weights& w, const Vector& x) {
                 not_in_use(w).check_range(x.norm2);
                 w.score_all(x);
                 return array(w.scores.data(), {w.n_nodes()});
             },
             "x"_a)
        .def("check_range", [](const Weights& w, double norm2) { w.check_range(norm2); }, "norm2"_a)
        .def("add",
             [](Weights& w, const Vector& x, nb::handle nodes, nb::handle steps) {
                 const Nodes places = ascending(nodes, w);
                 Numbers sizes = numbers(steps);
                 if (sizes.size() != places.size()) throw nb::value_error("a step for each node");
                 not_in_use(w).check_range(x.norm2);
                 w.add(x, places, sizes);
             },
             "x"_a, "nodes"_a, "steps"_a)
        .def("clear",
             [](Weights& w, uint32_t node) {
                 ensure(node < not_in_use(w).n_nodes(), "a node");
                 w.clear(node);
             },
             "node"_a)
        .def("record",
             [](Weights& w, Weights* lag, const Clocks* clocks) {
                 not_in_use(w).record(lag ? &not_in_use(*lag) : nullptr, clocks);
             },
             "lag"_a.none(), "clocks"_a.none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("column",
             [](const Weights& w, uint32_t node, size_t n_features) {
                 Numbers column(n_features);
                 not_in_use(w);
                 for (size_t row = 0; row < n_features; ++row) column[row] = w->get(0, row, node);
                 return array(column);
             },
             "node"_a, "n_features"_a)
        .def_prop_ro("n_bytes", [](const Weights& w) { return not_in_use(w)->bytes(); });

    add_weights<GaussianWeights, Weights>(m, "GaussianWeights")
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
                 const double most = w.largest_step(x.norm2);
                 w.move(x, places, [&](const Numbers&, Moves& moves) {
                     for (size_t i = 0; i < places.size(); ++i)
                         moves.push_back({places[i], std::clamp(sizes[i], -most, most), certain[i]});
                 });
             },
             "x"_a, "nodes"_a, "steps"_a, "confidence"_a)
        .def("discount",
             [](GaussianWeights& w, const Vector& x, nb::handle nodes, double forgetting) {
                 if (forgetting < 1.0) w.discount(x, ascending(nodes, not_in_use(w)), forgetting);
             },
             "x"_a, "nodes"_a, "forgetting"_a);
}

}  // namespace river_hier
