/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of systems on the CPU: the rules of block_rules.h, a node or an aggregate at a time. */
#ifndef VALUE

#include <math.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "amg/part_cpu.h"
#include "core/threads/sizes.h"

/* Numbers of nodes, and of aggregates, that a thread takes at a time. */
enum { NODES_AT_ONCE = 128, AGGREGATES_AT_ONCE = 16 };

static inline double sum_of_parts(double *part) {
    for (int half = TULLE__AMG_SUM_PARTS / 2; half > 0; half /= 2) {
        for (int p = 0; p < half; p++) part[p] += part[p + half];
    }
    return part[0];
}

static inline double most_of_parts(const double *part) {
    double most = part[0];
    for (int p = 1; p < TULLE__AMG_SUM_PARTS; p++) most = part[p] > most ? part[p] : most;
    return most;
}

#define TULLE__SELF "amg/block_cpu.c"
#include "core/each_type.h"

static int threads_of(const tulle__place *place, const tulle__amg_blocks *A) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, A->csr.nnz * A->tall * A->wide);
}

tulle_status tulle__cpu_amg_size_blocks(const tulle__place *place, const tulle__amg_sizing *t) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_sizing *) = TULLE__RUN_ALL(size_nodes);
    run[tulle__values_of(t->A.type)][t->A.csr.index](threads_of(place, &t->A), t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_orthonormalise(const tulle__place *place,
                                           const tulle__amg_orthogonal *t, int64_t nodes) {
    static int64_t (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_orthogonal *) = TULLE__RUN_ALL(orthonormalise);
    const int64_t work = nodes * t->tall * t->columns * t->columns;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, work);
    *t->dropped += run[0][t->index](threads, t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_spread(const tulle__place *place, const tulle__amg_spread *t) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_spread *) = TULLE__RUN_ALL(spread);
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, t->T.nnz * t->cells);
    run[tulle__values_of(t->type)][t->T.index](threads, t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_invert_blocks(const tulle__place *place,
                                          const tulle__amg_block_diagonal *t) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_block_diagonal *) = TULLE__RUN_ALL(invert_blocks);
    run[tulle__values_of(t->A.type)][t->A.csr.index](threads_of(place, &t->A), t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_made_of(const tulle__place *place, const tulle__amg_made_of *t) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_made_of *) = TULLE__RUN_ALL(restrict_sizes);
    run[tulle__values_of(t->R.type)][t->R.csr.index](threads_of(place, &t->R), t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_power(const tulle__place *place, const tulle__amg_power *t) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(int, const tulle__amg_power *) =
        TULLE__RUN_ALL(power);
    run[tulle__values_of(t->A.type)][t->A.csr.index](threads_of(place, &t->A), t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_count_block_smoothing(const tulle__place *place,
                                                  const tulle__amg_block_smoothing *t,
                                                  int64_t *blocks) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_block_smoothing *) = TULLE__RUN_ALL(count_smoothing);
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, t->A.csr.rows);
    run[tulle__values_of(t->A.type)][t->A.csr.index](threads, t);
    *blocks = tulle__amg_sum_up(t->before, t->A.csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_fill_block_smoothing(const tulle__place *place,
                                                 const tulle__amg_block_smoothing *t) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_block_smoothing *) = TULLE__RUN_ALL(fill_smoothing);
    run[tulle__values_of(t->A.type)][t->A.csr.index](threads_of(place, &t->A), t);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_scale_blocks(const tulle__place *place, const tulle__amg_scaling *t) {
    static bool (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_scaling *) = TULLE__RUN_ALL(scale_blocks);
    const bool fits = run[tulle__values_of(t->B.type)][t->B.csr.index](threads_of(place, &t->B), t);
    if (!fits && t->unfit) *t->unfit = TULLE__AMG_RANGE;
    return TULLE_OK;
}

/* Rows of a block diagonal matrix times a vector. */
#define MULTIPLY(VALUE, name)                                                                      \
    static void name(int threads, const tulle__amg_block_product *t) {                             \
        const int n = t->tall;                                                                     \
        _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0;      \
                                                                               i < t->rows; i++) { \
            const VALUE *row = (const VALUE *)t->blocks + i * n;                                   \
            const VALUE *b = (const VALUE *)t->b + i / n * n;                                      \
            VALUE sum = 0;                                                                         \
            for (int q = 0; q < n; q++) sum += row[q] * b[q];                                      \
            ((VALUE *)t->to)[i] = sum;                                                             \
        }                                                                                          \
    }
MULTIPLY(float, multiply_f32)
MULTIPLY(double, multiply_f64)
#undef MULTIPLY

tulle_status tulle__cpu_amg_multiply_blocks(const tulle__place *place,
                                            const tulle__amg_block_product *t) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, t->rows * (t->tall + 2));
    (t->type == TULLE_F32 ? multiply_f32 : multiply_f64)(threads, t);
    return TULLE_OK;
}

#else /* once for each type combination */

