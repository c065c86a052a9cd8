// The rule of H-PERC (Cesa-Bianchi, Gentile and Zaniboni, 2006, section 8): `HPerceptron` in
// linear_model/hperceptron.py.
#pragma once

#include "algorithms/linear.hpp"

namespace river_hier {

struct HPerceptron : FirstOrder {
    // The sign is wrong.
    bool learns(double score, double y) const { return (score >= 0.0) != (y > 0.0); }

    // w + y x
    double rule(double, double y, double) const { return y; }
};

}  // namespace river_hier
