/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows on the CPU: one thread adds the entries of a row in their order. */
#ifndef VALUE

#include "algebra/functions.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 256 };

#define TULLE__SELF "algebra/sums_cpu.c"
#include "core/each_type.h"

tulle_status tulle__cpu_sum_rows(const tulle__place *place, const tulle__summing *job) {
    static void (*const sum[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(int, const tulle__summing *) =
        TULLE__RUN_ALL(sum);
    const tulle__pattern_view *csr = job->csr;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
    sum[tulle__values_of(job->type)][csr->index](threads, job);
    return TULLE_OK;
}

#else /* once for each type combination */

/* Sums all rows; the compiler makes a loop for each kind. */
static inline void NAME(sum_rows)(int threads, const tulle__summing *job, tulle_sum_kind kind) {
    const int64_t rows = job->csr->rows;
    const OFFSET *offsets = job->csr->offsets;
    const VALUE *values = job->values;
    VALUE *y = job->y;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            sum = tulle__sum_add(kind, sum, (double)values[k]);
        }
        y[i] = (VALUE)sum;
    }
}

static void NAME(sum)(int threads, const tulle__summing *job) {
    switch (job->kind) {
        case TULLE_SUM_VALUES:
            NAME(sum_rows)(threads, job, TULLE_SUM_VALUES);
            break;
        case TULLE_SUM_SIZES:
            NAME(sum_rows)(threads, job, TULLE_SUM_SIZES);
            break;
        default:
            NAME(sum_rows)(threads, job, TULLE_SUM_LARGEST);
            break;
    }
}

#endif
