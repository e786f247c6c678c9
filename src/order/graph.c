/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the graph of a matrix. Each entry off the diagonal is counted and listed at both its ends;
 * then repetitions are removed from the lists. The numbers of neighbours have 32 bits where that is
 * enough. */
#ifndef NODE

#include "order/graph.h"

#include "core/access.h"
#include "format/draft.h"
#include "matrix/reformat.h"

/* The offsets and columns of a matrix in host memory, with their sizes in bytes. */
typedef struct rows {
    int64_t count, entries;
    int64_t offset_size, index_size;
    const void *offsets, *columns;
    void *copied[2]; /* copies of offsets and columns, to be freed, or NULL */
} rows;

static int64_t row_begin(const rows *r, int64_t row) {
    return tulle__get(r->offsets, r->offset_size, row);
}

static int64_t column(const rows *r, int64_t entry) {
    return tulle__get(r->columns, r->index_size, entry);
}

#define TULLE__SELF "order/graph.c"
#define NODE int32_t
#define NAME(function) function##_32
#include TULLE__SELF
#undef NODE
#undef NAME
#define NODE int64_t
#define NAME(function) function##_64
#include TULLE__SELF
#undef NODE
#undef NAME

static tulle_status host_array(tulle_ctx *ctx, int64_t count, int64_t size, void **pointer) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    *pointer = tulle__host_alloc(ctx, bytes);
    return *pointer ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void rows_free(tulle_ctx *ctx, rows *r) {
    tulle__host_free(ctx, r->copied[0]);
    tulle__host_free(ctx, r->copied[1]);
}

/* Gets the matrix's own arrays on a CPU, and copies of them elsewhere. */
static tulle_status rows_read(tulle_ctx *ctx, const tulle_mat *A, rows *r) {
    const tulle__pattern *p = A->pattern;
    const tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    *r = (rows){.count = n.offsets - 1,
                .entries = n.cols,
                .offset_size = tulle_offset_size(p->index),
                .index_size = tulle_index_size(p->index),
                .offsets = p->offsets.data,
                .columns = p->cols_of.data};
    if (ctx->kind == TULLE_CPU) return TULLE_OK;
    TULLE__TRY(host_array(ctx, n.offsets, r->offset_size, &r->copied[0]));
    TULLE__TRY(host_array(ctx, n.cols, r->index_size, &r->copied[1]));
    r->offsets = r->copied[0];
    r->columns = r->copied[1];
    return tulle_mat_read_arrays(
        ctx, A, &(tulle_mat_buffers){.offsets = r->copied[0], .cols = r->copied[1]});
}

static tulle_status list(tulle_ctx *ctx, const rows *r, tulle__graph *g) {
    const int64_t size = g->narrow ? 4 : 8;
    void *last = NULL;
    TULLE__TRY(host_array(ctx, g->nodes + 2, sizeof *g->begin, (void **)&g->begin));
    TULLE__TRY(host_array(ctx, r->entries, 2 * size, &g->neighbours));
    TULLE__TRY(host_array(ctx, g->nodes, size, &last));
    if (g->narrow) {
        list_ends_32(g, r);
        drop_repeated_32(g, last);
    } else {
        list_ends_64(g, r);
        drop_repeated_64(g, last);
    }
    tulle__host_free(ctx, last);
    return TULLE_OK;
}

void tulle__graph_free(tulle_ctx *ctx, tulle__graph *graph) {
    tulle__host_free(ctx, graph->begin);
    tulle__host_free(ctx, graph->neighbours);
    *graph = (tulle__graph){.nodes = 0};
}

static tulle_status graph_of_rows(tulle_ctx *ctx, const tulle_mat *A, tulle__graph *graph) {
    rows r;
    tulle_status status = rows_read(ctx, A, &r);
    *graph = (tulle__graph){.nodes = r.count, .narrow = r.count <= INT32_MAX};
    if (status == TULLE_OK) status = list(ctx, &r, graph);
    rows_free(ctx, &r);
    if (status != TULLE_OK) tulle__graph_free(ctx, graph);
    return status;
}

tulle_status tulle__graph_of(const char *function, tulle_ctx *ctx, const tulle_mat *A, bool blocks,
                             tulle__graph *graph) {
    const tulle__pattern *p = A->pattern;
    TULLE__TRY(tulle__check_space(function, ctx, A));
    if (p->rows != p->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                           "A is %lld x %lld; only a square matrix has such an order",
                           (long long)p->rows, (long long)p->cols);
    }
    if (blocks) TULLE__TRY(tulle__check_square_blocks(function, p));
    if (blocks && p->format == TULLE_BSR) return graph_of_rows(ctx, A, graph);
    TULLE__TRY(tulle__check_offsets_fit(function, ctx, p->rows, p->index));
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, p->index, false, &csr));
    tulle_status status = graph_of_rows(ctx, csr, graph);
    tulle_mat_destroy(csr);
    return status;
}

#else

/* Lists the ends of edges. In the first pass begin[v + 2] counts the ends at v. In the second pass
 * begin[v + 1] is the place for the next end at v; so in the end begin[v + 1] is where the list of
 * v + 1 starts. */
static void NAME(list_ends)(tulle__graph *g, const rows *r) {
    NODE *neighbours = g->neighbours;
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t k = row_begin(r, i); k < row_begin(r, i + 1); k++) {
            int64_t j = column(r, k);
            g->begin[i + 2] += i != j;
            g->begin[j + 2] += i != j;
        }
    }
    for (int64_t v = 0; v < g->nodes; v++) g->begin[v + 2] += g->begin[v + 1];
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t k = row_begin(r, i); k < row_begin(r, i + 1); k++) {
            int64_t j = column(r, k);
            if (i == j) continue;
            neighbours[g->begin[i + 1]++] = (NODE)j;
            neighbours[g->begin[j + 1]++] = (NODE)i;
        }
    }
}

/* Keeps the first one of equal neighbours, and closes the gaps between the lists. */
static void NAME(drop_repeated)(tulle__graph *g, NODE *last) {
    NODE *neighbours = g->neighbours;
    int64_t kept = 0, from = 0;
    for (int64_t v = 0; v < g->nodes; v++) last[v] = -1;
    for (int64_t v = 0; v < g->nodes; v++) {
        const int64_t to = g->begin[v + 1];
        for (int64_t k = from; k < to; k++) {
            NODE w = neighbours[k];
            if (last[w] == v) continue;
            last[w] = (NODE)v;
            neighbours[kept++] = w;
        }
        from = to;
        g->begin[v + 1] = kept;
    }
}

#endif
