/* SPDX-License-Identifier: Apache-2.0 */
/* Small triangular matrices of n rows in host memory, by columns. */
#ifndef TULLE_VECTOR_SMALL_H
#define TULLE_VECTOR_SMALL_H

#include <math.h>
#include <stdbool.h>

/* Computes the upper triangle R with R^T R = G, where G is symmetric and its upper triangle is
 * read. Returns false if a pivot is not above `least` times its diagonal number: G is then not, or
 * hardly, positive definite. */
static inline bool tulle__small_cholesky(int n, const double *G, double least, double *R) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i <= j; i++) {
            double sum = G[i + j * n];
            for (int k = 0; k < i; k++) sum -= R[k + i * n] * R[k + j * n];
            if (i < j) {
                R[i + j * n] = sum / R[i + i * n];
            } else if (sum > least * G[j + j * n] && sum < INFINITY) {
                R[j + j * n] = sqrt(sum);
            } else {
                return false;
            }
        }
        for (int i = j + 1; i < n; i++) R[i + j * n] = 0;
    }
    return true;
}

/* Computes the inverse of an upper triangle. */
static inline void tulle__small_invert(int n, const double *R, double *inverse) {
    for (int j = 0; j < n; j++) {
        for (int i = n - 1; i >= 0; i--) {
            double sum = i == j;
            for (int k = i + 1; k <= j; k++) sum -= R[i + k * n] * inverse[k + j * n];
            inverse[i + j * n] = i > j ? 0 : sum / R[i + i * n];
        }
    }
}

/* Returns the largest ratio of |X| |R^-1| |R| to |X|, by which roundoff in (X R^-1) R may be larger
 * than roundoff in a column of X. The squares of X's columns are on G's diagonal. */
static inline double tulle__small_growth(int n, const double *G, const double *R,
                                         const double *inverse) {
    double worst = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i <= j; i++) {
            for (int l = 0; l <= i; l++) {
                sum += sqrt(G[l + l * n]) * fabs(inverse[l + i * n] * R[i + j * n]);
            }
        }
        worst = fmax(worst, sum / sqrt(G[j + j * n]));
    }
    return worst;
}

/* Computes product := A B, all upper triangles. */
static inline void tulle__small_multiply(int n, const double *A, const double *B, double *product) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = i; k <= j; k++) sum += A[i + k * n] * B[k + j * n];
            product[i + j * n] = sum;
        }
    }
}

#endif
