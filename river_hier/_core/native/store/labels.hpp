// The labels of a taxonomy from outside: y -> nodes, nodes -> answer.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>

#include "python/objects.hpp"
#include "store/vector.hpp"

namespace river_hier {

// Above 0 while this thread teaches models what they have learned before, of which they are too sure.
inline thread_local int repeats = 0;

// Nodes side by side: [first, last).
struct Range {
    uint32_t first, last;
};

using Nodes = std::vector<uint32_t>;  // in ascending order
using Ranges = std::vector<Range>;

template <class Visit>
void each(const Ranges& ranges, Visit visit) {
    for (Range range : ranges)
        for (uint32_t v = range.first; v < range.last; ++v) visit(v);
}

constexpr auto smaller = [](auto a, auto b) { return std::min(a, b); };
constexpr auto larger = [](auto a, auto b) { return std::max(a, b); };

// A multilabel: its nodes, and the same as a mask.
struct On {
    Nodes nodes;
    std::vector<char> mask;
};

// Nodes stand in topological order, often siblings side by side; the root is node 0. Nodes are unseen if
// they were added to a model that has learned, and have had no example since.
class Labels {
  public:
    Labels(nb::object taxonomy, nb::handle unseen, bool has_learned) : has_learned(has_learned) {
        grow(taxonomy, false);
        for (nb::handle v : unseen) {
            unseen_.at(nb::cast<size_t>(v)) = 1;
            ++n_unseen_;
        }
    }
    Labels(const Labels&) = delete;

    bool has_learned;  // whether there was an example

    // Change to a taxonomy that extends this one.
    void grow(nb::object taxonomy, bool unseen) {
        const uint32_t first = n();
        paths_ = nb::cast<bool>(taxonomy.attr("_path_format").attr("whole"));
        const nb::object all = taxonomy.attr("_arrays"), rows = all.attr("rows_from")(first);
        for (nb::handle label : rows[0]) {
            if (all_off_) set(all_off_, label.ptr(), Py_False);
            plain_ = plain_ && (is_name(label.ptr()) || PyBool_Check(label.ptr()));
            labels_.push_back(nb::borrow(label));
        }
        const size_t before = parents_.nodes.size();
        parents_.append(rows[1]);
        implied_.append(rows[2]);
        const auto differ = [](const Nodes& a, const Nodes& b, size_t from) {
            return !std::equal(a.begin() + from, a.end(), b.begin() + from, b.end());
        };
        flattened_ = flattened_ || differ(parents_.ptr, implied_.ptr, first) ||
                     differ(parents_.nodes, implied_.nodes, before);
        below_.resize(n());
        for (uint32_t v = std::max(first, 1u); v < n(); ++v) {
            const uint32_t last = parents_.nodes[parents_.ptr[v + 1] - 1];
            append(below_[last], Range{v, v + 1});
        }
        tree_ = parents_.nodes.size() + 1 == n();
        unseen_.resize(n(), unseen);
        if (unseen) n_unseen_ += n() - first;
        index_ = all.attr("table").attr("index");
        taxonomy_ = std::move(taxonomy);
        assert(is_sound());
    }

    // In memory, without the labels themselves.
    size_t bytes() const {
        return heap_bytes(labels_, below_, unseen_, parents_.ptr, parents_.nodes, implied_.ptr, implied_.nodes) +
               (all_off_ ? nb::cast<size_t>(all_off_.attr("__sizeof__")()) : 0);
    }

    uint32_t n() const { return static_cast<uint32_t>(labels_.size()); }
    nb::object taxonomy() const { return taxonomy_; }
    bool unseen(uint32_t v) const { return unseen_[v]; }
    size_t n_unseen() const { return n_unseen_; }
    bool tree() const { return tree_; }
    uint32_t parent(uint32_t v) const { return parents_.nodes[parents_.ptr[v]]; }
    const uint32_t* parents() const { return parents_.nodes.data(); }  // of a tree's nodes but the root
    nb::object label(uint32_t v) const { return labels_[v]; }

