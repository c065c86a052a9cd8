// Feature dicts to sparse vectors: the names of features, and the reading of x.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "hardware/loops.hpp"
#include "python/objects.hpp"
#include "store/text_table.hpp"
#include "store/vector.hpp"

namespace river_hier {

// The rows of all features learned so far, in order of appearance.
//
// Names of exact type str live in a TextTable, small whole numbers in a list of their rows, and other
// numbers in a Python dict. A name of any other type may equal one of these, and only Python can compare
// it, which runs the user's code (`__hash__`, `__eq__`): once there is one, the dict holds all names, and
// every x is copied first.
//
// Reading an unusual x, and comparing unusual names, may run foreign code, which may call the model again:
// both happen before the vector of an x is stored here.
//
// With an intercept, every x has a constant feature of this value, whose row is 0 and which has no name.
class FeatureIndex {
  public:
    FeatureIndex(nb::handle names, double intercept, double most_norm2 = DBL_MAX)
        : intercept(intercept), most_norm2(most_norm2), first_row(intercept != 0.0), keys_(first_row) {
        ensure(intercept == 0.0 || (intercept >= 1e-6 && intercept <= 1e6), "not an intercept");
        nb::dict zeros;
        for (nb::handle name : names) zeros[name] = 0.0;
        ensure(nb::len(zeros) == nb::len(names), "a feature comes twice");
        insert(zeros);
    }
    FeatureIndex(const FeatureIndex&) = delete;

    // x over the known features; valid until the next call.
    const Vector& find(nb::handle x) { return read(x, false); }

    // The same, but new features get the next rows.
    const Vector& insert(nb::handle x) { return read(x, true); }

    // What `insert` would find; nothing is inserted.
    Vector preview(nb::handle x) {
        read(x, false, false);
        auto next = static_cast<uint32_t>(size());
        for (uint32_t& row : found_.rows) if (row == no_row) row = next++;
        finish(found_);
        return found_;
    }

    // Makes a vector of rows and values that of an x: without the features that have no row, and with the
    // constant feature.
    void finish(Vector& x) const {
        size_t known = std::find(x.rows.begin(), x.rows.end(), no_row) - x.rows.begin();
        for (size_t i = known; i < x.size(); ++i) {
            if (x.rows[i] == no_row) continue;
            x.rows[known] = x.rows[i];
            x.values[known++] = x.values[i];
        }
        x.resize(known);
        if (intercept == 0.0) return;
        x.rows.insert(x.rows.begin(), 0);
        x.values.insert(x.values.begin(), intercept);
        x.norm2 += intercept * intercept;
    }

    size_t size() const { return keys_.size(); }

    nb::list names() const {
        nb::list names;
        for (size_t row = first_row; row < size(); ++row) names.append(keys_[row]);
        return names;
    }

    // In memory. Names of exact type str are counted here, unless the garbage collector finds them.
    size_t bytes() const {
        size_t bytes = heap_bytes(names_, values_, found_.rows, found_.values, row_of_number_, keys_) + table_.bytes();
        const nb::object size_of = nb::module_::import_("sys").attr("getsizeof");
        for (size_t row = first_row; row < size(); ++row)
            if (in_table(keys_[row].ptr())) bytes += (nb::cast<size_t>(size_of(keys_[row])) + 15) / 16 * 16;
        return bytes;
    }

    // visit(i) for the n names name(i), of which those that follow are prefetched, with their slots in the table.
    template <class Name, class Visit>
    void each(size_t n, Name name, Visit visit) const {
        constexpr size_t soon = 16;
        for (size_t i = 0; i < n + soon; ++i) {
            if (i + soon < n) prefetch(name(i + soon));
            if (i < n && is_text(name(i))) table_.prefetch(hash_of_text(name(i)));
            if (i >= soon) visit(i - soon);
        }
    }

    // The row of a name, or `no_row`.
    uint32_t row_of(PyObject* name) {
        return in_table(name) ? table_.find(name, hash_of_text(name), keys_.data()) : other(name);
    }

    // The row of each name or, unless new ones get the next rows, `no_row`. The caller owns the names.
    template <class Name>
    void find_rows(size_t n, Name name, uint32_t* rows, bool insert) {
        each(n, name, [&](size_t i) { rows[i] = row_of(name(i)); });
        for (size_t i = 0; insert && i < n; ++i) if (rows[i] == no_row) rows[i] = add(name(i));
    }

    // The next row for a name that has none, or the one that it has got meanwhile.
    uint32_t add(PyObject* name) {
        if (!in_table(name))
            if (const uint32_t row = other(name); row != no_row) return row;
        const auto row = static_cast<uint32_t>(size());
        if (row == no_row) throw std::length_error("more than 2**32 - 1 features");
        keys_.push_back(nb::borrow(name));  // first, as memory may fail
        uint32_t found = row;
        try {
            const size_t number = in_table(name) || foreign_ ? SIZE_MAX : whole_number(name);
            if (in_table(name)) {
                found = table_.insert(name, hash_of_text(name), keys_.data(), row);
            } else if (number < 16 * (size_t{row} + 64)) {  // else the list would be too sparse
                if (number >= row_of_number_.size()) row_of_number_.resize(number + 1, no_row);
                row_of_number_[number] = row;
            } else if (PyDict_SetItem(others_.ptr(), name, nb::int_(row).ptr())) {
                throw nb::python_error();
            }
        } catch (...) {
            keys_.pop_back();
            throw;
        }
        if (found != row) keys_.pop_back();
        return found;
    }

