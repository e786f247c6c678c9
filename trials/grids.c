/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/grids.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/vectors.h"

trial_grids *trial_grids_of(const trial_problem *p) {
    const trial_vectors *v = p->own;
    return v->more;
}

static int64_t nearest_side(int64_t points) {
    const int64_t side = (int64_t)lround(cbrt((double)points));
    return side > 1 ? side : 1;
}

int64_t trial_grid_pattern(int64_t points, int64_t first, int32_t *offsets, int32_t *columns) {
    const int64_t side = nearest_side(points);
    const int64_t step[] = {-side * side, -side, -1, 0, 1, side, side * side};
    int64_t e = 0;
    for (int64_t i = 0; i < points; i++) {
        const int64_t x = i % side, y = i / side % side;
        const bool there[] = {i >= side * side,
                              y > 0,
                              x > 0,
                              true,
                              x + 1 < side && i + 1 < points,
                              y + 1 < side && i + side < points,
                              i + side * side < points};
        offsets[i] = (int32_t)e;
        for (int k = 0; k < TRIAL_GRID_NEIGHBOURS; k++) {
            if (there[k]) columns[e++] = (int32_t)(first + i + step[k]);
        }
    }
    offsets[points] = (int32_t)e;
    return e;
}

/* Returns a multiple of 2^-11 in (-1, 0]; numbers repeat after many blocks (an odd multiplier
 * modulo 2^32). On the diagonal it adds more than the magnitudes of the row's other numbers come
 * to. Numbers of both signs would cancel one another, and complete factors in f32 would be full of
 * subnormal numbers, with which a CPU computes ten times as slowly. */
double trial_grid_number(int64_t slot, int64_t block, bool diagonal) {
    const uint32_t mixed = (uint32_t)slot * 2654435761U;
    const double small = -(double)(mixed >> 21) / 2048;
    return diagonal ? (double)(TRIAL_GRID_NEIGHBOURS * block) + small : small;
}

static void fill_values(trial_grids *g) {
    const int64_t b = g->block;
    for (int64_t i = 0; i < g->points; i++) {
        for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
            for (int64_t q = 0; q < b * b; q++) {
                const bool diagonal = g->columns[e] == i && q / b == q % b;
                g->values[e * b * b + q] = trial_grid_number(e * b * b + q, b, diagonal);
            }
        }
    }
}

static tulle_status make_matrix(const trial_problem *p, const trial_grids *g, const void *values,
                                tulle_mat **A) {
    const tulle_storage storage = {
        .stored = g->blocks * g->block * g->block, .block = g->block, .full = true};
    const tulle_mat_arrays arrays = {.offsets = g->offsets, .cols = g->columns, .values = values};
    const int64_t rows = g->points * g->block;
    return tulle_mat_create(p->ctx, rows, rows, TULLE_BSR, &storage, TULLE_I32, &arrays,
                            p->info.type, NULL, A);
}

static tulle_status make_all(const trial_problem *p, trial_grids *g) {
    const int64_t numbers = g->blocks * g->block * g->block, rows = g->points * g->block;
    const bool narrow = p->info.type == TULLE_F32;
    float *single = narrow ? tool_alloc((size_t)numbers, sizeof *single) : NULL;
    for (int64_t i = 0; i < numbers && narrow; i++) single[i] = (float)g->values[i];
    const void *values = narrow ? (const void *)single : g->values;
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < g->count && status == TULLE_OK; i++) {
        status = make_matrix(p, g, values, &g->A[i]);
        if (status == TULLE_OK) status = trial_batch_view(p, p->x, i * rows, rows, &g->x[i]);
        if (status == TULLE_OK) status = trial_batch_view(p, p->y, i * rows, rows, &g->y[i]);
    }
    free(single);
    return status;
}

static trial_grids *allocate(const trial_given *given) {
    const int64_t side = nearest_side(given->n), points = side * side * side;
    const size_t count = (size_t)given->count, blocks = (size_t)(TRIAL_GRID_NEIGHBOURS * points);
    const size_t cells = (size_t)(given->block.vectors * given->block.vectors);
    trial_grids *g = tool_alloc(1, sizeof *g);
    *g = (trial_grids){.count = given->count,
                       .points = points,
                       .block = given->block.vectors,
                       .offsets = tool_alloc((size_t)points + 1, sizeof *g->offsets),
                       .columns = tool_alloc(blocks, sizeof *g->columns),
                       .values = tool_alloc(blocks * cells, sizeof *g->values),
                       .A = tool_alloc(count, sizeof(tulle_mat *)),
                       .x = tool_alloc(count, sizeof(tulle_vec *)),
                       .y = tool_alloc(count, sizeof(tulle_vec *))};
    for (int64_t i = 0; i < given->count; i++) g->A[i] = NULL, g->x[i] = g->y[i] = NULL;
    g->blocks = trial_grid_pattern(points, 0, g->offsets, g->columns);
    fill_values(g);
    return g;
}

tulle_status trial_grids_open(trial_problem *p, const trial_given *given, trial_expect *expect) {
    enum { MOST_BLOCK = 16 };
    const int64_t k = given->block.vectors;
    if (k > MOST_BLOCK) {
        return tool_record(TULLE_UNSUPPORTED, "blocks of a matrix have up to %d rows", MOST_BLOCK);
    }
    trial_grids *g = allocate(given);
    const int64_t rows = g->points * k, size = tulle_type_size(given->type);
    const trial_shapes shapes = {
        .expect = expect, .x = {g->count * rows, k}, .y = {g->count * rows, k}};
    tulle_status status = trial_vectors_open(p, given, &shapes);
    trial_vectors *v = p->own;
    v->more = g;
    p->info.rows = p->info.nnz = rows;
    p->minimal_bytes = g->count * (g->blocks * (k * k * size + 4) + (g->points + 1) * 4) +
                       2 * g->count * rows * k * size;
    p->flops = 2 * (double)(g->count * g->blocks * k * k) * (double)k;
    return status == TULLE_OK ? make_all(p, g) : status;
}

void trial_grids_close(trial_problem *p) {
    const trial_vectors *v = p->own;
    if (!v) return;
    trial_grids *g = v->more;
    for (int64_t i = 0; i < g->count; i++) {
        tulle_mat_destroy(g->A[i]);
        tulle_vec_destroy(g->x[i]);
        tulle_vec_destroy(g->y[i]);
    }
    free(g->offsets);
    free(g->columns);
    free(g->values);
    free(g->A);
    free(g->x);
    free(g->y);
    free(g);
    trial_vectors_close(p);
}
