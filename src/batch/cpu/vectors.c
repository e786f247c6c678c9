/* SPDX-License-Identifier: Apache-2.0 */
/* The work of all threads on large multivectors (vector/), by one. */
#include "batch/cpu/vectors.h"

#include <string.h>

#include "core/context.h"
#include "vector/functions.h"

/* Beside a GPU, whose memory scratch is in, a sum is in one piece; else in those of a plain call.
 */
static tulle_status run_multi(const tulle__place *alone, const tulle__batch_job *job,
                              const tulle__task *t) {
    const bool beside = alone->ctx->kind != TULLE_CPU;
    double few[TULLE__MULTI_MOST * TULLE__MULTI_MOST];
    const tulle__multi m = {.rows = t->units,
                            .k1 = t->k1,
                            .k2 = t->k2,
                            .type = t->type,
                            .alpha = tulle_num(t->alpha),
                            .beta = tulle_num(t->beta),
                            .x = t->x,
                            .a = t->a,
                            .y = t->y,
                            .partials = beside ? few : job->scratch + t->first_scratch,
                            .pieces = beside ? 1 : tulle__multi_pieces(t->units)};
    return t->kind == TULLE__TASK_DOT ? tulle__cpu_multivector_dot(alone, &m)
                                      : tulle__cpu_multivector_axpy(alone, &m);
}

static tulle_status run_each(const tulle__place *alone, const tulle__task *t) {
    const bool copy = t->kind == TULLE__TASK_COPY;
    const tulle__elementwise e = {.what = copy ? TULLE__EACH_COPY : TULLE__EACH_SCALE,
                                  .rows = t->units,
                                  .cols = t->k2,
                                  .from = t->from,
                                  .to = t->type,
                                  .alpha = tulle_num(t->alpha),
                                  .x = t->x,
                                  .y = t->x,
                                  .z = t->y};
    return t->units > 0 ? tulle__cpu_elementwise(alone, &e) : TULLE_OK;
}

/* Results come side by side, behind the partial ones; those of Y may lie apart. */
static tulle_status run_norms(const tulle__place *alone, const tulle__batch_job *job,
                              const tulle__task *t) {
    const size_t size = (size_t)tulle_type_size(t->type);
    double *partials = job->scratch + t->first_scratch;
    char *results = (char *)(partials + tulle__partials_count(t->k2, t->norm.pieces));
    const bool max = t->kind == TULLE__TASK_NORM_MAX;
    const tulle__reduction r = {.what = max ? TULLE__REDUCED_NORM_MAX : TULLE__REDUCED_NORM2,
                                .rows = t->units,
                                .cols = t->k2,
                                .type = t->type,
                                .x = t->x,
                                .y = t->x,
                                .z = t->x,
                                .width = t->norm.width,
                                .pieces = t->norm.pieces,
                                .partials = partials,
                                .result = results};
    TULLE__TRY(tulle__cpu_reduce(alone, &r));
    for (int64_t c = 0; c < t->k2; c++) {
        memcpy((char *)t->y.data + (size_t)(c * t->y.col) * size, results + (size_t)c * size, size);
    }
    return TULLE_OK;
}

tulle_status tulle__batch_vectors_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                         const tulle__task *t) {
    switch (t->kind) {
        case TULLE__TASK_AXPY:
        case TULLE__TASK_DOT:
            return run_multi(alone, job, t);
        case TULLE__TASK_SCALE:
        case TULLE__TASK_COPY:
            return run_each(alone, t);
        default:
            return run_norms(alone, job, t);
    }
}
