// What C++17 leaves to compilers.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

// For what is called in the innermost loops: a call empties the registers.
#if defined(__GNUC__)
#define RIVER_HIER_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define RIVER_HIER_INLINE __forceinline
#else
#define RIVER_HIER_INLINE inline
#endif

namespace river_hier {

// Asks the processor to load a cache line that will be needed soon.
RIVER_HIER_INLINE void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#elif defined(_M_X64)
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
    (void)address;
#endif
}

// The position of the highest bit that is set; at least one must be.
RIVER_HIER_INLINE size_t highest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return static_cast<size_t>(63 - __builtin_clzll(bits));
#else
    size_t n = 0;
    while (bits >>= 1) ++n;
    return n;
#endif
}

}  // namespace river_hier
