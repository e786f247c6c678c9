/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/batch.h"

#include <stdlib.h>

#include "tools/common/error.h"

/* Of all problems x, second and y, three views each. */
typedef struct batch_state {
    const bench_problem *problem;
    tulle_batch *batch;
    tulle_vec **view;
    int64_t views;
} batch_state;

bench_batch_rows bench_batch_rows_of(const bench_problem *p) {
    const bench_vectors *v = p->own;
    const int64_t count = p->count;
    tulle_vec_info x = {.rows = 0}, second = {.rows = 0}, y = {.rows = 0};
    (void)tulle_vec_describe(p->x, &x);
    (void)tulle_vec_describe(v->second, &second);
    (void)tulle_vec_describe(p->y, &y);
    return (bench_batch_rows){count, x.rows / count, second.rows / count, y.rows / count};
}

tulle_status bench_batch_view(const bench_problem *p, const tulle_vec *all, int64_t first,
                              int64_t rows, tulle_vec **view) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(all, &info);
    if (status != TULLE_OK) return status;
    const int64_t step = info.layout == TULLE_ROW_MAJOR ? info.ld : 1;
    char *data = (char *)info.data + first * step * tulle_type_size(info.type);
    return tulle_vec_wrap(p->ctx, info.type, rows, info.cols, info.layout, info.ld, data, view);
}

static tulle_status record_one(batch_state *s, bench_batch_record *record, int64_t i) {
    const bench_problem *p = s->problem;
    const bench_vectors *v = p->own;
    const bench_batch_rows rows = bench_batch_rows_of(p);
    tulle_vec **view = s->view + s->views;
    tulle_status status = bench_batch_view(p, p->x, i * rows.x, rows.x, view);
    if (status == TULLE_OK) {
        status = bench_batch_view(p, v->second, i * rows.second, rows.second, view + 1);
    }
    if (status == TULLE_OK) status = bench_batch_view(p, p->y, i * rows.y, rows.y, view + 2);
    s->views += 3;
    return status == TULLE_OK ? record(s->batch, view[0], view[1], view[2]) : status;
}

tulle_status bench_batch_start(const bench_problem *p, bench_task *task, tulle_batch **batch) {
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

tulle_status bench_batch_prepare(const bench_problem *p, bench_batch_record *record,
                                 bench_task *task) {
    tulle_batch *batch;
    tulle_status status = bench_batch_start(p, task, &batch);
    if (status != TULLE_OK) return status;
    batch_state *s = task->state;
    s->view = tool_alloc(3 * (size_t)p->count, sizeof *s->view);
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = record_one(s, record, i);
    }
    if (status != TULLE_OK) bench_batch_finish(s);
    return status;
}

tulle_batch_way bench_batch_way(const bench_problem *p) {
    switch (p->detail) {
        case BENCH_BATCH_STREAMS:
        case BENCH_BATCH_GRAPH:
            return TULLE_BATCH_STREAMS;
        case BENCH_BATCH_TASKS:
            return TULLE_BATCH_TASKS;
        case BENCH_BATCH_SHUFFLES:
            return TULLE_BATCH_SHUFFLES;
        case BENCH_BATCH_GRID:
            return TULLE_BATCH_GRID;
        default:
            return TULLE_BATCH_GROUPED;
    }
}

tulle_status bench_batch_run(void *state) {
    const batch_state *s = state;
    return tulle_batch_run(s->problem->ctx, s->batch, bench_batch_way(s->problem));
}

void bench_batch_finish(void *state) {
    batch_state *s = state;
    tulle_batch_destroy(s->batch);
    for (int64_t i = 0; i < s->views; i++) tulle_vec_destroy(s->view[i]);
    free(s->view);
    free(s);
}
