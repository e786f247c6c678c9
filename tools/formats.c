/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

static double coo_bytes(const tulle_mat_info *matrix, tulle_index index) {
    return 2.0 * (double)matrix->nnz * (double)tulle_index_size(index);
}

static double csr_bytes(const tulle_mat_info *matrix, tulle_index index) {
    return ((double)matrix->rows + 1) * (double)tulle_offset_size(index) +
           (double)matrix->nnz * (double)tulle_index_size(index);
}

static bool fits_32_bits(const tulle_mat_info *matrix) {
    return matrix->rows <= INT32_MAX && matrix->cols <= INT32_MAX;
}

static bool fits_32_bit_offsets(const tulle_mat_info *matrix) {
    return fits_32_bits(matrix) && matrix->nnz <= INT32_MAX;
}

static bool fits_64_bits(const tulle_mat_info *matrix) {
    (void)matrix;
    return true;
}

const tool_format tool_formats[] = {
    {"coo", TULLE_I64_I32, "32", coo_bytes, fits_32_bits},
    {"coo", TULLE_I64, "64", coo_bytes, fits_64_bits},
    {"csr", TULLE_I32, "32/32", csr_bytes, fits_32_bit_offsets},
    {"csr", TULLE_I64_I32, "64/32", csr_bytes, fits_32_bits},
    {"csr", TULLE_I64, "64/64", csr_bytes, fits_64_bits},
};

const int tool_format_count = sizeof tool_formats / sizeof *tool_formats;

double tool_format_bytes(const tool_format *format, const tulle_mat_info *matrix, tulle_type type) {
    return format->pattern_bytes(matrix, format->index) +
           (double)matrix->nnz * (double)tulle_type_size(type);
}
