// Loops that several threads share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "algorithms/example_context.hpp"

namespace river_hier {

// As many threads as OMP_NUM_THREADS says, as in numerical libraries; else as many as there are
// processors for this process.
inline size_t default_n_threads() {
    const char* setting = std::getenv("OMP_NUM_THREADS");
    const long n = setting ? std::strtol(setting, nullptr, 10) : 0;
    if (n > 0) return static_cast<size_t>(n);
#if defined(__linux__)  // hardware_concurrency may count those of the whole machine
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        return static_cast<size_t>(CPU_COUNT(&processors));
#endif
    return std::max(1u, std::thread::hardware_concurrency());
}

// work(i, scratch) for all i < n, in any order; each thread has its own scratch. The first exception
// is rethrown. The calling thread works from the front, and spawns helpers only where there is enough
// to do. These work from the back, so that in the next loop each finds much of what it worked on in
// its cache. Python's lock must not be held, as a helper may need it.
template <class Work>
void parallel_for(size_t n, size_t n_threads, Scratch& scratch, const Work& work) {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds patience{200};  // a thread starts in some tens of them
    std::mutex mutex;                                    // for what follows
    size_t next = 0, end = n;                            // what no thread has begun
    std::exception_ptr error;
    std::vector<std::thread> helpers;

    const auto do_one = [&](std::unique_lock<std::mutex>& lock, size_t i, Scratch& scratch) {
        lock.unlock();
        std::exception_ptr failure;
        try {
            work(i, scratch);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (!failure) return;
        if (!error) error = failure;
        next = end;
    };
    const auto help = [&] {
        Scratch scratch;
        std::unique_lock<std::mutex> lock(mutex);
        while (next < end) do_one(lock, --end, scratch);
    };
    {
        std::unique_lock<std::mutex> lock(mutex);
        for (const auto start = clock::now(); next < end; do_one(lock, next++, scratch)) {
            if (clock::now() - start < patience) continue;
            try {
                while (helpers.size() + 1 < std::min(n_threads, end - next)) helpers.emplace_back(help);
            } catch (const std::exception&) {
                n_threads = helpers.size() + 1;  // the system has no more threads
            }
        }
    }
    for (std::thread& helper : helpers) helper.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace river_hier
