// Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006) that grow with a stream.
//
// The latest `budget` examples are stored, and each leaf lists its own. An example joins its leaf in every
// tree, and a leaf whose targets differ is split. As the first splits of a tree are made from few examples, it
// is built anew from those that are stored, whenever half as many again have been learned; trees take turns.
#pragma once

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "python/objects.hpp"
#include "store/labels.hpp"
#include "store/vectors.hpp"

namespace river_hier {

class Forest {
  public:
    // Of one label, or of several; with the state of another one unless `saved` is None.
    Forest(size_t n_trees, size_t budget, uint64_t seed, bool of_labels, nb::handle saved)
        : budget_(budget), of_labels_(of_labels), trees_(n_trees) {
        ensure(budget > 0, "room for an example");
        for (size_t k = 0; k < n_trees; ++k) {
            trees_[k].random = (seed << 32) + k;
            trees_[k].next_build = 2.0 * std::pow(growth, static_cast<double>(k) / static_cast<double>(n_trees));
        }
        if (!saved.is_none()) restore(saved);
    }

    size_t d() const { return keys_.size(); }  // features

    // Learns a row of d features with the nodes that are on, ascending from the root.
    void learn(const double* x, Nodes&& targets, double w) {
        if (!of_labels_ && !repeats && n_ % judged == 0) judge(x, targets, w);
        const auto i = static_cast<uint32_t>(n_ % budget_);
        if (n_ < budget_) {
            x_.resize((n_ + 1) * stride_);
            targets_.resize(n_ + 1);
            held_.resize(n_ + 1);
            w_.resize(n_ + 1);
        } else {
            for (Tree& tree : trees_) remove(tree, i);
        }
        std::copy_n(x, d(), x_.data() + i * stride_);
        hold(i);
        w_[i] = w;
        n_nodes_ = std::max<size_t>(n_nodes_, targets.back() + 1);
        targets_[i] = std::move(targets);
        ++n_;
        for (Tree& tree : trees_) {
            tree.next.resize(w_.size());
            if (static_cast<double>(n_) < tree.next_build)
                insert(tree, i);
            else
                build(tree);
            assert(is_sound(tree));
        }
    }

    // The share of each label in the leaf of x, or of each node in the smallest part of a tree that holds x and
    // as many examples as have predicted best: the mean over the trees with examples there.
    void shares(const double* x, double* shares, size_t n_nodes) const {
        ensure(n_nodes >= n_nodes_, "a share for each node");
        const auto best = std::min_element(loss_.begin(), loss_.end()) - loss_.begin();
        this->shares(x, shares, n_nodes, of_labels_ ? 1 : sizes[static_cast<size_t>(best)]);
    }

    // Adds features, which are 0 in all examples so far, given the keys of all. Features are drawn in the order
    // of their keys, so that the order in which they come makes no difference.
    void widen(Nodes keys) {
        const size_t d = keys.size();
        if (d > stride_) {
            const size_t stride = std::max(d, stride_ * 3 / 2);
            Numbers wider(w_.size() * stride);
            for (size_t i = 0; i < w_.size(); ++i) std::copy_n(x(i), stride_, &wider[i * stride]);
            x_.swap(wider);
            stride_ = stride;
        }
        keys_ = std::move(keys);
        in_order_.resize(d);
        std::iota(in_order_.begin(), in_order_.end(), 0);
        std::sort(in_order_.begin(), in_order_.end(),
                  [&](uint32_t a, uint32_t b) { return std::tie(keys_[a], a) < std::tie(keys_[b], b); });
        last_split_.resize(d);
    }

    // Takes the examples with one of these nodes, which are ascending, out of their leaves. Trees stay as they are.
    void forget(const Nodes& nodes) {
        for (uint32_t i = 0; i < w_.size(); ++i) {
            const auto gone = [&](uint32_t v) { return std::binary_search(nodes.begin(), nodes.end(), v); };
            if (std::none_of(targets_[i].begin(), targets_[i].end(), gone)) continue;
            for (Tree& tree : trees_) remove(tree, i);
            targets_[i].clear();
        }
    }

