// Feature dicts to sparse vectors: the interface that the algorithms use, and the reading of x.
#pragma once

#include <cmath>

#include "hardware/portable.hpp"
#include "python/callbacks.hpp"
#include "python/objects.hpp"
#include "store/vector.hpp"

namespace river_hier {

// Maps the names of features to rows.
//
// Reading an unusual x, and comparing unusual names, may run foreign code, which may call the model again:
// both happen before anything of an example is stored here.
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
    virtual const Vector& find(nb::handle x) = 0;

    // The same, but new features get the next rows.
    virtual const Vector& insert(nb::handle x) { return find(x); }

    virtual size_t size() const = 0;  // of the rows
    virtual nb::list names() const = 0;

    // In memory, without what Python's garbage collector finds.
    virtual size_t bytes() const {
        return heap_bytes(names_) + heap_bytes(values_) + heap_bytes(found_.rows) +
               heap_bytes(found_.values);
    }

    // The row of each name, or `no_row`. The caller owns the names.
    virtual void rows(PyObject* const* names, size_t n, uint32_t* rows) = 0;

    // Adds up the values of features that share a row.
    virtual void merge(Vector&) {}

    const double intercept;
    const uint32_t first_row;  // of the features with names

  protected:
    static bool is_text(PyObject* name) { return PyUnicode_CheckExact(name); }

    // Names whose hash and comparison run no foreign code, and which never equal a str.
    static bool harmless(PyObject* name) {
        return PyLong_CheckExact(name) || PyFloat_CheckExact(name) || PyBool_Check(name);
    }

    // Reads a usual x into `found_` and `names_`, which runs no foreign code; false if it is unusual.
    bool read_usual(nb::handle x) {
        const bool dict = PyDict_CheckExact(x.ptr()) || dicts_.hold(x.ptr());
        return dict && read_plain(x.ptr());
    }

    // Reads any x by Python. Its rows are found before anything is stored.
    template <class FindRows>
    void read_unusual(nb::handle x, FindRows find_rows) {
        const auto odd = nb::cast<nb::tuple>(callbacks().read_odd(x));
        const auto names = nb::cast<nb::list>(odd[0]), values = nb::cast<nb::list>(odd[1]);
        std::vector<PyObject*> pointers;
        for (nb::handle name : names) pointers.push_back(name.ptr());
        const std::vector<uint32_t> rows = find_rows(pointers);
        reserve(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            found_.rows[i] = rows[i];
            found_.values[i] = nb::cast<double>(values[i]);
        }
        found_.norm2 = nb::cast<double>(odd[2]);
    }

    // Leaves out the features without a row, and adds the constant one.
    const Vector& known() {
        size_t known = 0;
        for (size_t i = 0; i < found_.size(); ++i) {
            if (found_.rows[i] == no_row) continue;
            found_.rows[known] = found_.rows[i];
            found_.values[known++] = found_.values[i];
        }
        found_.resize(known);
        found_.add_constant(intercept);
        return found_;
    }

    Vector found_;                           // the result
    std::vector<PyObject*> names_, values_;  // of x

  private:
    // Runs no foreign code. Returns false if a dict is unusual.
    bool read_plain(PyObject* x) {
        reserve(static_cast<size_t>(PyDict_Size(x)));
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
        if (norm2 < smallest_norm2) {
            norm2 = 0.0;
            found_.values.assign(n, 0.0);
        }
        found_.norm2 = norm2;
        return true;
    }

    void reserve(size_t n) {
        found_.resize(n);
        if (names_.size() >= n) return;
        names_.resize(2 * n);
        values_.resize(2 * n);
    }

    const Types numbers_{"numpy", {"float64", "float32", "int64", "int32", "uint8", "bool_"}};
    const Types dicts_{"collections", {"Counter", "defaultdict"}};
};

}  // namespace river_hier
