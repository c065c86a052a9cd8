// Words of texts, and lines of numbers, as Python sees them.

#include <nanobind/stl/pair.h>

#include "bindings/bindings.hpp"
#include "store/vocabulary.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// Reads a number, as Python does, and returns its end, or null if it is none.
const char* read_number(const char* p, double& number) {
    char* end = nullptr;
    number = PyOS_string_to_double(p, &end, nullptr);
    if (number == -1.0 && PyErr_Occurred()) PyErr_Clear(), end = nullptr;
    return end && (*end == ' ' || *end == '\0') ? end : nullptr;
}

// The features of `name:value name:value`, or null if a pair is unusual or wrong.
nb::object plain_pairs(const char* p) {
    nb::object x = nb::steal(PyDict_New());
    Py_ssize_t n = 0;
    double sum = 0.0;
    for (;; ++n) {
        while (*p == ' ') ++p;
        if (!*p) break;
        const char* const name = p;
        while (*p != ':' && static_cast<signed char>(*p) > ' ') ++p;  // ASCII
        double value;
        const char* const colon = p;
        if (*p != ':' || p == name || !(p = read_number(p + 1, value))) return nb::object();
        sum += value;
        const nb::object key = nb::steal(PyUnicode_FromStringAndSize(name, colon - name));
        const nb::object number = nb::steal(PyFloat_FromDouble(value));
        if (!key.is_valid() || !number.is_valid() || PyDict_SetItem(x.ptr(), key.ptr(), number.ptr()))
            throw nb::python_error();
    }
    return PyDict_Size(x.ptr()) == n && std::isfinite(sum) ? x : nb::object();
}

nb::object read_pairs(nb::str text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!bytes) PyErr_Clear();
    nb::object x;
    if (bytes && std::strlen(bytes) == static_cast<size_t>(size)) x = plain_pairs(bytes);
    if (x.is_valid()) return x;
    return imported("river_hier._core.features", "read_pairs")(text);
}

}  // namespace

void texts(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary")
        .def(nb::init<nb::object, std::pair<size_t, size_t>, uint32_t, nb::tuple, uint64_t, uint64_t,
                      nb::object>(),
             "tokenize"_a, "ngram_range"_a, "n_features"_a, "stop_words"_a, "min_count"_a, "max_rare"_a,
             "counts"_a = nb::none())
        .def_ro("n", &Vocabulary::n)
        .def_prop_ro("dfs", &Vocabulary::dfs)
        .def("saved", [](Vocabulary& v) { return v.options + nb::make_tuple(v.counts()); })
        .def("learn", &Vocabulary::learn, "text"_a)
        .def("weights", &Vocabulary::weights, "text"_a, "normalize"_a)
        .def("matrix", &Vocabulary::matrix, "texts"_a, "normalize"_a)
        .def("__sizeof__", [](const Vocabulary& v) { return sizeof v + v.bytes(); });
    m.def("read_pairs", &read_pairs, "text"_a);
}

}  // namespace river_hier
