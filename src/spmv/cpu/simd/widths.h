/* SPDX-License-Identifier: Apache-2.0 */
/* The width of vectors that products take where nobody names one. AVX2 and AVX-512 add in the
 * same order (csr_rows.h), so that the faster of the two may be measured, and results stay the
 * same bits. */
#ifndef TULLE_SPMV_CPU_SIMD_WIDTHS_H
#define TULLE_SPMV_CPU_SIMD_WIDTHS_H

#include "core/cpu_vectors.h"
#include "core/types.h"

/* Kinds of rows that widths differ in: short rows, whose products are made first (csr_chunk.h),
 * and long ones. */
typedef enum tulle__row_kind {
    TULLE__SHORT_ROWS,
    TULLE__LONG_ROWS,
    TULLE__ROW_KINDS
} tulle__row_kind;

/* Widths in bits, by type and kind of rows. */
typedef struct tulle__widths {
    int bits[TULLE__TYPE_COUNT][TULLE__ROW_KINDS];
} tulle__widths;

/* Seconds of a product with 256 and with 512 bits. */
typedef struct tulle__width_times {
    double of_256, of_512;
} tulle__width_times;

/* Returns 512 where 512 bits are faster by more than a tenth, else 256: some processors lower
 * their clock for wide vectors, for longer than a measurement sees. */
int tulle__faster_bits(const tulle__width_times *times);

/* Returns widths by the table of processors alone (core/cpu_vectors.h). */
const tulle__widths *tulle__widths_by_table(void);

/* Returns widths from the user's cache file, or measured, as found when the process first asked;
 * where they were measured, a cache file that is there keeps them. Where the processor has no
 * 512-bit vectors, they are the table's. One thread of several that ask measures. */
const tulle__widths *tulle__widths_measured(void);

/* Room for the key of a line of the cache file: twelve fields (tune/cache.h). */
enum { TULLE__WIDTHS_KEY = 512 };
void tulle__widths_key(const tulle__cpu *cpu, tulle_type type, tulle__row_kind kind,
                       char key[TULLE__WIDTHS_KEY]);

/* Times both widths on rows of a kind; false: no memory, or no such vectors here. */
bool tulle__widths_time(tulle_type type, tulle__row_kind kind, tulle__width_times *times);

#endif
