/* SPDX-License-Identifier: Apache-2.0 */
/* Y := A X, many times, with matrices of mixed sizes, which share nothing; and, for comparison, one
 * product with the block diagonal matrix that holds them all (joined). */
#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/grids.h"
#include "tulle/spmm.h"

/* The detail behind the ways of a batch. */
enum { JOINED = TRIAL_BATCH_TASKS + 1 };

/* All matrices as one, on the host and on the place, and each by itself. */
typedef struct mixed {
    int64_t count, block, blocks;
    int64_t *first;             /* [count + 1]: block rows before each */
    int32_t *offsets, *columns; /* offsets and columns of all matrices as one */
    double *values;
    tulle_mat **A, *joined;
    tulle_vec **x, **y;
} mixed;

static mixed *mixed_of(const trial_problem *p) {
    const trial_vectors *v = p->own;
    return v->more;
}

/* Returns the number of block rows of matrix i: from a fiftieth of the most to the most, mixed
 * well. */
static int64_t points_of(int64_t i, int64_t most) {
    const int64_t least = most / 50 > 0 ? most / 50 : 1;
    const uint32_t turn = (uint32_t)i * 2654435761U;
    return least + (int64_t)(turn % (uint32_t)(most - least + 1));
}

static void fill_pattern(mixed *m) {
    for (int64_t i = 0; i < m->count; i++) {
        const int64_t first = m->first[i], points = m->first[i + 1] - first;
        int32_t *offsets = m->offsets + first;
        const int64_t blocks = trial_grid_pattern(points, first, offsets, m->columns + m->blocks);
        for (int64_t k = 0; k <= points; k++) offsets[k] += (int32_t)m->blocks;
        m->blocks += blocks;
    }
}

static void fill_values(mixed *m) {
    const int64_t b = m->block, rows = m->first[m->count];
    m->values = tool_alloc((size_t)(m->blocks * b * b), sizeof *m->values);
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            for (int64_t q = 0; q < b * b; q++) {
                const bool diagonal = m->columns[e] == i && q / b == q % b;
                m->values[e * b * b + q] = trial_grid_number(e * b * b + q, b, diagonal);
            }
        }
    }
}

/* Makes the matrix of `points` block rows from block row `first` on. */
static tulle_status make_matrix(const trial_problem *p, int64_t first, int64_t points,
                                tulle_mat **A) {
    const mixed *m = mixed_of(p);
    const int64_t start = m->offsets[first], blocks = m->offsets[first + points] - start;
    const int64_t b = m->block, rows = points * b, numbers = blocks * b * b;
    int32_t *offsets = tool_alloc((size_t)points + 1, sizeof *offsets);
    int32_t *columns = tool_alloc((size_t)blocks + 1, sizeof *columns);
    float *narrow = tool_alloc((size_t)numbers + 1, sizeof *narrow);
    const double *values = m->values + start * b * b;
    for (int64_t k = 0; k <= points; k++) {
        offsets[k] = m->offsets[first + k] - (int32_t)start;
    }
    for (int64_t e = 0; e < blocks; e++) columns[e] = m->columns[start + e] - (int32_t)first;
    for (int64_t e = 0; e < numbers; e++) narrow[e] = (float)values[e];
    const bool f32 = p->info.type == TULLE_F32;
    const tulle_storage storage = {.stored = numbers, .block = b, .full = true};
    const tulle_mat_arrays arrays = {
        .offsets = offsets, .cols = columns, .values = f32 ? (const void *)narrow : values};
    const tulle_status status = tulle_mat_create(p->ctx, rows, rows, TULLE_BSR, &storage, TULLE_I32,
                                                 &arrays, p->info.type, NULL, A);
    free(offsets);
    free(columns);
    free(narrow);
    return status;
}

static tulle_status make_all(const trial_problem *p) {
    mixed *m = mixed_of(p);
    tulle_status status = make_matrix(p, 0, m->first[m->count], &m->joined);
    for (int64_t i = 0; i < m->count && status == TULLE_OK; i++) {
        const int64_t first = m->first[i], points = m->first[i + 1] - first;
        const int64_t row = first * m->block, rows = points * m->block;
        status = make_matrix(p, first, points, &m->A[i]);
        if (status == TULLE_OK) status = trial_batch_view(p, p->x, row, rows, &m->x[i]);
        if (status == TULLE_OK) status = trial_batch_view(p, p->y, row, rows, &m->y[i]);
    }
    return status;
}

