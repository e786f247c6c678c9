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
    int64_t *offsets, *cols; /* pattern of A */
    int64_t *place;          /* new number of a row */
    int64_t *begins, *lower;
    int64_t *parent, *seen, *count; /* parents in the tree; marks; entries of a column of L */
} graph;

static tulle_status allocate(tulle_ctx *ctx, graph *g) {
    const size_t rows = (size_t)g->n + 1, entries = (size_t)g->nnz + 1;
    g->offsets = tulle__host_alloc(ctx, 6 * rows * sizeof *g->offsets);
    g->cols = tulle__host_alloc(ctx, 2 * entries * sizeof *g->cols);
    if (!g->offsets || !g->cols) return TULLE_OUT_OF_MEMORY;
    g->lower = g->cols + entries;
    g->place = g->offsets + rows;
    g->begins = g->place + rows;
    g->parent = g->begins + rows;
    g->seen = g->parent + rows;
    g->count = g->seen + rows;
    return TULLE_OK;
}

static int64_t higher(const graph *g, int64_t i, int64_t e) {
    const int64_t a = g->place[i], b = g->place[g->cols[e]];
    return a > b ? a : b;
}

/* Sorts the edges by their higher ends; an edge may come twice. */
static void sort_edges(graph *g) {
    for (int64_t i = 0; i <= g->n; i++) g->begins[i] = 0;
    for (int64_t i = 0; i < g->n; i++) {
        for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) g->begins[higher(g, i, e)]++;
    }
    int64_t all = 0;
    for (int64_t i = 0; i <= g->n; i++) {
        const int64_t own = g->begins[i];
        g->begins[i] = all;
        all += own;
    }
    for (int64_t i = 0; i < g->n; i++) {
        for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
            const int64_t high = higher(g, i, e);
            g->lower[g->begins[high]++] = g->place[i] + g->place[g->cols[e]] - high;
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
    tulle_mat *wide = NULL;
    *fill = (tulle__fill){.whole = false};
    *order = NULL;
    const double start = tulle__seconds();
    tulle_status status = tulle_order_fill(ctx, A, TULLE_AMD, order);
    fill->order_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide);
    if (status == TULLE_OK) status = allocate(ctx, &g);
    if (status == TULLE_OK) status = tulle_order_read(ctx, *order, g.begins);
    if (status == TULLE_OK) status = tulle_mat_read(ctx, wide, g.offsets, NULL, g.cols, NULL);
    if (status == TULLE_OK) {
        for (int64_t i = 0; i < g.n; i++) g.place[g.begins[i]] = i;
        sort_edges(&g);
        count(&g, most, fill);
    }
    tulle__host_free(ctx, g.offsets);
    tulle__host_free(ctx, g.cols);
    tulle_mat_destroy(wide);
    if (status != TULLE_OK) {
        tulle_order_destroy(*order);
        *order = NULL;
    }
    return status;
}
