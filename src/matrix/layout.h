/* SPDX-License-Identifier: Apache-2.0 */
/* From CSR to the other formats. Each format has a planner, in the file of its name, that settles
 * the numbers of its layout, allocates the arrays by tulle__layout_alloc, and fills those that say
 * where slots are; to_layout.c then puts the entries there. */
#ifndef TULLE_MATRIX_LAYOUT_H
#define TULLE_MATRIX_LAYOUT_H

#include "matrix/build.h"

/* The largest slice that tulle/formats.h allows. */
enum { TULLE__MOST_SLICE = 1024 };

typedef struct tulle__layout_job {
    const char *function;
    tulle_ctx *ctx;
    const tulle_mat *csr; /* with the index type of the result, sorted and repeated entries summed
                             where the format needs it */
    tulle_convert_options options;
    bool forecast; /* the numbers of the layout are all that is wanted */
    tulle__draft draft;
    /* to_layout.c's: */
    void *clipped;   /* HYB, CSR+COO: see layout_offsets in core/backend.h */
    int64_t *places; /* PACKED: see count_codes there */
} tulle__layout_job;

tulle_status tulle__plan_ell(tulle__layout_job *job); /* and ELL-R */
tulle_status tulle__plan_sell(tulle__layout_job *job);
tulle_status tulle__plan_hyb(tulle__layout_job *job); /* and CSR+COO */
tulle_status tulle__plan_jds(tulle__layout_job *job); /* and JDS-ELL */
tulle_status tulle__plan_dia(tulle__layout_job *job);
tulle_status tulle__plan_bsr(tulle__layout_job *job);
tulle_status tulle__plan_packed(tulle__layout_job *job);

/* PACKED: how long its codes are, for rows in an order (NULL: as they are); fills job->places. */
tulle_status tulle__packed_count(tulle__layout_job *job, const void *order);

/* A as CSR in the index type, its entries in the order of their rows; or sorted and summed. A
 * itself, one more owner, where it is that. */
tulle_status tulle__as_csr(tulle_ctx *ctx, const tulle_mat *A, tulle_index index, bool sum,
                           tulle_mat **csr);
/* The same for a format that walk.h can walk. */
tulle_status tulle__walk_to_csr(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **csr);

/* tulle_mat_convert_with, for a public function. clipped, unless it is NULL, becomes what new
 * values need to find their slots (HYB, CSR+COO), which the caller frees; else NULL. */
tulle_status tulle__convert(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                            tulle_format format, tulle_index index,
                            const tulle_convert_options *options, void **clipped, tulle_mat **B);

/* A, which is in any format, in one of the other formats than COO and CSR; clipped as above. */
tulle_status tulle__to_layout(tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              tulle_format format, tulle_index index,
                              const tulle_convert_options *options, void **clipped, tulle_mat **B);

/* The CSR of the job. */
const tulle__pattern *tulle__job_csr(const tulle__layout_job *job);

/* The numbers of that layout, without its arrays, for a CSR pattern (DIA and BSR: with columns that
 * rise in every row) and values of the type; TULLE_TOO_LARGE where a limit is passed. May wait. */
tulle_status tulle__layout_forecast(tulle_ctx *ctx, const char *function, tulle__pattern *csr,
                                    tulle_type type, tulle_format format,
                                    const tulle_convert_options *options, tulle_storage *storage);

/* Checks the numbers of the draft against the limits and, unless they are all that is wanted,
 * allocates its arrays: cols all -1, values and mask all 0. */
tulle_status tulle__layout_alloc(tulle__layout_job *job);

/* Refuses a layout of so many slots where that passes a limit. */
tulle_status tulle__layout_fits(const tulle__layout_job *job, int64_t slots);

/* Whether they are within the limits. */
bool tulle__layout_holds(const tulle__layout_job *job, int64_t slots);

/* order := the rows by falling length within windows; the array belongs to the caller. */
tulle_status tulle__layout_order(tulle__layout_job *job, int64_t window, void **order);

/* How many entries the row at position p has; waits. */
tulle_status tulle__length_at(tulle__layout_job *job, const void *order, int64_t p,
                              int64_t *length);

/* layout_offsets in 64 bits, for the draft's numbers and an order; the caller frees them. */
tulle_status tulle__wide_offsets(tulle__layout_job *job, int64_t count, const void *order,
                                 int64_t **offsets, int64_t *last);

/* Puts such offsets into the draft's. */
tulle_status tulle__keep_offsets(tulle__layout_job *job, const int64_t *wide, int64_t count);

/* a * b, or TULLE_TOO_LARGE. */
tulle_status tulle__slots(const tulle__layout_job *job, int64_t a, int64_t b, int64_t *slots);

/* rows rounded up to whole warps, so that neighbouring diagonals and slots are aligned. */
static inline int64_t tulle__stride_of(int64_t rows) {
    return tulle__ceil_div(rows, 32) * 32;
}

#endif
