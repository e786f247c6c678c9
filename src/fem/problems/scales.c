/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/problems/scales.h"

#include "fem/elements/reference.h"

/* Elements whose matrices are made at once. */
enum { TOGETHER = 1024 };

/* Some elements of a block, and their matrices. */
typedef struct batch {
    tulle__scaling *s;
    const tulle__body *from; /* all elements of the block */
    const int32_t *points;
    int rows;         /* number of rows of an element matrix */
    int64_t room;     /* largest number of elements of a batch: few where the block has few */
    tulle__body some; /* the elements of the batch */
    int64_t elements[TOGETHER]; /* numbers of these elements in the block */
    double *matrices;           /* room x rows x rows */
} batch;

tulle_status tulle__scaling_open(tulle__scaling *s) {
    void *array = NULL;
    TULLE__TRY(tulle__mesh_array(s->ctx, s->rows, sizeof *s->scales, &array));
    s->scales = array;
    return TULLE_OK;
}

static void close_batch(batch *b) {
    tulle__cell_quantity *all[TULLE__PROBLEM_QUANTITIES];
    tulle__body_quantities(&b->some, all);
    for (int i = 0; i < TULLE__PROBLEM_QUANTITIES; i++) {
        tulle__host_free(b->s->ctx, (void *)all[i]->numbers);
    }
    tulle__host_free(b->s->ctx, (void *)b->some.cells.nodes);
    tulle__host_free(b->s->ctx, b->matrices);
}

static tulle_status open_batch(batch *b) {
    tulle_ctx *ctx = b->s->ctx;
    const tulle__cells *cells = &b->from->cells;
    const int nodes = tulle__cell_nodes(cells->shape);
    tulle__cell_quantity *given[TULLE__PROBLEM_QUANTITIES], *own[TULLE__PROBLEM_QUANTITIES];
    void *array = NULL;
    b->rows = nodes * b->s->unknowns;
    b->room = cells->count < TOGETHER ? cells->count : TOGETHER;
    b->some = (tulle__body){.cells = {.shape = cells->shape,
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
    tulle__body_quantities((tulle__body *)b->from, given);
    tulle__body_quantities(&b->some, own);
    for (int i = 0; i < TULLE__PROBLEM_QUANTITIES; i++) {
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
    tulle__cell_quantity *given[TULLE__PROBLEM_QUANTITIES], *own[TULLE__PROBLEM_QUANTITIES];
    tulle__body_quantities((tulle__body *)b->from, given);
    tulle__body_quantities(&b->some, own);
    for (int64_t e = 0; e < count; e++) {
        for (int a = 0; a < nodes; a++) {
            ((int32_t *)b->some.cells.nodes)[e * nodes + a] =
                cells->nodes[b->elements[e] * nodes + a];
        }
        for (int i = 0; i < TULLE__PROBLEM_QUANTITIES; i++) {
            for (int q = 0; q < own[i]->per; q++) {
                ((double *)own[i]->numbers)[q * count + e] =
                    given[i]->numbers[q * cells->count + b->elements[e]];
            }
        }
    }
}

static tulle_status make_matrices(const batch *b) {
    const tulle__place place = {.threads = tulle__mesh_threads(b->s->ctx, b->from->cells.count)};
    return b->s->kind->matrices(tulle__cpu_backend.fem, &place, TULLE_F64, &b->some, b->matrices);
}

static int64_t row_of(const batch *b, int64_t element, int i) {
    const int unknowns = b->s->unknowns, nodes = b->rows / unknowns;
    return (int64_t)b->points[element * nodes + i / unknowns] * unknowns + i % unknowns;
}

/* Adds the diagonals of the batch, in the order of elements, and empties it. */
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

tulle_status tulle__scales_of_block(tulle__scaling *s, const tulle__body *body,
                                    const int32_t *points) {
    batch b = {.s = s, .from = body, .points = points};
    tulle_status status = open_batch(&b);
    if (status == TULLE_OK) status = add_elements(&b);
    close_batch(&b);
    return status;
}

void tulle__scaling_finish(const tulle__scaling *s) {
    double largest = 0;
    for (int64_t i = 0; i < s->rows; i++) largest = tulle__larger(largest, s->scales[i]);
    for (int64_t i = 0; i < s->rows; i++) {
        if (s->masked[i]) s->scales[i] = tulle__scale_of(s->scales[i], largest);
    }
}
