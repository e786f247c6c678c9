/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/range.h"

#include <math.h>

#include "core/error.h"
#include "core/search.h"
#include "matrix/matrix.h"

/* A CSR or DCSR matrix in host memory. */
typedef struct matrix {
    tulle_mat_info info;
    tulle_mat_arrays arrays;
    int64_t heads; /* number of rows that have offsets */
    int threads;
} matrix;

static tulle_status look_at(const tulle_mat *A, matrix *m) {
    TULLE__TRY(tulle_mat_describe(A, &m->info));
    TULLE__TRY(tulle_mat_view(A, &m->arrays));
    m->heads = m->info.format == TULLE_DCSR ? A->pattern->storage.heads : m->info.rows;
    m->threads = A->ctx->place.threads;
    return TULLE_OK;
}

static double value_of(const matrix *m, int64_t k) {
    return m->info.type == TULLE_F32 ? (double)((const float *)m->arrays.values)[k]
                                     : ((const double *)m->arrays.values)[k];
}

static int64_t number_at(const void *numbers, bool wide, int64_t i) {
    return wide ? ((const int64_t *)numbers)[i] : ((const int32_t *)numbers)[i];
}

static int64_t row_of(const matrix *m, int64_t k) {
    const bool wide_offsets = m->info.index != TULLE_I32;
    int64_t behind = 0;
    TULLE__LOWER_BOUND(behind, m->heads, p, number_at(m->arrays.offsets, wide_offsets, p) <= k);
    if (!m->arrays.order) return behind - 1;
    return number_at(m->arrays.order, m->info.index == TULLE_I64, behind - 1);
}

static tulle_status too_large(const char *name, const matrix *m, int64_t k, const char *what,
                              tulle_type type) {
    return tulle__fail_file(
        TULLE_PARSE_ERROR, name, 0, "%s in row %lld, column %lld (from 1) is too large for %s%s",
        what, (long long)row_of(m, k) + 1,
        (long long)number_at(m->arrays.cols, m->info.index == TULLE_I64, k) + 1,
        type == TULLE_F32 ? "f32" : "f64", type == TULLE_F32 ? "; read it as f64" : "");
}

tulle_status tulle__check_sums(const char *name, const tulle_mat *A) {
    matrix m;
    TULLE__TRY(look_at(A, &m));
    int64_t first = m.info.nnz;
#pragma omp parallel for num_threads(m.threads) reduction(min : first)
    for (int64_t k = 0; k < m.info.nnz; k++) {
        if (isinf(value_of(&m, k)) && k < first) first = k;
    }
    if (first == m.info.nnz) return TULLE_OK;
    return too_large(name, &m, first, "the sum of the entries", m.info.type);
}

/* Checks a matrix in CSR or DCSR. */
static tulle_status check_rows(const char *name, const tulle_mat *A) {
    matrix m;
    TULLE__TRY(look_at(A, &m));
    const double *values = m.arrays.values;
    int64_t first = m.info.nnz;
#pragma omp parallel for num_threads(m.threads) reduction(min : first)
    for (int64_t k = 0; k < m.info.nnz; k++) {
        if (isfinite(values[k]) && isinf((float)values[k]) && k < first) first = k;
    }
    return first == m.info.nnz ? TULLE_OK : too_large(name, &m, first, "the entry", TULLE_F32);
}

/* Blocks are checked row by row, because the numbers of their padding are not looked at. */
tulle_status tulle__check_narrowing(const char *name, const tulle_mat *A, tulle_type type) {
    tulle_mat_info about;
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle_mat_describe(A, &about));
    if (type != TULLE_F32 || about.type != TULLE_F64) return TULLE_OK;
    if (about.format != TULLE_BSR) return check_rows(name, A);
    TULLE__TRY(tulle_mat_convert(A->ctx, A, TULLE_CSR, about.index, 0, &csr));
    const tulle_status status = check_rows(name, csr);
    tulle_mat_destroy(csr);
    return status;
}
