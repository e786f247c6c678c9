/* SPDX-License-Identifier: Apache-2.0 */
/* Scales rows and columns on the CPU: the work is cut into pieces with equal numbers of entries,
 * wherever rows begin. */
#ifndef VALUE

#include "algebra/functions.h"
#include "core/search.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* Number of entries of a piece. */
enum { PIECE = 4096 };

#define TULLE__SELF "algebra/scale_cpu.c"
#include "core/each_type.h"

tulle_status tulle__cpu_scale_entries(const tulle__place *place, const tulle__scaling *job) {
    static void (*const scale[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(int, const tulle__scaling *) =
        TULLE__RUN_ALL(scale);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, job->csr->nnz);
    scale[tulle__values_of(job->type)][job->csr->index](threads, job);
    return TULLE_OK;
}

#else /* once for each type combination */

/* Scales entries of one row, whose factor is r. */
static inline void NAME(scale_stretch)(const tulle__scaling *job, double r, int64_t begin,
                                       int64_t end) {
    const INDEX *cols_of = job->csr->cols_of;
    const VALUE *values = job->values, *c = job->col_scale;
    VALUE *out = job->out;
    for (int64_t k = begin; k < end; k++) {
        const double value = r * (double)values[k];
        out[k] = (VALUE)(c ? value * (double)c[cols_of[k]] : value);
    }
}

static void NAME(scale_piece)(const tulle__scaling *job, int64_t begin, int64_t end) {
    const OFFSET *offsets = job->csr->offsets;
    const VALUE *r = job->row_scale;
    int64_t next = 1, last = job->csr->rows; /* first row that begins behind `begin` */
    TULLE__LOWER_BOUND(next, last, i, offsets[i] <= begin);
    for (int64_t row = next - 1; begin < end; row++) {
        const int64_t row_end = offsets[row + 1] < end ? offsets[row + 1] : end;
        NAME(scale_stretch)(job, r ? (double)r[row] : 1, begin, row_end);
        begin = row_end;
    }
}

static void NAME(scale)(int threads, const tulle__scaling *job) {
    const int64_t nnz = job->csr->nnz;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t begin = 0; begin < nnz; begin += PIECE) {
        NAME(scale_piece)(job, begin, nnz - begin < PIECE ? nnz : begin + PIECE);
    }
}

#endif