    // The node of a label that is known, and of just the type of this one; else None.
    nb::object node(nb::handle label) const {
        uint32_t v;
        const bool known = plain_ && find(label.ptr(), v) && labels_[v].type().is(label.type());
        return known ? nb::object(nb::int_(v)) : nb::none();
    }

    // Numbers of nodes, all of which are known.
    Nodes known(nb::handle nodes) const {
        Nodes found = numbers<uint32_t>(nodes);
        for (uint32_t v : found) check(v);
        return found;
    }

    void check(uint32_t v) const { ensure(v < n(), "a node of another taxonomy"); }

    nb::list unseen_nodes() const {
        nb::list nodes;
        for (uint32_t v = 0; n_unseen_ && v < n(); ++v) if (unseen_[v]) nodes.append(v);
        return nodes;
    }

    // These nodes have an example, which has their ancestors, too.
    // The order of the first labels is looked at.
    void watch(const Nodes& nodes) {
        for (size_t i = 0; i < nodes.size() && first_.size() < watched; ++i) {
            first_.push_back(nodes[i]);
            if (first_.size() == watched) callbacks()["warn_if_sorted"](array(first_));
        }
    }
    void learned(const Nodes& nodes) {
        has_learned = true;
        for (size_t i = 0; n_unseen_ && i < nodes.size(); ++i) see(nodes[i]);
        assert(is_sound());
    }

    // The node of a tree has an example, and so have those above it.
    void learned(uint32_t v) {
        has_learned = true;
        for (; n_unseen_ && v; v = parent(v)) see(v);
    }

    // These nodes are as new ones.
    void forget(const Nodes& nodes) {
        for (uint32_t v : nodes) {
            n_unseen_ += has_learned && !unseen_[v];
            unseen_[v] |= has_learned;
        }
    }

    // Scores in which unseen nodes lose to all others.
    void without_unseen(double* scores) const {
        for (uint32_t v = 1; n_unseen_ && v < n(); ++v) if (unseen_[v]) scores[v] = -HUGE_VAL;
    }

    // Whether the root and all parents of a node are on.
    bool all_parents(const char* on, uint32_t v) const {
        char all = on[0];
        each_parent(v, [&](uint32_t u) { all &= on[u]; });
        return all;
    }

    std::vector<char> inner() const {
        std::vector<char> inner(n(), 0);
        for (uint32_t p : parents_.nodes) inner[p] = 1;
        return inner;
    }

    template <class Visit>
    void each_parent(uint32_t v, Visit visit) const {
        for (uint32_t e = parents_.ptr[v]; e < parents_.ptr[v + 1]; ++e) visit(parents_.nodes[e]);
    }

    // The node and all its ancestors, in order.
    void above(uint32_t v, Nodes& found) const {
        found.assign(1, v);
        for (size_t i = 0; i < found.size(); ++i)
            each_parent(found[i], [&](uint32_t u) {
                if (std::find(found.begin(), found.end(), u) == found.end()) found.push_back(u);
            });
        std::sort(found.begin(), found.end());
    }

    // The `smaller` or the `larger` of the values of a node's parents.
    template <class Values, class Choose>
    auto of_parents(const Values& values, uint32_t v, Choose choose) const {
        auto chosen = values[parent(v)];
        each_parent(v, [&](uint32_t u) { chosen = choose(chosen, values[u]); });
        return chosen;
    }

    // The nodes that can be on if u is, once all nodes before u have been decided: its children or, in
    // a DAG, the nodes whose last parent it is.
    const Ranges& below(uint32_t u) const { return below_[u]; }

