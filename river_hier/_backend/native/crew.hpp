// Work in pieces, by several threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "visit.hpp"

namespace river_hier {

// The thread that asks works itself, from the first piece on, and calls for help where there is
// enough to do. Helpers come from the other end, so that each finds much of what it has worked on
// before in its cache; whoever has not begun is not waited for. Python's lock must not be held, as
// a helper may want it.
class Crew {
  public:
    // As many threads as the machine has processors for this process, or as OMP_NUM_THREADS says:
    // what numerical libraries look at, and what is set where processes share a machine.
    static size_t n_threads() {
        const char* told = std::getenv("OMP_NUM_THREADS");
        const long n = told ? std::strtol(told, nullptr, 10) : 0;
        if (n > 0) return static_cast<size_t>(n);
#if defined(__linux__)  // hardware_concurrency may count those of the whole machine
        cpu_set_t processors;
        if (sched_getaffinity(0, sizeof processors, &processors) == 0)
            return static_cast<size_t>(CPU_COUNT(&processors));
#endif
        return std::max(1u, std::thread::hardware_concurrency());
    }

    explicit Crew(size_t n_threads) : n_helpers_(n_threads - 1) {}
    Crew(const Crew&) = delete;

    ~Crew() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            over_ = true;
        }
        begin_.notify_all();
        for (std::thread& helper : helpers_) helper.join();
    }

    // work(piece, scratch) for all of n pieces, in any order; each thread brings its own scratch.
    template <class Work>
    void each(size_t n, Scratch& scratch, const Work& work) {
        run(n, scratch, &work, [](const void* work, size_t piece, Scratch& scratch) {
            (*static_cast<const Work*>(work))(piece, scratch);
        });
    }

  private:
    using Do = void (*)(const void* work, size_t piece, Scratch& scratch);

    void run(size_t n, Scratch& scratch, const void* work, Do how) {
        std::unique_lock<std::mutex> lock(mutex_);
        work_ = work;
        do_ = how;
        next_ = 0;
        n_ = n;
        if (n > 1) begin_.notify_all();
        const auto start = clock::now();
        while (next_ < n_) {
            if (n_ - next_ > 1 && clock::now() - start > patience) hire();
            do_one(lock, scratch, false);
        }
        done_.wait(lock, [&] { return busy_ == 0; });
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

    using clock = std::chrono::steady_clock;

    // To start a thread takes some tens of microseconds.
    static constexpr std::chrono::microseconds patience{200};

    void hire() {
        try {
            while (helpers_.size() < std::min(n_helpers_, n_ - next_))
                helpers_.emplace_back([this] { help(); });
        } catch (...) {
            n_helpers_ = helpers_.size();  // there are no more to be had
        }
    }

    void help() {
        Scratch scratch;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            begin_.wait(lock, [&] { return over_ || next_ < n_; });
            if (over_) return;
            do_one(lock, scratch, true);
            if (!busy_) done_.notify_one();
        }
    }

    void do_one(std::unique_lock<std::mutex>& lock, Scratch& scratch, bool helper) {
        const size_t piece = helper ? --n_ : next_++;
        ++busy_;
        lock.unlock();
        std::exception_ptr failure;
        try {
            do_(work_, piece, scratch);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        --busy_;
        if (!failure) return;
        if (!failure_) failure_ = failure;
        next_ = n_;
    }

    size_t n_helpers_;
    std::vector<std::thread> helpers_;
    std::mutex mutex_;  // for all that follows
    std::condition_variable begin_, done_;
    const void* work_ = nullptr;
    Do do_ = nullptr;
    size_t next_ = 0, n_ = 0, busy_ = 0;
    bool over_ = false;
    std::exception_ptr failure_;
};

}  // namespace river_hier
