/* SPDX-License-Identifier: Apache-2.0 */
/* A product that cuSPARSE makes in several calls: its operands, C, and what is kept between them.
 */
#ifndef BENCH_PEERS_CUSPARSE_PRODUCT_H
#define BENCH_PEERS_CUSPARSE_PRODUCT_H

#include "lab/peers/cusparse_result.h"

typedef struct cusparse_product {
    cusparse_result result; /* first */
    cusparseConstSpMatDescr_t A, B;
    cusparseSpMatDescr_t C;
    cusparseSpGEMMDescr_t descriptor; /* of the product */
    cusparse_scalar one, zero;
} cusparse_product;

/* op(A) and op(B). */
static const cusparseOperation_t cusparse_as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

/* Describes the operands. What fails is closed by the caller. */
tulle_status cusparse_product_open(const trial_making *making, cusparse_product *product);

/* C without entries, and a descriptor of the product. */
tulle_status cusparse_product_begin(cusparse_product *product);

/* Arrays for the entries of C, whose number the library knows by now. */
tulle_status cusparse_product_entries(cusparse_product *product);

/* drop of a bench_peer_maker, for a task that begins with its product: C goes, and scratch. */
void cusparse_product_drop(void *task);
/* close of one: waits, and frees the task too. */
void cusparse_product_close(void *task);

#endif
