/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the table SIMD_NAME (simd.h) of the loops in the words that were included before. The file
 * includes itself once for each type combination. No include guard, on purpose. */
#ifndef VALUE

#include <string.h>

#include "format/packed.h"
#include "spmv/bytes.h"
#include "spmv/cpu/simd/simd.h"
#include "spmv/cpu/threads.h"

/* Least number of entries of a row for which vectors are worth it, and largest of a row that can
 * be summed together with its neighbours (csr_rows.h). */
enum { FEWEST = 4, SHORT_ROW = TULLE__SIMD_SHORT_ROW };

/* Numbers of rows by which csr_rows.h chooses how to sum rows. */
enum {
    CHUNK_ROWS = 64,     /* neighbouring rows that are looked at together */
    SPAN_FIRST = 512,    /* rows that a look holds for where rows are summed one by one, at first */
    SPAN_MOST = 4096,    /* largest number of rows that a look holds for: each look doubles it */
    LOOK_FIRST = 4,      /* first row of a chunk that is asked whether it is like the next ones */
    LOOK_STEP = 14,      /* distance to the next row that is asked */
    CHUNK_UNLIKE = 2,    /* products come first where more than one row in so many changes length */
    CHUNK_RUN = 32,      /* runs of one length are summed at once where fewer than that change */
    MOST_FEW = 4,        /* largest number of entries of a row of csr_few.h */
    MOSTLY = 48,         /* least rows of one length in such a chunk for a look at neighbours */
    FEW_LONGER = 8,      /* largest number of longer rows in a chunk that is summed by length */
    LEARNT_ROWS = 16384, /* rows of a thread whose lengths a processor may learn by heart */
    MASKED_QUADS = 4     /* last quads of a row in csr_chunk.h, which are added under masks */
};

typedef struct chunk_rows {
    int64_t rows, longest, unlike; /* number of rows, entries of the longest, and number of rows
                                      of another length than the row before */
} chunk_rows;

/* Number of vecs of a strip whose sums are in registers at once: a slice of 32 rows in binary32
 * (strip_sums.h). */
enum { VECS = 4 };

#define ALWAYS_INLINE inline __attribute__((always_inline)) SIMD_TARGET

/* Lists the codes of the lanes of a vec of PACKED, some of which have an entry; the others get
 * the code of one that does. */
static ALWAYS_INLINE void codes_of_lanes(const uint8_t *codes, int kind, int from, int count,
                                         uint32_t lanes, uint32_t *of_lanes) {
    int some = __builtin_ctz(lanes);
    for (int i = 0; i < count; i++) {
        int lane = from + (lanes >> i & 1 ? i : some);
        of_lanes[i] = kind == 0 ? (uint32_t)lane : tulle__code_get(codes, kind, 0, lane);
    }
}

/* Matrices of more entries come from memory. Short rows of these are asked for so many bytes before
 * they are needed, as a processor that computes between its loads does not look far enough ahead by
 * itself; long rows need it not (docs/lab-notes.md, "CPU: runs of one length"). */
enum { CACHED_ENTRIES = 1 << 20, BYTES_AHEAD = 1536, BYTES_OF_CACHE_LINE = 64 };

static inline bool from_memory(const tulle__spmv_task *task) {
    return task->shape.nnz > CACHED_ENTRIES;
}

/* Asks for as many bytes as are given, BYTES_AHEAD behind `at`. There need be no memory. */
static ALWAYS_INLINE void ask_ahead(const void *at, int64_t bytes) {
    const uintptr_t first = (uintptr_t)at + BYTES_AHEAD;
    for (int64_t b = 0; b < bytes; b += BYTES_OF_CACHE_LINE) {
        __builtin_prefetch((const void *)(first + (uintptr_t)b));
    }
}

#define BY_VALUE(name) TULLE__PASTE(name, VALUE)
#define BY_INDEX(name) TULLE__PASTE(name, INDEX)
#define BY_OFFSET(name) TULLE__PASTE(name, OFFSET)

#define TULLE__SELF "spmv/cpu/simd/loops.h"
#include "core/each_type.h"

extern const tulle__simd SIMD_NAME;
const tulle__simd SIMD_NAME = {
    .rows = TULLE__RUN_ALL(rows),
    .entries = TULLE__RUN_ALL(entries),
    .strip = TULLE__RUN_ALL(strip),
#ifndef SIMD_GATHERS
    .sell = TULLE__RUN_ALL(sell),
#endif
    .slices = TULLE__RUN_ALL(slices),
};

#else /* once for each type combination */

#include "spmv/cpu/simd/csr_rows.h"
#include "spmv/cpu/simd/packed_lines.h"
#include "spmv/cpu/simd/strip_sums.h"

#ifndef SIMD_GATHERS
#include "spmv/cpu/simd/sell_slices.h"
#endif

#endif
