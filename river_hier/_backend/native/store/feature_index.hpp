// Feature names to rows, by a table of all names.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "store/feature_map.hpp"
#include "store/text_table.hpp"

namespace river_hier {

// The rows of all features learned so far, in order of appearance.
//
// Names of exact type str live in a TextTable. All others live in a Python dict, because only Python
// can compare them; that runs the user's code (`__hash__`, `__eq__`), which may do anything. There x
// is copied first, and nothing is cached across a call.
class FeatureIndex : public FeatureMap {
  public:
    using FeatureMap::FeatureMap;
    ~FeatureIndex() override;

    size_t size() const override { return keys_.size(); }

    const Vector& find(nb::handle x) override {
        const nb::object odd = read(x);
        ReentrancyGuard guard(*this);
        const bool plain = taken(odd);
        size_t known = 0;
        for (size_t i = 0; i < found_.size(); ++i) {
            const uint32_t row = plain ? usual(i) : any(names_[i]);
            if (row == TextTable::none) continue;
            found_.rows[known] = row;
            found_.values[known++] = found_.values[i];
        }
        keep(known);
        return found_;
    }

    const Vector& insert(nb::handle x) override {
        const nb::object odd = read(x);
        ReentrancyGuard guard(*this);
        const bool plain = taken(odd);
        const size_t before = size();
        try {
            for (size_t i = 0; i < found_.size(); ++i) {
                uint32_t row = plain ? usual(i) : any(names_[i]);
                if (row == TextTable::none) row = add(names_[i]);
                found_.rows[i] = row;
            }
        } catch (...) {
            forget(before);
            throw;
        }
        return found_;
    }

    nb::list names() const override {
        nb::list names;
        for (const nb::object& key : keys_) names.append(key);
        return names;
    }

    // Names and slots of the table are prefetched some turns ahead.
    void rows(PyObject* const* names, size_t n, uint32_t* rows) override {
        constexpr size_t soon = 8;
        ReentrancyGuard guard(*this);
        for (size_t i = 0; i < n; ++i) {
            if (i + 2 * soon < n) river_hier::prefetch(names[i + 2 * soon]);
            if (i + soon < n && is_text(names[i + soon]))
                table_.prefetch(hash_of_text(names[i + soon]));
            rows[i] = any(names[i]);
        }
    }

    // For Python's garbage collector: only a name of a foreign type can be part of a cycle.
    int traverse(visitproc visit, void* arg) const {
        Py_VISIT(others_.ptr());
        if (wild_)
            for (const nb::object& key : keys_) Py_VISIT(key.ptr());
        return 0;
    }

    void clear() {
        others_.clear();
        table_.clear();
        std::vector<nb::object>().swap(keys_);
    }

    void add_all(nb::list names) {
        ReentrancyGuard guard(*this);
        for (nb::handle name : names) {
            if (any(name.ptr()) != TextTable::none) throw nb::value_error("a feature comes twice");
            add(name.ptr());
        }
    }

  private:
    // Reads x. Returns None if x is plain and no stored name of a foreign type could equal one of its
    // names; else what `read_odd` found. Prefetches the slots of the table as hashes become known.
    nb::object read(nb::handle x) {
        if (!wild_ && read_plain(x.ptr(), [this](PyObject* name, size_t i) {
                if (hashes_.size() <= i) hashes_.resize(names_.size());
                hashes_[i] = hash_of_text(name);
                table_.prefetch(hashes_[i]);
            }))
            return nb::none();
        return read_odd(x);
    }

    bool taken(const nb::object& odd) {
        if (odd.is_none()) return true;
        take(nb::borrow<nb::tuple>(odd));
        return false;
    }

    // The row of the i-th name of a plain x.
    uint32_t usual(size_t i) {
        PyObject* name = names_[i];
        return is_text(name) ? table_.find(name, hashes_[i], keys_.data()) : other(name);
    }

    // The row of a name of any type.
    uint32_t any(PyObject* name) {
        if (is_text(name)) {
            uint32_t row = table_.find(name, hash_of_text(name), keys_.data());
            if (row != TextTable::none || !wild_) return row;
        } else if (!harmless(name)) {  // it may equal a str without being one
            Py_hash_t hash = PyObject_Hash(name);
            if (hash == -1) throw nb::python_error();
            size_t step = 0;
            for (uint32_t row; (row = table_.next(hash, step)) != TextTable::none;) {
                int same = PyObject_RichCompareBool(keys_[row].ptr(), name, Py_EQ);
                if (same < 0) throw nb::python_error();
                if (same) return row;
            }
        }
        return other(name);
    }

    uint32_t other(PyObject* name) {
        PyObject* row = PyDict_GetItemWithError(others_.ptr(), name);
        if (!row && PyErr_Occurred()) throw nb::python_error();
        return row ? static_cast<uint32_t>(PyLong_AsUnsignedLong(row)) : TextTable::none;
    }

    uint32_t add(PyObject* name) {
        size_t row = size();
        if (row >= TextTable::none) throw std::length_error("more than 2**32 - 1 features");
        if (is_text(name)) {
            table_.insert(name, hash_of_text(name), static_cast<uint32_t>(row));
        } else {
            nb::int_ number(row);
            if (PyDict_SetItem(others_.ptr(), name, number.ptr())) throw nb::python_error();
            wild_ = wild_ || !harmless(name);
        }
        keys_.push_back(nb::borrow(name));
        return static_cast<uint32_t>(row);
    }

    // Back to the first n features.
    void forget(size_t n) {
        if (n == size()) return;
        keys_.resize(n);
        table_.clear();
        size_t others = 0;
        for (size_t i = 0; i < n; ++i) {
            PyObject* name = keys_[i].ptr();
            if (is_text(name))
                table_.insert(name, hash_of_text(name), static_cast<uint32_t>(i));
            else
                ++others;
        }
        while (nb::len(others_) > others) others_.attr("popitem")();  // the last in; hashes nothing
    }

    TextTable table_;
    nb::dict others_;
    std::vector<nb::object> keys_;   // the name of each row
    bool wild_ = false;              // whether `others_` may hold a name that equals a str
    std::vector<uint64_t> hashes_;  // of the names of x that are str
};

}  // namespace river_hier
