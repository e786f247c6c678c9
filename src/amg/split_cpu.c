/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a level into coarse and fine rows, on the CPU. */
#ifndef VALUE

#include <math.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "core/search.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 512 };

#define TULLE__SELF "amg/split_cpu.c"
#include "core/each_type.h"

static int threads_of(const tulle__place *place, const tulle__amg_split *s) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, s->csr.rows + s->csr.nnz);
}

tulle_status tulle__cpu_amg_connect(const tulle__place *place, const tulle__amg_split *s) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(int, const tulle__amg_split *) =
        TULLE__RUN_ALL(connect);
    run[tulle__values_of(s->type)][s->csr.index](threads_of(place, s), s);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_choose(const tulle__place *place, const tulle__amg_split *s,
                                   int round) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(int, const tulle__amg_split *,
                                                                    int) = TULLE__RUN_ALL(choose);
    run[tulle__values_of(s->type)][s->csr.index](threads_of(place, s), s, round);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_settle(const tulle__place *place, const tulle__amg_split *s,
                                   int64_t *open) {
    static int64_t (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_split *) = TULLE__RUN_ALL(settle);
    *open = run[tulle__values_of(s->type)][s->csr.index](threads_of(place, s), s);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_round(const tulle__place *place, const tulle__amg_split *s, int round,
                                  int64_t *open) {
    TULLE__TRY(tulle__cpu_amg_choose(place, s, round));
    return tulle__cpu_amg_settle(place, s, open);
}

tulle_status tulle__cpu_amg_number(const tulle__place *place, const tulle__amg_split *s,
                                   int64_t *coarse) {
    int64_t before = 0;
    (void)place;
    for (int64_t i = 0; i < s->csr.rows; i++) {
        s->number[i] = before;
        before += s->kind[i] == TULLE__AMG_COARSE;
    }
    s->number[s->csr.rows] = *coarse = before;
    return TULLE_OK;
}

#else /* once for each type combination */

#include "amg/rules_cpu.h"

static void NAME(connect_row)(const tulle__amg_split *s, int64_t i) {
    const OFFSET *offsets = s->csr.offsets;
    const INDEX *cols_of = s->csr.cols_of;
    const VALUE *values = s->values;
    double diagonal = 0, sum = 0, largest = 0;
    bool any = false;
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
        sum += (double)values[k];
        if (cols_of[k] == i) diagonal = (double)values[k];
    }
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
        const double size = NAME(connection_of)(s, i, k, diagonal);
        if (size > largest) largest = size;
    }
    const bool alone = NAME(is_alone)(s, diagonal, sum);
    const double least = s->threshold * largest;
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
        const double size = NAME(connection_of)(s, i, k, diagonal);
        any |= NAME(mark_connection)(s, k, alone, size, least);
    }
    s->diagonal[i] = diagonal;
    s->fine[i] = any;
}

static void NAME(compete_row)(const tulle__amg_split *s, int round, int64_t i) {
    const OFFSET *offsets = s->csr.offsets;
    if (s->kind[i] != TULLE__AMG_OPEN) return;
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) NAME(compete)(s, round, i, k);
}

static void NAME(settle_row)(const tulle__amg_split *s, int64_t i) {
    const OFFSET *offsets = s->csr.offsets;
    if (s->kind[i] != TULLE__AMG_OPEN) return;
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
        if (!NAME(settles)(s, k)) continue;
        s->fine[i] = 1;
        return;
    }
}

static void NAME(connect)(int threads, const tulle__amg_split *s) {
    const int64_t rows = s->csr.rows;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(connect_row)(s, i);
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(begin_row)(s, i);
    }
}

static void NAME(choose)(int threads, const tulle__amg_split *s, int round) {
    const int64_t rows = s->csr.rows;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(compete_row)(s, round, i);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < rows; i++) NAME(choose_row)(s, round, i);
    }
}

static int64_t NAME(settle)(int threads, const tulle__amg_split *s) {
    const int64_t rows = s->csr.rows;
    int64_t open = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(settle_row)(s, i);
#pragma omp for schedule(static) reduction(+ : open)
        for (int64_t i = 0; i < rows; i++) open += NAME(end_row)(s, i);
    }
    return open;
}

#endif
