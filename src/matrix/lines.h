/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines that blocks of rows touch. The distinct lines of x are counted in a hash table for
 * each block. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_MATRIX_LINES_H
#define TULLE_MATRIX_LINES_H

#include <stdint.h>

#include "core/backend.h"
#include "tulle/statistics.h"

#if defined(__CUDACC__)
#define LINES_FUNCTION static __host__ __device__ __forceinline__
#else
#define LINES_FUNCTION static inline
#endif

/* Summed over all blocks of rows. */
struct tulle__lines {
    int64_t columns, values; /* of the matrix's arrays */
    int64_t x;
};

/* Tables together take no more than this, unless a single one must. */
enum { TULLE__TABLES_BYTES = 256 << 20 };

/* What a slot of a table holds before a line, in all its bytes. */
enum { TULLE__NO_LINE = -1, TULLE__NO_LINE_BYTE = 0xff };

/* Lines of an array of elements of the size that hold those from first to end - 1. */
LINES_FUNCTION int64_t tulle__lines_of(int64_t first, int64_t end, int64_t size) {
    if (first == end) return 0;
    return (end * size - 1) / TULLE_LINE_BYTES - first * size / TULLE_LINE_BYTES + 1;
}

/* log2 of how many numbers of x share a line. */
LINES_FUNCTION int tulle__line_shift(tulle_type type) {
    return type == TULLE_F32 ? 5 : 4;
}

/* How many slots a block of so many entries takes: a power of two, at most half of them used. */
LINES_FUNCTION int64_t tulle__line_slots(int64_t entries, int64_t x_lines) {
    int64_t most = entries < x_lines ? entries : x_lines, slots = 2;
    while (slots < 2 * most) slots *= 2;
    return slots;
}

/* Where the search for a line starts (Fibonacci hashing). */
LINES_FUNCTION int64_t tulle__line_slot(int64_t line, int64_t slots) {
    return (int64_t)((uint64_t)line * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (slots - 1);
}

/* How many tables of so many slots there may be, of those that are wanted; at least one. */
static inline int64_t tulle__line_tables(int64_t wanted, int64_t slots) {
    int64_t most = TULLE__TABLES_BYTES / ((int64_t)sizeof(int64_t) * slots);
    if (most < 1) most = 1;
    return wanted < most ? wanted : most;
}

static inline int64_t tulle__lines_of_x(const tulle__pattern_view *csr, tulle_type type) {
    return csr->cols > 0 ? ((csr->cols - 1) >> tulle__line_shift(type)) + 1 : 0;
}

#endif
