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

#include "store/weights.hpp"

namespace river_hier {

// A model, and where its features and weight vectors are in the merged one.
struct Part {
    const LinearState& state;
    std::vector<uint32_t> rows;     // for each feature of the merged model, its row or `no_row`
    std::vector<uint32_t> columns;  // for each of its weight vectors, the merged one
    bool same_columns;              // the first ones, in order
};

// The merged models have n weight vectors. Numbers of one feature stand side by side: those of part k begin at
// k * n.
class Merging {
  public:
    // The last part is the start. The features of `merged` are those of all parts.
    Merging(LinearState& merged, const std::vector<Part>& parts, double prior)
        : merged_(merged), parts_(parts), prior_(prior), n_(merged.w.n_nodes()), start_(parts.size() - 1),
          certain_(merged.w.n_planes == 1), w_(parts.size() * n_), s_(w_.size()), u_(w_.size()), moves_(n_),
          gained_(n_), before_(n_) {
        merged.n = parts[start_].state.n;
        for (size_t k = 0; k < start_; ++k) merged.n += examples(k);
        if (merged.w.average) start_average();
    }

    void run() {
        Entries weights, updates;
        for (uint32_t row = 0; row < merged_.features.size(); ++row) {
            touched_.clear();
            all_ = false;
            for (size_t k = 0; k < parts_.size(); ++k) read(k, row);
            std::sort(touched_.begin(), touched_.end());
            touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
            if (all_) touched_.assign(1, 0);
            for (uint32_t v : touched_) mean(v, all_ ? n_ : v + 1, weights, updates);
            merged_.w->load(row, weights);
            if (merged_.w.average) merged_.w.average->updates->load(row, updates);
            clear(weights);
            clear(updates);
        }
    }

  private:
    // How many a part has learned since the start. It counts as much for a label that it does not know, where
    // its weights are those of the start: groups of groups are then all parts, and open taxonomies as closed ones.
    double examples(size_t k) const { return parts_[k].state.n - parts_[start_].state.n; }

    static void clear(Entries& entries) {
        entries.nodes.clear();
        for (Numbers& plane : entries.planes) plane.clear();
    }

    // The numbers of a feature in a part, and which of its nodes they are for.
    void read(size_t k, uint32_t row) {
        const Part& part = parts_[k];
        const Weights& w = part.state.w;
        double* planes[2] = {&w_[k * n_], &s_[k * n_]};
        read(w, w.n_planes, part, row, planes);
        planes[0] = &u_[k * n_];
        if (w.average) read(w.average->updates, 1, part, row, planes);
    }

    void read(const Weights& from, size_t n_planes, const Part& part, uint32_t row, double* const* planes) {
        row = part.rows[row];
        if (row == no_row || row >= from->n_features()) return;
        if (part.same_columns && from->copy(0, row, part.columns.size(), planes[0])) {
            if (n_planes > 1) from->copy(1, row, part.columns.size(), planes[1]);
            all_ = true;
            return;
        }
        clear(entries_);
        from->save(row, entries_);
        for (size_t i = 0; i < entries_.nodes.size(); ++i) {
            touched_.push_back(part.columns[entries_.nodes[i]]);
            for (size_t plane = 0; plane < n_planes; ++plane)
                planes[plane][touched_.back()] = entries_.planes[plane][i];
        }
    }

