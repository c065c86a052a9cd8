// The loops for every kind of processor that this one can run, on the same numbers: the same bits.
//
// Prints each kind that was compared, or the loop in which one differs. What makes the numbers is as
// slow and simple as can be.

#include "hardware/simd.cpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace river_hier;

namespace {

std::mt19937 source(1);

template <class T>
using Numbers = std::vector<T>;

template <class T>
Numbers<T> random(size_t n) {
    std::normal_distribution<T> normal;
    Numbers<T> numbers(n);
    for (T& number : numbers) number = normal(source);
    return numbers;
}

size_t up_to(size_t n) { return source() % n; }

template <class T>
std::vector<T*> rows_of(Numbers<T>& matrix, size_t width) {
    std::vector<T*> rows;
    for (size_t i = 0; i < matrix.size(); i += width) rows.push_back(&matrix[i]);
    return rows;
}

template <class T>
void compare(const char* loop, const Numbers<T>& a, const Numbers<T>& b) {
    if (std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) return;
    std::printf("%s differs\n", loop);
    std::exit(1);
}

// Run a loop of either kind on copies of the same numbers, and compare what they have written.
template <class T, class Run>
void both(const char* loop, const Numbers<T>& written, const Loops& other, Run run) {
    Numbers<T> a = written, b = written;
    run(plain::loops, a);
    run(other, b);
    compare(loop, a, b);
}

template <class T>
void over_rows(const Loops& kind) {
    const size_t width = lanes<T> * (1 + up_to(14)), n = 1 + up_to(40);
    const size_t first = up_to(width), last = first + 1 + up_to(width - first);
    Numbers<T> matrix = random<T>(2 * n * width);  // weights, and S - 1 behind them
    const Numbers<double> values = random<double>(n), steps = random<double>(width),
                          confidences = random<double>(width);
    both<T>("sum_rows", random<T>(width), kind, [&](const RowLoops<T>& loops, Numbers<T>& sums) {
        loops.sum_rows(rows_of(matrix, 2 * width).data(), values.data(), n, first, last, sums.data());
    });
    both<T>("step_rows", matrix, kind, [&](const RowLoops<T>& loops, Numbers<T>& m) {
        loops.step_rows(rows_of(m, 2 * width).data(), values.data(), n, first, last, steps.data());
    });
    both<T>("move_rows", matrix, kind, [&](const RowLoops<T>& loops, Numbers<T>& m) {
        std::vector<T*> rows = rows_of(m, 2 * width);
        for (T*& row : rows) row += width;
        loops.move_rows(rows.data(), width, values.data(), n, first, last, steps.data(),
                        confidences.data());
    });
}

void over_matrices(const Loops& kind) {
    const size_t whole = lanes<double> * (1 + up_to(12));
    const Numbers<double> x = random<double>(whole), h = random<double>(whole);
    Numbers<double> matrix = random<double>(whole * whole);
    for (const double* less : {static_cast<const double*>(nullptr), h.data()})
        both<double>("multiply_symmetric", matrix, kind, [&](const Loops& loops, Numbers<double>& A) {
            Numbers<double> u = x;
            loops.multiply_symmetric(rows_of(A, whole).data(), less, x.data(), whole, u.data());
            A.insert(A.end(), u.begin(), u.end());
        });
    both<double>("dot", {0.0}, kind, [&](const Loops& loops, Numbers<double>& product) {
        product[0] = loops.dot(x.data(), h.data(), whole);
    });
    both<double>("sum_exp", {0.0}, kind, [&](const Loops& loops, Numbers<double>& sum) {
        sum[0] = loops.sum_exp(x.data(), 9.0, whole);
    });
}

[[maybe_unused]] void check(const char* name, const Loops& kind) {
    for (int round = 0; round < 2000; ++round) {
        over_rows<double>(kind);
        over_rows<float>(kind);
        over_matrices(kind);
    }
    std::printf("%s\n", name);
}

}  // namespace

int main() {
#if defined(RIVER_HIER_TARGETS)
    if (__builtin_cpu_supports("avx2")) check("avx2", avx2::loops);
    if (__builtin_cpu_supports("avx512f")) check("avx512", avx512::loops);
#endif
}
