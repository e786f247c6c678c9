/* SPDX-License-Identifier: Apache-2.0 */
/* Solves many small systems on the CPU: a thread works on one system at a time. */
#ifndef VALUE

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "core/threads/sizes.h"
#include "uniform/functions.h"
#include "uniform/scale.h"
#include "vector/norm.h"
#include "vector/twofold.h"

/* Vectors of the methods: x, r, the inverse diagonal, and those of VECTOR. */
enum { X, R, INVERSE, OWN, VECTORS = OWN + 5 };

/* Number of partial sums, which the compiler makes a vector of. */
enum { SUMS = 8 };

/* Number of iterations that a system takes at least, as a rule. */
enum { FEW_ITERATIONS = 4 };

static int64_t vectors_of(const tulle__uniform_solution *job) {
    return VECTORS + (job->options.method == TULLE_GMRES ? job->options.restart : 0);
}

tulle_status tulle__cpu_uniform_teams(const tulle__place *place, tulle__uniform_solution *job) {
    const int64_t numbers = 2 * (int64_t)job->pattern.slots + vectors_of(job) * job->pattern.n;
    const int64_t items = job->count * (job->pattern.n + job->pattern.entries) * FEW_ITERATIONS;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, items);
    job->teams = threads < job->count ? threads : job->count;
    job->team_bytes = (numbers + job->small + job->triangle) * (int64_t)sizeof(double);
    return TULLE_OK;
}

#define TULLE__SELF "uniform/solve_cpu.c"
#include "core/each_value.h"

tulle_status tulle__cpu_uniform_solve(const tulle__place *place,
                                      const tulle__uniform_solution *job) {
    (void)place;
#pragma omp parallel for schedule(dynamic) num_threads((int)job->teams)
    for (int64_t s = 0; s < job->count; s++) {
        char *room = (char *)job->workspace + omp_get_thread_num() * job->team_bytes;
        const tulle_uniform_report report = job->type == TULLE_F32
                                                ? run_f32(job, s, (double *)(void *)room)
                                                : run_f64(job, s, (double *)(void *)room);
        if (job->reports) job->reports[s] = report;
    }
    return TULLE_OK;
}

#else

/* A system, in the memory of its thread. */
typedef struct NAME(system) {
    const tulle__uniform_solution *job;
    int64_t number;
    int n, restart;
    double *small, *triangle;
    VALUE *values, *factors; /* numbers of the matrix and of its factors, by slots */
    VALUE *x, *r, *inverse, *own, *basis;
    double scale, limit, norm;
    int64_t iterations, most_iterations;
} NAME(system);

#define SYSTEM NAME(system)
#define FUNCTION(type, name) static type NAME(name)
#define NUMBERS VALUE *
#define LOAD(p) (*(p))
#define VECTOR(v, k) VALUE *const v = a->own + (int64_t)(k)*a->n
#define EACH(i) for (int i = 0; i < a->n; i++)
#define CALL(f, ...) NAME(f)(__VA_ARGS__)
#define ONE_THREAD(a) true
#define MEET(a) (void)(a)
#define BASIS(k, i) a->basis[(int64_t)(k)*a->n + (i)]

static VALUE NAME(number)(const tulle__strided *v, int64_t s, int64_t i) {
    return ((const VALUE *)v->data)[i * v->row + s * v->col];
}

FUNCTION(void, multiply)(const SYSTEM *a, const VALUE *x, VALUE *y) {
    const tulle__uniform_view *p = &a->job->pattern;
    EACH(i) {
        const int first = p->first[i], length = p->length[i];
        VALUE sum = 0;
        for (int e = 0; e < length; e++) {
            const int slot = first + e * p->step;
            sum += a->values[slot] * x[p->columns[slot]];
        }
        y[i] = sum;
    }
}

#include "uniform/sweeps.h"

FUNCTION(void, apply_factors)(const SYSTEM *a, VALUE *z) {
    const tulle__uniform_view *p = &a->job->pattern;
    EACH(i) NAME(solve_row)(p, a->factors, z, i, TULLE_LOWER, true);
    for (int i = a->n - 1; i >= 0; i--) {
        NAME(solve_row)(p, a->factors, z, i, TULLE_UPPER, false);
    }
}

FUNCTION(void, precondition)(const SYSTEM *a, const VALUE *x, VALUE *y) {
    const tulle_uniform_preconditioner which = a->job->options.preconditioner;
    if (which == TULLE_UNIFORM_JACOBI) {
        EACH(i) y[i] = a->inverse[i] * x[i];
        return;
    }
    EACH(i) y[i] = x[i];
    if (which == TULLE_UNIFORM_ILU) NAME(apply_factors)(a, y);
}

FUNCTION(double, dot)(const SYSTEM *a, const VALUE *x, const VALUE *y) {
    double sums[SUMS] = {0};
    int i = 0;
    for (; i + SUMS <= a->n; i += SUMS) {
        for (int k = 0; k < SUMS; k++) sums[k] += (double)x[i + k] * (double)y[i + k];
    }
    for (int k = 0; i < a->n; i++, k++) sums[k] += (double)x[i] * (double)y[i];
    for (int half = SUMS / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) sums[k] += sums[k + half];
    }
    return sums[0];
}

FUNCTION(double, square)(const SYSTEM *a, const VALUE *x, double by) {
    double sum = 0;
    EACH(i) sum += (double)x[i] * by * ((double)x[i] * by);
    return sum;
}

FUNCTION(double, largest)(const SYSTEM *a, const VALUE *x) {
    double most = 0;
    EACH(i) most = tulle__larger(most, fabs((double)x[i]));
    return most;
}

