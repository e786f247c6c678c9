/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of the rows of a product, kept by a caller who makes the same product again with other
 * numbers: the product is then made without counting its entries, which takes a quarter of the
 * time. A length is one byte; a product with a longer row has none. On a GPU the ways in which rows
 * are made are kept, too, a byte a row, so that the operands are not looked at before sums are
 * computed, which takes a tenth of the time, and nothing waits. */
#ifndef TULLE_SPGEMM_LENGTHS_H
#define TULLE_SPGEMM_LENGTHS_H

#include "core/context.h"
#include "spgemm/spgemm.h"
#include "tulle/matrix.h"

/* Lengths of the rows of one product. All zeros: none are known. */
typedef struct tulle__spgemm_lengths {
    tulle_ctx *ctx; /* context of the memory; owned once there is memory */
    int64_t *unfit; /* owned, in the place's memory: 1 where a row is longer than a byte can say,
                       else 0; and behind it the lengths, a byte each; NULL: none are known */
    int64_t rows;
    tulle__spgemm_ways ways; /* rows owned; NULL: there are none */
    int64_t ways_rows;       /* number of bytes of them */
    bool looked;             /* true when *unfit is known to be 0 */
    bool none;               /* true when it is known to be 1: no lengths are kept, now and later */
} tulle__spgemm_lengths;

/* Takes the lengths of C's rows, C in CSR. Queues work. */
tulle_status tulle__spgemm_lengths_take(tulle_ctx *ctx, const tulle_mat *C,
                                        tulle__spgemm_lengths *lengths);

/* Finds the lengths, in the place's memory; *known NULL: there are none. The first call for some
 * lengths waits. */
tulle_status tulle__spgemm_lengths_of(tulle_ctx *ctx, tulle__spgemm_lengths *lengths,
                                      const uint8_t **known);

/* Finds the ways of a product of so many rows, or memory for them; *ways NULL: the place or the
 * product has none. */
tulle_status tulle__spgemm_ways_of(tulle_ctx *ctx, tulle__spgemm_lengths *lengths, int64_t rows,
                                   tulle__spgemm_ways **ways);

void tulle__spgemm_lengths_drop(tulle__spgemm_lengths *lengths);

/* Returns the number of bytes of the lengths and ways. */
int64_t tulle__spgemm_lengths_bytes(const tulle__spgemm_lengths *lengths);

#endif
