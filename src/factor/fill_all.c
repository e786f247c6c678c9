/* SPDX-License-Identifier: Apache-2.0 */
/* Finds all fill of a pattern as if it were symmetric: the columns of row i of L are those on the
 * paths from the row's own columns up the elimination tree to i. Time and memory are proportional
 * to the entries of L. Source: J. W. H. Liu, "The role of elimination trees in sparse
 * factorization" (1990). */
#include "core/context.h"
#include "factor/host_rows.h"

enum { ROOT = -1 };

/* Both halves of the pattern, put below the diagonal: row i has each k < i with an entry (i, k) or
 * (k, i). */
typedef struct lower {
    int64_t *begins, *cols;
} lower;

static tulle_status lower_of(tulle_ctx *ctx, const tulle__host_rows *from, lower *l) {
    const int64_t n = from->rows;
    l->begins = tulle__host_alloc(ctx, (size_t)(n + 2) * sizeof *l->begins);
    l->cols = tulle__host_alloc(ctx, (size_t)(from->begins[n] + 1) * sizeof *l->cols);
    if (!l->begins || !l->cols) return TULLE_OUT_OF_MEMORY;
    /* next place of row i at index i, so that `begins` is right after the filling */
    int64_t *next = l->begins + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t row = 0; row < n; row++) {
            for (int64_t i = from->begins[row]; i < from->begins[row + 1]; i++) {
                int64_t col = from->cols[i], high = row > col ? row : col;
                if (row == col) continue;
                if (pass == 0) {
                    if (high + 1 < n) next[high + 1]++;
                } else {
                    l->cols[next[high]++] = row > col ? col : row;
                }
            }
        }
        for (int64_t i = 0; pass == 0 && i + 1 < n; i++) next[i + 1] += next[i];
    }
    return TULLE_OK;
}

/* Finds the elimination tree; the paths to a root shorten as they are walked. */
static void find_parents(const lower *l, int64_t n, int64_t *parent, int64_t *ancestor) {
    for (int64_t i = 0; i < n; i++) {
        parent[i] = ancestor[i] = ROOT;
        for (int64_t e = l->begins[i]; e < l->begins[i + 1]; e++) {
            for (int64_t k = l->cols[e]; k != ROOT && k < i;) {
                int64_t up = ancestor[k];
                ancestor[k] = i;
                if (up == ROOT) parent[k] = i;
                k = up;
            }
        }
    }
}

/* Progress: there are PASSES passes over all rows, which report once per ENTRIES_A_TELL entries. */
enum { ENTRIES_A_TELL = 1 << 22, PASSES = 4 };
typedef struct telling {
    const tulle__fill_room *room;
    tulle_ctx *ctx;
    int64_t rows, passes, entries;
    int64_t found; /* number of entries found below the diagonal in this pass */
} telling;

static tulle_status tell(telling *t, int64_t row, int64_t entries) {
    t->entries += entries;
    if (t->entries < ENTRIES_A_TELL) return TULLE_OK;
    t->entries = 0;
    TULLE__TRY(tulle__fill_fits(t->room, 2 * (double)t->found + (double)t->rows, true));
    return tulle__progress(t->ctx, "finding fill", t->passes * t->rows + row, PASSES * t->rows);
}

/* A function that is called for each entry (i, k) of L below the diagonal, with rows ascending and
 * columns in no order. `seen` is an array of n numbers that are no rows. */
typedef void (*each)(int64_t row, int64_t col, void *user);
static tulle_status walk(const lower *l, telling *t, const int64_t *parent, int64_t *seen,
                         each call, void *user) {
    const int64_t n = t->rows;
    t->found = 0;
    for (int64_t i = 0; i < n; i++) seen[i] = ROOT;
    for (int64_t i = 0; i < n; i++) {
        int64_t entries = 1;
        seen[i] = i;
        for (int64_t e = l->begins[i]; e < l->begins[i + 1]; e++) {
            for (int64_t k = l->cols[e]; seen[k] != i; k = parent[k], entries++) {
                seen[k] = i;
                call(i, k, user);
            }
        }
        t->found += entries - 1;
        TULLE__TRY(tell(t, i, entries));
    }
    t->passes++;
    return TULLE_OK;
}

