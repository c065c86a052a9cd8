// Checksums of names and of examples, which are the same in every process.
#pragma once

#include <array>
#include <cstring>
#include <utility>

#include "python/objects.hpp"

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

inline uint32_t checksum_of(PyObject* name) {
    nb::object bytes;
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(name, &size);
    if (!data) {  // a lone surrogate
        PyErr_Clear();
        bytes = nb::handle(name).attr("encode")("utf-8", "surrogatepass");
        data = PyBytes_AsString(bytes.ptr());
        size = PyBytes_Size(bytes.ptr());
    }
    return checksum(data, size);
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

}  // namespace river_hier
