/* SPDX-License-Identifier: Apache-2.0 */
/* ILU(0) and triangular solves of many small systems on the CPU: a thread works on one system at a
 * time. */
#ifndef VALUE

#include <omp.h>

#include "core/threads/sizes.h"
#include "uniform/functions.h"
#include "uniform/scale.h"

#define FUNCTION(type, name) static type NAME(name)
#define NUMBERS VALUE *
#define LOAD(p) (*(p))
#define TULLE__SELF "uniform/factor_cpu.c"
#include "core/each_value.h"

tulle_status tulle__cpu_uniform_factor(const tulle__place *place,
                                       const tulle__uniform_factors *job) {
    const int64_t items = job->count * (job->pattern.n + job->pattern.entries);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, items);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t s = 0; s < job->count; s++) {
        char *room = (char *)job->workspace + omp_get_thread_num() * job->team_bytes;
        const int row = job->type == TULLE_F32 ? factor_f32(job, s, (float *)(void *)room)
                                               : factor_f64(job, s, (double *)(void *)room);
        if (job->reports) job->reports[s] = tulle__uniform_factored(row);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_uniform_sweep(const tulle__place *place, const tulle__uniform_sweeps *job) {
    const int64_t items = job->count * (job->pattern.n + job->pattern.entries);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, items);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t s = 0; s < job->count; s++) {
        char *room = (char *)job->workspace + omp_get_thread_num() * job->team_bytes;
        if (job->type == TULLE_F32) {
            sweep_f32(job, s, (float *)(void *)room);
        } else {
            sweep_f64(job, s, (double *)(void *)room);
        }
    }
    return TULLE_OK;
}

#else

#include "uniform/sweeps.h"

static VALUE *NAME(at)(const tulle__strided *v, int64_t s, int64_t i) {
    return (VALUE *)v->data + i * v->row + s * v->col;
}

/* Computes the factors of a system; returns the first row with an unusable pivot, or -1. */
static int NAME(factor)(const tulle__uniform_factors *job, int64_t s, VALUE *f) {
    const tulle__uniform_view *p = &job->pattern;
    int bad = -1;
    for (int e = 0; e < p->entries; e++) f[p->slot_of[e]] = *NAME(at)(&job->a, s, e);
    for (int i = 0; i < p->n; i++) {
        if (!NAME(factor_row)(p, f, i) && bad < 0) bad = i;
    }
    for (int e = 0; e < p->entries; e++) *NAME(at)(&job->f, s, e) = f[p->slot_of[e]];
    return bad;
}

static void NAME(sweep)(const tulle__uniform_sweeps *job, int64_t s, VALUE *f) {
    const tulle__uniform_view *p = &job->pattern;
    VALUE *z = f + p->slots;
    for (int e = 0; e < p->entries; e++) f[p->slot_of[e]] = *NAME(at)(&job->a, s, e);
    for (int i = 0; i < p->n; i++) z[i] = *NAME(at)(&job->b, s, i);
    for (int i = 0; job->lower && i < p->n; i++) {
        NAME(solve_row)(p, f, z, i, TULLE_LOWER, job->unit_lower);
    }
    for (int i = p->n - 1; job->upper && i >= 0; i--) {
        NAME(solve_row)(p, f, z, i, TULLE_UPPER, job->unit_upper);
    }
    for (int i = 0; i < p->n; i++) *NAME(at)(&job->x, s, i) = z[i];
}

#endif
