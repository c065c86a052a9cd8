// Feature names to rows by hashing, in bounded memory.
#pragma once

#include <array>

#include "store/feature_map.hpp"
#include "hardware/memory.hpp"

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

// Names share `n_rows` rows, a power of 2. Values in the same row are added up. Nothing is stored, so
// `find` and `insert` are the same.
class FeatureHasher : public FeatureMap {
  public:
    FeatureHasher(size_t n_rows, double intercept)
        : FeatureMap(intercept),
          n_(n_rows),
          memory_(zeroed(size() * sizeof(uint32_t))),
          at_(static_cast<uint32_t*>(memory_.get())) {}

    size_t size() const override { return first_row + n_; }

    size_t bytes() const override { return FeatureMap::bytes() + size() * sizeof(uint32_t); }

    void merge(Vector& x) override { x.merge_rows(at_); }

    const Vector& find(nb::handle x) override {
        if (read_usual(x))
            rows(names_.data(), found_.size(), found_.rows.data());
        else
            read_unusual(x, [&](const std::vector<PyObject*>& names) {
                std::vector<uint32_t> found(names.size());
                rows(names.data(), names.size(), found.data());
                return found;
            });
        merge(found_);
        if (!std::isfinite(found_.norm2))
            throw nb::value_error(
                "features that share a hashed row add up to more than a float holds; scale x");
        found_.add_constant(intercept);
        return found_;
    }

    nb::list names() const override {
        nb::list names;
        for (size_t row = 0; row < n_; ++row) names.append(row);
        return names;
    }

    void rows(PyObject* const* names, size_t n, uint32_t* rows) override {
        for (size_t i = 0; i < n; ++i) rows[i] = row_of(names[i]);
    }

  private:
    uint32_t row_of(PyObject* name) const {
        return first_row + (checksum_of(name) & static_cast<uint32_t>(n_ - 1));
    }

    size_t n_;
    Memory memory_;
    uint32_t* at_;  // for `merge_rows`
};

}  // namespace river_hier
