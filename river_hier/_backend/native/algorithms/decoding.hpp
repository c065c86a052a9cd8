// The multilabel with the least expected loss, as in reference/decoding.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "store/labels.hpp"
#include "store/weight_store.hpp"

namespace river_hier {

// The loss of a node under a parent that is on: c (P_parent - P) if it is on, else c P.
struct HLossRule {
    double on(uint32_t v, double p, double above) const { return cost(v) * (above - p); }
    double off(uint32_t v, double p, double) const { return cost(v) * p; }
    bool better(double on, double off) const { return on <= off; }
    double cost(uint32_t v) const { return costs ? costs[v] : 1.0; }

    const double* costs;  // or nothing: 1 each
};

// The logarithm of its probability: P / P_parent if it is on, else 1 - P / P_parent.
struct ZeroOneRule {
    double on(uint32_t, double p, double above) const { return std::log(p / above); }
    double off(uint32_t, double p, double above) const { return std::log(1.0 - p / above); }
    bool better(double on, double off) const { return on >= off; }
};

// Only nodes that are more likely on than off, given their parents, all the way up, can be on.
template <class Rule>
Nodes decode(const Rule& rule, const double* p, const Labels& tree) {
    std::vector<std::pair<uint32_t, uint32_t>> visited;  // with their parents
    Nodes reached{0};
    for (size_t i = 0; i < reached.size(); ++i) {
        const uint32_t v = reached[i];
        for (Range children : tree.below(v))
            for (uint32_t k = children.first; k < children.last; ++k)
                if (p[k] != 0.0 && 2.0 * p[k] >= p[v]) {
                    visited.push_back({k, v});
                    reached.push_back(k);
                }
    }
    constexpr double not_visited = std::numeric_limits<double>::quiet_NaN();
    Numbers best(tree.n(), not_visited);  // of the subtrees, decided optimally
    std::vector<char> better(tree.n(), 0);
    for (size_t i = visited.size(); i-- > 0;) {
        const auto [v, parent] = visited[i];
        double below = 0.0;
        for (Range children : tree.below(v))
            for (uint32_t k = children.first; k < children.last; ++k)
                below += std::isnan(best[k]) ? rule.off(k, p[k], p[v]) : best[k];
        const double on = rule.on(v, p[v], p[parent]) + below, off = rule.off(v, p[v], p[parent]);
        better[v] = rule.better(on, off);
        best[v] = better[v] ? on : off;
    }
    Nodes found;
    better[0] = 1;
    for (const auto& [v, parent] : visited) {
        better[v] = better[v] && better[parent];
        if (better[v]) found.push_back(v);
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace river_hier
