// Dot products with stored instances: the loops that conjugate gradients spend their time in.

#include "instances.hpp"

namespace river_hier {

void Instances::dots(const Vector& x, std::vector<double>& dots) const {
    dots.assign(n_posted_, 0.0);
    for (size_t j = 0; j < x.size(); ++j) {
        if (x.rows[j] >= by_feature_.size()) continue;
        const double value = x.values[j];
        for (const Entry& entry : by_feature_[x.rows[j]]) dots[entry.number] += value * entry.value;
    }
}

void Instances::add_to(uint32_t number, double a, double* dense) const {
    for (size_t e = start_[number]; e < start_[number + 1]; ++e) dense[rows_[e]] += a * values_[e];
}

double Instances::dot(uint32_t number, const double* dense) const {
    double sums[4] = {};  // as each addition waits for the one before
    size_t e = start_[number];
    const size_t end = start_[number + 1];
    for (; e + 4 <= end; e += 4)
        for (size_t k = 0; k < 4; ++k) sums[k] += dense[rows_[e + k]] * values_[e + k];
    for (; e < end; ++e) sums[0] += dense[rows_[e]] * values_[e];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double Instances::dot_in_order(uint32_t number, const double* dense) const {
    double sum = 0.0;
    for (size_t e = start_[number]; e < start_[number + 1]; ++e) sum += dense[rows_[e]] * values_[e];
    return sum;
}

}  // namespace river_hier
