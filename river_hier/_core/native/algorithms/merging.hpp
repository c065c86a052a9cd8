// The weights of models that have learned apart become those of one model: `merge` in distributed.py.
//
// The models have learned n_k examples each since they were copies of the start w_0, with variances S_0. Weights
// become the mean of the w_k, weighted by n_k (McDonald, Hall and Mann, 2010). Uncertain weights become a mean
// that is weighted by the precision gained since, g_k = 1 / S_k - 1 / S_0, and precisions add up:
//
//     w = w_0 + sum_k (a + g_k) (w_k - w_0) / (a + sum_k g_k),    1 / S = 1 / S_0 + sum_k g_k
//
// a is the precision that w_0 has as a prior of all parts. With a = 1 / S_0 this is Bayes' rule.
#pragma once

#include <algorithm>

#include "store/linear_state.hpp"

namespace river_hier {

// A model, and where its features and weight vectors are in the merged one.
struct Part {
    const LinearState& state;
    std::vector<uint32_t> rows;     // for each feature of the merged model, its row or `no_row`
    std::vector<uint32_t> columns;  // for each of its weight vectors, the merged one
};

class Merging {
  public:
    // The last part is the start. The features of `merged` are those of all parts.
    Merging(LinearState& merged, const std::vector<Part>& parts, double prior)
        : merged_(merged), parts_(parts), prior_(prior), n_columns_(merged.w.n_nodes()),
          n_(parts.size() * n_columns_), total_(n_columns_), cells_(n_.size()), touched_(n_columns_) {
        const double before = parts.back().state.n;
        merged.n = before;
        for (size_t k = 0; k + 1 < parts.size(); ++k) {
            const double n = parts[k].state.n - before;
            merged.n += n;
            for (uint32_t v : parts[k].columns) {
                n_[k * n_columns_ + v] = n;
                total_[v] += n;
            }
        }
        if (merged.w.average) start_average();
    }

    void run() {
        Entries weights, updates;
        for (uint32_t row = 0; row < merged_.features.size(); ++row) {
            read(row);
            for (Entries* entries : {&weights, &updates}) {
                entries->nodes.clear();
                for (Numbers& plane : entries->planes) plane.clear();
            }
            for (uint32_t v : nodes_) {
                const Cell mean = merged(v);
                weights.nodes.push_back(v);
                weights.planes[0].push_back(mean.w);
                weights.planes[1].push_back(mean.s);
                if (merged_.w.average) updates.planes[0].push_back(update(v, mean.w));
                for (size_t k = 0; k < parts_.size(); ++k) cells_[k * n_columns_ + v] = Cell();
                touched_[v] = 0;
            }
            if (nodes_.empty()) continue;
            merged_.w->load(row, weights, 0, nodes_.size());
            updates.nodes = nodes_;
            if (merged_.w.average) merged_.w.average->updates->load(row, updates, 0, nodes_.size());
        }
    }

  private:
    // A weight, its variance less 1, and the sum of its updates (see `Average`).
    struct Cell {
        double w = 0.0, s = 0.0, u = 0.0;
    };

    // A feature in all parts: `cells_`, and in `nodes_` the weight vectors that it has an entry in.
    void read(uint32_t row) {
        nodes_.clear();
        for (size_t k = 0; k < parts_.size(); ++k) {
            const Part& part = parts_[k];
            const Weights& w = part.state.w;
            if (part.rows[row] == no_row) continue;
            const auto each = [&](const Weights& from, auto set) {
                entries_.nodes.clear();
                for (Numbers& plane : entries_.planes) plane.clear();
                if (part.rows[row] < from->n_features()) from->save(part.rows[row], entries_);
                for (size_t i = 0; i < entries_.nodes.size(); ++i) {
                    const uint32_t v = part.columns[entries_.nodes[i]];
                    if (!touched_[v]) nodes_.push_back(v);
                    touched_[v] = 1;
                    set(cells_[k * n_columns_ + v], i);
                }
            };
            each(w, [&](Cell& cell, size_t i) {
                cell.w = entries_.planes[0][i];
                if (w.n_planes() > 1) cell.s = entries_.planes[1][i];
            });
            if (w.average) each(w.average->updates, [&](Cell& cell, size_t i) { cell.u = entries_.planes[0][i]; });
        }
        std::sort(nodes_.begin(), nodes_.end());
    }

