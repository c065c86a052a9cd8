// Checksums of names, which are the same in every process.
#pragma once

#include <array>
#include <cstdint>

namespace river_hier {

// CRC-32 as in zlib.
inline uint32_t checksum(const char* text, size_t size) {
    static const auto of_byte = [] {
        std::array<uint32_t, 256> sums;
        for (uint32_t byte = 0; byte < 256; ++byte) {
            sums[byte] = byte;
            for (int bit = 0; bit < 8; ++bit)
                sums[byte] = sums[byte] & 1 ? 0xEDB88320u ^ sums[byte] >> 1 : sums[byte] >> 1;
        }
        return sums;
    }();
    uint32_t sum = ~0u;
    for (size_t i = 0; i < size; ++i)
        sum = of_byte[(sum ^ static_cast<unsigned char>(text[i])) & 0xFF] ^ sum >> 8;
    return ~sum;
}

}  // namespace river_hier
