/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the table SIMD_NAME (simd.h) of the loops in the words that were included before. The file
 * includes itself once for each type combination. No include guard, on purpose. */
#ifndef VALUE

#include "spmv/bytes.h"
#include "spmv/simd/simd.h"

/* Entries of a row for which vectors are worth it, and of one that can be summed together with its
 * neighbours (csr_rows.h). */
enum { FEWEST = 4, SHORT_ROW = 32 };

/* Vecs of a strip whose sums are in registers at once: a slice of 32 rows in binary32
 * (strip_sums.h).
 */
enum { VECS = 4 };

#define BY_VALUE(name) TULLE__PASTE(name, VALUE)
#define BY_INDEX(name) TULLE__PASTE(name, INDEX)

#define TULLE__SELF "spmv/simd/loops.h"
#include "core/each_type.h"

extern const tulle__simd SIMD_NAME;
const tulle__simd SIMD_NAME = {
    .rows = TULLE__RUN_ALL(rows),
    .entries = TULLE__RUN_ALL(entries),
    .strip = TULLE__RUN_ALL(strip),
};

#else /* once for each type combination */

#include "spmv/simd/csr_rows.h"
#include "spmv/simd/strip_sums.h"

#endif