static mixed *allocate(const trial_given *given) {
    const size_t count = (size_t)given->count;
    mixed *m = tool_alloc(1, sizeof *m);
    *m = (mixed){.count = given->count,
                 .block = given->block.vectors,
                 .first = tool_alloc(count + 1, sizeof *m->first),
                 .A = tool_alloc(count, sizeof(tulle_mat *)),
                 .x = tool_alloc(count, sizeof(tulle_vec *)),
                 .y = tool_alloc(count, sizeof(tulle_vec *))};
    m->first[0] = 0;
    for (int64_t i = 0; i < m->count; i++) {
        m->first[i + 1] = m->first[i] + points_of(i, given->n);
        m->A[i] = NULL;
        m->x[i] = m->y[i] = NULL;
    }
    const size_t points = (size_t)m->first[m->count];
    m->offsets = tool_alloc(points + 1, sizeof *m->offsets);
    m->columns = tool_alloc(TRIAL_GRID_NEIGHBOURS * points, sizeof *m->columns);
    fill_pattern(m);
    fill_values(m);
    return m;
}

/* Computes the value that is due, and its bound as in tulle/spmm.h, to which tulle/batch.h refers.
 */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const trial_vectors *v = p->own;
    const mixed *m = mixed_of(p);
    const int64_t b = m->block, i = row / b, all = m->first[m->count] * b;
    const double n = (double)((m->offsets[i + 1] - m->offsets[i]) * b);
    long double sum = 0, mass = 0;
    for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
        for (int64_t c = 0; c < b; c++) {
            const long double product =
                (long double)m->values[(e * b + row % b) * b + c] *
                trial_vectors_number(p, v->host_x, all, m->columns[e] * b + c, column);
            sum += product;
            mass += fabsl(product);
        }
    }
    *value = sum;
    *bound = trial_gamma(p->info.type, n + 2) * mass + 2 * (n + 2) * trial_least(p->info.type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    enum { MOST_BLOCK = 16 };
    const int64_t k = given->block.vectors;
    if (k > MOST_BLOCK) {
        return tool_record(TULLE_UNSUPPORTED, "blocks of a matrix have up to %d rows", MOST_BLOCK);
    }
    mixed *m = allocate(given);
    const int64_t points = m->first[m->count], rows = points * k;
    const int64_t size = tulle_type_size(given->type);
    const trial_shapes shapes = {.expect = expect, .x = {rows, k}, .y = {rows, k}};
    tulle_status status = trial_vectors_open(p, given, &shapes);
    trial_vectors *v = p->own;
    v->more = m;
    p->info.rows = p->info.nnz = rows;
    p->minimal_bytes =
        m->blocks * (k * k * size + 4) + (points + m->count) * 4 + 2 * rows * k * size;
    p->flops = 2 * (double)(m->blocks * k * k) * (double)k;
    return status == TULLE_OK ? make_all(p) : status;
}

static void close_problem(trial_problem *p) {
    const trial_vectors *v = p->own;
    if (!v) return;
    mixed *m = v->more;
    for (int64_t i = 0; i < m->count; i++) {
        tulle_mat_destroy(m->A[i]);
        tulle_vec_destroy(m->x[i]);
        tulle_vec_destroy(m->y[i]);
    }
    tulle_mat_destroy(m->joined);
    free(m->first);
    free(m->offsets);
    free(m->columns);
    free(m->values);
    free(m->A);
    free(m->x);
    free(m->y);
    free(m);
    trial_vectors_close(p);
}

/* The batch's own, and whose. */
typedef struct call {
    const trial_problem *problem;
    trial_task batch;
} call;

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const mixed *m = mixed_of(p);
    tulle_batch *batch;
    call *c = tool_alloc(1, sizeof *c);
    *c = (call){.problem = p};
    tulle_status status = trial_batch_start(p, &c->batch, &batch);
    if (status != TULLE_OK) {
        free(c);
        return status;
    }
    for (int64_t i = 0; i < m->count && status == TULLE_OK; i++) {
        status = tulle_batch_spmm(batch, TULLE_N, 1, m->A[i], m->x[i], 0, m->y[i], NULL);
    }
    if (status != TULLE_OK) trial_batch_finish(c->batch.state);
    if (status != TULLE_OK) free(c);
    task->state = c;
    return status;
}

static tulle_status run(void *state) {
    const call *c = state;
    const trial_problem *p = c->problem;
    if (p->detail != JOINED) return trial_batch_run(c->batch.state);
    return tulle_spmm(p->ctx, TULLE_N, tulle_num(1), mixed_of(p)->joined, p->x, tulle_num(0), p->y);
}

static void finish(void *state) {
    call *c = state;
    trial_batch_finish(c->batch.state);
    free(c);
}

const trial_operation trial_operation_batch_mixed = {
    .name = "batch_mixed",
    .function = "tulle_batch_spmm",
    .formula = "A X, many of mixed sizes",
    .sized = true,
    .many = true,
    .blocks = true,
    .detail = {"grouped", "streams", "tasks", "joined"},
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_vectors_reset,
    .error = trial_vectors_error,
};
