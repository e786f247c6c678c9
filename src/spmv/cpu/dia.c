/* SPDX-License-Identifier: Apache-2.0 */
/* DIA with all threads. y is cut into chunks whose sums stay in the L1 cache. Each chunk goes
 * through the diagonals in order and adds neighbouring slots to neighbouring sums, so that the
 * compiler can use SIMD instructions. The order of additions depends on the matrix alone: bitwise
 * the same for any number of threads. A^T x goes the same way: slot (d, i) adds its product with
 * x[i] to y[i + cols[d]]. */
#ifndef VALUE

#include <string.h>

#include "spmv/bytes.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

enum { CHUNK = 1024 };

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the number of slots, from i on and before `end`, in whole words of the mask that have all
 * bits set. */
static int64_t in_full_words(const uint32_t *mask, int64_t i, int64_t end) {
    int64_t at = i;
    while (at % 32 == 0 && at + 32 <= end && mask[at / 32] == UINT32_MAX) at += 32;
    return at - i;
}

/* Returns the first slot after the 32 slots of the mask word that has slot i, or `end` if `end`
 * comes first. */
static int64_t word_end(int64_t i, int64_t end) {
    return smaller(i / 32 * 32 + 32, end);
}

#define TULLE__SELF "spmv/cpu/dia.c"
#include "core/each_type.h"

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    (void)params;
    int64_t inputs = shape->trans == TULLE_N ? shape->cols : shape->rows;
    int64_t x_again = shape->nnz - inputs;
    return tulle__spmv_minimal_bytes(shape, beta_zero) + x_again * tulle_type_size(shape->type);
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. A sum is read and
 * written once a slot, and each of the many streams begins anew in every chunk: together some 0.15
 * nanoseconds a slot, in which 3 bytes move (docs/lab-notes.md, "CPU: runs of one length"). */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    return 200e3 + (double)tulle__spmv_minimal_bytes(shape, true) +
           3.0 * (double)shape->storage->stored;
}

extern const tulle__spmv_kernel tulle__cpu_spmv_dia;
const tulle__spmv_kernel tulle__cpu_spmv_dia = {
    .head = {.name = "spmv_dia",
             .summary = "all threads: chunks of y, diagonal by diagonal",
             .source = "Bell and Garland, SC 2009, DIA format; parallel by OpenMP",
             .format = TULLE_DIA,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

/* Adds the products of the slots `begin` to end - 1 of one diagonal to sums; `x` and `sum` point to
 * the numbers of slot `begin`. */
static void NAME(diagonal)(const VALUE *restrict values, const uint32_t *restrict mask,
                           int64_t begin, int64_t end, const VALUE *restrict x,
                           COMPUTED *restrict sum) {
    for (int64_t i = begin; i < end;) {
        int64_t at = i - begin, full = in_full_words(mask, i, end);
        for (int64_t k = at; k < at + full; k++) sum[k] += values[begin + k] * x[k];
        i += full;
        for (int64_t stop = word_end(i, end); i < stop; i++) {
            bool entry = mask[i / 32] >> (i % 32) & 1u;
            if (entry) sum[i - begin] += values[i] * x[i - begin];
        }
    }
}

/* Computes y from first to last. Entry (i, i + shift) adds its product with x[i + from] to y[i +
 * to]. */
static void NAME(chunk)(const tulle__spmv_task *task, COMPUTED alpha, COMPUTED beta, int64_t first,
                        int64_t last) {
    const tulle_storage *s = task->shape.storage;
    const INDEX *shifts = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    const uint32_t *mask = task->mask;
    VALUE *y = task->y;
    bool forward = task->shape.trans == TULLE_N;
    COMPUTED sum[CHUNK];
    memset(sum, 0, (size_t)(last - first) * sizeof *sum);
    for (int64_t d = 0; d < s->width; d++) {
        int64_t shift = shifts[d], to = forward ? 0 : shift, from = forward ? shift : 0;
        int64_t begin = larger(larger(0, -shift), first - to);
        int64_t end = smaller(smaller(task->shape.rows, task->shape.cols - shift), last - to);
        if (begin >= end) continue;
        NAME(diagonal)
        (values + d * s->stride, mask + d * s->stride / 32, begin, end, x + (begin + from),
         sum + (begin + to - first));
    }
    for (int64_t i = first; i < last; i++) {
        y[i] = beta == 0 ? alpha * sum[i - first] : alpha * sum[i - first] + beta * y[i];
    }
}

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    int64_t n = task->shape.trans == TULLE_N ? task->shape.rows : task->shape.cols;
#pragma omp parallel for schedule(static) num_threads(tulle__spmv_threads(task))
    for (int64_t first = 0; first < n; first += CHUNK) {
        NAME(chunk)(task, alpha, beta, first, smaller(first + CHUNK, n));
    }
    return TULLE_OK;
}

#endif
