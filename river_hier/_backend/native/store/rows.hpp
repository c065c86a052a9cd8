// Mini-batches: many rows that share their columns. Names are looked up once a batch.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "python/arrays.hpp"
#include "store/labels.hpp"
#include "store/weight_store.hpp"
#include "store/feature_map.hpp"

namespace river_hier {

inline void ensure(bool fine, const char* what) {
    if (!fine) throw nb::value_error(what);
}

// The rows of a `Batch` as vectors, each just as the dict of the row would give it.
class Rows {
  public:
    // With `insert`, columns seen for the first time get the next rows, in order of appearance.
    Rows(FeatureMap& features, nb::handle batch, bool insert);

    size_t n() const { return n_; }

    // Valid until the next call. Needs no Python.
    const Vector& operator[](size_t i);

    // The weight of an example.
    double weight(size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }

    // Send for the weights of a row.
    void prefetch(size_t i, const WeightStore& weights) const;

    Numbers norms2();

    // Of each column, the row of its feature; beyond all rows if it has none.
    const std::vector<uint32_t>& rows_of_columns() const { return row_of_; }

  private:
    void read_entries(nb::handle batch);
    void look_up(FeatureMap& features, const nb::tuple& names, bool insert);
    void share();
    void add_up(size_t first);

    size_t begin(size_t i) const { return dense_ ? i * width_ : start_[i]; }
    size_t column(size_t e, size_t first) const { return dense_ ? e - first : columns_[e]; }

    View<double> values_;
    bool dense_ = true;
    size_t n_ = 0, width_ = 0;       // rows, columns
    Numbers weights_;                // of the examples; none if they are all 1
    std::vector<uint32_t> columns_;  // of each entry, and where those of each row start
    std::vector<int64_t> start_;
    std::vector<uint32_t> asked_;   // the columns that have an entry, in order of appearance
    std::vector<uint32_t> row_of_;  // of each column: its row, or none
    // Where names share rows: of each column a number that stands for its row, and of each such
    // number 1 + the place of the row in x, as scratch.
    std::vector<uint32_t> slot_of_, at_;
    Vector x_;
};

// Closed multilabels, row after row.
class Multilabels {
  public:
    Multilabels(nb::handle multilabels, const Labels& labels);

    size_t n() const { return start_.size() - 1; }

    // Valid until the next call.
    const On& operator[](size_t i);

  private:
    std::vector<int64_t> start_;
    std::vector<uint32_t> nodes_;
    On on_;
};

}  // namespace river_hier
