/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel that computes the values of factors on a pattern, and the kernel's
 * task. To add a kernel: write src/factor/cpu/NAME.c or src/factor/gpu/NAME.cu with one
 * descriptor, tulle__cpu_factor_NAME or GPU_SYMBOL(factor_NAME), and add a row to kernels.h.
 *
 * Everything is in blocks; for CSR they are 1 x 1. Rows go in the order of the schedule of the
 * pattern's lower triangle, because a row waits for the rows of its lower part:
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

/* Counts of tiny and bad pivots, in the memory of the context's place; rows are scalar rows of A'.
 * The struct is filled with one byte that makes a number above all rows, from which the counts
 * begin. */
typedef struct tulle__pivots_seen {
    int64_t tiny_first, bad_first; /* lowest row with a tiny pivot, and with a bad one */
    /* number of tiny pivots, and of bad ones, each plus TULLE__NONE_SEEN */
    int64_t tiny, bad;
} tulle__pivots_seen;

#define TULLE__NONE_SEEN_BYTE 0x7f
#define TULLE__NONE_SEEN INT64_C(0x7f7f7f7f7f7f7f7f)

/* The origin of the numbers of A': number q of block e is number q of A's block source[e],
 * scaled. */
typedef struct tulle__factor_from {
    tulle_type type;    /* type of A's values, and of the scales */
    const void *values; /* values of A */
    /* mask of A, as in tulle/formats.h; NULL: every number of a block counts */
    const uint32_t *mask;
    /* block of A for each block e; NULL: e itself; -1: zeros; s <= -2: block -2 - s, transposed */
    const int64_t *source;
    /* scales of A's rows and columns in the order P; NULL: ones */
    const void *row_scale, *col_scale;
    double shift;
    /* true when A' is A: blocks are single numbers, and number e is number e of A, in the type of
     * the factors */
    bool plain;
} tulle__factor_from;

typedef struct tulle__factor_task {
    const tulle__place *place;
    const tulle_device_info *device;
    const tulle__schedule *schedule; /* schedule of the pattern's lower triangle */
    /* listed steps of elimination; NULL: steps are not listed, or the elimination has other
     * steps */
    const tulle__steps *steps;
    tulle_type type; /* type of the factors */
    tulle_index index;
    tulle_factor_kind kind;
    int block;
    int64_t rows, n; /* number of block rows, and of scalar rows; the last block may have padding */
    int64_t entries; /* number of entries of the pattern */
    int64_t longest; /* number of entries of the pattern's longest row */
    bool symmetric;  /* true when the pattern is known to be its own transpose */
    bool tells;      /* true when a kernel of a CPU reports progress, and may be cancelled */
    const void *offsets, *cols_of; /* pattern, with ascending columns in each row */
    tulle__factor_from from;
    double modified, tiny;
    bool boost, inverted;
    void *values; /* values of the pattern's blocks */
    /* [rows * block] pivots, as in tulle__trisolve_task; NULL: pivots are not kept */
    uint8_t *pivots;
    tulle__pivots_seen *seen;
    const int *params;
    void *workspace; /* memory of at least as many bytes as workspace() returns */
} tulle__factor_task;

/* Runs a kernel. TULLE_UNSUPPORTED means that the kernel does not take this case. */
typedef tulle_status (*tulle__factor_run)(const tulle__factor_task *task);

typedef struct tulle__factor_kernel {
    tulle__kernel head;
    /* Fills in all parameters. NULL: the kernel has none. */
    void (*defaults)(const tulle__factor_task *task, int *params);
    /* Returns true when the kernel can take this case. NULL: always. */
    bool (*eligible)(const tulle__factor_task *task);
    /* Returns the bytes of scratch. NULL: the kernel needs none. */
    size_t (*workspace)(const tulle__factor_task *task);
    tulle__factor_run run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT];
} tulle__factor_kernel;

static inline const tulle__factor_kernel *tulle__factor_of(const tulle__kernel *kernel) {
    return (const tulle__factor_kernel *)(const void *)kernel;
}

TULLE_END
#endif
