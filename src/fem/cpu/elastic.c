/* SPDX-License-Identifier: Apache-2.0 */
/* Elastic element matrices and vectors from coordinates, on the CPU. */
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
#define KEEP_LOOP
#define LOAD(p) (*(p))
#define TULLE__SELF "fem/cpu/elastic.c"
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

tulle_status tulle__cpu_elastic_matrices(const tulle__place *place,
                                         const tulle__elastic_matrices_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_ELASTIC, job->body.cells.count))
    for (int64_t e = 0; e < job->body.cells.count; e++) {
        if (job->type == TULLE_F32) {
            put_matrix_f32(job, e);
        } else {
            put_matrix_f64(job, e);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_elastic_loads(const tulle__place *place,
                                      const tulle__elastic_loads_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_ELASTIC, job->body.cells.count))
    for (int64_t e = 0; e < job->body.cells.count; e++) {
        if (job->type == TULLE_F32) {
            put_load_f32(job, e);
        } else {
            put_load_f64(job, e);
        }
    }
    return TULLE_OK;
}

#else

#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
/* cell_integrals.h comes before elastic_integrals.h, which uses its functions. */
#include "fem/elements/elastic_integrals.h"

/* Block (a, b) of an element matrix, and block (b, a), its transpose. */
static inline __attribute__((always_inline)) void NAME(put_block)(int nodes, int dimension, int a,
                                                                  int b, REAL block[3][3],
                                                                  REAL *K) {
    const int m = nodes * dimension;
    for (int r = 0; r < dimension; r++) {
        for (int s = a == b ? r : 0; s < dimension; s++) {
            const int i = a * dimension + r, j = b * dimension + s;
            K[i * m + j] = K[j * m + i] = block[r][s];
        }
    }
}

static inline __attribute__((always_inline)) void NAME(put_cell)(tulle_shape shape,
                                                                 const tulle__body *body, int64_t e,
                                                                 REAL *K) {
    const int nodes = tulle__cell_nodes(shape), dimension = tulle__cell_dimension(shape);
    const int points = nodes;
    REAL X[3][TULLE__CELL_NODES], at[3], gradient[TULLE__CELL_NODES][TULLE__CELL_NODES][3];
    REAL lambda[TULLE__CELL_NODES], mu[TULLE__CELL_NODES];
    NAME(place_cell)(shape, &body->cells, e, X);
    for (int q = 0; q < points; q++) {
        NAME(point)(shape, q, at);
        const REAL size = NAME(gradients)(shape, X, at, gradient[q]);
        lambda[q] = NAME(quantity_at)(&body->lambda, body->cells.count, e, q, size);
        mu[q] = NAME(quantity_at)(&body->mu, body->cells.count, e, q, size);
    }
    for (int a = 0; a < nodes; a++) {
        for (int b = a; b < nodes; b++) {
            REAL block[3][3] = {{0}};
            for (int q = 0; q < points; q++) {
                NAME(add_elastic)
                (dimension, lambda[q], mu[q], gradient[q][a], gradient[q][b], block);
            }
            NAME(put_block)(nodes, dimension, a, b, block, K);
        }
    }
}

static inline __attribute__((always_inline)) void NAME(put_facet)(tulle_shape shape, int dimension,
                                                                  const tulle__body *body,
                                                                  int64_t e, REAL *K) {
    const int nodes = tulle__cell_nodes(shape), points = nodes;
    REAL X[3][TULLE__CELL_NODES], at[3], mass[TULLE__CELL_PACKED] = {0};
    NAME(place_cell)(shape, &body->cells, e, X);
    for (int q = 0; q < points; q++) {
        NAME(point)(shape, q, at);
        const REAL size = NAME(facet_measure)(shape, dimension, X, at);
        NAME(add_mass)
        (shape, at, NAME(quantity_at)(&body->cells.c, body->cells.count, e, q, size), mass);
    }
    for (int a = 0; a < nodes; a++) {
        for (int b = a; b < nodes; b++) {
            REAL block[3][3] = {{0}};
            for (int d = 0; d < dimension; d++) {
                block[d][d] = mass[tulle__packed_at(nodes, a, b)];
            }
            NAME(put_block)(nodes, dimension, a, b, block, K);
        }
    }
}

static inline __attribute__((always_inline)) void NAME(put_matrix_of)(
    tulle_shape shape, int dimension, const tulle__elastic_matrices_job *job, int64_t e) {
    const int m = tulle__cell_nodes(shape) * dimension;
    REAL *K = (REAL *)job->matrices + e * m * m;
    if (tulle__cell_dimension(shape) == dimension) {
        NAME(put_cell)(shape, &job->body, e, K);
    } else {
        NAME(put_facet)(shape, dimension, &job->body, e, K);
    }
}

static inline __attribute__((always_inline)) void NAME(put_load_of)(
    tulle_shape shape, int dimension, const tulle__elastic_loads_job *job, int64_t e) {
    const int nodes = tulle__cell_nodes(shape);
    REAL F[TULLE__CELL_NODES][3], *to = (REAL *)job->vectors + e * nodes * dimension;
    NAME(elastic_load)(shape, dimension, &job->body, job->given, e, F);
    for (int a = 0; a < nodes; a++) {
        for (int d = 0; d < dimension; d++) to[a * dimension + d] = F[a][d];
    }
}

/* The compiler makes code of each shape's own. */
#define SHAPE(name, unknowns)                                                                      \
    if (job->body.cells.shape == name && job->body.cells.dimension == (unknowns)) {                \
        NAME(put_matrix_of)(name, unknowns, job, e);                                               \
    }
static void NAME(put_matrix)(const tulle__elastic_matrices_job *job, int64_t e) {
    TULLE__ELASTIC_SHAPES(SHAPE)
}
#undef SHAPE
#define SHAPE(name, unknowns)                                                                      \
    if (job->body.cells.shape == name && job->body.cells.dimension == (unknowns)) {                \
        NAME(put_load_of)(name, unknowns, job, e);                                                 \
    }
static void NAME(put_load)(const tulle__elastic_loads_job *job, int64_t e) {
    TULLE__ELASTIC_SHAPES(SHAPE)
}
#undef SHAPE

#endif
