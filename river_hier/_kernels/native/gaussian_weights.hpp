// The weight vectors of all nodes with their variances.
#pragma once

#include "dense_gaussians.hpp"
#include "gaussian_postings.hpp"
#include "weights.hpp"

namespace river_hier {

class GaussianWeights : public Weights {
  public:
    GaussianWeights(size_t n_nodes, bool single)
        : Weights(n_nodes, single, made<DenseGaussians, GaussianPostings>) {}

    Gaussians& gaussians() { return dynamic_cast<Gaussians&>(*operator->()); }
};

}  // namespace river_hier
