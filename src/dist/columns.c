/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a whole matrix in a local numbering that keeps their order, so that sums in the order
 * of columns have the bits that they have in one process. */
#include <stdlib.h>

#include "core/access.h"
#include "dist/rows.h"

static int by_number(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Counts the entries of rows in columns that are not own ones; lists them where `to` is not NULL.
 */
static int64_t list_others(int64_t begin, int64_t end, const tulle__rows *r, int64_t *to) {
    const int64_t nnz = r ? r->offsets[r->rows] : 0;
    int64_t found = 0;
    for (int64_t k = 0; k < nnz; k++) {
        if (r->columns[k] >= begin && r->columns[k] < end) continue;
        if (to) to[found] = r->columns[k];
        found++;
    }
    return found;
}

tulle_status tulle__columns_make(tulle_ctx *ctx, int64_t begin, int64_t end, const tulle__rows *a,
                                 const tulle__rows *b, tulle__columns *made) {
    const int64_t of_a = list_others(begin, end, a, NULL), of_b = list_others(begin, end, b, NULL);
    *made = (tulle__columns){.begin = begin, .end = end};
    made->others = tulle__host_alloc(ctx, (size_t)(of_a + of_b + 1) * sizeof *made->others);
    if (!made->others) return TULLE_OUT_OF_MEMORY;
    list_others(begin, end, a, made->others);
    list_others(begin, end, b, made->others + of_a);
    qsort(made->others, (size_t)(of_a + of_b), sizeof *made->others, by_number);
    for (int64_t k = 0; k < of_a + of_b; k++) {
        if (made->count > 0 && made->others[made->count - 1] == made->others[k]) continue;
        made->lower += made->others[k] < begin;
        made->others[made->count++] = made->others[k];
    }
    return TULLE_OK;
}

void tulle__columns_free(tulle_ctx *ctx, tulle__columns *c) {
    tulle__host_free(ctx, c->others);
    *c = (tulle__columns){.count = 0};
}

int64_t tulle__columns_place(const tulle__columns *c, int64_t column) {
    if (column >= c->begin && column < c->end) return c->lower + column - c->begin;
    const int64_t *found =
        bsearch(&column, c->others, (size_t)c->count, sizeof *c->others, by_number);
    const int64_t k = found - c->others;
    return k < c->lower ? k : k + c->end - c->begin;
}

/* Appends row k of `from`, with its columns numbered anew. */
static void append(const tulle__rows *from, int64_t k, const tulle__columns *cols, int64_t *at,
                   tulle__rows *to) {
    for (int64_t e = from->offsets[k]; e < from->offsets[k + 1]; e++) {
        to->columns[*at] = tulle__columns_place(cols, from->columns[e]);
        tulle__move_value(to->type, to->values, (*at)++, from->values, e);
    }
}

tulle_status tulle__rows_stack(tulle_ctx *ctx, const tulle__columns *names, const tulle__rows *own,
                               const tulle__rows *came, const int64_t *came_names,
                               const tulle__columns *cols, tulle_mat **A) {
    const int64_t rows = tulle__columns_all(names), first = names->lower;
    const int64_t others = came ? came->offsets[came->rows] : 0;
    tulle__rows all;
    int64_t k = 0, at = 0;
    *A = NULL;
    tulle_status status =
        tulle__rows_make(ctx, own->type, rows, own->offsets[own->rows] + others, &all);
    for (int64_t i = 0; i < rows && status == TULLE_OK; i++) {
        const bool is_own = i >= first && i < first + own->rows;
        if (is_own) {
            append(own, i - first, cols, &at, &all);
        } else if (came && k < came->rows && came_names[k] == tulle__columns_name(names, i)) {
            append(came, k++, cols, &at, &all);
        }
        all.offsets[i + 1] = at;
    }
    if (status == TULLE_OK) status = tulle__rows_to_mat(ctx, &all, tulle__columns_all(cols), A);
    tulle__rows_free(ctx, &all);
    return status;
}