    nb::tuple saved() const {
        nb::list trees;
        for (const Tree& tree : trees_)
            trees.append(nb::make_tuple(nb::bytes(tree.nodes.data(), tree.nodes.size() * sizeof(Node)),
                                        array(std::vector(tree.next)), tree.random, tree.next_build));
        const auto state = nb::make_tuple(n_, targets_, array(Numbers(w_)), array(Nodes(keys_)), array(Numbers(x_)),
                                          array(Numbers(loss_.begin(), loss_.end())), trees);
        return nb::make_tuple(trees_.size(), budget_, 0, of_labels_, state);
    }

    using Saved = std::tuple<size_t, std::vector<Nodes>, nb::object, nb::object, nb::object, nb::object, nb::list>;

    void restore(nb::handle saved) {
        nb::object w, keys, x, loss;
        nb::list trees;
        std::tie(n_, targets_, w, keys, x, loss, trees) = nb::cast<Saved>(saved);
        const Numbers losses = numbers(loss);
        ensure(losses.size() == loss_.size(), "a loss for each size");
        std::copy(losses.begin(), losses.end(), loss_.begin());
        w_ = numbers(w);
        const size_t n_stored = std::min(n_, budget_);
        ensure(targets_.size() == n_stored && w_.size() == n_stored, "targets and a weight for each example");
        for (const Nodes& on : targets_) {
            if (on.empty()) continue;  // forgotten
            ensure(on.back() < no_row && std::is_sorted(on.begin(), on.end()), "nodes in order");
            n_nodes_ = std::max<size_t>(n_nodes_, on.back() + 1);
        }
        widen(numbers<uint32_t>(keys));
        x_ = numbers(x);
        if (n_stored) stride_ = x_.size() / n_stored;
        ensure(x_.size() == n_stored * stride_ && d() <= stride_, "a number for each feature");
        held_.resize(n_stored);
        for (size_t i = 0; i < n_stored; ++i) {
            ensure(w_[i] > 0.0 && std::isfinite(w_[i]), "weights above 0");
            hold(i);
        }
        ensure(trees.size() == trees_.size(), "as many trees");
        for (size_t k = 0; k < trees_.size(); ++k) {
            const auto [nodes, next, random, next_build] =
                nb::cast<std::tuple<nb::bytes, nb::object, uint64_t, double>>(trees[k]);
            trees_[k] = {std::vector<Node>(nodes.size() / sizeof(Node)), numbers<uint32_t>(next), random, next_build};
            std::memcpy(trees_[k].nodes.data(), nodes.data(), trees_[k].nodes.size() * sizeof(Node));
            ensure(is_sound(trees_[k]), "every example in one leaf of each tree");
        }
    }

    size_t bytes() const {
        size_t bytes = heap_bytes(keys_, in_order_, last_split_, x_, held_, w_, targets_, trees_);
        for (const Tree& tree : trees_) bytes += heap_bytes(tree.nodes, tree.next);
        return bytes;
    }

  private:
    static constexpr uint32_t none = ~0u;
    static constexpr std::array<uint32_t, 4> sizes{1, 4, 16, 64};  // of the parts of a tree that may predict
    static constexpr size_t judged = 4;                    // one example in so many chooses the size
    static constexpr double least = 1e-3, decay = 0.996;  // of probabilities, and of the log loss so far

    void shares(const double* x, double* shares, size_t n_nodes, uint32_t size) const {
        double n_voters = 0.0;
        Nodes parts, found;
        for (const Tree& tree : trees_) {
            parts.assign(1, part(tree, x, size));
            found.clear();
            double total = 0.0;
            while (!parts.empty()) {
                const Node& node = tree.nodes[parts.back()];
                parts.pop_back();
                if (!node.is_leaf()) parts.insert(parts.end(), {node.child + 1, node.child});
                for (uint32_t i = node.is_leaf() ? node.example : none; i != none; i = tree.next[i]) {
                    found.push_back(i);
                    total += w_[i];
                }
            }
            for (uint32_t i : found)
                for (size_t a = of_labels_ ? targets_[i].size() - 1 : 0; a < targets_[i].size(); ++a)
                    shares[targets_[i][a]] += w_[i] / total;
            n_voters += !found.empty();
        }
        for (size_t v = 0; v < n_nodes && n_voters > 0.0; ++v) shares[v] /= n_voters;
    }

