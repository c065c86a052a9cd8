// Per-example caches: what all systems share, and what the systems of one thread share.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "store/instances.hpp"
#include "hardware/simd.hpp"

namespace river_hier {

// Identifies examples: an x that comes twice in a row keeps its id, so that what was computed for a
// prediction serves the step that follows.
struct ExampleIds {
    uint64_t of(const Vector& x) {
        if (x.norm2 != last.norm2 || x.rows != last.rows || x.values != last.values) {
            ++id;
            last = x;
        }
        return id;
    }

    Vector last;
    uint64_t id = 1;
};

// An example, and what is computed about it at most once.
class Example {
  public:
    // A weighted square is the square of x and its label, both times the root of the weight.
    Example(const Vector& given, Instances& instances, ExampleIds& ids, double weight = 1.0)
        : x(sorted(given, weight)), weight(weight), id(ids.of(x)), instances(instances) {}
    Example(const Example&) = delete;

    // x . every instance that is indexed, at once.
    void find_dots() {
        if (dots.empty()) instances.dots(x, dots);
    }

    const Vector x;  // times the root of the weight; features ascend
    const double weight;
    const uint64_t id;
    Instances& instances;
    Numbers dots;         // x . instance i, or empty
    uint32_t number = 0;  // of x among the instances, while systems learn from it
    bool shared = false;  // several threads use it, so no more dots may be computed

  private:
    static Vector sorted(const Vector& given, double weight) {
        Vector x = given;
        if (weight != 1.0) {
            for (double& value : x.values) value *= std::sqrt(weight);
            x.norm2 *= weight;
        }
        if (std::is_sorted(x.rows.begin(), x.rows.end())) return x;
        std::vector<uint64_t> order(x.size());  // rows, and behind them where each stands in x
        for (size_t j = 0; j < x.size(); ++j) order[j] = uint64_t{x.rows[j]} << 32 | j;
        std::sort(order.begin(), order.end());
        Vector sorted = x;
        for (size_t j = 0; j < x.size(); ++j) {
            sorted.rows[j] = static_cast<uint32_t>(order[j] >> 32);
            sorted.values[j] = x.values[order[j] & UINT32_MAX];
        }
        return sorted;
    }
};

// Working memory of one thread.
struct Scratch {
    // Room for dense vectors of n numbers, of which so many are not 0.
    void reserve(size_t n, size_t n_entries) {
        if (dense_.size() < n) dense_.resize(n, 0.0);
        rows_.reserve(n_entries);
    }

    // x as a dense vector of at least n numbers, valid until the next call.
    const double* densify(const Vector& x, uint64_t id, size_t n) {
        n = std::max(n, x.size() ? size_t{x.rows.back()} + 1 : 0);
        if (dense_.size() < n) dense_.resize(n, 0.0);
        if (id_ == id) return dense_.data();
        id_ = 0;
        for (uint32_t row : rows_) dense_[row] = 0.0;
        rows_ = x.rows;
        for (size_t j = 0; j < x.size(); ++j) dense_[x.rows[j]] = x.values[j];
        id_ = id;
        return dense_.data();
    }

  private:
    Numbers dense_;
    std::vector<uint32_t> rows_;  // where dense_ is not zero
    uint64_t id_ = 0;             // the example in dense_
};

// An example and the working memory of the thread that takes it to some systems.
struct ExampleContext {
    const Vector& x() const { return example.x; }
    double root() const { return std::sqrt(example.weight); }  // a label of 1
    double label(bool on) const { return on ? root() : -root(); }
    uint64_t id() const { return example.id; }
    const Instances& instances() const { return example.instances; }
    const double* dense(size_t n) { return scratch.densify(x(), id(), n); }

    // k[i] = x . instance ids[i]. Features ascend in every way of computing it: the bits are the same.
    void dots(const std::vector<uint32_t>& ids, Numbers& k) {
        k.resize(ids.size());
        if (!example.shared) example.find_dots();
        const Numbers& known = example.dots;
        for (size_t i = 0; i < ids.size(); ++i)
            k[i] = ids[i] < known.size()
                       ? known[ids[i]]
                       : instances().dot(ids[i], dense(instances().n_features()));
    }

    Example& example;
    Scratch& scratch;
};

}  // namespace river_hier
