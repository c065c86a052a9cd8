// The multilabel with the least expected loss.
#pragma once

#include <algorithm>
#include <cmath>

#include "algorithms/probabilities.hpp"

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

// Only nodes that are more likely on than off, given their parents, all the way up, can be on. They are
// visited from the top down, and so are their children; then decided from the bottom up.
template <class Rule>
Nodes decode(const Rule& rule, Probabilities& p, const Labels& tree) {
    struct Visited {
        uint32_t node;
        size_t parent, first_child;  // among those visited, whose children follow each other
        double best;                 // of the subtree
        bool on;
    };
    std::vector<Visited> visited{{0, 0, 1, 0.0, true}};
    for (size_t i = 0; i < visited.size(); ++i) {
        const uint32_t v = visited[i].node;
        visited[i].first_child = visited.size();
        p.expand(tree.below(v));
        for (Range children : tree.below(v))
            for (uint32_t k = children.first; k < children.last; ++k)
                if (p[k] != 0.0 && 2.0 * p[k] >= p[v]) visited.push_back({k, i, 0, 0.0, false});
    }
    for (size_t i = visited.size(); i-- > 1;) {
        Visited& here = visited[i];
        const uint32_t v = here.node;
        const Visited* child = visited.data() + here.first_child;
        double below = 0.0;
        for (Range children : tree.below(v))
            for (uint32_t k = children.first; k < children.last; ++k) {
                const bool known = child != visited.data() + visited.size() && child->node == k;
                below += known ? (child++)->best : rule.off(k, p[k], p[v]);
            }
        const double above = p[visited[here.parent].node];
        const double on = rule.on(v, p[v], above) + below, off = rule.off(v, p[v], above);
        here.on = rule.better(on, off);
        here.best = here.on ? on : off;
    }
    Nodes found;
    for (size_t i = 1; i < visited.size(); ++i) {
        visited[i].on = visited[i].on && visited[visited[i].parent].on;
        if (visited[i].on) found.push_back(visited[i].node);
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace river_hier
