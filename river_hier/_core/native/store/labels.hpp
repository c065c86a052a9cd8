// The labels of a taxonomy from outside: y -> nodes, nodes -> answer.
#pragma once

#include <algorithm>
#include <cmath>

#include "python/arrays.hpp"
#include "python/callbacks.hpp"
#include "store/label_reader.hpp"
#include "store/vector.hpp"

namespace river_hier {

// Nodes side by side: [first, last).
struct Range {
    uint32_t first, last;
};

using Nodes = std::vector<uint32_t>;  // in ascending order
using Ranges = std::vector<Range>;

// Nodes stand in topological order, often siblings side by side; the root is node 0. Nodes are unseen if
// they were added to a model that has learned, and have had no example since.
class Labels : LabelReader {
  public:
    Labels(nb::object taxonomy, nb::handle unseen, bool has_learned) : has_learned(has_learned) {
        grow(taxonomy, false);
        for (nb::handle v : unseen) {
            unseen_.at(nb::cast<size_t>(v)) = 1;
            ++n_unseen_;
        }
    }

    bool has_learned;  // whether there was an example

    // Change to a taxonomy that extends this one, or leave all as it is after an error.
    void grow(nb::object taxonomy, bool unseen) {
        // First what runs Python's code, in which another thread may predict.
        const nb::object rows = taxonomy.attr("_rows_from")(n()), index = taxonomy.attr("_label_numbers");
        const Parents parents = parents_of(rows[1], n()), implied = parents_of(rows[2], n());
        const size_t more = parents.ptr.size() - 1;
        make_room(labels_, more);
        for (Parents* all : {&parents_, &implied_}) {
            make_room(all->ptr, more);
            make_room(all->nodes, std::max(parents.nodes.size(), implied.nodes.size()));
        }
        make_room(unseen_, more);
        const uint32_t first = n();
        if (all_off_) {
            nb::object off = std::move(all_off_);  // which is lost in an error
            for (nb::handle label : rows[0]) set(off, label.ptr(), Py_False);
            all_off_ = std::move(off);
        }
        const uint32_t last = parents_.nodes.empty() ? 0 : parents_.nodes.back();
        by_levels_ = by_levels_ && std::is_sorted(parents.nodes.begin(), parents.nodes.end()) &&
                     (parents.nodes.empty() || last <= parents.nodes[0]);
        flattened_ = flattened_ || parents != implied;
        append_below(first, parents);
        LabelReader::append(index, rows[0], implied);
        parents_.append(parents);
        tree_ = parents_.nodes.size() + 1 == n();
        unseen_.resize(n(), unseen);
        if (unseen) n_unseen_ += more;
        taxonomy_ = std::move(taxonomy);
    }

    Labels(const Labels&) = delete;

    // In memory, without the labels themselves.
    size_t bytes() const {
        return heap_bytes(labels_) + heap_bytes(parents_.ptr) + heap_bytes(parents_.nodes) +
               heap_bytes(implied_.ptr) + heap_bytes(implied_.nodes) + heap_bytes(below_) +
               heap_bytes(unseen_) +
               (all_off_ ? nb::cast<size_t>(all_off_.attr("__sizeof__")()) : 0);
    }

    using LabelReader::n;
    using LabelReader::node;
    nb::object taxonomy() const { return taxonomy_; }
    bool unseen(uint32_t v) const { return unseen_[v]; }
    size_t n_unseen() const { return n_unseen_; }
    bool tree() const { return tree_; }
    uint32_t parent(uint32_t v) const { return parents_.nodes[parents_.ptr[v]]; }
    const uint32_t* parents() const { return parents_.nodes.data(); }  // of a tree's nodes but the root
    nb::object label(uint32_t v) const { return labels_[v]; }

    // These nodes have an example, which has their ancestors, too.
    void learned(const std::vector<uint32_t>& nodes) {
        has_learned = true;
        for (size_t i = 0; n_unseen_ && i < nodes.size(); ++i) see(nodes[i]);
    }

    // The node of a tree has an example, and so have those above it.
    void learned(uint32_t v) {
        has_learned = true;
        for (; n_unseen_ && v; v = parent(v)) see(v);
    }

    // Scores in which unseen nodes lose to all others.
    void without_unseen(double* scores) const {
        for (uint32_t v = 1; n_unseen_ && v < n(); ++v)
            if (unseen_[v]) scores[v] = -HUGE_VAL;
    }

    // Whether the root and all parents of a node are on.
    bool all_parents(const char* on, uint32_t v) const {
        char all = on[0];
        for (uint32_t e = parents_.ptr[v]; e < parents_.ptr[v + 1]; ++e) all &= on[parents_.nodes[e]];
        return all;
    }

    // Whether each node has children.
    std::vector<char> inner() const {
        std::vector<char> inner(n(), 0);
        for (uint32_t p : parents_.nodes) inner[p] = 1;
        return inner;
    }

    // The least or largest of the values of a node's parents.
    template <class T, class Choose>
    T of_parents(const std::vector<T>& values, uint32_t v, Choose choose) const {
        T chosen = values[parent(v)];
        for (uint32_t e = parents_.ptr[v] + 1; e < parents_.ptr[v + 1]; ++e)
            chosen = choose(chosen, values[parents_.nodes[e]]);
        return chosen;
    }

