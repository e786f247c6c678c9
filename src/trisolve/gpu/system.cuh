/* SPDX-License-Identifier: Apache-2.0 */
/* The system op(T) X = alpha B in the form that kernels of a GPU get: the schedule, A's blocks, B
 * and X. */
#ifndef TULLE_TRISOLVE_GPU_SYSTEM_CUH
#define TULLE_TRISOLVE_GPU_SYSTEM_CUH

#include "format/formats.h"
#include "gpu/scalar.cuh"
#include "trisolve/schedule.h"

namespace TULLE_GPU_NAMESPACE {

/* Values are stored as S and computed with as V; I is the type of the schedule's arrays. */
template <class S, class V, class I>
struct triangular {
    int64_t n, rows, vectors; /* number of scalar rows, of block rows, and of columns of X */
    const I *order, *begins, *places, *slots, *diagonals;
    const S *blocks;
    const uint32_t *mask; /* mask of the blocks; NULL: all cells are entries */
    const uint8_t *pivots;
    int size, words; /* size of a block, and number of words of its mask */
    tulle__diagonal diagonal;
    bool lower, turned; /* true when op(T) is lower; true when blocks are read transposed */
    scalar<V> alpha;
    const V *from; /* numbers of B */
    V *x;
    int64_t from_row, from_col, x_row, x_col;

    /* Returns the cell of number (r, c) of op(block). */
    GPU_FUNCTION int cell(int b, int r, int c) const { return turned ? c * b + r : r * b + c; }
    GPU_FUNCTION bool is_entry(int64_t slot, int cell) const {
        return !mask || (load(mask + slot * words + cell / 32) >> (cell % 32) & 1u);
    }
    GPU_FUNCTION V value(int64_t slot, int b, int cell) const {
        return static_cast<V>(load_once(blocks + slot * b * b + cell));
    }
};

template <class S, class V, class I>
triangular<S, V, I> make_triangular(const tulle__trisolve_task *task) {
    const tulle__schedule *s = task->schedule;
    const tulle__pattern_view *p = task->pattern;
    const bool some = p->format == TULLE_BSR && !p->storage.full;
    return {task->n,
            s->rows,
            task->vectors,
            static_cast<const I *>(s->order),
            static_cast<const I *>(s->begins),
            static_cast<const I *>(s->places),
            static_cast<const I *>(s->slots),
            static_cast<const I *>(s->diagonal),
            static_cast<const S *>(task->blocks),
            some ? static_cast<const uint32_t *>(p->mask) : nullptr,
            task->pivots,
            task->block,
            static_cast<int>(tulle__mask_words(static_cast<int64_t>(task->block) * task->block)),
            task->diagonal,
            task->upper == (task->op == TULLE_T),
            task->op == TULLE_T,
            make_scalar<V>(task->alpha),
            static_cast<const V *>(task->b.data),
            static_cast<V *>(task->x.data),
            task->b.row,
            task->b.col,
            task->x.row,
            task->x.col};
}

}  // namespace TULLE_GPU_NAMESPACE

/* The run table of run<stored, computed, index of the schedule>. */
#define TRISOLVE_RUN_ROW(run, S, V)                                                                \
    { run<S, V, int32_t>, run<S, V, int64_t>, run<S, V, int64_t> }
#ifdef __clang_analyzer__ /* see GPU_RUN_ALL */
#define TRISOLVE_RUN_ALL(run)                                                                      \
    {                                                                                              \
        {run<float, float, int64_t>}, {run<double, double, int32_t>}, {                            \
            run<float, double, int32_t>                                                            \
        }                                                                                          \
    }
#else
#define TRISOLVE_RUN_ALL(run)                                                                      \
    {                                                                                              \
        TRISOLVE_RUN_ROW(run, float, float), TRISOLVE_RUN_ROW(run, double, double),                \
            TRISOLVE_RUN_ROW(run, float, double)                                                   \
    }
#endif

/* TRISOLVE_PART makes the instances run<S, V, I>(task) of one pair of types in the part of that
 * number (gpu/parts.cuh). */
#define TRISOLVE_PART(number, run, S, V)                                                           \
    GPU_PART(number, tulle_status run<S, V, int32_t>(const tulle__trisolve_task *));               \
    GPU_PART(number, tulle_status run<S, V, int64_t>(const tulle__trisolve_task *))
#define TRISOLVE_PARTS_ALL(run)                                                                    \
    TRISOLVE_PART(1, run, float, float);                                                           \
    TRISOLVE_PART(2, run, double, double);                                                         \
    TRISOLVE_PART(3, run, float, double)

#endif