FUNCTION(void, dots)
(const SYSTEM *a, const VALUE *x, const VALUE *y, const VALUE *u, const VALUE *v, double *sums) {
    sums[0] = NAME(dot)(a, x, y);
    sums[1] = NAME(dot)(a, u, v);
}

FUNCTION(double, residual)(SYSTEM *a) {
    const tulle__uniform_view *p = &a->job->pattern;
    double square = 0;
    EACH(i) {
        const int first = p->first[i], length = p->length[i];
        tulle__twofold sum = {0, 0};
        for (int e = 0; e < length; e++) {
            const int slot = first + e * p->step;
            tulle__twofold_add_product(&sum, -(double)a->values[slot],
                                       (double)a->x[p->columns[slot]]);
        }
        const double b = (double)NAME(number)(&a->job->b, a->number, i) * a->scale;
        tulle__twofold_add(&sum, b, 0);
        const double number = sum.sum + sum.lost;
        a->r[i] = (VALUE)number;
        square += number * number;
    }
    return sqrt(square);
}

#include "uniform/methods.h"

/* Computes the inverse diagonal; returns the first row without an inverse, or -1. */
FUNCTION(int, invert_diagonal)(SYSTEM *a) {
    int bad = -1;
    EACH(i) {
        const int slot = a->job->pattern.diagonal[i];
        a->inverse[i] = slot < 0 ? 0 : 1 / a->values[slot];
        if (bad < 0 && !tulle__uniform_inverts((double)a->inverse[i])) bad = i;
    }
    return bad;
}

FUNCTION(int, factorise)(SYSTEM *a) {
    const tulle__uniform_view *p = &a->job->pattern;
    int bad = -1;
    memcpy(a->factors, a->values, (size_t)p->slots * sizeof *a->factors);
    EACH(i) {
        if (!NAME(factor_row)(p, a->factors, i) && bad < 0) bad = i;
    }
    return bad;
}

/* Makes the preconditioner; returns the first row that prevents it, or -1. */
FUNCTION(int, make_preconditioner)(SYSTEM *a) {
    switch (a->job->options.preconditioner) {
        case TULLE_UNIFORM_JACOBI:
            return NAME(invert_diagonal)(a);
        case TULLE_UNIFORM_ILU:
            return NAME(factorise)(a);
        case TULLE_UNIFORM_NONE:
            break;
    }
    return -1;
}

FUNCTION(double, largest_of_b)(const SYSTEM *a) {
    double largest = 0;
    EACH(i) {
        const double b = (double)NAME(number)(&a->job->b, a->number, i);
        largest = tulle__larger(largest, fabs(b));
    }
    return largest;
}

/* Computes x and r at the start, and the limit. If there is no guess, b is the residual at the
 * start. */
FUNCTION(void, begin)(SYSTEM *a) {
    const tulle_uniform_options *o = &a->job->options;
    double square = 0;
    EACH(i) {
        const double b = (double)NAME(number)(&a->job->b, a->number, i) * a->scale;
        a->x[i] = 0;
        a->r[i] = (VALUE)b;
        square += b * b;
    }
    a->norm = sqrt(square);
    a->limit = fmax(o->tolerance * a->norm, o->absolute * a->scale);
    if (!o->guess || a->norm == 0) return;
    EACH(i) a->x[i] = NAME(number)(&a->job->x, a->number, i) * (VALUE)a->scale;
    a->norm = NAME(residual)(a);
}

FUNCTION(void, end)(const SYSTEM *a) {
    const tulle__strided *x = &a->job->x;
    VALUE *to = (VALUE *)x->data + a->number * x->col;
    EACH(i) to[i * x->row] = a->x[i] * (VALUE)(1 / a->scale);
}

static tulle_uniform_report NAME(run)(const tulle__uniform_solution *job, int64_t s, double *room) {
    const tulle__uniform_view *p = &job->pattern;
    SYSTEM made = {.job = job, .number = s, .n = p->n, .restart = job->options.restart};
    SYSTEM *a = &made;
    a->small = room;
    a->triangle = a->small + job->small;
    a->values = (VALUE *)(void *)(a->triangle + job->triangle);
    a->factors = a->values + p->slots;
    VALUE *vectors = a->factors + p->slots;
    a->x = vectors + (int64_t)X * a->n;
    a->r = vectors + (int64_t)R * a->n;
    a->inverse = vectors + (int64_t)INVERSE * a->n;
    a->own = vectors + (int64_t)OWN * a->n;
    a->basis = vectors + (int64_t)VECTORS * a->n;
    a->most_iterations = job->options.max_iterations;
    for (int e = 0; e < p->entries; e++) a->values[p->slot_of[e]] = NAME(number)(&job->a, s, e);

    const double largest = NAME(largest_of_b)(a);
    a->scale = tulle__uniform_is_number(largest)
                   ? tulle__uniform_scale(job->type == TULLE_F32, largest)
                   : 1;
    NAME(begin)(a);
    const int bad = largest != 0 ? NAME(make_preconditioner)(a) : -1;
    const int outcome = bad >= 0 ? (int)TULLE_BROKE_DOWN : NAME(solve)(a, job->options.method);
    NAME(end)(a);
    return (tulle_uniform_report){.outcome = (tulle_outcome)outcome,
                                  .row = bad,
                                  .iterations = a->iterations,
                                  .norm = a->norm / a->scale};
}

#undef SYSTEM
#undef FUNCTION
#undef NUMBERS
#undef LOAD
#undef VECTOR
#undef EACH
#undef CALL
#undef ONE_THREAD
#undef MEET
#undef BASIS

#endif
