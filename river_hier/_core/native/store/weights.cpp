// The weights of all nodes, and the recording of their changes.

#include "store/weights.hpp"

#include <algorithm>
#include <cmath>

#include "store/postings.hpp"

namespace river_hier {

namespace {

template <class Cell>
std::unique_ptr<WeightStore> new_store(size_t n_nodes) {
    if (n_nodes <= 65536) return std::make_unique<Postings<Cell, uint16_t>>(n_nodes);
    return std::make_unique<Postings<Cell, uint32_t>>(n_nodes);
}

}  // namespace

Weights::Weights(size_t n_nodes, bool single, size_t n_planes)
    : n_planes(n_planes), single(single), n_nodes_(n_nodes), room_(n_nodes) {
    store_ = store_for(n_nodes);
}

Weights::~Weights() = default;

std::unique_ptr<WeightStore> Weights::store_for(size_t room) {
    scores.resize(room + lanes<double>);
    if (n_planes > 1) return single ? new_store<Cell<float, 2>>(room) : new_store<Cell<double, 2>>(room);
    return single ? new_store<Cell<float, 1>>(room) : new_store<Cell<double, 1>>(room);
}

void Weights::bind(const Vector& x, bool averaged) {
    averaged_ = averaged && average;
    store_->find_rows(x);
    if (averaged_) average->updates.bind(x, false);
}

void Weights::score(const Ranges& nodes) {
    store_->score(nodes, scores.data());
    if (!averaged_) return;
    average->updates.score(nodes);
    each(nodes, [&](uint32_t v) { scores[v] -= average->updates.scores[v] / average->rounds(v); });
}

void Weights::score_all(const Vector& x, bool averaged) {
    ranges.assign(1, Range{0, static_cast<uint32_t>(n_nodes_)});
    bind(x, averaged);
    store_->prefetch_rows(0, ranges);
    score(ranges);
}

void Weights::add(const Vector& x, const Nodes& nodes, Numbers& steps) {
    if (nodes.empty()) return;
    const double most = largest_step(x.norm2);
    for (double& step : steps) step = std::clamp(step, -most, most);
    store_->step(x, nodes, steps);
    if (!average) return;
    average->scale(nodes, steps);
    average->updates->step(x, nodes, steps);
}

// A variance less 1, discounted where x is not zero.
static double discounted(double s, double x, double forgetting) {
    return x == 0.0 ? s : forgetting * s / (1.0 + (1.0 - forgetting) * s);
}

double Weights::variance(const Vector& x, uint32_t v, double forgetting) const {
    double sum = 0.0;
    for (size_t j = 0; j < x.size(); ++j) {
        const double s = v < n_nodes_ ? store_->get(1, x.rows[j], v) : 0.0;
        sum += (1.0 + discounted(s, x.values[j], forgetting)) * x.values[j] * x.values[j];
    }
    return sum;
}

void Weights::move(const Vector& x, const Nodes& nodes, const MoveRule& rule, double forgetting) {
    changes_.clear();
    for (size_t j = 0; forgetting < 1.0 && j < x.size(); ++j)
        for (uint32_t v : nodes) {
            const double s = store_->get(1, x.rows[j], v);
            changes_.push_back(discounted(s, x.values[j], forgetting) - s);
        }
    if (!changes_.empty()) store_->add(1, x, nodes, changes_);
    changes_.clear();
    if (average)
        for (uint32_t row : x.rows)
            for (uint32_t v : nodes) changes_.push_back(-store_->get(0, row, v));
    store_->move(x, nodes, rule);
    if (!average) return;
    double* change = changes_.data();
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) *change++ += store_->get(0, row, v);
    average->scale(nodes, changes_);
    average->updates->add(0, x, nodes, changes_);
}

void Weights::add_nodes(size_t n_nodes) {
    if (n_nodes > room_) {
        const size_t room = std::max(n_nodes, 2 * room_);
        std::unique_ptr<WeightStore> larger = store_for(room);
        for (size_t row = 0; row < store_->n_features(); ++row) {
            Entries entries;
            store_->save(row, entries);
            larger->load(row, entries);
        }
        store_ = std::move(larger);
        room_ = room;
    }
    if (average) average->add_nodes(n_nodes);
    n_nodes_ = n_nodes;
}

void Weights::forget(uint32_t v) {
    for (size_t row = 0; row < store_->n_features(); ++row) store_->clear(row, v);
    if (average) average->forget(v);
}

size_t Weights::bytes() const {
    return sizeof(Weights) + heap_bytes(scores, steps, p, ranges, nodes, mask, changes_) + store_->bytes() +
           (average ? sizeof(Average) + average->bytes() : 0);
}

}  // namespace river_hier
