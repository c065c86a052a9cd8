// What a feature has learned: the list of its steps while they are few, then a row of its own.
//
// Most words are rare. A step is the same for all words of an example, so a word that keeps it
// needs a pointer where a row would need an entry for every node.
#pragma once

#include <memory>

#include "gaussians.hpp"
#include "row.hpp"

namespace river_hier {

template <class T>
class GaussianRow {
  public:
    using Cell = Gaussian<T>;

    static constexpr size_t most_steps = 16;  // more take longer to repeat than a row to read

    // Whether a step at n nodes can be added to the list.
    bool keeps(size_t n, size_t n_nodes) const {
        if (row_.size || steps_.size() == most_steps) return false;
        for (const Kept& kept : steps_) n += kept.step->nodes.size();
        return !row_.fills(n, n_nodes);
    }

    void keep(const std::shared_ptr<const GaussianStep>& step, double value) {
        steps_.push_back({step, value});
    }

    // The row, from now on instead of the steps.
    Row<Cell>& settle(size_t n_nodes) {
        if (!steps_.empty()) {
            row_ = repeated(n_nodes);
            steps_ = {};
        }
        return row_;
    }

    // Visit the entries of a range; `at` is the place where the last visit ended, or 0. A node that
    // several steps are about is visited again, with zeros.
    template <class Visit>
    void visit(Range range, uint32_t& at, std::vector<Cell>& made, Visit visit) const {
        if (row_.size) return row_.visit(range, at, visit);
        repeat(range, made);
        each(range, [&](uint32_t v, const Kept&, size_t) {
            visit(v, made[v]);
            made[v] = {};
        });
    }

    // Repeat the steps in `made`: a cell for each node, all zeros before, and again after `clear`.
    void repeat(Range range, std::vector<Cell>& made) const {
        each(range, [&](uint32_t v, const Kept& kept, size_t i) { kept.repeat(i, made[v]); });
    }

    void clear(Range range, std::vector<Cell>& made) const {
        each(range, [&](uint32_t v, const Kept&, size_t) { made[v] = {}; });
    }

    Cell get(uint32_t v) const {
        Cell cell = row_.get(v);
        each({v, v + 1}, [&](uint32_t, const Kept& kept, size_t i) { kept.repeat(i, cell); });
        return cell;
    }

    void append(size_t plane, size_t n_nodes, Nodes& nodes, Numbers& numbers) const {
        const auto number_of = [=](Cell cell) { return cell.plane(plane); };
        if (!steps_.empty()) return repeated(n_nodes).append(nodes, numbers, number_of);
        row_.append(nodes, numbers, number_of);
    }

    void prefetch() const { __builtin_prefetch(row_.size ? static_cast<const void*>(row_.memory) : steps_.data()); }

    // Of a step its share.
    size_t bytes() const {
        size_t bytes = row_.bytes() + steps_.capacity() * sizeof(Kept);
        for (const Kept& kept : steps_) bytes += kept.step->bytes() / kept.step.use_count();
        return bytes;
    }

  private:
    struct Kept {
        std::shared_ptr<const GaussianStep> step;
        double value;  // of the feature

        void repeat(size_t i, Cell& cell) const {
            cell.learn(value, step->steps[i], step->confidences[i]);
        }
    };

    template <class Visit>
    void each(Range range, Visit visit) const {
        for (const Kept& kept : steps_) {
            const Nodes& nodes = kept.step->nodes;
            size_t i = std::lower_bound(nodes.begin(), nodes.end(), range.first) - nodes.begin();
            for (; i < nodes.size() && nodes[i] < range.last; ++i) visit(nodes[i], kept, i);
        }
    }

    Row<Cell> repeated(size_t n_nodes) const {
        Row<Cell> row;
        Nodes places, missing;
        for (const Kept& kept : steps_) {
            places.resize(kept.step->nodes.size());
            row.include(kept.step->nodes, places.data(), missing, n_nodes);
            for (size_t i = 0; i < places.size(); ++i) kept.repeat(i, row.cells()[places[i]]);
        }
        return row;
    }

    std::vector<Kept> steps_;
    Row<Cell> row_;
};

}  // namespace river_hier
