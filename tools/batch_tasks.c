/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/available.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "tools/common/table.h"
#include "tools/common/timing.h"

typedef struct task {
    tulle_mat *A;
    tulle_vec *X, *Y, *R;
} task;

typedef struct work {
    tulle_ctx *ctx;
    const tool_batch *settings;
    const tool_operand *A;
    task *task;
    tulle_batch *batch;
    tulle_batch *half[2]; /* all products, and all inner products: tasks that wait are not shared */
    tool_batch_way way;
} work;

static tulle_status make_block(const work *w, int64_t rows, tulle_vec **X) {
    const tool_batch *s = w->settings;
    return tulle_vec_create_columns(w->ctx, w->A->info.type, rows, s->vectors, s->layout, 0, X);
}

static tulle_status make_task(const work *w, tulle_mat *A, int64_t i) {
    task *t = w->task + i;
    tulle_status status = tulle_mat_copy(w->ctx, A, w->A->info.type, &t->A);
    if (status == TULLE_OK) status = make_block(w, w->A->info.cols, &t->X);
    if (status == TULLE_OK) status = make_block(w, w->A->info.rows, &t->Y);
    if (status == TULLE_OK) status = make_block(w, w->settings->vectors, &t->R);
    if (status != TULLE_OK) return status;
    status = tulle_vec_random(w->ctx, t->X, w->settings->seed + (uint64_t)i);
    if (status != TULLE_OK) return status;
    return tool_progress(NULL, "making tasks", i + 1, w->settings->tasks) ? TULLE_CANCELLED
                                                                          : TULLE_OK;
}

static tulle_status record(const work *w, const task *t) {
    int product, inner;
    tulle_status status = tulle_batch_spmm(w->batch, TULLE_N, 1, t->A, t->X, 0, t->Y, &product);
    if (status == TULLE_OK) status = tulle_batch_dot(w->batch, 1, t->Y, t->Y, 0, t->R, &inner);
    if (status == TULLE_OK) status = tulle_batch_after(w->batch, inner, product);
    if (status != TULLE_OK) return status;
    status = tulle_batch_spmm(w->half[0], TULLE_N, 1, t->A, t->X, 0, t->Y, NULL);
    return status == TULLE_OK ? tulle_batch_dot(w->half[1], 1, t->Y, t->Y, 0, t->R, NULL) : status;
}

static tulle_status make_all(work *w) {
    const int64_t tasks = w->settings->tasks;
    tulle_mat *A = NULL;
    double ms;
    const tool_layout format = tool_layout_or_csr(w->settings->format);
    tulle_status status = tool_layout_apply(w->ctx, w->A->matrix, &format, &A, &ms);
    for (int64_t i = 0; i < tasks && status == TULLE_OK; i++) status = make_task(w, A, i);
    tulle_mat_destroy(A);
    if (status == TULLE_OK) status = tulle_batch_create(w->ctx, &w->batch);
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_batch_create(w->ctx, w->half + i);
    }
    for (int64_t i = 0; i < tasks && status == TULLE_OK; i++) status = record(w, w->task + i);
    return status;
}

static void free_all(work *w) {
    tulle_batch_destroy(w->batch);
    for (int i = 0; i < 2; i++) tulle_batch_destroy(w->half[i]);
    for (int64_t i = 0; i < w->settings->tasks; i++) {
        tulle_mat_destroy(w->task[i].A);
        tulle_vec_destroy(w->task[i].X);
        tulle_vec_destroy(w->task[i].Y);
        tulle_vec_destroy(w->task[i].R);
    }
    free(w->task);
}

static tulle_status run_one(const work *w, const task *t) {
    const tulle_scalar one = tulle_num(1), none = tulle_num(0);
    tulle_status status = tulle_spmm(w->ctx, TULLE_N, one, t->A, t->X, none, t->Y);
    return status == TULLE_OK ? tulle_vec_inner(w->ctx, one, t->Y, t->Y, none, t->R) : status;
}

static tulle_status run_shared(const work *w) {
    const tulle_status status = tulle_batch_run(w->ctx, w->half[0], TULLE_BATCH_SHARED);
    if (status != TULLE_OK) return status;
    return tulle_batch_run(w->ctx, w->half[1], TULLE_BATCH_SHARED);
}

static tulle_status run(void *user) {
    const work *w = user;
    tulle_status status = TULLE_OK;
    if (w->way == TOOL_GROUPED) return tulle_batch_run(w->ctx, w->batch, TULLE_BATCH_GROUPED);
    if (w->way == TOOL_STREAMS) return tulle_batch_run(w->ctx, w->batch, TULLE_BATCH_STREAMS);
    if (w->way == TOOL_TASKS) return tulle_batch_run(w->ctx, w->batch, TULLE_BATCH_TASKS);
    if (w->way == TOOL_SHARED) return run_shared(w);
    for (int64_t i = 0; i < w->settings->tasks && status == TULLE_OK; i++) {
        status = run_one(w, w->task + i);
    }
    return status;
}

