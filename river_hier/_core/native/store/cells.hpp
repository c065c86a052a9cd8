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

// A weight of 14 bits and a variance of 10, rounded as in reference/rounding.py. The first two bytes
// hold all of the weight, so that scoring reads no others.
struct CompactCell {
    using Copy = float;

    double get(size_t plane) const {
        if (plane) return from_bits(one - (variance() << 46)) - 1.0;
        const int code = half() >> 2;
        return std::copysign(from_bits((static_cast<uint64_t>(std::abs(code)) << 44) + least) - smallest, code);
    }

    void set(size_t plane, double number, uint64_t random) {
        if (plane) {
            const uint64_t bits = bits_of(std::clamp(1.0 + number, 0x1.04p-16, 1.0));
            return put(half() >> 2, (one - bits + (random << 32 >> 18)) >> 46);
        }
        const uint64_t bits = bits_of(std::min(std::fabs(number), largest) + smallest);
        const auto code = static_cast<int>((bits - least + (random >> 20)) >> 44);
        put(number < 0.0 ? -code : code, variance());
    }

    // The codes.
    void save(void* const* planes, size_t i) const {
        static_cast<int16_t*>(planes[0])[i] = static_cast<int16_t>(half() >> 2);
        static_cast<uint16_t*>(planes[1])[i] = static_cast<uint16_t>(variance());
    }
    void load(const void* const* planes, size_t i) {
        put(static_cast<const int16_t*>(planes[0])[i], static_cast<const uint16_t*>(planes[1])[i]);
    }

    bool zero() const { return !(half() >> 2) && !variance(); }

    uint8_t bytes[3];

  private:
    static constexpr double smallest = 0x1p-16, largest = 0x1.ffp15 - smallest;
    static constexpr uint64_t one = uint64_t{1023} << 52, least = uint64_t{1007} << 52;  // the bits of 1.0 and 2^-16

    int16_t half() const {
        int16_t half;
        std::memcpy(&half, bytes, sizeof half);
        return half;
    }
    uint64_t variance() const { return (half() & 3u) << 8 | bytes[2]; }

    void put(int weight, uint64_t variance) {
        const auto half = static_cast<int16_t>(weight * 4 + static_cast<int>(variance >> 8));
        std::memcpy(bytes, &half, sizeof half);
        bytes[2] = static_cast<uint8_t>(variance);
    }

    static uint64_t bits_of(double number) {
        uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    static double from_bits(uint64_t bits) {
        double number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    }
};

}  // namespace river_hier
