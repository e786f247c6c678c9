/* SPDX-License-Identifier: Apache-2.0 */
/* Building matrices: a draft gets arrays, the arrays are filled, and then a matrix owns them. */
#ifndef TULLE_MATRIX_BUILD_H
#define TULLE_MATRIX_BUILD_H

#include "format/draft.h"
#include "format/functions.h"
#include "matrix/functions.h"
#include "matrix/matrix.h"

/* Makes the matrix of a draft; on failure the arrays are freed. stats: statistics of the matrix;
 * NULL: they are computed. */
tulle_status tulle__draft_finish(tulle__draft *draft, const tulle__stats *stats, tulle_mat **A);

/* Does tulle__draft_finish with statistics that the function find fetches. find waits for the
 * context's stream: on a GPU it waits once for all data that the pattern keeps. known: argument
 * of find. */
typedef tulle_status tulle__find_stats(tulle_ctx *ctx, const tulle__pattern_view *view,
                                       const void *known, tulle__stats *stats);
tulle_status tulle__draft_finish_by(tulle__draft *draft, tulle__find_stats *find, const void *known,
                                    tulle_mat **A);

/* Makes a matrix around a pattern, which gets one more owner, and values. On failure the values
 * still belong to the caller. */
tulle_status tulle__mat_around(tulle_ctx *ctx, tulle__pattern *pattern, tulle_type type,
                               const tulle__array *values, tulle_mat **A);

/* Makes a matrix around values and the arrays of a pattern, which are all handed over in the
 * same way (data of way is not looked at). On failure nothing was taken. */
tulle_status tulle__mat_make(tulle_ctx *ctx, const tulle__pattern_view *view, tulle_type type,
                             const tulle__array *way, const tulle__array *values,
                             const tulle__stats *stats, tulle_mat **A);

/* Makes a pattern around arrays; on failure the arrays still belong to the caller. stats:
 * statistics of the pattern; NULL: the caller fills them in and waits for the stream before any
 * other thread has the pattern. */
tulle_status tulle__pattern_make(tulle_ctx *ctx, const tulle__pattern_view *view,
                                 const tulle__array *way, const tulle__stats *stats,
                                 tulle__pattern **pattern);

/* Releases an array of ctx's memory in the way that it was handed over: a copy is freed, an
 * array that was taken goes to the release function of its owner, and nothing happens to a
 * borrowed array. */
void tulle__array_release(tulle_ctx *ctx, tulle__array *array);

/* Checks the public function's arguments: sizes that are not negative and that the index type
 * holds, offsets (CSR) that memory can hold, enums. */
tulle_status tulle__check_sizes(const char *function, int64_t rows, int64_t cols, int64_t nnz,
                                tulle_index index);
tulle_status tulle__check_offsets_fit(const char *function, const tulle_ctx *ctx, int64_t rows,
                                      tulle_index index);
/* Does tulle__check_offsets_fit for an argument of another name. advice: end of the message,
 * which says what the caller may do. */
tulle_status tulle__check_table_fits(const char *function, const char *argument,
                                     const tulle_ctx *ctx, int64_t rows, tulle_index index,
                                     const char *advice);
/* Checks that the products of sizes, and bytes, that any kernel computes fit in 64 bits. */
tulle_status tulle__check_bytes_fit(const char *function, const char *argument, int64_t rows,
                                    int64_t cols, int64_t slots);
tulle_status tulle__check_index(const char *function, tulle_index index);
tulle_status tulle__check_type(const char *function, tulle_type type);
tulle_status tulle__check_space(const char *function, const tulle_ctx *ctx, const tulle_mat *A);
/* Does tulle__check_space for an argument of another name. */
tulle_status tulle__check_space_of(const char *function, const char *name, const tulle_ctx *ctx,
                                   const tulle_mat *A);

/* Checks that the blocks of A, if it has any, are square: triangles, factors and orders of blocks
 * need a diagonal of them. */
tulle_status tulle__check_square_blocks(const char *function, const tulle__pattern *pattern);

/* Returns TULLE_INVALID_MATRIX with a message that names the row or entry at fault, or TULLE_OK. */
tulle_status tulle__check_stats(const char *function, tulle_ctx *ctx,
                                const tulle__pattern_view *view, const tulle__stats *stats,
                                int base);

/* Does tulle__check_stats for faults that check_layout found. */
tulle_status tulle__check_layout_stats(const char *function, const tulle__pattern_view *view,
                                       const tulle__stats *stats, int base);

/* Finds the number of entries and the statistics of a valid layout, by converting it to CSR. */
tulle_status tulle__layout_stats(tulle_ctx *ctx, tulle__pattern_view *view, tulle_type type,
                                 const void *values, tulle__stats *stats);

/* Row and column of each entry of a COO, CSR, CSC or DCSR matrix: A's own arrays, or expanded
 * into scratch that the caller frees. */
typedef struct tulle__places {
    const void *rows_of, *cols_of;
    void *scratch;
} tulle__places;
tulle_status tulle__places_of(tulle_ctx *ctx, const tulle_mat *A, tulle__places *e);

/* Returns true when offsets of all rows would take many times the memory of the entries, and at
 * least 4 GB. Such matrices are loaded as DCSR, and their transposes made as DCSR; all others as
 * CSR, for which there are more kernels and plans. */
static inline bool tulle__is_hypersparse(int64_t rows, int64_t nnz) {
    return rows >= INT64_C(1) << 30 && rows / 16 > nnz;
}

/* Makes a CSR matrix from entries, or a DCSR matrix, for which no array has a place for every
 * row; the outputs of the job need not be set. */
TULLE_API tulle_status tulle__sorted_dcsr(tulle_ctx *ctx, const tulle__coo_to_csr *job,
                                          tulle_mat **A);
TULLE_API tulle_status tulle__sorted_csr(tulle_ctx *ctx, tulle__coo_to_csr *job, tulle_mat **A);

#endif
