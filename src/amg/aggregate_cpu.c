/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates of a level's rows, on the CPU. */
#ifndef VALUE

#include <math.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "core/search.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 512 };

#define TULLE__SELF "amg/aggregate_cpu.c"
#include "core/each_type.h"

static int threads_of(const tulle__place *place, const tulle__amg_aggregates *a) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, a->split->csr.rows + a->split->csr.nnz);
}

tulle_status tulle__cpu_amg_measure(const tulle__place *place, const tulle__amg_aggregates *a) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_aggregates *) = TULLE__RUN_ALL(measure);
    run[tulle__values_of(a->split->type)][a->split->csr.index](threads_of(place, a), a);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_find_strongest(const tulle__place *place,
                                           const tulle__amg_aggregates *a) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_aggregates *) = TULLE__RUN_ALL(find_all_strongest);
    run[tulle__values_of(a->split->type)][a->split->csr.index](threads_of(place, a), a);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_link(const tulle__place *place, const tulle__amg_aggregates *a) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_aggregates *) = TULLE__RUN_ALL(link);
    run[tulle__values_of(a->split->type)][a->split->csr.index](threads_of(place, a), a);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_elect(const tulle__place *place, const tulle__amg_aggregates *a,
                                  int64_t *open) {
    static int64_t (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_aggregates *) = TULLE__RUN_ALL(elect);
    *open = run[tulle__values_of(a->split->type)][a->split->csr.index](threads_of(place, a), a);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_join(const tulle__place *place, const tulle__amg_aggregates *a) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_aggregates *) = TULLE__RUN_ALL(join);
    run[tulle__values_of(a->split->type)][a->split->csr.index](threads_of(place, a), a);
    return TULLE_OK;
}

#else /* once for each type combination */

#include "amg/rules_cpu.h"

/* A function that makes a pass over all rows. */
#define PASS(name, of_row)                                                                         \
    static void NAME(name)(int threads, const tulle__amg_aggregates *a) {                          \
        const int64_t rows = a->split->csr.rows;                                                   \
        _Pragma("omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)") for (     \
            int64_t i = 0; i < rows; i++) {                                                        \
            NAME(of_row)(a, i);                                                                    \
        }                                                                                          \
    }
PASS(measure, measure_row)
PASS(find_all_strongest, find_strongest)
PASS(link, link_row)
#undef PASS

static int64_t NAME(elect)(int threads, const tulle__amg_aggregates *a) {
    const int64_t rows = a->split->csr.rows;
    int64_t open = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(nominate_row)(a, i);
#pragma omp for schedule(dynamic, ROWS_AT_ONCE) reduction(+ : open)
        for (int64_t i = 0; i < rows; i++) open += NAME(elect_row)(a, i);
    }
    return open;
}

static void NAME(join)(int threads, const tulle__amg_aggregates *a) {
    const int64_t rows = a->split->csr.rows;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(join_root_row)(a, i);
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) NAME(join_row)(a, i);
    }
}

#endif
