/* SPDX-License-Identifier: Apache-2.0 */
/* Byte counts that kernels share. */
#ifndef TULLE_SPMV_BYTES_H
#define TULLE_SPMV_BYTES_H

#include "core/access.h"
#include "format/formats.h"
#include "spmv/spmv.h"

/* Number that stands for counts of bytes that 64 bits might not hold; sums with a few of it stay
 * below 2^63. */
#define TULLE__UNCOUNTED (INT64_MAX / 8)

/* Microseconds that a kernel of a GPU costs before it has done anything. */
#define TULLE__LAUNCH_US 2.5

/* True when the vectors and the slots of a product can be counted in bytes, each slot once for
 * every vector. A hypersparse matrix may have more columns than that. */
static inline bool tulle__spmv_countable(const tulle__spmv_shape *s) {
    double numbers = (double)s->rows + (double)s->cols + (double)s->storage->stored;
    return numbers * (double)s->vectors < (double)(INT64_MAX / 64);
}

/* Bytes of one of the matrix's values. */
static inline int64_t tulle__spmv_value_size(const tulle__spmv_shape *s) {
    return tulle_type_size(tulle__stored_type(s->values));
}

/* Bytes moved when each input is read once, each output written once, and read once more unless
 * beta is 0. */
static inline int64_t tulle__spmv_minimal_bytes(const tulle__spmv_shape *s, bool beta_zero) {
    if (!tulle__spmv_countable(s)) return TULLE__UNCOUNTED;
    int64_t value = tulle_type_size(s->type);
    tulle_mat_lengths n = tulle__counts(s->format, s->rows, s->cols, s->storage);
    int64_t y = s->trans == TULLE_N ? s->rows : s->cols;
    return tulle__structure_bytes(&n, s->index) + n.values * tulle__spmv_value_size(s) +
           (s->rows + s->cols + (beta_zero ? 0 : y)) * s->vectors * value;
}

/* Bytes that a CSR kernel loads and stores when every entry fetches its number of x (A x) or
 * updates its number of y (A^T x: one load and one store) for itself. */
static inline int64_t tulle__spmv_csr_bytes(const tulle__spmv_shape *s, bool beta_zero) {
    if (!tulle__spmv_countable(s)) return TULLE__UNCOUNTED;
    int64_t value = tulle_type_size(s->type);
    int64_t matrix = (s->rows + 1) * tulle_offset_size(s->index) +
                     s->nnz * (tulle_index_size(s->index) + tulle__spmv_value_size(s));
    if (s->trans == TULLE_N) return matrix + (s->nnz + (beta_zero ? 1 : 2) * s->rows) * value;
    return matrix + (s->rows + 2 * s->nnz + (beta_zero ? 1 : 2) * s->cols) * value;
}

/* Bytes that a DCSR kernel loads and stores: every row that has entries updates its number of y,
 * or fetches its number of x. */
static inline int64_t tulle__spmv_dcsr_bytes(const tulle__spmv_shape *s, const int *params,
                                             bool beta_zero) {
    (void)params;
    if (!tulle__spmv_countable(s)) return TULLE__UNCOUNTED;
    bool forward = s->trans == TULLE_N;
    int64_t heads = s->storage->heads, y = forward ? s->rows : s->cols;
    int64_t touched = forward ? s->nnz + 2 * heads : heads + 2 * s->nnz;
    tulle_mat_lengths n = tulle__counts(s->format, s->rows, s->cols, s->storage);
    return tulle__structure_bytes(&n, s->index) + s->nnz * tulle__spmv_value_size(s) +
           (touched + (beta_zero ? 1 : 2) * y) * tulle_type_size(s->type);
}

/* Bytes that a copy moves in a microsecond, for models. An H200 with 132 multiprocessors copies
 * 4.3 TB/s, 32.6 kB a microsecond and multiprocessor; a CPU of a few cores 20 GB/s. */
static inline double tulle__bytes_a_microsecond(const tulle_device_info *device) {
    return device->multiprocessors > 0 ? 32.6e3 * device->multiprocessors : 20e3;
}

#endif
