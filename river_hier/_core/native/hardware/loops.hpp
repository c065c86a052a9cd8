// The loops over numbers for one instruction set, whose registers hold RIVER_HIER_PART bytes. simd.cpp
// includes this for each set, in a namespace of its own.

namespace {

// The numbers of a cache line, in parts as wide as a register; gcc would keep wider ones in memory.
template <class T>
struct Lanes {
#if defined(__GNUC__)
    typedef T Part __attribute__((vector_size(RIVER_HIER_PART)));
    typedef uint64_t Bits __attribute__((vector_size(RIVER_HIER_PART)));
#else
    typedef T Part;
    typedef uint64_t Bits;
#endif
    static constexpr size_t n = line / sizeof(Part);
    Part parts[n] = {};

    RIVER_HIER_INLINE void add_product(T a, const Lanes& b) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) parts[k] += a * b.parts[k];
    }
    RIVER_HIER_INLINE void add_product(const Lanes& a, const Lanes& b) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) parts[k] += a.parts[k] * b.parts[k];
    }
    // e^(x - most) for x up to most, within 1e-14 of it; no less than e^-708.
    RIVER_HIER_INLINE void exponentiate(T most) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) {
            const Part least = Part{} - 708.0, x = parts[k] - most > least ? parts[k] - most : least;
            const Part shifted = x * 0x1.71547652b82fep0 + 0x1.8p52;  // x / log 2, rounded
            const Part whole = shifted - 0x1.8p52;
            const Part r = (x - whole * 0x1.62e42feep-1) - whole * 0x1.a39ef35793c76p-33;
            Part e = r * (1.0 / 39916800) + 1.0 / 3628800;  // e^r, by Taylor
            e = ((e * r + 1.0 / 362880) * r + 1.0 / 40320) * r + 1.0 / 5040;
            e = ((e * r + 1.0 / 720) * r + 1.0 / 120) * r + 1.0 / 24;
            e = (((e * r + 1.0 / 6) * r + 0.5) * r + 1.0) * r + 1.0;
            Bits power, bits;
            std::memcpy(&power, &shifted, sizeof(Bits));
            std::memcpy(&bits, &e, sizeof(Bits));
            bits += power << 52;  // times 2^whole
            std::memcpy(&parts[k], &bits, sizeof(Bits));
        }
    }
    RIVER_HIER_INLINE void load(const T* from) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) std::memcpy(&parts[k], from + k * lanes<T> / n, sizeof(Part));
    }
    RIVER_HIER_INLINE void store(T* to) const {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) std::memcpy(to + k * lanes<T> / n, &parts[k], sizeof(Part));
    }
};

RIVER_HIER_INLINE double sum_of(const Lanes<double>& parts) {
    double p[lanes<double>], q[4];
    parts.store(p);
    for (size_t k = 0; k < 4; ++k) q[k] = p[k] + p[k + 4];
    return (q[0] + q[1]) + (q[2] + q[3]);
}

// sums[first : first + N lines] = the sum of values[i] * rows[i][the same columns].
template <class T, size_t N>
RIVER_HIER_INLINE void sum_lines(const T* const* rows, const double* values, size_t n, size_t first,
                                 T* sums) {
    Lanes<T> total[N];
    for (size_t i = 0; i < n; ++i) {
        const T* row = rows[i] + first;
        const T value = static_cast<T>(values[i]);
        for (size_t k = 0; k < N; ++k) {
            Lanes<T> part;
            part.load(row + k * lanes<T>);
            total[k].add_product(value, part);
        }
    }
    for (size_t k = 0; k < N; ++k) total[k].store(sums + first + k * lanes<T>);
}

// The same for any number of lines, up to N at a time.
template <class T, size_t N>
RIVER_HIER_INLINE void sum_pieces(const T* const* rows, const double* values, size_t n, size_t first,
                                  size_t last, T* sums) {
    for (; first + (N - 1) * lanes<T> < last; first += N * lanes<T>)
        sum_lines<T, N>(rows, values, n, first, sums);
    if constexpr (N > 1) sum_pieces<T, N / 2>(rows, values, n, first, last, sums);
}

template <class T>
void sum_rows(const T* const* rows, const double* values, size_t n, size_t first, size_t last,
              T* sums) {
    constexpr size_t most = RIVER_HIER_PART / 8;  // lines whose sums stay in registers
    sum_pieces<T, most>(rows, values, n, first - first % lanes<T>, last, sums);
}

