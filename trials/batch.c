/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/batch.h"

#include <stdlib.h>

#include "tools/common/error.h"

/* The batch, and views of x, second and y of all problems, three views each. */
typedef struct batch_state {
    const trial_problem *problem;
    tulle_batch *batch;
    tulle_vec **view;
    int64_t views;
} batch_state;

trial_batch_rows trial_batch_rows_of(const trial_problem *p) {
    const trial_vectors *v = p->own;
    const int64_t count = p->count;
    tulle_vec_info x = {.rows = 0}, second = {.rows = 0}, y = {.rows = 0};
    (void)tulle_vec_describe(p->x, &x);
    (void)tulle_vec_describe(v->second, &second);
    (void)tulle_vec_describe(p->y, &y);
    return (trial_batch_rows){count, x.rows / count, second.rows / count, y.rows / count};
}

tulle_status trial_batch_view(const trial_problem *p, const tulle_vec *all, int64_t first,
                              int64_t rows, tulle_vec **view) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(all, &info);
    if (status != TULLE_OK) return status;
    const int64_t step = info.layout == TULLE_ROW_MAJOR ? info.ld : 1;
    char *data = (char *)info.data + first * step * tulle_type_size(info.type);
    return tulle_vec_wrap(p->ctx, info.type, rows, info.cols, info.layout, info.ld, data, view);
}

static tulle_status record_one(batch_state *s, trial_batch_record *record, int64_t i) {
    const trial_problem *p = s->problem;
    const trial_vectors *v = p->own;
    const trial_batch_rows rows = trial_batch_rows_of(p);
    tulle_vec **view = s->view + s->views;
    tulle_status status = trial_batch_view(p, p->x, i * rows.x, rows.x, view);
    if (status == TULLE_OK) {
        status = trial_batch_view(p, v->second, i * rows.second, rows.second, view + 1);
    }
    if (status == TULLE_OK) status = trial_batch_view(p, p->y, i * rows.y, rows.y, view + 2);
    s->views += 3;
    return status == TULLE_OK ? record(s->batch, view[0], view[1], view[2]) : status;
}

tulle_status trial_batch_start(const trial_problem *p, trial_task *task, tulle_batch **batch) {
    batch_state *s = tool_alloc(1, sizeof *s);
    *s = (batch_state){.problem = p};
    tulle_status status = tulle_batch_create(p->ctx, &s->batch);
    if (status == TULLE_OK && p->streams > 0) {
        status = tulle_batch_set_streams(s->batch, p->streams);
    }
    *batch = s->batch;
    task->state = s;
    if (status != TULLE_OK) {
        tulle_batch_destroy(s->batch);
        free(s);
    }
    return status;
}

tulle_status trial_batch_prepare(const trial_problem *p, trial_batch_record *record,
                                 trial_task *task) {
    tulle_batch *batch;
    tulle_status status = trial_batch_start(p, task, &batch);
    if (status != TULLE_OK) return status;
    batch_state *s = task->state;
    s->view = tool_alloc(3 * (size_t)p->count, sizeof *s->view);
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = record_one(s, record, i);
    }
    if (status != TULLE_OK) trial_batch_finish(s);
    return status;
}

tulle_batch_way trial_batch_way(const trial_problem *p) {
    switch (p->detail) {
        case TRIAL_BATCH_STREAMS:
        case TRIAL_BATCH_GRAPH:
            return TULLE_BATCH_STREAMS;
        case TRIAL_BATCH_TASKS:
            return TULLE_BATCH_TASKS;
        case TRIAL_BATCH_SHUFFLES:
            return TULLE_BATCH_SHUFFLES;
        case TRIAL_BATCH_GRID:
            return TULLE_BATCH_GRID;
        default:
            return TULLE_BATCH_GROUPED;
    }
}

tulle_status trial_batch_run(void *state) {
    const batch_state *s = state;
    return tulle_batch_run(s->problem->ctx, s->batch, trial_batch_way(s->problem));
}

void trial_batch_finish(void *state) {
    batch_state *s = state;
    tulle_batch_destroy(s->batch);
    for (int64_t i = 0; i < s->views; i++) tulle_vec_destroy(s->view[i]);
    free(s->view);
    free(s);
}
