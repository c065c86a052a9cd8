// Hash values of examples that depend on no order.
#pragma once

#include <cstring>
#include <utility>

#include "store/feature_hasher.hpp"

namespace river_hier {

// Of the names of features, and of the names with their values. Returns false if x is unusual.
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
