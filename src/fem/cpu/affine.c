/* SPDX-License-Identifier: Apache-2.0 */
/* Values of matrices of affine hexahedra, on the CPU. */
#ifndef REAL

#include "fem/elements/affine.h"
#include "core/threads/sizes.h"

#include <math.h>

#include "core/access.h"
#include "fem/functions.h"

enum { ENTRIES = TULLE__CELL_NODES * TULLE__CELL_NODES };

/* Functions are inlined, so that shapes are known in all of them. */
#define FUNCTION(type, name) static inline __attribute__((always_inline)) type NAME(name)
#define CALL(f, ...) NAME(f)(__VA_ARGS__)
#define UNROLL
#define LOAD(p) (*(p))
#define TULLE__SELF "fem/cpu/affine.c"
#define REAL float
#define NAME(function) function##_f32
#include TULLE__SELF
#undef REAL
#undef NAME
#define REAL double
#define NAME(function) function##_f64
#include TULLE__SELF
#undef REAL
#undef NAME

tulle_status tulle__cpu_affine_metrics(const tulle__place *place,
                                       const tulle__affine_metrics_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_CELLS, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) {
        if (job->type == TULLE_F32) {
            affine_metric_f32(TULLE_HEXAHEDRON, &job->cells, e,
                              (float *)job->metrics + e * TULLE__AFFINE_NUMBERS);
        } else {
            affine_metric_f64(TULLE_HEXAHEDRON, &job->cells, e,
                              (double *)job->metrics + e * TULLE__AFFINE_NUMBERS);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_sum_affine(const tulle__place *place, const tulle__affine_rows_job *job) {
    if (job->rows.type == TULLE_F32) {
        sum_f32(place, job);
    } else {
        sum_f64(place, job);
    }
    return TULLE_OK;
}

#else

#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"

/* Entries (i, 0) to (i, 7) of a cell's matrix. */
static inline void NAME(make_row)(const REAL *metric, const REAL *factors,
                                  REAL entry[TULLE__CELL_NODES]) {
    for (int j = 0; j < TULLE__CELL_NODES; j++) entry[j] = 0;
    for (int n = 0; n < TULLE__AFFINE_USED; n++) {
        for (int j = 0; j < TULLE__CELL_NODES; j++) {
            entry[j] += factors[n * ENTRIES + j] * metric[n];
        }
    }
}

static inline void NAME(sum_row)(const tulle__affine_rows_job *job, const REAL *factors, REAL beta,
                                 int64_t row) {
    const tulle__row_sums_job *rows = &job->rows;
    const int64_t size = tulle_offset_size(rows->index);
    const int64_t first = tulle__get(rows->offsets, size, row);
    const int64_t entries = tulle__get(rows->offsets, size, row + 1) - first;
    const int64_t step = rows->stride > 0 ? rows->stride : 1;
    REAL *to = (REAL *)rows->values + (rows->stride > 0 ? row : first);
    for (int64_t k = 0; k < entries; k++) to[k * step] = beta == 0 ? 0 : beta * to[k * step];
    const int64_t end = tulle__listed(rows->ends, rows->wide_ends, row + 1);
    for (int64_t v = tulle__listed(rows->ends, rows->wide_ends, row); v < end; v++) {
        const int64_t from = tulle__listed(rows->from, rows->wide, v);
        const uint8_t *position = rows->positions + v * TULLE__CELL_NODES;
        REAL entry[TULLE__CELL_NODES];
        NAME(make_row)
        ((const REAL *)job->metrics + from / ENTRIES * TULLE__AFFINE_NUMBERS,
         factors + from % ENTRIES, entry);
        for (int j = 0; j < TULLE__CELL_NODES; j++) to[position[j] * step] += entry[j];
    }
}

static void NAME(sum)(const tulle__place *place, const tulle__affine_rows_job *job) {
    const REAL beta = tulle__scalar_value(REAL, job->rows.beta);
    REAL factors[TULLE__AFFINE_USED * ENTRIES];
    for (int k = 0; k < TULLE__AFFINE_USED * ENTRIES; k++) {
        factors[k] = (REAL)tulle__affine_factor(k / ENTRIES, k % ENTRIES / TULLE__CELL_NODES,
                                                k % TULLE__CELL_NODES);
    }
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_CELLS, job->rows.rows))
    for (int64_t row = 0; row < job->rows.rows; row++) NAME(sum_row)(job, factors, beta, row);
}

#endif
