/* SPDX-License-Identifier: Apache-2.0 */
/* Elements times x, their matrices never being there, on the CPU: a thread has a patch, and what it
 * needs of its nodes side by side, in the cache. */
#ifndef REAL

#include <math.h>
#include <omp.h>

#include "core/access.h"
#include "fem/functions.h"

#define FUNCTION(type, name) static inline __attribute__((always_inline)) type NAME(name)
#define CALL(name, ...) NAME(name)(__VA_ARGS__)
#define UNROLL _Pragma("GCC unroll 8")
#define KEEP_LOOP

#define TULLE__SELF "fem/matrix_free_cpu.c"
#define REAL float
#define NAME(name) name##_f32
#include "fem/isoparametric.h"
#include "fem/product.h"
#include TULLE__SELF
#undef REAL
#undef NAME
#define REAL double
#define NAME(name) name##_f64
#include "fem/isoparametric.h"
#include "fem/product.h"
#include TULLE__SELF
#undef REAL
#undef NAME

tulle_status tulle__cpu_apply_patches(const tulle__place *place, const tulle__patches_job *job) {
    if (job->type == TULLE_F32) {
        apply_f32(place, job);
    } else {
        apply_f64(place, job);
    }
    return TULLE_OK;
}

#else

/* What is held of a patch's nodes. */
typedef struct NAME(held) {
    const tulle__patches_job *job;
    const tulle__patch *patch;
    REAL *x, *sum;
    const REAL *coordinates;
} NAME(held);

FUNCTION(REAL, coefficient)(const tulle__coefficient *c, int64_t element) {
    return c->of_element ? ((const REAL *)c->of_element)[element] : (REAL)c->number;
}

/* Coordinate d of a node of the patch. */
FUNCTION(REAL, coordinate)(const NAME(held) * h, int d, uint16_t node) {
    return h->coordinates[(int64_t)d * h->patch->nodes + node];
}

FUNCTION(void, multiply)
(tulle_shape shape, bool affine, const NAME(held) * h, int64_t element, const uint16_t *at,
 const REAL *u, REAL *y) {
    const REAL k = CALL(coefficient, &h->job->diffusion, element);
    const REAL c = CALL(coefficient, &h->job->reaction, element);
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    if (affine) {
        REAL column[3][3];
        UNROLL
        for (int i = 0; i < dimension; i++) {
            const uint16_t end = at[tulle__column_corner(shape, i)];
            UNROLL
            for (int d = 0; d < dimension; d++) {
                const REAL edge = CALL(coordinate, h, d, end) - CALL(coordinate, h, d, at[0]);
                column[i][d] = (REAL)tulle__column_of_edge(shape) * edge;
            }
        }
        CALL(product_affine, shape, column, k, c, u, y);
        return;
    }
    REAL x[3][TULLE__CELL_NODES];
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int i = 0; i < nodes; i++) x[d][i] = CALL(coordinate, h, d, at[i]);
    }
    CALL(product_general, shape, x, k, c, u, y);
}

/* Of a diagonal, entry i is that of column i, which is one of as many products. */
FUNCTION(void, add_element)
(tulle_shape shape, bool affine, const NAME(held) * h, int64_t element, const uint16_t *at) {
    const int nodes = tulle__cell_nodes(shape);
    const bool diagonal = h->job->diagonal;
    for (int round = 0; round < (diagonal ? nodes : 1); round++) {
        REAL u[TULLE__CELL_NODES], y[TULLE__CELL_NODES];
        UNROLL
        for (int i = 0; i < nodes; i++) u[i] = diagonal ? (REAL)(i == round) : h->x[at[i]];
        CALL(multiply, shape, affine, h, element, at, u, y);
        UNROLL
        for (int i = 0; i < nodes; i++) {
            if (!diagonal || i == round) h->sum[at[i]] += y[i];
        }
    }
}

FUNCTION(void, add_elements)(tulle_shape shape, bool affine, const NAME(held) * h) {
    const tulle__patches *all = &h->job->patches;
    const int64_t first = h->patch->element;
    for (int64_t e = first; e < first + h->patch->elements; e++) {
        CALL(add_element, shape, affine, h, e, all->places + e * all->width);
    }
}

