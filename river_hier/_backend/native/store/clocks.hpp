// When each node was first learned, so that averages are those of its own hypotheses.
#pragma once

#include <vector>

namespace river_hier {

// The weight `m` of all examples, what it was when the average of each node began, and the nodes that
// had an example.
struct Clocks {
    double m = 0.0;
    std::vector<double> since;
    std::vector<char> learned;

    explicit Clocks(size_t n_nodes) : since(n_nodes, 0.0), learned(n_nodes, 0) {}

    // The round of a node, from 1 on: the weight of the hypotheses in its average.
    double rounds(uint32_t v) const { return m + 1.0 - since[v]; }
};

}  // namespace river_hier
