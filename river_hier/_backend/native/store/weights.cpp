// Weights in either layout, and the recording of their changes.

#include "store/weights.hpp"

#include <algorithm>

#include "store/dense.hpp"
#include "store/postings.hpp"

namespace river_hier {

namespace {

constexpr size_t most_dense = 128;  // nodes
// Squares of values beyond it would not fit a float.
constexpr double most_for_float = 1e30;

template <class T>
std::unique_ptr<WeightStore> new_store(size_t n_nodes, size_t n_planes) {
    if (n_nodes <= most_dense) return std::make_unique<Dense<T>>(n_nodes, n_planes);
    return std::make_unique<Postings<T>>(n_nodes, n_planes);
}

}  // namespace

Weights::Weights(size_t n_nodes, bool single, size_t n_planes)
    : n_planes_(n_planes), n_nodes_(n_nodes), single_(single) {
    arrange(n_nodes);
}

void Weights::arrange(size_t room) {
    room_ = room;
    scores.resize(room + lanes<double>);
    store_ = single_ ? new_store<float>(room, n_planes_) : new_store<double>(room, n_planes_);
}

void Weights::check_range(double norm2) const {
    if (!single_ || norm2 <= most_for_float) return;
    const nb::str message("the squared norm of x is {:.3g}, too large for weights of dtype "
                          "\"float32\"; scale x, or take dtype=\"float64\"");
    throw nb::value_error(message.format(norm2).c_str());
}

void Weights::score_all(const Vector& x) {
    ranges.assign(1, Range{0, static_cast<uint32_t>(n_nodes_)});
    const WeightStore::Bound rows = store_->bind(x);
    rows.prefetch(0, ranges);
    rows.score(ranges, scores.data());
}

// The weights that record all changes of these; null if there are none, or they lack some nodes.
WeightStore* Weights::lag() const {
    const Weights& lag = *static_cast<Weights*>(follower);
    const size_t n = std::min(lag.n_nodes_, clocks_ ? clocks_->since.size() : 0);
    return &lag == this || n < n_nodes_ ? nullptr : lag.store_.get();
}

void Weights::add(const Vector& x, const Nodes& nodes, Numbers& steps) {
    if (nodes.empty()) return;
    const double most = largest_step(x.norm2);
    for (double& step : steps) step = std::clamp(step, -most, most);
    if (!lag()) return store_->step(x, nodes, steps);
    Numbers recorded = steps;
    for (size_t i = 0; i < nodes.size(); ++i) recorded[i] *= clocks_->rounds(nodes[i]);
    lag()->reserve(x, nodes);
    store_->step(x, nodes, steps);
    lag()->step(x, nodes, recorded);
}

void Weights::clear(uint32_t node) {
    Vector x{{0}, {1.0}, 1.0};
    const Nodes nodes{node};
    Numbers cells{0.0};
    for (uint32_t& row = x.rows[0]; row < store_->n_features(); ++row) {
        cells[0] = -store_->get(0, row, node);
        if (cells[0] != 0.0) store_->add(0, x, nodes, cells);
    }
}

void Weights::discount(const Vector& x, const Nodes& nodes, double forgetting) {
    Numbers cells;
    for (size_t j = 0; j < x.size(); ++j)
        for (uint32_t v : nodes) {
            const double s = store_->get(1, x.rows[j], v);
            const double f = x.values[j] == 0.0 ? 1.0 : forgetting;
            cells.push_back(f * s / (1.0 + (1.0 - f) * s) - s);
        }
    store_->add(1, x, nodes, cells);
}

void Weights::move(const Vector& x, const Nodes& nodes, const MoveRule& rule) {
    if (!lag()) return store_->move(x, nodes, rule);
    Numbers changes;
    lag()->reserve(x, nodes);
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) changes.push_back(-store_->get(0, row, v));
    store_->move(x, nodes, rule);
    double* change = changes.data();
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) {
            *change = (*change + store_->get(0, row, v)) * clocks_->rounds(v);
            ++change;
        }
    lag()->add(0, x, nodes, changes);
}

void Weights::add_nodes(size_t n_nodes) {
    n_nodes_ = n_nodes;
    if (n_nodes <= room_) return;
    const std::unique_ptr<WeightStore> old = std::move(store_);
    arrange(std::max(n_nodes, 2 * room_));
    Vector x{{0}, {1.0}, 1.0};
    for (size_t row = 0; row < old->n_features(); ++row)
        for (size_t plane = 0; plane < n_planes_; ++plane) {
            Nodes nodes;
            Numbers numbers;
            old->row(plane, row, nodes, numbers);
            x.rows[0] = static_cast<uint32_t>(row);
            store_->add(plane, x, nodes, numbers);
        }
}

}  // namespace river_hier