static void NAME(add_triangles)(const NAME(held) * h) {
    CALL(add_elements, TULLE_TRIANGLE, true, h);
}
static void NAME(add_tetrahedra)(const NAME(held) * h) {
    CALL(add_elements, TULLE_TETRAHEDRON, true, h);
}
static void NAME(add_parallelograms)(const NAME(held) * h) {
    CALL(add_elements, TULLE_QUADRILATERAL, true, h);
}
static void NAME(add_quadrilaterals)(const NAME(held) * h) {
    CALL(add_elements, TULLE_QUADRILATERAL, false, h);
}
static void NAME(add_parallelepipeds)(const NAME(held) * h) {
    CALL(add_elements, TULLE_HEXAHEDRON, true, h);
}
static void NAME(add_hexahedra)(const NAME(held) * h) {
    CALL(add_elements, TULLE_HEXAHEDRON, false, h);
}

static void NAME(add_all)(const NAME(held) * h) {
    const tulle_shape shape = h->job->shape;
    const bool affine = h->job->affine;
    if (shape == TULLE_TRIANGLE) {
        NAME(add_triangles)(h);
    } else if (shape == TULLE_TETRAHEDRON) {
        NAME(add_tetrahedra)(h);
    } else if (shape == TULLE_QUADRILATERAL) {
        (affine ? NAME(add_parallelograms) : NAME(add_quadrilaterals))(h);
    } else {
        (affine ? NAME(add_parallelepipeds) : NAME(add_hexahedra))(h);
    }
}

static void NAME(gather)(const NAME(held) * h) {
    const uint32_t *list = h->job->patches.list + h->patch->node;
    const REAL *x = h->job->x;
    for (int32_t l = 0; l < h->patch->nodes; l++) {
        const int64_t node = list[l] & TULLE__PATCH_NODE;
        h->sum[l] = 0;
        if (h->job->diagonal) continue;
        h->x[l] = list[l] & TULLE__PATCH_MASKED ? 0 : x[node * h->job->x_step];
    }
}

static void NAME(scatter)(const NAME(held) * h, REAL alpha, REAL beta) {
    const tulle__patches_job *job = h->job;
    const uint32_t *list = job->patches.list + h->patch->node;
    REAL *slots = job->slots;
    for (int32_t l = 0; l < h->patch->nodes; l++) {
        if (list[l] & TULLE__PATCH_SHARED) continue;
        REAL *to = (REAL *)job->y + list[l] * job->y_step;
        *to = beta == 0 ? alpha * h->sum[l] : alpha * h->sum[l] + beta * *to;
    }
    for (int64_t s = h->patch->slot; s < h->patch->slot + h->patch->slots; s++) {
        const uint16_t l = job->patches.surface[s];
        if (!job->atomic) {
            slots[s] = h->sum[l];
            continue;
        }
        REAL *to = (REAL *)job->y + (list[l] & TULLE__PATCH_NODE) * job->y_step;
#pragma omp atomic
        *to += alpha * h->sum[l];
    }
}

static void NAME(apply)(const tulle__place *place, const tulle__patches_job *job) {
    const REAL alpha = tulle__scalar_value(REAL, job->alpha);
    const REAL beta = tulle__scalar_value(REAL, job->beta);
    const int64_t most = job->patches.most, count = job->patches.count;
    const int threads = count < place->threads ? (int)count : place->threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < count; p++) {
        const tulle__patch *patch = job->patches.patch + p;
        REAL *room = (REAL *)job->room + omp_get_thread_num() * 2 * most;
        const NAME(held) h = {.job = job,
                              .patch = patch,
                              .x = room,
                              .sum = room + most,
                              .coordinates = (const REAL *)job->coordinates +
                                             patch->node * tulle__cell_dimension(job->shape)};
        NAME(gather)(&h);
        NAME(add_all)(&h);
        NAME(scatter)(&h, alpha, beta);
    }
}

#endif
