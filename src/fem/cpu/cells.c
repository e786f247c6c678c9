/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors from coordinates, on the CPU. */
#ifndef REAL

#include <math.h>

#include "core/threads/sizes.h"
#include "fem/functions.h"

/* Functions are inlined, so that shapes are known in all of them. */
#define FUNCTION(type, name) static inline __attribute__((always_inline)) type NAME(name)
#define CALL(f, ...) NAME(f)(__VA_ARGS__)
/* Sanitized, it would take minutes to compile; clang warns of what it cannot unroll. */
#if defined(TULLE__ADDRESS_SANITIZER) || defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define LOAD(p) (*(p))
#define TULLE__SELF "fem/cpu/cells.c"
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

tulle_status tulle__cpu_cell_matrices(const tulle__place *place, const tulle__matrices_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_CELLS, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) {
        if (job->type == TULLE_F32) {
            put_matrix_f32(job, e);
        } else {
            put_matrix_f64(job, e);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_cell_loads(const tulle__place *place, const tulle__loads_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_CELLS, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) {
        if (job->type == TULLE_F32) {
            put_load_f32(job, e);
        } else {
            put_load_f64(job, e);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_give_numbers(const tulle__place *place, const tulle__give_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_CELLS, job->count))
    for (int64_t i = 0; i < job->count; i++) tulle__give_number(job, i);
    return TULLE_OK;
}

#else

#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"

static inline __attribute__((always_inline)) void NAME(put_matrix_of)(
    tulle_shape shape, const tulle__matrices_job *job, int64_t e) {
    const int nodes = tulle__cell_nodes(shape);
    REAL K[TULLE__CELL_PACKED], *to = (REAL *)job->matrices + e * job->e_step;
    NAME(cell_matrix)(shape, &job->cells, e, K);
    for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < nodes; j++) {
            to[i * job->i_step + j * job->j_step] =
                K[i <= j ? tulle__packed_at(nodes, i, j) : tulle__packed_at(nodes, j, i)];
        }
    }
}

static inline __attribute__((always_inline)) void NAME(put_load_of)(tulle_shape shape,
                                                                    const tulle__loads_job *job,
                                                                    int64_t e) {
    const int nodes = tulle__cell_nodes(shape);
    REAL F[TULLE__CELL_NODES], *to = (REAL *)job->vectors + e * job->e_step;
    NAME(cell_load)(shape, &job->cells, job->given, e, F);
    for (int i = 0; i < nodes; i++) to[i * job->i_step] = F[i];
}

/* The compiler makes code of each shape's own. */
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        NAME(put_matrix_of)(name, job, e);                                                         \
        break;
static void NAME(put_matrix)(const tulle__matrices_job *job, int64_t e) {
    switch (job->cells.shape) {
        TULLE__CELL_SHAPES(SHAPE)
        default:
            break;
    }
}
#undef SHAPE
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        NAME(put_load_of)(name, job, e);                                                           \
        break;
static void NAME(put_load)(const tulle__loads_job *job, int64_t e) {
    switch (job->cells.shape) {
        TULLE__CELL_SHAPES(SHAPE)
        default:
            break;
    }
}
#undef SHAPE

#endif
