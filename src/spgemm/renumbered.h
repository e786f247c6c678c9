/* SPDX-License-Identifier: Apache-2.0 */
/* Products of hypersparse matrices: those of their rows and columns that have entries. */
#ifndef TULLE_SPGEMM_RENUMBERED_H
#define TULLE_SPGEMM_RENUMBERED_H

#include "matrix/renumber.h"
#include "spgemm/call.h"

enum { TULLE__SPGEMM_OPERANDS_AND_D = 3 };

/* The rows of C, its columns, and those of A that rows of B meet. Of a triple product rows are its
 * columns, too, since C is square. */
typedef struct tulle__spgemm_axes {
    const tulle__spgemm_call *call;
    bool triple;
    tulle__axis rows, cols, inner;
    tulle__axes_of of[TULLE__SPGEMM_OPERANDS_AND_D]; /* A, B or P, D */
} tulle__spgemm_axes;

/* Whether some of them are renumbered; x is for the functions below then, and points to itself. */
bool tulle__spgemm_find_axes(const tulle__spgemm_call *call, const tulle_spgemm_options *options,
                             tulle__spgemm_axes *x);
bool tulle__spgemm_triple_axes(const tulle__spgemm_call *call, const tulle_spgemm_options *options,
                               tulle__spgemm_axes *x);

/* The call of matrices whose rows and columns all have tables. after: rows that C gets back their
 * numbers of when it is made; NULL: it has them. */
tulle_status tulle__spgemm_ordinary(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                                    const tulle_spgemm_options *options, const tulle__axis *after,
                                    tulle_spgemm_report *report, tulle_mat **C);
tulle_status tulle__spgemm_ordinary_triple(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                           tulle_scalar alpha, const tulle_spgemm_options *options,
                                           const tulle__axis *after, tulle_spgemm_report *report,
                                           tulle_mat **C);

/* The same of matrices with new numbers. */
tulle_status tulle__spgemm_renumbered(tulle_ctx *ctx, tulle_scalar alpha, tulle__spgemm_axes *x,
                                      const tulle_spgemm_options *options,
                                      tulle_spgemm_report *report, tulle_mat **C);
tulle_status tulle__spgemm_renumbered_forecast(tulle_ctx *ctx, tulle__spgemm_axes *x,
                                               const tulle_spgemm_options *options,
                                               tulle_spgemm_bounds *bounds);

#endif
