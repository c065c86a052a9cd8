// What the algorithms do with one example, from the door to the weights.
#pragma once

#include "names.hpp"
#include "labels.hpp"
#include "weights.hpp"

namespace river_hier::step {

// y is read before x, and both before anything is written.

void hperceptron(Weights& w, FeatureMap& features, Labels& labels, nb::handle x, nb::handle y);
void harow(GaussianWeights& w, double r, double forgetting, FeatureMap& features, Labels& labels,
           nb::handle x, nb::handle y);
nb::object top_down_answer(Weights& w, FeatureMap& features, Labels& labels, nb::handle x);
nb::object averaged_top_down_answer(Weights& w, Weights& lag, double m, FeatureMap& features,
                                    Labels& labels, nb::handle x);

void hieron(Weights& w, double C, FeatureMap& features, Labels& labels, nb::handle x, uint32_t y);
void averaged_hieron(Weights& w, Weights& lag, double i, double C, FeatureMap& features, Labels& labels,
                     nb::handle x, uint32_t y);
nb::object hieron_answer(Weights& w, FeatureMap& features, Labels& labels, nb::handle x);
nb::object averaged_hieron_answer(Weights& w, Weights& lag, double m, FeatureMap& features,
                                  Labels& labels, nb::handle x);

}  // namespace river_hier::step
