// Memory for large tables: zeroed, aligned, and in huge pages where the system has them.
//
// A table of some megabytes that is read at random misses the processor's address cache on nearly
// every access with pages of 4 KiB. On Linux, large pieces are mapped so that they may become pages
// of 2 MiB; elsewhere they are ordinary memory.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace river_hier {

constexpr size_t huge_page = size_t{1} << 21;
constexpr size_t alignment = 64;  // a cache line

struct FreePages {
    size_t mapped = 0;  // bytes, if it was mapped
    void* start = nullptr;

    void operator()(void* memory) const {
#if defined(__linux__)
        if (mapped) {
            munmap(start, mapped);
            return;
        }
#endif
        ::operator delete(memory, std::align_val_t{alignment});
    }
};

using Pages = std::unique_ptr<void, FreePages>;

inline Pages zeroed(size_t bytes) {
#if defined(__linux__)
    if (bytes >= huge_page) {
        size_t mapped = bytes + huge_page;  // room to start at a boundary
        void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) throw std::bad_alloc();
        void* memory = start;
        std::align(huge_page, bytes, memory, mapped);
        madvise(memory, bytes, MADV_HUGEPAGE);
        return Pages(memory, FreePages{bytes + huge_page, start});
    }
#endif
    void* memory = ::operator new(bytes, std::align_val_t{alignment});
    std::memset(memory, 0, bytes);
    return Pages(memory);
}

}  // namespace river_hier
