// Loops that several threads share.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "algorithms/example_context.hpp"

namespace river_hier {

// work(i, scratch) for all i < n, in any order; each thread has its own scratch. The first exception
// is rethrown. Helpers are spawned only where there is enough to do. Python's lock must not be held, as
// a helper may need it.
template <class Work>
void parallel_for(size_t n, size_t n_threads, std::vector<Scratch>& scratches, const Work& work) {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds patience{200};  // a thread starts in some tens of them
    std::atomic<size_t> next{0};
    std::exception_ptr error;
    std::mutex mutex;  // for the error
    const auto help = [&](Scratch& scratch, clock::time_point end) {
        try {
            for (size_t i; clock::now() < end && (i = next++) < n;) work(i, scratch);
        } catch (...) {
            next = n;
            const std::lock_guard<std::mutex> lock(mutex);
            if (!error) error = std::current_exception();
        }
    };
    help(scratches[0], clock::now() + patience);
    std::vector<std::thread> helpers;
    try {
        while (helpers.size() + 1 < n_threads && next + helpers.size() + 1 < n) {
            Scratch& own = scratches[helpers.size() + 1];
            helpers.emplace_back([&help, &own] { help(own, clock::time_point::max()); });
        }
    } catch (const std::exception&) {  // the system has no more threads
    }
    help(scratches[0], clock::time_point::max());
    for (std::thread& helper : helpers) helper.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace river_hier
