// A checksum of what each loop writes, over many random numbers: the same for every kind of processor.

#include "hardware/loops.cpp"

#include <cstdio>
#include <random>
#include <vector>

using namespace river_hier;

namespace {

std::mt19937 source(1);

template <class T>
using Numbers = std::vector<Line<T>>;

template <class T>
T* begin(Numbers<T>& numbers) {
    return numbers.front().numbers;
}

template <class T>
Numbers<T> random(size_t n) {
    Numbers<T> lines(n / lanes<T>);
    for (size_t i = 0; i < n; ++i) begin(lines)[i] = static_cast<T>(source() / 2147483648.0 - 1.0);
    return lines;
}

size_t up_to(size_t n) { return source() % n; }

uint64_t hash = 14695981039346656037u;  // FNV-1a

void add_bytes(const void* written, size_t n) {
    for (size_t i = 0; i < n; ++i)
        hash = (hash ^ static_cast<const unsigned char*>(written)[i]) * 1099511628211u;
}

template <class T>
void add_numbers(const Numbers<T>& written) {
    add_bytes(written.data(), written.size() * sizeof(Line<T>));
}

template <class T>
void over_rows() {
    const size_t width = lanes<T> * (1 + up_to(14)), n = 1 + up_to(40);
    const size_t first = up_to(width), last = first + 1 + up_to(width - first);
    Numbers<T> matrix = random<T>(2 * n * width), sums = random<T>(width);  // w, and S - 1 behind
    Numbers<double> values = random<double>(whole_lines<double>(n));
    Numbers<double> steps = random<double>(whole_lines<double>(width)), confidences = steps;
    std::vector<T*> rows, variances;
    for (size_t i = 0; i < n; ++i) {
        rows.push_back(begin(matrix) + 2 * i * width);
        variances.push_back(rows.back() + width);
    }
    sum_rows<T>(rows.data(), begin(values), n, first, last, begin(sums));
    add_numbers(sums);
    step_rows<T>(rows.data(), begin(values), n, first, last, begin(steps));
    move_rows<T>(variances.data(), width, begin(values), n, first, last, begin(steps), begin(confidences));
    add_numbers(matrix);
}

void over_matrices() {
    const size_t whole = lanes<double> * (1 + up_to(12));
    Numbers<double> x = random<double>(whole), h = random<double>(whole), u = x;
    Numbers<double> matrix = random<double>(whole * whole);  // more than half of one
    for (const double* less : {static_cast<const double*>(nullptr), static_cast<const double*>(begin(h))})
        multiply_symmetric(begin(matrix), less, begin(x), whole, begin(u));
    add_numbers(matrix);
    add_numbers(u);
    for (const double number : {dot(begin(x), begin(h), whole), sum_exp(begin(x), 9.0, whole)})
        add_bytes(&number, sizeof number);
    add(0.3, begin(x), whole, begin(u));
    add_numbers(u);
}

}  // namespace

int main() {
    for (int round = 0; round < 2000; ++round) {
        over_rows<double>();
        over_rows<float>();
        over_matrices();
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
