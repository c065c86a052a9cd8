// What Python sees of least squares: steps, batches, answers and pickles.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "algorithms/hrls.hpp"
#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

using Budget = std::optional<size_t>;

// nanobind's own conversion would end the process if memory ran out.
template <class T>
std::vector<T> list_of(nb::handle sequence) {
    std::vector<T> list;
    for (nb::handle item : sequence) list.push_back(nb::cast<T>(item));
    return list;
}

LeastSquares& ready(LeastSquares& rls, size_t n_nodes) {
    if (not_in_use(rls).n_nodes() > n_nodes) throw nb::value_error("more systems than nodes");
    return rls;
}

// False, and nothing has changed, if l2 is lost in rounding beside x.
bool step(LeastSquares& rls, double c, double t, FeatureMap& features, Labels& labels,
          nb::handle x, nb::handle y, double weight, nb::handle changed,
          nb::handle how) {
    On on = labels.closed(y);
    const Vector& found = features.find(x);
    if (weight * found.norm2 > largest_ratio * ready(rls, labels.n()).l2) return false;
    const bool all_known = PyDict_CheckExact(x.ptr()) &&
                           static_cast<size_t>(PyDict_Size(x.ptr())) + features.first_row == found.size();
    const Vector vector = all_known ? found : features.insert(x);
    if (weight * vector.norm2 == 0.0) return true;
    on.mask.resize(labels.n());  // x's own code may add nodes
    ReentrancyGuard guard(rls);  // numpy may let other threads in
    Block block(rls, labels, 1);
    block.add(vector, on, t, weight);
    block.learn(Rule{c}, 1, {list_of<size_t>(changed), how});
    return true;
}

// Learns the rows from `start` on that have a multilabel. Returns the next row.
size_t steps(LeastSquares& rls, double c, double t, FeatureMap& features, const Labels& labels,
             Rows& X, size_t start, nb::handle multilabels, size_t n_threads) {
    ensure(rls.n_nodes() <= labels.n(), "a label for each node");
    Multilabels Y(multilabels, labels);
    ReentrancyGuard guard(rls);
    const size_t last = start + Y.size();
    ensure(last <= X.n(), "a row for each label");
    ReentrancyGuard features_guard(features);
    const size_t n_features = features.size();
    const auto others = unlocked(X);
    size_t first = start;
    try {
        for (size_t most = SIZE_MAX; first < last;) {
            const size_t n = std::min({rls.block_size(n_features), last - first, most});
            Block block(rls, labels, n);
            double now = t;
            for (size_t i = first; i < first + n; ++i) {
                const Vector& x = X[i];
                const double weight = X.weight(i);
                now += weight;
                if (weight * x.norm2 != 0.0) block.add(x, Y[i - start], now, weight);
            }
            most = block.depends_on_order() ? 1 : SIZE_MAX;
            if (most == 1) continue;
            block.learn(Rule{c}, others ? n_threads : 1);
            first += n;
            t = now;
        }
    } catch (const std::bad_alloc&) {
        if (first == start) throw;  // else the next call does, unless there is memory again
    }
    return first;
}

nb::object nodes_on(LeastSquares& rls, FeatureMap& features, Labels& labels, nb::handle x) {
    Nodes on;
    const Vector& vector = features.find(x);
    top_down(ready(rls, labels.n()), vector, labels, on);
    std::sort(on.begin(), on.end());  // systems need not be in the order of their nodes
    return Labels::nodes(on);
}

nb::object answers(LeastSquares& rls, const Labels& labels, Rows& X) {
    ready(rls, labels.n());
    return masks(X.n(), labels, [&](size_t i, Nodes& on) { top_down(rls, X[i], labels, on); });
}