    // The log loss of each size on an example that has not been learned.
    void judge(const double* x, const Nodes& targets, double w) {
        for (size_t k = 0; k < sizes.size(); ++k) {
            shares_.assign(n_nodes_, 0.0);
            shares(x, shares_.data(), n_nodes_, sizes[k]);
            double loss = 0.0;
            for (size_t v = 1, a = 1; v < n_nodes_; ++v) {
                const bool on = a < targets.size() && targets[a] == v;
                a += on;
                loss -= std::log(std::max(on ? shares_[v] : 1.0 - shares_[v], least));
            }
            loss_[k] = decay * loss_[k] + w * loss;
        }
    }
    static constexpr double growth = 1.5;

    // In place of a feature: a leaf, and what its examples have in common.
    static constexpr uint32_t same_targets = ~0u, same_x = ~0u - 1;

    struct Node {
        uint32_t feature = same_targets;
        union {
            uint32_t example = none;  // of a leaf: the first; the others follow by `next`
            uint32_t child;           // of an inner node: the first of two
        };
        double threshold = 0.0;  // of an inner node: larger values belong to the second child
        uint32_t size = 0;       // the number of examples at or below it

        bool is_leaf() const { return feature >= same_x; }
    };

    struct Tree {
        std::vector<Node> nodes{Node()};
        std::vector<uint32_t> next;  // example of the same leaf
        uint64_t random;
        double next_build;  // after so many examples
    };

    struct Split {
        uint32_t feature = none;
        double threshold = 0.0, score = -1.0;
    };

    struct Part {  // of `rows_`, for a new node
        uint32_t node;
        size_t begin, end;
    };

    const double* x(size_t i) const { return x_.data() + i * stride_; }

    bool is_sound(const Tree& tree) const {
        if (tree.nodes.empty() || tree.next.size() > w_.size() || !(tree.next_build >= 2.0)) return false;
        for (size_t a = 0; a < tree.nodes.size(); ++a) {
            const Node& node = tree.nodes[a];
            if (!node.is_leaf() && (node.feature >= d() || node.child <= a || node.child >= tree.nodes.size() - 1))
                return false;
        }
        size_t listed = 0;
        for (size_t a = tree.nodes.size(); a-- > 0;) {  // parts of a node come after it
            const Node& node = tree.nodes[a];
            uint32_t size = node.is_leaf() ? 0 : tree.nodes[node.child].size + tree.nodes[node.child + 1].size;
            for (uint32_t i = node.is_leaf() ? node.example : none; i != none; i = tree.next[i], ++size)
                if (i >= tree.next.size() || targets_[i].empty() || ++listed > w_.size() || leaf(tree, x(i)) != a)
                    return false;
            if (node.size != size) return false;
        }
        return true;
    }

    // SplitMix64.
    static uint64_t random_bits(uint64_t& state) {
        uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }

    // In [0, 1).
    static double uniform(uint64_t& state) { return static_cast<double>(random_bits(state) >> 11) * 0x1p-53; }

    // Visits the nodes down to the leaf of x, which it returns.
    template <class Visit>
    static uint32_t descend(const Tree& tree, const double* x, Visit visit) {
        uint32_t at = 0;
        for (;; at = tree.nodes[at].child + (x[tree.nodes[at].feature] > tree.nodes[at].threshold)) {
            visit(at);
            if (tree.nodes[at].is_leaf()) return at;
        }
    }

    static uint32_t leaf(const Tree& tree, const double* x) { return descend(tree, x, [](uint32_t) {}); }