    // The nodes of y and all their ancestors. An unusual y is read by `closure_mask`.
    On closed(nb::handle y) const {
        On on;
        if (read(y, on)) return on;
        on.nodes.clear();
        const std::vector<bool> mask = numbers<bool>(callbacks()["closure_mask"](taxonomy_, y));
        on.mask.assign(mask.begin(), mask.end());
        on.mask.resize(n());  // a label's own code may have added nodes
        for (uint32_t v = 0; v < n(); ++v) if (on.mask[v]) on.nodes.push_back(v);
        return on;
    }

    // The nodes that learn, those whose parents are all on, as ranges in order.
    void trained(const On& on, Ranges& ranges) const {
        ranges.clear();
        if (tree_) {
            for (uint32_t u : on.nodes)
                for (Range children : below_[u]) append(ranges, children);
            std::sort(ranges.begin(), ranges.end(), [](Range a, Range b) { return a.first < b.first; });
            return;
        }
        for (uint32_t v = 1; v < n(); ++v) if (all_parents(on.mask.data(), v)) append(ranges, Range{v, v + 1});
    }

    // `{label: whether it is on}` for all nodes but the root.
    nb::object dictionary(nb::handle on) {
        nb::object answer = copy(all_off());
        for (nb::handle v : on) set(answer, labels_.at(nb::cast<uint32_t>(v)).ptr(), Py_True);
        return answer;
    }

    // The nodes of y and their ancestors, as a set; an unusual y is read by Python.
    nb::object closure(nb::handle y) const {
        On on;
        return as_set(read(y, on), on, "closure_nodes", y);
    }

    // The nodes of a prediction. A complete one, which has all labels but the root, may have nodes that
    // are on below others that are off.
    nb::object predicted(nb::handle y) const {
        On on;
        const bool complete = PyDict_CheckExact(y.ptr()) && PyDict_Size(y.ptr()) + 1 == Py_ssize_t{n()} &&
                              !PyDict_Contains(y.ptr(), labels_[0].ptr());
        Nodes off;
        begin(on);
        const bool usual = complete ? plain_ && read_dict(y.ptr(), on, off) : !PyDict_Check(y.ptr()) && read(y, on);
        return as_set(usual, on, "predicted_nodes", y);
    }

    // The nodes that y switches on, and their ancestors, whatever it says of these.
    nb::object given(nb::handle y) const {
        On on;
        return as_set(read(y, on, true), on, "given_closure", y);
    }

    // The number of each node in a dict, nan for those without one; None for anything but floats that are
    // numbers.
    nb::object values(nb::handle y) const {
        Numbers found(n(), NAN);
        const auto read = [&](uint32_t v, PyObject* value) {
            found[v] = PyFloat_CheckExact(value) ? PyFloat_AsDouble(value) : found[v];
            return !std::isnan(found[v]);
        };
        const bool usual = plain_ && PyDict_CheckExact(y.ptr()) && read_entries(y.ptr(), read);
        return usual ? array(std::move(found)) : nb::none();
    }

    // The labels from the root down to v, in a DAG by way of the first parents.
    nb::tuple path(uint32_t v) const {
        check(v);
        Py_ssize_t size = 1;
        for (uint32_t u = v; u; u = parent(u)) ++size;
        nb::tuple path = nb::steal<nb::tuple>(PyTuple_New(size));
        if (!path.is_valid()) throw nb::python_error();
        for (; size--; v = v ? parent(v) : 0)
            PyTuple_SetItem(path.ptr(), size, nb::object(labels_[v]).release().ptr());
        return path;
    }

    // `{label: {False: 1 - p, True: p}}` for all nodes but the root.
    nb::object probabilities(const Numbers& p) {
        nb::dict either;  // copied below, as a copy takes half the time of a new dict
        set(either, Py_False, Py_None);
        set(either, Py_True, Py_None);
        const auto last = static_cast<uint32_t>(p.size());  // a label's own code may add nodes
        nb::object answer = copy(all_off());
        for (uint32_t v = 1; v < last; ++v) {
            const nb::object both = copy(either);
            set(both, Py_False, nb::float_(1.0 - p[v]).ptr());
            set(both, Py_True, nb::float_(p[v]).ptr());
            set(answer, labels_[v].ptr(), both.ptr());
        }
        return answer;
    }

