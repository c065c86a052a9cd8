// Protection of models against calls that arrive in the middle of a step.
//
// The __eq__ of a feature's name may call its own model, which is an error; or it may let another
// thread in, which then waits. Batches are learned without Python's lock.
#pragma once

#include <chrono>
#include <stdexcept>
#include <thread>

#include <nanobind/nanobind.h>

namespace river_hier {

// Base class of what a step reads and writes. The flag is read and written under the lock of its model.
struct Guarded {
    Guarded() = default;
    Guarded(const Guarded&) = delete;

    bool in_use = false;
    unsigned long user = 0;  // the thread that uses it
    Guarded* follower = this;  // an object that the same steps write to

    static const char* in_use_message() {
        return "the model is at work on another example, in the middle of which it is called again";
    }
};

// The object itself, as soon as no other thread is using it; an error if this one is.
template <class T>
T& not_in_use(T& object) {
    while (object.in_use) {
        if (object.user == PyThread_get_thread_ident())
            throw std::runtime_error(object.in_use_message());
        nanobind::gil_scoped_release others;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
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
    void mark(bool in_use) {
        object_.in_use = object_.follower->in_use = in_use;
        object_.user = object_.follower->user = PyThread_get_thread_ident();
    }

    Guarded& object_;
};

}  // namespace river_hier
