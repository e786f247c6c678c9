/* SPDX-License-Identifier: Apache-2.0 */
/* Converts CSR to the formats that are laid out row by row. Each format has a function for that, in
 * the .c file with its name, which computes the numbers of the layout, allocates the arrays with
 * tulle__layout_alloc, and fills the arrays that determine the slots; fill_layout then moves the
 * entries into their slots. */
#ifndef TULLE_FORMAT_LAY_OUT_H
#define TULLE_FORMAT_LAY_OUT_H

#include "format/draft.h"
#include "format/functions.h"
#include "format/limits.h"

/* Largest slice that tulle/formats.h allows. */
enum { TULLE__MOST_SLICE = 1024 };

typedef struct tulle__layout_job {
    const char *function; /* name of the public function, for errors */
    tulle_ctx *ctx;
    /* pattern to be laid out, with the index type of the result; its columns ascend where no entry
     * may be repeated. In a forecast it may lack the rows without entries, which the draft has */
    tulle__pattern_view csr;
    const tulle__stats *stats;
    tulle_convert_options options;
    bool forecast; /* true when only the numbers of the layout are wanted, whatever the limits */
    tulle__draft draft;
    void *clipped;   /* HYB, CSR+COO: see layout_offsets in format/functions.h */
    int64_t *places; /* PACKED: see count_codes in format/functions.h */
} tulle__layout_job;

tulle__layout_job tulle__layout_job_for(tulle_ctx *ctx, const char *function,
                                        const tulle__pattern_view *csr, const tulle__stats *stats,
                                        tulle_type type, tulle_format format,
                                        const tulle_convert_options *options);

/* Lays a matrix out with the function of the job's format. */
tulle_status tulle__lay_out(tulle__layout_job *job);

/* Computes the numbers that a CSR or DCSR pattern would have in a format; conversion, optimisation
 * and tulle info all use this forecast. The caller compares them with the limits on padding. Waits
 * for the device. Fails with TULLE_TOO_LARGE if a number does not fit in 64 bits, or if a column is
 * too far for all codes; `stored` is INT64_MAX then. Fails with TULLE_UNSUPPORTED if the format
 * cannot hold repeated entries, or if finding the numbers would cost too much. */
tulle_status tulle__layout_forecast(tulle_ctx *ctx, const char *function,
                                    const tulle__pattern_view *csr, const tulle__stats *stats,
                                    tulle_type type, tulle_format format,
                                    const tulle_convert_options *options, tulle_storage *storage);

/* The function of each format, and below the functions that these call. */
#define F(number, name, traits, numbers, options, check, lay_out, about)                           \
    tulle_status tulle__lay_out_##lay_out(tulle__layout_job *job);
TULLE__EACH_FORMAT(F)
#undef F

/* PACKED: computes the length of the codes for rows in an order (NULL: as they are); fills
 * job->places. */
tulle_status tulle__packed_count(tulle__layout_job *job, const void *order);

/* Checks the numbers of the draft against the limits and, unless the job is a forecast, allocates
 * the arrays: columns are -1, values and mask are 0. */
tulle_status tulle__layout_alloc(tulle__layout_job *job);

/* Fails if so many slots exceed a limit. */
tulle_status tulle__layout_fits(const tulle__layout_job *job, int64_t slots);

/* Returns true when so many slots are within the limits. */
bool tulle__layout_holds(const tulle__layout_job *job, int64_t slots);

/* Makes an array with the rows by falling length within windows, which the caller frees. */
tulle_status tulle__layout_order(tulle__layout_job *job, int64_t window, void **order);

/* Gets the number of entries of the row at position p; waits for the device. */
tulle_status tulle__length_at(tulle__layout_job *job, const void *order, int64_t p,
                              int64_t *length);

/* Computes layout_offsets in 64 bits for the draft's numbers and an order; the caller frees the
 * array. */
tulle_status tulle__wide_offsets(tulle__layout_job *job, int64_t count, const void *order,
                                 int64_t **offsets, int64_t *last);

/* Copies offsets of tulle__wide_offsets into the draft's offsets. */
tulle_status tulle__keep_offsets(tulle__layout_job *job, const int64_t *wide, int64_t count);

/* Computes a * b slots; fails with TULLE_TOO_LARGE if the product does not fit in 64 bits. */
tulle_status tulle__slots(const tulle__layout_job *job, int64_t a, int64_t b, int64_t *slots);

#endif
