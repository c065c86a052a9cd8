// The weights of models that have learned apart become those of one model: `merge` in distributed.py.
//
// The models have learned n_k examples each since they were copies of the start w_0, with variances S_0. Weights
// become the mean of the w_k, weighted by n_k (McDonald, Hall and Mann, 2010). Uncertain weights become a mean
// that is weighted by the precision gained since, g_k = 1 / S_k - 1 / S_0, and precisions add up:
//
//     w = w_0 + sum_k (a + g_k) (w_k - w_0) / (a + sum_k g_k),    1 / S = 1 / S_0 + sum_k g_k
//
// a is the precision that w_0 has as a prior of all parts. With a = 1 / S_0 this is Bayes' rule. As all are sums
// over the parts, in which what a part does not hold is 0, a row is merged in one pass over what they hold.
#pragma once

#include <algorithm>

#include "algorithms/linear_state.hpp"

namespace river_hier {

// A model, and where its features and weight vectors are in the merged one.
struct Part {
    const LinearState& state;
    std::vector<uint32_t> rows;     // for each feature of the merged model, its row or `no_row`
    std::vector<uint32_t> columns;  // for each of its weight vectors, the merged one
    Numbers counts, rounds;         // how often each of its averages counts, and its rounds times this
};

class Merging {
  public:
    // The last part is the start. The features of `merged` are those of all parts.
    Merging(LinearState& merged, std::vector<Part>& parts, double prior)
        : merged_(merged), parts_(parts), start_(parts.back().state), prior_(prior), sums_(merged.w.n_nodes()) {
        merged.n = start_.n;
        for (const Part& part : parts) merged.n += examples(part);
        if (merged.w.average) start_average();
        const Numbers before = start_.scoring->learned();
        Numbers mean = before;  // by the number of examples
        for (const Part& part : parts) {
            if (!examples(part)) continue;
            const double share = examples(part) / (merged.n - start_.n);
            const Numbers learned = part.state.scoring->learned();
            for (size_t i = 0; i < mean.size(); ++i) mean[i] += share * (learned[i] - before[i]);
        }
        merged.scoring->load(mean);
    }

    void run() {
        Entries weights, updates;
        for (uint32_t row = 0; row < merged_.features.size(); ++row) {
            for (size_t k = parts_.size(); k--;) add(parts_[k], row);  // the start first
            sort_touched();
            weights.resize(touched_.size(), 2);
            updates.resize(touched_.size(), 2);
            for (size_t i = 0; i < touched_.size(); ++i) mean(touched_[i], i, weights, updates);
            merged_.w->load(row, weights);
            if (merged_.w.average) merged_.w.average->updates->load(row, updates);
            touched_.clear();
        }
    }

  private:
    struct Sums {
        double w0 = 0.0, before = 1.0;     // weight and precision of the start
        double moved = 0.0, gained = 0.0;  // (a + g_k) w_k or n_k w_k, and g_k
        double hypotheses = 0.0;           // of the average
        bool touched = false;
    };

    // How many a part has learned since the start. It counts as much for a label that it does not know, where
    // its weights are those of the start: groups of groups are then all parts, and open taxonomies as closed ones.
    double examples(const Part& part) const { return part.state.n - start_.n; }

    // Calls visit(sums, v, weight, variance less 1) for what a part holds of a feature.
    template <class Visit>
    void each(const Weights& from, const Part& part, uint32_t row, Visit visit) {
        if (row >= from->n_features()) return;
        entries_.resize(0, 2);
        from->save(row, entries_);
        for (size_t i = 0; i < entries_.nodes.size(); ++i) {
            const uint32_t v = part.columns[entries_.nodes[i]];
            Sums& sums = sums_[v];
            if (!sums.touched) touched_.push_back(v);
            sums.touched = true;
            visit(sums, v, entries_.planes[0][i], from.n_planes > 1 ? entries_.planes[1][i] : 0.0);
        }
    }

    void sort_touched() {
        if (16 * touched_.size() < sums_.size()) return std::sort(touched_.begin(), touched_.end());
        touched_.clear();
        for (uint32_t v = 0; v < sums_.size(); ++v) if (sums_[v].touched) touched_.push_back(v);
    }

    void add(const Part& part, uint32_t row) {
        const Weights& from = part.state.w;
        const bool is_start = &part == &parts_.back(), certain = from.n_planes == 1;
        const double n = examples(part);
        if ((row = part.rows[row]) == no_row) return;
        each(from, part, row, [&](Sums& sums, uint32_t v, double w, double s) {
            if (is_start) {
                sums.w0 = w;
                sums.before = 1.0 / (1.0 + s);
            } else {
                const double gain = certain ? 0.0 : std::max(1.0 / (1.0 + s) - sums.before, 0.0);
                sums.moved += (certain ? n : prior_ + gain) * w;
                sums.gained += gain;
            }
            if (from.average) sums.hypotheses += part.rounds[v] * w;
        });
        if (!from.average) return;
        each(from.average->updates, part, row, [&](Sums& sums, uint32_t v, double u, double) {
            sums.hypotheses -= part.counts[v] * u;
        });
    }

    // Sets the merged numbers of a weight vector, the i-th that is touched, and clears its sums.
    void mean(uint32_t v, size_t i, Entries& weights, Entries& updates) {
        const Sums sums = std::exchange(sums_[v], Sums());
        const bool certain = merged_.w.n_planes == 1;
        const double total = certain ? merged_.n - start_.n : prior_ + sums.gained;
        const double again = certain ? 0.0 : prior_ * static_cast<double>(parts_.size() - 2);  // w_0 in all parts
        const double w = total > 0.0 ? (sums.moved - again * sums.w0) / total : sums.w0;
        weights.nodes[i] = updates.nodes[i] = v;
        weights.planes[0][i] = w;
        weights.planes[1][i] = certain ? 0.0 : 1.0 / (sums.before + sums.gained) - 1.0;
        if (merged_.w.average) updates.planes[0][i] = (merged_.w.average->rounds(v) - 1.0) * w - sums.hypotheses;
    }

    // The average of a weight vector is over its hypotheses in all parts, in which the updates are those that
    // lead to the merged weights. The hypotheses of r rounds have the sum r w - u. A part counts if its average
    // has begun, or if none has; and so does the start, which all parts contain, but once.
    void start_average() {
        Average& average = *merged_.w.average;
        average.m = start_.w.average->m;
        for (Part& part : parts_) {
            const Average& from = *part.state.w.average;
            average.m += from.m - start_.w.average->m;
            part.rounds.assign(sums_.size(), 0.0);
            part.counts = part.rounds;
            for (size_t i = 0; i < part.columns.size(); ++i) {
                const uint32_t v = part.columns[i];
                part.rounds[v] = from.m - from.since[i];
                part.counts[v] = from.begun[i];
                average.begun[v] |= from.begun[i];
            }
        }
        for (uint32_t v = 0; v < sums_.size(); ++v) {
            double rounds = 0.0, others = 0.0;
            for (Part& part : parts_) {
                double& counts = part.counts[v];
                counts = counts == average.begun[v];
                if (&part == &parts_.back()) counts *= 1.0 - others;
                others += counts;
                rounds += part.rounds[v] *= counts;
            }
            average.since[v] = average.m - rounds;
            average.moved[v] = 1;
        }
    }

    LinearState& merged_;
    std::vector<Part>& parts_;
    const LinearState& start_;
    const double prior_;
    std::vector<Sums> sums_;  // of the weight vectors for one feature
    Nodes touched_;           // those that a part holds
    Entries entries_;
};

}  // namespace river_hier
