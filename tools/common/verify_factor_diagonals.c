/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/verify_factor_parts.h"

enum { MOST_BLOCK = 16 };

/* Returns the largest sum of magnitudes of a row; NaN where a sum is NaN. */
static long double largest_row_sum(const long double *D, int b, int stride) {
    long double most = 0;
    for (int r = 0; r < b; r++) {
        long double sum = 0;
        for (int c = 0; c < b; c++) sum += fabsl(D[r * stride + c]);
        if (isnan(sum) || sum > most) most = sum;
    }
    return most;
}

static void swap_rows(long double *D, int stride, int r, int s) {
    for (int c = 0; c < stride; c++) {
        const long double number = D[r * stride + c];
        D[r * stride + c] = D[s * stride + c];
        D[s * stride + c] = number;
    }
}

/* Returns the largest row sum of D^-1, found by Gauss-Jordan elimination on [D I]. */
static long double inverse_of(const long double *block, int b) {
    long double D[2 * MOST_BLOCK * MOST_BLOCK];
    const int stride = 2 * b;
    for (int q = 0; q < b * stride; q++) {
        const int r = q / stride, c = q % stride;
        D[q] = c < b ? block[r * b + c] : c - b == r;
    }
    for (int k = 0; k < b; k++) {
        int best = k;
        for (int r = k + 1; r < b; r++) {
            if (fabsl(D[r * stride + k]) > fabsl(D[best * stride + k])) best = r;
        }
        swap_rows(D, stride, k, best);
        const long double pivot = D[k * stride + k];
        for (int c = 0; c < stride; c++) D[k * stride + c] /= pivot;
        for (int r = 0; r < b; r++) {
            const long double factor = D[r * stride + k];
            for (int c = 0; c < stride && r != k; c++)
                D[r * stride + c] -= factor * D[k * stride + c];
        }
    }
    return largest_row_sum(D + b, b, stride);
}

void tool_factor_diagonals(tool_factored *f) {
    const int b = f->claim->block, cells = b * b;
    f->largest = tool_alloc((size_t)f->blocks + 1, sizeof *f->largest);
    f->inverse = tool_alloc((size_t)f->blocks + 1, sizeof *f->inverse);
    f->condition = 1;
    for (int64_t i = 0; i < f->blocks; i++) {
        long double D[MOST_BLOCK * MOST_BLOCK], most = 0;
        const int64_t at = tool_csr_offset(f->u, i) * cells;
        for (int q = 0; q < cells; q++) {
            D[q] = tool_csr_value(f->u, at + q);
            if (isnan(D[q]) || fabsl(D[q]) > most) most = fabsl(D[q]);
        }
        f->largest[i] = most;
        f->inverse[i] = inverse_of(D, b);
        const long double condition = largest_row_sum(D, b, b) * f->inverse[i];
        if (isfinite(condition) && condition > f->condition) f->condition = condition;
    }
}
