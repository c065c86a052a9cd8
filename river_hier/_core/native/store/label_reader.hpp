// Reads multilabels: a label, several labels, or `{label: bool}` -> nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "python/objects.hpp"

namespace river_hier {

// A multilabel: its nodes, and the same as a mask.
struct On {
    std::vector<uint32_t> nodes;
    std::vector<char> mask;
};

// The labels of a taxonomy, in its order.
class LabelReader {
  public:
    uint32_t n() const { return static_cast<uint32_t>(labels_.size()); }

    // Whether y is a dict with all labels but the root, if it has no others.
    bool is_complete(nb::handle y) const {
        return PyDict_CheckExact(y.ptr()) && PyDict_Size(y.ptr()) + 1 == Py_ssize_t{n()} &&
               !PyDict_Contains(y.ptr(), labels_[0].ptr());
    }

    // The nodes that are True in a dict, and the root, without ancestors.
    bool read_only(nb::handle y, On& on) const {
        if (!plain_) return false;
        on.mask.assign(n(), 0);
        mark(0, on);
        return read_dict(y.ptr(), on);
    }

    // The usual y: a str or an int, or a list, a tuple, a set or a dict of them. Returns false, and
    // leaves it to Python, where there is anything else or anything wrong: above all an ancestor of a
    // node that is on and was stated to be off, unless those are `ignored`.
    bool read(nb::handle y, On& on, bool ignored = false) const {
        if (!plain_) return false;
        on.mask.assign(n(), 0);
        on.nodes.reserve(16);  // seldom more: few labels and their ancestors
        mark(0, on);
        const PyTypeObject* type = Py_TYPE(y.ptr());
        if (type == &PyDict_Type) {
            if (!read_dict(y.ptr(), on) || !finish(on, ignored)) return false;
            for (char& m : on.mask) m = m == 1;
            return true;
        }
        if (is_name(y.ptr())) return add(y.ptr(), on) && finish(on);
        if (type != &PyList_Type && type != &PyTuple_Type && type != &PySet_Type &&
            type != &PyFrozenSet_Type)
            return false;
        for (nb::handle label : y)
            if (!add(label.ptr(), on)) return false;
        return finish(on);
    }

    // The node of a label that is known, and of just the type of this one.
    bool node(PyObject* label, uint32_t& v) const {
        return plain_ && find(label, v) && Py_TYPE(labels_[v].ptr()) == Py_TYPE(label);
    }

    // The numbers of a dict, nan for other nodes. False if there is anything but floats that are numbers.
    bool read_numbers(nb::handle y, double* numbers) const {
        if (!plain_ || !PyDict_CheckExact(y.ptr())) return false;
        std::fill_n(numbers, n(), std::numeric_limits<double>::quiet_NaN());
        return read_entries(y.ptr(), [&](uint32_t v, PyObject* value) {
            numbers[v] = PyFloat_CheckExact(value) ? PyFloat_AsDouble(value) : numbers[v];
            return !std::isnan(numbers[v]);
        });
    }

  protected:
    // The parents of each node.
    struct Parents {
        std::vector<uint32_t> ptr{0}, nodes;  // those of v are nodes[ptr[v]:ptr[v + 1]]

        bool operator!=(const Parents& other) const { return nodes != other.nodes || ptr != other.ptr; }

        void append(const Parents& more) {  // for which there is room
            const uint32_t end = ptr.back();
            for (size_t v = 1; v < more.ptr.size(); ++v) ptr.push_back(end + more.ptr[v]);
            nodes.insert(nodes.end(), more.nodes.begin(), more.nodes.end());
        }
    };

    // The parents of the nodes from `first` on, which come before them.
    static Parents parents_of(nb::handle lists, uint32_t first) {
        Parents parents;
        for (nb::handle above : lists) {
            const auto v = first + static_cast<uint32_t>(parents.ptr.size()) - 1;
            for (nb::handle p : above) {
                parents.nodes.push_back(nb::cast<uint32_t>(p));
                if (parents.nodes.back() >= v) throw nb::value_error("a parent after its child");
            }
            parents.ptr.push_back(static_cast<uint32_t>(parents.nodes.size()));
        }
        return parents;
    }

    // New labels, for which there is room in `labels_` and `implied_`.
    void append(nb::handle index, nb::handle labels, const Parents& implied) {
        for (nb::handle label : labels) {
            plain_ = plain_ && (is_name(label.ptr()) || PyBool_Check(label.ptr()));
            labels_.push_back(nb::borrow(label));
        }
        implied_.append(implied);
        index_ = nb::borrow(index);
    }

    std::vector<nb::object> labels_;
    Parents implied_;  // the nodes that are on with each node

  private:
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

    bool read_dict(PyObject* y, On& on) const {
        return read_entries(y, [&](uint32_t v, PyObject* value) {
            if (value == Py_True) {
                if (v) mark(v, on);
            } else {
                if (value != Py_False || v == 0) return false;
                on.mask[v] = stated_off;
            }
            return true;
        });
    }

    bool is_name(PyObject* y) const {
        return PyUnicode_CheckExact(y) || PyLong_CheckExact(y) || names_.hold(y);
    }

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
        if (on.mask[v] == 1) return;
        on.mask[v] = 1;
        on.nodes.push_back(v);
    }

    // Add the ancestors, in order; false if one of them was stated to be off.
    bool finish(On& on, bool ignored = false) const {
        for (size_t i = 0; i < on.nodes.size(); ++i) {
            uint32_t v = on.nodes[i];
            for (uint32_t e = implied_.ptr[v]; e < implied_.ptr[v + 1]; ++e) {
                if (on.mask[implied_.nodes[e]] == stated_off && !ignored) return false;
                mark(implied_.nodes[e], on);
            }
        }
        std::sort(on.nodes.begin(), on.nodes.end());
        return true;
    }

    static constexpr char stated_off = 2;

    const Types names_{"numpy", {"int64", "str_"}};
    nb::object index_;  // may have labels of later taxonomies
    bool plain_ = true;  // whether all labels are of a type that compares without others' code
};

}  // namespace river_hier
