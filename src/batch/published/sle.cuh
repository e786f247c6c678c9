/* SPDX-License-Identifier: Apache-2.0 */
/* SLE of Afanasyev and others 2015, section 3.5: L U X = B, where B has as many columns as blocks
 * have rows, by elimination with blocks in place of numbers.
 *
 * Taken literally: triangles are walked by block columns, of which the pattern was converted to CSC
 * before; diagonal blocks are there as LU has left them, inverted; 1024 threads.
 * Not taken literally: the paper prints no kernel. What a column takes from the rows below it is a
 * sparse DAXPY (axpy.cuh), X_i := X_i - L_ij X_j, as section 3.4 has it of LU; the unknowns are in
 * scratch, row by row and in the order of the factors, where B is brought, and X is fetched, with
 * the scales and the order that tulle's factors may have; alpha is any number. */
#ifndef TULLE_BATCH_PUBLISHED_SLE_CUH
#define TULLE_BATCH_PUBLISHED_SLE_CUH

#include "batch/gpu/telling.cuh"
#include "batch/published/axpy.cuh"
#include "batch/published/columns.cuh"
#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* alpha B into scratch, zeros behind its last row; and back, to X. */
template <class V, int b>
GPU_FUNCTION void fetch_or_bring(const tulle__task &t, V *x, bool back) {
    const tulle__task_solve &s = t.solve;
    const int64_t count = (s.n + b - 1) / b * b * b;
    for (int64_t e = thread(); e < count; e += block_size()) {
        const int64_t i = e / b, row = s.moved && s.order && i < s.n ? s.order[i] : i;
        const int col = static_cast<int>(e % b);
        if (i >= s.n) {
            if (!back) x[e] = 0;
            continue;
        }
        const double by = s.moved ? factor_scale_at(s.scale_type, s.scale[back], i) : 1;
        const V from = back ? x[e] : static_cast<V>(t.alpha) * *number_of<const V>(t.x, row, col);
        *(back ? number_of<V>(t.y, row, col) : x + e) =
            static_cast<V>(by * static_cast<double>(from));
    }
    sync();
}

template <class V, int b>
class solved_columns {
  public:
    using small = small_block<V, b>;
    GPU_FUNCTION solved_columns(const tulle__task &t, V *x, shared<V> room, shared<V> memory)
        : F_(t.lines, static_cast<V *>(const_cast<void *>(t.solve.values))),
          x_(x),
          room_(room),
          memory_(memory) {}

    /* X_j is known, or is once it is multiplied by the inverted diagonal block; then what it is
     * part of is less. */
    GPU_FUNCTION void take(int64_t j, bool lower, bool inverted) const {
        const int64_t diagonal = F_.diagonal(j), end = F_.begin(j + 1);
        V *X = x_ + j * b * b;
        if (inverted) {
            add(X, diagonal, 1, [](V, V product) { return product; });
        }
        const int64_t first = lower ? diagonal + 1 : F_.begin(j);
        add(X, first, (lower ? end : diagonal) - first,
            [](V old, V product) { return old - product; });
    }

  private:
    block_columns<V, b> F_;
    V *x_;
    shared<V> room_, memory_;

    /* X_i := now(X_i, (block i) X_j), number by number, for so many blocks of the column. */
    template <class Now>
    GPU_FUNCTION void add(const V *X, int64_t first, int64_t count, Now now) const {
        axpy_blocks<V, b>(
            small(memory_, [&](int row, int col) { return X[row * b + col]; }), count, room_,
            [&](int64_t i, int row, int col) { return F_.block(first + i)[row * b + col]; },
            [&](int64_t i, int row, int col, V product) {
                V *to = x_ + F_.row(first + i) * b * b + row * b + col;
                *to = now(*to, product);
            });
        sync();
    }
};

template <class V, int b>
GPU_KERNEL GPU_RESIDENT(published_threads, 2) void sle_task(tulle__batch_job job, int first) {
    using columns = solved_columns<V, b>;
    GPU_SHARED(V, room, published_threads);
    GPU_SHARED(V, memory, columns::small::room);
    const tulle__task &t = job.task[first + block()];
    const tulle__task_solve &s = t.solve;
    const int64_t count = (s.n + b - 1) / b;
    V *x = reinterpret_cast<V *>(job.scratch + t.first_scratch);
    const columns F(t, x, room, memory);
    fetch_or_bring<V, b>(t, x, false);
    for (int part = 0; part < s.parts; part++) {
        const bool lower = s.part[part].lower;
        const bool inverted = s.part[part].diagonal == TULLE__DIAGONAL_INVERTED;
        for (int64_t j = 0; j < count; j++) F.take(lower ? j : count - 1 - j, lower, inverted);
    }
    fetch_or_bring<V, b>(t, x, true);
    if (s.seen && thread() == 0) tell(job, t, s.seen, s.order);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
