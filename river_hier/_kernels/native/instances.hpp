// Stored instances, each once, whoever uses them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "vector.hpp"

namespace river_hier {

// Sparse vectors, by instance and by feature.
class Instances {
  public:
    uint32_t n() const { return static_cast<uint32_t>(start_.size() - 1); }
    size_t n_features() const { return by_feature_.size(); }

    uint32_t append(const Vector& x) {
        const uint32_t number = n();
        rows_.insert(rows_.end(), x.rows.begin(), x.rows.end());
        values_.insert(values_.end(), x.values.begin(), x.values.end());
        start_.push_back(rows_.size());
        norms2_.push_back(x.norm2);
        for (size_t j = 0; j < x.size(); ++j) {
            know(size_t{x.rows[j]} + 1);
            by_feature_[x.rows[j]].push_back({number, x.values[j]});
        }
        return number;
    }

    // There are at least so many features.
    void know(size_t n_features) {
        if (n_features > by_feature_.size()) by_feature_.resize(n_features);
    }

    Vector vector(uint32_t number) const {
        Vector x;
        x.rows.assign(rows_.begin() + start_[number], rows_.begin() + start_[number + 1]);
        x.values.assign(values_.begin() + start_[number], values_.begin() + start_[number + 1]);
        x.norm2 = norms2_[number];
        return x;
    }

    // x . every stored instance: O(the instances that share a feature with x, for each).
    void dots(const Vector& x, std::vector<double>& dots) const;

    // dense += a * the instance.
    void add_to(uint32_t number, double a, double* dense) const;

    // dense . the instance.
    double dot(uint32_t number, const double* dense) const;

    // The same, one addition after the other.
    double dot_in_order(uint32_t number, const double* dense) const;

    // How many entries `dots` reads.
    double entries(const Vector& x) const {
        size_t n = 0;
        for (uint32_t row : x.rows)
            if (row < by_feature_.size()) n += by_feature_[row].size();
        return static_cast<double>(n);
    }

    // Features of an instance, on average.
    double mean_size() const { return static_cast<double>(values_.size()) / n(); }

    // How many features there are, up to the last one of an instance.
    size_t features_of(uint32_t number) const {
        size_t n = 0;
        for (size_t e = start_[number]; e < start_[number + 1]; ++e)
            n = std::max(n, size_t{rows_[e]} + 1);
        return n;
    }

    // Put those from `first` on into this order.
    void reorder(uint32_t first, const std::vector<uint32_t>& order) {
        std::vector<Vector> last;
        for (uint32_t number : order) last.push_back(vector(number));
        for (size_t e = start_[first]; e < rows_.size(); ++e) by_feature_[rows_[e]].pop_back();
        rows_.resize(start_[first]);
        values_.resize(start_[first]);
        norms2_.resize(first);
        start_.resize(size_t{first} + 1);
        for (const Vector& x : last) append(x);
    }

    // Only these, with new numbers.
    [[gnu::cold]] Instances chosen(const std::vector<uint32_t>& numbers) const {
        Instances chosen;
        chosen.know(n_features());
        for (uint32_t number : numbers) chosen.append(vector(number));
        return chosen;
    }

    const std::vector<size_t>& start() const { return start_; }
    const std::vector<uint32_t>& rows() const { return rows_; }
    const std::vector<double>& values() const { return values_; }
    const std::vector<double>& norms2() const { return norms2_; }

  private:
    struct __attribute__((packed)) Entry {
        uint32_t number;
        double value;
    };

    std::vector<size_t> start_{0};
    std::vector<uint32_t> rows_;
    std::vector<double> values_, norms2_;
    std::vector<std::vector<Entry>> by_feature_;
};

class Visit;

// What visits share, because it is large: lent to one after the other.
struct VisitBuffers {
    static constexpr size_t most = 64;  // visits at a time

