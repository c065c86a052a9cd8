// Weights whose changes are recorded.

#include "weights.hpp"

namespace river_hier {

void Weights::keep(const Vector& x, const Nodes& nodes) {
    Weights& lag = *static_cast<Weights*>(follower);
    if (lag.n_nodes_ < n_nodes_) return;  // it has no place for them
    for (double& cell : cells_) cell *= round_;
    lag.layout_->add(0, x, nodes, cells_);
}

void Weights::learn_and_keep(const Vector& x, const Nodes& nodes, const Moves& moves) {
    cells_.clear();
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) cells_.push_back(-layout_->get(0, row, v));
    layout_->learn(x, moves);
    double* cell = cells_.data();
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) *cell++ += layout_->get(0, row, v);
    keep(x, nodes);
}

}  // namespace river_hier