/* True for a way that the place has: on a CPU all ways of a batch are one. */
static bool is_there(const work *w, tool_batch_way way) {
    tulle_device_info device;
    return way <= TOOL_GROUPED ||
           (tulle_ctx_device(w->ctx, &device) == TULLE_OK && device.backend != TULLE_CPU);
}

static tulle_status run_way(work *w, tool_batch_way way, tool_batch_result *result) {
    tool_timing timing = {.ms = 0};
    w->way = way;
    result->there[way] = true;
    tulle_status status = run(w);
    if (status == TULLE_UNSUPPORTED &&
        way == TOOL_TASKS) { /* only tasks of the paper have published kernels */
        result->there[way] = false;
        snprintf(result->lacks, sizeof result->lacks, "%s", tool_error_line());
        return TULLE_OK;
    }
    if (status == TULLE_OK && w->settings->repeat > 0) {
        status = tool_time(w->ctx, (int)w->settings->repeat, run, w, &timing);
    }
    result->ms[way] = timing.ms;
    if (way == TOOL_SHARED) {
        result->by_cpu = tulle_batch_by_cpu(w->half[0]) + tulle_batch_by_cpu(w->half[1]);
    }
    return status;
}

static tulle_status check_task(const work *w, const tool_csr *csr, const task *t,
                               tool_error_found *worst) {
    void *x = tool_block_host(t->X), *y = tool_block_host(t->Y);
    tool_error_found found = {.row = -1};
    tulle_status status = tool_block_read(w->ctx, t->X, x);
    if (status == TULLE_OK) status = tool_block_read(w->ctx, t->Y, y);
    if (status == TULLE_OK) {
        status = tool_verify(csr, TULLE_N, w->settings->vectors, 1, x, 0, NULL, y, &found);
    }
    if (!(found.units <= worst->units)) *worst = found;
    free(x);
    free(y);
    return status;
}

static tulle_status check_all(const work *w, tool_error_found *worst) {
    tool_csr csr;
    *worst = (tool_error_found){.row = -1};
    tulle_status status = tool_csr_open(w->ctx, w->A->matrix, &csr);
    if (status != TULLE_OK) return status;
    for (int64_t i = 0; i < w->settings->tasks && status == TULLE_OK; i++) {
        status = check_task(w, &csr, w->task + i, worst);
    }
    tool_csr_close(&csr);
    return status;
}

/* Returns the least number of bytes that all tasks read and write: A, X, R, and Y twice. */
static int64_t bytes_of(const work *w, const tulle_mat_info *info) {
    const tool_batch *s = w->settings;
    const int64_t rows = tool_plus(info->cols + tool_times(2, info->rows), s->vectors);
    const int64_t numbers = tool_times(tool_times(rows, s->vectors), tulle_type_size(info->type));
    return tool_times(s->tasks, tool_plus(tool_matrix_bytes(info), numbers));
}

/* Copies, multivectors, and what the check reads of one of them, where they are the host's. */
static tulle_status check_room(const work *w) {
    tulle_device_info device;
    const int64_t room = tulle__cpu_available();
    const int64_t need = bytes_of(w, &w->A->info);
    char wanted[TOOL_HUMAN], available[TOOL_HUMAN];
    tulle_status status = tulle_ctx_device(w->ctx, &device);
    if (status != TULLE_OK || device.backend == TULLE_CUDA || room <= 0 || need <= room) {
        return status;
    }
    return tool_record(TULLE_TOO_LARGE,
                       "%" PRId64 " tasks take %s, and this machine has %s of memory available",
                       w->settings->tasks, tool_human_bytes((double)need, wanted),
                       tool_human_bytes((double)room, available));
}

tulle_status tool_batch_run(tulle_ctx *ctx, const tool_operand *A, const tool_batch *batch,
                            tool_batch_result *result) {
    work w = {.ctx = ctx, .settings = batch, .A = A};
    tulle_status status = check_room(&w);
    if (status != TULLE_OK) return status;
    w.task = tool_alloc((size_t)batch->tasks, sizeof *w.task);
    status = make_all(&w);
    if (status == TULLE_OK) status = tulle_mat_describe(w.task[0].A, &result->info);
    for (int way = 0; way < TOOL_BATCH_WAYS && status == TULLE_OK; way++) {
        if (is_there(&w, (tool_batch_way)way)) {
            status = run_way(&w, (tool_batch_way)way, result);
        }
    }
    if (status == TULLE_OK) result->bytes = bytes_of(&w, &result->info);
    if (status == TULLE_OK && batch->check) status = check_all(&w, &result->error);
    free_all(&w);
    return status;
}