    std::array<std::vector<double>, most> dots;  // of each, x . every instance
    std::vector<double> dense;                   // the x of one of them, or zeros
    Visit* spread = nullptr;                     // that one
    Vector last;                                 // the x of the last visit
    uint64_t visits = 1;                         // an x that comes twice in a row is visited once
};

// An example on its way past the nodes: what the systems share about it is computed at most once.
class Visit {
  public:
    Visit(const Vector& given, Instances& instances, VisitBuffers& buffers, size_t place)
        : x(given), instances(instances), buffers_(buffers), dots_(buffers.dots[place]) {
        if (!std::is_sorted(x.rows.begin(), x.rows.end())) sort();
        const Vector& last = buffers.last;
        if (x.norm2 != last.norm2 || x.rows != last.rows || x.values != last.values) {
            ++buffers.visits;
            buffers.last = x;
        }
        number_of_visit = buffers.visits;
        double known2 = 0.0;
        for (double value : x.values) known2 += value * value;
        const double rest = x.norm2 - known2, lost = rounding * static_cast<double>(x.size() + 1);
        unknown2 = rest > lost * x.norm2 ? rest : 0.0;
    }
    Visit(const Visit&) = delete;
    ~Visit() {
        if (buffers_.spread == this) gather();
    }

    // k[i] = x . the instance ids[i].
    //
    // All dot products at once, feature by feature, serve every system; those of a small system
    // alone are cheaper one by one, until so many have been asked for that all would have been.
    // Features ascend, here and there: it is the same sum, to the last bit.
    void dots(const std::vector<uint32_t>& ids, std::vector<double>& k) {
        k.resize(ids.size());
        if (ids.empty()) return;
        if (!known_) {
            spent_ += instances.mean_size() * static_cast<double>(ids.size());
            if (spent_ < all_entries()) {
                spread();
                for (size_t i = 0; i < ids.size(); ++i)
                    k[i] = instances.dot_in_order(ids[i], buffers_.dense.data());
                return;
            }
            instances.dots(x, dots_);
            known_ = true;
        }
        if (dots_.size() < instances.n()) spread();
        for (uint32_t i = static_cast<uint32_t>(dots_.size()); i < instances.n(); ++i)
            dots_.push_back(instances.dot_in_order(i, buffers_.dense.data()));
        for (size_t i = 0; i < ids.size(); ++i) k[i] = dots_[ids[i]];
    }

    // The number of x among the instances; asking for it stores x.
    uint32_t number() {
        if (!stored_) number_ = instances.append(x);
        stored_ = true;
        return number_;
    }

    Vector x;  // its features ascend
    Instances& instances;
    uint64_t number_of_visit;
    double unknown2;  // of ||x||^2 the part of features without a row

  private:
    // Of its size, what a sum loses to rounding for each term; generously.
    static constexpr double rounding = 1e-15;

    double all_entries() {
        if (all_entries_ < 0.0) all_entries_ = instances.entries(x);
        return all_entries_;
    }

    void sort() {
        spread();
        std::sort(x.rows.begin(), x.rows.end());
        for (size_t j = 0; j < x.size(); ++j) x.values[j] = buffers_.dense[x.rows[j]];
    }

    void spread() {
        if (buffers_.spread == this) return;
        if (buffers_.spread) buffers_.spread->gather();
        buffers_.spread = this;
        size_t n = instances.n_features();
        for (uint32_t row : x.rows) n = std::max<size_t>(n, size_t{row} + 1);
        if (buffers_.dense.size() < n) buffers_.dense.resize(2 * n, 0.0);
        for (size_t j = 0; j < x.size(); ++j) buffers_.dense[x.rows[j]] = x.values[j];
    }

    void gather() {
        buffers_.spread = nullptr;
        for (uint32_t row : x.rows) buffers_.dense[row] = 0.0;
    }

    VisitBuffers& buffers_;
    std::vector<double>& dots_;
    uint32_t number_ = 0;
    double spent_ = 0.0, all_entries_ = -1.0;
    bool known_ = false, stored_ = false;
};

}  // namespace river_hier
