// A batch is learned without Python's lock, and numpy may let other threads in: whoever comes
// meanwhile is turned away.
#pragma once

#include <stdexcept>

namespace river_hier {

// What such work reads and writes. The mark itself is read and written under the lock.
struct Shared {
    Shared() = default;
    Shared(const Shared&) = delete;

    bool at_work = false;
    Shared* follower = this;  // what is written by the same work
};

// The same, unless somebody is at work on it.
template <class T>
T& idle(T& shared) {
    if (shared.at_work)
        throw std::runtime_error(
            "the model is at work on what another thread has asked for; wait for it, or give each "
            "thread a copy of the model");
    return shared;
}

class AtWork {
  public:
    explicit AtWork(Shared& shared) : shared_(idle(shared)) { mark(true); }
    AtWork(const AtWork&) = delete;
    ~AtWork() { mark(false); }

  private:
    void mark(bool at_work) { shared_.at_work = shared_.follower->at_work = at_work; }

    Shared& shared_;
};

}  // namespace river_hier
