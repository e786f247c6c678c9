/* SPDX-License-Identifier: Apache-2.0 */
/* From CSR to the formats that are laid out row by row. Each has a function for that, in the file
 * of its name, which settles the numbers of its layout, allocates the arrays by
 * tulle__layout_alloc, and fills those that say where slots are; fill_layout then puts the entries
 * there. */
#ifndef TULLE_FORMAT_LAY_OUT_H
#define TULLE_FORMAT_LAY_OUT_H

#include "format/draft.h"
#include "format/functions.h"
#include "format/limits.h"

/* The largest slice that tulle/formats.h allows. */
enum { TULLE__MOST_SLICE = 1024 };

typedef struct tulle__layout_job {
    const char *function; /* the public one */
    tulle_ctx *ctx;
    tulle__pattern_view csr; /* in a forecast it may lack the rows without entries, which the draft
                                has; with the index type of the result; its columns rise where no
                                entry may be repeated */
    const tulle__stats *stats;
    tulle_convert_options options;
    bool forecast; /* the numbers of the layout are all that is wanted, whatever the limits */
    tulle__draft draft;
    void *clipped;   /* HYB, CSR+COO: see layout_offsets in format/functions.h */
    int64_t *places; /* PACKED: see count_codes there */
} tulle__layout_job;

tulle__layout_job tulle__layout_job_for(tulle_ctx *ctx, const char *function,
                                        const tulle__pattern_view *csr, const tulle__stats *stats,
                                        tulle_type type, tulle_format format,
                                        const tulle_convert_options *options);

/* By the function of the job's format. */
tulle_status tulle__lay_out(tulle__layout_job *job);

/* The numbers that a CSR or DCSR pattern would have in any format: one forecast for conversion, for
 * what optimise considers and for tulle info. Limits on padding are for the caller to judge. Waits.
 * TULLE_TOO_LARGE where the numbers pass 64 bits, or where no code reaches; `stored` is INT64_MAX
 * then. TULLE_UNSUPPORTED where the format has no room for repeated entries, or it would cost too
 * much to find out. */
tulle_status tulle__layout_forecast(tulle_ctx *ctx, const char *function,
                                    const tulle__pattern_view *csr, const tulle__stats *stats,
                                    tulle_type type, tulle_format format,
                                    const tulle_convert_options *options, tulle_storage *storage);

/* What follows is for these functions. */
#define F(number, name, traits, numbers, options, check, lay_out, about)                           \
    tulle_status tulle__lay_out_##lay_out(tulle__layout_job *job);
TULLE__EACH_FORMAT(F)
#undef F

/* PACKED: how long its codes are, for rows in an order (NULL: as they are); fills job->places. */
tulle_status tulle__packed_count(tulle__layout_job *job, const void *order);

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

#endif
