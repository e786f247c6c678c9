/* SPDX-License-Identifier: Apache-2.0 */
/* Which vectors products take where nobody names a width. AVX2 and AVX-512 add in the same order
 * (csr_rows.h), so that which of the two is faster may be measured, and results stay the same bits.
 */
#ifndef TULLE_SPMV_CPU_SIMD_WIDTHS_H
#define TULLE_SPMV_CPU_SIMD_WIDTHS_H

#include "core/cpu_vectors.h"
#include "core/types.h"

/* What widths differ in: short rows, whose products are made first (csr_chunk.h), and long ones. */
typedef enum tulle__row_kind {
    TULLE__SHORT_ROWS,
    TULLE__LONG_ROWS,
    TULLE__ROW_KINDS
} tulle__row_kind;

/* Bits, by type and kind of rows. */
typedef struct tulle__widths {
    int bits[TULLE__TYPE_COUNT][TULLE__ROW_KINDS];
} tulle__widths;

/* Seconds of a product with 256 and with 512 bits. */
typedef struct tulle__width_times {
    double of_256, of_512;
} tulle__width_times;

/* 512 where they are faster by more than a tenth, else 256: some processors lower their clock for
 * wide vectors, for longer than a measurement sees. */
int tulle__faster_bits(const tulle__width_times *times);

/* By the table of processors alone (core/cpu_vectors.h). */
const tulle__widths *tulle__widths_by_table(void);

/* What was found in the user's cache file, or measured, when a process first asked; where it was
 * measured, a cache file that is there keeps it. Where the processor has no 512-bit vectors, the
 * table. One thread of several that ask measures. */
const tulle__widths *tulle__widths_measured(void);

/* The key of a line of the cache file: twelve fields (tune/cache.h). */
enum { TULLE__WIDTHS_KEY = 512 };
void tulle__widths_key(const tulle__cpu *cpu, tulle_type type, tulle__row_kind kind,
                       char key[TULLE__WIDTHS_KEY]);

/* Times both widths on rows of a kind; false: no memory, or no such vectors here. */
bool tulle__widths_time(tulle_type type, tulle__row_kind kind, tulle__width_times *times);

#endif
