/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for C := alpha A B, sparse all of them, and the task that it is
 * given. To add a kernel: write src/spgemm/cpu/NAME.c or src/spgemm/gpu/NAME.cu with one
 * descriptor, tulle__cpu_spgemm_NAME or GPU_SYMBOL(spgemm_NAME), and add a row to kernels.h. */
#ifndef TULLE_SPGEMM_SPGEMM_H
#define TULLE_SPGEMM_SPGEMM_H

#include "core/kernel.h"
#include "core/place.h"
#include "format/view.h"

TULLE_BEGIN

/* Phases of a product, in the order of the times of tulle_spgemm_report. */
typedef enum tulle__spgemm_phase {
    TULLE__SPGEMM_OPERANDS,
    TULLE__SPGEMM_ANALYSIS,
    TULLE__SPGEMM_COUNT,
    TULLE__SPGEMM_ALLOCATE,
    TULLE__SPGEMM_COMPUTE,
    TULLE__SPGEMM_FINISH,
    TULLE__SPGEMM_PHASES
} tulle__spgemm_phase;

/* One operand, in CSR. */
typedef struct tulle__spgemm_operand {
    int64_t rows, cols, nnz;
    const void *offsets, *cols_of, *values;
    const tulle__stats *stats;
} tulle__spgemm_operand;

/* The arrays of C, from the context's pool. A kernel that fails does not free them; its caller
 * does. */
typedef struct tulle__spgemm_result {
    int64_t nnz;
    tulle_index index;
    void *offsets, *cols_of, *values;
} tulle__spgemm_result;

/* Largest number of arrays of scratch that a kernel may hold at a time, of those that it requests
 * after C has been allocated. */
enum { TULLE__SPGEMM_LATER = 2 };

/* The ways in which a kernel made the rows of a product, for a caller who makes it again with other
 * numbers and knows the rows' lengths: the kernel then need not look at the operands before it
 * computes. */
typedef struct tulle__spgemm_ways {
    uint8_t *rows;           /* a byte for each row of C, in the place's memory; the caller's */
    bool known;              /* true: a kernel has filled in the rest */
    int64_t nnz;             /* number of entries of C */
    int64_t multiplications; /* number of multiplications */
    int64_t own[24];         /* numbers of the kernel's own */
} tulle__spgemm_ways;

/* One call. A and B have the same index type. The columns of B rise in each row; those of A stand
 * in any order. A kernel counts the entries of C, calls make_c, fills the arrays of C, and calls
 * `ends` at the end of each phase. */
typedef struct tulle__spgemm_task tulle__spgemm_task;
struct tulle__spgemm_task {
    const tulle__place *place;
    const tulle_device_info *device;
    tulle__spgemm_operand a, b;
    /* Mask of a product that is restricted to the mask's places, of A's rows; its columns rise.
     * offsets NULL: there is no mask. The offset of the first row may be any number; the columns
     * are counted so that mask_low is column 0 of B, and those outside B mean nothing. */
    tulle__spgemm_operand mask;
    int64_t mask_low;
    tulle_type type;
    tulle_index index; /* index type of A and B */
    tulle_scalar alpha;
    bool unsorted; /* true: C's columns may stand in any order */
    /* Number of entries of each row of C, in the place's memory, where the same product was made
     * before with other numbers; NULL: unknown. The kernel need not count then. */
    const uint8_t *lengths;
    /* Filled in by a kernel that can use them, and used by that kernel together with `lengths`;
     * NULL: the caller keeps none. */
    tulle__spgemm_ways *ways;
    bool lean; /* true: memory is short, so no scratch that only saves time */
    const int *params;
    /* Allocates C for nnz entries; c.index is then the index type of C. */
    tulle_status (*make_c)(tulle__spgemm_task *task, int64_t nnz);
    /* Says that a phase has ended. Returns TULLE_OK, or the status with which the kernel must
     * return: TULLE_CANCELLED or a fault. */
    tulle_status (*ends)(tulle__spgemm_task *task, tulle__spgemm_phase phase);
    /* Reports the share of a long phase that is done, 0 to 1. Only the thread that called the
     * kernel may call this. */
    tulle_status (*tells)(tulle__spgemm_task *task, tulle__spgemm_phase phase, double part);
    /* out: a kernel sets this before anything else. True: the kernel makes all rows at once, as its
     * paper does, and is given no pieces: where the cap of the context refuses it memory, the call
     * fails with TULLE_OUT_OF_MEMORY. False: C is then made in pieces. */
    bool no_pieces;
    int64_t multiplications; /* out: number of multiplications a_ik b_kj */
    int64_t bound_bytes;     /* out: bytes that the kernel may hold at most, C included */
    /* out: bytes of each request for scratch that the kernel will make after C has been
     * allocated */
    size_t later_bytes[TULLE__SPGEMM_LATER];
    tulle__spgemm_result c;
    int64_t widest_row; /* largest number of entries of a row of C, where it is known beforehand */
};

typedef struct tulle__spgemm_kernel {
    tulle__kernel head;
    /* The kernel's own rule: fills all its parameters. NULL: it has none. */
    void (*defaults)(const tulle__spgemm_task *task, int *params);
    tulle_status (*run[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT])(tulle__spgemm_task *task);
} tulle__spgemm_kernel;

static inline const tulle__spgemm_kernel *tulle__spgemm_of(const tulle__kernel *kernel) {
    return (const tulle__spgemm_kernel *)(const void *)kernel;
}

/* The descriptor of a kernel for products with a mask: src/spgemm/cpu/masked.c, or
 * src/spgemm/gpu/masked.cu. */
typedef tulle__spgemm_kernel tulle__masked_kernel;

/* Largest number of entries that C may have: one for each multiplication, for each place, or for
 * each entry of the mask. In doubles, which do not overflow. */
static inline double tulle__spgemm_most_of(const tulle__spgemm_task *task,
                                           int64_t multiplications) {
    double most = (double)task->a.rows * (double)task->b.cols;
    if ((double)multiplications < most) most = (double)multiplications;
    if (task->mask.offsets && (double)task->mask.nnz < most) most = (double)task->mask.nnz;
    return most;
}

TULLE_END
#endif
