/* SPDX-License-Identifier: Apache-2.0 */
/* MVM and MVMT of Afanasyev and others 2015, section 3.3: Y := Y +- op(A) X, where A has b x b
 * blocks and X has b columns.
 *
 * Taken literally: block rows with as many blocks each are brought together through an index array
 * alone, once for each matrix; the kernel goes through these sets of rows; b^2 threads have a row,
 * and take its blocks one after the other, each with its block of X, into shared memory; of the
 * transpose the pattern is converted to CSC first, and the same kernel walks block columns.
 * Not taken literally: where a set of rows ends is found by bisection in the index array
 * (matrix/block_lines.h), which is what an array of structures for the sets would say; the printed
 * kernel forgets the first row of a set, numbers Y by blocks, and has barriers that some threads do
 * not reach, all of which is mended; cells that are no entries are skipped, and rows and columns
 * behind the matrix's end are none; alpha and beta are any numbers. */
#ifndef TULLE_BATCH_PUBLISHED_PRODUCT_CUH
#define TULLE_BATCH_PUBLISHED_PRODUCT_CUH

#include "batch/published/groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Block rows of op(A) in the order of the index array. */
class ordered_lines {
  public:
    GPU_FUNCTION explicit ordered_lines(const tulle__task &t) : t_(t) {}
    GPU_FUNCTION int64_t line(int64_t place) const {
        return tulle__get(t_.lines.order, tulle_index_size(t_.A.lines.index), place);
    }
    GPU_FUNCTION int64_t blocks(int64_t place) const {
        const int64_t i = line(place);
        return tulle__offset_at(&t_.A.lines, i + 1) - tulle__offset_at(&t_.A.lines, i);
    }
    /* The end of the rows that have as many blocks as the row at this place: the rows stand by
     * falling number of blocks. */
    GPU_FUNCTION int64_t end_of_set(int64_t place) const {
        const int64_t count = blocks(place);
        int64_t begin = place + 1, end = t_.units;
        while (begin < end) {
            const int64_t middle = begin + (end - begin) / 2;
            if (blocks(middle) < count) {
                end = middle;
            } else {
                begin = middle + 1;
            }
        }
        return begin;
    }

  private:
    const tulle__task &t_;
};

/* A thread's number of a block of op(A) and of the block of X that it is multiplied by. */
template <class V, int b>
class product_blocks {
  public:
    GPU_FUNCTION product_blocks(const tulle__task &t, shared<V> a, shared<V> x)
        : t_(t), A_(a + g_.group * g_.size), X_(x + g_.group * g_.size) {}

    /* Block k of the lines into shared memory. */
    GPU_FUNCTION void load(int64_t k) {
        const int64_t first = tulle__col_at(&t_.A.lines, k) * b, cols = t_.A.lines.cols;
        const V *values = static_cast<const V *>(t_.A.values);
        slot_ = tulle__task_slot(&t_.A, k);
        A_[g_.own()] = first + g_.col < cols ? values[slot_ * b * b + cell(g_.row, g_.col)] : V(0);
        X_[g_.own()] =
            first + g_.row < cols ? *number_of<const V>(t_.x, first + g_.row, g_.col) : V(0);
    }
    GPU_FUNCTION V multiply(V sum) const {
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            if (t_.A.masked && !tulle__task_has(&t_.A, slot_, cell(g_.row, m))) continue;
            sum = fma(V(A_[g_.row * b + m]), V(X_[m * b + g_.col]), sum);
        }
        return sum;
    }

  private:
    const tulle__task &t_;
    group_of<b> g_;
    shared<V> A_, X_;
    int64_t slot_ = 0;

    GPU_FUNCTION int cell(int row, int col) const {
        return t_.A.turned ? col * b + row : row * b + col;
    }
};

template <class V, int b>
GPU_KERNEL GPU_RESIDENT(published_threads, 2) void product_task(const tulle__task *task) {
    GPU_SHARED(V, all_a, published_threads);
    GPU_SHARED(V, all_x, published_threads);
    const tulle__task &t = task[block()];
    const group_of<b> g;
    const ordered_lines lines(t);
    product_blocks<V, b> work(t, all_a, all_x);
    for (int64_t begin = 0, end; begin < t.units; begin = end) {
        end = lines.end_of_set(begin);
        const int64_t count = lines.blocks(begin);
        for (int64_t place = begin + g.group; place - g.group < end; place += g.groups) {
            const bool works = place < end;
            const int64_t line = works ? lines.line(place) : 0;
            const int64_t first = works ? tulle__offset_at(&t.A.lines, line) : 0;
            V sum = 0;
            for (int64_t k = 0; k < count; k++) {
                if (works) work.load(first + k);
                sync();
                if (works) sum = work.multiply(sum);
                sync();
            }
            const int64_t row = line * b + g.row;
            if (works && row < t.A.lines.rows) store_sum(t, row, g.col, sum);
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
