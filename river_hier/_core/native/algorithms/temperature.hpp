// The temperature of a softmax, Eq. (6) of linear_model/path_softmax.py.
#pragma once

#include <array>

#include "algorithms/linear.hpp"
#include "hardware/loops.hpp"

namespace river_hier {

// The softmax of scores times a slope, of which some may be -inf: the mean and the variance of their gaps to the
// largest, and its entropy.
struct Gaps {
    Gaps(const double* scores, size_t n, double slope) : slope(slope), largest(scores[argmax(scores, n)]) {
        Numbers p(whole_lines<double>(n), -HUGE_VAL);
        std::copy(scores, scores + n, p.begin());
        const double total = exponentials(p.data(), largest, slope, p.size());
        double square = 0.0;
        for (size_t v = 0; v < n; ++v) {
            const double gap = of(scores[v]);
            mean += p[v] / total * gap;
            square += p[v] / total * gap * gap;
        }
        variance = square - mean * mean;
        entropy = std::max(std::log(total) - mean, 0.0);
    }

    double of(double score) const { return slope * std::max(score - largest, -1e100); }

    double slope, largest, mean = 0.0, variance, entropy;
};

// With the entropy H of scores it is 1 / slope, with slope = e^a (1 + H)^b; a and b follow the log loss of the latest
// thousand examples.
class Temperature {
  public:
    // The slope of scores that are multiplied by `sharp`.
    double slope(const double* scores, size_t n, double sharp) const {
        return of(values_[1] == 0.0 ? 0.0 : Gaps(scores, n, sharp).entropy);
    }

    // Learns from the scores of all labels, of which those of unseen ones are -inf.
    void learn(const double* scores, size_t n, uint32_t y, double weight) {
        if (repeats) return;
        const double entropy = Gaps(scores, n, 1.0).entropy;
        const Gaps gaps(scores, n, of(entropy));
        learn(gaps.mean - gaps.of(scores[y]), gaps.variance, entropy, weight);
    }

    Numbers learned() const { return {values_.begin(), values_.end()}; }

    void load(const Numbers& learned) {
        ensure(learned.size() == values_.size(), "a temperature");
        const double a = learned[0], b = learned[1], aa = learned[2], ab = learned[3], bb = learned[4];
        const double most = std::max(std::abs(a), std::abs(b));  // that of merged models is rounded
        ensure(most < 3.0 + 1e-9 && aa > 0.0 && aa * bb > ab * ab && std::isfinite(aa * bb), "a temperature");
        std::copy(learned.begin(), learned.end(), values_.begin());
    }

  private:
    double of(double entropy) const {
        return std::exp(std::clamp(values_[0] + values_[1] * std::log1p(entropy), -3.0, 3.0));
    }

    // A Newton step, from the first and the second derivative of the log loss in the logarithm of the slope.
    void learn(double gradient, double second, double entropy, double weight) {
        auto& [a, b, aa, ab, bb] = values_;
        const double kept = std::max(1.0 - weight / 1000.0, 0.0), by = std::log1p(entropy);
        aa = kept * aa + weight * (0.1 + second);
        ab = kept * ab + weight * second * by;
        bb = kept * bb + weight * (0.1 + second * by * by);
        const double step = weight * gradient / (aa * bb - ab * ab);
        a = std::clamp(a - std::clamp(step * (bb - ab * by), -1.0, 1.0), -3.0, 3.0);
        b = std::clamp(b - std::clamp(step * (aa * by - ab), -1.0, 1.0), -3.0, 3.0);
    }

    std::array<double, 5> values_{0.0, 0.0, 10.0, 0.0, 10.0};  // a, b, and the second derivatives aa, ab, bb
};

// The scoring of a learner with a temperature.
class TemperedScoring : public Scoring {
  public:
    Numbers learned() const override { return temperature.learned(); }
    void load(const Numbers& learned) override { temperature.load(learned); }

    Temperature temperature;
};

}  // namespace river_hier
