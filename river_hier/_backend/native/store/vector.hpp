// A sparse vector whose features have rows.
#pragma once

#include <cstdint>
#include <vector>

namespace river_hier {

using Numbers = std::vector<double>;

struct Vector {
    std::vector<uint32_t> rows;
    Numbers values;
    double norm2 = 0.0;  // of all features of x, those without a row included

    size_t size() const { return rows.size(); }
};

// An x with a smaller squared norm counts as zero: dividing by it would overflow.
constexpr double smallest_norm2 = 1e-300;

}  // namespace river_hier
