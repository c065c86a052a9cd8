// Memory for large tables of zeros, in huge pages where Linux has them: faults at 4 kB each take longer than
// learning what is written there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace river_hier {

// Lists with this allocator begin with zeros, whatever their type says, and large ones take memory as it is used.
template <class T>
struct Zeros {
    using value_type = T;

    Zeros() = default;
    template <class U>
    Zeros(const Zeros<U>&) {}

    T* allocate(size_t n) {
        constexpr size_t huge = size_t{1} << 21;
        const size_t bytes = n * sizeof(T), whole = bytes < huge ? alignof(T) : huge;
        void* const memory = std::calloc(1, bytes + sizeof memory + whole);
        if (!memory) throw std::bad_alloc();
        const auto from = reinterpret_cast<uintptr_t>(memory) + sizeof memory;
        void** const first = reinterpret_cast<void**>((from + whole - 1) / whole * whole);
        first[-1] = memory;
#if defined(MADV_HUGEPAGE)
        if (bytes >= huge) madvise(first, bytes, MADV_HUGEPAGE);
#endif
        return reinterpret_cast<T*>(first);
    }

    void deallocate(T* first, size_t) { std::free(reinterpret_cast<void**>(first)[-1]); }

    template <class Item>
    void construct(Item*) {}

    template <class U>
    bool operator==(const Zeros<U>&) const { return true; }
    template <class U>
    bool operator!=(const Zeros<U>&) const { return false; }
};

}  // namespace river_hier
