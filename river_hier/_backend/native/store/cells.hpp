// The numbers of a feature and a node: a weight or, with a variance, two.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace river_hier {

// Random numbers for rounding, 64 bits for each change of a node's weights by a feature: those of
// `dither` in reference/rounding.py. Without nodes, numbers are rounded to the nearest.
struct Dither {
    std::vector<uint64_t> of_nodes;

    uint64_t operator()(size_t node, size_t feature) const {
        return of_nodes.empty() ? 0x8000000080000000u : of_nodes[node] + feature * 0x9E3779B97F4A7C15u;
    }
};

// Plane 0 is the weight, plane 1 the variance less 1.
template <class T, size_t n_planes>
struct Cell {
    using Copy = T;  // the type of a copy of the weight

    double get(size_t plane) const { return numbers[plane]; }
    void set(size_t plane, double number, uint64_t) { numbers[plane] = static_cast<T>(number); }

    // As entry i of arrays of each plane.
    void save(void* const* planes, size_t i) const {
        for (size_t plane = 0; plane < n_planes; ++plane)
            static_cast<T*>(planes[plane])[i] = numbers[plane];
    }
    void load(const void* const* planes, size_t i) {
        for (size_t plane = 0; plane < n_planes; ++plane)
            numbers[plane] = static_cast<const T*>(planes[plane])[i];
    }

    bool zero() const {
        return std::all_of(numbers, numbers + n_planes, [](T number) { return number == 0; });
    }

    T numbers[n_planes];
};

// A weight of 16 bits and a variance of 8, rounded as in reference/rounding.py.
struct CompactCell {
    using Copy = float;

    double get(size_t plane) const {
        if (plane) return variances[bytes[2]];
        uint16_t half;
        std::memcpy(&half, bytes, sizeof half);
        const uint64_t bits = uint64_t{half & 0x8000u} << 48 | uint64_t{half & 0x7fffu} << 42;
        double number;
        std::memcpy(&number, &bits, sizeof number);
        return number * 0x1p1008;  // the difference of the exponents' offsets
    }

    void set(size_t plane, double number, uint64_t random) {
        if (plane) {
            const uint64_t low = random & 0xffffffff;
            const uint64_t code = (one - bits_of(std::clamp(1.0 + number, 0x1p-17, 1.0)) + (low << 16)) >> 48;
            bytes[2] = static_cast<uint8_t>(std::min<uint64_t>(code, 255));
            return;
        }
        const uint64_t high = random >> 32;
        const double size = std::fabs(number);
        uint64_t code;
        if (size < 0x1p-14)
            code = static_cast<uint64_t>(size * 0x1p24 + static_cast<double>(high) * 0x1p-32);
        else
            code = std::min<uint64_t>(((bits_of(size) + (high << 10)) >> 42) - (1008 << 10), 0x7bff);
        const auto half = static_cast<uint16_t>(code | (number < 0.0 ? 0x8000 : 0));
        std::memcpy(bytes, &half, sizeof half);
    }

    // Weights as float16, variances as codes.
    void save(void* const* planes, size_t i) const {
        std::memcpy(static_cast<uint8_t*>(planes[0]) + 2 * i, bytes, 2);
        static_cast<uint8_t*>(planes[1])[i] = bytes[2];
    }
    void load(const void* const* planes, size_t i) {
        std::memcpy(bytes, static_cast<const uint8_t*>(planes[0]) + 2 * i, 2);
        bytes[2] = static_cast<const uint8_t*>(planes[1])[i];
    }

    bool zero() const { return get(0) == 0.0 && !bytes[2]; }

    uint8_t bytes[3];

  private:
    static constexpr uint64_t one = uint64_t{1023} << 52;  // the bits of 1.0

    static uint64_t bits_of(double number) {
        uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        return bits;
    }

    static const std::array<double, 256> variances;
};

}  // namespace river_hier
