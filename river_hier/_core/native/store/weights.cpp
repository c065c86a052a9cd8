// Weights in either layout, and the recording of their changes.

#include "store/weights.hpp"

#include <algorithm>
#include <cmath>

#include "store/dense.hpp"
#include "store/postings.hpp"

namespace river_hier {

namespace {

constexpr size_t most_dense = 128;  // nodes
// Squares of values beyond it would not fit a float.
constexpr double most_for_float = 1e30;

template <class Cell>
std::unique_ptr<WeightStore> new_postings(size_t n_nodes) {
    if (n_nodes <= 65536) return std::make_unique<Postings<Cell, uint16_t>>(n_nodes);
    return std::make_unique<Postings<Cell, uint32_t>>(n_nodes);
}

template <class T>
std::unique_ptr<WeightStore> new_store(size_t n_nodes, size_t n_planes) {
    if (n_nodes <= most_dense) return std::make_unique<Dense<T>>(n_nodes, n_planes);
    return n_planes > 1 ? new_postings<Cell<T, 2>>(n_nodes) : new_postings<Cell<T, 1>>(n_nodes);
}

// A hash function: the finaliser of SplitMix64.
uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

}  // namespace

Weights::Weights(size_t n_nodes, std::string dtype, size_t n_planes)
    : n_planes_(n_planes),
      n_nodes_(n_nodes),
      dtype_(std::move(dtype)),
      single_(dtype_ != "float64"),
      compact_(dtype_ == "float16"),
      room_(n_nodes) {
    if (compact_ && n_planes < 2) throw nb::value_error("compact weights without variances");
    store_ = store_for(n_nodes);
}

std::unique_ptr<WeightStore> Weights::store_for(size_t room) {
    scores.resize(room + lanes<double>);
    draws.resize(room);
    return compact_  ? new_postings<CompactCell>(room)
           : single_ ? new_store<float>(room, n_planes_)
                     : new_store<double>(room, n_planes_);
}

void Weights::check_range(double norm2) const {
    if (!single_ || norm2 <= most_for_float) return;
    const nb::str message("the squared norm of x is {:.3g}, too large for weights of dtype \"{}\"; "
                          "scale x, or take dtype=\"float64\"");
    throw nb::value_error(message.format(norm2, dtype_.c_str()).c_str());
}

void Weights::score_all(const Vector& x) {
    ranges.assign(1, Range{0, static_cast<uint32_t>(n_nodes_)});
    const WeightStore::Bound rows = store_->bind(x);
    rows.prefetch(0, ranges);
    rows.score(ranges, scores.data());
}

void Weights::reserve(const Vector& x, const Nodes& nodes) {
    store_->reserve(x, nodes);
    if (compact_) dither_.of_nodes.reserve(nodes.size());
    changes_.reserve(x.size() * nodes.size());
    if (!lag()) return;
    lag()->reserve(x, nodes);
    clocks_->changes(x, nodes, *lag());
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
    reserve(x, nodes);
    start_averages();
    store_->step(x, nodes, steps);
    if (!lag()) return;
    for (size_t i = 0; i < nodes.size(); ++i) steps[i] *= clocks_->rounds(nodes[i]);
    lag()->step(x, nodes, steps);
}

void Weights::discount(const Vector& x, const Nodes& nodes, double forgetting) {
    changes_.clear();
    for (size_t j = 0; j < x.size(); ++j)
        for (uint32_t v : nodes) {
            const double s = store_->get(1, x.rows[j], v);
            const double f = x.values[j] == 0.0 ? 1.0 : forgetting;
            changes_.push_back(f * s / (1.0 + (1.0 - f) * s) - s);
        }
    store_->add(1, x, nodes, changes_, dither(nodes));
    drawn(nodes);
}

// The random numbers of the next change of some nodes.
const Dither& Weights::dither(const Nodes& nodes) {
    dither_.of_nodes.resize(compact_ ? nodes.size() : 0);
    for (size_t i = 0; i < dither_.of_nodes.size(); ++i)
        dither_.of_nodes[i] = mixed(mixed(seed) + draws[nodes[i]] + 1);
    return dither_;
}

// The change has happened.
void Weights::drawn(const Nodes& nodes) {
    for (size_t i = 0; i < dither_.of_nodes.size(); ++i) ++draws[nodes[i]];
}

void Weights::move(const Vector& x, const Nodes& nodes, const MoveRule& rule, double forgetting) {
    if (lag() || forgetting < 1.0) reserve(x, nodes);
    if (forgetting < 1.0) discount(x, nodes, forgetting);
    const Dither& random = dither(nodes);
    changes_.clear();
    if (lag())
        for (uint32_t row : x.rows)
            for (uint32_t v : nodes) changes_.push_back(-store_->get(0, row, v));
    start_averages();
    store_->move(x, nodes, rule, random);
    drawn(nodes);
    if (!lag()) return;
    double* change = changes_.data();
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) {
            *change = (*change + store_->get(0, row, v)) * clocks_->rounds(v);
            ++change;
        }
    lag()->add(0, x, nodes, changes_);
}

void Weights::add_nodes(size_t n_nodes) {
    if (n_nodes > room_) {
        const size_t room = std::max(n_nodes, 2 * room_);
        std::unique_ptr<WeightStore> larger = store_for(room);
        Nodes nodes(room_);
        Numbers weights(room_), variances(room_);
        void* const numbers[] = {weights.data(), variances.data()};
        for (size_t row = 0; row < store_->n_features(); ++row)
            if (const size_t n = store_->save(row, nodes.data(), numbers))
                larger->load(row, n, nodes.data(), numbers);
        store_ = std::move(larger);
        room_ = room;
    }
    n_nodes_ = n_nodes;
}

}  // namespace river_hier