    int traverse(visitproc visit, void* arg) const {
        Py_VISIT(taxonomy_.ptr());
        return 0;
    }

    static nb::list nodes(const Nodes& on) {
        nb::list nodes;
        for (uint32_t v : on) if (v) nodes.append(v);
        return nodes;
    }

    // The usual y: a str or an int, or a list, a tuple, a set or a dict of them. Returns false, and
    // leaves it to Python, where there is anything else or anything wrong: above all an ancestor of a
    // node that is on and was stated to be off, unless those are `ignored`.
    bool read(nb::handle y, On& on, bool ignored = false) const {
        if (!plain_) return false;
        Nodes off;
        begin(on);
        if (PyDict_CheckExact(y.ptr())) {
            if (!read_dict(y.ptr(), on, off)) return false;
        } else if (is_name(y.ptr())) {
            if (!add(y.ptr(), on)) return false;
        } else {
            const bool tuple = !paths_ && PyTuple_CheckExact(y.ptr());
            if (!PyList_CheckExact(y.ptr()) && !tuple && !PyAnySet_CheckExact(y.ptr())) return false;
            for (nb::handle label : y) if (!add(label.ptr(), on)) return false;
        }
        add_ancestors(on);
        return ignored || std::none_of(off.begin(), off.end(), [&](uint32_t v) { return on.mask[v]; });
    }

    // Whether a y that `read` has read is the root's label, or holds it.
    bool names_root(nb::handle y) const {
        PyObject* root = labels_[0].ptr();
        return is_name(y.ptr()) ? y.equal(labels_[0]) : PySequence_Contains(y.ptr(), root) == 1;
    }

  private:
    static constexpr size_t watched = 1000;
    Nodes first_;  // the labels of the first examples

    // Lists of nodes before each node: those of v are nodes[ptr[v]:ptr[v + 1]].
    struct Above {
        Nodes ptr{0}, nodes;

        void append(nb::handle lists) {
            for (nb::handle above : lists) {
                for (nb::handle p : above) {
                    nodes.push_back(nb::cast<uint32_t>(p));
                    if (nodes.back() + 1 >= ptr.size()) throw nb::value_error("a parent after its child");
                }
                ptr.push_back(static_cast<uint32_t>(nodes.size()));
            }
        }
    };

    // Whether each node but the root is below just one, its last parent, and unseen nodes are counted.
    bool is_sound() const {
        std::vector<uint32_t> above(n());
        for (uint32_t u = 0; u < n(); ++u) each(below_[u], [&](uint32_t v) { above.at(v) += u + 1; });
        for (uint32_t v = 1; v < n(); ++v)
            if (above[v] != parents_.nodes[parents_.ptr[v + 1] - 1] + 1 || parent(v) >= v) return false;
        const auto unseen = std::count(unseen_.begin(), unseen_.end(), 1);
        return parents_.ptr.size() == n() + 1 && implied_.ptr.size() == n() + 1 && unseen_.size() == n() &&
               static_cast<size_t>(unseen) == n_unseen_;
    }

    void see(uint32_t v) {
        n_unseen_ -= unseen_[v];
        unseen_[v] = 0;
    }

    static void append(Ranges& ranges, Range range) {
        if (!ranges.empty() && ranges.back().last == range.first)
            ranges.back().last = range.last;
        else
            ranges.push_back(range);
    }

    void begin(On& on) const {
        on.mask.assign(n(), 0);
        on.nodes.reserve(16);  // seldom more: few labels and their ancestors
        mark(0, on);
    }

