/* SPDX-License-Identifier: Apache-2.0 */
/* BSR with all threads. A block row is summed by one thread, block by block, in as many sums as it
 * has rows; block rows are dealt out by blocks. A^T x: a fixed number of parts of the block rows,
 * each with a y of its own, which are then added in order. Both are bitwise the same for any number
 * of threads. Blocks without padding go through loops whose bounds the compiler knows for the usual
 * sizes; others cell by cell, so that no x is read for padding. */
#ifndef VALUE

#include <omp.h>

#include "core/search.h"
#include "spmv/cpu/block_mask.h"
#include "spmv/cpu/parts.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

enum { LARGEST = 16 };

static int parts_of(const tulle__spmv_shape *shape) {
    return tulle__parts(shape->storage->stored, shape->cols);
}

/* Calls one of the function's copies, each compiled for blocks of its own shape: square ones of
 * the usual sizes, and those between displacements and rigid motions. */
#define BY_SHAPE(r, c, call)                                                                       \
    switch (32 * (r) + (c)) {                                                                      \
        case 33 * 1:                                                                               \
            call(1, 1);                                                                            \
            break;                                                                                 \
        case 33 * 2:                                                                               \
            call(2, 2);                                                                            \
            break;                                                                                 \
        case 33 * 3:                                                                               \
            call(3, 3);                                                                            \
            break;                                                                                 \
        case 33 * 4:                                                                               \
            call(4, 4);                                                                            \
            break;                                                                                 \
        case 33 * 8:                                                                               \
            call(8, 8);                                                                            \
            break;                                                                                 \
        case 32 * 3 + 6:                                                                           \
            call(3, 6);                                                                            \
            break;                                                                                 \
        case 32 * 6 + 3:                                                                           \
            call(6, 3);                                                                            \
            break;                                                                                 \
        default:                                                                                   \
            call(r, c);                                                                            \
    }

#define TULLE__SELF "spmv/cpu/bsr.c"
#include "core/each_type.h"

static size_t workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    if (shape->trans == TULLE_N) return 0;
    return tulle__parts_workspace(shape, parts_of(shape), shape->cols);
}

/* Bytes; x, or y of a transposed product, counts once for each block. */
static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    int64_t again =
        tulle__bsr_blocks(shape->storage) * tulle__block_cols(shape->storage) - shape->cols;
    int64_t times = shape->trans == TULLE_N ? 1 : 2;
    return tulle__spmv_minimal_bytes(shape, beta_zero) +
           times * again * tulle_type_size(shape->type) + 2 * (int64_t)workspace(shape, params);
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. One thread reaches
 * about a quarter of the bandwidth of all. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    double all = (double)tulle__spmv_minimal_bytes(shape, true);
    if (shape->trans == TULLE_T && parts_of(shape) == 1) return 4 * all;
    return 200e3 + 1.05 * all + 2.0 * (double)workspace(shape, params);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_bsr;
