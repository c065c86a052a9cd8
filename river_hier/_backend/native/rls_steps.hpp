// The learners that are built on least squares (Cesa-Bianchi, Gentile and Zaniboni, 2006).
#pragma once

#include <cmath>

#include "least_squares.hpp"

namespace river_hier {

// Of ||x||^2 to l2. Beyond it, the digits of a double do not hold both.
constexpr double largest_ratio = 1e12;

// Whether a system learns; or, of several examples, a bit each.
template <class Set>
RIVER_HIER_INLINE Set learns(const System& system, const Set* on, const Labels& labels) {
    const uint32_t first = system.nodes.empty() ? 0 : system.nodes[0];
    return labels.learns(first) ? labels.all_parents(on, first) : 0;
}

// What an example of round t does to a system that learns from it. Several threads may ask.
struct RLSStep {
    virtual bool asks_for_dots() const = 0;
    virtual void take(LeastSquares& rls, System& system, Visit& visit, const char* on,
                      double ln_t) const = 0;
};

// H-RLS, Fig. 3: a node whose parents are truly on stores x.
struct HRLSStep final : RLSStep {
    bool asks_for_dots() const override { return false; }
    void take(LeastSquares& rls, System& system, Visit& visit, const char* on,
              double) const override {
        Numbers& v = visit.v;
        v.resize(system.nodes.size());
        for (size_t o = 0; o < v.size(); ++o) v[o] = on[system.nodes[o]] ? 1.0 : -1.0;
        rls.append(system, visit, v.data());
    }
};

// SH-RLS, section 8: it stores x only if its score is small, w . x / (1 + r) <= sqrt(c ln t / N).
struct SHRLSStep final : RLSStep {
    explicit SHRLSStep(double c) : c(c) {}

    bool asks_for_dots() const override { return true; }
    void take(LeastSquares& rls, System& system, Visit& visit, const char* on,
              double ln_t) const override {
        if (system.nodes.size() != 1) throw nb::value_error("SH-RLS has a system for each node");
        const double most = 1.0 + visit.x.norm2 / rls.l2;  // 1 + r is at most this
        const double n = static_cast<double>(system.n_stored);
        const double bound = n ? std::sqrt(c * ln_t / n) : HUGE_VAL;
        double doubt;
        system.solver->scores(visit, &doubt);
        doubt = std::fabs(doubt);
        if (doubt > bound * most) return;
        const double r = system.solver->solve(visit);
        if (doubt > bound * (1.0 + r)) return;
        const double v = on[system.nodes[0]] ? 1.0 : -1.0;
        rls.store(system, visit, &v, r);
    }

    double c;
};

// Take the example of round t to every node that learns from it.
inline void rls_step(LeastSquares& rls, Example& example, const char* on, const Labels& labels,
                     double ln_t, const RLSStep& step) {
    Visit visit(example, rls.buffers.scratch);
    for (System& system : rls.systems)
        if (learns(system, on, labels)) step.take(rls, system, visit, on, ln_t);
    rls.tidy();
}

// w . x / (1 + r) of every node, Eq. (1): w counts x among its instances.
inline Numbers least_squares_scores(LeastSquares& rls, const Vector& x, size_t n_nodes) {
    Example example(x, rls.instances, rls.buffers, rls.buffers.dots);
    Visit visit(example, rls.buffers.scratch);
    Numbers scores(n_nodes, 0.0), part;
    for (System& system : rls.systems) {
        const double r = system.solver->solve(visit);
        part.resize(system.nodes.size());
        system.solver->scores(visit, part.data());
        for (size_t o = 0; o < part.size(); ++o) scores[system.nodes[o]] = part[o] / (1.0 + r);
    }
    return scores;
}

// The nodes that are on, from the top down: 1 + r is positive, so the sign needs only w . x.
inline void top_down(LeastSquares& rls, const Vector& x, const Labels& labels,
                     std::vector<uint32_t>& on) {
    Example example(x, rls.instances, rls.buffers, rls.buffers.dots);
    Visit visit(example, rls.buffers.scratch);
    std::vector<char> mask(labels.n(), 0);
    mask[0] = 1;
    Numbers scores;
    for (System& system : rls.systems) {
        if (system.nodes.empty() || !labels.all_parents(mask.data(), system.nodes[0])) continue;
        scores.resize(system.nodes.size());
        system.solver->signs(visit, scores.data());
        for (size_t o = 0; o < scores.size(); ++o)
            if (scores[o] >= 0.0) {
                mask[system.nodes[o]] = 1;
                on.push_back(system.nodes[o]);
            }
    }
}

}  // namespace river_hier
