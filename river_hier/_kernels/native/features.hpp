// Feature dicts -> sparse vectors: the one place where feature names are looked up.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <vector>

#include "layout.hpp"
#include "python.hpp"
#include "text_table.hpp"
#include "vector.hpp"

namespace river_hier {

namespace nb = nanobind;

// How the names of features become rows. `soon` is sent for a row as soon as it is known.
class Names {
  public:
    // `read` is the reference's reader of an unusual x: -> names, values, squared norm; or an error.
    explicit Names(nb::object read) : read_(std::move(read)) {}
    virtual ~Names() = default;

    // The vector of x over the features already known; valid until the next call.
    virtual const Vector& find(nb::handle x, const Layout* soon = nullptr) = 0;

    // Like `find`, but features seen for the first time get the next rows; all of them or none.
    virtual const Vector& insert(nb::handle x, const Layout* soon = nullptr) = 0;

    virtual size_t size() const = 0;
    virtual nb::list names() const = 0;
    virtual nb::object row(nb::handle name) = 0;  // None if it is not known

    // Comparing names may run code of others, which may come back to us: it is turned away.
    struct Busy {
        explicit Busy(Names& names) : names_(names) {
            if (names.busy_)
                throw std::runtime_error(
                    "the model is at work on another example: a feature's __hash__ or __eq__, or "
                    "another thread, has called it in the middle of a step");
            names.busy_ = true;
        }
        Busy(const Busy&) = delete;
        ~Busy() { names_.busy_ = false; }
        Names& names_;
    };

  protected:
    static bool is_text(PyObject* name) { return PyUnicode_CheckExact(name); }

    // Names whose hash and comparison run no code of others, and which never equal a str.
    static bool harmless(PyObject* name) {
        return PyLong_CheckExact(name) || PyFloat_CheckExact(name) || PyBool_Check(name);
    }

    // Read values into `found_` and names into `names_`, without running any code of others. False
    // if x is not that usual: then nothing counts, and `read_odd` does it. `on_text` sees each str.
    template <class OnText>
    bool read_plain(PyObject* x, OnText on_text) {
        if (!PyDict_CheckExact(x)) return false;
        reserve(static_cast<size_t>(PyDict_Size(x)));
        Py_ssize_t position = 0;
        PyObject *name, *value;
        size_t n = 0;
        double norm2 = 0.0;
        while (PyDict_Next(x, &position, &name, &value)) {
            double number;
            if (!plain_number(value, number)) return false;
            if (is_text(name))
                on_text(name, n);
            else if (!harmless(name))
                return false;
            names_[n] = name;
            found_.values[n++] = number;
            norm2 += number * number;
        }
        if (!std::isfinite(norm2)) return false;  // the slow way says what is wrong
        if (norm2 < smallest_norm2) {
            norm2 = 0.0;
            std::fill(found_.values.begin(), found_.values.end(), 0.0);
        }
        found_.norm2 = norm2;
        return true;
    }

    // What the reader makes of an unusual x. It runs code of others, so nobody is busy yet.
    nb::tuple read_odd(nb::handle x) const { return nb::cast<nb::tuple>(read_(x)); }

    void take(const nb::tuple& read) {
        copy_ = nb::cast<nb::list>(read[0]);  // keeps the names alive
        nb::list values = nb::cast<nb::list>(read[1]);
        reserve(copy_.size());
        for (size_t i = 0; i < copy_.size(); ++i) {
            names_[i] = nb::handle(copy_[i]).ptr();
            found_.values[i] = nb::cast<double>(values[i]);
        }
        found_.norm2 = nb::cast<double>(read[2]);
    }

    void reserve(size_t n) {
        found_.rows.resize(n);
        found_.values.resize(n);
        if (names_.size() < n) names_.resize(2 * n);
    }

    void keep(size_t n) {
        found_.rows.resize(n);
        found_.values.resize(n);
    }

    Vector found_;                  // the answer
    std::vector<PyObject*> names_;  // of x

  private:
    nb::object read_;
    nb::list copy_;
    bool busy_ = false;
};

// The rows of all features learned so far, in order of appearance.
//
// Names of exact type str live in a table of our own. All others live in a Python dict, because
// only Python can compare them; that runs the user's code (`__hash__`, `__eq__`), which may do
// anything. So there x is copied first, and nothing is cached across a call.
class Features : public Names {
  public:
    using Names::Names;
    ~Features() override;

    size_t size() const override { return keys_.size(); }

    const Vector& find(nb::handle x, const Layout* soon) override {
        const nb::object odd = read(x);
        Busy busy(*this);
        const bool plain = taken(odd);
        size_t known = 0;
        for (size_t i = 0; i < found_.size(); ++i) {
            const uint32_t row = plain ? usual(i) : any(names_[i]);
            if (row == TextTable::none) continue;
            if (soon) soon->prefetch(row);
            found_.rows[known] = row;
            found_.values[known++] = found_.values[i];
        }
        keep(known);
        return found_;
    }

    const Vector& insert(nb::handle x, const Layout* soon) override {
        const nb::object odd = read(x);
        Busy busy(*this);
        const bool plain = taken(odd);
        const size_t before = size();
        try {
            for (size_t i = 0; i < found_.size(); ++i) {
                uint32_t row = plain ? usual(i) : any(names_[i]);
                if (row == TextTable::none) row = add(names_[i]);
                if (soon) soon->prefetch(row);
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

    nb::object row(nb::handle name) override {
        Busy busy(*this);
        uint32_t row = any(name.ptr());
        return row == TextTable::none ? nb::none() : nb::object(nb::int_(row));
    }

    void add_all(nb::list names) {
        Busy busy(*this);
        for (nb::handle name : names) {
            if (any(name.ptr()) != TextTable::none) throw nb::value_error("a feature comes twice");
            add(name.ptr());
        }
    }

  private:
    // None if x is plain, and no name has come yet that could equal one of its names: then it has
    // been read. Hashes first, so that the slots of the table are on their way while the next
    // names are read.
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
