// Memory for large tables: zeroed, aligned, and in huge pages where the system has them.
//
// A table of some megabytes that is read at random misses the processor's address cache on nearly
// every access with pages of 4 KiB. On Linux, large pieces are mapped so that they may become pages
// of 2 MiB; elsewhere they are ordinary memory.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace river_hier {

constexpr size_t huge_page = size_t{1} << 21;

struct Unmap {
    size_t mapped = 0;  // bytes, if it was mapped
    void* start = nullptr;

    void operator()(void* memory) const {
#if defined(__linux__)
        if (mapped) {
            munmap(start, mapped);
            return;
        }
#endif
        std::free(memory);
    }
};

using Pages = std::unique_ptr<void, Unmap>;

inline Pages zeroed(size_t bytes, size_t alignment) {
#if defined(__linux__)
    if (bytes >= huge_page) {
        size_t mapped = bytes + huge_page;  // room to start at a boundary
        void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) throw std::bad_alloc();
        void* memory = start;
        std::align(huge_page, bytes, memory, mapped);
        madvise(memory, bytes, MADV_HUGEPAGE);
        return Pages(memory, Unmap{bytes + huge_page, start});
    }
#endif
    bytes = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, bytes);
    return Pages(memory, Unmap{});
}

}  // namespace river_hier
