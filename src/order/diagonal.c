/* SPDX-License-Identifier: Apache-2.0 */
/* The order of rows that brings large entries to the diagonal: a matching of rows and columns with
 * the largest product of matched entries.
 *
 * The product is largest where the sum of the costs c_ij = log2(max_k |a_ik| / |a_ij|) of the
 * matched entries is least, which is an assignment problem. Rows are added one after the other.
 * Each row takes the shortest augmenting path by the reduced costs c_ij - u_i - v_j, which are
 * never negative and are 0 for matched entries (Dijkstra's algorithm with a heap of columns). Of
 * columns at the same distance a free one comes first, since a path that ends there is as short as
 * any, and then the one that was reached last: among entries of the same size depth-first search
 * looks at far fewer of them than breadth-first search. A row whose diagonal entry costs nothing
 * begins with that entry, so that rows without a reason to move stay. A row without such a path
 * stays unmatched for ever; then A is structurally singular, and no matching has more entries. The
 * columns that such a row reaches are matched for good, and lead to each other only, so later paths
 * leave them out: all unmatched rows together take one pass over the entries.
 *
 * Source: I. Duff and J. Koster, "On algorithms for permuting large entries to the diagonal of a
 * sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001). */
#include <math.h>

#include "order/order.h"

/* Number of rows between two reports of progress. */
enum { STEP = 1 << 12 };

/* A matching that is being made. Columns are called j, rows i, entries e. Numbers below 0 stand for
 * none. */
typedef struct matching {
    tulle_ctx *ctx;
    int64_t n, count; /* number of rows, and of matched rows */
    const int64_t *offsets, *cols;
    const double *cost;         /* cost of each entry; infinite: the entry is not to be matched */
    double *u, *v;              /* dual variables of rows and columns */
    int64_t *entry_of, *row_of; /* matched entry of each row, and matched row of each column */
    double *distance;           /* distance of each column from the row that is being matched; -Inf:
                                   no path from the column ends in a free one */
    int64_t *from;              /* entry by which the shortest path reaches each column */
    /* heap of columns by distance, and place of each column in the heap */
    int64_t *heap, *place;
    int64_t size;  /* number of columns in the heap */
    int64_t *turn; /* number of columns that were reached before each column was */
    /* columns that have been reached, and matched ones with final distances */
    int64_t *reached, *settled;
    int64_t reached_count, settled_count;
} matching;

static double reduced(const matching *m, int64_t i, int64_t e) {
    const double c = (m->cost[e] - m->v[m->cols[e]]) - m->u[i];
    return c > 0 ? c : 0;
}

static void put(matching *m, int64_t at, int64_t j) {
    m->heap[at] = j;
    m->place[j] = at;
}

static bool before(const matching *m, int64_t j, int64_t k) {
    const bool j_free = m->row_of[j] < 0, k_free = m->row_of[k] < 0;
    if (m->distance[j] != m->distance[k]) return m->distance[j] < m->distance[k];
    return j_free != k_free ? j_free : m->turn[j] > m->turn[k];
}

static void rise(matching *m, int64_t j) {
    int64_t at = m->place[j];
    for (; at > 0 && before(m, j, m->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        put(m, at, m->heap[(at - 1) / 2]);
    }
    put(m, at, j);
}

static int64_t take_nearest(matching *m) {
    const int64_t nearest = m->heap[0], j = m->heap[--m->size];
    int64_t at = 0;
    for (int64_t child = 1; child < m->size; child = 2 * at + 1) {
        if (child + 1 < m->size && before(m, m->heap[child + 1], m->heap[child])) child++;
        if (!before(m, m->heap[child], j)) break;
        put(m, at, m->heap[child]);
        at = child;
    }
    if (m->size > 0) put(m, at, j);
    m->place[nearest] = -1;
    return nearest;
}

/* Reaches the columns of row i, which is at distance `base` from the row that is being matched. */
static void reach(matching *m, int64_t i, double base) {
    for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
        const int64_t j = m->cols[e];
        if (isinf(m->cost[e])) continue;
        const double d = base + reduced(m, i, e);
        if (!(d < m->distance[j])) continue;
        if (isinf(m->distance[j])) {
            m->turn[j] = m->reached_count;
            m->reached[m->reached_count++] = j;
            m->place[j] = m->size;
            m->heap[m->size++] = j;
        }
        m->distance[j] = d;
        m->from[j] = e;
        rise(m, j);
    }
}

