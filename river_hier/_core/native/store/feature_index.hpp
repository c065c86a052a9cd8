// Feature names to rows, by a table of all names.
#pragma once

#include "store/feature_map.hpp"
#include "store/text_table.hpp"

namespace river_hier {

// The rows of all features learned so far, in order of appearance.
//
// Names of exact type str live in a TextTable, and numbers in a Python dict. A name of any other type
// may equal one of these, and only Python can compare it, which runs the user's code (`__hash__`,
// `__eq__`): once there is one, the dict holds all names, and every x is copied first.
class FeatureIndex : public FeatureMap {
  public:
    FeatureIndex(nb::handle names, double intercept) : FeatureMap(intercept), keys_(first_row) {
        nb::dict zeros;
        for (nb::handle name : names) zeros[name] = 0.0;
        if (nb::len(zeros) != nb::len(names)) throw nb::value_error("a feature comes twice");
        insert(zeros);
    }

    size_t size() const override { return keys_.size(); }

    nb::list names() const override {
        nb::list names;
        for (size_t row = first_row; row < size(); ++row) names.append(keys_[row]);
        return names;
    }

    // Names of exact type str are counted here, unless the garbage collector finds them.
    size_t bytes() const override {
        size_t bytes = FeatureMap::bytes() + table_.bytes() + heap_bytes(keys_);
        const nb::object size_of = nb::module_::import_("sys").attr("getsizeof");
        for (size_t row = first_row; row < size(); ++row)
            if (in_table(keys_[row].ptr()))
                bytes += (nb::cast<size_t>(size_of(keys_[row])) + 15) / 16 * 16;
        return bytes;
    }

    // Names and slots of the table are prefetched some iterations ahead.
    void find_rows(PyObject* const* names, size_t n, uint32_t* rows, bool insert) override {
        constexpr size_t soon = 16;
        for (size_t i = 0; i < n + soon; ++i) {
            if (i + soon < n) prefetch(names[i + soon]);
            if (i < n && is_text(names[i])) table_.prefetch(hash_of_text(names[i]));
            if (i >= soon) rows[i - soon] = row_of(names[i - soon]);
        }
        for (size_t i = 0; insert && i < n; ++i)
            if (rows[i] == no_row) rows[i] = add(names[i]);
    }

    // For Python's garbage collector: only a name of a foreign type can be part of a cycle.
    int traverse(visitproc visit, void* arg) const {
        Py_VISIT(others_.ptr());
        if (foreign_)
            for (const nb::object& key : keys_) Py_VISIT(key.ptr());
        return 0;
    }

    void clear() {
        others_.clear();
        table_.clear();
        keys_.clear();
    }

  private:
    bool in_table(PyObject* name) const { return is_text(name) && !foreign_; }

    uint32_t row_of(PyObject* name) {
        return in_table(name) ? table_.find(name, hash_of_text(name), keys_.data()) : other(name);
    }

    uint32_t other(PyObject* name) {
        if (!foreign_ && !harmless(name)) keep_all_in_dict();
        PyObject* row = PyDict_GetItemWithError(others_.ptr(), name);
        if (!row && PyErr_Occurred()) throw nb::python_error();
        return row ? static_cast<uint32_t>(PyLong_AsUnsignedLong(row)) : no_row;
    }

    void keep_all_in_dict() {
        nb::dict all;  // in the order of the rows
        for (size_t row = first_row; row < size(); ++row) all[keys_[row]] = row;
        others_ = all;
        foreign_ = true;
        table_.clear();
    }

    uint32_t add(PyObject* name) {
        const size_t row = size();
        if (row >= no_row) throw std::length_error("more than 2**32 - 1 features");
        keys_.push_back(nb::borrow(name));  // first, as memory may fail
        try {
            if (in_table(name))
                table_.insert(name, hash_of_text(name), static_cast<uint32_t>(row));
            else if (PyDict_SetItem(others_.ptr(), name, nb::int_(row).ptr()))
                throw nb::python_error();
        } catch (...) {
            keys_.pop_back();
            throw;
        }
        return static_cast<uint32_t>(row);
    }

    TextTable table_;
    nb::dict others_;
    std::vector<nb::object> keys_;  // the name of each row, if it has one
};

}  // namespace river_hier
