/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/problems/scales.h"

#include "fem/functions.h"
#include "fem/problems/draft.h"

/* Elements whose matrices are made at once. */
enum { TOGETHER = 1024, QUANTITIES = 4 };

/* Some elements of a block, and their matrices. */
typedef struct batch {
    tulle__scaling *s;
    const tulle__elastic *from; /* all elements of the block */
    const int32_t *points;
    bool elastic;
    int rows;                   /* of an element matrix */
    int64_t room;               /* elements of a batch, at most: few where the block has few */
    tulle__elastic some;        /* the elements of the batch */
    int64_t elements[TOGETHER]; /* their numbers in the block */
    double *matrices;           /* room x rows x rows */
} batch;

tulle_status tulle__scaling_open(tulle__scaling *s) {
    void *array = NULL;
    TULLE__TRY(tulle__mesh_array(s->ctx, s->rows, sizeof *s->scales, &array));
    s->scales = array;
    return TULLE_OK;
}

static void quantities_of(tulle__elastic *body, tulle__cell_quantity *all[QUANTITIES]) {
    all[0] = &body->cells.k;
    all[1] = &body->cells.c;
    all[2] = &body->lambda;
    all[3] = &body->mu;
}

static void close_batch(batch *b) {
    tulle__cell_quantity *all[QUANTITIES];
    quantities_of(&b->some, all);
    for (int i = 0; i < QUANTITIES; i++) {
        tulle__host_free(b->s->ctx, (void *)all[i]->numbers);
    }
    tulle__host_free(b->s->ctx, (void *)b->some.cells.nodes);
    tulle__host_free(b->s->ctx, b->matrices);
}

static tulle_status open_batch(batch *b) {
    tulle_ctx *ctx = b->s->ctx;
    const tulle__cells *cells = &b->from->cells;
    const int nodes = tulle__cell_nodes(cells->shape);
    tulle__cell_quantity *given[QUANTITIES], *own[QUANTITIES];
    void *array = NULL;
    b->rows = nodes * b->s->unknowns;
    b->room = cells->count < TOGETHER ? cells->count : TOGETHER;
    b->some = (tulle__elastic){.cells = {.shape = cells->shape,
                                         .dimension = cells->dimension,
                                         .coordinates = b->s->mesh->arrays.coordinates,
                                         .stiff = cells->stiff,
                                         .table = cells->table}};
    if (tulle__is_quadratic(cells->shape)) {
        tulle__lattice_places(cells->shape, b->some.cells.place);
    }
    const int64_t numbers = (int64_t)b->rows * b->rows;
    TULLE__TRY(tulle__mesh_array(ctx, b->room * numbers, sizeof *b->matrices, &array));
    b->matrices = array;
    TULLE__TRY(tulle__mesh_array(ctx, b->room * nodes, sizeof(int32_t), &array));
    b->some.cells.nodes = array;
    quantities_of((tulle__elastic *)b->from, given);
    quantities_of(&b->some, own);
    for (int i = 0; i < QUANTITIES; i++) {
        *own[i] = (tulle__cell_quantity){.per = given[i]->per, .number = given[i]->number};
        if (given[i]->per == 0) continue;
        TULLE__TRY(tulle__mesh_array(ctx, b->room * given[i]->per, sizeof(double), &array));
        own[i]->numbers = array;
    }
    return TULLE_OK;
}

/* Copies the nodes and the quantities of the elements of the batch. */
static void fill_batch(batch *b) {
    const tulle__cells *cells = &b->from->cells;
    const int64_t count = b->some.cells.count;
    const int nodes = tulle__cell_nodes(cells->shape);
    tulle__cell_quantity *given[QUANTITIES], *own[QUANTITIES];
    quantities_of((tulle__elastic *)b->from, given);
    quantities_of(&b->some, own);
    for (int64_t e = 0; e < count; e++) {
        for (int a = 0; a < nodes; a++) {
            ((int32_t *)b->some.cells.nodes)[e * nodes + a] =
                cells->nodes[b->elements[e] * nodes + a];
        }
        for (int i = 0; i < QUANTITIES; i++) {
            for (int q = 0; q < own[i]->per; q++) {
                ((double *)own[i]->numbers)[q * count + e] =
                    given[i]->numbers[q * cells->count + b->elements[e]];
            }
        }
    }
}

