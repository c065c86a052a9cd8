// What Python sees of the weights of linear learners.

#include <nanobind/stl/string.h>

#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// One-dimensional arrays of nodes and of the numbers of each plane, by the addresses of their entries.
struct Entries {
    Entries(nb::handle nodes, const std::vector<nb::object>& numbers) : nodes(view<uint32_t>(nodes)) {
        for (const nb::object& plane : numbers) {
            planes.push_back(nb::cast<Plane>(plane));
            ensure(planes.back().size() == this->nodes.size(), "as many numbers as nodes");
        }
    }

    uint32_t* from(int64_t entry, void** numbers) const {
        for (size_t plane = 0; plane < planes.size(); ++plane)
            numbers[plane] = static_cast<char*>(planes[plane].data()) + entry * planes[plane].itemsize();
        return const_cast<uint32_t*>(nodes.data()) + entry;
    }

    using Plane = nb::ndarray<nb::c_contig, nb::device::cpu>;
    View<uint32_t> nodes;
    std::vector<Plane> planes;
};

// The entries that are not zero, row by row: where each row starts, nodes, and numbers of each plane.
nb::object rows_of(Weights& w) {
    const ReentrancyGuard guard(w);
    std::vector<int64_t> start{0};
    for (size_t row = 0; row < w->n_features(); ++row)
        start.push_back(start.back() + static_cast<int64_t>(w->save(row, nullptr, nullptr)));
    while (start.size() > 1 && start[start.size() - 2] == start.back()) start.pop_back();
    const nb::object empty = numpy("empty"), nodes = empty(start.back(), "uint32");
    std::vector<nb::object> numbers;
    for (size_t plane = 0; plane < w.n_planes(); ++plane)
        numbers.push_back(empty(start.back(), w.saved_dtype(plane)));
    const Entries entries(nodes, numbers);
    void* at[2];
    for (size_t row = 0; row + 1 < start.size(); ++row) {
        uint32_t* first = entries.from(start[row], at);
        w->save(row, first, at);
    }
    nb::list rows;
    rows.append(array(start));
    rows.append(nodes);
    for (const nb::object& plane : numbers) rows.append(plane);
    return nb::tuple(rows);
}

// The caller has checked that these are such rows.
void set_rows(Weights& w, nb::handle rows) {
    const ReentrancyGuard guard(w);
    ensure(nb::len(rows) == 2 + w.n_planes(), "another number of planes");
    const auto start = numbers_of<int64_t>(rows[0]);
    std::vector<nb::object> numbers;
    for (size_t plane = 0; plane < w.n_planes(); ++plane)
        numbers.push_back(numpy("ascontiguousarray")(rows[2 + plane], w.saved_dtype(plane)));
    const Entries entries(rows[1], numbers);
    w.reset();
    void* at[2];
    for (size_t row = 0; row + 1 < start.size(); ++row)
        if (const auto n = static_cast<size_t>(start[row + 1] - start[row])) {
            const uint32_t* first = entries.from(start[row], at);
            w->load(row, n, first, at);
        }
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

}  // namespace

void weights(nb::module_& m) {
    nb::class_<Clocks>(m, "Clocks")
        .def(nb::init<size_t>(), "n_nodes"_a)
        .def_rw("m", &Clocks::m)
        .def("add_nodes", &Clocks::add_nodes, "n_nodes"_a)
        .def("__sizeof__", [](const Clocks& clocks) { return sizeof(Clocks) + clocks.bytes(); })
        .def_prop_rw("since", [](const Clocks& clocks) { return array(clocks.since); },
                     [](Clocks& clocks, nb::handle since) { clocks.since = numbers(since); })
        .def_prop_rw("learned",
                     [](const Clocks& clocks) {
                         const auto* flags = reinterpret_cast<const bool*>(clocks.learned.data());
                         return array(flags, {clocks.learned.size()});
                     },
                     [](Clocks& clocks, nb::handle learned) {
                         const View<bool> flags = view<bool>(learned);
                         clocks.learned.assign(flags.data(), flags.data() + flags.size());
                         clocks.forget_rows();
                     });

    nb::class_<Weights>(m, "Weights")
        .def(nb::init<size_t, std::string>(), "n_nodes"_a, "dtype"_a = "float64")
        .def_prop_ro("n_nodes", &Weights::n_nodes)
        .def_prop_ro("dtype", &Weights::dtype)
        .def_prop_rw("rows", &rows_of, &set_rows)
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
             [](Weights& w, Weights* lag, Clocks* clocks) {
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
        .def_prop_ro("n_bytes", [](const Weights& w) { return not_in_use(w)->bytes(); })
        .def("__sizeof__",
             [](const Weights& w) { return sizeof(Weights) + w.scratch() + not_in_use(w)->bytes(); });

    nb::class_<GaussianWeights, Weights>(m, "GaussianWeights")
        .def(nb::init<size_t, const std::string&>(), "n_nodes"_a, "dtype"_a = "float64")
        .def_rw("seed", &GaussianWeights::seed)
        .def_prop_rw("draws",
                     [](const GaussianWeights& w) { return array(w.draws.data(), {w.n_nodes()}); },
                     [](GaussianWeights& w, nb::handle draws) {
                         const auto found = numbers_of<uint32_t>(draws);
                         ensure(found.size() == w.n_nodes(), "a number for each node");
                         std::copy(found.begin(), found.end(), w.draws.begin());
                     })
        .def("variances",
             [](GaussianWeights& w, const Vector& x, nb::handle nodes) {
                 Numbers found;
                 const Nodes places = ascending(nodes, not_in_use(w));
                 w->move(x, places, [&](const Numbers& variances, Moves&) {
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
                 if (!(forgetting < 1.0)) return;
                 const Nodes places = ascending(nodes, not_in_use(w));
                 w.reserve(x, places);
                 w.discount(x, places, forgetting);
             },
             "x"_a, "nodes"_a, "forgetting"_a);
}

}  // namespace river_hier
