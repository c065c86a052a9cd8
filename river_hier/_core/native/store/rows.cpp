// Mini-batches as vectors, row by row.

#include "store/rows.hpp"

#include <algorithm>

namespace river_hier {

namespace {

void ensure_starts(const std::vector<int64_t>& start, size_t n_entries) {
    ensure(!start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
               static_cast<size_t>(start.back()) == n_entries,
           "the rows do not follow one another");
}

}  // namespace

Rows::Rows(FeatureMap& features, nb::handle batch, bool insert)
    : features_(features), values_(view<double>(batch.attr("values"))) {
    const nb::tuple names(nb::handle(batch.attr("names")));  // nobody can change it meanwhile
    width_ = names.size();
    row_of_.assign(width_, no_row);
    const std::vector<uint32_t> used = read_columns(batch);
    const nb::object weights = batch.attr("weights");
    if (!weights.is_none()) {
        weights_ = numbers_of<double>(weights);
        ensure(weights_.size() == n_, "a weight for each row");
    }
    std::vector<PyObject*> asked;
    for (uint32_t c : used) asked.push_back(names[c].ptr());
    std::vector<uint32_t> rows(used.size()), unknown;
    features.rows(asked.data(), asked.size(), rows.data());
    nb::dict fresh;
    for (size_t k = 0; k < used.size(); ++k) {
        row_of_[used[k]] = rows[k];
        if (!insert || rows[k] != no_row) continue;
        fresh[nb::handle(asked[k])] = 0.0;
        unknown.push_back(used[k]);
    }
    if (!unknown.empty()) {
        ensure(nb::len(fresh) == unknown.size(), "a column comes twice");
        const Vector& x = features.insert(fresh);
        for (size_t k = 0; k < unknown.size(); ++k) row_of_[unknown[k]] = x.rows[features.first_row + k];
    }
}

// Reads the rest of the batch, besides names and values. Returns the columns that have an entry, in
// order of appearance.
std::vector<uint32_t> Rows::read_columns(nb::handle batch) {
    std::vector<uint32_t> used;
    const nb::object columns = batch.attr("columns");
    dense_ = columns.is_none();
    if (dense_) {
        ensure(values_.ndim() == 2 && values_.shape(1) == width_, "a name for each column");
        n_ = values_.shape(0);
        for (uint32_t c = 0; n_ && c < width_; ++c) used.push_back(c);
        return used;
    }
    columns_ = numbers_of<uint32_t>(columns);
    start_ = numbers_of<int64_t>(batch.attr("start"));
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

const Vector& Rows::operator[](size_t i) {
    const size_t first = begin(i), last = begin(i + 1);
    const double* values = values_.data();
    double norm2 = 0.0;
    for (size_t e = first; e < last; ++e) norm2 += values[e] * values[e];
    const bool zero = norm2 < smallest_norm2;
    x_.norm2 = zero ? 0.0 : norm2;
    x_.resize(last - first);
    size_t n = 0;
    for (size_t e = first; e < last; ++e) {
        const uint32_t row = row_of_[dense_ ? e - first : columns_[e]];
        if (row == no_row) continue;
        x_.rows[n] = row;
        x_.values[n++] = zero ? 0.0 : values[e];
    }
    x_.resize(n);
    features_.merge(x_);
    x_.add_constant(features_.intercept);
    return x_;
}

Multilabels::Multilabels(nb::handle multilabels, const Labels& labels)
    : start_(numbers_of<int64_t>(multilabels.attr("start"))),
      nodes_(numbers_of<uint32_t>(multilabels.attr("nodes"))) {
    ensure_starts(start_, nodes_.size());
    for (uint32_t v : nodes_) ensure(v < labels.n(), "a node of another taxonomy");
    on_.mask.assign(labels.n(), 0);
}

const On& Multilabels::operator[](size_t i) {
    for (uint32_t v : on_.nodes) on_.mask[v] = 0;
    on_.nodes.assign(nodes_.begin() + start_[i], nodes_.begin() + start_[i + 1]);
    for (uint32_t v : on_.nodes) on_.mask[v] = 1;
    return on_;
}

}  // namespace river_hier
