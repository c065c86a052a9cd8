// Memory for large tables: zeroed where it is first used, and aligned to cache lines.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

namespace river_hier {

struct FreeMemory {
    void* start = nullptr;  // of what was allocated

    void operator()(void*) const { std::free(start); }
};

using Memory = std::unique_ptr<void, FreeMemory>;

inline Memory zeroed(size_t bytes) {
    constexpr size_t boundary = 64;
    size_t room = bytes + boundary;
    void* start = std::calloc(room, 1);
    if (!start) throw std::bad_alloc();
    void* memory = start;
    std::align(boundary, bytes, memory, room);
    return Memory(memory, FreeMemory{start});
}

}  // namespace river_hier