const tulle__spmv_kernel tulle__cpu_spmv_bsr = {
    .head = {.name = "spmv_bsr",
             .summary = "all threads, by block rows, dealt out by blocks",
             .source = "Saad, BSR format; parallel by OpenMP",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .workspace = workspace,
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

/* Arguments of a product, from the task. */
typedef struct NAME(product) {
    int64_t rows, cols, block_rows;
    int tall, wide, words; /* rows and columns of a block, and words of its mask */
    const OFFSET *offsets;
    const INDEX *cols_of;
    const VALUE *values, *x;
    const uint32_t *mask; /* masks of all blocks; NULL: no cell is padding */
    COMPUTED alpha;
} NAME(product);

static NAME(product) NAME(product_of)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    const int64_t tall = tulle__block_rows(shape->storage);
    return (NAME(product)){.rows = shape->rows,
                           .cols = shape->cols,
                           .block_rows = tulle__ceil_div(shape->rows, tall),
                           .tall = (int)tall,
                           .wide = (int)tulle__block_cols(shape->storage),
                           .words = (int)tulle__mask_words(tulle__block_cells(shape->storage)),
                           .offsets = task->offsets,
                           .cols_of = task->cols_of,
                           .values = task->values,
                           .x = task->x,
                           .mask = shape->storage->full ? NULL : task->mask,
                           .alpha = tulle__scalar_value(COMPUTED, task->alpha)};
}

/* Returns the mask of a block, or NULL if none of its cells is padding. */
static const uint32_t *NAME(mask_of)(const NAME(product) * a, OFFSET block) {
    if (!a->mask) return NULL;
    const uint32_t *mask = a->mask + (int64_t)block * a->words;
    return tulle__all_entries(mask, a->tall * a->wide) ? NULL : mask;
}

/* Returns the first block row of part p of `parts`: work is blocks + block rows. */
static int64_t NAME(first_row)(const NAME(product) * a, int p, int parts) {
    if (p == parts) return a->block_rows;
    double blocks = (double)a->offsets[a->block_rows];
    int64_t target = (int64_t)((double)p / parts * (blocks + (double)a->block_rows));
    int64_t low = 0;
    TULLE__LOWER_BOUND(low, a->block_rows, middle, (int64_t)a->offsets[middle] + middle < target);
    return low;
}

/* Computes sum += block x, where no cell is padding. */
static inline void NAME(add_full)(int tall, int wide, const VALUE *restrict block,
                                  const VALUE *restrict x, COMPUTED *restrict sum) {
    for (int r = 0; r < tall; r++) {
        COMPUTED dot = 0;
        for (int c = 0; c < wide; c++) dot += block[r * wide + c] * x[c];
        sum[r] += dot;
    }
}

static void NAME(add_some)(int tall, int wide, const VALUE *block, const uint32_t *mask,
                           const VALUE *x, COMPUTED *sum) {
    for (int q = 0; q < tall * wide; q++) {
        if (tulle__is_entry(mask, q)) sum[q / wide] += block[q] * x[q % wide];
    }
}

/* Computes sum := block row i times x. */
static inline void NAME(sum_row)(const NAME(product) * a, int64_t i, int tall, int wide,
                                 COMPUTED *sum) {
    for (int r = 0; r < tall; r++) sum[r] = 0;
    for (OFFSET k = a->offsets[i]; k < a->offsets[i + 1]; k++) {
        const VALUE *block = a->values + (int64_t)k * tall * wide;
        const VALUE *x = a->x + (int64_t)a->cols_of[k] * wide;
        const uint32_t *mask = NAME(mask_of)(a, k);
        if (mask) {
            NAME(add_some)(tall, wide, block, mask, x, sum);
        } else {
            NAME(add_full)(tall, wide, block, x, sum);
        }
    }
}

static inline void NAME(some_rows)(const NAME(product) * a, int tall, int wide, int64_t begin,
                                   int64_t end, COMPUTED beta, VALUE *y) {
    COMPUTED sum[LARGEST];
    for (int64_t i = begin; i < end; i++) {
        NAME(sum_row)(a, i, tall, wide, sum);
        for (int64_t r = 0; r < tall && i * tall + r < a->rows; r++) {
            COMPUTED product = a->alpha * sum[r];
            y[i * tall + r] = beta == 0 ? product : product + beta * y[i * tall + r];
        }
    }
}

static void NAME(forward)(const tulle__spmv_task *task, COMPUTED beta) {
    NAME(product) a = NAME(product_of)(task);
    VALUE *y = task->y;
#pragma omp parallel num_threads(tulle__spmv_threads(task))
    {
        int p = omp_get_thread_num(), parts = omp_get_num_threads();
        int64_t begin = NAME(first_row)(&a, p, parts), end = NAME(first_row)(&a, p + 1, parts);
#define CALL(r, c) NAME(some_rows)(&a, r, c, begin, end, beta, y)
        BY_SHAPE(a.tall, a.wide, CALL)
#undef CALL
    }
}

/* Computes y += alpha block^T x, where no cell is padding. */
static inline void NAME(scatter_full)(int tall, int wide, COMPUTED alpha,
                                      const VALUE *restrict block, const COMPUTED *restrict x,
                                      VALUE *restrict y) {
    for (int r = 0; r < tall; r++) {
        for (int c = 0; c < wide; c++) y[c] += alpha * (block[r * wide + c] * x[r]);
    }
}

static void NAME(scatter_some)(int tall, int wide, COMPUTED alpha, const VALUE *block,
                               const uint32_t *mask, const COMPUTED *x, VALUE *y) {
    for (int q = 0; q < tall * wide; q++) {
        if (tulle__is_entry(mask, q)) y[q % wide] += alpha * (block[q] * x[q / wide]);
    }
}

static inline void NAME(scatter_rows)(const NAME(product) * a, int tall, int wide, int64_t begin,
                                      int64_t end, VALUE *y) {
    COMPUTED own[LARGEST];
    for (int64_t i = begin; i < end; i++) {
        for (int64_t r = 0; r < tall; r++) {
            own[r] = i * tall + r < a->rows ? a->x[i * tall + r] : 0;
        }
        for (OFFSET k = a->offsets[i]; k < a->offsets[i + 1]; k++) {
            const VALUE *block = a->values + (int64_t)k * tall * wide;
            VALUE *to = y + (int64_t)a->cols_of[k] * wide;
            const uint32_t *mask = NAME(mask_of)(a, k);
            if (mask) {
                NAME(scatter_some)(tall, wide, a->alpha, block, mask, own, to);
            } else {
                NAME(scatter_full)(tall, wide, a->alpha, block, own, to);
            }
        }
    }
}

static void NAME(scatter_part)(const tulle__spmv_task *task, int p, int parts, COMPUTED alpha,
                               VALUE *y) {
    (void)alpha; /* the product has alpha */
    NAME(product) a = NAME(product_of)(task);
    int64_t begin = NAME(first_row)(&a, p, parts), end = NAME(first_row)(&a, p + 1, parts);
#define CALL(r, c) NAME(scatter_rows)(&a, r, c, begin, end, y)
    BY_SHAPE(a.tall, a.wide, CALL)
#undef CALL
}

#include "spmv/cpu/by_parts.h"

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    if (shape->trans == TULLE_N) {
        NAME(forward)(task, tulle__scalar_value(COMPUTED, task->beta));
    } else {
        NAME(by_parts)(task, tulle__spmv_threads(task), parts_of(shape), shape->cols, NULL);
    }
    return TULLE_OK;
}

#endif
