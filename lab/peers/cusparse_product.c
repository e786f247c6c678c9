/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cusparse_product.h"

#include <stdlib.h>

tulle_status cusparse_product_open(const trial_making *making, cusparse_product *product) {
    *product = (cusparse_product){.one = cusparse_number(making->a.type, 1),
                                  .zero = cusparse_number(making->a.type, 0)};
    tulle_status status =
        cusparse_result_open(making, making->a.rows, making->b.cols, &product->result);
    if (status == TULLE_OK) status = cusparse_describe_csr(making->A, &product->A);
    if (status == TULLE_OK) status = cusparse_describe_csr(making->B, &product->B);
    return status;
}

tulle_status cusparse_product_begin(cusparse_product *product) {
    cusparse_result *c = &product->result;
    tulle_status status = cusparse_result_offsets(c);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateCsr, &product->C, c->rows, c->cols, 0, c->offsets, NULL, NULL,
                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, c->data_type);
    CUSPARSE_TRY(cusparseSpGEMM_createDescr, &product->descriptor);
    return TULLE_OK;
}

tulle_status cusparse_product_entries(cusparse_product *product) {
    cusparse_result *c = &product->result;
    int64_t rows = 0, cols = 0, nnz = 0;
    CUSPARSE_TRY(cusparseSpMatGetSize, product->C, &rows, &cols, &nnz);
    tulle_status status = cusparse_result_entries(c, nnz);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCsrSetPointers, product->C, c->offsets, c->columns, c->values);
    return TULLE_OK;
}

void cusparse_product_drop(void *task) {
    cusparse_product *product = task;
    if (product->descriptor) cusparse.cusparseSpGEMM_destroyDescr(product->descriptor);
    if (product->C) cusparse.cusparseDestroySpMat(product->C);
    product->descriptor = NULL;
    product->C = NULL;
    cusparse_result_drop(&product->result);
}

void cusparse_product_close(void *task) {
    cusparse_product *product = task;
    (void)tulle_ctx_synchronize(product->result.ctx);
    cusparse_product_drop(product);
    if (product->B) cusparse.cusparseDestroySpMat(product->B);
    if (product->A) cusparse.cusparseDestroySpMat(product->A);
    cusparse_result_close(&product->result);
    free(product);
}

#endif
