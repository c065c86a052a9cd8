// Pickles: the same plain arrays that the reference writes, checked by it when they come back.
#pragma once

#include "python/arrays.hpp"
#include "store/weights.hpp"

namespace river_hier {

template <class... State>
nb::object saved(const char* kind, State&&... state) {
    return nb::module_::import_("river_hier._backend.reference.pickles")
        .attr("saved")(kind, std::forward<State>(state)...);
}

// The entries of a plane that are not zero, row by row.
inline nb::object save_rows(const Weights& w, size_t plane) {
    std::vector<int64_t> start{0};
    std::vector<uint32_t> nodes;
    Numbers numbers;
    size_t last = 0;
    for (size_t row = 0; row < w->n_features(); ++row) {
        w->row(plane, row, nodes, numbers);
        start.push_back(static_cast<int64_t>(nodes.size()));
        if (start.back() > start[row]) last = row + 1;
    }
    start.resize(last + 1);
    return nb::make_tuple(array(start), array(nodes), array(numbers).attr("astype")(w.dtype()));
}

// Of weights, after what they were made from, the rows of each plane.
inline nb::object save(const char* kind, const Weights& w) {
    nb::list state;
    for (size_t plane = 0; plane < w.n_planes(); ++plane) state.append(save_rows(w, plane));
    return saved(kind, w.n_nodes(), w.dtype(), *state);
}

inline void load_rows(Weights& w, size_t plane, nb::handle parts) {
    const auto start = numbers_of<int64_t>(parts[0]);
    const auto nodes = numbers_of<uint32_t>(parts[1]);
    const auto all = numbers(parts[2].attr("astype")("float64"));
    Vector x{{0}, {1.0}, 1.0};
    for (size_t row = 0; row + 1 < start.size(); ++row) {
        x.rows[0] = static_cast<uint32_t>(row);
        w->add(plane, x, Nodes(nodes.begin() + start[row], nodes.begin() + start[row + 1]),
               Numbers(all.begin() + start[row], all.begin() + start[row + 1]));
    }
}

}  // namespace river_hier