    // The smallest part of at least so many examples; a leaf if that is 1.
    static uint32_t part(const Tree& tree, const double* x, uint32_t size) {
        uint32_t found = 0;
        descend(tree, x, [&](uint32_t at) { found = size == 1 || tree.nodes[at].size >= size ? at : found; });
        return found;
    }

    void hold(size_t i) {
        held_[i].clear();
        for (uint32_t feature = 0; feature < d(); ++feature)
            if (x(i)[feature] != 0.0) held_[i].push_back(feature);
    }

    void remove(Tree& tree, uint32_t i) {
        uint32_t* at = &tree.nodes[leaf(tree, x(i))].example;
        while (*at != i) {
            if (*at == none) return;  // it is forgotten, or memory did not suffice when it was learned
            at = &tree.next[*at];
        }
        *at = tree.next[i];
        descend(tree, x(i), [&](uint32_t node) { --tree.nodes[node].size; });
    }

    void insert(Tree& tree, uint32_t i) {
        const uint32_t at = descend(tree, x(i), [&](uint32_t node) { ++tree.nodes[node].size; });
        Node& node = tree.nodes[at];
        const uint32_t other = node.example;
        tree.next[i] = other;
        node.example = i;
        if (other == none) return;
        if (node.feature == same_targets && targets_[i] == targets_[other]) return;
        if (node.feature == same_x && std::equal(x(i), x(i) + d(), x(other))) return;
        rows_.clear();
        for (uint32_t j = i; j != none; j = tree.next[j]) rows_.push_back(j);
        grow(tree, at);
    }

    void build(Tree& tree) {
        tree.next_build += (growth - 1.0) * std::min(tree.next_build, static_cast<double>(budget_));
        rows_.clear();
        for (uint32_t i = 0; i < w_.size(); ++i)
            if (!targets_[i].empty()) rows_.push_back(i);
        tree.nodes.assign(1, Node());
        grow(tree, 0);
    }

    // Splits a leaf with the examples `rows_` until the targets, or all features, are the same.
    void grow(Tree& tree, uint32_t at) {
        parts_.assign(1, {at, 0, rows_.size()});
        while (!parts_.empty()) {
            const auto [node, begin, end] = parts_.back();
            parts_.pop_back();
            uint32_t *const rows = rows_.data() + begin, *const last = rows_.data() + end - 1;
            const bool differ = std::any_of(rows, last, [&](uint32_t i) { return targets_[i] != targets_[*last]; });
            Split split;
            if (differ) split = best_split(tree, begin, end);
            if (split.feature == none) {
                tree.nodes[node] = {differ ? same_x : same_targets, {*rows}, 0.0, static_cast<uint32_t>(end - begin)};
                for (uint32_t* i = rows; i < last; ++i) tree.next[*i] = i[1];
                tree.next[*last] = none;
                continue;
            }
            const auto child = static_cast<uint32_t>(tree.nodes.size());
            const auto low = [&](uint32_t i) { return x(i)[split.feature] <= split.threshold; };
            const size_t middle = static_cast<size_t>(std::stable_partition(rows, last + 1, low) - rows_.data());
            tree.nodes.resize(child + 2);
            tree.nodes[node] = {split.feature, {child}, split.threshold, static_cast<uint32_t>(end - begin)};
            parts_.push_back({child + 1, middle, end});
            parts_.push_back({child, begin, middle});
        }
    }

