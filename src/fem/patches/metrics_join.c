/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that are alike: those of a grid, of its refined parts, of layers all have one metric, but
 * for digits that are lost where coordinates are rounded. Then 1 byte a cell stands for 6 numbers.
 */
#include <math.h>

#include "fem/patches/patched.h"

/* Cells to a kind, in the mean, below which nothing is gained. */
enum { WORTH = 16 };

typedef struct joining {
    const tulle_mesh *mesh;
    const tulle__patched_block *c;
    tulle_type type;
    const int32_t *order;
    const void *numbers;
    double far;                                                     /* largest coordinate */
    double row[TULLE__METRIC_KINDS][TULLE__METRIC_ROW];             /* metric of each kind */
    double off[TULLE__METRIC_KINDS], mass_off[TULLE__METRIC_KINDS]; /* bounds within a kind */
    int count;
} joining;

static void read_row(const joining *j, int64_t k, double row[TULLE__METRIC_ROW]) {
    const int64_t first = tulle__metric_first(j->c->metrics.each, (uint32_t)k);
    for (int i = 0; i < j->c->metrics.each; i++) {
        const int64_t at = first + (int64_t)i * TULLE__METRIC_LANES;
        row[i] = j->type == TULLE_F32 ? (double)((const float *)j->numbers)[at]
                                      : ((const double *)j->numbers)[at];
    }
}

static bool is_like(const joining *j, int kind, const double row[TULLE__METRIC_ROW]) {
    const int metric = tulle__metric_numbers(j->c->shape);
    bool like = true;
    for (int i = 0; i < j->c->metrics.each; i++) {
        const double off = i < metric ? j->off[kind] : j->mass_off[kind];
        like = like && fabs(row[i] - j->row[kind][i]) <= off;
    }
    return like;
}

/* The largest coordinate over the shortest edge at a corner, of which a column is half or all. */
static double spread_of(const joining *j, int64_t k) {
    const int32_t *nodes = j->c->patching.nodes + (int64_t)j->order[k] * j->c->patching.each;
    const int dimension = tulle__cell_dimension(j->c->shape);
    double shortest = INFINITY;
    for (int d = 0; d < dimension; d++) {
        const int end = tulle__is_simplex(j->c->shape) ? d + 1 : tulle__corner_at(1 << d);
        double length = 0;
        for (int i = 0; i < dimension; i++) {
            const double edge =
                tulle__node(j->mesh, nodes[end])[i] - tulle__node(j->mesh, nodes[0])[i];
            length += edge * edge;
        }
        shortest = fmin(shortest, length);
    }
    return j->far / sqrt(shortest);
}

static void add_kind(joining *j, int64_t k, const double row[TULLE__METRIC_ROW]) {
    const int metric = tulle__metric_numbers(j->c->shape), kind = j->count++;
    const double unit = j->type == TULLE_F32 ? 0x1p-24 : 0x1p-53;
    const double part = 16 * fmax(unit, 0x1p-53 * spread_of(j, k));
    double most = 0;
    for (int i = 0; i < j->c->metrics.each; i++) {
        j->row[kind][i] = row[i];
        if (i < metric) most = fmax(most, fabs(row[i]));
    }
    j->off[kind] = part * most;
    j->mass_off[kind] = part * fabs(row[j->c->metrics.each - 1]);
}

/* The kind of a cell, most likely that of the cell before it; -1: there are too many. */
static int kind_of(joining *j, int64_t k, int before) {
    double row[TULLE__METRIC_ROW] = {0};
    read_row(j, k, row);
    if (before >= 0 && is_like(j, before, row)) return before;
    for (int kind = 0; kind < j->count; kind++) {
        if (is_like(j, kind, row)) return kind;
    }
    if (j->count == TULLE__METRIC_KINDS || j->count * WORTH >= j->c->patching.count) return -1;
    add_kind(j, k, row);
    return j->count - 1;
}

static tulle_status bring(tulle_ctx *ctx, const joining *j, const uint8_t *kind,
                          tulle__metrics *metrics) {
    const int64_t numbers = (int64_t)j->count * TULLE__METRIC_ROW, size = tulle_type_size(j->type);
    const size_t cells = (size_t)j->c->patching.count;
    double rows[TULLE__METRIC_KINDS * TULLE__METRIC_ROW];
    float narrow[TULLE__METRIC_KINDS * TULLE__METRIC_ROW];
    void *array = NULL;
    for (int64_t i = 0; i < numbers; i++) {
        rows[i] = j->row[i / TULLE__METRIC_ROW][i % TULLE__METRIC_ROW];
        narrow[i] = (float)rows[i];
    }
    TULLE__TRY(tulle__alloc(ctx, (size_t)(numbers * size), &array));
    metrics->numbers = array;
    metrics->count = j->count;
    TULLE__TRY(tulle__copy_wait(ctx, array, j->type == TULLE_F32 ? (void *)narrow : (void *)rows,
                                (size_t)(numbers * size)));
    TULLE__TRY(tulle__alloc(ctx, cells, &array));
    metrics->kind = array;
    return tulle__copy_wait(ctx, array, kind, cells);
}

tulle_status tulle__metrics_join(const tulle__patched_making *m, const int32_t *order,
                                 tulle__patched_block *b, const void *numbers) {
    const int64_t cells = b->patching.count;
    const tulle_mesh_arrays *a = &m->mesh->arrays;
    joining *j = tulle__host_alloc(m->ctx, sizeof *j);
    uint8_t *kind = tulle__host_alloc(m->ctx, (size_t)cells);
    tulle_status status = j && kind ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) {
        *j =
            (joining){.mesh = m->mesh, .c = b, .type = m->type, .order = order, .numbers = numbers};
        for (int64_t i = 0; i < a->node_count * a->dimension; i++) {
            j->far = fmax(j->far, fabs(a->coordinates[i]));
        }
        int now = -1;
        int64_t k = 0;
        for (; k < cells; k++) {
            now = kind_of(j, k, now);
            if (now < 0) break;
            kind[k] = (uint8_t)now;
        }
        if (k == cells) status = bring(m->ctx, j, kind, &b->metrics);
    }
    tulle__host_free(m->ctx, kind);
    tulle__host_free(m->ctx, j);
    return status;
}
