/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on one dense block, with the same code on every device. Compiles as C17 and as CUDA
 * C++. */
#ifndef TULLE_OPERATOR_BLOCK_H
#define TULLE_OPERATOR_BLOCK_H

#include "operator/row.h"

SLOTS_FUNCTION void tulle__swap_rows(tulle_type type, void *block, int n, int a, int b) {
    for (int c = 0; c < n; c++) {
        const double kept = tulle__number_at(type, block, a * n + c);
        tulle__number_put(type, block, a * n + c, tulle__number_at(type, block, b * n + c));
        tulle__number_put(type, block, b * n + c, kept);
    }
}

SLOTS_FUNCTION void tulle__swap_cols(tulle_type type, void *block, int n, int a, int b) {
    for (int r = 0; r < n; r++) {
        const double kept = tulle__number_at(type, block, r * n + a);
        tulle__number_put(type, block, r * n + a, tulle__number_at(type, block, r * n + b));
        tulle__number_put(type, block, r * n + b, kept);
    }
}

/* Returns the row from `step` on whose number in column `step` is largest. */
SLOTS_FUNCTION int tulle__pivot_row(tulle_type type, const void *block, int n, int step) {
    int best = step;
    for (int r = step + 1; r < n; r++) {
        if (fabs(tulle__number_at(type, block, r * n + step)) >
            fabs(tulle__number_at(type, block, best * n + step))) {
            best = r;
        }
    }
    return best;
}

/* Inverts a block in place by Gauss-Jordan elimination with exchanges of rows; returns false where
 * a pivot is 0 or NaN. */
SLOTS_FUNCTION bool tulle__invert_block(tulle_type type, void *block, int n) {
    int exchanged[TULLE__MOST_BLOCK];
    for (int step = 0; step < n; step++) {
        exchanged[step] = tulle__pivot_row(type, block, n, step);
        if (exchanged[step] != step) tulle__swap_rows(type, block, n, step, exchanged[step]);
        const double pivot = tulle__number_at(type, block, step * n + step);
        if (!(fabs(pivot) > 0)) return false;
        tulle__number_put(type, block, step * n + step, 1);
        for (int c = 0; c < n; c++) {
            const double number = tulle__number_at(type, block, step * n + c);
            tulle__number_put(type, block, step * n + c, number / pivot);
        }
        for (int r = 0; r < n; r++) {
            if (r == step) continue;
            const double by = tulle__number_at(type, block, r * n + step);
            tulle__number_put(type, block, r * n + step, 0);
            for (int c = 0; c < n; c++) {
                const double number = tulle__number_at(type, block, r * n + c) -
                                      by * tulle__number_at(type, block, step * n + c);
                tulle__number_put(type, block, r * n + c, number);
            }
        }
    }
    for (int step = n; step-- > 0;) {
        if (exchanged[step] != step) tulle__swap_cols(type, block, n, step, exchanged[step]);
    }
    return true;
}

/* Returns one number of op(D) X. */
SLOTS_FUNCTION double tulle__block_product(const tulle__blocks_job *job, int64_t row, int64_t col) {
    const int64_t first = row / job->block * job->block, at = row % job->block;
    const int64_t left = job->rows - first;
    const int n = left < job->block ? (int)left : job->block;
    double sum = 0;
    for (int c = 0; c < n; c++) {
        const int64_t cell = job->transposed ? (int64_t)c * job->block + at : at * job->block + c;
        sum +=
            tulle__number_at(job->type, job->blocks, first * job->block + cell) *
            tulle__number_at(job->type, job->x.data, (first + c) * job->x.row + col * job->x.col);
    }
    return sum;
}

SLOTS_FUNCTION void tulle__apply_block(const tulle__blocks_job *job, double alpha, double beta,
                                       int64_t row, int64_t col) {
    const int64_t at = row * job->y.row + col * job->y.col;
    double number = alpha * tulle__block_product(job, row, col);
    if (beta != 0) number += beta * tulle__number_at(job->type, job->y.data, at);
    tulle__number_put(job->type, job->y.data, at, number);
}

/* Inverts one number. A number without an inverse becomes the least size that the inverses of the
 * other numbers may have, so that it has their unit; if no number has an inverse, it becomes 1. */
SLOTS_FUNCTION void tulle__invert_number(const tulle__blocks_job *job, int64_t i) {
    const double number = tulle__number_at(job->type, job->blocks, i);
    const double least = 1 / tulle__number_at(job->type, job->largest, 0);
    const double otherwise = least > 0 && least < INFINITY ? least : 1;
    tulle__number_put(job->type, job->blocks, i, fabs(number) > 0 ? 1 / number : otherwise);
}

#endif
