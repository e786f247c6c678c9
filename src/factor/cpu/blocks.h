/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense blocks, row by row, in one value type. A file that includes this in a pass of
 * core/each_type.h has VALUE and NAME; b is a constant wherever a function is expanded. */

/* to -= A B. */
static inline __attribute__((always_inline)) void NAME(less_product)(int b, const VALUE *A,
                                                                     const VALUE *B, VALUE *to) {
    for (int r = 0; r < b; r++) {
        for (int m = 0; m < b; m++) {
            const VALUE a = A[r * b + m];
            for (int c = 0; c < b; c++) to[r * b + c] -= a * B[m * b + c];
        }
    }
}

/* A := A D, D by its rows. */
static inline __attribute__((always_inline)) void NAME(times)(int b, const VALUE *D, VALUE *A) {
    for (int r = 0; r < b; r++) {
        VALUE row[TULLE__MOST_BLOCK];
        for (int c = 0; c < b; c++) row[c] = 0;
        for (int m = 0; m < b; m++) {
            for (int c = 0; c < b; c++) row[c] += A[r * b + m] * D[m * b + c];
        }
        for (int c = 0; c < b; c++) A[r * b + c] = row[c];
    }
}

/* A := A D^-1, P D = L U: each row y solves y D = a by w U = a, z L = w, y = z P. */
static inline __attribute__((always_inline)) void NAME(over)(int b, const VALUE *LU,
                                                             const uint8_t *pivots, VALUE *A) {
    for (int r = 0; r < b; r++) {
        VALUE w[TULLE__MOST_BLOCK], *a = A + r * b;
        for (int c = 0; c < b; c++) {
            VALUE sum = a[c];
            for (int m = 0; m < c; m++) sum -= w[m] * LU[m * b + c];
            w[c] = sum / LU[c * b + c];
        }
        for (int c = b - 2; c >= 0; c--) {
            for (int m = c + 1; m < b; m++) w[c] -= w[m] * LU[m * b + c];
        }
        for (int c = 0; c < b; c++) a[pivots[c]] = w[c];
    }
}

static inline __attribute__((always_inline)) void NAME(swap_rows)(int b, int r, int s, VALUE *D,
                                                                  uint8_t *pivots) {
    const uint8_t pivot = pivots[r];
    pivots[r] = pivots[s];
    pivots[s] = pivot;
    for (int c = 0; c < b; c++) {
        const VALUE number = D[r * b + c];
        D[r * b + c] = D[s * b + c];
        D[s * b + c] = number;
    }
}

/* D := L and U of P D; each pivot is judged before it divides. */
static inline __attribute__((always_inline)) void NAME(factorise)(int b, VALUE *D, uint8_t *pivots,
                                                                  const tulle__row_judge *judge) {
    for (int r = 0; r < b; r++) pivots[r] = (uint8_t)r;
    for (int k = 0; k < b; k++) {
        int best = k;
        for (int r = k + 1; r < b; r++) {
            if (fabs((double)D[r * b + k]) > fabs((double)D[best * b + k])) best = r;
        }
        if (best != k) NAME(swap_rows)(b, k, best, D, pivots);
        const VALUE pivot = (VALUE)tulle__judge_pivot(judge, (double)D[k * b + k], k);
        D[k * b + k] = pivot;
        for (int r = k + 1; r < b; r++) {
            const VALUE l = D[r * b + k] / pivot;
            D[r * b + k] = l;
            for (int c = k + 1; c < b; c++) D[r * b + c] -= l * D[k * b + c];
        }
    }
}

/* D := the inverse of what P D = L U was, column by column of it: L U x = P e_c. */
static inline __attribute__((always_inline)) void NAME(invert)(int b, VALUE *D,
                                                               const uint8_t *pivots) {
    VALUE inverse[TULLE__MOST_BLOCK * TULLE__MOST_BLOCK];
    for (int c = 0; c < b; c++) {
        VALUE x[TULLE__MOST_BLOCK];
        for (int r = 0; r < b; r++) {
            x[r] = pivots[r] == c ? 1 : 0;
            for (int m = 0; m < r; m++) x[r] -= D[r * b + m] * x[m];
        }
        for (int r = b - 1; r >= 0; r--) {
            for (int m = r + 1; m < b; m++) x[r] -= D[r * b + m] * x[m];
            x[r] /= D[r * b + r];
            inverse[r * b + c] = x[r];
        }
    }
    for (int q = 0; q < b * b; q++) D[q] = inverse[q];
}
