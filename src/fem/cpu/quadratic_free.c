/* SPDX-License-Identifier: Apache-2.0 */
/* Hexahedra of order 2 times x, their matrices never being there, on the CPU: a thread has a patch,
 * and what it needs of its nodes side by side, in the cache. */
#ifndef REAL

#include <omp.h>

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

#define FUNCTION(type, name) static inline __attribute__((always_inline)) type NAME(name)
#define CALL(name, ...) NAME(name)(__VA_ARGS__)
/* Sanitized, it would take minutes to compile; clang warns of what it cannot unroll. */
#if defined(TULLE__ADDRESS_SANITIZER) || defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 27")
#endif

#define TULLE__SELF "fem/cpu/quadratic_free.c"
#define REAL float
#define NAME(name) name##_f32
#include "fem/elements/quadratic.h"
#include "fem/elements/quadratic_product.h"
#include TULLE__SELF
#undef REAL
#undef NAME
#define REAL double
#define NAME(name) name##_f64
#include "fem/elements/quadratic.h"
#include "fem/elements/quadratic_product.h"
#include TULLE__SELF
#undef REAL
#undef NAME

tulle_status tulle__cpu_apply_lattices(const tulle__place *place, const tulle__lattices_job *job) {
    if (job->type == TULLE_F32) {
        apply_f32(place, job);
    } else {
        apply_f64(place, job);
    }
    return TULLE_OK;
}

#else

/* A patch, and the numbers of its nodes. */
typedef struct NAME(held) {
    const tulle__lattices_job *job;
    const tulle__lattice_patch *patch;
    REAL *x, *sum;
} NAME(held);

/* The numbers of point q of a cell, with the point's weight. */
static inline void NAME(take_point)(const NAME(held) * h, int e, int q,
                                    REAL numbers[TULLE__CELL_METRIC + 1]) {
    const tulle__lattices_job *job = h->job;
    const REAL weight = job->affine ? NAME(gauss_weight)(3, q, (REAL)1) : 1;
    const int own = job->affine ? 0 : q;
    for (int c = 0; c <= TULLE__CELL_METRIC; c++) {
        const int64_t at = tulle__lattice_number_at(h->patch, job->affine, job->massive, own, c, e);
        const bool there = c < TULLE__CELL_METRIC || job->massive;
        numbers[c] = there ? weight * ((const REAL *)job->numbers)[at] : 0;
    }
}

static void NAME(multiply)(const NAME(held) * h, int e, REAL *u, REAL *r) {
    REAL numbers[TULLE__CELL_METRIC + 1];
    NAME(to_points)(3, u);
    for (int q = 0; q < TULLE__LATTICE; q++) {
        NAME(take_point)(h, e, q, numbers);
        NAME(add_lattice_point)(q, numbers, numbers[TULLE__CELL_METRIC], u, r);
    }
    NAME(to_points_adjoint)(3, r);
}

static void NAME(add_element)(const NAME(held) * h, int e) {
    const uint16_t *places = h->job->patches.places + h->patch->place + e;
    const int elements = h->patch->elements;
    REAL u[TULLE__LATTICE], r[TULLE__LATTICE] = {0}, numbers[TULLE__CELL_METRIC + 1];
    if (h->job->vectors.diagonal) {
        for (int q = 0; q < TULLE__LATTICE; q++) {
            NAME(take_point)(h, e, q, numbers);
            NAME(add_lattice_diagonal)(q, numbers, numbers[TULLE__CELL_METRIC], r);
        }
    } else {
        for (int i = 0; i < TULLE__LATTICE; i++) u[i] = h->x[places[i * elements]];
        NAME(multiply)(h, e, u, r);
    }
    for (int i = 0; i < TULLE__LATTICE; i++) h->sum[places[i * elements]] += r[i];
}

static void NAME(gather)(const NAME(held) * h) {
    const uint32_t *list = h->job->patches.list + h->patch->node;
    const REAL *x = h->job->vectors.x;
    for (int32_t l = 0; l < h->patch->nodes; l++) {
        const int64_t node = list[l] & TULLE__PATCH_NODE;
        h->sum[l] = 0;
        if (h->job->vectors.diagonal) continue;
        h->x[l] = list[l] & TULLE__PATCH_MASKED ? 0 : x[node * h->job->vectors.x_step];
    }
}

static void NAME(scatter)(const NAME(held) * h, REAL alpha, REAL beta) {
    const tulle__lattices_job *job = h->job;
    const tulle__lattice_patch *patch = h->patch;
    const uint32_t *list = job->patches.list + patch->node;
    const uint16_t *slot_of = job->patches.slot_of + patch->node;
    REAL *slots = (REAL *)job->vectors.slots + patch->slot;
    for (int32_t l = 0; l < patch->nodes; l++) {
        REAL *to = (REAL *)job->vectors.y + (list[l] & TULLE__PATCH_NODE) * job->vectors.y_step;
        if (list[l] & TULLE__PATCH_MASKED) continue;
        if (!(list[l] & TULLE__PATCH_SHARED)) {
            *to = beta == 0 ? alpha * h->sum[l] : alpha * h->sum[l] + beta * *to;
        } else if (!job->vectors.atomic) {
            slots[slot_of[l]] = h->sum[l];
        } else {
#pragma omp atomic
            *to += alpha * h->sum[l];
        }
    }
}

static void NAME(apply)(const tulle__place *place, const tulle__lattices_job *job) {
    const REAL alpha = tulle__scalar_value(REAL, job->vectors.alpha);
    const REAL beta = tulle__scalar_value(REAL, job->vectors.beta);
    const int64_t most = job->patches.most, count = job->patches.count;
    const int all = tulle__threads_for(place, TULLE__WORK_QUADRATIC, job->patches.elements);
    const int threads = count < all ? (int)count : all;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < count; p++) {
        REAL *room = (REAL *)job->room + omp_get_thread_num() * 2 * most;
        const NAME(held)
            h = {.job = job, .patch = job->patches.patch + p, .x = room, .sum = room + most};
        NAME(gather)(&h);
        for (int e = 0; e < h.patch->elements; e++) NAME(add_element)(&h, e);
        NAME(scatter)(&h, alpha, beta);
    }
}

#endif
