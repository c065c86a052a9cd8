// Feature dicts to sparse vectors: the interface that the algorithms use, and the reading of x.
#pragma once

#include <cmath>

#include "hardware/loops.hpp"
#include "python/callbacks.hpp"
#include "python/objects.hpp"
#include "store/vector.hpp"

namespace river_hier {

// Maps the names of features to rows.
//
// Reading an unusual x, and comparing unusual names, may run foreign code, which may call the model again:
// both happen before the vector of an x is stored here.
//
// With an intercept, every x has a constant feature of this value, whose row is 0 and which has no name.
class FeatureMap {
  public:
    explicit FeatureMap(double intercept) : intercept(intercept), first_row(intercept != 0.0) {
        if (!(intercept == 0.0 || (intercept >= 1e-6 && intercept <= 1e6)))
            throw nb::value_error("not an intercept");
    }
    FeatureMap(const FeatureMap&) = delete;
    virtual ~FeatureMap() = default;

    // x over the known features; valid until the next call.
    const Vector& find(nb::handle x) { return read(x, false); }

    // The same, but new features get the next rows.
    const Vector& insert(nb::handle x) { return read(x, true); }

    // Makes a vector of rows and values that of an x: without the features that have no row, each row once,
    // and with the constant feature.
    void finish(Vector& x) {
        size_t known = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            if (x.rows[i] == no_row) continue;
            x.rows[known] = x.rows[i];
            x.values[known++] = x.values[i];
        }
        x.resize(known);
        merge(x);
        x.add_constant(intercept);
    }

    virtual size_t size() const = 0;  // of the rows
    virtual nb::list names() const = 0;

    // What the constructor takes besides the intercept: the names, or the number of hashed rows.
    virtual nb::object saved() const { return names(); }

    // In memory, without what Python's garbage collector finds.
    virtual size_t bytes() const {
        return heap_bytes(names_) + heap_bytes(values_) + heap_bytes(found_.rows) +
               heap_bytes(found_.values);
    }

    // The row of each name or, unless new ones get the next rows, `no_row`. The caller owns the names.
    virtual void find_rows(PyObject* const* names, size_t n, uint32_t* rows, bool insert) = 0;

    const double intercept;
    const uint32_t first_row;  // of the features with names

  protected:
    static bool is_text(PyObject* name) { return PyUnicode_CheckExact(name); }

    // Names whose hash and comparison run no foreign code, and which never equal a str.
    static bool harmless(PyObject* name) {
        return PyLong_CheckExact(name) || PyFloat_CheckExact(name) || PyBool_Check(name);
    }

    // Adds up the values of features that share a row.
    virtual void merge(Vector&) {}

    bool foreign_ = false;  // whether there are names whose hash or comparison may run foreign code

  private:
    const Vector& read(nb::handle x, bool insert) {
        const bool dict = PyDict_CheckExact(x.ptr()) || dicts_.hold(x.ptr());
        if (dict && !foreign_ && read_plain(x.ptr()))
            find_rows(names_.data(), found_.size(), found_.rows.data(), insert);
        else
            found_ = read_odd(x, insert);
        finish(found_);
        return found_;
    }

    // Reads any x by Python.
    Vector read_odd(nb::handle x, bool insert) {
        const auto odd = nb::cast<nb::tuple>(callbacks().read_odd(x));
        const auto names = nb::cast<nb::list>(odd[0]);
        std::vector<PyObject*> pointers;
        Vector found;
        for (nb::handle name : names) pointers.push_back(name.ptr());
        for (nb::handle value : nb::cast<nb::list>(odd[1])) found.values.push_back(nb::cast<double>(value));
        found.norm2 = nb::cast<double>(odd[2]);
        found.rows.resize(pointers.size());
        find_rows(pointers.data(), pointers.size(), found.rows.data(), insert);
        return found;
    }

    // Runs no foreign code. Returns false if a dict is unusual.
    bool read_plain(PyObject* x) {
        found_.resize(static_cast<size_t>(PyDict_Size(x)));
        names_.resize(std::max(names_.size(), found_.size()));
        values_.resize(names_.size());
        Py_ssize_t position = 0;
        PyObject *name, *value;
        size_t n = 0;
        while (PyDict_Next(x, &position, &name, &value)) {
            prefetch(name);
            prefetch(value);
            names_[n] = name;
            values_[n++] = value;
        }
        double norm2 = 0.0;
        for (size_t i = 0; i < n; ++i) {
            double& number = found_.values[i];
            if (!plain_number(values_[i], number)) {
                if (!numbers_.hold(values_[i])) return false;
                number = PyFloat_AsDouble(values_[i]);
            }
            if (!is_text(names_[i]) && !harmless(names_[i])) return false;
            norm2 += number * number;
        }
        if (!std::isfinite(norm2)) return false;  // Python raises the error
        found_.norm2 = norm2;
        if (norm2 < smallest_norm2) found_.clear();
        return true;
    }

    Vector found_;                           // the result
    std::vector<PyObject*> names_, values_;  // of x
    const Types numbers_{"numpy", {"float64", "float32", "int64", "int32", "uint8", "bool_"}};
    const Types dicts_{"collections", {"Counter", "defaultdict"}};
};

}  // namespace river_hier
