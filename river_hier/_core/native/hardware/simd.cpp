// The loops over numbers, as wide as the processor allows.
//
// On x86 under gcc and clang they are compiled for AVX-512, AVX2 and plain SSE2, and chosen when the
// library is loaded. The sums are the same to the last bit: lanes are columns, each is summed in the
// order of the features, and products are not fused with sums (-ffp-contract=off).

#include "hardware/simd.hpp"

#include <cstring>

namespace river_hier {

#define RIVER_HIER_PART 16
namespace plain {
#include "hardware/loops.hpp"
}

#if defined(RIVER_HIER_TARGETS)
RIVER_HIER_TARGET_BEGIN("avx2")
#define RIVER_HIER_PART 32
namespace avx2 {
#include "hardware/loops.hpp"
}
RIVER_HIER_TARGET_END

RIVER_HIER_TARGET_BEGIN("avx512f")
#define RIVER_HIER_PART 64
namespace avx512 {
#include "hardware/loops.hpp"
}
RIVER_HIER_TARGET_END
#endif

namespace {

Loops chosen() {
#if defined(RIVER_HIER_TARGETS)
    __builtin_cpu_init();
    // The first processors with AVX-512 lowered their clock for it, and lacked this part of it.
    if (__builtin_cpu_supports("avx512vbmi2")) return avx512::loops;
    if (__builtin_cpu_supports("avx2")) return avx2::loops;
#endif
    return plain::loops;
}

}  // namespace

const Loops loops = chosen();

}  // namespace river_hier
