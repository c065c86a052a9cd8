// Uncertain weights for taxonomies of up to some hundred nodes.
#pragma once

#include "dense.hpp"
#include "gaussians.hpp"

namespace river_hier {

// A plane of weights and a plane of variances less 1. A step is widened to whole cache lines, in
// which the other nodes do not move: they have step and confidence 0.
template <class T>
class DenseGaussians : public Dense<T>, public Gaussians {
  public:
    explicit DenseGaussians(size_t n_nodes) : Dense<T>(n_nodes, 2) {}

    void doubts(const Vector& x, const Nodes& nodes, Numbers& doubts) override {
        this->grow(1 + *std::max_element(x.rows.begin(), x.rows.end()));
        starts_.clear();
        places_.clear();
        for (uint32_t v : nodes) {
            const uint32_t start = v - v % lanes<double>;
            if (starts_.empty() || starts_.back() != start) starts_.push_back(start);
            places_.push_back((starts_.size() - 1) * lanes<double> + v - start);
        }
        variances_.resize(x.size());
        for (size_t j = 0; j < x.size(); ++j) variances_[j] = this->at(x.rows[j], 1);
        Numbers& wide = steps_;
        wide.assign(starts_.size() * lanes<double>, 0.0);
        sum_doubts(variances_.data(), x.values.data(), x.size(), starts_.data(), starts_.size(),
                   wide.data());
        doubts.clear();
        for (uint32_t at : places_) doubts.push_back(wide[at]);
    }

    void learn(const Vector& x, const GaussianStep& step) override {
        steps_.assign(starts_.size() * lanes<double>, 0.0);
        confidences_.assign(steps_.size(), 0.0);
        for (size_t i = 0; i < places_.size(); ++i) {
            steps_[places_[i]] = step.steps[i];
            confidences_[places_[i]] = step.confidences[i];
        }
        learn_lines(variances_.data(), this->width_, x.values.data(), x.size(), starts_.data(),
                    starts_.size(), steps_.data(), confidences_.data());
    }

  private:
    Nodes starts_, places_;  // the lines that are touched, and where in them the nodes are
    std::vector<T*> variances_;
    Numbers steps_, confidences_;
};

extern template class DenseGaussians<double>;
extern template class DenseGaussians<float>;

}  // namespace river_hier
