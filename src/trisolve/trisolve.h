/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for op(T) X = alpha B, where T is a triangle, and the kernel's task.
 * To add a kernel: write src/trisolve/cpu/NAME.c or src/trisolve/gpu/NAME.cu with one descriptor,
 * tulle__cpu_trisolve_NAME or GPU_SYMBOL(trisolve_NAME), and add a row to kernels.h. Everything is
 * in blocks; for CSR they are 1 x 1. */
#ifndef TULLE_TRISOLVE_TRISOLVE_H
#define TULLE_TRISOLVE_TRISOLVE_H

#include "core/kernel.h"
#include "core/place.h"
#include "format/view.h"
#include "tulle/trisolve.h"

TULLE_BEGIN

/* Rows that one thread takes in their order, once the first `after` stretches are done. */
typedef struct tulle__row_stretch {
    int64_t begin, end, after;
} tulle__row_stretch;

/* The schedule of op(T): the rows for which each row waits, found from the pattern alone. Places
 * are rows by level, then by number, so that a row's entries wait only for lower places. Arrays are
 * in the memory of the context's place, of int32_t if the pattern's index is TULLE_I32, else of
 * int64_t. */
typedef struct tulle__schedule {
    int64_t rows, entries; /* number of rows of op(T), and of entries beside the diagonal */
    int64_t levels, widest, longest;
    int64_t bytes; /* bytes of the arrays */
    void *order;   /* [rows] row at each place */
    void *begins;  /* [rows + 1] begin of each place's entries */
    void *places;  /* [entries] place for which each entry waits */
    void *slots;   /* [entries] index of each entry among the matrix's stored blocks */
    /* [rows] index of each place's diagonal block, the first of several; -1: none */
    void *diagonal;
    /* [rows] in each row of A, the end (T lower) or the begin (T upper) of its entries of T beside
     * the diagonal. On a CPU, for CSR with ascending columns; else NULL */
    void *bounds;
    /* if there are bounds: number of rows of A with another number of such entries than the row
     * before; all long rows count as equal */
    int64_t uneven;
    /* [stretch_count] stretches, in host memory: rows are numbered from 0 in the order in which one
     * thread would solve them (nth in schedule_cpu.c). On a CPU with several threads, for op(T) = T
     * with bounds, if threads gain by them; else NULL */
    tulle__row_stretch *stretches;
    int64_t stretch_count;
    int stretch_threads;   /* number of threads for which the stretches were cut */
    int64_t *level_begins; /* [levels + 1] first place of each level, in host memory */
    /* first scalar row (in BSR too) whose diagonal entry is missing or repeated; -1: none */
    int64_t faulty_row;
} tulle__schedule;

/* The operation with a diagonal block D. */
typedef enum tulle__diagonal {
    TULLE__DIAGONAL_UNIT, /* no operation */
    /* solve with D's triangle, with ones on its diagonal; no operation if D is missing */
    TULLE__DIAGONAL_UNIT_TRIANGLE,
    TULLE__DIAGONAL_TRIANGLE, /* solve with D's triangle, lower or upper as T is in A */
    TULLE__DIAGONAL_INVERTED, /* multiply by D, which is stored as its inverse, in all cells */
    /* solve with D, stored as L and U of P D with P in pivots; 1 x 1: divide */
    TULLE__DIAGONAL_FACTORISED
} tulle__diagonal;

/* The numbers of a multivector: (i, j) is at data[i * row + j * col]. */
typedef struct tulle__trisolve_numbers {
    void *data;
    int64_t row, col;
} tulle__trisolve_numbers;

typedef struct tulle__trisolve_task {
    const tulle__place *place;
    const tulle_device_info *device;
    const tulle__schedule *schedule;
    const tulle__pattern_view
        *pattern;         /* pattern of A; cells of BSR that its mask leaves out are not read */
    tulle__values values; /* types of values, as stored and as computed with */
    tulle_index index;    /* index type of the schedule's arrays */
    int block;
    /* number of scalar rows, where the last block may have padding; number of columns of B and X */
    int64_t n, vectors;
    bool upper;     /* true when T is A's upper triangle */
    tulle_trans op; /* operation; for TULLE_T each block is read transposed */
    tulle__diagonal diagonal;
    const void *blocks; /* values of A */
    /* [rows * block] for TULLE__DIAGONAL_FACTORISED with block > 1: row pivots[i * block + r] of
     * D_i is at r */
    const uint8_t *pivots;
    tulle_scalar alpha; /* factor alpha, of the computed type */
    tulle__trisolve_numbers b, x;
    const int *params;
    void *workspace; /* memory of at least as many bytes as workspace() returns */
} tulle__trisolve_task;

/* Runs a kernel. TULLE_UNSUPPORTED means that the kernel does not take this case. */
typedef tulle_status (*tulle__trisolve_run)(const tulle__trisolve_task *task);

typedef struct tulle__trisolve_kernel {
    tulle__kernel head;
    /* Fills in all parameters. NULL: the kernel has none. */
    void (*defaults)(const tulle__trisolve_task *task, int *params);
    /* Returns true when the kernel can take this case. NULL: always. */
    bool (*eligible)(const tulle__trisolve_task *task);
    /* Returns true when the kernel is to be taken where none is forced, among the default kernels.
     * NULL: always. */
    bool (*suits)(const tulle__trisolve_task *task);
    /* Returns the bytes of scratch. NULL: the kernel needs none. */
    size_t (*workspace)(const tulle__trisolve_task *task);
    tulle__trisolve_run run[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT];
    /* Does only the beginning of run(), in which T is brought into another form, so that its time
     * can be measured. NULL: the kernel has no such form. */
    tulle__trisolve_run convert[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT];
} tulle__trisolve_kernel;

static inline const tulle__trisolve_kernel *tulle__trisolve_of(const tulle__kernel *kernel) {
    return (const tulle__trisolve_kernel *)(const void *)kernel;
}

TULLE_END
#endif
