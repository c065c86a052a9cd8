// Work in pieces, done by several threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "example_context.hpp"

namespace river_hier {

// The calling thread works itself, from the first piece on, and spawns helpers where there is enough
// to do. Helpers start from the other end, so that each finds much of what it has worked on before
// in its cache. Python's lock must not be held, as a helper may want it.
class ThreadPool {
  public:
    // As many threads as OMP_NUM_THREADS says, as numerical libraries do; else as many as there are
    // processors for this process.
    static size_t n_threads() {
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

    explicit ThreadPool(size_t n_threads) : n_helpers_(n_threads - 1) {}
    ThreadPool(const ThreadPool&) = delete;

    ~ThreadPool() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closed_ = true;
        }
        work_arrived_.notify_all();
        for (std::thread& helper : helpers_) helper.join();
    }

    using Work = std::function<void(size_t piece, Scratch& scratch)>;

    // work(piece, scratch) for all of n pieces, in any order; each thread has its own scratch. The
    // first exception is rethrown here.
    void run(size_t n, Scratch& scratch, const Work& work) {
        std::unique_lock<std::mutex> lock(mutex_);
        work_ = &work;
        next_ = 0;
        end_ = n;
        if (n > 1) work_arrived_.notify_all();
        const auto start = std::chrono::steady_clock::now();
        while (next_ < end_) {
            if (end_ - next_ > 1 && std::chrono::steady_clock::now() - start > patience) spawn();
            do_piece(lock, next_++, scratch);
        }
        helpers_done_.wait(lock, [&] { return n_busy_ == 0; });
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

  private:
    // Starting a thread takes some tens of microseconds.
    static constexpr std::chrono::microseconds patience{200};

    void spawn() {
        try {
            while (helpers_.size() < std::min(n_helpers_, end_ - next_))
                helpers_.emplace_back([this] { help(); });
        } catch (const std::exception&) {
            n_helpers_ = helpers_.size();  // the system has no more threads
        }
    }

    void help() {
        Scratch scratch;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            work_arrived_.wait(lock, [&] { return closed_ || next_ < end_; });
            if (closed_) return;
            do_piece(lock, --end_, scratch);
            if (!n_busy_) helpers_done_.notify_one();
        }
    }

    void do_piece(std::unique_lock<std::mutex>& lock, size_t piece, Scratch& scratch) {
        ++n_busy_;
        lock.unlock();
        std::exception_ptr error;
        try {
            (*work_)(piece, scratch);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        --n_busy_;
        if (!error) return;
        if (!error_) error_ = error;
        next_ = end_;
    }

    size_t n_helpers_;
    std::vector<std::thread> helpers_;
    std::mutex mutex_;  // for all that follows
    std::condition_variable work_arrived_, helpers_done_;
    const Work* work_ = nullptr;
    size_t next_ = 0, end_ = 0;  // pieces that nobody has begun
    size_t n_busy_ = 0;
    bool closed_ = false;
    std::exception_ptr error_;
};

}  // namespace river_hier
