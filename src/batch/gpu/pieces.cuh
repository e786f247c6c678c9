/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of a task by one block of threads, of any size: rows from `begin` to `end`, of a sparse
 * matrix lines of blocks. */
#ifndef TULLE_BATCH_GPU_PIECES_CUH
#define TULLE_BATCH_GPU_PIECES_CUH

#include "batch/gpu/numbers.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Numbers of shared memory that a piece needs: a small matrix, or a sum a thread. */
constexpr int task_room = TULLE__MULTI_MOST * TULLE__MULTI_MOST;

/* The numbers of Y from row `begin` on, by their place in memory: neighbours side by side. */
struct numbers_of {
    int64_t begin, rows;
    int cols;
    bool by_row;
    GPU_FUNCTION numbers_of(const tulle__strided &y, int64_t first, int64_t count, int width)
        : begin(first), rows(count), cols(width), by_row(y.col == 1 && width > 1) {}
    GPU_FUNCTION int64_t count() const { return rows * cols; }
    GPU_FUNCTION int64_t row(int64_t e) const { return begin + (by_row ? e / cols : e % rows); }
    GPU_FUNCTION int col(int64_t e) const { return static_cast<int>(by_row ? e % cols : e / rows); }
};

template <class V>
GPU_FUNCTION void axpy_piece(const tulle__task &t, int64_t begin, int64_t end,
                             shared<double> room) {
    shared<V> a = part_of(shared<V>(room), 0, task_room);
    sync();
    for (int e = static_cast<int>(thread()); e < t.k1 * t.k2; e += static_cast<int>(block_size())) {
        a[e] = *number_of<const V>(t.a, e / t.k2, e % t.k2);
    }
    sync();
    const numbers_of y(t.y, begin, end - begin, t.k2);
    for (int64_t e = thread(); e < y.count(); e += block_size()) {
        const int64_t row = y.row(e);
        const int col = y.col(e);
        V sum = 0;
        for (int k = 0; k < t.k1; k++) {
            sum = fma(*number_of<const V>(t.x, row, k), V(a[k * t.k2 + col]), sum);
        }
        store_sum(t, row, col, sum);
    }
}

/* Threads that share out the rows of the same number of the result; 1 where these are more than
 * threads. */
GPU_FUNCTION int dot_groups(const tulle__task &t) {
    const int groups = static_cast<int>(block_size()) / (t.k1 * t.k2);
    return groups > 1 ? groups : 1;
}

/* Numbers of the result, by the block's threads, each added up in one order: put(e, sum). */
template <class V, class Put>
GPU_FUNCTION void dot_piece(const tulle__task &t, int64_t begin, int64_t end, shared<double> room,
                            Put put) {
    const int all = t.k1 * t.k2, groups = dot_groups(t);
    const int number = static_cast<int>(thread()) % all, group = static_cast<int>(thread()) / all;
    for (int first = 0; first < all; first += static_cast<int>(block_size())) {
        const int e = groups > 1 ? number : first + static_cast<int>(thread());
        double sum = 0;
        for (int64_t r = begin + group % groups; e < all && r < end; r += groups) {
            sum = fma(static_cast<double>(*number_of<const V>(t.x, r, e / t.k2)),
                      static_cast<double>(*number_of<const V>(t.a, r, e % t.k2)), sum);
        }
        sync();
        if (group < groups) room[thread()] = sum;
        sync();
        if (group > 0 || e >= all) continue;
        for (int g = 1; g < groups; g++) sum += room[g * all + e];
        put(e, sum);
    }
}

template <class V>
GPU_FUNCTION void store_dot(const tulle__task &t, int e, double sum) {
    V *to = number_of<V>(t.y, e / t.k2, e % t.k2);
    const double all = t.alpha * sum;
    *to = static_cast<V>(t.beta == 0 ? all : all + t.beta * static_cast<double>(*to));
}

/* Y := alpha X, or X as it is. */
template <class From, class V>
GPU_FUNCTION void each_piece(const tulle__task &t, int64_t begin, int64_t end) {
    const numbers_of y(t.y, begin, end - begin, t.k2);
    const V alpha = static_cast<V>(t.alpha);
    const bool scales = t.kind == TULLE__TASK_SCALE;
    for (int64_t e = thread(); e < y.count(); e += block_size()) {
        const int64_t row = y.row(e);
        const int col = y.col(e);
        const V x = static_cast<V>(*number_of<const From>(t.x, row, col));
        *number_of<V>(t.y, row, col) = scales ? alpha * x : x;
    }
}

template <class V>
GPU_FUNCTION V row_sum(const tulle__task &t, int64_t row, int col) {
    const tulle__pattern_view &A = t.A.lines;
    const int64_t b = t.A.block, w = t.A.wide, end = tulle__offset_at(&A, row / b + 1);
    const V *values = static_cast<const V *>(t.A.values);
    V sum = 0;
    for (int64_t k = tulle__offset_at(&A, row / b); k < end; k++) {
        const int64_t first = tulle__col_at(&A, k) * w, slot = tulle__task_slot(&t.A, k);
        for (int64_t j = 0; j < w && first + j < A.cols; j++) {
            const int64_t cell = tulle__task_cell(&t.A, row % b, j);
            if (!tulle__task_has(&t.A, slot, cell)) continue;
            sum = fma(values[slot * b * w + cell], *number_of<const V>(t.x, first + j, col), sum);
        }
    }
    return sum;
}

template <class V>
GPU_FUNCTION void spmm_piece(const tulle__task &t, int64_t begin, int64_t end) {
    const int64_t first = begin * t.A.block, behind = end * t.A.block;
    const int64_t last = behind < t.A.lines.rows ? behind : t.A.lines.rows;
    const numbers_of y(t.y, first, last - first, t.k2);
    for (int64_t e = thread(); e < y.count(); e += block_size()) {
        store_sum(t, y.row(e), y.col(e), row_sum<V>(t, y.row(e), y.col(e)));
    }
}

/* put(e, sum): what becomes of a dot's numbers. All threads of the block call it. */
template <class V, class Put>
GPU_FUNCTION void run_piece(const tulle__task &t, int64_t begin, int64_t end, shared<double> room,
                            Put put) {
    switch (t.kind) {
        case TULLE__TASK_AXPY:
            return axpy_piece<V>(t, begin, end, room);
        case TULLE__TASK_DOT:
            return dot_piece<V>(t, begin, end, room, put);
        case TULLE__TASK_SPMM:
            return spmm_piece<V>(t, begin, end);
        case TULLE__TASK_SCALE:
        case TULLE__TASK_COPY:
            if (t.from == TULLE_F32) return each_piece<float, V>(t, begin, end);
            return each_piece<double, V>(t, begin, end);
        case TULLE__TASK_FACTOR:
        case TULLE__TASK_SOLVE:
        case TULLE__TASK_NORM2:
        case TULLE__TASK_NORM_MAX:
            return; /* by kernels and pieces of their own */
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
