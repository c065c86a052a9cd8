// The loops over numbers, as wide as the processor allows.
//
// On x86 under gcc they are compiled for AVX-512, AVX2 and plain SSE2, and the right ones are chosen
// when the library is loaded. The sums are the same to the last bit: lanes are columns, each is
// summed in the order of the features, and products are not fused with sums (-ffp-contract=off).

#include "simd.hpp"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(RIVER_HIER_SANITIZE)
#define RIVER_HIER_KINDS
#include <cpuid.h>
#endif

namespace river_hier {

#define RIVER_HIER_PART 16
namespace plain {
namespace {
#include "loops.hpp"
}
}  // namespace plain
#undef RIVER_HIER_PART

#if defined(RIVER_HIER_KINDS)

#pragma GCC push_options
#pragma GCC target("avx2")
#define RIVER_HIER_PART 32
namespace avx2 {
namespace {
#include "loops.hpp"
}
}  // namespace avx2
#undef RIVER_HIER_PART
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f")
#define RIVER_HIER_PART 64
namespace avx512 {
namespace {
#include "loops.hpp"
}
}  // namespace avx512
#undef RIVER_HIER_PART
#pragma GCC pop_options

#endif

namespace {

#if defined(RIVER_HIER_KINDS)

// What the processor has and the system saves. (gcc's own __builtin_cpu_supports is a sixtieth of the
// library: it knows every processor by name.)
struct Processor {
    Processor() {
        unsigned a, b, c, d;
        if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return;
        unsigned saved;
        __asm__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
        constexpr unsigned avx_registers = 0x06, avx512_registers = 0xe6;
        avx2 = b & bit_AVX2 && (saved & avx_registers) == avx_registers;
        avx512vbmi2 = c & bit_AVX512VBMI2 && (saved & avx512_registers) == avx512_registers;
    }

    bool avx2 = false, avx512vbmi2 = false;
};

#endif

Loops chosen() {
#if defined(RIVER_HIER_KINDS)
    const Processor processor;
    // The first processors with AVX-512 lowered their clock for it, and had not this part of it.
    if (processor.avx512vbmi2) return avx512::loops;
    if (processor.avx2) return avx2::loops;
#endif
    return plain::loops;
}

}  // namespace

const Loops loops = chosen();

}  // namespace river_hier