static int64_t row_of_entry(const matching *m, int64_t e) {
    int64_t low = 0, high = m->n;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (m->offsets[middle] <= e) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Changes the matching along the path that ends in the free column j: each column of the path gets
 * the row before it. */
static void augment(matching *m, int64_t start, int64_t j) {
    for (;;) {
        const int64_t e = m->from[j], i = row_of_entry(m, e), next = m->entry_of[i];
        m->entry_of[i] = e;
        m->row_of[j] = i;
        if (i == start) break;
        j = m->cols[next];
    }
    m->count++;
}

/* Updates the dual variables, so that reduced costs stay at 0 or above, and at 0 for matched
 * entries. */
static void renew_duals(matching *m, int64_t start, double length) {
    for (int64_t k = 0; k < m->settled_count; k++) {
        const int64_t j = m->settled[k];
        m->v[j] += m->distance[j] - length;
    }
    for (int64_t k = 0; k < m->settled_count; k++) {
        const int64_t j = m->settled[k], i = m->row_of[j];
        if (i >= 0) m->u[i] = m->cost[m->entry_of[i]] - m->v[j];
    }
    const int64_t e = m->entry_of[start];
    m->u[start] = m->cost[e] - m->v[m->cols[e]];
}

static void match(matching *m, int64_t start) {
    double length = 0;
    int64_t i = start, free = -1;
    m->size = m->reached_count = m->settled_count = 0;
    while (i >= 0) {
        reach(m, i, length);
        if (m->size == 0) break;
        const int64_t j = take_nearest(m);
        length = m->distance[j];
        i = m->row_of[j];
        if (i < 0) free = j;
        if (i >= 0) m->settled[m->settled_count++] = j;
        /* A column with a final distance is not reached again: no shorter path to it exists. */
    }
    if (free >= 0) {
        augment(m, start, free);
        renew_duals(m, start, length);
    }
    const double left = free >= 0 ? (double)INFINITY : -(double)INFINITY;
    for (int64_t k = 0; k < m->reached_count; k++) m->distance[m->reached[k]] = left;
}

/* Matches row i with the first free column at a reduced cost of 0, or with its own column alone. */
static void match_free(matching *m, int64_t i, bool own) {
    for (int64_t e = m->offsets[i]; e < m->offsets[i + 1] && m->entry_of[i] < 0; e++) {
        const int64_t j = m->cols[e];
        if (own && j != i) continue;
        if (isinf(m->cost[e]) || m->row_of[j] >= 0 || reduced(m, i, e) > 0) continue;
        m->entry_of[i] = e;
        m->row_of[j] = i;
        m->count++;
    }
}

/* Sets dual variables for which many reduced costs are 0, and matches such entries. */
static void begin(matching *m) {
    for (int64_t j = 0; j < m->n; j++) {
        m->v[j] = m->distance[j] = (double)INFINITY;
        m->row_of[j] = m->place[j] = -1;
    }
    for (int64_t e = 0; e < m->offsets[m->n]; e++) {
        m->v[m->cols[e]] = fmin(m->v[m->cols[e]], m->cost[e]);
    }
    for (int64_t j = 0; j < m->n; j++) {
        if (isinf(m->v[j])) m->v[j] = 0;
    }
    for (int64_t i = 0; i < m->n; i++) {
        m->u[i] = (double)INFINITY;
        m->entry_of[i] = -1;
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            m->u[i] = fmin(m->u[i], m->cost[e] - m->v[m->cols[e]]);
        }
        if (isinf(m->u[i])) m->u[i] = 0;
        match_free(m, i, true);
    }
    for (int64_t i = 0; i < m->n; i++) match_free(m, i, false);
}

static tulle_status match_all(matching *m) {
    begin(m);
    for (int64_t i = 0; i < m->n; i++) {
        if (m->entry_of[i] < 0) match(m, i);
        if (i % STEP == 0) TULLE__TRY(tulle__progress(m->ctx, "matching rows", i, m->n));
    }
    return TULLE_OK;
}

/* Writes the order of rows. Columns without a row get the unmatched rows, ascending. */
static void fill(const matching *m, int64_t *order) {
    int64_t i = 0;
    for (int64_t j = 0; j < m->n; j++) {
        order[j] = m->row_of[j];
        if (order[j] >= 0) continue;
        while (m->entry_of[i] >= 0) i++;
        order[j] = i++;
    }
}

