/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that row functions share: random numbers by counter, and a row's columns as an array.
 * The header compiles as C17 and as CUDA C++. Operations on reals are multiplications, divisions
 * and comparisons, or are exact, so that compilers cannot round them differently (a fused
 * multiply-add would). */
#ifndef TULLE_IO_ROWS_COMMON_H
#define TULLE_IO_ROWS_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "io/generator.h"
#include "tulle/types.h"

#if defined(TULLE_GPU_NAMESPACE)
#define ROWS_FUNCTION GPU_FUNCTION
#else
#define ROWS_FUNCTION static inline
#endif

typedef struct tulle__generator_args tulle__rows_args;

/* Returns the number of rows that are made. */
TULLE_INLINE int64_t tulle__rows_made(const tulle__rows_args *g) {
    return g->rows - g->before - g->after;
}

/* The columns of one row, in one of two arrays of 32 or 64 bits per column; both are NULL when the
 * caller wants only the count. */
typedef struct tulle__columns {
    int32_t *narrow;
    int64_t *wide;
} tulle__columns;

ROWS_FUNCTION int64_t tulle__column_get(tulle__columns columns, int64_t k) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): called only when the caller wants
     * columns */
    return columns.narrow ? (int64_t)columns.narrow[k] : columns.wide[k];
}

ROWS_FUNCTION void tulle__column_set(tulle__columns columns, int64_t k, int64_t column) {
    if (columns.narrow) {
        columns.narrow[k] = (int32_t)column;
    } else if (columns.wide) {
        columns.wide[k] = column;
    }
}

ROWS_FUNCTION bool tulle__columns_wanted(tulle__columns columns) {
    return columns.narrow || columns.wide;
}

/* Returns the result of one step of splitmix64 (Steele, Lea and Flood, 2014). */
ROWS_FUNCTION uint64_t tulle__mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Returns 64 random bits that depend on a seed and two counters. */
ROWS_FUNCTION uint64_t tulle__bits(uint64_t seed, uint64_t a, uint64_t b) {
    return tulle__mix(tulle__mix(tulle__mix(seed) ^ a) ^ b);
}

/* Returns the upper 53 of 64 random bits as a number in [0, 1). */
ROWS_FUNCTION double tulle__unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

/* Returns the upper 24 of 64 random bits as a number in (-1, 1), never 0, exact in both value
 * types. */
ROWS_FUNCTION double tulle__signed_unit(uint64_t bits) {
    return (double)(2 * (int64_t)(bits >> 40) + 1 - (1 << 24)) * 0x1p-24;
}

/* Returns a random value, for entries whose value has no meaning. */
ROWS_FUNCTION double tulle__random_value(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__signed_unit(tulle__bits(g->value_seed, (uint64_t)row, ~(uint64_t)column));
}

/* Moves columns[at] down to its place in the heap of `count` columns. */
ROWS_FUNCTION void tulle__columns_sift(tulle__columns columns, int64_t at, int64_t count) {
    int64_t moving = tulle__column_get(columns, at);
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count &&
            tulle__column_get(columns, child) < tulle__column_get(columns, child + 1)) {
            child++;
        }
        if (tulle__column_get(columns, child) <= moving) break;
        tulle__column_set(columns, at, tulle__column_get(columns, child));
        at = child;
    }
    tulle__column_set(columns, at, moving);
}

/* Sorts columns in place: short rows by insertion, long ones by heap. */
ROWS_FUNCTION void tulle__columns_sort(tulle__columns columns, int64_t count) {
    if (count <= 32) {
        for (int64_t k = 1; k < count; k++) {
            int64_t moving = tulle__column_get(columns, k), at = k;
            for (; at > 0 && tulle__column_get(columns, at - 1) > moving; at--) {
                tulle__column_set(columns, at, tulle__column_get(columns, at - 1));
            }
            tulle__column_set(columns, at, moving);
        }
        return;
    }
    for (int64_t at = count / 2; at-- > 0;) tulle__columns_sift(columns, at, count);
    for (int64_t last = count - 1; last > 0; last--) {
        int64_t largest = tulle__column_get(columns, 0);
        tulle__column_set(columns, 0, tulle__column_get(columns, last));
        tulle__column_set(columns, last, largest);
        tulle__columns_sift(columns, 0, last);
    }
}

/* Makes random columns ascending and distinct. Sorts them, moves each column that is taken to the
 * next free one, and moves columns beyond the last column back to the last free ones. count must be
 * at most cols. */
ROWS_FUNCTION void tulle__columns_settle(tulle__columns columns, int64_t count, int64_t cols) {
    tulle__columns_sort(columns, count);
    for (int64_t k = 1; k < count; k++) {
        int64_t least = tulle__column_get(columns, k - 1) + 1;
        if (tulle__column_get(columns, k) < least) tulle__column_set(columns, k, least);
    }
    for (int64_t k = count - 1, most = cols - 1; k >= 0; k--, most--) {
        if (tulle__column_get(columns, k) <= most) break;
        tulle__column_set(columns, k, most);
    }
}

#endif
