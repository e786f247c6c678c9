/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a matrix in the making, from the context's pool. */
#ifndef TULLE_FORMAT_DRAFT_H
#define TULLE_FORMAT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/context.h"
#include "format/formats.h"

/* The arrays of a matrix to be, from the context's pool; those that the format lacks are NULL. */
typedef struct tulle__draft {
    tulle_ctx *ctx;
    int64_t rows, cols, nnz;
    tulle_format format;
    tulle_index index;
    tulle_type type;
    tulle_storage storage; /* filled by tulle__draft_alloc for COO, CSR and CSC */
    bool together; /* arrays that are freed at about the same time: small ones share a block */
    tulle__pattern_arrays arrays;
    void *values;
} tulle__draft;

/* Array number k of a pattern: where it is noted, how many elements it has, and their size. */
void **tulle__array_at(tulle__pattern_arrays *arrays, int k);
const void **tulle__view_array(tulle__pattern_view *view, int k);
int64_t tulle__array_count(const tulle_mat_lengths *n, int k);
int64_t tulle__array_item(tulle_index index, int k);

/* Allocates the arrays; on failure none is left. */
tulle_status tulle__draft_alloc(tulle__draft *draft);
void tulle__draft_free(tulle__draft *draft);
tulle__pattern_view tulle__draft_view(const tulle__draft *draft);

/* Bytes of count items; for sizes that were checked when the arrays were made. */
static inline size_t tulle__bytes(int64_t count, int64_t size) {
    return (size_t)(count * size);
}

/* Numbers of a layout, given by a caller, that fit each other and the shape; those that the format
 * does not have become 0, and so do its arrays. */
tulle_status tulle__check_storage(const char *function, tulle__pattern_view *view);

#endif
