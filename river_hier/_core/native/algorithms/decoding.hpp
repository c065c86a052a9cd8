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
// visited from the top down, and decided from the bottom up. In a DAG, what is below several nodes counts
// for the least probable of them, as if the others were on whenever it is.
template <class Rule>
Nodes decode(const Rule& rule, Probabilities& p, const Labels& labels) {
    struct Visited {
        uint32_t node;
        double below;  // of the best decisions below it, if it is on
        bool on;
    };
    struct Ranked {
        const Probabilities& p;
        std::pair<double, uint32_t> operator[](uint32_t v) const { return {p[v], v}; }
    };
    std::vector<Visited> visited{{0, 0.0, true}};  // in order
    std::vector<char> mask(labels.n());
    mask[0] = 1;
    const auto place = [&](uint32_t v) {
        return std::lower_bound(visited.begin(), visited.end(), v,
                                [](const Visited& a, uint32_t b) { return a.node < b; });
    };
    const auto parent = [&](uint32_t v) {
        return labels.of_parents(Ranked{p}, v, [](auto a, auto b) { return std::min(a, b); }).second;
    };
    for (size_t i = 0; i < visited.size(); ++i) {
        const Ranges& below = labels.below(visited[i].node);
        p.expand(below);
        for (Range range : below)
            for (uint32_t v = range.first; v < range.last; ++v) {
                if (!labels.all_parents(mask.data(), v)) continue;
                const uint32_t u = parent(v);
                mask[v] = p[v] != 0.0 && 2.0 * p[v] >= p[u];
                if (mask[v])
                    visited.insert(place(v), {v, 0.0, false});
                else
                    place(u)->below += rule.off(v, p[v], p[u]);
            }
    }
    for (size_t i = visited.size(); i-- > 1;) {
        Visited& here = visited[i];
        const uint32_t v = here.node, u = parent(v);
        const double on = rule.on(v, p[v], p[u]) + here.below, off = rule.off(v, p[v], p[u]);
        here.on = rule.better(on, off);
        place(u)->below += here.on ? on : off;
    }
    Nodes found;
    for (size_t i = 1; i < visited.size(); ++i) {
        const uint32_t v = visited[i].node;
        mask[v] = visited[i].on && labels.all_parents(mask.data(), v);
        if (mask[v]) found.push_back(v);
    }
    return found;
}

}  // namespace river_hier
