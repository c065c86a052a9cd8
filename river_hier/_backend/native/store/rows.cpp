// Mini-batches as vectors, row by row.

#include "store/rows.hpp"

#include <algorithm>

#include "store/feature_index.hpp"
#include "store/feature_hasher.hpp"

namespace river_hier {

// Where a class has its destructor, there the compiler puts its virtual functions.
FeatureIndex::~FeatureIndex() = default;
FeatureHasher::~FeatureHasher() = default;

namespace {

constexpr uint32_t none = TextTable::none;

// Both must cover what is looked at without a check.
void ensure_starts(const std::vector<int64_t>& start, size_t n_entries) {
    ensure(!start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
               static_cast<size_t>(start.back()) == n_entries,
           "the rows do not follow one another");
}

}  // namespace

Rows::Rows(FeatureMap& features, nb::handle batch, bool insert)
    : values_(batch.attr("values")) {
    const nb::tuple names(nb::handle(batch.attr("names")));  // nobody can change it meanwhile
    width_ = names.size();
    read_entries(batch);
    const nb::object weights = batch.attr("weights");
    if (!weights.is_none()) {
        weights_ = numbers_of<double>(weights);
        ensure(weights_.size() == n_, "a weight for each row");
    }
    look_up(features, names, insert);
    if (dynamic_cast<FeatureHasher*>(&features)) share();
}

void Rows::read_entries(nb::handle batch) {
    nb::object columns = batch.attr("columns");
    dense_ = columns.is_none();
    row_of_.assign(width_, none);
    if (dense_) {
        ensure(values_.ndim() == 2 && values_.shape(1) == width_, "a name for each column");
        n_ = values_.shape(0);
        for (uint32_t c = 0; n_ && c < width_; ++c) asked_.push_back(c);
        return;
    }
    columns_ = numbers_of<uint32_t>(columns);
    start_ = numbers_of<int64_t>(batch.attr("start"));
    ensure(values_.ndim() == 1 && values_.size() == columns_.size(), "a column for each entry");
    ensure_starts(start_, columns_.size());
    n_ = start_.size() - 1;
    std::vector<char> seen(width_, 0);
    for (uint32_t c : columns_) {
        ensure(c < width_, "a name for each column");
        if (!seen[c]) asked_.push_back(c);
        seen[c] = 1;
    }
}

void Rows::look_up(FeatureMap& features, const nb::tuple& names, bool insert) {
    std::vector<PyObject*> asked;
    for (uint32_t c : asked_) asked.push_back(names[c].ptr());
    std::vector<uint32_t> rows(asked.size());
    features.rows(asked.data(), asked.size(), rows.data());
    nb::dict fresh;
    std::vector<uint32_t> unknown;
    for (size_t k = 0; k < asked.size(); ++k) {
        row_of_[asked_[k]] = rows[k];
        if (!insert || rows[k] != none) continue;
        fresh[nb::handle(asked[k])] = 0.0;
        unknown.push_back(asked_[k]);
    }
    if (unknown.empty()) return;
    ensure(nb::len(fresh) == unknown.size(), "a column comes twice");
    const Vector& x = features.insert(fresh);
    for (size_t k = 0; k < unknown.size(); ++k) row_of_[unknown[k]] = x.rows[k];
}

const Vector& Rows::operator[](size_t i) {
    const size_t first = begin(i), last = begin(i + 1);
    const double* values = values_.data();
    double norm2 = 0.0;
    for (size_t e = first; e < last; ++e) norm2 += values[e] * values[e];
    const bool zero = norm2 < smallest_norm2;
    x_.norm2 = zero ? 0.0 : norm2;
    x_.rows.resize(last - first);
    x_.values.resize(last - first);
    size_t n = 0;
    for (size_t e = first; e < last; ++e) {
        const uint32_t row = row_of_[column(e, first)];
        if (row == none) continue;
        x_.rows[n] = row;
        x_.values[n++] = zero ? 0.0 : values[e];
    }
    x_.rows.resize(n);
    x_.values.resize(n);
    if (!slot_of_.empty()) add_up(first);
    return x_;
}

void Rows::share() {
    std::vector<uint32_t> slots;
    for (uint32_t c : asked_) slots.push_back(row_of_[c]);
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    slot_of_.assign(width_, 0);
    for (uint32_t c : asked_)
        slot_of_[c] = static_cast<uint32_t>(
            std::lower_bound(slots.begin(), slots.end(), row_of_[c]) - slots.begin());
    at_.assign(slots.size(), 0);
    if (slots.size() == asked_.size()) slot_of_.clear();  // no two names meet
}

// Names that fall into one row are added up, as `FeatureHasher` does.
void Rows::add_up(size_t first) {
    size_t n = 0;
    for (size_t i = 0; i < x_.size(); ++i) {
        uint32_t& at = at_[slot_of_[column(first + i, first)]];
        if (at) {
            x_.values[at - 1] += x_.values[i];
            continue;
        }
        x_.rows[n] = x_.rows[i];
        x_.values[n++] = x_.values[i];
        at = static_cast<uint32_t>(n);
    }
    const bool shared = n < x_.size();
    for (size_t i = 0; i < x_.size(); ++i) at_[slot_of_[column(first + i, first)]] = 0;
    x_.rows.resize(n);
    x_.values.resize(n);
    if (!shared) return;
    x_.norm2 = 0.0;
    for (double value : x_.values) x_.norm2 += value * value;
}

void Rows::prefetch(size_t i, const WeightStore& weights) const {
    if (dense_ || i >= n_) return;
    for (size_t e = begin(i); e < begin(i + 1); ++e)
        if (row_of_[columns_[e]] != none) weights.prefetch(row_of_[columns_[e]]);
}

Numbers Rows::norms2() {
    Numbers norms2(n_);
    for (size_t i = 0; i < n_; ++i) norms2[i] = (*this)[i].norm2;
    return norms2;
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
