// An example on its way past the systems.
#pragma once

#include <atomic>
#include <utility>

#include "instances.hpp"

namespace river_hier {

// Room of one thread.
struct Scratch {
    std::vector<double> dense;  // an x written out, or zeros
    std::vector<double> v;      // labels
};

// What examples share, because it is large: lent to one after the other.
struct ExampleBuffers {
    std::vector<double> dots;
    Scratch scratch;
    Vector last;            // the x of the last example
    uint64_t numbered = 1;  // an x that comes twice in a row is one example
};

// Write x out, where zeros are.
inline void spread(const Vector& x, std::vector<double>& dense) {
    size_t n = 0;
    for (uint32_t row : x.rows) n = std::max(n, size_t{row} + 1);
    if (dense.size() < n) dense.resize(2 * n, 0.0);
    for (size_t j = 0; j < x.size(); ++j) dense[x.rows[j]] = x.values[j];
}

// What all systems share about an example is computed at most once.
class Example {
  public:
    Example(const Vector& given, Instances& instances, ExampleBuffers& buffers,
            std::vector<double>& dots)
        : x(given), instances(instances), dots(dots) {
        dots.clear();
        if (!std::is_sorted(x.rows.begin(), x.rows.end())) sort(buffers.scratch.dense);
        const Vector& last = buffers.last;
        if (x.norm2 != last.norm2 || x.rows != last.rows || x.values != last.values) {
            ++buffers.numbered;
            buffers.last = x;
        }
        number_of_example = buffers.numbered;
        double known2 = 0.0;
        for (double value : x.values) known2 += value * value;
        const double rest = x.norm2 - known2, lost = rounding * static_cast<double>(x.size() + 1);
        unknown2 = rest > lost * x.norm2 ? rest : 0.0;
    }
    Example(const Example&) = delete;

    // The number of x among the instances; asking for it stores x.
    uint32_t number() {
        if (number_ == none) number_ = instances.append(x);
        asked.store(true, std::memory_order_relaxed);
        return number_;
    }

    // Add x in case somebody asks, and change nothing from now on.
    void share(bool add) {
        if (add) number_ = instances.add(x);
        shared = true;
    }

    // Somebody will ask for so many dot products. All at once, feature by feature, serve every
    // system; those of a small system alone are cheaper one by one, until so many have been asked
    // for that all would have been.
    void expect(size_t n_dots) {
        if (!dots.empty() || !n_dots) return;
        expected_ += instances.mean_size() * static_cast<double>(n_dots);
        if (all_entries_ < 0.0) all_entries_ = instances.entries(x);
        if (expected_ < all_entries_) return;
        instances.dots(x, dots);
    }

    Vector x;  // its features ascend
    Instances& instances;
    uint64_t number_of_example;
    double unknown2;                 // of ||x||^2 the part of features without a row
    std::vector<double>& dots;       // x . the instances, or none of them
    bool shared = false;             // several threads read it
    std::atomic<bool> asked{false};  // for its number

  private:
    // Of its size, what a sum loses to rounding for each term; generously.
    static constexpr double rounding = 1e-15;

    void sort(std::vector<double>& dense) {
        spread(x, dense);
        std::sort(x.rows.begin(), x.rows.end());
        for (size_t j = 0; j < x.size(); ++j) x.values[j] = std::exchange(dense[x.rows[j]], 0.0);
    }

    static constexpr uint32_t none = UINT32_MAX;
    uint32_t number_ = none;
    double expected_ = 0.0, all_entries_ = -1.0;
};

// An example at the systems that one thread takes it to.
class Visit {
  public:
    Visit(Example& example, Scratch& scratch)
        : x(example.x), instances(example.instances), number_of_visit(example.number_of_example),
          unknown2(example.unknown2), v(scratch.v), example_(example), dense_(scratch.dense) {}
    Visit(const Visit&) = delete;
    ~Visit() {
        if (spread_)
            for (uint32_t row : x.rows) dense_[row] = 0.0;
    }

    uint32_t number() { return example_.number(); }

    // k[i] = x . the instance ids[i]. Features ascend, however it is summed: the sum is the same to
    // the last bit.
    void dots(const std::vector<uint32_t>& ids, std::vector<double>& k) {
        k.resize(ids.size());
        if (!example_.shared) example_.expect(ids.size());
        const std::vector<double>& known = example_.dots;
        for (size_t i = 0; i < ids.size(); ++i)
            k[i] = ids[i] < known.size() ? known[ids[i]] : dot(ids[i]);
    }

    const Vector& x;
    Instances& instances;
    const uint64_t number_of_visit;
    const double unknown2;
    std::vector<double>& v;  // scratch, for labels

  private:
    double dot(uint32_t number) {
        if (!spread_) {
            spread(x, dense_);
            spread_ = true;
            if (dense_.size() < instances.n_features()) dense_.resize(instances.n_features(), 0.0);
        }
        return instances.dot_in_order(number, dense_.data());
    }

    Example& example_;
    std::vector<double>& dense_;
    bool spread_ = false;
};

}  // namespace river_hier