/* Computes the costs: log2 of the row's largest number over each number. Exponents and fractions
 * are treated apart, so that a row times a power of 2 has the same costs. */
static void find_costs(int64_t n, const int64_t *offsets, const double *values, double *cost) {
    for (int64_t i = 0; i < n; i++) {
        double largest = 0;
        int top = 0;
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
            if (isfinite(values[e])) largest = fmax(largest, fabs(values[e]));
        }
        const double fraction = frexp(largest, &top);
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
            int power = 0;
            const double own = frexp(fabs(values[e]), &power);
            const bool usable = isfinite(values[e]) && values[e] != 0;
            cost[e] = usable ? (double)(top - power) + log2(fraction / own) : (double)INFINITY;
        }
    }
}

/* The arrays of A in CSR with 64-bit indices and f64 values, in host memory, and scratch for a
 * matching. */
typedef struct room {
    int64_t *offsets, *cols, *numbers;
    double *values, *cost, *reals;
    int64_t *order;
} room;

static tulle_status allocate(tulle_ctx *ctx, int64_t n, int64_t nnz, room *r) {
    const size_t rows = (size_t)n + 1, entries = (size_t)nnz + 1;
    r->offsets = tulle__host_alloc(ctx, rows * sizeof *r->offsets);
    r->cols = tulle__host_alloc(ctx, entries * sizeof *r->cols);
    r->values = tulle__host_alloc(ctx, entries * sizeof *r->values);
    r->cost = tulle__host_alloc(ctx, entries * sizeof *r->cost);
    r->numbers = tulle__host_alloc(ctx, 8 * rows * sizeof *r->numbers);
    r->reals = tulle__host_alloc(ctx, 3 * rows * sizeof *r->reals);
    r->order = tulle__host_alloc(ctx, rows * sizeof *r->order);
    return r->offsets && r->cols && r->values && r->cost && r->numbers && r->reals && r->order
               ? TULLE_OK
               : TULLE_OUT_OF_MEMORY;
}

static void free_room(tulle_ctx *ctx, room *r) {
    void *const all[] = {r->offsets, r->cols, r->values, r->cost, r->numbers, r->reals, r->order};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle__host_free(ctx, all[k]);
}

static tulle_status find(tulle_ctx *ctx, const tulle_mat *csr, int64_t n, int64_t nnz,
                         tulle_order **P, int64_t *matched) {
    room r = {.offsets = NULL};
    const size_t rows = (size_t)n + 1;
    tulle_status status = allocate(ctx, n, nnz, &r);
    if (status == TULLE_OK) {
        status = tulle_mat_read(ctx, csr, r.offsets, NULL, r.cols, r.values);
    }
    if (status == TULLE_OK) {
        matching m = {.ctx = ctx,
                      .n = n,
                      .offsets = r.offsets,
                      .cols = r.cols,
                      .cost = r.cost,
                      .u = r.reals,
                      .v = r.reals + rows,
                      .distance = r.reals + 2 * rows,
                      .entry_of = r.numbers,
                      .row_of = r.numbers + rows,
                      .from = r.numbers + 2 * rows,
                      .heap = r.numbers + 3 * rows,
                      .place = r.numbers + 4 * rows,
                      .reached = r.numbers + 5 * rows,
                      .settled = r.numbers + 6 * rows,
                      .turn = r.numbers + 7 * rows};
        find_costs(n, r.offsets, r.values, r.cost);
        status = match_all(&m);
        *matched = m.count;
        if (status == TULLE_OK) fill(&m, r.order);
    }
    if (status == TULLE_OK) status = tulle_order_create(ctx, n, r.order, P);
    free_room(ctx, &r);
    return status;
}

tulle_status tulle_order_diagonal(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P,
                                  int64_t *matched) {
    tulle_mat *csr = NULL, *wide = NULL;
    tulle_mat_info info;
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(matched);
    *matched = 0;
    TULLE__TRY(tulle_mat_describe(A, &info));
    if (info.rows != info.cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, __func__, "A", -1, "A is not square");
    }
    tulle_status status =
        tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, TULLE_SUM_DUPLICATES, &csr);
    if (status == TULLE_OK) status = tulle_mat_copy(ctx, csr, TULLE_F64, &wide);
    if (status == TULLE_OK) status = tulle_mat_describe(wide, &info);
    if (status == TULLE_OK) status = find(ctx, wide, info.rows, info.nnz, P, matched);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(csr);
    return status;
}
