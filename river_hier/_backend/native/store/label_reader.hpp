// Reads multilabels: a label, several labels, or `{label: bool}` -> nodes.
#pragma once

#include <algorithm>

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
    explicit LabelReader(nb::handle taxonomy)
        : index_(nb::cast<nb::dict>(taxonomy.attr("label_index"))) {
        for (nb::handle label : taxonomy.attr("nodes")) labels_.push_back(nb::borrow(label));
        read_parents(taxonomy.attr("implied_parents"), implied_ptr_, implied_);
        plain_ = std::all_of(labels_.begin(), labels_.end(), [this](const nb::object& label) {
            return is_name(label.ptr()) || PyBool_Check(label.ptr());
        });
    }

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
    // leaves it to Python, where there is anything else or anything wrong.
    bool read(nb::handle y, On& on) const {
        if (!plain_) return false;
        on.mask.assign(n(), 0);
        on.nodes.reserve(16);  // seldom more: few labels and their ancestors
        mark(0, on);
        const PyTypeObject* type = Py_TYPE(y.ptr());
        if (type == &PyDict_Type) {
            if (!read_dict(y.ptr(), on) || !finish(on)) return false;
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

  protected:
    // The parents of each node: those of v are parents[ptr[v]:ptr[v + 1]].
    static void read_parents(nb::handle lists, std::vector<uint32_t>& ptr, std::vector<uint32_t>& parents) {
        ptr.push_back(0);
        for (nb::handle above : lists) {
            for (nb::handle p : above) parents.push_back(nb::cast<uint32_t>(p));
            ptr.push_back(static_cast<uint32_t>(parents.size()));
        }
    }

    std::vector<nb::object> labels_;
    std::vector<uint32_t> implied_ptr_, implied_;  // the nodes that are on with each node

  private:
    // Whole answers hold the labels in taxonomy order and as the same objects: no look-up then.
    bool read_dict(PyObject* y, On& on) const {
        Py_ssize_t position = 0;
        PyObject *label, *value;
        uint32_t expected = 1;
        while (PyDict_Next(y, &position, &label, &value)) {
            uint32_t v = expected;
            if ((v >= n() || labels_[v].ptr() != label) && !find(label, v)) return false;
            expected = v + 1;
            if (value == Py_True) {
                if (v) mark(v, on);
            } else if (value == Py_False) {
                if (v == 0) return false;
                on.mask[v] = stated_off;
            } else {
                return false;
            }
        }
        return true;
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
        return true;
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
    bool finish(On& on) const {
        for (size_t i = 0; i < on.nodes.size(); ++i) {
            uint32_t v = on.nodes[i];
            for (uint32_t e = implied_ptr_[v]; e < implied_ptr_[v + 1]; ++e) {
                if (on.mask[implied_[e]] == stated_off) return false;
                mark(implied_[e], on);
            }
        }
        std::sort(on.nodes.begin(), on.nodes.end());
        return true;
    }

    static constexpr char stated_off = 2;

    const Types names_{"numpy", {"int64", "str_"}};
    nb::dict index_;
    bool plain_ = false;  // whether all labels are of a type that compares without others' code
};

}  // namespace river_hier
