/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of CPU products, once for each instruction set that the compiler knows; which one
 * runs is decided at run time by the parameter `bits` of the kernels that have them. Those of
 * AVX2 and AVX-512 give the same bits, other sets may differ in the last ones; each alone repeats
 * bitwise. */
#ifndef TULLE_SPMV_CPU_SIMD_SIMD_H
#define TULLE_SPMV_CPU_SIMD_SIMD_H

#include "spmv/spmv.h"

/* Largest number of entries of the longest row of a CSR whose rows are all summed as short ones
 * (csr_rows.h). */
enum { TULLE__SIMD_SHORT_ROW = 32 };

/* Number of rows of the slices of a SELL that `sell` below takes, the default of this format. */
enum { TULLE__SIMD_SLICE = 32 };

/* Neighbouring rows of a padded format: entry k of row r in slot k * step + r, padding (-1) behind
 * the entries; read `depth` slots of all rows at a time. */
typedef struct tulle__simd_strip {
    const void *values, *cols;
    int64_t rows, step, width, depth;
} tulle__simd_strip;

/* Loops for vectors of one width, in tables by value type and index type. */
typedef struct tulle__simd {
    /* Computes y := alpha A x + beta y for the rows begin to end - 1 of a CSR matrix. */
    void (*rows[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(const tulle__spmv_task *task, int64_t begin,
                                                        int64_t end);
    /* Returns the sum of the entries begin to end - 1 of a CSR matrix, times x; exact as a double.
     */
    double (*entries[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(const tulle__spmv_task *task,
                                                             int64_t begin, int64_t end);
    /* sums[r] += the entries of row r, times x, for all rows of a strip, from left to right. */
    void (*strip[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(const tulle__simd_strip *strip,
                                                         const void *x, void *sums);
    /* Computes y := alpha A x + beta y for the rows of the slices begin to end - 1 of a SELL matrix
     * that has columns, with slices of TULLE__SIMD_SLICE rows; rows are summed from left to
     * right. NULL where slices are strips: AVX-512 gathers. */
    void (*sell[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(const tulle__spmv_task *task, int64_t begin,
                                                        int64_t end);
    /* sums += the entries of the slices begin to end - 1 of a PACKED, times x, 32 a slice. */
    void (*slices[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(const tulle__spmv_task *task,
                                                          int64_t begin, int64_t end, void *sums);
} tulle__simd;

/* Returns the loops for vectors of so many bits; NULL: this build has none, or bits is 0. */
const tulle__simd *tulle__simd_of(int bits);

/* The list of the one parameter `bits`: 0, no vectors; 128, NEON; 256, AVX2 with FMA; 512,
 * AVX-512. */
extern const tulle__param tulle__simd_params[1];
void tulle__simd_defaults(const tulle__spmv_shape *shape, int *params);
void tulle__simd_strip_defaults(const tulle__spmv_shape *shape, int *params); /* defaults of
                                                                                 padded formats */
bool tulle__simd_eligible(const tulle__spmv_shape *shape, const int *params);

/* Cost of the ends of rows, in bytes of a copy (cost() of kernels that read row by row). If the
 * lengths of rows vary, the end of each row mispredicts a branch: 10 ns, in which one thread moves
 * 120 bytes (docs/lab-notes.md, "CPU: two threads beside MKL"). With SIMD of 256 bits or more the
 * kernels compute the products before the sums (csr_chunk.h) or go through sets of rows
 * (csr_few.h), and an end costs 20 bytes; sets serve rows of few entries as soon as one in sixty is
 * of another length, which is a deviation of an eighth. */
static inline double tulle__row_ends(const tulle__spmv_shape *shape, int bits) {
    const double mean = shape->stats->mean_row, sd = shape->stats->sd_row;
    const bool unlike = sd > 0.1 * mean || (bits >= 256 && mean <= 4 && sd > 0.125);
    return unlike ? (bits < 256 ? 120.0 : 20.0) * (double)shape->rows : 0;
}

#endif