    // Calls `read(node, value)` for each entry of a dict; false if it returns that, or a label is unknown.
    // Whole answers hold the labels in taxonomy order and as the same objects: no look-up then.
    template <class Read>
    bool read_entries(PyObject* y, Read read) const {
        Py_ssize_t position = 0;
        PyObject *label, *value;
        uint32_t expected = 1;
        while (PyDict_Next(y, &position, &label, &value)) {
            uint32_t v = expected;
            if ((v >= n() || labels_[v].ptr() != label) && !find(label, v)) return false;
            expected = v + 1;
            if (!read(v, value)) return false;
        }
        return true;
    }

    // The nodes that are True in a dict, without ancestors, and those that are False.
    bool read_dict(PyObject* y, On& on, Nodes& off) const {
        off.resize(static_cast<size_t>(PyDict_Size(y)));
        uint32_t* end = off.data();
        const bool usual = read_entries(y, [&](uint32_t v, PyObject* value) {
            if (value == Py_True)
                mark(v, on);
            else
                *end++ = v;
            return value == Py_True || (value == Py_False && v);
        });
        off.resize(static_cast<size_t>(end - off.data()));
        return usual;
    }

    bool is_name(PyObject* y) const { return PyUnicode_CheckExact(y) || PyLong_CheckExact(y) || names_.hold(y); }

    bool find(PyObject* label, uint32_t& v) const {
        if (!is_name(label)) return false;
        PyObject* found = PyDict_GetItemWithError(index_.ptr(), label);
        if (!found) {
            PyErr_Clear();
            return false;
        }
        v = static_cast<uint32_t>(PyLong_AsUnsignedLong(found));
        return v < n();  // else it is a label of a later taxonomy
    }

    bool add(PyObject* label, On& on) const {
        uint32_t v;
        if (!find(label, v)) return false;
        mark(v, on);
        return true;
    }

    static void mark(uint32_t v, On& on) {
        if (on.mask[v]) return;
        on.mask[v] = 1;
        on.nodes.push_back(v);
    }

    // In order.
    void add_ancestors(On& on) const {
        for (size_t i = 0; i < on.nodes.size(); ++i) {
            const uint32_t v = on.nodes[i];
            for (uint32_t e = implied_.ptr[v]; e < implied_.ptr[v + 1]; ++e) mark(implied_.nodes[e], on);
        }
        std::sort(on.nodes.begin(), on.nodes.end());
    }

    nb::object all_off() {
        if (all_off_) return all_off_;
        nb::dict off;
        for (uint32_t v = 1; v < n(); ++v) off[labels_[v]] = nb::borrow(Py_False);
        return all_off_ = off;
    }

    static nb::object copy(nb::handle dict) {
        nb::object copied = nb::steal(PyDict_Copy(dict.ptr()));
        if (!copied) throw nb::python_error();
        return copied;
    }

    static void set(nb::handle dict, PyObject* key, PyObject* value) {
        if (PyDict_SetItem(dict.ptr(), key, value)) throw nb::python_error();
    }

    // The nodes that are on or, where y is unusual, those that a callback finds.
    nb::object as_set(bool usual, const On& on, const char* otherwise, nb::handle y) const {
        if (!usual || flattened_) return callbacks()[otherwise](taxonomy_, y);
        nb::set found;
        for (uint32_t v : on.nodes) found.add(nb::int_(v));
        return found;
    }

    const Types names_{"numpy", {"int64", "str_"}};
    nb::object taxonomy_;
    nb::object index_;  // the numbers of labels, also of later taxonomies
    std::vector<nb::object> labels_;
    Above parents_;
    Above implied_;  // the nodes that are on with each node
    std::vector<Ranges> below_;
    std::vector<char> unseen_;
    size_t n_unseen_ = 0;
    bool paths_ = false;  // whether labels are paths, which may be given as tuples
    bool plain_ = true;  // whether all labels are of a type that compares without others' code
    bool tree_ = false;
    bool flattened_ = false;  // examples have more ancestors than predictions
    nb::object all_off_;      // `{label: False}`, once it is needed
};

}  // namespace river_hier
