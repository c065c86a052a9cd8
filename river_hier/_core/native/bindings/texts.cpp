// Words of texts, and lines of numbers, as Python sees them.

#include <nanobind/stl/pair.h>

#include <cstdlib>

#include "bindings/bindings.hpp"
#include "store/vocabulary.hpp"

namespace river_hier {

namespace {

using namespace nb::literals;

// Reads a number, as Python does, and returns its end, or null if it is none. Most have so few digits that
// they are an exact number divided by an exact power of 10.
const char* read_number(const char* p, double& number) {
    static constexpr double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* const begin = p;
    uint64_t digits = 0;
    size_t places = 0, read = 0;
    for (; *p >= '0' && *p <= '9'; ++p, ++read) digits = 10 * digits + (*p - '0');
    if (*p == '.')
        for (++p; *p >= '0' && *p <= '9'; ++p, ++read, ++places) digits = 10 * digits + (*p - '0');
    const bool at_end = *p == ' ' || *p == '\0';
    if (at_end && read && read < 20 && digits < (uint64_t(1) << 53) && places <= 22) {
        number = static_cast<double>(digits) / power[places];
        return p;
    }
    char* end = nullptr;
    number = PyOS_string_to_double(begin, &end, nullptr);
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
    return callbacks().read_pairs(text);
}

std::unique_ptr<Vocabulary> restored(const nb::tuple& options, const nb::tuple& counts) {
    auto vocabulary = std::make_unique<Vocabulary>(
        options[0], nb::cast<std::pair<size_t, size_t>>(options[1]), nb::cast<uint32_t>(options[2]),
        nb::cast<nb::tuple>(options[3]), nb::cast<uint64_t>(options[4]), nb::cast<uint64_t>(options[5]));
    vocabulary->set_counts(counts);
    return vocabulary;
}

}  // namespace

void texts(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary")
        .def(nb::init<nb::object, std::pair<size_t, size_t>, uint32_t, nb::tuple, uint64_t, uint64_t>(),
             "tokenize"_a, "ngram_range"_a, "n_features"_a, "stop_words"_a, "min_count"_a, "max_rare"_a)
        .def_ro("n", &Vocabulary::n)
        .def_prop_ro("dfs", &Vocabulary::dfs)
        .def("saved", [](Vocabulary& v) { return nb::make_tuple(v.options, v.counts()); })
        .def_static("restored", &restored, "options"_a, "counts"_a)
        .def("learn", [](Vocabulary& v, nb::str text) { v.learn(text); }, "text"_a)
        .def("weights", [](Vocabulary& v, nb::str text, bool normalize) {
            return v.weights(text, normalize);
        }, "text"_a, "normalize"_a)
        .def("matrix", [](Vocabulary& v, nb::list texts, bool normalize) {
            const Vocabulary::Matrix found = v.matrix(texts, normalize);
            return nb::make_tuple(array(found.weights), array(found.columns), array(found.start),
                                  found.names);
        }, "texts"_a, "normalize"_a)
        .def("__sizeof__", [](const Vocabulary& v) { return sizeof v + v.bytes(); });
    m.def("read_pairs", &read_pairs, "text"_a);
}

}  // namespace river_hier
