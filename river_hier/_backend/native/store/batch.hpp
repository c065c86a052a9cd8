// What the loops over the rows of a batch share.
#pragma once

#include <memory>

#include "store/rows.hpp"
#include "store/weights.hpp"

namespace river_hier {

// Without Python's lock, unless there are so few rows that others would only be in the way: they
// would find the model at work as often as they look.
class Unlocked {
  public:
    explicit Unlocked(const Rows& X) : thread_(X.n() > few ? PyEval_SaveThread() : nullptr) {}
    Unlocked(const Unlocked&) = delete;
    ~Unlocked() {
        if (thread_) PyEval_RestoreThread(thread_);
    }

    explicit operator bool() const { return thread_ != nullptr; }

  private:
    static constexpr size_t few = 16;
    PyThreadState* thread_;
};

// Which nodes are on in each row.
class Masks {
  public:
    Masks(size_t n, size_t n_nodes)
        : n_(n), n_nodes_(n_nodes), mask_(std::make_unique<bool[]>(n * n_nodes)) {}

    void set(size_t i, const Nodes& on) {
        mask_[i * n_nodes_] = true;
        for (uint32_t v : on) mask_[i * n_nodes_ + v] = true;
    }

    nb::object done() const {
        return array<bool>(mask_.get(), n_ * n_nodes_).attr("reshape")(n_, n_nodes_);
    }

  private:
    size_t n_, n_nodes_;
    std::unique_ptr<bool[]> mask_;
};

// (nodes, rows)
nb::object scores_of(Weights& w, Rows& X);

// Make all this known to Python.
void linear_learners(nb::module_& m);
void least_squares(nb::module_& m);

}  // namespace river_hier
