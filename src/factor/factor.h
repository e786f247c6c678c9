/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel that computes the values of factors on a pattern, and what it is
 * given. To add a kernel: write src/factor/cpu/NAME.c or src/factor/gpu/NAME.cu with one
 * descriptor, tulle__cpu_factor_NAME or GPU_SYMBOL(factor_NAME), and add a row to kernels.h.
 *
 * Everything is in blocks; of CSR they are 1 x 1. Rows go in the order of the schedule of the
 * pattern's lower triangle, since a row waits for those in its lower part:
 *
 *     for k < i in the pattern, ascending:  L_ik := A_ik U_kk^-1
 *         for j > k:                        A_ij := A_ij - L_ik U_kj, where (i, j) is in the
 * pattern
 *
 * and for L L^T:  L_ik := (A_ik - sum over j < k of L_ij L_kj) / L_kk,  L_ii := sqrt(A_ii - sum of
 * L_ij^2). */
#ifndef TULLE_FACTOR_FACTOR_H
#define TULLE_FACTOR_FACTOR_H

#include "core/kernel.h"
#include "core/place.h"
#include "factor/steps.h"
#include "trisolve/trisolve.h"
#include "tulle/factor.h"

TULLE_BEGIN

/* What pivots were like, in the place's memory; rows are scalar ones of A'. All of it is filled at
 * once with a byte that makes a number above all rows, from which how many there are counts on. */
typedef struct tulle__pivots_seen {
    int64_t tiny_first, bad_first; /* the lowest row that has one */
    int64_t tiny, bad;             /* how many, and TULLE__NONE_SEEN */
} tulle__pivots_seen;

#define TULLE__NONE_SEEN_BYTE 0x7f
#define TULLE__NONE_SEEN INT64_C(0x7f7f7f7f7f7f7f7f)

/* Where the numbers of A' are from: number q of block e is number q of A's block source[e], scaled.
 */
typedef struct tulle__factor_from {
    tulle_type type;       /* of A's values, and of the scales */
    const void *values;    /* A's */
    const uint32_t *mask;  /* A's, as in tulle/formats.h; NULL: every number of a block counts */
    const int64_t *source; /* NULL: e itself; -1: zeros; s <= -2: block -2 - s, transposed */
    const void *row_scale, *col_scale; /* of A's rows and columns as P puts them; NULL: ones */
    double shift;
    bool plain; /* A' is A: of block 1, number e is number e of A, which has the factors' type */
} tulle__factor_from;

typedef struct tulle__factor_task {
    const tulle__place *place;
    const tulle_device_info *device;
    const tulle__schedule *schedule; /* of the pattern's lower triangle */
    const tulle__steps *steps;       /* NULL: none are listed, or others are done */
    tulle_type type;                 /* of the factors */
    tulle_index index;
    tulle_factor_kind kind;
    int block;
    int64_t rows, n; /* block rows, and scalar rows: the last block may reach beyond */
    int64_t entries; /* of the pattern */
    int64_t longest; /* row of the pattern */
    bool symmetric;  /* the pattern is known to be its own transpose */
    bool tells;      /* a kernel of a CPU tells how far it is, and may be cancelled */
    const void *offsets, *cols_of; /* the pattern; columns rise in each row */
    tulle__factor_from from;
    double modified, tiny;
    bool boost, inverted;
    void *values;    /* of the pattern's blocks */
    uint8_t *pivots; /* [rows * block] as in tulle__trisolve_task; NULL: none are kept */
    tulle__pivots_seen *seen;
    const int *params;
    void *workspace; /* at least what workspace() asked for */
} tulle__factor_task;

/* TULLE_UNSUPPORTED means "not my case". */
typedef tulle_status (*tulle__factor_run)(const tulle__factor_task *task);

typedef struct tulle__factor_kernel {
    tulle__kernel head;
    /* Fills all its parameters. NULL: it has none. */
    void (*defaults)(const tulle__factor_task *task, int *params);
    /* Whether it can take this case at all. NULL: always. */
    bool (*eligible)(const tulle__factor_task *task);
    /* Bytes of scratch. NULL: none. */
    size_t (*workspace)(const tulle__factor_task *task);
    tulle__factor_run run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT];
} tulle__factor_kernel;

static inline const tulle__factor_kernel *tulle__factor_of(const tulle__kernel *kernel) {
    return (const tulle__factor_kernel *)(const void *)kernel;
}

TULLE_END
#endif
