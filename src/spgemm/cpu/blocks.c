/* SPDX-License-Identifier: Apache-2.0 */
/* Products in blocks: a thread has a row of blocks of C at a time, as Gustavson has a row (1978). A
 * table of all block columns, one for each thread, says where the row's blocks of C are; a block
 * of A meets each block of its row of B, and their product is added to C's block. The loops of the
 * usual shapes have bounds that the compiler knows. */
#ifndef VALUE

#include <omp.h>

#include "core/context.h"
#include "core/threads/sizes.h"
#include "spgemm/functions.h"

/* Calls one of the function's copies, each compiled for blocks of its own shapes: square ones, and
 * those between displacements and rigid motions in the plane and in space. */
#define SHAPE(r, k, c) ((r)*32 * 32 + (k)*32 + (c))
#define COPY(r, k, c, call)                                                                        \
    case SHAPE(r, k, c):                                                                           \
        call(r, k, c);                                                                             \
        break;
#define BY_SHAPES(r, k, c, call)                                                                   \
    switch (SHAPE(r, k, c)) {                                                                      \
        COPY(1, 1, 1, call)                                                                        \
        COPY(2, 2, 2, call)                                                                        \
        COPY(3, 3, 3, call)                                                                        \
        COPY(4, 4, 4, call)                                                                        \
        COPY(6, 6, 6, call)                                                                        \
        COPY(8, 8, 8, call)                                                                        \
        COPY(2, 2, 3, call)                                                                        \
        COPY(3, 2, 3, call)                                                                        \
        COPY(3, 3, 6, call)                                                                        \
        COPY(6, 3, 6, call)                                                                        \
        default:                                                                                   \
            call(r, k, c);                                                                         \
    }

#define TULLE__SELF "spgemm/cpu/blocks.c"
#include "core/each_value.h"

extern const tulle__blocks_kernel tulle__cpu_blocks_rows;
const tulle__blocks_kernel tulle__cpu_blocks_rows = {
    .head = {.name = "blocks_rows",
             .summary = "a thread a row of blocks; products of dense blocks added in C's blocks",
             .source = "Gustavson's rows, 1978, of blocks",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = {run_f32, run_f64},
};

/* True when each block of the product's row i has a place in C. */
static bool row_is_inside(const tulle__blocks_task *task, int64_t i) {
    const int64_t begin = tulle__block_offset(&task->c, i),
                  end = tulle__block_offset(&task->c, i + 1);
    for (int64_t p = tulle__block_offset(&task->a, i); p < tulle__block_offset(&task->a, i + 1);
         p++) {
        const int64_t row = tulle__block_column(&task->a, p);
        const int64_t last = tulle__block_offset(&task->b, row + 1);
        for (int64_t q = tulle__block_offset(&task->b, row); q < last; q++) {
            if (tulle__block_at(&task->c, begin, end, tulle__block_column(&task->b, q)) < 0) {
                return false;
            }
        }
    }
    return true;
}

tulle_status tulle__cpu_find_outside_blocks(const tulle__blocks_task *task, int64_t *host_outside) {
    int64_t first = INT64_MAX;
    const int threads = tulle__threads_for(task->place, TULLE__WORK_ENTRIES, task->c.blocks);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) reduction(min : first)
    for (int64_t i = 0; i < task->a.rows; i++) {
        if (i < first && !row_is_inside(task, i)) first = i;
    }
    *host_outside = first < INT64_MAX ? first : -1;
    return TULLE_OK;
}

#else /* once for each value type */

/* Computes c += a b, blocks of tall x inner and inner x wide numbers. */
static inline __attribute__((always_inline)) void NAME(add_product)(const int tall, const int inner,
                                                                    const int wide,
                                                                    const VALUE *restrict a,
                                                                    const VALUE *restrict b,
                                                                    VALUE *restrict c) {
    for (int r = 0; r < tall; r++) {
        for (int k = 0; k < inner; k++) {
            const VALUE factor = a[r * inner + k];
            for (int j = 0; j < wide; j++) c[r * wide + j] += factor * b[k * wide + j];
        }
    }
}

/* Computes row i of C. place: for each block column, the block of C's row there. Sums begin at -0,
 * to which any term is added without a change. */
static inline __attribute__((always_inline)) void NAME(sum_row)(const tulle__blocks_task *task,
                                                                int64_t i, const int tall,
                                                                const int inner, const int wide,
                                                                int64_t *place, VALUE alpha) {
    const tulle__block_operand *a = &task->a, *b = &task->b, *c = &task->c;
    const int64_t begin = tulle__block_offset(c, i), end = tulle__block_offset(c, i + 1);
    VALUE *values = task->values, *own = values + begin * tall * wide;
    for (int64_t p = begin; p < end; p++) place[tulle__block_column(c, p)] = p;
    for (int64_t q = 0; q < (end - begin) * tall * wide; q++) own[q] = -(VALUE)0;
    const int64_t behind = tulle__block_offset(a, i + 1);
    for (int64_t p = tulle__block_offset(a, i); p < behind; p++) {
        const int64_t row = tulle__block_column(a, p), last = tulle__block_offset(b, row + 1);
        const VALUE *left = (const VALUE *)a->values + p * tall * inner;
        for (int64_t q = tulle__block_offset(b, row); q < last; q++) {
            const VALUE *right = (const VALUE *)b->values + q * inner * wide;
            VALUE *to = values + place[tulle__block_column(b, q)] * tall * wide;
            NAME(add_product)(tall, inner, wide, left, right, to);
        }
    }
    for (int64_t q = 0; q < (end - begin) * tall * wide; q++) own[q] *= alpha;
}

static void NAME(sum_rows)(const tulle__blocks_task *task, int64_t begin, int64_t end,
                           int64_t *place) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
#define CALL(r, k, c)                                                                              \
    for (int64_t i = begin; i < end; i++) NAME(sum_row)(task, i, r, k, c, place, alpha)
    BY_SHAPES(task->tall, task->inner, task->wide, CALL)
#undef CALL
}

static tulle_status NAME(run)(const tulle__blocks_task *task) {
    enum { CHUNK = 16 };
    const int64_t cells = (int64_t)task->inner * (task->tall + task->wide);
    const int threads = tulle__threads_for(
        task->place, TULLE__WORK_ENTRIES, task->a.rows + (task->a.blocks + task->c.blocks) * cells);
    tulle_ctx *ctx = task->place->ctx;
    int64_t *places = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(task->c.cols, threads * (int64_t)sizeof *places, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&places));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t begin = 0; begin < task->a.rows; begin += CHUNK) {
        const int64_t end = begin + CHUNK < task->a.rows ? begin + CHUNK : task->a.rows;
        NAME(sum_rows)(task, begin, end, places + omp_get_thread_num() * task->c.cols);
    }
    tulle__free(ctx, places);
    return TULLE_OK;
}

#endif