nb::object scores_of_rows(LeastSquares& rls, Rows& X, size_t n_nodes) {
    ready(rls, n_nodes);
    Numbers all;
    for (size_t i = 0; i < X.n(); ++i) {
        const Numbers scores = scores_of(rls, X[i], n_nodes);
        all.insert(all.end(), scores.begin(), scores.end());
    }
    return matrix(all, X.n(), n_nodes).attr("T");
}

// A system by what defines it. In dual variables these are its instances and labels: a factor is
// computed from them when it is needed. In primal variables only sums of the instances are left.
nb::object save(System& system, const Instances& instances) {
    nb::list nodes;
    for (uint32_t v : system.nodes) nodes.append(v);
    if (auto* primal = system.primal()) {
        const size_t d = primal->d();
        return nb::make_tuple("primal", nodes, system.n_stored, matrix(primal->inverse(), d, d),
                              from_columns(primal->weights(instances, d), d), array(primal->total()));
    }
    Dual& dual = *system.dual();
    const size_t d = dual.outputs.empty() ? 0 : dual.outputs[0].w0.size();
    const auto columns = [&](Numbers DualOutput::*list, size_t n) {
        std::vector<Numbers> all;
        for (const DualOutput& of : dual.outputs) all.push_back(of.*list);
        return from_columns(all, n);
    };
    return nb::make_tuple(dual.has_factor() ? "cholesky" : "cg", nodes, system.n_stored,
                          array(dual.ids), array(dual.ones), columns(&DualOutput::v, dual.n()),
                          columns(&DualOutput::w0, d));
}

nb::object save(const Instances& instances) {
    const Instances::Data& data = instances.data();
    return nb::make_tuple(array(data.start), array(data.rows), array(data.values),
                          array(data.norms2));
}

nb::object save(LeastSquares& rls) {
    ReentrancyGuard guard(rls);  // numpy's allocations may let other threads in
    rls.drop_unneeded(0);
    nb::list systems;
    for (System& system : rls.systems) systems.append(save(system, rls.instances));
    return nb::make_tuple(save(rls.instances), systems);
}

// Appends saved instances, and returns the number of the first.
uint32_t load(Instances& instances, nb::handle saved) {
    const auto start = numbers_of<uint64_t>(saved[0]);
    const auto rows = numbers_of<uint32_t>(saved[1]);
    const Numbers values = numbers(saved[2]), norms2 = numbers(saved[3]);
    const uint32_t first = instances.n();
    for (size_t i = 0; i < norms2.size(); ++i) {
        Vector x;
        x.rows.assign(rows.begin() + start[i], rows.begin() + start[i + 1]);
        x.values.assign(values.begin() + start[i], values.begin() + start[i + 1]);
        x.norm2 = norms2[i];
        instances.append(x);
    }
    return first;
}

// A saved system, whose instances have been loaded from the number `first` on.
System load(LeastSquares& rls, nb::handle saved, uint32_t first) {
    System system(list_of<uint32_t>(saved[1]), rls.l2);
    system.n_stored = nb::cast<double>(saved[2]);
    const auto kind = nb::cast<nb::str>(saved[0]);
    if (kind.equal(nb::str("primal"))) {
        const Numbers total = numbers(saved[5]);
        system.n_features = total.size();
        system.solver = Primal(rls.l2, numbers(saved[3]), columns_of(saved[4]), total);
        return system;
    }
    Dual& dual = *system.dual();
    dual.ids = numbers_of<uint32_t>(saved[3]);
    dual.ones = numbers(saved[4]);
    const std::vector<Numbers> v = columns_of(saved[5]), w0 = columns_of(saved[6]);
    for (size_t o = 0; o < dual.outputs.size(); ++o) {
        dual.outputs[o].v = v[o];
        dual.outputs[o].w0 = w0[o];
        system.n_features = w0[o].size();
    }
    rls.instances.ensure_features(system.n_features);
    for (uint32_t& number : dual.ids)
        rls.instances.each(number += first, [&](uint32_t row, double) {
            system.n_features = std::max(system.n_features, size_t{row} + 1);
        });
    if (kind.equal(nb::str("cg"))) dual.drop_factor();
    return system;
}