#define AMG_RULE(type, f) static inline type NAME(f)
#define AMG(f) NAME(f)
#define AMG_EACH_ROW(r, rows) for (int64_t r = 0; r < (rows); r++)
#define AMG_PARTS TULLE__AMG_SUM_PARTS
#define AMG_PART(r) ((r) % TULLE__AMG_SUM_PARTS)
#define AMG_SUM(part) sum_of_parts(part)
#define AMG_MOST(part) most_of_parts(part)
#define AMG_IS_FIRST true
#include "amg/block_rules.h"
#undef AMG_RULE
#undef AMG
#undef AMG_EACH_ROW
#undef AMG_PARTS
#undef AMG_PART
#undef AMG_SUM
#undef AMG_MOST
#undef AMG_IS_FIRST

/* Sizes of a node's blocks, and its own. */
static void NAME(size_node)(const tulle__amg_sizing *t, int64_t i) {
    const OFFSET *offsets = t->A.csr.offsets;
    const INDEX *cols_of = t->A.csr.cols_of;
    double own = 0, others = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        t->sizes[k] = NAME(size_of_block)(&t->A, k);
        NAME(take_size)(cols_of[k] == i, t->sizes[k], &own, &others);
    }
    t->diagonal[i] = NAME(size_of_node)(t, own, others);
}

/* A node's rows of a step of the power method. */
static void NAME(power_node)(const tulle__amg_power *t, int64_t i) {
    const int n = t->A.tall, parts = NAME(power_parts)(n);
    const double *inverse = t->inverses + i * n * n;
    double part[TULLE__AMG_SUM_PARTS];
    for (int m = 0; m < parts * n; m++) {
        part[m] = NAME(power_part)(t, i, parts, m / n, m % n);
    }
    for (int half = parts / 2; half > 0; half /= 2) {
        for (int m = 0; m < half * n; m++) part[m] += part[m + half * n];
    }
    for (int p = 0; p < n; p++) {
        double sum = 0;
        for (int q = 0; q < n; q++) sum += inverse[p * n + q] * part[q];
        t->to[i * n + p] = t->by ? sum / *t->by : sum;
    }
}

/* A node's row of the matrix that smooths T. */
static void NAME(fill_smoothing_node)(const tulle__amg_block_smoothing *t, int64_t i) {
    const int cells = t->A.tall * t->A.tall;
    const int64_t begin = t->before[i], end = t->before[i + 1];
    int64_t k = ((const OFFSET *)t->A.csr.offsets)[i];
    ((OFFSET *)t->offsets)[i] = (OFFSET)begin;
    for (int64_t at = begin; at < end; at++, k++) {
        for (int c = 0; c < cells; c++) NAME(store_smoothing)(t, i, k, at, c);
    }
}

/* A function that makes a pass over all nodes. */
#define PASS(name, job, rows, of_node)                                                             \
    static void NAME(name)(int threads, const job *t) {                                            \
        _Pragma("omp parallel for num_threads(threads) schedule(dynamic, NODES_AT_ONCE)") for (    \
            int64_t i = 0; i < t->rows; i++) {                                                     \
            NAME(of_node)(t, i);                                                                   \
        }                                                                                          \
    }
PASS(size_nodes, tulle__amg_sizing, A.csr.rows, size_node)
PASS(spread, tulle__amg_spread, T.rows, spread_node)
PASS(invert_blocks, tulle__amg_block_diagonal, A.csr.rows, diagonal_block)
PASS(restrict_sizes, tulle__amg_made_of, R.csr.rows * t->R.tall, restrict_size)
PASS(power, tulle__amg_power, A.csr.rows, power_node)
#undef PASS

static int64_t NAME(orthonormalise)(int threads, const tulle__amg_orthogonal *t) {
    int64_t dropped = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, AGGREGATES_AT_ONCE) \
    reduction(+ : dropped)
    for (int64_t g = 0; g < t->aggregates; g++) dropped += NAME(orthonormalise_aggregate)(t, g);
    return dropped;
}

static void NAME(count_smoothing)(int threads, const tulle__amg_block_smoothing *t) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < t->A.csr.rows; i++) t->before[i] = NAME(blocks_of_smoothing)(t, i);
}

static void NAME(fill_smoothing)(int threads, const tulle__amg_block_smoothing *t) {
    const int64_t nodes = t->A.csr.rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, NODES_AT_ONCE)
    for (int64_t i = 0; i < nodes; i++) NAME(fill_smoothing_node)(t, i);
    ((OFFSET *)t->offsets)[nodes] = (OFFSET)t->before[nodes];
}

static bool NAME(scale_blocks)(int threads, const tulle__amg_scaling *t) {
    const OFFSET *offsets = t->B.csr.offsets;
    const int cells = t->B.tall * t->B.wide;
    bool fits = true;
#pragma omp parallel for num_threads(threads) schedule(dynamic, NODES_AT_ONCE) reduction(&& : fits)
    for (int64_t i = 0; i < t->B.csr.rows; i++) {
        for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
            for (int c = 0; c < cells; c++) {
                fits = NAME(store_scaled)(t, k, c, NAME(scaled_cell)(t, i, k, c)) && fits;
            }
        }
    }
    return fits;
}

#endif
