/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a matrix that is being made, from the context's pool. */
#ifndef TULLE_FORMAT_DRAFT_H
#define TULLE_FORMAT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/context.h"
#include "format/formats.h"

/* A matrix that is being made: its numbers, and its arrays from the context's pool; arrays that the
 * format lacks are NULL. */
typedef struct tulle__draft {
    tulle_ctx *ctx;
    int64_t rows, cols, nnz;
    tulle_format format;
    tulle_index index;
    tulle_type type;
    /* numbers of the layout; tulle__draft_alloc sets them for COO, CSR and CSC */
    tulle_storage storage;
    /* true when the arrays are freed at about the same time; small ones then share a block */
    bool together;
    tulle__pattern_arrays arrays;
    void *values;
} tulle__draft;

/* tulle__array_at returns the member for array number k of a pattern; the other functions return
 * its number of elements, and their size. */
void **tulle__array_at(tulle__pattern_arrays *arrays, int k);
const void **tulle__view_array(tulle__pattern_view *view, int k);
int64_t tulle__array_count(const tulle_mat_lengths *n, int k);
int64_t tulle__array_item(tulle_index index, int k);

/* Allocates the arrays; after a failure none is left. */
tulle_status tulle__draft_alloc(tulle__draft *draft);
void tulle__draft_free(tulle__draft *draft);
tulle__pattern_view tulle__draft_view(const tulle__draft *draft);

/* Returns the bytes of count items, for sizes that were checked when the arrays were made. */
static inline size_t tulle__bytes(int64_t count, int64_t size) {
    return (size_t)(count * size);
}

/* Checks that the numbers of a layout that a caller gives fit each other and the shape. Numbers and
 * arrays that the format lacks become 0 and NULL. */
tulle_status tulle__check_storage(const char *function, tulle__pattern_view *view);

#endif
