/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on small dense blocks, row by row, in one value type. A file that includes this header
 * in a pass of core/each_type.h has VALUE and NAME; b is a constant wherever a function is
 * expanded. */

/* Numbers that follow each other, as many as a vector of AVX2 has, or half as many; other
 * processors take them in parts. The bits are the same, because nothing is added in another
 * order. */
typedef VALUE NAME(wide) __attribute__((vector_size(32), aligned(sizeof(VALUE)), may_alias));
typedef VALUE NAME(half) __attribute__((vector_size(16), aligned(sizeof(VALUE)), may_alias));
#define LANES(type) ((int)(sizeof(type) / sizeof(VALUE)))

/* Applies DO(type, c) to the numbers c to c + LANES(type) - 1 of a row of b numbers, and so on to
 * all numbers of the row. */
#define EACH_OF_ROW(b, DO)                                                                         \
    do {                                                                                           \
        int c = 0;                                                                                 \
        for (; c + LANES(NAME(wide)) <= (b); c += LANES(NAME(wide))) DO(NAME(wide), c);            \
        for (; c + LANES(NAME(half)) <= (b); c += LANES(NAME(half))) DO(NAME(half), c);            \
        for (; c < (b); c++) DO(VALUE, c);                                                         \
    } while (0)

/* Computes to := to - A B. */
static inline __attribute__((always_inline)) void NAME(less_product)(int b, const VALUE *A,
                                                                     const VALUE *B, VALUE *to) {
#define SOME(type, c)                                                                              \
    do {                                                                                           \
        type sum = *(const type *)(to + r * b + (c));                                              \
        for (int m = 0; m < b; m++) sum -= A[r * b + m] * *(const type *)(B + m * b + (c));        \
        *(type *)(to + r * b + (c)) = sum;                                                         \
    } while (0)
    for (int r = 0; r < b; r++) EACH_OF_ROW(b, SOME);
#undef SOME
}

/* Computes A := A D, with D by its rows. */
static inline __attribute__((always_inline)) void NAME(times)(int b, const VALUE *D, VALUE *A) {
#define SOME(type, c)                                                                              \
    do {                                                                                           \
        type sum = {0};                                                                            \
        for (int m = 0; m < b; m++) sum += row[m] * *(const type *)(D + m * b + (c));              \
        *(type *)(A + r * b + (c)) = sum;                                                          \
    } while (0)
    for (int r = 0; r < b; r++) {
        VALUE row[TULLE__MOST_BLOCK];
        for (int m = 0; m < b; m++) row[m] = A[r * b + m];
        EACH_OF_ROW(b, SOME);
    }
#undef SOME
}

/* Computes A := A D^-1 with P D = L U. Each row y solves y D = a by w U = a, z L = w, y = z P; all
 * rows are solved at the same time, with their numbers c in w[c]. */
static inline __attribute__((always_inline)) void NAME(over)(int b, const VALUE *LU,
                                                             const uint8_t *pivots, VALUE *A) {
    VALUE w[TULLE__MOST_BLOCK][TULLE__MOST_BLOCK];
    for (int k = 0; k < b; k++) {
        for (int r = 0; r < b; r++) w[k][r] = A[r * b + k];
    }
#define SOME(type, r)                                                                              \
    do {                                                                                           \
        for (int k = 0; k < b; k++) {                                                              \
            type sum = *(const type *)(w[k] + (r));                                                \
            for (int m = 0; m < k; m++) sum -= *(const type *)(w[m] + (r)) * LU[m * b + k];        \
            *(type *)(w[k] + (r)) = sum / LU[k * b + k];                                           \
        }                                                                                          \
        for (int k = b - 2; k >= 0; k--) {                                                         \
            type sum = *(const type *)(w[k] + (r));                                                \
            for (int m = k + 1; m < b; m++) sum -= *(const type *)(w[m] + (r)) * LU[m * b + k];    \
            *(type *)(w[k] + (r)) = sum;                                                           \
        }                                                                                          \
    } while (0)
    EACH_OF_ROW(b, SOME);
#undef SOME
    for (int k = 0; k < b; k++) {
        for (int r = 0; r < b; r++) A[r * b + pivots[k]] = w[k][r];
    }
}
#undef EACH_OF_ROW
#undef LANES

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

/* Replaces D by L and U of P D; each pivot is judged before it divides. */
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

/* Replaces D, which holds L and U of P D, by the inverse of D, column by column: L U x = P e_c. */
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
