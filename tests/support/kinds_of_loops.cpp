// Prints a digest of the bits that all loops give on the same random numbers.

#include "hardware/loops.cpp"

#include <cstdio>
#include <random>
#include <vector>

using namespace river_hier;

namespace {

std::mt19937 source(1);
uint64_t digest = 14695981039346656037u;  // FNV-1a

template <class T>
using Numbers = std::vector<T>;

// Not std::normal_distribution: libraries differ in it.
template <class T>
Numbers<T> random(size_t n) {
    Numbers<T> numbers(n);
    for (T& number : numbers) number = static_cast<T>(source() * 0x1p-30 - 2.0);
    return numbers;
}

size_t up_to(size_t n) { return source() % n; }

template <class T>
void read(const Numbers<T>& numbers) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
    for (size_t i = 0; i < numbers.size() * sizeof(T); ++i) digest = (digest ^ bytes[i]) * 1099511628211u;
}

template <class T>
void over_rows() {
    const size_t width = lanes<T> * (1 + up_to(14)), n = 1 + up_to(40);
    const size_t first = up_to(width), last = first + 1 + up_to(width - first);
    Numbers<T> matrix = random<T>(2 * n * width), sums(width);  // weights, and S - 1 behind them
    const Numbers<double> values = random<double>(n), steps = random<double>(width),
                          confidences = random<double>(width);
    Numbers<T*> rows;
    for (size_t i = 0; i < n; ++i) rows.push_back(&matrix[2 * i * width]);
    sum_rows<T>(rows.data(), values.data(), n, first, last, sums.data());
    step_rows<T>(rows.data(), values.data(), n, first, last, steps.data());
    move_rows<T>(rows.data(), width, values.data(), n, first, last, steps.data(), confidences.data());
    read(matrix);
    read(sums);
}

void over_matrices() {
    const size_t whole = lanes<double> * (1 + up_to(12));
    const Numbers<double> x = random<double>(whole), h = random<double>(whole);
    Numbers<double> matrix = random<double>(whole * whole), u = x, powers = x, sums;
    for (const double* less : {static_cast<const double*>(nullptr), h.data()})
        multiply_symmetric(matrix.data(), less, x.data(), whole, u.data());
    sums = {dot(x.data(), h.data(), whole), exponentials(powers.data(), 9.0, 0.7, whole)};
    add(0.3, h.data(), whole, u.data());
    read(matrix);
    read(u);
    read(powers);
    read(sums);
}

}  // namespace

int main() {
    for (int round = 0; round < 2000; ++round) {
        over_rows<double>();
        over_rows<float>();
        over_matrices();
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(digest));
}
