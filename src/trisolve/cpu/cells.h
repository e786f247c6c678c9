/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of a CPU share, whatever the types. */
#ifndef TULLE_TRISOLVE_CPU_CELLS_H
#define TULLE_TRISOLVE_CPU_CELLS_H

#include <float.h>
#include <math.h>

#include "core/access.h"
#include "format/formats.h"
#include "trisolve/cpu/bits.h"
#include "trisolve/schedule.h"

/* What is compiled anew for each size must be part of each copy. */
#define TRISOLVE_INLINE static inline __attribute__((always_inline))

/* Bytes of a row of a block from which on wide vectors pay. */
enum { TRISOLVE_AVX2_BYTES = 64 };

/* Columns of X that are solved for together: one, or so many, of which some may not be there. */
enum { TRISOLVE_WIDE = 8, TRISOLVE_ROOM = TULLE__MOST_BLOCK * TRISOLVE_WIDE };
typedef struct tulle__strip {
    int64_t first;
    int count;
    bool avx2; /* its numbers are taken by vectors of AVX2, which the compiler knows */
} tulle__strip;

/* Sizes above this and below its inverse have normal inverses. */
#define TRISOLVE_INVERTIBLE(computed) (4 * (sizeof(computed) == 4 ? (double)FLT_MIN : DBL_MIN))

/* Entries from one that is used to one that is asked for: some 6 KB, the work of a microsecond. */
enum { TRISOLVE_AHEAD = 512 };

/* Brings a byte's line into the cache; it may be beyond the array: nothing is read. */
static inline void tulle__ask_for(const void *array, int64_t byte) {
    __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)byte));
}

/* Whether rows are those of scalar_rows.h. */
static inline bool tulle__is_scalar(const tulle__trisolve_task *task) {
    return task->vectors == 1 && task->schedule->bounds &&
           task->diagonal != TULLE__DIAGONAL_INVERTED;
}

/* Whether the first so many cells of a mask are all entries. */
static inline bool tulle__all_cells(const uint32_t *mask, int cells) {
    for (; cells >= 32; cells -= 32) {
        if (*mask++ != UINT32_MAX) return false;
    }
    const uint32_t rest = (UINT32_C(1) << cells) - 1;
    return cells == 0 || (*mask & rest) == rest;
}

#endif
