/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"

#include <float.h>
#include <math.h>

#include "tools/common/progress.h"

static void look_at_value(tool_analysis *a, double value, bool on_diagonal) {
    if (!isfinite(value)) {
        a->not_finite++;
        return;
    }
    double size = fabs(value);
    if (size == 0) {
        a->zeros++;
        a->diagonal_zero += on_diagonal;
        return;
    }
    if (a->smallest == 0 || size < a->smallest) a->smallest = size;
    if (size > a->largest) a->largest = size;
}

/* Two numbers that are the same but for rounding differ by this many units in the last place at
 * most; a sum of sizes may be off by one more for each of its numbers. */
enum { ROUNDINGS = 4 };

static double roundoff(tulle_type type) {
    return type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON;
}

static void look_at_values(const tool_csr *A, int64_t p, tool_analysis *a) {
    const int64_t length = tool_csr_offset(A, p + 1) - tool_csr_offset(A, p);
    double own = 0, others = 0;
    for (int64_t k = tool_csr_offset(A, p); k < tool_csr_offset(A, p + 1); k++) {
        bool on_diagonal = tool_csr_column(A, k) == tool_csr_row(A, p);
        a->diagonal += on_diagonal;
        look_at_value(a, tool_csr_value(A, k), on_diagonal);
        *(on_diagonal ? &own : &others) += fabs(tool_csr_value(A, k));
        a->diagonal_above += on_diagonal && tool_csr_value(A, k) > 0;
    }
    const double rounding = (double)(length + ROUNDINGS) * roundoff(A->type);
    a->not_dominant += !(own >= others * (1 - rounding));
}

/* Sizes are halved first: their difference may be beyond f64. */
static bool are_alike(tulle_type type, double value, double mirror) {
    const double size = fmax(fabs(value), fabs(mirror)) / 2;
    return value == mirror || fabs(value / 2 - mirror / 2) <= ROUNDINGS * roundoff(type) * size;
}

/* A row of A, at position p, and the same of its transpose, at position q, side by side. */
static void compare_rows(const tool_csr *A, int64_t p, const tool_csr *T, int64_t q,
                         tool_analysis *a) {
    int64_t k = tool_csr_offset(A, p), k_end = tool_csr_offset(A, p + 1);
    int64_t t = tool_csr_offset(T, q), t_end = tool_csr_offset(T, q + 1);
    while (k < k_end && t < t_end) {
        int64_t left = tool_csr_column(A, k), right = tool_csr_column(T, t);
        if (left == right && left != tool_csr_row(A, p)) {
            double value = tool_csr_value(A, k), mirror = tool_csr_value(T, t);
            a->mirrored++;
            a->equal += value == mirror;
            a->alike += are_alike(A->type, value, mirror);
            a->opposite += value == -mirror;
        }
        k += left <= right;
        t += right <= left;
    }
}

static bool progress_says_stop(int64_t row, int64_t rows) {
    return row % 65536 == 0 && tool_progress(NULL, "analysing", row, rows);
}

static tulle_status compare(const tool_csr *A, const tool_csr *T, tool_analysis *a) {
    for (int64_t p = 0, q = 0; p < A->heads; p++) {
        if (progress_says_stop(p, A->heads)) return TULLE_CANCELLED;
        int64_t row = tool_csr_row(A, p);
        while (q < T->heads && tool_csr_row(T, q) < row) q++;
        if (q < T->heads && tool_csr_row(T, q) == row) compare_rows(A, p, T, q, a);
    }
    return TULLE_OK;
}

static tulle_status compare_with_transpose(tulle_ctx *ctx, const tulle_mat *A, const tool_csr *csr,
                                           tool_analysis *a) {
    tulle_mat *transpose = NULL;
    tool_csr T = {0};
    tulle_status status = tulle_mat_transpose(ctx, A, &transpose);
    if (status == TULLE_OK) status = tool_csr_open(ctx, transpose, &T);
    if (status == TULLE_OK) status = compare(csr, &T, a);
    tool_csr_close(&T);
    tulle_mat_destroy(transpose);
    return status;
}

static void name_symmetry(const tool_csr *A, tool_analysis *a) {
    bool all_mirrored = a->mirrored == a->off_diagonal;
    a->pattern = a->values = "rectangular";
    if (A->rows != A->cols) return;
    a->pattern = all_mirrored ? "symmetric" : "unsymmetric";
    a->values = "unsymmetric";
    if (a->opposite == a->off_diagonal && a->diagonal == a->diagonal_zero) {
        a->values = "skew-symmetric";
    }
    if (a->equal == a->off_diagonal) a->values = "symmetric";
    a->symmetric = a->alike == a->off_diagonal;
}

static tulle_status analyse(tulle_ctx *ctx, const tulle_mat *A, const tool_csr *csr,
                            tool_analysis *a) {
    for (int64_t p = 0; p < csr->heads; p++) {
        if (progress_says_stop(p, csr->heads)) return TULLE_CANCELLED;
        look_at_values(csr, p, a);
    }
    a->off_diagonal = csr->nnz - a->diagonal;
    if (csr->rows != csr->cols) return TULLE_OK;
    return compare_with_transpose(ctx, A, csr, a);
}

tulle_status tool_analyse(tulle_ctx *ctx, const tulle_mat *A, tool_analysis *analysis) {
    tool_csr csr = {0};
    *analysis = (tool_analysis){0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) status = analyse(ctx, A, &csr, analysis);
    if (status == TULLE_OK) name_symmetry(&csr, analysis);
    tool_csr_close(&csr);
    tool_progress_end();
    return status;
}