    std::vector<uint32_t> find_rows(const nb::list& names, bool insert) {
        std::vector<uint32_t> rows(names.size());
        find_rows(rows.size(), [&](size_t i) { return names[i].ptr(); }, rows.data(), insert);
        return rows;
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
        row_of_number_.clear();
        keys_.clear();
    }

    // Throw an error if this squared norm of an x is too large.
    void check_range(double norm2) const {
        if (norm2 <= most_norm2) return;
        const bool single = most_norm2 < 1e100;
        const nb::str message("the squared norm of x is {:.3g}, too large for weights of dtype \"float{}\", which take "
                              "at most {:.0e}; scale x{}");
        throw nb::value_error(message.format(norm2, single ? 32 : 64, most_norm2,
                                             single ? ", or take dtype=\"float64\"" : "").c_str());
    }

    const double intercept, most_norm2;
    const uint32_t first_row;  // of the features with names

  private:
    static bool is_text(PyObject* name) { return PyUnicode_CheckExact(name); }

    // Names whose hash and comparison run no foreign code, and which never equal a str.
    static bool harmless(PyObject* name) {
        return PyLong_CheckExact(name) || PyFloat_CheckExact(name) || PyBool_Check(name);
    }

    const Vector& read(nb::handle x, bool insert, bool finished = true) {
        const bool dict = PyDict_CheckExact(x.ptr()) || dicts_.hold(x.ptr());
        if (dict && !foreign_ && read_plain(x.ptr()))
            find_rows(found_.size(), [&](size_t i) { return names_[i]; }, found_.rows.data(), insert);
        else if (foreign_ || !arrays_.hold(x.ptr()) || !read_row(x, insert))
            found_ = read_odd(x, insert);
        if (finished) finish(found_);
        return found_;
    }

    // Reads any x by Python.
    Vector read_odd(nb::handle x, bool insert) {
        const auto odd = nb::cast<nb::tuple>(callbacks()["read_odd"](x));
        Vector found;
        for (nb::handle value : nb::cast<nb::list>(odd[1])) found.values.push_back(nb::cast<double>(value));
        found.norm2 = nb::cast<double>(odd[2]);
        check_range(found.norm2);
        found.rows = find_rows(nb::cast<nb::list>(odd[0]), insert);
        return found;
    }

    // Reads a row of an array, whose features are the numbers of its columns. Returns false if it is unusual.
    bool read_row(nb::handle x, bool insert) {
        nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> row;
        if (!nb::try_cast(x, row)) return false;
        found_.resize(row.size());
        std::copy_n(row.data(), row.size(), found_.values.begin());
        found_.norm2 = 0.0;
        for (double value : found_.values) found_.norm2 += value * value;
        if (!(found_.norm2 <= most_norm2)) return false;
        if (found_.norm2 < smallest_norm2) found_.clear();
        for (size_t k = 0; k < row.size(); ++k) {
            uint32_t& place = found_.rows[k];
            place = k < row_of_number_.size() ? row_of_number_[k] : no_row;
            if (place != no_row) continue;
            const nb::int_ name(k);
            place = row_of(name.ptr());
            if (place == no_row && insert) place = add(name.ptr());
        }
        return true;
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
        if (!(norm2 <= most_norm2)) return false;  // Python reads it again for the error
        found_.norm2 = norm2;
        if (norm2 < smallest_norm2) found_.clear();
        return true;
    }

    bool in_table(PyObject* name) const { return is_text(name) && !foreign_; }

    uint32_t other(PyObject* name) {
        if (!foreign_ && !harmless(name)) keep_all_in_dict();
        const size_t number = foreign_ ? SIZE_MAX : whole_number(name);
        if (number < row_of_number_.size() && row_of_number_[number] != no_row) return row_of_number_[number];
        PyObject* row = PyDict_GetItemWithError(others_.ptr(), name);
        if (!row && PyErr_Occurred()) throw nb::python_error();
        return row ? static_cast<uint32_t>(PyLong_AsUnsignedLong(row)) : no_row;
    }

    // The whole number that a harmless name equals, or a larger one if it has none, or has a sign.
    static size_t whole_number(PyObject* name) {
        if (PyFloat_CheckExact(name)) {
            const double number = PyFloat_AsDouble(name);
            return number >= 0.0 && number < 4294967296.0 && number == std::floor(number)
                       ? static_cast<size_t>(number) : SIZE_MAX;
        }
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(name, &overflow);
        return overflow || number < 0 ? SIZE_MAX : static_cast<size_t>(number);
    }

    void keep_all_in_dict() {
        nb::dict all;  // in the order of the rows
        for (size_t row = first_row; row < size(); ++row) all[keys_[row]] = row;
        others_ = all;
        foreign_ = true;
        table_.clear();
        row_of_number_.clear();
    }

    TextTable table_;
    std::vector<uint32_t> row_of_number_;  // `no_row` for numbers that are no names
    nb::dict others_;
    std::vector<nb::object> keys_;  // the name of each row, if it has one
    bool foreign_ = false;  // whether there are names whose hash or comparison may run foreign code
    Vector found_;                           // the result of `read`
    std::vector<PyObject*> names_, values_;  // of x
    const Types numbers_{"numpy", {"float64", "float32", "int64", "int32", "uint8", "bool_"}};
    const Types arrays_{"numpy", {"ndarray"}};
    const Types dicts_{"collections", {"Counter", "defaultdict"}};
};

}  // namespace river_hier