    // Appends the merged numbers of the weight vectors first:last, and clears those of the parts.
    void mean(size_t first, size_t last, Entries& weights, Entries& updates) {
        const double *w0 = &w_[start_ * n_], *s0 = &s_[start_ * n_];
        std::fill(&moves_[first], &moves_[0] + last, 0.0);
        std::fill(&gained_[first], &gained_[0] + last, 0.0);
        for (size_t v = first; v < last; ++v) before_[v] = 1.0 / (1.0 + s0[v]);
        for (size_t k = 0; k < start_; ++k) {
            const double *w = &w_[k * n_], *s = &s_[k * n_], n = examples(k);
            if (certain_)
                for (size_t v = first; v < last; ++v) moves_[v] += n * (w[v] - w0[v]);
            else
                add_moves(w, s, w0, first, last);
        }
        const double total = merged_.n - parts_[start_].state.n;
        for (size_t v = first; v < last; ++v) {
            const double weight = certain_ ? total : prior_ + gained_[v];
            const double w = weight > 0.0 ? w0[v] + moves_[v] / weight : w0[v];
            const double s = certain_ ? 0.0 : 1.0 / (before_[v] + gained_[v]) - 1.0;
            if (w != 0.0 || s != 0.0) {
                weights.nodes.push_back(static_cast<uint32_t>(v));
                weights.planes[0].push_back(w);
                weights.planes[1].push_back(s);
            }
            if (!merged_.w.average) continue;
            updates.nodes.push_back(static_cast<uint32_t>(v));
            updates.planes[0].push_back(update(static_cast<uint32_t>(v), w));
        }
        const auto clear = [&](Numbers& numbers) {
            for (size_t k = 0; k < parts_.size(); ++k) std::fill_n(&numbers[k * n_ + first], last - first, 0.0);
        };
        clear(w_);
        if (!certain_) clear(s_);
        if (merged_.w.average) clear(u_);
    }

    void add_moves(const double* w, const double* s, const double* w0, size_t first, size_t last) {
        double *moves = moves_.data(), *gained = gained_.data();
        const double *before = before_.data(), prior = prior_;
        for (size_t v = first; v < last; ++v) {
            const double gain = std::max(1.0 / (1.0 + s[v]) - before[v], 0.0);
            moves[v] += (prior + gain) * (w[v] - w0[v]);
            gained[v] += gain;
        }
    }

    // The average of a weight vector is over its hypotheses in all parts, in which the updates are those that
    // lead to the merged weights. The hypotheses of r rounds have the sum r w - u. A part counts if its average
    // has begun, or if none has; and so does the start, which all parts contain.
    void start_average() {
        Average& average = *merged_.w.average;
        average.m = parts_[start_].state.w.average->m;
        rounds_.assign(w_.size(), 0.0);
        counts_.assign(w_.size(), 0);
        for (size_t k = 0; k < parts_.size(); ++k) {
            const Average& from = *parts_[k].state.w.average;
            if (k < start_) average.m += from.m - parts_[start_].state.w.average->m;
            for (size_t i = 0; i < parts_[k].columns.size(); ++i) {
                const uint32_t v = parts_[k].columns[i];
                rounds_[k * n_ + v] = from.m - from.since[i];
                counts_[k * n_ + v] = from.begun[i];
                average.begun[v] |= from.begun[i];
            }
        }
        for (size_t i = 0; i < counts_.size(); ++i) counts_[i] = counts_[i] == average.begun[i % n_];
        for (uint32_t v = 0; v < n_; ++v) {
            average.since[v] = average.m - sum(v, [&](size_t i) { return rounds_[i]; });
            average.moved[v] = 1;
        }
    }

    // The sum over the parts that count, in which the start counts once.
    template <class Value>
    double sum(uint32_t v, Value value) const {
        const size_t start = start_ * n_ + v;
        const double before = counts_[start] ? value(start) : 0.0;
        double total = before;
        for (size_t i = v; i < start; i += n_)
            if (counts_[i]) total += value(i) - before;
        return total;
    }

    double update(uint32_t v, double w) const {
        const Average& average = *merged_.w.average;
        return (average.m - average.since[v]) * w -
               sum(v, [&](size_t i) { return rounds_[i] * w_[i] - u_[i]; });
    }

    LinearState& merged_;
    const std::vector<Part>& parts_;
    const double prior_;
    const size_t n_, start_;
    const bool certain_;  // weights without variances
    Numbers rounds_;      // of the averages
    std::vector<char> counts_;
    Numbers w_, s_, u_;  // weights, variances less 1, and updates of averages
    Numbers moves_, gained_, before_;  // before: the precisions of the start
    Nodes touched_;  // the weight vectors with numbers, unless `all_` have some
    bool all_ = false;
    Entries entries_;
};

}  // namespace river_hier
