// The step of `HierarchicalSoftmax` in linear_model/hierarchical_softmax.py, and its probabilities. Column 2 v
// is that of node v among its siblings, column 2 v + 1 that of the label v among the children of v.
#pragma once

#include "algorithms/path_softmax.hpp"
#include "algorithms/probabilities.hpp"

namespace river_hier {

class DecisionScoring;

struct HierarchicalSoftmax : PathSoftmax {
    using Scoring = DecisionScoring;
    using PathSoftmax::PathSoftmax;
};

// Visits the columns that compete at node u: that of u as a label, and of its children.
template <class Visit>
void each_alternative(uint32_t u, const Labels& labels, Visit visit) {
    visit(2 * u + 1, false);
    each(labels.below(u), [&](uint32_t v) { visit(2 * v, labels.unseen(v)); });
}

// The columns of the children of u, as nodes and as labels.
inline void columns_below(uint32_t u, const Labels& labels, Ranges& columns) {
    for (Range children : labels.below(u)) columns.push_back({2 * children.first, 2 * children.last});
}

// A decision at each node on the way to what is known: of a whole label, down to it; else to the cuts. It learns as
// much as the label is likely to be there, and from how likely what is known is below each alternative.
inline void step(const HierarchicalSoftmax& policy, LinearState& state, const Vector& x, const Known& known,
                 double weight) {
    if (x.norm2 == 0.0) return;
    Weights& w = state.w;
    const Labels& labels = state.labels;
    struct Way {
        bool inside;            // whether labels from here on, as far as the next cuts, may be the true one
        std::vector<std::pair<uint32_t, Way*>> below{};  // that lead on, by their columns
        bool ends = true;                                // without a decision
        double best = -HUGE_VAL;  // of the alternatives, the largest `log`
        LogSum all{}, known{};    // of their scores, and of these with `log` less the best
        double log = -HUGE_VAL; // of the probability of what is known, given that the label is here or below
        double reached = 1.0;   // the probability that it is, given what is known
    };
    std::map<uint32_t, Way> ways{{0, {!known.whole() && known.cuts.begin()->second}}};
    const auto reach = [&](uint32_t v, const auto& self) -> Way& {  // from the root
        const auto found = ways.find(v);
        if (found != ways.end()) return found->second;
        Way& above = self(labels.parent(v), self);
        above.ends = false;
        const auto cut = known.cuts.find(v);
        Way& way = ways[v] = {cut == known.cuts.end() ? above.inside : cut->second};
        above.below.push_back({2 * v, &way});
        return way;
    };
    for (auto [v, _] : known.cuts) reach(v, reach);
    if (known.whole()) reach(known.node, reach).ends = labels.below(known.node).empty();
    w.ranges.assign(1, {1, 2});
    for (const auto& [u, way] : ways) if (!way.ends) columns_below(u, labels, w.ranges);
    w.bind(x, false);
    for (size_t plane = 0; plane < 2; ++plane) w->prefetch_rows(plane, w.ranges);
    w.score(w.ranges);

    const double* s = w.scores.data();
    const auto log_of = [&](uint32_t u, const Way& way, uint32_t column) {
        if (column == 2 * u + 1) return way.inside || (known.whole() && u == known.node) ? 0.0 : -HUGE_VAL;
        for (const auto& [of, below] : way.below) if (of == column) return below->log;
        return way.inside ? 0.0 : -HUGE_VAL;
    };
    for (auto here = ways.rbegin(); here != ways.rend(); ++here) {
        auto& [u, way] = *here;
        if (way.ends) {
            way.log = log_of(u, way, 2 * u + 1);
            continue;
        }
        each_alternative(u, labels, [&, u = u, &way = way](uint32_t column, bool unseen) {
            if (!unseen) way.best = std::max(way.best, log_of(u, way, column));
        });
        if (!(way.best > -HUGE_VAL)) continue;
        each_alternative(u, labels, [&, u = u, &way = way](uint32_t column, bool unseen) {
            if (unseen) return;
            way.all.add(s[column]);
            way.known.add(s[column] + (log_of(u, way, column) - way.best));
        });
        way.log = way.best + (way.known.value() - way.all.value());
    }
    if (!(ways[0].log > -HUGE_VAL)) return;

    struct Vote {
        uint32_t column, decision, group;
    };
    struct Decision {
        std::vector<Group> groups;
        double reached;
    };
    std::vector<Decision> decisions;
    std::vector<Vote> votes;  // of the vectors that move
    for (auto& [u, way] : ways) {
        if (way.ends || !(way.log > -HUGE_VAL)) continue;
        Decision decision{{{0, 1.0}}, way.reached};
        each_alternative(u, labels, [&, u = u, &way = way](uint32_t column, bool unseen) {
            if (unseen) return;
            const double p = std::exp(s[column] - way.all.largest) / way.all.sum;
            const double known = s[column] + (log_of(u, way, column) - way.best);
            const double target = std::exp(known - way.known.largest) / way.known.sum;
            for (const auto& [of, below] : way.below) if (of == column) below->reached = way.reached * target;
            uint32_t group = 0;
            if (policy.learns(p, p + way.reached * (target - p))) {
                group = static_cast<uint32_t>(decision.groups.size());
                decision.groups.push_back({0, target});
                votes.push_back({column, static_cast<uint32_t>(decisions.size()), group});
            }
            decision.groups[group].all.add(s[column]);
            decision.groups[group].known.add(known);
        });
        if (decision.groups.size() > 1) decisions.push_back(std::move(decision));
    }
    std::sort(votes.begin(), votes.end(), [](Vote a, Vote b) { return a.column < b.column; });
    w.nodes.clear();
    for (Vote vote : votes) w.nodes.push_back(vote.column);
    if (votes.empty()) return;
    const double most = w.largest_step(x.norm2);
    const auto moves_of = [&](const Numbers& variances, Moves& moves) {
        const auto group = [&](Vote of) -> Group& { return decisions[of.decision].groups[of.group]; };
        for (size_t i = 0; i < votes.size(); ++i)
            group(votes[i]).variance = std::min(policy.prior_variance * variances[i], most_variance);
        for (Decision& decision : decisions) policy.rule(decision.groups, weight * decision.reached);
        for (Vote vote : votes) {
            const Group& g = group(vote);
            moves.push_back({vote.column, std::clamp(policy.prior_variance * g.move, -most, most),
                             policy.prior_variance * g.curvature / (1.0 + g.curvature * g.variance)});
        }
    };
    w.move(x, w.nodes, std::cref(moves_of), policy.forgetting);
}

// The labels before `first` have no probability.
class PathProbabilities : public Search {
  public:
    PathProbabilities(Weights& w, const Vector& x, const Labels& labels, uint32_t first)
        : Search(labels), first_(first), w_(w) {
        w.p.resize(w.n_nodes());
        w.p[0] = w.p[1] = 0.0;
        w.bind(x, false);
        w.score({{1, 2}});
    }

