// A batch is learned without Python's lock: whoever comes meanwhile is turned away.
#pragma once

#include <stdexcept>

namespace river_hier {

// What a batch writes to without the lock. The mark itself is read and written under the lock.
struct Shared {
    bool at_work = false;
};

// The same, unless a batch is at work on it.
template <class T>
T& idle(T& shared) {
    if (shared.at_work)
        throw std::runtime_error(
            "the model is at work on a batch, which another thread has called; wait for it, or "
            "give each thread a copy of the model");
    return shared;
}

class AtWork {
  public:
    explicit AtWork(Shared& shared) : shared_(idle(shared)) { shared_.at_work = true; }
    AtWork(const AtWork&) = delete;
    ~AtWork() { shared_.at_work = false; }

  private:
    Shared& shared_;
};

}  // namespace river_hier
