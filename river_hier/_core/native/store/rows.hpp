// Mini-batches: many rows that share their columns. Names are looked up once a batch.
#pragma once

#include "store/feature_index.hpp"
#include "store/labels.hpp"

namespace river_hier {

inline void ensure(bool fine, const char* what) {
    if (!fine) throw nb::value_error(what);
}

inline void ensure_starts(const std::vector<int64_t>& start, size_t n_entries) {
    ensure(!start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
               static_cast<size_t>(start.back()) == n_entries,
           "the rows do not follow one another");
}

// The rows of a `Batch` as vectors, each just as the dict of the row would give it.
class Rows {
  public:
    // With `insert`, columns seen for the first time get the next rows, in order of appearance.
    Rows(FeatureIndex& features, nb::handle batch, bool insert)
        : features_(features), values_(view<double>(batch.attr("values"))) {
        const nb::tuple names(nb::handle(batch.attr("names")));  // nobody can change it meanwhile
        width_ = names.size();
        const std::vector<uint32_t> used = read_columns(batch);
        if (const nb::object weights = batch.attr("weights"); !weights.is_none()) {
            weights_ = numbers(weights);
            ensure(weights_.size() == n_, "a weight for each row");
        }
        std::vector<PyObject*> asked;
        for (uint32_t c : used) asked.push_back(names[c].ptr());
        std::vector<uint32_t> rows(used.size());
        features.find_rows(asked.data(), asked.size(), rows.data(), insert);
        row_of_.assign(width_, no_row);
        for (size_t k = 0; k < used.size(); ++k) row_of_[used[k]] = rows[k];
    }

    size_t n() const { return n_; }

    // Valid until the next call. Needs no Python.
    const Vector& operator[](size_t i) {
        const size_t first = begin(i), last = begin(i + 1);
        x_.resize(last - first);
        double norm2 = 0.0;
        for (size_t e = first; e < last; ++e) {
            x_.rows[e - first] = row_of_[dense_ ? e - first : columns_[e]];
            x_.values[e - first] = values_.data()[e];
            norm2 += values_.data()[e] * values_.data()[e];
        }
        x_.norm2 = norm2;
        if (norm2 < smallest_norm2) x_.clear();
        features_.finish(x_);
        return x_;
    }

    double weight(size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }

    // For each column, the row of its feature; beyond all rows if it has none.
    const std::vector<uint32_t>& rows_of_columns() const { return row_of_; }

    size_t n_learned = 0;  // how many of them a learner has learned

  private:
    // Reads the rest of the batch, besides names and values. Returns the columns that have an entry, in
    // order of appearance.
    std::vector<uint32_t> read_columns(nb::handle batch) {
        std::vector<uint32_t> used;
        const nb::object columns = batch.attr("columns");
        dense_ = columns.is_none();
        if (dense_) {
            ensure(values_.ndim() == 2 && values_.shape(1) == width_, "a name for each column");
            n_ = values_.shape(0);
            for (uint32_t c = 0; n_ && c < width_; ++c) used.push_back(c);
            return used;
        }
        columns_ = numbers<uint32_t>(columns);
        start_ = numbers<int64_t>(batch.attr("start"));
        ensure(values_.ndim() == 1 && values_.size() == columns_.size(), "a column for each entry");
        ensure_starts(start_, columns_.size());
        n_ = start_.size() - 1;
        std::vector<char> seen(width_, 0);
        for (uint32_t c : columns_) {
            ensure(c < width_, "a name for each column");
            if (!seen[c]) used.push_back(c);
            seen[c] = 1;
        }
        return used;
    }

    size_t begin(size_t i) const { return dense_ ? i * width_ : start_[i]; }

    FeatureIndex& features_;
    View<double> values_;
    bool dense_ = true;
    size_t n_ = 0, width_ = 0;       // rows, columns
    Numbers weights_;                // of the examples; none if they are all 1
    std::vector<uint32_t> columns_;  // of each entry, and where those of each row start
    std::vector<int64_t> start_;
    std::vector<uint32_t> row_of_;  // of each column: its row, or `no_row`
    Vector x_;
};

class Multilabels {
  public:
    Multilabels(nb::handle multilabels, const Labels& labels)
        : start_(numbers<int64_t>(multilabels.attr("start"))),
          nodes_(numbers<uint32_t>(multilabels.attr("nodes"))) {
        ensure_starts(start_, nodes_.size());
        for (uint32_t v : nodes_) ensure(v < labels.n(), "a node of another taxonomy");
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
