/* SPDX-License-Identifier: Apache-2.0 */
/* Products of hypersparse matrices, by way of matrices of the rows and columns that have
 * entries. */
#ifndef TULLE_SPGEMM_RENUMBERED_H
#define TULLE_SPGEMM_RENUMBERED_H

#include "matrix/renumber.h"
#include "spgemm/call.h"

/* The matrices that a call is given: A, B or P, D, and the mask. */
enum { TULLE__SPGEMM_GIVEN = 4 };

/* The axes of a call are the rows of C, its columns, and the columns of A that meet rows of B. In a
 * triple product the axis of rows is that of columns, too, since C is square. */
typedef struct tulle__spgemm_axes {
    const tulle__spgemm_call *call;
    bool triple;
    tulle__axis rows, cols, inner;
    tulle__axes_of of[TULLE__SPGEMM_GIVEN]; /* the given matrices with their axes */
} tulle__spgemm_axes;

/* Both functions return true when some axes are renumbered. Then *x is an argument of the functions
 * below; *x must not be copied, because it has pointers into itself. */
bool tulle__spgemm_find_axes(const tulle__spgemm_call *call, const tulle_spgemm_options *options,
                             tulle__spgemm_axes *x);
bool tulle__spgemm_triple_axes(const tulle__spgemm_call *call, const tulle_spgemm_options *options,
                               tulle__spgemm_axes *x);

/* Make the product of matrices whose rows and columns all have tables. after: axis by which C's
 * rows get back their old indices; NULL: they have them. */
tulle_status tulle__spgemm_ordinary(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                                    const tulle_spgemm_options *options, const tulle__axis *after,
                                    tulle_spgemm_report *report, tulle_mat **C);
tulle_status tulle__spgemm_ordinary_triple(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                           tulle_scalar alpha, const tulle_spgemm_options *options,
                                           const tulle__axis *after, tulle_spgemm_report *report,
                                           tulle_mat **C);

/* Make, or forecast, the product by way of matrices with new indices. */
tulle_status tulle__spgemm_renumbered(tulle_ctx *ctx, tulle_scalar alpha, tulle__spgemm_axes *x,
                                      const tulle_spgemm_options *options,
                                      tulle_spgemm_report *report, tulle_mat **C);
tulle_status tulle__spgemm_renumbered_forecast(tulle_ctx *ctx, tulle__spgemm_axes *x,
                                               const tulle_spgemm_options *options,
                                               tulle_spgemm_bounds *bounds);

#endif
