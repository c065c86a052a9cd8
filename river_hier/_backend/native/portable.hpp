// What C++17 leaves to compilers.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
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

// In front of a loop of few turns, whose numbers then stay in registers.
#if defined(__clang__)
#define RIVER_HIER_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define RIVER_HIER_UNROLL _Pragma("GCC unroll 8")
#else
#define RIVER_HIER_UNROLL
#endif

// For functions that are rare and need not be fast.
#if defined(__GNUC__)
#define RIVER_HIER_COLD __attribute__((cold))
#else
#define RIVER_HIER_COLD
#endif

#if defined(_MSC_VER)
#define RIVER_HIER_RESTRICT __restrict
#else
#define RIVER_HIER_RESTRICT __restrict__
#endif

namespace river_hier {

// Asks the processor to load a cache line that will be needed soon.
RIVER_HIER_INLINE void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
    (void)address;
#endif
}

// The position of the lowest bit that is set; there is one.
RIVER_HIER_INLINE size_t trailing_zeros(uint64_t bits) {
#if defined(__GNUC__)
    return static_cast<size_t>(__builtin_ctzll(bits));
#else
    size_t n = 0;
    for (; !(bits & 1); bits >>= 1) ++n;
    return n;
#endif
}

// The position of the highest bit that is set; there is one.
RIVER_HIER_INLINE size_t highest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return static_cast<size_t>(63 - __builtin_clzll(bits));
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long position;
    _BitScanReverse64(&position, bits);
    return position;
#else
    size_t n = 0;
    while (bits >>= 1) ++n;
    return n;
#endif
}

}  // namespace river_hier
