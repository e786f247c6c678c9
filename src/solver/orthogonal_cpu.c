/* SPDX-License-Identifier: Apache-2.0 */
/* Gram-Schmidt on the CPU: pieces of rows, whose part of the vector stays in the cache. */
#ifndef VALUE

#include <math.h>

#include "core/pieces.h"
#include "core/threads/sizes.h"
#include "solver/functions.h"

enum { LANES = 8 };

/* A pass over the basis with components of the type, or NULL; or over w alone, which gets a
 * factor. */
typedef struct pass_job {
    const tulle__orthogonal *o;
    const void *components;
    double factor;
} pass_job;

static double joined(const double *sums, int64_t count) {
    double sum = 0;
    for (int64_t p = 0; p < count; p++) sum += sums[p];
    return sum;
}

static void join_all(const tulle__orthogonal *o, int count) {
    for (int c = 0; c < count; c++) o->whole[c] = joined(o->sums + c * o->pieces, o->pieces);
}

static int threads_for(const tulle__place *place, const tulle__orthogonal *o) {
    return tulle__threads_for(place, TULLE__WORK_NUMBERS, o->n * (o->columns + 1));
}

#define TULLE__SELF "solver/orthogonal_cpu.c"
#define NAME(function) function##_f32
#define VALUE float
#define LEFT TULLE__LEFT_F32
#include TULLE__SELF
#undef NAME
#undef VALUE
#undef LEFT
#define NAME(function) function##_f64
#define VALUE double
#define LEFT TULLE__LEFT_F64
#include TULLE__SELF
#undef NAME
#undef VALUE
#undef LEFT

tulle_status tulle__cpu_orthogonal(const tulle__place *place, const tulle__orthogonal *o) {
    if (o->type == TULLE_F32) {
        orthogonal_f32(o, threads_for(place, o));
    } else {
        orthogonal_f64(o, threads_for(place, o));
    }
    return o->column ? tulle__cpu_column(place, o->column) : TULLE_OK;
}

tulle_status tulle__cpu_add_columns(const tulle__place *place, const tulle__orthogonal *o) {
    const pass_job job = {.o = o, .components = o->first, .factor = 1};
    tulle__in_pieces(threads_for(place, o), o->pieces,
                     o->type == TULLE_F32 ? add_piece_f32 : add_piece_f64, &job);
    return TULLE_OK;
}

#else

static double NAME(dot)(const VALUE *a, const VALUE *b, int64_t count) {
    double lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int l = 0; l < LANES; l++) lanes[l] += (double)a[i + l] * (double)b[i + l];
    }
    for (int l = 0; i + l < count; l++) lanes[l] += (double)a[i + l] * (double)b[i + l];
    return joined(lanes, LANES);
}

/* Computes the components of w over one piece, and |w|^2 of it last. */
static void NAME(measure)(const tulle__orthogonal *o, int64_t piece, int64_t begin, int64_t end) {
    const VALUE *w = (const VALUE *)o->w + begin;
    for (int c = 0; c < o->columns; c++) {
        const VALUE *v = (const VALUE *)o->V + c * o->stride + begin;
        o->sums[c * o->pieces + piece] = NAME(dot)(v, w, end - begin);
    }
    o->sums[o->columns * o->pieces + piece] = NAME(dot)(w, w, end - begin);
}

/* Computes w := w + factor V components over one piece; factor: 1 or -1. */
static void NAME(add)(const tulle__orthogonal *o, VALUE factor, const VALUE *components,
                      int64_t begin, int64_t end) {
    VALUE *w = o->w;
    for (int c = 0; c < o->columns; c++) {
        const VALUE *v = (const VALUE *)o->V + c * o->stride, h = factor * components[c];
#pragma omp simd
        for (int64_t i = begin; i < end; i++) w[i] += h * v[i];
    }
}

static void NAME(add_piece)(const void *any, int64_t piece) {
    const pass_job *job = any;
    const tulle__orthogonal *o = job->o;
    const int64_t begin = o->n * piece / o->pieces, end = o->n * (piece + 1) / o->pieces;
    NAME(add)(o, (VALUE)job->factor, job->components, begin, end);
}

static void NAME(scale_piece)(const void *any, int64_t piece) {
    const pass_job *job = any;
    const tulle__orthogonal *o = job->o;
    const int64_t begin = o->n * piece / o->pieces, end = o->n * (piece + 1) / o->pieces;
    VALUE *w = o->w;
    for (int64_t i = begin; i < end; i++) w[i] *= (VALUE)job->factor;
}

static void NAME(do_piece)(const void *any, int64_t piece) {
    const pass_job *job = any;
    const tulle__orthogonal *o = job->o;
    const int64_t begin = o->n * piece / o->pieces, end = o->n * (piece + 1) / o->pieces;
    if (job->components) NAME(add)(o, (VALUE)job->factor, job->components, begin, end);
    NAME(measure)(o, piece, begin, end);
}

/* Makes one pass over the basis: takes the given components off the vector, if there are any, and
 * then measures the components that are left. */
static void NAME(pass)(const tulle__orthogonal *o, const VALUE *components, int threads) {
    const pass_job job = {o, components, -1};
    tulle__in_pieces(threads, o->pieces, NAME(do_piece), &job);
    join_all(o, o->columns + 1);
}

static void NAME(orthogonal)(const tulle__orthogonal *o, int threads) {
    VALUE *first = o->first, *again = o->again;
    double left = 0;
    NAME(pass)(o, NULL, threads);
    for (int c = 0; c < o->columns; c++) first[c] = (VALUE)o->whole[c];
    NAME(pass)(o, first, threads);
    for (int c = 0; c < o->columns; c++) left += o->whole[c] * o->whole[c];
    const bool enough = left <= LEFT * LEFT * o->whole[o->columns];
    for (int c = 0; c < o->columns; c++) again[c] = enough ? 0 : (VALUE)o->whole[c];
    if (!enough) NAME(pass)(o, again, threads);
    const double norm = sqrt(o->whole[o->columns]);
    const pass_job last = {.o = o, .factor = norm > 0 ? 1 / norm : 0};
    *(VALUE *)o->norm = (VALUE)norm;
    tulle__in_pieces(threads, o->pieces, NAME(scale_piece), &last);
}

#endif
