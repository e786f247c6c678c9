/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a matrix with its entries, or its rows, in another order. */
#ifndef PAPERS_ARRANGE_H
#define PAPERS_ARRANGE_H

#include "tulle/tulle.h"

/* Makes a COO of a CSR matrix whose entries stand column by column, rows ascending in each. */
tulle_status paper_arrange_by_columns(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);

/* Makes a COO of a CSR matrix whose entries stand in a random order; every order is as likely. */
tulle_status paper_arrange_shuffled(tulle_ctx *ctx, const tulle_mat *A, uint64_t seed,
                                    tulle_mat **B);

/* Makes a CSR of a CSR matrix whose rows stand by falling length, rows of one length in their
 * order. The columns stay where they are. */
tulle_status paper_arrange_by_length(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);

#endif
