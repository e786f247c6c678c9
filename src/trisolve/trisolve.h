/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for op(T) X = alpha B, T a triangle, and what it is given. To add a
 * kernel: write src/trisolve/cpu/NAME.c or src/trisolve/gpu/NAME.cu with one descriptor,
 * tulle__cpu_trisolve_NAME or GPU_SYMBOL(trisolve_NAME), and add a row to kernels.h.
 *
 * Everything is in blocks; of CSR they are 1 x 1. */
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

/* Which rows of op(T) wait for which, from the pattern alone. Places are rows by level, then by
 * number, so that a row's entries wait for lower places alone. Arrays are in the place's memory,
 * int32_t where the pattern's index is TULLE_I32, else int64_t. */
typedef struct tulle__schedule {
    int64_t rows, entries; /* of op(T); entries beside the diagonal */
    int64_t levels, widest, longest;
    int64_t bytes;  /* of the arrays */
    void *order;    /* [rows] the row at each place */
    void *begins;   /* [rows + 1] where a place's entries begin */
    void *places;   /* [entries] the place that each waits for */
    void *slots;    /* [entries] its number among the matrix's stored blocks */
    void *diagonal; /* [rows] the number of the place's diagonal block, the first of
                       several; -1: it has none */
    void *bounds;   /* [rows] in each row of A, where its entries of T beside the diagonal end
                       (T lower) or begin (T upper). On a CPU, of CSR whose columns rise;
                       else NULL */
    int64_t uneven; /* where there are bounds: rows of A that have another number of such entries
                       than the row before; all long ones count as the same */
    tulle__row_stretch *stretches; /* [stretch_count], in host memory: rows as numbered from 0 in
                                  the order in which one thread would solve them (schedule_cpu.c's
                                  nth). On a CPU of several threads, of op(T) = T with bounds,
                                  where threads gain by them; else NULL */
    int64_t stretch_count;
    int stretch_threads;   /* for which they were cut */
    int64_t *level_begins; /* [levels + 1], in host memory: the first place of each level */
    int64_t faulty_row;    /* the first row of numbers (of BSR too) whose diagonal entry is missing
                              or repeated; -1: none */
} tulle__schedule;

/* What to do with a diagonal block D. */
typedef enum tulle__diagonal {
    TULLE__DIAGONAL_UNIT,          /* nothing */
    TULLE__DIAGONAL_UNIT_TRIANGLE, /* as the next, with ones on its diagonal; none: nothing */
    TULLE__DIAGONAL_TRIANGLE,      /* solve with its triangle, the one that T is of A */
    TULLE__DIAGONAL_INVERTED,      /* multiply: it is stored inverted, all cells of it */
    TULLE__DIAGONAL_FACTORISED     /* it is stored as L and U of P D, P by pivots; 1 x 1: divide */
} tulle__diagonal;

/* Numbers of a multivector: (i, j) at data[i * row + j * col]. */
typedef struct tulle__trisolve_numbers {
    void *data;
    int64_t row, col;
} tulle__trisolve_numbers;

typedef struct tulle__trisolve_task {
    const tulle__place *place;
    const tulle_device_info *device;
    const tulle__schedule *schedule;
    const tulle__pattern_view
        *pattern;         /* A's. Cells of BSR that its mask leaves out are not read */
    tulle__values values; /* as stored and as computed with */
    tulle_index index;    /* of the schedule's arrays */
    int block;
    int64_t n, vectors; /* scalar rows: the last block may reach beyond; columns of B and X */
    bool upper;         /* T is A's upper triangle */
    tulle_trans op;     /* T: each block is read transposed */
    tulle__diagonal diagonal;
    const void *blocks;    /* A's values */
    const uint8_t *pivots; /* [rows * block] TULLE__DIAGONAL_FACTORISED with block > 1: row
                              pivots[i * block + r] of D_i stands at r */
    tulle_scalar alpha;    /* of the computed type */
    tulle__trisolve_numbers b, x;
    const int *params;
    void *workspace; /* at least what workspace() asked for */
} tulle__trisolve_task;

/* TULLE_UNSUPPORTED means "not my case". */
typedef tulle_status (*tulle__trisolve_run)(const tulle__trisolve_task *task);

typedef struct tulle__trisolve_kernel {
    tulle__kernel head;
    /* Fills all its parameters. NULL: it has none. */
    void (*defaults)(const tulle__trisolve_task *task, int *params);
    /* Whether it can take this case at all. NULL: always. */
    bool (*eligible)(const tulle__trisolve_task *task);
    /* Whether it is the one to take where none is forced, of those flagged so. NULL: always. */
    bool (*suits)(const tulle__trisolve_task *task);
    /* Bytes of scratch. NULL: none. */
    size_t (*workspace)(const tulle__trisolve_task *task);
    tulle__trisolve_run run[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT];
    /* The beginning of run() in which T is brought into another form, by itself, so that its time
     * can be told. NULL: it has none. */
    tulle__trisolve_run convert[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT];
} tulle__trisolve_kernel;

static inline const tulle__trisolve_kernel *tulle__trisolve_of(const tulle__kernel *kernel) {
    return (const tulle__trisolve_kernel *)(const void *)kernel;
}

TULLE_END
#endif