// The numbers of a line, computed in double. The compiler vectorises the loop.
template <class T>
RIVER_HIER_INLINE void step_line(T* __restrict w, double value, const double* __restrict steps) {
    for (size_t k = 0; k < lanes<T>; ++k) w[k] = static_cast<T>(w[k] + value * steps[k]);
}

template <class T>
RIVER_HIER_INLINE void move_line(T* __restrict w, T* __restrict s, double value,
                                 const double* __restrict steps,
                                 const double* __restrict confidences) {
    for (size_t k = 0; k < lanes<T>; ++k) {
        const double move = (1.0 + s[k]) * value;  // S x
        w[k] = static_cast<T>(w[k] + move * steps[k]);
        s[k] = static_cast<T>(s[k] - confidences[k] * move * move);
    }
}

template <class T>
void step_rows(T* const* rows, const double* values, size_t n, size_t first, size_t last,
               const double* steps) {
    first -= first % lanes<T>;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = first; j < last; j += lanes<T>)
            step_line(rows[i] + j, values[i], steps + j);
}

template <class T>
void move_rows(T* const* rows, size_t before, const double* values, size_t n, size_t first,
               size_t last, const double* steps, const double* confidences) {
    first -= first % lanes<T>;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = first; j < last; j += lanes<T>)
            move_line(rows[i] - before + j, rows[i] + j, values[i], steps + j, confidences + j);
}

template <bool subtract>
RIVER_HIER_INLINE void multiply(double* const* rows, const double* h, const double* x, size_t whole,
                                double* u) {
    constexpr size_t ahead = 64 * lanes<double>;  // of the prefetch
    for (size_t i = 0; i < whole; i += strip) {
        Lanes<double> total[strip], row, part, sum, less;
        for (size_t j = i - i % lanes<double>; j < whole; j += lanes<double>) {
            part.load(x + j);
            sum.load(u + j);
            if (subtract) less.load(h + j);
            RIVER_HIER_UNROLL
            for (size_t r = 0; r < strip; ++r) {
                double* numbers = rows[i + r] + j;
                prefetch(numbers + ahead);
                row.load(numbers);
                if (subtract) {
                    row.add_product(-h[i + r], less);
                    row.store(numbers);
                }
                total[r].add_product(row, part);
                if (j > i) sum.add_product(x[i + r], row);  // these stand for two elements each
            }
            if (j > i) sum.store(u + j);
        }
        RIVER_HIER_UNROLL
        for (size_t r = 0; r < strip; ++r) u[i + r] += sum_of(total[r]);
    }
}

void multiply_symmetric(double* const* rows, const double* h, const double* x, size_t whole,
                        double* u) {
    h ? multiply<true>(rows, h, x, whole, u) : multiply<false>(rows, h, x, whole, u);
}

double dot(const double* a, const double* b, size_t whole) {
    constexpr size_t ahead = 128 * lanes<double>;  // farther than processors prefetch by themselves
    constexpr size_t n = 4;  // sums in turn, as each waits for the one before
    Lanes<double> totals[n], left, right;
    for (size_t j = 0; j < whole; j += n * lanes<double>) {
        RIVER_HIER_UNROLL
        for (size_t k = 0; k < n; ++k) {
            const size_t at = j + k * lanes<double>;
            if (at >= whole) break;
            prefetch(a + at + ahead);
            left.load(a + at);
            right.load(b + at);
            totals[k].add_product(left, right);
        }
    }
    return (sum_of(totals[0]) + sum_of(totals[1])) + (sum_of(totals[2]) + sum_of(totals[3]));
}

void add(double a, const double* y, const double* next, size_t whole, double* x) {
    Lanes<double> total, part;
    for (size_t j = 0; j < whole; j += lanes<double>) {
        prefetch(next + j);
        total.load(x + j);
        part.load(y + j);
        total.add_product(a, part);
        total.store(x + j);
    }
}

double sum_exp(const double* x, double most, size_t whole) {
    Lanes<double> total, part;
    for (size_t j = 0; j < whole; j += lanes<double>) {
        part.load(x + j);
        part.exponentiate(most);
        total.add_product(1.0, part);
    }
    return sum_of(total);
}

template <class T>
constexpr RowLoops<T> over_rows = {sum_rows<T>, step_rows<T>, move_rows<T>};

constexpr Loops loops = {over_rows<double>, over_rows<float>, multiply_symmetric, dot, add, sum_exp};

}  // namespace

#undef RIVER_HIER_PART
