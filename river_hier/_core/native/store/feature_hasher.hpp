// Feature names to rows by hashing, in bounded memory.
#pragma once

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "store/feature_map.hpp"

namespace river_hier {

// CRC-32 as in zlib; `first` is that of the bytes before.
inline uint32_t checksum(const char* text, Py_ssize_t size, uint32_t first = 0) {
    static const auto of_byte = [] {
        std::array<uint32_t, 256> sums;
        for (uint32_t byte = 0; byte < 256; ++byte) {
            sums[byte] = byte;
            for (int bit = 0; bit < 8; ++bit)
                sums[byte] = sums[byte] & 1 ? 0xEDB88320u ^ sums[byte] >> 1 : sums[byte] >> 1;
        }
        return sums;
    }();
    uint32_t sum = ~first;
    for (Py_ssize_t i = 0; i < size; ++i)
        sum = of_byte[(sum ^ static_cast<unsigned char>(text[i])) & 0xFF] ^ sum >> 8;
    return ~sum;
}

// One of the names that are equal; Python knows which, and may run foreign code.
inline nb::object canonical(nb::handle name) {
    if (PyLong_CheckExact(name.ptr())) return nb::borrow(name);
    if (PyBool_Check(name.ptr())) return nb::int_(name.is(Py_True) ? 1 : 0);
    if (PyFloat_CheckExact(name.ptr())) {
        const double number = nb::cast<double>(name);
        if (!std::isfinite(number) || number != std::floor(number)) return nb::borrow(name);
        return nb::steal(PyLong_FromDouble(number));
    }
    return callbacks().canonical(name);
}

// Of a str, or of the repr of a canonical name after a byte that UTF-8 does not use.
inline uint32_t checksum_of(PyObject* name) {
    static const uint32_t not_text = checksum("\xff", 1);
    const bool is_str = PyUnicode_Check(name);
    nb::object text = is_str ? nb::borrow(name) : nb::repr(canonical(name));
    nb::object bytes;
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) {  // a lone surrogate
        PyErr_Clear();
        bytes = text.attr("encode")("utf-8", "surrogatepass");
        data = PyBytes_AsString(bytes.ptr());
        size = PyBytes_Size(bytes.ptr());
    }
    return checksum(data, size, is_str ? 0 : not_text);
}

// Hash values of an x that depend on no order: of the names of features, and of the names with their values.
// Returns false if x is unusual.
inline bool digests(PyObject* x, std::pair<uint32_t, uint32_t>& found) {
    if (!PyDict_CheckExact(x)) return false;
    uint64_t of_names = 0, of_all = 0;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (PyDict_Next(x, &position, &name, &value)) {
        double number;
        if (!PyUnicode_CheckExact(name)) return false;
        if (!plain_number(value, number)) {
            if (!PyFloat_Check(value)) return false;  // numpy's floats are derived from Python's
            number = PyFloat_AsDouble(value);
        }
        uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        char bytes[sizeof bits];  // the lowest first, on any processor
        for (size_t i = 0; i < sizeof bits; ++i) bytes[i] = static_cast<char>(bits >> 8 * i);
        const uint64_t of_name = checksum_of(name);
        const uint64_t of_both = checksum(bytes, sizeof bytes, static_cast<uint32_t>(of_name));
        of_names += of_name * of_name;
        of_all += of_both * of_both;
    }
    constexpr uint64_t golden = 0x9E3779B97F4A7C15u;
    found = {static_cast<uint32_t>(of_names * golden >> 32),
             static_cast<uint32_t>(of_all * golden >> 32)};
    return true;
}

// Names share `n_rows` rows, a power of 2. Values in the same row are added up. Nothing is stored, so
// `find` and `insert` are the same.
class FeatureHasher : public FeatureMap {
  public:
    FeatureHasher(size_t n_rows, double intercept)
        : FeatureMap(intercept),
          n_(n_rows),
          at_(static_cast<uint32_t*>(std::calloc(size(), sizeof(uint32_t))), std::free) {
        if (n_rows < 1 || n_rows > size_t{1} << 31 || n_rows & (n_rows - 1))
            throw nb::value_error("a number of rows");
        if (!at_) throw std::bad_alloc();
    }

    size_t size() const override { return first_row + n_; }

    size_t bytes() const override { return FeatureMap::bytes() + size() * sizeof(uint32_t); }

    void merge(Vector& x) override {
        x.merge_rows(at_.get());
        if (!std::isfinite(x.norm2))
            throw nb::value_error(
                "features that share a hashed row add up to more than a float holds; scale x");
    }

    nb::list names() const override {
        nb::list names;
        for (size_t row = 0; row < n_; ++row) names.append(row);
        return names;
    }

    nb::object saved() const override { return nb::int_(n_); }

    void find_rows(PyObject* const* names, size_t n, uint32_t* rows, bool) override {
        for (size_t i = 0; i < n; ++i)
            rows[i] = first_row + (checksum_of(names[i]) & static_cast<uint32_t>(n_ - 1));
    }

  private:
    size_t n_;
    std::unique_ptr<uint32_t[], void (*)(void*)> at_;  // for `merge_rows`; takes memory where it is used
};

}  // namespace river_hier