    // The best of random thresholds of about sqrt(d) random features that are not constant.
    Split best_split(Tree& tree, size_t begin, size_t end) {
        sum(begin, end);
        ++n_splits_;
        Split best;
        auto wanted = static_cast<size_t>(std::sqrt(static_cast<double>(d())));
        size_t held = 0;
        for (size_t a = begin; a < end; ++a) held += held_[rows_[a]].size();
        const bool sparse = held <= 2 * wanted * (end - begin);
        for (size_t left = sparse ? 0 : 2 * wanted; left && wanted; --left) {
            const auto drawn = static_cast<size_t>(uniform(tree.random) * static_cast<double>(d()));
            if (is_new(in_order_[drawn])) wanted -= improve(best, tree, in_order_[drawn], begin, end);
        }
        if (!wanted) return best;
        // Those that are left and not constant, in a random order.
        const uint64_t seed = random_bits(tree.random);
        const uint32_t first = rows_[begin];
        drawn_.clear();
        for (size_t a = begin + 1; a < end; ++a)
            for (const uint32_t one : {first, rows_[a]})
                for (uint32_t feature : held_[one])
                    if (x(rows_[a])[feature] != x(first)[feature] && is_new(feature)) {
                        uint64_t state = seed + keys_[feature];
                        drawn_.emplace_back(random_bits(state), feature);
                    }
        std::make_heap(drawn_.begin(), drawn_.end());
        for (; !drawn_.empty() && wanted; drawn_.pop_back()) {
            std::pop_heap(drawn_.begin(), drawn_.end());
            wanted -= improve(best, tree, drawn_.back().second, begin, end);
        }
        return best;
    }

    // Whether this split meets a feature for the first time.
    bool is_new(uint32_t feature) { return std::exchange(last_split_[feature], n_splits_) != n_splits_; }

    // Tries a random threshold. Returns false if the feature is constant.
    bool improve(Split& best, Tree& tree, uint32_t feature, size_t begin, size_t end) {
        double low = x(rows_[begin])[feature], high = low;
        for (size_t a = begin; a < end; ++a) {
            low = std::min(low, x(rows_[a])[feature]);
            high = std::max(high, x(rows_[a])[feature]);
        }
        if (low == high) return false;
        double threshold = low + uniform(tree.random) * (high - low);
        if (threshold >= high) threshold = low;
        const double score = explained(begin, end, feature, threshold);
        if (score > best.score) best = {feature, threshold, score};
        return true;
    }

    // The totals of the targets of some examples.
    void sum(size_t begin, size_t end) {
        for (uint32_t v : present_) total_[v] = 0.0;
        present_.clear();
        total_w_ = 0.0;
        for (size_t a = begin; a < end; ++a) {
            total_w_ += w_[rows_[a]];
            for (uint32_t v : targets_[rows_[a]]) {
                if (v >= low_.size()) {
                    total_.resize(v + 1);
                    low_.resize(v + 1);
                }
                if (total_[v] == 0.0) present_.push_back(v);
                total_[v] += w_[rows_[a]];
            }
        }
    }

    // The part of the variance of the targets that a split explains, up to constants.
    double explained(size_t begin, size_t end, uint32_t feature, double threshold) {
        double w = 0.0, low = 0.0, high = 0.0;
        for (size_t a = begin; a < end; ++a) {
            const uint32_t i = rows_[a];
            if (x(i)[feature] > threshold) continue;
            w += w_[i];
            for (uint32_t v : targets_[i]) low_[v] += w_[i];
        }
        for (uint32_t v : present_) {
            const double rest = total_[v] - low_[v];
            low += low_[v] * low_[v];
            high += rest * rest;
            low_[v] = 0.0;
        }
        return low / w + high / (total_w_ - w);
    }

    const size_t budget_;
    const bool of_labels_;
    std::array<double, sizes.size()> loss_{};
    size_t n_ = 0, n_nodes_ = 0, stride_ = 0;  // examples so far, nodes of their targets, and room for features
    Nodes keys_, in_order_;      // of the features
    Numbers x_, w_;
    std::vector<Nodes> held_;    // the features that are not 0 in each row
    std::vector<Nodes> targets_;
    std::vector<Tree> trees_;

    // Scratch
    Numbers shares_;
    std::vector<uint32_t> rows_;
    std::vector<std::pair<uint64_t, uint32_t>> drawn_;  // features, in a random order
    std::vector<uint64_t> last_split_;  // that met each feature
    uint64_t n_splits_ = 0;
    std::vector<Part> parts_;
    Nodes present_;
    Numbers total_, low_;
    double total_w_ = 0.0;
};

}  // namespace river_hier
