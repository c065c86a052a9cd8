// Examples in a row that least squares takes system by system.
#pragma once

#include <memory>
#include <optional>

#include "crew.hpp"
#include "rls_steps.hpp"

namespace river_hier {

// A system takes all examples of a block while it is in the cache, and other threads take other
// systems meanwhile: no system depends on another one. All is as if the examples had come one by one.
class Block {
  public:
    // Room for so many.
    Block(LeastSquares& rls, const Labels& labels, size_t room)
        : rls_(rls), labels_(labels), examples_(new std::optional<Example>[room]),
          dots_(new Numbers[room]) {}

    void add(const Vector& x, const On& on, size_t t) {
        const size_t n = ln_ts_.size(), bit = n % bits;
        if (!bit) on_in_.resize(on_in_.size() + labels_.n(), 0);
        for (uint32_t v : on.nodes) on_in_[n / bits * labels_.n() + v] |= Set{1} << bit;
        masks_.insert(masks_.end(), on.mask.begin(), on.mask.end());
        ln_ts_.push_back(std::log(static_cast<double>(t)));
        examples_[n].emplace(x, rls_.instances, rls_.buffers, dots_[n]);
        const size_t met = size_t{1} + examples_[n]->x.rows.back();
        least_met_ = std::min(least_met_, met);
        most_met_ = std::max(most_met_, met);
    }

    void learn(const RLSStep& step, Crew& crew) {
        const size_t n = ln_ts_.size();
        bool one_by_one = n <= 1;
        std::vector<Lesson> lessons;
        for (System& system : rls_.systems) {
            Lesson lesson{&system, learned_.size(), 0};
            for (size_t first = 0; first < n; first += bits) {
                Set set = learns(system, &on_in_[first / bits * labels_.n()], labels_);
                for (; set; set &= set - 1)
                    learned_.push_back(static_cast<uint32_t>(first + __builtin_ctzll(set)));
            }
            lesson.last = learned_.size();
            if (lesson.first == lesson.last) continue;
            lessons.push_back(lesson);
            one_by_one |= LeastSquares::may_go_back(system, n, least_met_, most_met_);
        }
        if (!one_by_one) return together(lessons, step, crew);
        for (size_t i = 0; i < n; ++i)
            rls_step(rls_, *examples_[i], on(i), labels_, ln_ts_[i], step);
    }

  private:
    // Of examples, a bit each.
    using Set = uint64_t;
    static constexpr size_t bits = 64;

    // What a system learns from: learned_[first:last].
    struct Lesson {
        System* system;
        size_t first, last;
    };

    const char* on(size_t i) const { return &masks_[i * labels_.n()]; }

    void together(const std::vector<Lesson>& lessons, const RLSStep& step, Crew& crew) {
        const uint32_t first = rls_.instances.n();
        const size_t n_features = rls_.instances.n_features();
        const std::vector<uint32_t> added = prepare(lessons, step, crew);
        crew.each(lessons.size(), rls_.buffers.scratch, [&](size_t k, Scratch& scratch) {
            for (size_t e = lessons[k].first; e < lessons[k].last; ++e) {
                const size_t i = learned_[e];
                Visit visit(*examples_[i], scratch);
                step.take(rls_, *lessons[k].system, visit, on(i), ln_ts_[i]);
            }
        });
        std::vector<uint32_t> kept;
        for (uint32_t i : added)
            if (examples_[i]->asked) kept.push_back(examples_[i]->number());
        rls_.keep(first, kept, n_features);
        rls_.tidy();
    }

    // Several threads can read, but one alone write: whatever may be stored is an instance now, and
    // the dot products that may be asked for are known. Returns these examples.
    std::vector<uint32_t> prepare(const std::vector<Lesson>& lessons, const RLSStep& step,
                                  Crew& crew) {
        std::vector<size_t> n_dots(ln_ts_.size(), 0);  // with all instances of a system and with x
        for (const Lesson& lesson : lessons)
            if (auto* dual = lesson.system->solver->dual())
                for (size_t e = lesson.first; e < lesson.last; ++e)
                    n_dots[learned_[e]] += dual->n() + 1;
        rls_.instances.know(most_met_);
        std::vector<uint32_t> added;
        for (uint32_t i = 0; i < n_dots.size(); ++i) {
            examples_[i]->share(n_dots[i] > 0);
            if (n_dots[i]) added.push_back(i);
        }
        if (step.asks_for_dots())
            crew.each(added.size(), rls_.buffers.scratch, [&](size_t k, Scratch&) {
                examples_[added[k]]->expect(n_dots[added[k]]);
            });
        return added;
    }

    LeastSquares& rls_;
    const Labels& labels_;
    std::unique_ptr<std::optional<Example>[]> examples_;
    std::unique_ptr<Numbers[]> dots_;
    std::vector<Set> on_in_;   // of each node; after those of one set of examples those of the next
    std::vector<char> masks_;  // of the nodes that are on, one example after the other
    std::vector<uint32_t> learned_;
    Numbers ln_ts_;
    size_t least_met_ = SIZE_MAX, most_met_ = 0;  // features, up to the last one
};

}  // namespace river_hier
