// When each node was first learned, so that averages are those of its own hypotheses.
#pragma once

#include "store/weight_store.hpp"

namespace river_hier {

// The weight `m` of all examples, what it was when the average of each node began, and the nodes that
// had an example.
//
// The average of a node begins again with its first example, and its sums are then cleared. Until then,
// the rows of its sums are listed, so that this takes no longer than recording them did.
struct Clocks {
    double m = 0.0;
    std::vector<double> since;
    std::vector<char> learned;

    explicit Clocks(size_t n_nodes) : since(n_nodes, 0.0), learned(n_nodes, 0), rows_(n_nodes) {}

    // The round of a node, from 1 on: the weight of the hypotheses in its average.
    double rounds(uint32_t v) const { return m + 1.0 - since[v]; }

    void add_nodes(size_t n_nodes) {
        const size_t more = n_nodes - std::min(n_nodes, learned.size());
        make_room(since, more);
        make_room(learned, more);
        make_room(rows_, more);
        rows_.resize(n_nodes);
        since.resize(n_nodes, m);
        learned.resize(n_nodes, 0);
    }

    // The sums may be any: before the next average begins again, the store is searched for their rows.
    void forget_rows() {
        rows_ = std::vector<Nodes>(learned.size());
        listed_ = false;
    }

    // A node has an example in this round; its average begins again in `start`.
    void announce(uint32_t v, const WeightStore& sums) {
        if (learned[v]) return;
        starting_.push_back(v);
        if (!listed_) list_rows(sums);
    }

    // Sums of these nodes for the features of x will change.
    void changes(const Vector& x, const Nodes& nodes, const WeightStore& sums) {
        for (uint32_t v : nodes)
            if (!learned[v] && listed_)
                for (size_t j = 0; j < x.size(); ++j)
                    if (x.values[j] != 0.0 && sums.get(0, x.rows[j], v) == 0.0)
                        rows_[v].push_back(x.rows[j]);
    }

    // Begin the averages of all nodes announced; this cannot fail.
    void start(WeightStore& sums) {
        for (uint32_t v : starting_) {
            for (uint32_t row : rows_[v]) sums.clear(row, v);
            Nodes().swap(rows_[v]);
            learned[v] = 1;
            since[v] = m;
        }
        starting_.clear();
    }

    // After an error, no average begins.
    void cancel() { starting_.clear(); }

    size_t bytes() const { return heap_bytes(since) + heap_bytes(learned) + heap_bytes(rows_); }

  private:
    void list_rows(const WeightStore& sums) {
        std::vector<Nodes> found(learned.size());
        Nodes nodes;
        Numbers weights;
        for (uint32_t row = 0; row < sums.n_features(); ++row) {
            nodes.resize(sums.save(row, nullptr, nullptr));
            weights.resize(nodes.size());
            void* const numbers[] = {weights.data()};
            sums.save(row, nodes.data(), numbers);
            for (uint32_t v : nodes)
                if (v < found.size() && !learned[v]) found[v].push_back(row);
        }
        rows_ = std::move(found);
        listed_ = true;
    }

    std::vector<Nodes> rows_;  // of the sums of each node without examples that are not zero
    bool listed_ = true;
    Nodes starting_;
};

}  // namespace river_hier
