// Protection of models against calls that arrive in the middle of a step.
//
// A batch is learned without Python's lock, and numpy may release it; another thread could then call
// the same model.
#pragma once

#include <stdexcept>

namespace river_hier {

// Base class of what a step reads and writes. The flag is read and written under Python's lock.
struct Guarded {
    Guarded() = default;
    Guarded(const Guarded&) = delete;

    bool in_use = false;
    Guarded* follower = this;  // an object that the same steps write to

    static const char* in_use_message() {
        return "the model is at work on what another thread has asked for; wait for it, or give each "
               "thread a copy of the model";
    }
};

// The object itself, or an error if a step is using it.
template <class T>
T& not_in_use(T& object) {
    if (object.in_use) throw std::runtime_error(object.in_use_message());
    return object;
}

// Marks an object as in use for as long as the guard lives.
class ReentrancyGuard {
  public:
    template <class T>
    explicit ReentrancyGuard(T& object) : object_(not_in_use(object)) {
        mark(true);
    }
    ReentrancyGuard(const ReentrancyGuard&) = delete;
    ~ReentrancyGuard() { mark(false); }

  private:
    void mark(bool in_use) { object_.in_use = object_.follower->in_use = in_use; }

    Guarded& object_;
};

}  // namespace river_hier