void load(LeastSquares& rls, nb::handle instances, nb::handle systems) {
    const uint32_t first = load(not_in_use(rls).instances, instances);
    for (nb::handle saved : systems) rls.add_system(load(rls, saved, first));
}

}  // namespace

void LeastSquares::change(System& system, nb::handle how) {
    const nb::object changed = how(l2, save(instances), save(system, instances));
    System other = load(*this, changed[1], load(instances, changed[0]));
    system.n_features = other.n_features;
    system.n_stored = other.n_stored;
    system.replace(std::move(other.solver));
}

void least_squares(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LeastSquares>(m, "LeastSquares")
        .def(nb::init<double, double, Budget>(), "l2"_a, "memory"_a, "budget"_a = nb::none())
        .def("add_system",
             [](LeastSquares& rls, nb::handle nodes) {
                 not_in_use(rls).add_system(System(list_of<uint32_t>(nodes), rls.l2));
             },
             "nodes"_a)
        .def("add_outputs",
             [](LeastSquares& rls, size_t s, nb::handle nodes) {
                 not_in_use(rls).add_outputs(s, list_of<uint32_t>(nodes));
             },
             "s"_a, "nodes"_a)
        .def("remove_nodes",
             [](LeastSquares& rls, size_t n_systems, uint32_t n_nodes) {
                 not_in_use(rls).remove_nodes(n_systems, n_nodes);
             },
             "n_systems"_a, "n_nodes"_a)
        .def_prop_ro("n_stored",
                     [](const LeastSquares& rls) {
                         Numbers n;
                         for (const System& system : not_in_use(rls).systems)
                             n.push_back(system.n_stored);
                         return n;
                     })
        .def_ro("factor_bytes", &LeastSquares::factor_bytes)
        .def("__sizeof__",
             [](LeastSquares& rls) {
                 return sizeof(LeastSquares) + not_in_use(rls).memory_used();
             })
        .def("weights",
             [](LeastSquares& rls, size_t s, size_t n_features) {
                 System& system = not_in_use(rls).systems.at(s);
                 if (n_features < system.n_features)
                     throw nb::value_error("fewer features than the weights have");
                 return system.apply([&](auto& solver) {
                     return from_columns(solver.weights(rls.instances, n_features), n_features);
                 });
             },
             "s"_a, "n_features"_a)
        .def("scores", &scores_of_rows, "x"_a, "n_nodes"_a)
        .def("scores",
             [](LeastSquares& rls, const Vector& x, size_t n_nodes) {
                 return array(scores_of(ready(rls, n_nodes), x, n_nodes));
             },
             "x"_a, "n_nodes"_a)
        .def_ro("l2", &LeastSquares::l2)
        .def_ro("memory", &LeastSquares::memory)
        .def_ro("budget", &LeastSquares::budget)
        .def("save", [](LeastSquares& rls) { return save(rls); })
        .def("add_saved", [](LeastSquares& rls, nb::handle instances, nb::handle systems) {
            load(rls, instances, systems);
        });

    m.def("least_squares_step", &step, "rls"_a, "c"_a, "t"_a, "features"_a, "labels"_a,
          "x"_a.none(), "y"_a.none(), "weight"_a = 1.0, "changed"_a = nb::tuple(),
          "how"_a = nb::none());
    m.def("least_squares_steps", &steps, "rls"_a, "c"_a, "t"_a, "features"_a, "labels"_a, "X"_a,
          "first"_a, "Y"_a, "n_threads"_a = 1);
    m.def("least_squares_nodes", &nodes_on, "rls"_a, "features"_a, "labels"_a, "x"_a.none());
    m.def("least_squares_answers", &answers, "rls"_a, "labels"_a, "X"_a);
}

}  // namespace river_hier
