// Mini-batches: many rows that share their columns. Names are looked up once a batch.
#pragma once

#include <numeric>

#include "store/feature_index.hpp"
#include "store/labels.hpp"

namespace river_hier {

inline void ensure_starts(const std::vector<int64_t>& start, size_t n_entries) {
    ensure(!start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
               static_cast<size_t>(start.back()) == n_entries, "the rows do not follow one another");
}

// The rows of a `Batch` as vectors, each just as the dict of the row would give it.
class Vectors {
  public:
    Vectors(FeatureIndex& features, nb::handle batch)
        : features_(features), values_(view<double>(batch.attr("values"))),
          width_(nb::len(nb::object(batch.attr("names")))) {
        if (const nb::object weights = batch.attr("weights"); !weights.is_none()) weights_ = numbers(weights);
        const nb::object columns = batch.attr("columns");
        dense_ = columns.is_none();
        if (dense_) {
            ensure(values_.ndim() == 2 && values_.shape(1) == width_, "a name for each column");
            n_ = values_.shape(0);
            std::vector<uint32_t> all(n_ ? width_ : 0);
            std::iota(all.begin(), all.end(), 0u);
            look_up(batch, all);
        } else {
            columns_ = numbers<uint32_t>(columns);
            start_ = numbers<int64_t>(batch.attr("start"));
            ensure(values_.ndim() == 1 && values_.size() == columns_.size(), "a column for each entry");
            ensure_starts(start_, columns_.size());
            n_ = start_.size() - 1;
            look_up_entries(batch);
        }
        ensure(weights_.empty() || weights_.size() == n_, "a weight for each row");
    }

    size_t n() const { return n_; }

    // Valid until the next call. Needs no Python.
    const Vector& operator[](size_t i) {
        const size_t first = begin(i), last = begin(i + 1);
        x_.resize(last - first);
        x_.norm2 = norm2(first, last);
        for (size_t e = first; e < last; ++e) {
            x_.rows[e - first] = row_of_[dense_ ? e - first : columns_[e]];
            x_.values[e - first] = values_.data()[e];
        }
        if (x_.norm2 < smallest_norm2) x_.clear();
        features_.finish(x_);
        return x_;
    }

    // The same, but features that are new get the next rows.
    const Vector& insert(size_t i) {
        new_.clear();
        norm2(begin(i), begin(i + 1));  // or an error, before anything is written
        for (size_t e = begin(i); e < begin(i + 1); ++e) {
            const uint32_t c = dense_ ? static_cast<uint32_t>(e - begin(i)) : columns_[e];
            if (row_of_[c] == no_row) new_.push_back(c);
        }
        features_.each(new_.size(), [&](size_t k) { return names_[new_[k]].ptr(); }, [&](size_t k) {
            const size_t before = features_.size();
            const uint32_t row = features_.add(names_[new_[k]].ptr());
            if (features_.size() == before) throw twice(new_[k]);
            row_of_[new_[k]] = row;
        });
        return (*this)[i];
    }

    double weight(size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }

    // For each column of a dense batch, the row of its feature; beyond all rows if it has none.
    const std::vector<uint32_t>& rows_of_columns() const { return row_of_; }

    size_t n_learned = 0;  // how many of them a learner has learned

  private:
    // Renumbers the columns with entries 0, 1, ..., in order of appearance: few of very many columns may
    // have any, so they are looked up in a table of twice as many slots as there are entries.
    void look_up_entries(nb::handle batch) {
        size_t slots = 16;
        while (slots < 2 * std::min(columns_.size(), width_)) slots *= 2;
        const bool direct = slots >= width_;
        std::vector<std::pair<uint32_t, uint32_t>> seen(direct ? width_ : slots, {no_row, 0});
        std::vector<uint32_t> used;
        for (uint32_t& c : columns_) {
            ensure(c < width_, "a name for each column");
            size_t slot = direct ? c : c * 0x9E3779B1u & (slots - 1);
            while (seen[slot].first != c && seen[slot].first != no_row) slot = (slot + 1) & (slots - 1);
            if (seen[slot].first == no_row) {
                seen[slot] = {c, static_cast<uint32_t>(used.size())};
                used.push_back(c);
            }
            c = seen[slot].second;
        }
        look_up(batch, used);
    }

    void look_up(nb::handle batch, const std::vector<uint32_t>& used) {
        const nb::object names = batch.attr("names");
        names_.reserve(used.size());
        for (uint32_t c : used) names_.emplace_back(names[c]);
        row_of_.resize(used.size());
        features_.find_rows(used.size(), [&](size_t c) { return names_[c].ptr(); }, row_of_.data(), false);
        std::vector<bool> taken(features_.size());
        for (size_t c = 0; c < used.size(); ++c) {
            if (row_of_[c] == no_row) continue;
            if (taken[row_of_[c]]) throw twice(c);
            taken[row_of_[c]] = true;
        }
    }

    nb::builtin_exception twice(size_t c) const {
        const nb::str text("column {!r} comes twice; rename one, or add them up if they are one feature");
        return nb::value_error(text.format(names_[c]).c_str());
    }

    double norm2(size_t first, size_t last) const {
        double norm2 = 0.0;
        for (size_t e = first; e < last; ++e) norm2 += values_.data()[e] * values_.data()[e];
        features_.check_range(norm2);
        return norm2;
    }

    size_t begin(size_t i) const { return dense_ ? i * width_ : start_[i]; }

    FeatureIndex& features_;
    View<double> values_;
    bool dense_ = true;
    size_t n_ = 0, width_ = 0;       // rows, columns
    Numbers weights_;                // of the examples; none if they are all 1
    std::vector<uint32_t> columns_;  // of each entry, and where those of each row start
    std::vector<int64_t> start_;
    std::vector<uint32_t> row_of_;   // of each column: its row, or `no_row`
    std::vector<nb::object> names_;  // of the columns
    std::vector<uint32_t> new_;      // those of one row of the batch that have none yet
    Vector x_;
};

class Multilabels {
  public:
    Multilabels(nb::handle multilabels, const Labels& labels)
        : start_(numbers<int64_t>(multilabels.attr("start"))), nodes_(labels.known(multilabels.attr("nodes"))) {
        ensure_starts(start_, nodes_.size());
        on_.mask.assign(labels.n(), 0);
    }

    size_t size() const { return start_.size() - 1; }

    // Valid until the next call.
    const On& operator[](size_t i) {
        for (uint32_t v : on_.nodes) on_.mask[v] = 0;
        on_.nodes.assign(nodes_.begin() + start_[i], nodes_.begin() + start_[i + 1]);
        for (uint32_t v : on_.nodes) on_.mask[v] = 1;
        return on_;
    }

  private:
    std::vector<int64_t> start_;
    Nodes nodes_;
    On on_;
};

}  // namespace river_hier
