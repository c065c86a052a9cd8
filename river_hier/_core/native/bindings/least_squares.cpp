// What Python sees of least squares: steps, batches, answers and pickles.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "algorithms/least_squares.hpp"
#include "bindings/bindings.hpp"

namespace river_hier {

namespace {

void check_nodes(const LeastSquares& rls, const Labels& labels) {
    ensure(rls.n_nodes() <= labels.n(), "more systems than nodes");
}

// A step by the limit of the library's own rule, or by the nodes that a rule in Python has chosen.
bool step(LeastSquares& rls, Example& example, On& on, Labels& labels, double c_ln_t, nb::handle chosen) {
    const std::vector<bool> mask = chosen.is_none() ? std::vector<bool>() : numbers<bool>(chosen);
    on.mask.resize(labels.n());  // x's own code may add nodes
    check_nodes(rls, labels);
    return rls.learn(example, on.mask.data(), labels, c_ln_t, chosen.is_none() ? nullptr : &mask);
}

// False, and nothing has changed, if l2 is lost in rounding beside x.
bool learn(LeastSquares& rls, FeatureIndex& features, Labels& labels, nb::handle x, nb::handle y,
           double weight, double c_ln_t, nb::handle chosen) {
    On on = labels.closed(y);
    const Vector& found = features.find(x);
    if (weight * found.norm2 > largest_ratio * rls.l2) return false;
    const bool all_known = PyDict_CheckExact(x.ptr()) &&
                           static_cast<size_t>(PyDict_Size(x.ptr())) + features.first_row == found.size();
    const Vector& vector = all_known ? found : features.insert(x);
    labels.learned(on.nodes);
    if (weight * vector.norm2 == 0.0) return true;
    Example example(vector, weight);
    step(rls, example, on, labels, c_ln_t, chosen);
    return true;
}

// Learns the next rows, which have a multilabel and a number each, for so many seconds; false before a row
// beside which l2 is lost in rounding.
bool learn_rows(LeastSquares& rls, Labels& labels, Vectors& X, nb::handle multilabels,
                nb::handle c_ln_ts, double seconds) {
    const Numbers of_rows = numbers(c_ln_ts);
    Multilabels Y(multilabels, labels);
    ensure(of_rows.size() == Y.size(), "a number for each row");
    check_nodes(rls, labels);
    return learn_next(X, Y.size(), seconds, [&](size_t row, size_t i) {
        const double weight = X.weight(row);
        if (weight * X[row].norm2 > largest_ratio * rls.l2) return false;
        Example example(X.insert(row), weight);
        const On& on = Y[i];
        labels.learned(on.nodes);
        if (weight * example.norm2 > 0.0) rls.learn(example, on.mask.data(), labels, of_rows[i]);
        return true;
    });
}

// An example of a kernel; whether any system stores it.
bool learn_example(LeastSquares& rls, Labels& labels, Example& example, nb::handle y, double c_ln_t,
                   nb::handle chosen) {
    On on = labels.closed(y);
    return step(rls, example, on, labels, c_ln_t, chosen);
}

nb::list nodes_on(LeastSquares& rls, const Labels& labels, const Example& example) {
    Nodes on;
    rls.top_down(example, labels, on);
    return Labels::nodes(on);
}

nb::object masks_of(LeastSquares& rls, const Labels& labels, Vectors& X) {
    return masks(X, labels.n(), [&](const Vector& x, Nodes& on) {
        rls.top_down(Example(x), labels, on);
        on.push_back(0);
    });
}

// For Eq. (1): w . x and r of each node.
std::pair<nb::object, nb::object> solve(LeastSquares& rls, const Example& example, size_t n_nodes) {
    Numbers scores(std::max<size_t>(n_nodes, rls.n_nodes()), 0.0), rs = scores;
    rls.solve(example, scores.data(), rs.data());
    scores.resize(n_nodes);
    rs.resize(n_nodes);
    return {array(std::move(scores)), array(std::move(rs))};
}

// ids, ones, and y, c and w0 with a column for each output.
nb::tuple instances_of(const Dual& dual) {
    const auto columns = [&](Numbers Dual::Output::*list, size_t n) {
        std::vector<Numbers> all;
        for (const Dual::Output& of : dual.outputs) all.push_back(of.*list);
        return from_columns(all, n);
    };
    const size_t d = dual.outputs.empty() ? 0 : dual.outputs[0].w0.size();
    return nb::make_tuple(array(dual.ids), array(dual.ones), columns(&Dual::Output::y, dual.n()),
                          columns(&Dual::Output::c, dual.n()), columns(&Dual::Output::w0, d));
}

// A system by what defines it. In dual variables these are its instances, labels and coefficients: a
// factor is computed from them when it is needed, but with a kernel. In primal variables only
// sums of the instances are left.
nb::object save(LeastSquares& rls, System& system) {
    const nb::object nodes = nb::cast(system.nodes);
    if (auto* primal = system.primal()) {
        const size_t d = primal->d();
        return nb::make_tuple("primal", nodes, system.n_stored, system.n_visits, array(primal->inverse(), {d, d}),
                              from_columns(primal->weights(rls.instances, d), d), array(primal->total()));
    }
    Dual& dual = *system.dual();
    return nb::make_tuple("dual", nodes, system.n_stored, system.n_visits) + instances_of(dual) +
           nb::make_tuple(array(rls.kernel ? dual.factor().packed() : Numbers()));
}

// The rows of a sparse matrix: where each starts, its features, their values and its squared norm.
nb::tuple save(const Instances& instances) {
    std::vector<uint64_t> start{0};
    Nodes rows;
    Numbers values, norms2;
    for (uint32_t i = 0; i < instances.n(); ++i) {
        const Vector& x = instances[i];
        rows.insert(rows.end(), x.rows.begin(), x.rows.end());
        values.insert(values.end(), x.values.begin(), x.values.end());
        norms2.push_back(x.norm2);
        start.push_back(rows.size());
    }
    return nb::make_tuple(array(std::move(start)), array(std::move(rows)), array(std::move(values)),
                          array(std::move(norms2)));
}

void load(Instances& instances, nb::handle saved) {
    const auto start = numbers<uint64_t>(saved[0]);
    const auto rows = numbers<uint32_t>(saved[1]);
    const Numbers values = numbers(saved[2]), norms2 = numbers(saved[3]);
    for (size_t i = 0; i < norms2.size(); ++i)
        instances.append({{rows.begin() + start[i], rows.begin() + start[i + 1]},
                          {values.begin() + start[i], values.begin() + start[i + 1]}, norms2[i]});
}

nb::tuple save(LeastSquares& rls) {
    if (!rls.kernel) rls.drop_unused();
    nb::list systems;
    for (System& system : rls.systems) systems.append(save(rls, system));
    return nb::make_tuple(save(rls.instances), systems);
}

System load(LeastSquares& rls, nb::handle saved) {
    Nodes nodes = nb::cast<Nodes>(saved[1]);
    Dual empty(rls.l2, nodes.size());
    System system{std::move(nodes), std::move(empty), nb::cast<double>(saved[2]), nb::cast<uint64_t>(saved[3])};
    if (nb::cast<nb::str>(saved[0]).equal(nb::str("primal"))) {
        const Numbers total = numbers(saved[6]);
        system.n_features = total.size();
        system.solver = Primal(rls.l2, numbers(saved[4]), columns_of(saved[5]), total);
        return system;
    }
    Dual& dual = *system.dual();
    dual.ids = numbers<uint32_t>(saved[4]);
    dual.ones = numbers(saved[5]);
    const std::vector<Numbers> y = columns_of(saved[6]), c = columns_of(saved[7]), w0 = columns_of(saved[8]);
    for (size_t o = 0; o < dual.outputs.size(); ++o) dual.outputs[o] = {y[o], c[o], w0[o]};
    dual.set_factor(numbers(saved[9]));
    if (rls.kernel) return system;
    system.n_features = w0.empty() ? 0 : w0[0].size();
    rls.instances.ensure_features(system.n_features);
    for (uint32_t id : dual.ids)
        for (uint32_t row : rls.instances[id].rows) system.n_features = std::max(system.n_features, size_t{1} + row);
    return system;
}

std::unique_ptr<LeastSquares> restored(double l2, std::optional<size_t> budget, double rate, size_t period,
                                       bool kernel, nb::handle instances, nb::handle systems) {
    auto rls = std::make_unique<LeastSquares>(l2, budget, Forgetting{rate, period}, kernel);
    if (!instances.is_none()) load(rls->instances, instances);
    for (nb::handle saved : systems) rls->add_system(load(*rls, saved));
    return rls;
}

// With a kernel: replaces the instances of a system, on which w is w0 and the solution of (l2 I + K) c = v.
void replace(LeastSquares& rls, size_t s, nb::handle ids, nb::handle ones, nb::handle y,
             nb::handle w0, nb::handle v, nb::handle K) {
    System& system = rls.systems.at(s);
    Dual dual(rls.l2, system.nodes.size());
    dual.ids = numbers<uint32_t>(ids);
    dual.ones = numbers(ones);
    ensure(numbers(K).size() == dual.n() * dual.n(), "a value of the kernel for each pair");
    dual.set_factor(numbers(K).data(), dual.n());
    const std::vector<Numbers> ys = columns_of(y), priors = columns_of(w0), vs = columns_of(v);
    for (size_t o = 0; o < dual.outputs.size(); ++o) {
        Dual::Output& of = dual.outputs[o] = {ys.at(o), dual.solved(vs.at(o)), priors.at(o)};
        for (size_t i = 0; i < of.w0.size(); ++i) of.c[i] += of.w0[i];
    }
    system.solver = std::move(dual);
}

template <class Get>
auto of_each_system(Get get) {
    return [get](LeastSquares& rls) {
        std::vector<decltype(get(rls.systems[0]))> all;
        for (System& system : rls.systems) all.push_back(get(system));
        return all;
    };
}

}  // namespace

void least_squares(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LeastSquares>(m, "LeastSquares")
        .def(nb::new_(&restored), "l2"_a, "budget"_a = nb::none(), "rate"_a = 1.0, "period"_a = 0, "kernel"_a = false,
             "instances"_a = nb::none(), "systems"_a = nb::tuple())
        .def("add_system", [](LeastSquares& rls, const Nodes& nodes) {
            rls.add_system(System{nodes, Dual(rls.l2, nodes.size())});
        }, "nodes"_a)
        .def("add_outputs", &LeastSquares::add_outputs, "s"_a, "nodes"_a)
        .def_prop_ro("nodes", of_each_system([](System& system) { return system.nodes; }))
        .def_prop_ro("n_stored", of_each_system([](System& system) { return system.n_stored; }))
        .def("__sizeof__", [](LeastSquares& rls) { return sizeof(LeastSquares) + rls.bytes(); })
        .def("learn", &learn, "features"_a, "labels"_a, "x"_a.none(), "y"_a.none(), "w"_a, "c_ln_t"_a,
             "chosen"_a = nb::none())
        .def("learn_rows", &learn_rows, "labels"_a, "X"_a, "Y"_a, "c_ln_ts"_a, "seconds"_a)
        .def("learn_example", &learn_example, "labels"_a, "example"_a, "y"_a.none(), "c_ln_t"_a,
             "chosen"_a = nb::none())
        .def("nodes_on", &nodes_on, "labels"_a, "example"_a)
        .def("masks", &masks_of, "labels"_a, "X"_a)
        .def("solve", &solve, "example"_a, "n_nodes"_a)
        .def("weights", [](LeastSquares& rls, size_t s, size_t n_features) {
            System& system = rls.systems.at(s);
            ensure(n_features >= system.n_features, "as many features as the weights have");
            return system.apply([&](auto& solver) {
                return from_columns(solver.weights(rls.instances, n_features), n_features);
            });
        }, "s"_a, "n_features"_a)
        .def_prop_ro("sizes", of_each_system([](System& system) { return system.dual() ? system.dual()->n() : 0; }))
        .def("instances_of", [](LeastSquares& rls, size_t s) { return instances_of(*rls.systems.at(s).dual()); },
             "s"_a)
        .def("replace", &replace, "s"_a, "ids"_a, "ones"_a, "y"_a, "w0"_a, "v"_a, "K"_a)
        .def("used", [](LeastSquares& rls) { return array(rls.used()); })
        .def("renumber", [](LeastSquares& rls, nb::handle used) { rls.renumber(numbers<uint32_t>(used)); }, "used"_a)
        .def("saved", [](LeastSquares& rls) {
            const auto [rate, period] = rls.forgetting;
            return nb::make_tuple(rls.l2, rls.budget, rate, period, rls.kernel) + save(rls);
        });
    m.attr("LARGEST_RATIO") = largest_ratio;

    nb::class_<Instances>(m, "Instances")
        .def("__init__", [](Instances* all, nb::args saved) { load(*new (all) Instances(), saved); })
        .def("saved", [](const Instances& all) { return save(all); })
        .def("append", [](Instances& all, const Vector& x) { all.append(Example(x).x); }, "x"_a)
        .def("dots", [](const Instances& all, const Vector& x) { return array(all.dots(x)); }, "x"_a)
        .def("__sizeof__", [](const Instances& all) { return sizeof all + all.bytes(); });

    nb::class_<Example>(m, "Example")
        .def(nb::init<const Vector&>(), "x"_a)
        .def("__init__", [](Example* example, nb::handle dots, double norm2, double weight) {
            new (example) Example(numbers(dots), norm2, weight);
        }, "dots"_a, "norm2"_a, "w"_a = 1.0);
}

}  // namespace river_hier
