/* SPDX-License-Identifier: Apache-2.0 */
/* A product in pieces, for a context whose cap does not let it be made at once: some rows of A,
 * and, where one row takes too much, some columns of B. All pieces are counted, one after the
 * other; then C is made, and each of them goes through the kernel once more, into its place there.
 * Rows know nothing of each other, nor columns, so that C has the same bits. */
#ifndef TULLE_SPGEMM_PIECES_H
#define TULLE_SPGEMM_PIECES_H

#include "spgemm/product.h"

/* The product of a run whose kernel was refused memory by the context's cap; C's arrays are in the
 * run's task, on failure, too. */
tulle_status tulle__spgemm_in_pieces(tulle__spgemm_run *run);

#endif
