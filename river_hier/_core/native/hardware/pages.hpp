// Memory for large tables: zeroed, aligned, and in huge pages where the system has them.
//
// A table of some megabytes that is read at random misses the processor's address cache on nearly
// every access with pages of 4 KiB. Linux may hold large pieces in pages of 2 MiB.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace river_hier {

constexpr size_t huge_page = size_t{1} << 21;

struct FreePages {
    void* start = nullptr;  // of what was allocated

    void operator()(void*) const { std::free(start); }
};

using Pages = std::unique_ptr<void, FreePages>;

inline Pages zeroed(size_t bytes) {
    const size_t boundary = bytes < huge_page ? 64 : huge_page;
    size_t room = bytes + boundary;
    void* start = std::calloc(room, 1);
    if (!start) throw std::bad_alloc();
    void* memory = start;
    std::align(boundary, bytes, memory, room);
#if defined(__linux__)
    if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return Pages(memory, FreePages{start});
}

}  // namespace river_hier