static tulle_status make_matrices(const batch *b) {
    const tulle__place place = {.threads = tulle__mesh_threads(b->s->ctx, b->from->cells.count)};
    const int64_t m = b->rows;
    const tulle__elastic_matrices_job elastic = {
        .type = TULLE_F64, .body = b->some, .matrices = b->matrices};
    const tulle__matrices_job job = {.type = TULLE_F64,
                                     .cells = b->some.cells,
                                     .e_step = m * m,
                                     .i_step = m,
                                     .j_step = 1,
                                     .matrices = b->matrices};
    if (b->elastic) return tulle__cpu_elastic_matrices(&place, &elastic);
    if (job.cells.table) return tulle__cpu_tabulated_matrices(&place, &job);
    return tulle__is_quadratic(job.cells.shape) ? tulle__cpu_quadratic_matrices(&place, &job)
                                                : tulle__cpu_cell_matrices(&place, &job);
}

static int64_t row_of(const batch *b, int64_t element, int i) {
    const int unknowns = b->s->unknowns, nodes = b->rows / unknowns;
    return (int64_t)b->points[element * nodes + i / unknowns] * unknowns + i % unknowns;
}

/* Adds up what the batch has, in the order of elements, and empties it. */
static tulle_status add_batch(batch *b) {
    const int64_t m = b->rows;
    if (b->some.cells.count == 0) return TULLE_OK;
    fill_batch(b);
    TULLE__TRY(make_matrices(b));
    for (int64_t e = 0; e < b->some.cells.count; e++) {
        for (int i = 0; i < m; i++) {
            const int64_t row = row_of(b, b->elements[e], i);
            if (b->s->masked[row]) b->s->scales[row] += b->matrices[(e * m + i) * m + i];
        }
    }
    b->some.cells.count = 0;
    return TULLE_OK;
}

static bool has_masked(const batch *b, int64_t element) {
    for (int i = 0; i < b->rows; i++) {
        if (b->s->masked[row_of(b, element, i)]) return true;
    }
    return false;
}

static tulle_status add_elements(batch *b) {
    for (int64_t e = 0; e < b->from->cells.count; e++) {
        TULLE__TRY(tulle__ask(b->s->ctx, "weighing given rows", e, b->from->cells.count));
        if (!has_masked(b, e)) continue;
        b->elements[b->some.cells.count++] = e;
        if (b->some.cells.count == b->room) TULLE__TRY(add_batch(b));
    }
    return add_batch(b);
}

static tulle_status add_block(tulle__scaling *s, const tulle__elastic *body, const int32_t *points,
                              bool elastic) {
    batch b = {.s = s, .from = body, .points = points, .elastic = elastic};
    tulle_status status = open_batch(&b);
    if (status == TULLE_OK) status = add_elements(&b);
    close_batch(&b);
    return status;
}

tulle_status tulle__scales_of_cells(tulle__scaling *s, const tulle__cells *cells,
                                    const int32_t *points) {
    const tulle__elastic body = {.cells = *cells};
    return add_block(s, &body, points, false);
}

tulle_status tulle__scales_of_body(tulle__scaling *s, const tulle__elastic *body) {
    return add_block(s, body, body->cells.nodes, true);
}

void tulle__scaling_finish(const tulle__scaling *s) {
    double largest = 0;
    for (int64_t i = 0; i < s->rows; i++) largest = tulle__larger(largest, s->scales[i]);
    for (int64_t i = 0; i < s->rows; i++) {
        if (s->masked[i]) s->scales[i] = tulle__scale_of(s->scales[i], largest);
    }
}
