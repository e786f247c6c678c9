/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation from aggregates, T, and the matrix that smooths T, on the CPU. */
#ifndef VALUE

#include <math.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "amg/part_cpu.h"
#include "core/search.h"
#include "core/threads/sizes.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 512 };

#define TULLE__SELF "amg/tentative_cpu.c"
#include "core/each_type.h"

typedef void work(int threads, const tulle__amg_tentative *t);

static void run_all(work *const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT],
                    const tulle__place *place, const tulle__amg_tentative *t) {
    const tulle__amg_split *s = t->of->split;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, s->csr.rows + s->csr.nnz);
    run[tulle__values_of(s->type)][s->csr.index](threads, t);
}

tulle_status tulle__cpu_amg_count_tentative(const tulle__place *place,
                                            const tulle__amg_tentative *t, int64_t *entries) {
    static work *const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(count_tentative);
    run_all(run, place, t);
    *entries = tulle__amg_sum_up(t->T.before, t->of->split->csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_fill_tentative(const tulle__place *place,
                                           const tulle__amg_tentative *t) {
    static work *const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(fill_tentative);
    run_all(run, place, t);
    tulle__amg_end_offsets(t->of->split->csr.index, &t->T, t->of->split->csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_count_smoothing(const tulle__place *place,
                                            const tulle__amg_tentative *t, int64_t *entries) {
    static work *const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(count_smoothing);
    run_all(run, place, t);
    *entries = tulle__amg_sum_up(t->S.before, t->of->split->csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_fill_smoothing(const tulle__place *place,
                                           const tulle__amg_tentative *t) {
    static work *const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(fill_smoothing);
    run_all(run, place, t);
    tulle__amg_end_offsets(t->of->split->csr.index, &t->S, t->of->split->csr.rows);
    return TULLE_OK;
}

#else /* once for each type combination */

#include "amg/rules_cpu.h"

static void NAME(count_tentative)(int threads, const tulle__amg_tentative *t) {
    const int64_t rows = t->of->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) t->T.before[i] = NAME(entries_of_tentative_row)(t, i);
}

static void NAME(fill_tentative)(int threads, const tulle__amg_tentative *t) {
    const int64_t rows = t->of->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) NAME(fill_tentative_row)(t, i);
}

static void NAME(count_smoothing)(int threads, const tulle__amg_tentative *t) {
    const int64_t rows = t->of->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) t->S.before[i] = NAME(entries_of_smoothing_row)(t, i);
}

static void NAME(fill_smoothing)(int threads, const tulle__amg_tentative *t) {
    const int64_t rows = t->of->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) NAME(fill_smoothing_row)(t, i);
}

#endif
