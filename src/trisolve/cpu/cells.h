/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the kernels of a CPU share, whatever the types. */
#ifndef TULLE_TRISOLVE_CPU_CELLS_H
#define TULLE_TRISOLVE_CPU_CELLS_H

#include <float.h>
#include <math.h>

#include "core/access.h"
#include "format/formats.h"
#include "trisolve/cpu/bits.h"
#include "trisolve/schedule.h"

/* Stands before functions that are compiled again for each size, and so must be part of each
 * copy. */
#define TRISOLVE_INLINE static inline __attribute__((always_inline))

/* Bytes of a block's row from which on wide vectors pay. */
enum { TRISOLVE_AVX2_BYTES = 64 };

/* TRISOLVE_WIDE: number of columns of X that are solved together, of which some may be missing; the
 * other number is one. TRISOLVE_ROOM: numbers of a block row of so many columns. */
enum { TRISOLVE_WIDE = 8, TRISOLVE_ROOM = TULLE__MOST_BLOCK * TRISOLVE_WIDE };
typedef struct tulle__strip {
    int64_t first;
    int count;
    /* true when vectors of AVX2 take the strip's numbers; the compiler knows the value */
    bool avx2;
} tulle__strip;

/* Limit of sizes: a size above it and below its inverse has a normal inverse. */
#define TRISOLVE_INVERTIBLE(computed) (4 * (sizeof(computed) == 4 ? (double)FLT_MIN : DBL_MIN))

/* Distance, in entries, from the one in use to the one that is prefetched: some 6 KB, the work of a
 * microsecond. */
enum { TRISOLVE_AHEAD = 512 };

/* Fetches the line of a byte into the cache. The byte may be behind the array, because nothing is
 * read. */
static inline void tulle__ask_for(const void *array, int64_t byte) {
    __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)byte));
}

/* Returns true when the rows are those of scalar_rows.h. */
static inline bool tulle__is_scalar(const tulle__trisolve_task *task) {
    return task->vectors == 1 && task->schedule->bounds &&
           task->diagonal != TULLE__DIAGONAL_INVERTED;
}

/* Returns true when the first `cells` cells of a mask are all entries. */
static inline bool tulle__all_cells(const uint32_t *mask, int cells) {
    for (; cells >= 32; cells -= 32) {
        if (*mask++ != UINT32_MAX) return false;
    }
    const uint32_t rest = (UINT32_C(1) << cells) - 1;
    return cells == 0 || (*mask & rest) == rest;
}

#endif
