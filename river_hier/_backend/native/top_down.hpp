// Decisions from the top down: a node is on if its parents are on and its own score is >= 0.
#pragma once

#include "weights.hpp"

namespace river_hier {

// The nodes that are on, from the scores of all.
inline void decide(const Numbers& scores, const Labels& labels, Nodes& on) {
    std::vector<char> mask(labels.n(), 0);
    mask[0] = 1;
    on.assign(1, 0);
    for (uint32_t v = 1; v < labels.n(); ++v)
        if (scores[v] >= 0.0 && labels.all_parents(mask.data(), v)) {
            mask[v] = 1;
            on.push_back(v);
        }
}

// The nodes that are on. In a tree only the children of nodes that are on are scored.
inline void top_down(Weights& w, const Vector& x, const Labels& labels, Nodes& on) {
    const Numbers& scores = w.scores;
    Ranges children(1);
    on.assign(1, 0);
    if (labels.tree()) {
        w->look(x);
        for (size_t i = 0; i < on.size(); ++i) {
            const Range range = children[0] = labels.children(on[i]);
            if (range.last == 0) continue;
            w->score(children, w.scores.data());
            for (uint32_t v = range.first; v < range.last; ++v)
                if (scores[v] >= 0.0) on.push_back(v);
        }
        return;
    }
    w.score_all(x);
    decide(scores, labels, on);
}

}  // namespace river_hier
