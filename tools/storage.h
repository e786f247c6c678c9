/* SPDX-License-Identifier: Apache-2.0 */
/* How a matrix would be laid out in each format, by the library's default options
 * (tulle/formats.h), without converting it. */
#ifndef TOOL_STORAGE_H
#define TOOL_STORAGE_H

#include "csr.h"

enum { TOOL_BLOCK_SIZES = 4 };

/* Numbers that would pass 2^63 stand at INT64_MAX. */
typedef struct tool_storages {
    tulle_storage of[TULLE_FORMAT_COUNT]; /* but for BSR */
    tulle_storage bsr[TOOL_BLOCK_SIZES];  /* blocks of 2, 3, 4 and 8 */
    bool diagonals_known;                 /* else the matrix is too wide to count them */
} tool_storages;

/* For a matrix whose columns ascend in every row. Fails with TULLE_CANCELLED alone. */
tulle_status tool_find_storages(const tool_csr *A, const tulle_mat_info *info,
                                tool_storages *storages);

/* The parts of that: by the lengths of the rows, and by where the entries stand. */
/* PACKED, whose slots are those of the SELL that was found. */
void tool_find_packed_storage(const tool_csr *A, tool_storages *storages);
void tool_find_row_storages(const tool_csr *A, const tulle_mat_info *info, tool_storages *storages);
tulle_status tool_find_place_storages(const tool_csr *A, tool_storages *storages);

/* a * b, at most INT64_MAX. */
static inline int64_t tool_times(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* a + b, at most INT64_MAX. */
static inline int64_t tool_plus(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Rows as the padded formats count them: whole warps. */
static inline int64_t tool_stride(int64_t rows) {
    return (rows / 32 + (rows % 32 != 0)) * 32;
}

#endif