    void expand(uint32_t u) override {
        w_.ranges.clear();
        columns_below(u, labels, w_.ranges);
        w_->prefetch_rows(0, w_.ranges);
        w_.score(w_.ranges);
        decide(u);
    }

    // Those of all nodes.
    double* expand_all(const Vector& x) {
        w_.score_all(x);
        for (uint32_t u = 0; u < labels.n(); ++u)
            if (!labels.below(u).empty()) decide(u);
        for (uint32_t v = 0; v < labels.n(); ++v) w_.scores[v] = w_.p[2 * v + 1];
        return w_.scores.data();
    }

    double below(uint32_t v) const override { return labels.unseen(v) ? -HUGE_VAL : w_.p[2 * v]; }
    double label(uint32_t v) const override { return labels.unseen(v) || v < first_ ? -HUGE_VAL : w_.p[2 * v + 1]; }

  private:
    void decide(uint32_t u) {
        LogSum all;
        each_alternative(u, labels, [&](uint32_t column, bool unseen) {
            if (!unseen && column >= 2 * first_) all.add(w_.scores[column]);
        });
        const double above = w_.p[2 * u], total = std::log(all.sum);
        each_alternative(u, labels, [&](uint32_t column, bool) {
            w_.p[column] = w_.p[column | 1] = above + (w_.scores[column] - all.largest - total);
        });
    }

    const uint32_t first_;
    Weights& w_;
};

class DecisionScoring : public Scoring {
  public:
    static constexpr const char* name = "decisions";

    const char* named() const override { return name; }
    size_t vectors() const override { return 2; }
    double* of_labels(LinearState& state, const Vector& x, bool) const override {
        return PathProbabilities(state.w, x, state.labels, 0).expand_all(x);
    }
    std::unique_ptr<Search> search(LinearState& state, const Vector& x, uint32_t first) const override {
        return std::make_unique<PathProbabilities>(state.w, x, state.labels, first);
    }
};

// The k most probable labels or, of a given depth, nodes.
inline std::vector<Ranking::Entry> most_probable(Search& p, size_t k, bool leaves = false,
                                                 std::optional<uint32_t> depth = {}) {
    Ranking best(k);
    const auto add = [&](double value, uint32_t v) {
        if (best.admits(value)) best.add({value, 0, v});
    };
    best_first(best, p.labels, 0.0, depth,
               [&](uint32_t u) {
                   p.expand(u);
                   if (!leaves && !depth) add(p.label(u), u);
               },
               [&](uint32_t v) { return p.below(v); },
               [&](const Ranking::Entry& here, bool inner) {
                   if (depth ? here.depth == *depth && !(leaves && inner) : !inner) add(here.value, here.node);
               });
    return best.sorted();
}

}  // namespace river_hier
