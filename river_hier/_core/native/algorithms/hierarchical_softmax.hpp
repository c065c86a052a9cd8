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
        uint32_t node;
        bool inside;               // whether labels from here on, as far as the next cuts, may be the true one
        bool ends = true;          // without a decision
        double log = -HUGE_VAL;    // of the probability of what is known, given that the label is here or below
        double best = -HUGE_VAL;   // of the alternatives, the largest `log`
        LogSum all{}, known{};     // of their scores, and of these with `log` less the best
        double reached = 1.0;      // the probability that the label is here or below, given what is known
    };
    std::vector<Way> ways;  // in order, so that parents come first
    const auto reach = [&](uint32_t v) {
        for (uint32_t u = v;; u = labels.parent(u)) {
            ways.push_back({u, false});
            if (!u) break;
        }
    };
    if (known.whole()) reach(known.node);
    for (auto [v, _] : known.cuts) reach(v);
    const auto earlier = [](const Way& a, const Way& b) { return a.node < b.node; };
    std::sort(ways.begin(), ways.end(), earlier);
    const auto same = [](const Way& a, const Way& b) { return a.node == b.node; };
    ways.erase(std::unique(ways.begin(), ways.end(), same), ways.end());
    const auto at = [&](uint32_t v) { return std::lower_bound(ways.begin(), ways.end(), Way{v, false}, earlier); };
    for (Way& way : ways) {
        Way& above = *at(way.node ? labels.parent(way.node) : 0);
        if (way.node) above.ends = false;
        const auto cut = known.cuts.find(way.node);
        way.inside = cut != known.cuts.end() ? cut->second : way.node && above.inside;
    }
    if (known.whole()) at(known.node)->ends = labels.below(known.node).empty();
    const auto is_here = [&](const Way& way) { return way.inside || (known.whole() && way.node == known.node); };
    w.ranges.assign(1, {1, 2});
    for (const Way& way : ways) if (!way.ends) columns_below(way.node, labels, w.ranges);
    w.bind(x, false);
    for (size_t plane = 0; plane < 2; ++plane) w->prefetch_rows(plane, w.ranges);
    w.score(w.ranges);

    const double* s = w.scores.data();
    // Calls visit(column, its log, the way of its node or null) for the alternatives of a decision.
    const auto each_known = [&](const Way& way, const auto& visit) {
        auto next = ways.begin() + (&way - ways.data()) + 1;
        each_alternative(way.node, labels, [&](uint32_t column, bool unseen) {
            if (column % 2) return visit(column, is_here(way) ? 0.0 : -HUGE_VAL, static_cast<Way*>(nullptr));
            while (next != ways.end() && 2 * next->node < column) ++next;
            const bool leads_on = next != ways.end() && 2 * next->node == column;
            if (unseen) return;
            visit(column, leads_on ? next->log : way.inside ? 0.0 : -HUGE_VAL, leads_on ? &*next : nullptr);
        });
    };
    for (auto here = ways.rbegin(); here != ways.rend(); ++here) {
        Way& way = *here;
        if (way.ends) {
            way.log = is_here(way) ? 0.0 : -HUGE_VAL;
            continue;
        }
        if (is_here(way)) way.best = 0.0;
        for (auto next = here; next != ways.rbegin();) {
            --next;
            if (labels.parent(next->node) == way.node && !labels.unseen(next->node))
                way.best = std::max(way.best, next->log);
        }
        if (!(way.best > -HUGE_VAL)) continue;
        each_known(way, [&](uint32_t column, double log, const Way*) {
            way.all.add(s[column]);
            if (log > -HUGE_VAL) way.known.add(s[column] + (log - way.best));
        });
        way.log = way.best + (way.known.value() - way.all.value());
    }
    if (!(ways[0].log > -HUGE_VAL)) return;
    if (known.whole()) {
        Temperature& temperature = static_cast<TemperedScoring&>(*state.scoring).temperature;
        for (const Way& way : ways) {
            if (way.ends) continue;
            Numbers scores;
            uint32_t right = 0;  // the alternative
            each_known(way, [&](uint32_t column, double log, const Way*) {
                if (log > -HUGE_VAL) right = static_cast<uint32_t>(scores.size());
                scores.push_back(s[column]);
            });
            if (scores.size() > 1) temperature.learn(scores.data(), scores.size(), right, weight);
        }
    }

    struct Vote {
        uint32_t column, decision, group;
    };
    struct Decision {
        std::vector<Group> groups;
        double reached;
    };
    std::vector<Decision> decisions;
    std::vector<Vote> votes;  // of the vectors that move
    for (const Way& way : ways) {
        if (way.ends || !(way.log > -HUGE_VAL)) continue;
        Decision decision{{{0, 1.0}}, way.reached};
        each_known(way, [&](uint32_t column, double log, Way* below) {
            const double p = std::exp(s[column] - way.all.largest) / way.all.sum;
            const double known = s[column] + (log - way.best);
            const double target = log > -HUGE_VAL ? std::exp(known - way.known.largest) / way.known.sum : 0.0;
            if (below) below->reached = way.reached * target;
            uint32_t group = 0;
            if (policy.learns(p, p + way.reached * (target - p))) {
                group = static_cast<uint32_t>(decision.groups.size());
                decision.groups.push_back({0, target});
                votes.push_back({column, static_cast<uint32_t>(decisions.size()), group});
            }
            decision.groups[group].all.add(s[column]);
            if (log > -HUGE_VAL) decision.groups[group].known.add(known);
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
    PathProbabilities(LinearState& state, const Vector& x, uint32_t first)
        : Search(state.labels), first_(first), w_(state.w),
          temperature_(static_cast<TemperedScoring&>(*state.scoring).temperature) {
        Weights& w = w_;
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
        scores_.clear();
        each_alternative(u, labels, [&](uint32_t column, bool unseen) {
            if (!unseen) scores_.push_back(w_.scores[column]);  // the first is that of the label u
        });
        const double slope = temperature_.slope(scores_.data(), scores_.size(), 1.0);
        LogSum all;
        for (size_t i = u < first_; i < scores_.size(); ++i) all.add(slope * scores_[i]);
        const double above = w_.p[2 * u], total = std::log(all.sum);
        each_alternative(u, labels, [&](uint32_t column, bool) {
            w_.p[column] = w_.p[column | 1] = above + (slope * w_.scores[column] - all.largest - total);
        });
    }

    const uint32_t first_;
    Weights& w_;
    const Temperature& temperature_;
    Numbers scores_;  // of the alternatives of a decision
};

class DecisionScoring : public TemperedScoring {
  public:
    static constexpr const char* name = "decisions";

    const char* named() const override { return name; }
    size_t vectors() const override { return 2; }
    void load(const Numbers& learned) override {
        if (!learned.empty()) TemperedScoring::load(learned);  // models that were saved before have none
    }
    double* of_labels(LinearState& state, const Vector& x, bool) const override {
        return PathProbabilities(state, x, 0).expand_all(x);
    }
    std::unique_ptr<Search> search(LinearState& state, const Vector& x, uint32_t first) const override {
        return std::make_unique<PathProbabilities>(state, x, first);
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
