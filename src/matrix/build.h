/* SPDX-License-Identifier: Apache-2.0 */
/* Building matrices: arrays are drafted, filled, and then owned by a matrix. */
#ifndef TULLE_MATRIX_BUILD_H
#define TULLE_MATRIX_BUILD_H

#include "format/draft.h"
#include "format/functions.h"
#include "matrix/functions.h"
#include "matrix/matrix.h"

/* Makes the matrix; on failure the arrays are freed. stats: NULL to compute them. */
tulle_status tulle__draft_finish(tulle__draft *draft, const tulle__stats *stats, tulle_mat **A);

/* tulle__draft_finish with statistics that find fetches, which waits for the context's stream:
 * on a GPU for all that the pattern keeps at once. known: handed to find. */
typedef tulle_status tulle__find_stats(tulle_ctx *ctx, const tulle__pattern_view *view,
                                       const void *known, tulle__stats *stats);
tulle_status tulle__draft_finish_by(tulle__draft *draft, tulle__find_stats *find, const void *known,
                                    tulle_mat **A);

/* Makes a matrix around a pattern (one more owner) and values. On failure nothing was taken. */
tulle_status tulle__mat_around(tulle_ctx *ctx, tulle__pattern *pattern, tulle_type type,
                               const tulle__array *values, tulle_mat **A);

/* Makes a matrix around values and the arrays of a pattern, which are all handed over in the
 * same way (data of way is not looked at). On failure nothing was taken. */
tulle_status tulle__mat_make(tulle_ctx *ctx, const tulle__pattern_view *view, tulle_type type,
                             const tulle__array *way, const tulle__array *values,
                             const tulle__stats *stats, tulle_mat **A);

/* Makes a pattern around arrays; on failure nothing was taken. stats: NULL where the caller
 * fills them in and waits for the stream, before anybody else has the pattern. */
tulle_status tulle__pattern_make(tulle_ctx *ctx, const tulle__pattern_view *view,
                                 const tulle__array *way, const tulle__stats *stats,
                                 tulle__pattern **pattern);

/* Lets go of an array in the way that it was handed over; it lives in ctx's memory. */
void tulle__array_release(tulle_ctx *ctx, tulle__array *array);

/* Checks the public function's arguments: sizes that are not negative and that the index type
 * holds, offsets (CSR) that memory can hold, enums. */
tulle_status tulle__check_sizes(const char *function, int64_t rows, int64_t cols, int64_t nnz,
                                tulle_index index);
tulle_status tulle__check_offsets_fit(const char *function, const tulle_ctx *ctx, int64_t rows,
                                      tulle_index index);
/* tulle__check_offsets_fit for an argument of another name, with the caller's own advice. */
tulle_status tulle__check_table_fits(const char *function, const char *argument,
                                     const tulle_ctx *ctx, int64_t rows, tulle_index index,
                                     const char *advice);
/* Checks that products of sizes and bytes fit in 64 bits, whatever a kernel counts. */
tulle_status tulle__check_bytes_fit(const char *function, const char *argument, int64_t rows,
                                    int64_t cols, int64_t slots);
tulle_status tulle__check_index(const char *function, tulle_index index);
tulle_status tulle__check_type(const char *function, tulle_type type);
tulle_status tulle__check_space(const char *function, const tulle_ctx *ctx, const tulle_mat *A);
/* tulle__check_space for an argument of another name. */
tulle_status tulle__check_space_of(const char *function, const char *name, const tulle_ctx *ctx,
                                   const tulle_mat *A);

/* Returns TULLE_INVALID_MATRIX with a message that names the row or entry at fault, or TULLE_OK. */
tulle_status tulle__check_stats(const char *function, tulle_ctx *ctx,
                                const tulle__pattern_view *view, const tulle__stats *stats,
                                int base);

/* tulle__check_stats for faults that check_layout found. */
tulle_status tulle__check_layout_stats(const char *function, const tulle__pattern_view *view,
                                       const tulle__stats *stats, int base);

/* Finds the entries and the statistics of a valid layout, by way of its CSR. */
tulle_status tulle__layout_stats(tulle_ctx *ctx, tulle__pattern_view *view, tulle_type type,
                                 const void *values, tulle__stats *stats);

/* Row and column of each entry of a COO, CSR, CSC or DCSR matrix: A's own arrays, or expanded
 * into scratch that the caller frees. */
typedef struct tulle__places {
    const void *rows_of, *cols_of;
    void *scratch;
} tulle__places;
tulle_status tulle__places_of(tulle_ctx *ctx, const tulle_mat *A, tulle__places *e);

/* True when offsets of all rows would take many times the memory of the entries, and at least 4
 * GB: such matrices are loaded, and their transposes made, as DCSR; others as CSR, of which
 * there are more kernels and plans. */
static inline bool tulle__is_hypersparse(int64_t rows, int64_t nnz) {
    return rows >= INT64_C(1) << 30 && rows / 16 > nnz;
}

/* Makes a CSR matrix from entries, or a DCSR matrix, for which no array has a place for every
 * row; the outputs of the job need not be set. */
TULLE_API tulle_status tulle__sorted_dcsr(tulle_ctx *ctx, const tulle__coo_to_csr *job,
                                          tulle_mat **A);
TULLE_API tulle_status tulle__sorted_csr(tulle_ctx *ctx, tulle__coo_to_csr *job, tulle_mat **A);

#endif
