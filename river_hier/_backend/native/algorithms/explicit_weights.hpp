// The weights of a system in dual variables as vectors, for many predictions in a row.
#pragma once

#include <algorithm>
#include <cmath>

#include "store/instances.hpp"

namespace river_hier {

// w of every output: scores then need no dot products with instances.
class ExplicitWeights {
  public:
    // `size` bounds what rounding may have added up in each w: the sum of its terms, all positive.
    ExplicitWeights(std::vector<Numbers> w, size_t n_instances, double size)
        : w_(std::move(w)), n_instances_(n_instances), size_(size) {}

    // w . x of every output; false if rounding could matter to a sign.
    bool signs(const Vector& x, double* scores) const {
        for (size_t o = 0; o < w_.size(); ++o) scores[o] = x.dot(w_[o]);
        const double terms = static_cast<double>(n_instances_ + x.size());
        const double error = rounding * terms * size_ * std::sqrt(x.norm2);
        return std::all_of(scores, scores + w_.size(), [=](double s) { return std::fabs(s) > error; });
    }

    size_t memory() const { return heap_bytes(w_); }

  private:
    static constexpr double rounding = 1e-15;  // relative error of a sum, for each of its terms

    std::vector<Numbers> w_;
    size_t n_instances_;
    double size_;
};

}  // namespace river_hier
