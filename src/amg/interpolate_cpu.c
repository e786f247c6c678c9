/* SPDX-License-Identifier: Apache-2.0 */
/* The factors of interpolation, and its rows, on the CPU. */
#ifndef VALUE

#include <math.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "amg/part_cpu.h"
#include "core/search.h"
#include "core/threads/sizes.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 512 };

#define TULLE__SELF "amg/interpolate_cpu.c"
#include "core/each_type.h"

static int threads_of(const tulle__place *place, const tulle__pattern_view *csr) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
}

tulle_status tulle__cpu_amg_count_factors(const tulle__place *place, const tulle__amg_factors *f,
                                          int64_t entries[2]) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_factors *) = TULLE__RUN_ALL(count_factors);
    const tulle__amg_split *s = f->split;
    run[tulle__values_of(s->type)][s->csr.index](threads_of(place, &s->csr), f);
    entries[0] = tulle__amg_sum_up(f->between.before, s->csr.rows);
    entries[1] = tulle__amg_sum_up(f->down.before, s->csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_fill_factors(const tulle__place *place, const tulle__amg_factors *f) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_factors *) = TULLE__RUN_ALL(fill_factors);
    const tulle__amg_split *s = f->split;
    run[tulle__values_of(s->type)][s->csr.index](threads_of(place, &s->csr), f);
    tulle__amg_end_offsets(s->csr.index, &f->between, s->csr.rows);
    tulle__amg_end_offsets(s->csr.index, &f->down, s->csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_count_rows(const tulle__place *place, const tulle__amg_interpolation *m,
                                       int64_t *entries) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_interpolation *) = TULLE__RUN_ALL(count_rows);
    const tulle__amg_split *s = m->split;
    run[tulle__values_of(s->type)][s->csr.index](threads_of(place, &m->raw), m);
    *entries = tulle__amg_sum_up(m->P.before, s->csr.rows);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_fill_rows(const tulle__place *place,
                                      const tulle__amg_interpolation *m) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_interpolation *) = TULLE__RUN_ALL(fill_rows);
    const tulle__amg_split *s = m->split;
    run[tulle__values_of(s->type)][s->csr.index](threads_of(place, &m->raw), m);
    tulle__amg_end_offsets(s->csr.index, &m->P, s->csr.rows);
    return TULLE_OK;
}

#else /* once for each type combination */

#include "amg/rules_cpu.h"

static void NAME(count_factors)(int threads, const tulle__amg_factors *f) {
    const int64_t rows = f->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) NAME(count_factor_row)(f, i);
}

static void NAME(fill_factors)(int threads, const tulle__amg_factors *f) {
    const int64_t rows = f->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) NAME(fill_factor_row)(f, i);
}

static void NAME(count_rows)(int threads, const tulle__amg_interpolation *m) {
    const int64_t rows = m->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) m->P.before[i] = NAME(entries_of_row)(m, i);
}

static void NAME(fill_rows)(int threads, const tulle__amg_interpolation *m) {
    const int64_t rows = m->split->csr.rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) NAME(fill_row)(m, i);
}

#endif
