/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between formats, for the library's own use. */
#ifndef TULLE_MATRIX_REFORMAT_H
#define TULLE_MATRIX_REFORMAT_H

#include "matrix/build.h"

/* Makes a CSR of A in the index type. Its entries are in the order of their rows, or sorted,
 * with repeated entries added up. If A is such a CSR already it gets one more owner instead. */
tulle_status tulle__as_csr(tulle_ctx *ctx, const tulle_mat *A, tulle_index index, bool sum,
                           tulle_mat **csr);
/* Makes a CSR of a matrix in a format that format/slots.h can walk. */
tulle_status tulle__walk_to_csr(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **csr);

/* tulle_mat_convert_with, for a public function. clipped, unless it is NULL, becomes the table
 * by which new values find their slots (HYB, CSR+COO), which the caller frees; for other formats
 * NULL. */
tulle_status tulle__convert(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                            tulle_format format, tulle_index index,
                            const tulle_convert_options *options, void **clipped, tulle_mat **B);

/* Converts A, which is in any format, to one of the other formats than COO and CSR; clipped is
 * as of tulle__convert. */
tulle_status tulle__to_layout(tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              tulle_format format, tulle_index index,
                              const tulle_convert_options *options, void **clipped, tulle_mat **B);

#endif
