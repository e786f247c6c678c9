/* SPDX-License-Identifier: Apache-2.0 */
/* Y := Y + X A, X and Y n x k, A k x k, many times, with all numbers in page-locked memory of the
 * host's: the GPU alone (grouped), and with threads of the CPU, which take tasks from the same
 * queue (shared). The floor is that of the device's own memory. */
#include <stdlib.h>

#include "core/backend.h"
#include "core/context.h"
#include "tools/common/error.h"
#include "trials/batch.h"

enum { SHARED = 1 }; /* a detail */

/* x, second and y by tasks, one array, and views of it. */
typedef struct state {
    const trial_problem *problem;
    tulle_batch *batch;
    void *memory;
    char *y;
    tulle_vec **view;
    int64_t views;
} state;

/* Takes the memory for all arrays: page-locked host memory for a GPU, any host memory for the
 * emulator. */
static tulle_status take_memory(state *s, size_t bytes) {
    const tulle_ctx *ctx = s->problem->ctx;
    if (ctx->kind == TULLE_CUDA) {
        return ctx->backend->host_allocate(ctx->place.device, bytes, &s->memory);
    }
    s->memory = tool_alloc(bytes, 1);
    return TULLE_OK;
}

static void give_memory(const state *s) {
    const tulle_ctx *ctx = s->problem->ctx;
    if (ctx->kind == TULLE_CUDA) {
        ctx->backend->host_release(ctx->place.device, s->memory);
    } else {
        free(s->memory);
    }
}

static size_t bytes_of(const trial_problem *p, int64_t rows) {
    return (size_t)(rows * p->block.vectors * tulle_type_size(p->info.type));
}

/* Makes a view by row, whatever the layout of the problem is: a task's rows are then one stretch.
 */
static tulle_status view(state *s, char *data, int64_t rows, tulle_vec **made) {
    const trial_problem *p = s->problem;
    const int64_t k = p->block.vectors;
    tulle_status status =
        tulle_vec_wrap(p->ctx, p->info.type, rows, k, TULLE_ROW_MAJOR, k, data, made);
    if (status == TULLE_OK) s->view[s->views++] = *made;
    return status;
}

static tulle_status record_all(state *s) {
    const trial_problem *p = s->problem;
    const trial_batch_rows rows = trial_batch_rows_of(p);
    char *x = s->memory, *second = x + bytes_of(p, rows.count * rows.x);
    s->y = second + bytes_of(p, rows.count * rows.second);
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < rows.count && status == TULLE_OK; i++) {
        tulle_vec *X = NULL, *A = NULL, *Y = NULL;
        status = view(s, x + bytes_of(p, i * rows.x), rows.x, &X);
        if (status == TULLE_OK) {
            status = view(s, second + bytes_of(p, i * rows.second), rows.second, &A);
        }
        if (status == TULLE_OK) status = view(s, s->y + bytes_of(p, i * rows.y), rows.y, &Y);
        if (status == TULLE_OK) status = tulle_batch_axpy(s->batch, 1, X, A, 1, Y, NULL);
    }
    return status;
}

static void finish(void *user) {
    state *s = user;
    tulle_batch_destroy(s->batch);
    for (int64_t i = 0; i < s->views; i++) tulle_vec_destroy(s->view[i]);
    give_memory(s);
    free(s->view);
    free(s);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const trial_vectors *v = p->own;
    const trial_batch_rows rows = trial_batch_rows_of(p);
    state *s = tool_alloc(1, sizeof *s);
    *s = (state){.problem = p, .view = tool_alloc(3 * (size_t)p->count, sizeof(tulle_vec *))};
    task->state = s;
    tulle_status status = take_memory(s, bytes_of(p, rows.count * (rows.x + rows.second + rows.y)));
    if (status == TULLE_OK) status = tulle_batch_create(p->ctx, &s->batch);
    if (status == TULLE_OK) status = record_all(s);
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, p->x, s->memory, 0);
    if (status == TULLE_OK) {
        char *second = (char *)s->memory + bytes_of(p, rows.count * rows.x);
        status = tulle_vec_read(p->ctx, v->second, second, 0);
    }
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, v->start, s->y, 0);
    if (status != TULLE_OK) finish(s);
    return status;
}

static tulle_status run(void *user) {
    const state *s = user;
    const bool shared = s->problem->detail == SHARED;
    return tulle_batch_run(s->problem->ctx, s->batch,
                           shared ? TULLE_BATCH_SHARED : TULLE_BATCH_GROUPED);
}

/* Runs a call from the start of y, and finds the error of its result. */
static tulle_status error_of(const trial_problem *p, void *user, double *units) {
    const state *s = user;
    const trial_vectors *v = p->own;
    tulle_status status = tulle_ctx_synchronize(p->ctx);
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, v->start, s->y, 0);
    if (status == TULLE_OK) status = run(user);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, p->y, s->y, 0);
    return status == TULLE_OK ? trial_vectors_error(p, user, units) : status;
}

/* Opens a problem. Multivectors must lie by row, so that the rows of one task lie side by side. */
static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    if (given->block.vectors > 1 && given->block.layout != TULLE_ROW_MAJOR) {
        return tool_record(TULLE_UNSUPPORTED, "multivectors of the host lie by row");
    }
    return trial_batch_axpy_open(p, given);
}

const trial_operation trial_operation_batch_shared = {
    .name = "batch_shared",
    .function = "tulle_batch_axpy",
    .formula = "Y + X A, many, in the host's memory",
    .sized = true,
    .many = true,
    .blocks = true,
    .detail = {"grouped", "shared"},
    .open = open_problem,
    .close = trial_vectors_close,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_vectors_reset,
    .error = error_of,
};
