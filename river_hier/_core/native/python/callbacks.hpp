// Python functions that read what compiled code leaves to them: anything unusual, and all errors.
#pragma once

#include <nanobind/nanobind.h>

namespace river_hier {

namespace nb = nanobind;

// `_core/__init__.py` sets them when the extension is imported.
struct Callbacks {
    nb::object read_odd;         // x -> names, values and squared norm
    nb::object digests;          // the hash values of an x
    nb::object read_pairs;       // a line of `name:value` pairs
    nb::object closure_nodes;    // taxonomy, y -> nodes and their ancestors
    nb::object predicted_nodes;  // the same of a prediction
    nb::object given_closure;    // the same, whatever y says of ancestors
};

inline Callbacks& callbacks() {
    static auto* const all = new Callbacks();  // never deleted: Python may be gone by then
    return *all;
}

}  // namespace river_hier
