/* SPDX-License-Identifier: Apache-2.0 */
/* A product that cuSPARSE makes in several calls: its operands, C, and the state kept between the
 * calls. */
#ifndef BENCH_PEERS_CUSPARSE_PRODUCT_H
#define BENCH_PEERS_CUSPARSE_PRODUCT_H

#include "lab/peers/cusparse_result.h"

typedef struct cusparse_product {
    cusparse_result result; /* must be the first member */
    cusparseConstSpMatDescr_t A, B;
    cusparseSpMatDescr_t C;
    cusparseSpGEMMDescr_t descriptor; /* descriptor of the product */
    cusparse_scalar one, zero;
} cusparse_product;

/* Value of op for A and for B. */
static const cusparseOperation_t cusparse_as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

/* Describes the operands. The caller closes the product after a failure, too. */
tulle_status cusparse_product_open(const trial_making *making, cusparse_product *product);

/* Describes a C without entries, and makes a descriptor of the product. */
tulle_status cusparse_product_begin(cusparse_product *product);

/* Takes arrays for the entries of C, whose number the library knows by now. */
tulle_status cusparse_product_entries(cusparse_product *product);

/* The `drop` of a bench_peer_maker, for a task that begins with its product: frees C and the
 * scratch. */
void cusparse_product_drop(void *task);
/* The `close` of a bench_peer_maker: waits, and frees the task as well. */
void cusparse_product_close(void *task);

#endif