    Cell merged(uint32_t v) const {
        Cell mean = cell(parts_.size() - 1, v);
        const double w = mean.w, before = 1.0 / (1.0 + mean.s);
        const bool uncertain = merged_.w.n_planes() > 1;
        double moves = 0.0, gained = 0.0;
        for (size_t k = 0; k + 1 < parts_.size(); ++k) {
            const Cell& part = cell(k, v);
            if (uncertain && part.s == mean.s && part.w == w) continue;
            const double gain = uncertain ? std::max(1.0 / (1.0 + part.s) - before, 0.0) : 0.0;
            moves += (uncertain ? prior_ + gain : n_[k * n_columns_ + v]) * (part.w - w);
            gained += gain;
        }
        const double weight = uncertain ? prior_ + gained : total_[v];
        if (weight > 0.0) mean.w += moves / weight;
        mean.s = 1.0 / (before + gained) - 1.0;
        return mean;
    }

    // The average of a weight vector is over its hypotheses in all parts, in which the updates are those that
    // lead to the merged weights. The hypotheses of r rounds have the sum r w - u. A part counts if its average
    // has begun, or if none has; and so does the start, which all parts contain.
    void start_average() {
        Average& average = *merged_.w.average;
        const size_t start = parts_.size() - 1;
        average.m = parts_[start].state.w.average->m;
        rounds_.assign(n_.size(), 0.0);
        std::vector<char> begun(n_.size(), 0);
        for (size_t k = 0; k < parts_.size(); ++k) {
            const Average& from = *parts_[k].state.w.average;
            if (k < start) average.m += from.m - parts_[start].state.w.average->m;
            for (size_t i = 0; i < parts_[k].columns.size(); ++i) {
                const uint32_t v = parts_[k].columns[i];
                rounds_[k * n_columns_ + v] = from.m - from.since[i];
                begun[k * n_columns_ + v] = from.begun[i];
                average.begun[v] |= from.begun[i];
            }
        }
        counts_ = begun;
        for (size_t i = 0; i < counts_.size(); ++i) counts_[i] = counts_[i] == average.begun[i % n_columns_];
        for (uint32_t v = 0; v < n_columns_; ++v) {
            average.since[v] = average.m - sum(v, [&](size_t k) { return rounds_[k * n_columns_ + v]; });
            average.moved[v] = 1;
        }
    }

    // The sum over the parts that count, in which the start counts once.
    template <class Value>
    double sum(uint32_t v, Value value) const {
        const size_t start = parts_.size() - 1;
        const double before = counts_[start * n_columns_ + v] ? value(start) : 0.0;
        double total = before;
        for (size_t k = 0; k < start; ++k)
            if (counts_[k * n_columns_ + v]) total += value(k) - before;
        return total;
    }

    double update(uint32_t v, double w) const {
        const Average& average = *merged_.w.average;
        return (average.m - average.since[v]) * w - sum(v, [&](size_t k) {
                   return rounds_[k * n_columns_ + v] * cell(k, v).w - cell(k, v).u;
               });
    }

    const Cell& cell(size_t k, uint32_t v) const { return cells_[k * n_columns_ + v]; }

    LinearState& merged_;
    const std::vector<Part>& parts_;
    const double prior_;
    const size_t n_columns_;
    Numbers n_, total_;  // examples since the start, for each part and weight vector; and of all parts
    Numbers rounds_;     // of the averages
    std::vector<char> counts_;
    std::vector<Cell> cells_;
    std::vector<char> touched_;
    Nodes nodes_;
    Entries entries_;
};

}  // namespace river_hier