    // The nodes that can be on if u is, once all nodes before u have been decided: its children or, in
    // a DAG, the nodes whose last parent it is.
    const std::vector<Range>& below(uint32_t u) const { return below_[u]; }

    // The nodes of y and all their ancestors. An unusual y is read by `taxonomy._closure_mask`.
    On closed(nb::handle y) const {
        On on;
        if (read(y, on)) return on;
        on.nodes.clear();
        const View<bool> mask = view<bool>(taxonomy_.attr("_closure_mask")(y));
        on.mask.assign(mask.data(), mask.data() + mask.size());
        on.mask.resize(n());  // a label's own code may have added nodes
        for (uint32_t v = 0; v < n(); ++v)
            if (on.mask[v]) on.nodes.push_back(v);
        return on;
    }

    // The nodes that learn, those whose parents are all on, as ranges in order.
    void trained(const On& on, std::vector<Range>& ranges) const {
        ranges.clear();
        if (tree_) {
            for (uint32_t u : on.nodes)
                for (Range children : below_[u]) append(ranges, children);
            if (!by_levels_)
                std::sort(ranges.begin(), ranges.end(),
                          [](Range a, Range b) { return a.first < b.first; });
            return;
        }
        for (uint32_t v = 1; v < n(); ++v)
            if (all_parents(on.mask.data(), v)) append(ranges, Range{v, v + 1});
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
        if (!flattened_ && read(y, on)) return as_set(on.nodes);
        return callbacks().closure_nodes(taxonomy_, y);
    }

    // The nodes of a prediction. A complete one may have nodes that are on below others that are off.
    nb::object predicted(nb::handle y) const {
        On on;
        const bool usual = is_complete(y) ? read_only(y, on) : !PyDict_Check(y.ptr()) && read(y, on);
        if (usual && !flattened_) return as_set(on.nodes);
        return callbacks().predicted_nodes(taxonomy_, y);
    }

    // The nodes that y switches on, and their ancestors, whatever it says of these.
    nb::object given(nb::handle y) const {
        On on;
        if (!flattened_ && read(y, on, true)) return as_set(on.nodes);
        return callbacks().given_closure(taxonomy_, y);
    }

    // The number of each node in a dict, nan for those without one; None for anything unusual.
    nb::object numbers(nb::handle y) const {
        std::vector<double> found(n());
        return read_numbers(y, found.data()) ? array(found) : nb::none();
    }

    // The labels from the root down to v, in a DAG by way of the first parents.
    nb::tuple path(uint32_t v) const {
        nb::list labels;
        labels.append(labels_.at(v));
        for (; v; v = parent(v)) labels.append(labels_[parent(v)]);
        labels.attr("reverse")();
        return nb::tuple(labels);
    }

    // `{label: {False: 1 - p, True: p}}` for all nodes but the root.
    nb::object probabilities(const std::vector<double>& p) {
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

    // What Python's garbage collector visits: a taxonomy may hold its labels.
    int traverse(visitproc visit, void* arg) const {
        Py_VISIT(taxonomy_.ptr());
        return 0;
    }

    // The nodes but the root, as a list.
    static nb::list nodes(const std::vector<uint32_t>& on) {
        nb::list nodes;
        for (uint32_t v : on)
            if (v) nodes.append(v);
        return nodes;
    }

  private:
    void see(uint32_t v) {
        n_unseen_ -= unseen_[v];
        unseen_[v] = 0;
    }

    // Record the new nodes with their last parents; all of them, or none after an error.
    void append_below(uint32_t first, const Parents& parents) {
        below_.resize(first + parents.ptr.size() - 1);
        const auto above = [&](size_t i) -> auto& { return below_[parents.nodes[parents.ptr[i + 1] - 1]]; };
        size_t i = first ? 0 : 1;
        try {
            for (; i + 1 < parents.ptr.size(); ++i)
                append(above(i), Range{static_cast<uint32_t>(first + i), static_cast<uint32_t>(first + i + 1)});
        } catch (const std::bad_alloc&) {
            while (i-- > (first ? 0 : 1))
                if (--above(i).back().last == above(i).back().first) above(i).pop_back();
            throw;
        }
    }

    static void append(std::vector<Range>& ranges, Range range) {
        if (!ranges.empty() && ranges.back().last == range.first)
            ranges.back().last = range.last;
        else
            ranges.push_back(range);
    }

    // `{label: False}` for all nodes but the root.
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

    static nb::object as_set(const std::vector<uint32_t>& nodes) {
        nb::set found;
        for (uint32_t v : nodes) found.add(nb::int_(v));
        return found;
    }

    nb::object taxonomy_;
    Parents parents_;
    std::vector<std::vector<Range>> below_;
    std::vector<char> unseen_;
    size_t n_unseen_ = 0;
    bool tree_ = false;
    bool by_levels_ = true;   // whether the children of later nodes are later; in a tree
    bool flattened_ = false;  // examples have more ancestors than predictions
    nb::object all_off_;
};

}  // namespace river_hier