static void count(int64_t row, int64_t col, void *user) {
    int64_t *counts = user;
    counts[row + 1]++;
    counts[col + 1]++;
}

/* The places of the rows of U, which ascend as rows come: row k of U begins behind the lower part
 * and the diagonal of row k. */
typedef struct placing {
    tulle__host_rows *to;
    int64_t *next;
} placing;

static void put_upper(int64_t row, int64_t col, void *user) {
    placing *p = user;
    p->to->cols[p->next[col]++] = row;
}

/* Stores the lower part of each row from the upper parts of all rows; it ascends as columns
 * come. */
static tulle_status put_lower(tulle__host_rows *to, telling *t, const int64_t *upper,
                              int64_t *next) {
    for (int64_t i = 0; i < to->rows; i++) next[i] = to->begins[i];
    for (int64_t k = 0; k < to->rows; k++) {
        to->cols[next[k]] = k;
        for (int64_t e = upper[k]; e < to->begins[k + 1]; e++) to->cols[next[to->cols[e]]++] = k;
        TULLE__TRY(tell(t, k, to->begins[k + 1] - upper[k]));
    }
    return TULLE_OK;
}

static void count_lower(int64_t row, int64_t col, void *user) {
    (void)col;
    ((int64_t *)user)[row]++;
}

static tulle_status fill(const tulle__fill_room *room, const tulle__host_rows *from, const lower *l,
                         int64_t *scratch, tulle__host_rows *to) {
    tulle_ctx *ctx = room->ctx;
    const int64_t n = from->rows;
    telling t = {.room = room, .ctx = ctx, .rows = n};
    int64_t *parent = scratch, *seen = scratch + n, *upper = seen + n, *next = upper + n;
    find_parents(l, n, parent, seen);
    for (int64_t i = 0; i <= n; i++) next[i] = 0;
    TULLE__TRY(tulle__progress(ctx, "finding fill", 0, PASSES * n));
    TULLE__TRY(walk(l, &t, parent, seen, count, next));
    for (int64_t i = 0; i < n; i++) next[i + 1] += next[i] + 1;
    TULLE__TRY(tulle__fill_fits(room, (double)next[n], false));
    TULLE__TRY(tulle__host_rows_make(ctx, n, next[n], to));
    for (int64_t i = 0; i <= n; i++) to->begins[i] = next[i];
    for (int64_t i = 0; i < n; i++) upper[i] = to->begins[i] + 1;
    TULLE__TRY(walk(l, &t, parent, seen, count_lower, upper));
    for (int64_t i = 0; i < n; i++) next[i] = upper[i];
    TULLE__TRY(walk(l, &t, parent, seen, put_upper, &(placing){to, next}));
    TULLE__TRY(put_lower(to, &t, upper, next));
    TULLE__TRY(tulle__progress(ctx, "finding fill", PASSES * n, PASSES * n));
    tulle__host_rows_sources(from, to);
    return TULLE_OK;
}

tulle_status tulle__fill_all(const tulle__fill_room *room, const tulle__host_rows *from,
                             tulle__host_rows *to) {
    tulle_ctx *ctx = room->ctx;
    size_t bytes;
    TULLE__TRY(tulle__size(from->rows, 4 * sizeof(int64_t), sizeof(int64_t), &bytes));
    lower l = {NULL, NULL};
    int64_t *scratch = tulle__host_alloc(ctx, bytes);
    tulle_status status = scratch ? lower_of(ctx, from, &l) : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = fill(room, from, &l, scratch, to);
    tulle__host_free(ctx, l.begins);
    tulle__host_free(ctx, l.cols);
    tulle__host_free(ctx, scratch);
    return status;
}
