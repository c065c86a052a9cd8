// Feature dicts to sparse vectors: the interface that the algorithms use, and the reading of x.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hardware/portable.hpp"
#include "store/weight_store.hpp"
#include "python/objects.hpp"
#include "python/reentrancy_guard.hpp"
#include "store/text_table.hpp"
#include "store/vector.hpp"

namespace river_hier {

namespace nb = nanobind;

// Maps the names of features to rows. Comparing names may run foreign code, which may call the model
// again: hence the guard.
class FeatureMap : public Guarded {
  public:
    // `read` is the reference's reader of an unusual x. It returns names, values and squared norm.
    explicit FeatureMap(nb::object read) : read_(std::move(read)) {}
    virtual ~FeatureMap() = default;

    // x over the known features; valid until the next call.
    virtual const Vector& find(nb::handle x) = 0;

    // The same, but new features get the next rows; all of them or, after an error, none.
    virtual const Vector& insert(nb::handle x) = 0;

    virtual size_t size() const = 0;
    virtual nb::list names() const = 0;

    // The row of each name, or `TextTable::none`. The caller owns the names.
    virtual void rows(PyObject* const* names, size_t n, uint32_t* rows) = 0;

    static const char* in_use_message() {
        return "the model is at work on another example: a feature's __hash__ or __eq__, or another "
               "thread, has called it in the middle of a step";
    }

  protected:
    static bool is_text(PyObject* name) { return PyUnicode_CheckExact(name); }

    // Names whose hash and comparison run no foreign code, and which never equal a str.
    static bool harmless(PyObject* name) {
        return PyLong_CheckExact(name) || PyFloat_CheckExact(name) || PyBool_Check(name);
    }

    // Reads values into `found_` and names into `names_` without running foreign code. Returns false
    // if x is unusual; `read_odd` must then read it. Calls `on_text(name, i)` for each str.
    template <class OnText>
    bool read_plain(PyObject* x, OnText on_text) {
        if (!PyDict_CheckExact(x) && !dicts_.hold(x)) return false;
        reserve(static_cast<size_t>(PyDict_Size(x)));
        Py_ssize_t position = 0;
        PyObject *name, *value;
        size_t n = 0;
        while (PyDict_Next(x, &position, &name, &value)) {
            river_hier::prefetch(name);
            river_hier::prefetch(value);
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
            if (is_text(names_[i]))
                on_text(names_[i], i);
            else if (!harmless(names_[i]))
                return false;
            norm2 += number * number;
        }
        if (!std::isfinite(norm2)) return false;  // `read_odd` raises the error
        if (norm2 < smallest_norm2) {
            norm2 = 0.0;
            std::fill(found_.values.begin(), found_.values.end(), 0.0);
        }
        found_.norm2 = norm2;
        return true;
    }

    // Reads an unusual x. This runs foreign code, so no guard may be held.
    nb::tuple read_odd(nb::handle x) const { return nb::cast<nb::tuple>(read_(x)); }

    void take(const nb::tuple& read) {
        nb::list names = nb::cast<nb::list>(read[0]);  // `read` keeps them alive
        nb::list values = nb::cast<nb::list>(read[1]);
        reserve(names.size());
        for (size_t i = 0; i < names.size(); ++i) {
            names_[i] = nb::handle(names[i]).ptr();
            found_.values[i] = nb::cast<double>(values[i]);
        }
        found_.norm2 = nb::cast<double>(read[2]);
    }

    void reserve(size_t n) {
        found_.rows.resize(n);
        found_.values.resize(n);
        if (names_.size() >= n) return;
        names_.resize(2 * n);
        values_.resize(2 * n);
    }

    void keep(size_t n) {
        found_.rows.resize(n);
        found_.values.resize(n);
    }

    Vector found_;                           // the result
    std::vector<PyObject*> names_, values_;  // of x

  private:
    const Types numbers_{"numpy", {"float64", "float32", "int64", "int32", "uint8", "bool_"}};
    const Types dicts_{"collections", {"Counter", "defaultdict"}};
    nb::object read_;
};

}  // namespace river_hier
