// Weights whose changes are recorded.

#include "store/weights.hpp"

namespace river_hier {

template class Dense<double>;
template class Dense<float>;
template class Postings<double>;
template class Postings<float>;

// What records our changes, unless it has no place yet for all our nodes.
WeightStore* Weights::lag() const {
    const Weights& lag = *static_cast<Weights*>(follower);
    return lag.n_nodes_ < n_nodes_ ? nullptr : lag.store_.get();
}

void Weights::keep(const Vector& x, const Nodes& nodes, Numbers steps) {
    for (double& step : steps) step *= round_;
    if (lag()) lag()->step(x, nodes, steps);
}

void Weights::move_and_keep(const Vector& x, const Nodes& nodes, const MoveRule& rule) {
    Numbers cells;
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) cells.push_back(-store_->get(0, row, v));
    store_->move(x, nodes, rule);
    double* cell = cells.data();
    for (uint32_t row : x.rows)
        for (uint32_t v : nodes) *cell++ += store_->get(0, row, v);
    for (double& change : cells) change *= round_;
    if (lag()) lag()->add(0, x, nodes, cells);
}

}  // namespace river_hier
