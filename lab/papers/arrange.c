/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "io/rows_common.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"

/* A stable sort of the numbers 0 to count - 1 by keys from 0 to keys - 1. */
typedef struct sort {
    int64_t count, keys;
    int64_t *begin; /* [keys + 1] begin of each key's run */
    int64_t *order; /* [count] the sorted numbers */
} sort;

static sort sort_open(int64_t count, int64_t keys) {
    return (sort){.count = count,
                  .keys = keys,
                  .begin = tool_alloc((size_t)keys + 1, sizeof(int64_t)),
                  .order = tool_alloc((size_t)count, sizeof(int64_t))};
}

static void sort_close(sort *s) {
    free(s->begin);
    free(s->order);
}

static void sort_by(sort *s, int64_t (*key)(const tool_csr *A, int64_t i), const tool_csr *A) {
    memset(s->begin, 0, ((size_t)s->keys + 1) * sizeof *s->begin);
    for (int64_t i = 0; i < s->count; i++) s->begin[key(A, i) + 1]++;
    for (int64_t k = 0; k < s->keys; k++) s->begin[k + 1] += s->begin[k];
    for (int64_t i = 0; i < s->count; i++) s->order[s->begin[key(A, i)]++] = i;
}

/* Puts the numbers 0 to count - 1 in a random order: Fisher and Yates, as in Durstenfeld,
 * "Algorithm 235: Random permutation", CACM 7 (1964). */
static void shuffle(int64_t *order, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = (int64_t)(tulle__bits(seed, (uint64_t)i, 0) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

/* The arrays of a COO in host memory. */
typedef struct entries {
    void *rows, *columns, *values;
} entries;

static void put(void *array, bool wide, int64_t at, int64_t number) {
    if (wide) {
        ((int64_t *)array)[at] = number;
    } else {
        ((int32_t *)array)[at] = (int32_t)number;
    }
}

/* Copies entry order[e] of the CSR to entry e of the COO; from has the row of each entry of the
 * CSR. */
static void gather(const tool_csr *A, const int64_t *order, const int64_t *from, entries *to) {
    const bool wide = A->index == TULLE_I64;
#pragma omp parallel for
    for (int64_t e = 0; e < A->nnz; e++) {
        put(to->rows, wide, e, from[order[e]]);
        put(to->columns, wide, e, tool_csr_column(A, order[e]));
        if (A->type == TULLE_F32) {
            ((float *)to->values)[e] = ((const float *)A->values)[order[e]];
        } else {
            ((double *)to->values)[e] = ((const double *)A->values)[order[e]];
        }
    }
}

static tulle_status make_coo(tulle_ctx *ctx, const tool_csr *A, const int64_t *order,
                             tulle_mat **B) {
    const size_t count = (size_t)A->nnz, index = (size_t)tulle_index_size(A->index);
    int64_t *from = tool_alloc(count, sizeof *from);
    entries to = {.rows = tool_alloc(count, index),
                  .columns = tool_alloc(count, index),
                  .values = tool_alloc(count, (size_t)tulle_type_size(A->type))};
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t e = tool_csr_offset(A, i); e < tool_csr_offset(A, i + 1); e++) from[e] = i;
    }
    gather(A, order, from, &to);
    tulle_status status = tulle_mat_create_coo(ctx, A->rows, A->cols, A->nnz, A->index, to.rows,
                                               to.columns, A->type, to.values, NULL, B);
    free(from);
    free(to.rows);
    free(to.columns);
    free(to.values);
    return status;
}

tulle_status paper_arrange_by_columns(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B) {
    tool_csr csr;
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status != TULLE_OK) return status;
    sort s = sort_open(csr.nnz, csr.cols);
    sort_by(&s, tool_csr_column, &csr);
    status = make_coo(ctx, &csr, s.order, B);
    sort_close(&s);
    tool_csr_close(&csr);
    return status;
}

tulle_status paper_arrange_shuffled(tulle_ctx *ctx, const tulle_mat *A, uint64_t seed,
                                    tulle_mat **B) {
    tool_csr csr;
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status != TULLE_OK) return status;
    int64_t *order = tool_alloc((size_t)csr.nnz, sizeof *order);
    shuffle(order, csr.nnz, seed);
    status = make_coo(ctx, &csr, order, B);
    free(order);
    tool_csr_close(&csr);
    return status;
}

/* Returns a key that falls as rows get longer, never below 0: no row has more than all entries. */
static int64_t shortness(const tool_csr *A, int64_t i) {
    return A->nnz - (tool_csr_offset(A, i + 1) - tool_csr_offset(A, i));
}

tulle_status paper_arrange_by_length(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B) {
    tool_csr csr;
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status != TULLE_OK) return status;
    sort s = sort_open(csr.rows, csr.nnz + 1);
    sort_by(&s, shortness, &csr);
    tool_csr_close(&csr);
    tulle_order *P = NULL;
    status = tulle_order_create(ctx, s.count, s.order, &P);
    sort_close(&s);
    if (status == TULLE_OK) status = tulle_mat_permute(ctx, A, P, NULL, B);
    tulle_order_destroy(P);
    return status;
}
