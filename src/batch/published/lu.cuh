/* SPDX-License-Identifier: Apache-2.0 */
/* LU of a sparse matrix in blocks, of Afanasyev and others 2015, section 3.4, values alone: the
 * pattern is known, as there.
 *
 * Taken literally: one block of 512 threads goes through the matrix line by line, all of them on
 * one line, with the five actions of the list: the line less products of what is before it, as a
 * sparse DAXPY (axpy.cuh); the diagonal block modified; factorised and inverted; the line's blocks
 * multiplied by the inverse, as a sparse DAXPY again; saved.
 * Not taken literally: the paper's lines are rows, and the diagonal is in its L. tulle's factors
 * have the diagonal in U, which is the same of the transpose, and so lines are block columns here:
 *
 *     A_ij := A_ij - L_ik U_kj for k < min(i, j), D_j := U_jj, L_ij := A_ij D_j^-1 for i > j.
 *
 * L and U share one array, where the line is from the beginning, so that the last action saves the
 * inverted diagonal block alone. Incomplete factors drop what their pattern lacks. */
#ifndef TULLE_BATCH_PUBLISHED_LU_CUH
#define TULLE_BATCH_PUBLISHED_LU_CUH

#include "batch/gpu/telling.cuh"
#include "batch/published/axpy.cuh"
#include "batch/published/columns.cuh"
#include "batch/published/inverse.cuh"
#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, int b>
class lu_column {
  public:
    using small = small_block<V, b>;
    static constexpr int warps = published_lu_threads / 32;

    GPU_FUNCTION lu_column(const tulle__task &t, shared<V> room, shared<V> memory,
                           shared<V> inverse, shared<double> sizes)
        : f_(t.factor.whole),
          F_(t.lines, static_cast<V *>(t.factor.whole.values)),
          room_(room),
          memory_(memory),
          inverse_(inverse),
          sizes_(sizes) {}

    /* The five actions on column j. All threads call it. */
    GPU_FUNCTION void take(int64_t j) {
        load(j);
        sync();
        update(j);
        invert(j);
        sync();
        multiply(j);
        if (g_.group == 0) F_.block(F_.diagonal(j))[g_.own()] = inverse_[g_.own()];
        sync();
    }

  private:
    const tulle__factor_task &f_;
    block_columns<V, b> F_;
    group_of<b> g_;
    shared<V> room_, memory_, inverse_; /* a number a thread; of small_block; b^2 */
    shared<double> sizes_;              /* a number a warp */

    GPU_FUNCTION double number(int64_t e, int64_t i, int64_t j, int q) const {
        return factor_number_of(f_.from, f_.n, b, e, i, j, q);
    }

    GPU_FUNCTION void load(int64_t j) const {
        const int64_t end = F_.begin(j + 1);
        for (int64_t p = F_.begin(j) + g_.group; p < end; p += g_.groups) {
            F_.block(p)[g_.own()] = static_cast<V>(number(F_.slot(p), F_.row(p), j, g_.own()));
        }
    }

    /* The numbers of column j above the diagonal have their last value when their turn comes. */
    GPU_FUNCTION void update(int64_t j) const {
        const int64_t diagonal = F_.diagonal(j), end = F_.begin(j + 1);
        for (int64_t p = F_.begin(j); p < diagonal; p++) {
            const int64_t k = F_.row(p), below = F_.diagonal(k) + 1,
                          count = F_.begin(k + 1) - below;
            const V *U = F_.block(p);
            axpy_blocks<V, b>(
                small(memory_, [&](int row, int col) { return U[row * b + col]; }), count, room_,
                [&](int64_t i, int row, int col) { return F_.block(below + i)[row * b + col]; },
                [&](int64_t i, int row, int col, V sum) {
                    const int64_t at = F_.row(below + i), to = F_.find(p + 1, end, at);
                    if (to < end && F_.row(to) == at) F_.block(to)[row * b + col] -= sum;
                });
            sync();
        }
    }

    /* The size of the largest number of block row j of A', where somebody asks whether pivots are
     * tiny. */
    GPU_FUNCTION double largest_of_row(int64_t j) const {
        if (f_.tiny == 0) return 0;
        const int64_t size = tulle_offset_size(f_.index);
        const int64_t end = tulle__get(f_.offsets, size, j + 1);
        double largest = 0;
        for (int64_t e = tulle__get(f_.offsets, size, j) + g_.group; e < end; e += g_.groups) {
            const int64_t col = tulle__get(f_.cols_of, tulle_index_size(f_.index), e);
            const double wide = number(e, j, col, g_.own()), other = wide < 0 ? -wide : wide;
            largest = other > largest ? other : largest;
        }
        for (int step = 16; step > 0; step /= 2) {
            const double other = shuffle_xor(full_warp, largest, step);
            largest = other > largest ? other : largest;
        }
        if (lane() == 0) sizes_[thread() / 32] = largest;
        sync();
        for (int w = 0; w < warps; w++) {
            const double other = sizes_[w];
            largest = other > largest ? other : largest;
        }
        return largest;
    }

    GPU_FUNCTION void invert(int64_t j) const {
        const double largest = largest_of_row(j);
        if (thread() >= 32) return;
        const int col = static_cast<int>(lane());
        const V *D = F_.block(F_.diagonal(j));
        const tulle__pivot_rule rule = tulle__rule_of(&f_);
        V column[b];
        GPU_UNROLL
        for (int r = 0; r < b; r++) {
            column[r] = col < b ? D[r * b + col] : col == b + r ? V(1) : V(0);
        }
        invert_columns<V, b>(column, [&](int k, V pivot) {
            const tulle__judged judged =
                tulle__weigh_pivot(&rule, static_cast<double>(pivot), largest);
            return static_cast<V>(factor_noted(judged, j * b + k, f_.seen));
        });
        if (col < b || col >= 2 * b) return;
        GPU_UNROLL
        for (int r = 0; r < b; r++) inverse_[r * b + col - b] = column[r];
    }

    GPU_FUNCTION void multiply(int64_t j) const {
        const int64_t below = F_.diagonal(j) + 1;
        const shared<V> inverse = inverse_;
        axpy_blocks<V, b>(
            small(memory_, [&](int row, int col) { return V(inverse[row * b + col]); }),
            F_.begin(j + 1) - below, room_,
            [&](int64_t i, int row, int col) { return F_.block(below + i)[row * b + col]; },
            [&](int64_t i, int row, int col, V product) {
                F_.block(below + i)[row * b + col] = product;
            });
    }
};

template <class V, int b>
GPU_KERNEL GPU_RESIDENT(published_lu_threads, 2) void lu_task(tulle__batch_job job, int first) {
    using column = lu_column<V, b>;
    GPU_SHARED(V, room, published_lu_threads);
    GPU_SHARED(V, memory, column::small::room);
    GPU_SHARED(V, inverse, b * b);
    GPU_SHARED(double, sizes, column::warps);
    const tulle__task &t = job.task[first + block()];
    column line(t, room, memory, inverse, sizes);
    forget_pivots(t.factor);
    for (int64_t j = 0; j < t.factor.whole.rows; j++) line.take(j);
    if (thread() == 0) tell(job, t, t.factor.whole.seen, t.factor.order);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
