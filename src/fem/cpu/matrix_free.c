/* SPDX-License-Identifier: Apache-2.0 */
/* Elements times x, their matrices never being there, on the CPU: a thread has a patch, and the
 * numbers of its nodes side by side, in the cache. */
#ifndef REAL

#include <math.h>
#include <omp.h>

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

#define FUNCTION(type, name) static inline __attribute__((always_inline)) type NAME(name)
#define CALL(name, ...) NAME(name)(__VA_ARGS__)
#define UNROLL _Pragma("GCC unroll 8")
#define KEEP_LOOP

#define TULLE__SELF "fem/cpu/matrix_free.c"
#define REAL float
#define NAME(name) name##_f32
#include "fem/elements/isoparametric.h"
#include "fem/elements/product.h"
#include TULLE__SELF
#undef REAL
#undef NAME
#define REAL double
#define NAME(name) name##_f64
#include "fem/elements/isoparametric.h"
#include "fem/elements/product.h"
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

#include "fem/cpu/patch.h"

/* A patch, and the numbers of its nodes. */
typedef struct NAME(held) {
    const tulle__patches_job *job;
    const tulle__patch *patch;
    REAL *room;
} NAME(held);

FUNCTION(REAL, coefficient)(const tulle__coefficient *c, int64_t element) {
    return c->of_element ? ((const REAL *)c->of_element)[element] : (REAL)c->number;
}

FUNCTION(void, multiply_affine)
(tulle_shape shape, const NAME(held) * h, int64_t element, const REAL *u, REAL *y) {
    const tulle__metrics *m = &h->job->metrics;
    const int64_t first = m->kind ? (int64_t)m->kind[element] * TULLE__METRIC_ROW
                                  : tulle__metric_first(m->each, (uint32_t)element);
    const int64_t step = m->kind ? 1 : TULLE__METRIC_LANES;
    const REAL *own = (const REAL *)m->numbers + first;
    const int dimension = tulle__cell_dimension(shape);
    const REAL mass = m->massive ? own[(m->each - 1) * step] : 0;
    REAL G[TULLE__CELL_METRIC];
    UNROLL
    for (int i = 0; i < dimension; i++) {
        UNROLL
        for (int j = i; j < dimension; j++) {
            G[tulle__metric_at(i, j)] = own[tulle__packed_at(dimension, i, j) * step];
        }
    }
    CALL(product_affine, shape, G, mass, u, y);
}

FUNCTION(void, multiply)
(tulle_shape shape, bool affine, const NAME(held) * h, int64_t element, const uint16_t *at,
 const REAL *u, REAL *y) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    if (affine) {
        CALL(multiply_affine, shape, h, element, u, y);
        return;
    }
    REAL x[3][TULLE__CELL_NODES];
    UNROLL
    for (int d = 0; d < dimension; d++) {
        UNROLL
        for (int i = 0; i < nodes; i++) {
            x[d][i] = h->room[at[i] + TULLE__FREE_COORDINATES + d * TULLE__PATCH_GROUP];
        }
    }
    CALL(product_general, shape, x, CALL(coefficient, &h->job->diffusion, element),
         CALL(coefficient, &h->job->reaction, element), u, y);
}

/* Multiplies an element by x. For a diagonal, entry i is entry i of the product with unit vector i,
 * so there are as many products as nodes. */
FUNCTION(void, add_element)
(tulle_shape shape, bool affine, const NAME(held) * h, int64_t element, const uint16_t *at) {
    const int nodes = tulle__cell_nodes(shape);
    const bool diagonal = h->job->vectors.diagonal;
    for (int round = 0; round < (diagonal ? nodes : 1); round++) {
        REAL u[TULLE__CELL_NODES], y[TULLE__CELL_NODES];
        UNROLL
        for (int i = 0; i < nodes; i++) u[i] = diagonal ? (REAL)(i == round) : h->room[at[i]];
        CALL(multiply, shape, affine, h, element, at, u, y);
        UNROLL
        for (int i = 0; i < nodes; i++) {
            if (!diagonal || i == round) h->room[at[i] + TULLE__PATCH_SUM] += y[i];
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

static void NAME(gather_coordinates)(const NAME(held) * h) {
    const tulle__patches_job *job = h->job;
    const int dimension = tulle__cell_dimension(job->shape);
    const REAL *from = job->coordinates;
    for (int32_t l = 0; l < h->patch->nodes; l++) {
        REAL *own = h->room + tulle__patch_place(job->patches.more, l);
        for (int d = 0; d < dimension; d++) {
            own[TULLE__FREE_COORDINATES + d * TULLE__PATCH_GROUP] =
                from[dimension * h->patch->node + d * h->patch->nodes + l];
        }
    }
}

static void NAME(apply)(const tulle__place *place, const tulle__patches_job *job) {
    const REAL alpha = tulle__scalar_value(REAL, job->vectors.alpha);
    const REAL beta = tulle__scalar_value(REAL, job->vectors.beta);
    const int64_t count = job->patches.count;
    const int64_t room = tulle__patch_room(job->patches.more, job->patches.most);
    const int all = tulle__threads_for(place, TULLE__WORK_CELLS, job->patches.elements);
    const int threads = count < all ? (int)count : all;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < count; p++) {
        const NAME(held) h = {.job = job,
                              .patch = job->patches.patch + p,
                              .room = (REAL *)job->room + omp_get_thread_num() * room};
        NAME(gather)(&job->patches, &job->vectors, h.patch, h.room);
        if (!job->affine) NAME(gather_coordinates)(&h);
        NAME(add_all)(&h);
        NAME(scatter)(&job->patches, &job->vectors, h.patch, h.room, alpha, beta);
    }
}

#endif
