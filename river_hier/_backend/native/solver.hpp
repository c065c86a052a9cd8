// A regularised least-squares problem: one set of instances S, one or more columns of labels v.
#pragma once

#include <vector>

#include "visit.hpp"

namespace river_hier {

class Dual;
class Direct;
class Primal;

// `A = l2 I + S S^T` and `w = A^-1 S v`; in dual variables `w = S alpha` with
// `alpha = B^-1 v`, `B = l2 I + S^T S`. Columns (outputs) are the nodes that share the instances.
class Solver {
  public:
    virtual ~Solver() = default;

    // Itself, if it is one of these.
    virtual Dual* dual() { return nullptr; }
    virtual Direct* direct() { return nullptr; }
    virtual Primal* primal() { return nullptr; }

    virtual size_t n_outputs() const = 0;

    // w . x of every output.
    virtual void scores(Visit& visit, double* scores) = 0;

    // The same, where only the signs must be right.
    virtual void signs(Visit& visit, double* scores) { this->scores(visit, scores); }

    // r = x^T A^-1 x; `store` may follow.
    virtual double solve(Visit& visit) = 0;

    // Take in x with its labels; r comes from `solve`.
    virtual void store(Visit& visit, const double* v, double r) = 0;

    // Take in x with its labels, without a `solve` before.
    virtual void append(Visit& visit, const double* v) = 0;

    // More outputs, whose labels were -1 on every instance so far.
    virtual void add_outputs(size_t n) = 0;

    // w, as a matrix (n_features, outputs).
    virtual Numbers weights(const Instances& instances, size_t n_features) = 0;
};

}  // namespace river_hier
