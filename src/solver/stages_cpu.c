/* SPDX-License-Identifier: Apache-2.0 */
/* Stages on the CPU: strips of the vectors that stay in the first cache, operation by operation. */
#ifndef VALUE

#include <string.h>

#include "core/pieces.h"
#include "core/threads/sizes.h"
#include "solver/functions.h"

static const tulle__program programs[] = {TULLE__STAGES(TULLE__PROGRAM)};

/* Numbers of a vector that are done at a time, so that they stay in the cache. */
enum { STRIP = 512 };

/* A stage with its scalars. */
typedef struct stage_job {
    const tulle__stage *stage;
    const tulle__program *program;
    const tulle__solve_state *state;
} stage_job;

static void apply_rule(tulle__stage_name name, tulle__solve_state *s, const double *sums) {
    switch (name) {
#define S(name, rule, ...)                                                                         \
    case TULLE__##name:                                                                            \
        tulle__rule_##rule(s, sums);                                                               \
        break;
        TULLE__STAGES(S)
#undef S
        case TULLE__STAGE_COUNT:
            break;
    }
}

/* Adds up by halves, neighbours first: the order is the same whatever the threads. */
static double join(const double *v, int64_t count) {
    double kept[TULLE__STAGE_MOST_PIECES];
    memcpy(kept, v, (size_t)count * sizeof *v);
    for (int64_t near = 1; near < count; near *= 2) {
        for (int64_t i = 0; i + near < count; i += 2 * near) kept[i] += kept[i + near];
    }
    return kept[0];
}

/* Returns sum k of the stage before: of neighbouring pieces by halves, of processes, whose number
 * has no limit, in their order. */
static double take_sum(const tulle__stage *stage, int k) {
    const double *from = stage->sums_from + k * stage->sum_from;
    if (stage->piece_from == 1) return join(from, stage->pieces_from);
    double sum = 0;
    for (int64_t p = 0; p < stage->pieces_from; p++) sum += from[p * stage->piece_from];
    return sum;
}

#define TULLE__SELF "solver/stages_cpu.c"
#include "core/each_value.h"

static void do_piece(const void *any, int64_t piece) {
    const stage_job *job = any;
    const tulle__stage *stage = job->stage;
    const int64_t units = stage->n / TULLE__STAGE_UNIT;
    const int64_t begin = units * piece / stage->pieces * TULLE__STAGE_UNIT;
    const int64_t end = units * (piece + 1) / stage->pieces * TULLE__STAGE_UNIT;
    if (stage->type == TULLE_F32) {
        piece_f32(stage, job->program, job->state, piece, begin, end);
    } else {
        piece_f64(stage, job->program, job->state, piece, begin, end);
    }
}

tulle_status tulle__cpu_put_state(const tulle__place *place, tulle__solve_state *to,
                                  const tulle__solve_state *state) {
    (void)place;
    *to = *state;
    return TULLE_OK;
}

/* Returns the stage of one right-hand side alone. */
static tulle__stage of_column(const tulle__stage *stage, int column) {
    tulle__stage own = *stage;
    const int64_t scalars = column * stage->scalars_step, sums = column * stage->sums_step;
    const int64_t numbers = column * stage->vector_step * tulle_type_size(stage->type);
    for (int v = 0; v < programs[stage->name].vectors; v++) {
        own.vectors[v] = (char *)own.vectors[v] + numbers;
    }
    own.from = (const void *)((const char *)own.from + scalars);
    own.to = (void *)((char *)own.to + scalars);
    own.history = (void *)((char *)own.history + scalars);
    if (own.sums_from) own.sums_from += sums;
    own.sums_to += sums;
    own.columns = 1;
    return own;
}

static void run_column(const tulle__place *place, const tulle__stage *stage) {
    const tulle__program *program = programs + stage->name;
    tulle__solve_state s = *stage->from;
    if (s.outcome != TULLE__GOES_ON) {
        *stage->to = s;
        return;
    }
    double sums[TULLE__STAGE_SUMS] = {0};
    for (int k = 0; k < program->takes; k++) {
        sums[k] = take_sum(stage, k);
    }
    apply_rule(stage->name, &s, sums);
    if (s.iterations != stage->from->iterations) {
        stage->history[s.iterations % TULLE__HISTORY] = s.norm;
    }
    const stage_job job = {stage, program, &s};
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, stage->n * program->vectors);
    tulle__in_pieces(threads, stage->pieces, do_piece, &job);
    for (int k = 0; k < program->sums && stage->joined; k++) {
        stage->joined[k] = join(stage->sums_to + k * stage->pieces, stage->pieces);
    }
    *stage->to = s;
}

tulle_status tulle__cpu_stage(const tulle__place *place, const tulle__stage *stage) {
    for (int column = 0; column < stage->columns; column++) {
        const tulle__stage own = of_column(stage, column);
        run_column(place, &own);
    }
    return TULLE_OK;
}

#else

static VALUE NAME(coefficient)(const tulle__solve_state *s, int scalar) {
    return (VALUE)(scalar < 0 ? -s->scalar[-scalar] : s->scalar[scalar]);
}

/* Does an update of a strip. Any vector may be the output: numbers are taken before one is put. */
static void NAME(update)(const tulle__stage *stage, const tulle__update *u,
                         const tulle__solve_state *s, int64_t at, int count) {
    const VALUE *v[TULLE__STAGE_TERMS];
    VALUE c[TULLE__STAGE_TERMS], *to = (VALUE *)stage->vectors[u->to] + at;
    for (int t = 0; t < u->terms; t++) {
        v[t] = (const VALUE *)stage->vectors[u->term[t].vector] + at;
        c[t] = NAME(coefficient)(s, u->term[t].scalar);
    }
    if (u->by >= 0) {
        const VALUE *by = (const VALUE *)stage->vectors[u->by] + at;
        for (int i = 0; i < count; i++) to[i] = by[i] * (c[0] * v[0][i]);
    } else if (u->terms == 2) {
#pragma omp simd
        for (int i = 0; i < count; i++) to[i] = c[0] * v[0][i] + c[1] * v[1][i];
    } else {
#pragma omp simd
        for (int i = 0; i < count; i++) {
            to[i] = c[0] * v[0][i] + c[1] * v[1][i] + c[2] * v[2][i];
        }
    }
}

static void NAME(add_products)(const VALUE *a, const VALUE *b, int count, double *lanes) {
    for (int i = 0; i < count; i += TULLE__STAGE_UNIT) {
#pragma omp simd
        for (int w = 0; w < TULLE__STAGE_UNIT; w++) {
            lanes[w] += (double)a[i + w] * (double)b[i + w];
        }
    }
}

static void NAME(piece)(const tulle__stage *stage, const tulle__program *program,
                        const tulle__solve_state *s, int64_t piece, int64_t begin, int64_t end) {
    double lanes[TULLE__STAGE_SUMS][TULLE__STAGE_UNIT] = {{0}};
    for (int64_t at = begin; at < end; at += STRIP) {
        const int count = end - at < STRIP ? (int)(end - at) : STRIP;
        for (int u = 0; u < program->updates; u++) {
            NAME(update)(stage, program->update + u, s, at, count);
        }
        for (int k = 0; k < program->sums; k++) {
            const VALUE *a = stage->vectors[program->sum[k].a];
            const VALUE *b = stage->vectors[program->sum[k].b];
            NAME(add_products)(a + at, b + at, count, lanes[k]);
        }
    }
    for (int k = 0; k < program->sums; k++) {
        stage->sums_to[k * stage->pieces + piece] = join(lanes[k], TULLE__STAGE_UNIT);
    }
}

#endif
