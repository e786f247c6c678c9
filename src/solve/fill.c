/* SPDX-License-Identifier: Apache-2.0 */
/* Column k of L has an entry in row i where k is on the way from an entry of row i of the lower
 * triangle to i in the elimination tree. Each row walks these ways up to nodes that it has seen, so
 * counting takes as long as L has entries. Source: T. A. Davis, "Algorithm 849: a concise sparse
 * Cholesky factorization package", ACM TOMS 31 (2005). */
#include "solve/fill.h"

#include "core/context.h"
#include "core/error.h"
#include "core/stopwatch.h"

/* A's graph in its new order: node i has the neighbours lower[begins[i]] and on, all below i. */
typedef struct graph {
    int64_t n, nnz;
    tulle_mat_info info;
    tulle_mat_arrays A;
    int64_t *place; /* new number of a row */
    int64_t *begins, *lower;
    int64_t *parent, *seen, *count; /* parents in the tree; marks; entries of a column of L */
} graph;

static tulle_status allocate(tulle_ctx *ctx, graph *g) {
    const size_t rows = (size_t)g->n + 1, entries = (size_t)g->nnz + 1;
    g->place = tulle__host_alloc(ctx, 5 * rows * sizeof *g->place);
    g->lower = tulle__host_alloc(ctx, entries * sizeof *g->lower);
    if (!g->place || !g->lower) return TULLE_OUT_OF_MEMORY;
    g->begins = g->place + rows;
    g->parent = g->begins + rows;
    g->seen = g->parent + rows;
    g->count = g->seen + rows;
    return TULLE_OK;
}

static int64_t number(const void *array, bool wide, int64_t i) {
    return wide ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

static int64_t offset(const graph *g, int64_t i) {
    return number(g->A.offsets, g->info.index != TULLE_I32, i);
}

/* Returns the new number of the column of entry e. */
static int64_t end_of(const graph *g, int64_t e) {
    return g->place[number(g->A.cols, g->info.index == TULLE_I64, e)];
}

static int64_t higher(const graph *g, int64_t i, int64_t e) {
    const int64_t a = g->place[i], b = end_of(g, e);
    return a > b ? a : b;
}

/* Sorts the edges by their higher ends; an edge may come twice. */
static void sort_edges(graph *g) {
    for (int64_t i = 0; i <= g->n; i++) g->begins[i] = 0;
    for (int64_t i = 0; i < g->n; i++) {
        const int64_t end = offset(g, i + 1);
        for (int64_t e = offset(g, i); e < end; e++) g->begins[higher(g, i, e)]++;
    }
    int64_t all = 0;
    for (int64_t i = 0; i <= g->n; i++) {
        const int64_t own = g->begins[i];
        g->begins[i] = all;
        all += own;
    }
    for (int64_t i = 0; i < g->n; i++) {
        const int64_t end = offset(g, i + 1);
        for (int64_t e = offset(g, i); e < end; e++) {
            const int64_t high = higher(g, i, e);
            g->lower[g->begins[high]++] = g->place[i] + end_of(g, e) - high;
        }
    }
    for (int64_t i = g->n; i > 0; i--) g->begins[i] = g->begins[i - 1];
    g->begins[0] = 0;
}

static void count(graph *g, double most, tulle__fill *fill) {
    double entries = 0;
    for (int64_t i = 0; i < g->n; i++) {
        g->parent[i] = -1;
        g->seen[i] = i;
        g->count[i] = 0;
        for (int64_t e = g->begins[i]; e < g->begins[i + 1]; e++) {
            for (int64_t k = g->lower[e]; g->seen[k] != i; k = g->parent[k]) {
                if (g->parent[k] < 0) g->parent[k] = i;
                g->seen[k] = i;
                g->count[k]++;
                entries++;
            }
        }
        if (entries > most) return;
    }
    fill->whole = true;
    fill->entries = 2 * entries + (double)g->n;
    for (int64_t i = 0; i < g->n; i++) {
        fill->products += (double)g->count[i] * (double)g->count[i];
    }
}

tulle_status tulle__fill_count(tulle_ctx *ctx, tulle_mat *A, double most, tulle__fill *fill,
                               tulle_order **order) {
    graph g = {.n = tulle_mat_rows(A), .nnz = tulle_mat_nnz(A)};
    *fill = (tulle__fill){.whole = false};
    *order = NULL;
    const double start = tulle__seconds();
    tulle_status status = tulle_order_fill(ctx, A, TULLE_AMD, order);
    fill->order_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &g.info);
    if (status == TULLE_OK) status = tulle_mat_view(A, &g.A);
    if (status == TULLE_OK) status = allocate(ctx, &g);
    if (status == TULLE_OK) status = tulle_order_read(ctx, *order, g.begins);
    if (status == TULLE_OK) {
        for (int64_t i = 0; i < g.n; i++) g.place[g.begins[i]] = i;
        sort_edges(&g);
        count(&g, most, fill);
    }
    tulle__host_free(ctx, g.place);
    tulle__host_free(ctx, g.lower);
    if (status != TULLE_OK) {
        tulle_order_destroy(*order);
        *order = NULL;
    }
    return status;
}
