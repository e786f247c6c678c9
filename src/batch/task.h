/* SPDX-License-Identifier: Apache-2.0 */
/* A task as devices know it, plain data: what to do, between which arrays, in how many pieces.
 * Compiles as C17 and as CUDA C++. */
#ifndef TULLE_BATCH_TASK_H
#define TULLE_BATCH_TASK_H

#include "format/bsr.h"
#include "format/view.h"
#include "vector/jobs.h"

typedef enum tulle__task_kind {
    TULLE__TASK_AXPY, /* y := alpha x a + beta y */
    TULLE__TASK_DOT,  /* y := alpha x^T a + beta y */
    TULLE__TASK_SPMM  /* y := alpha op(A) x + beta y */
} tulle__task_kind;

/* op(A), A in BSR, or in CSR, which is BSR of blocks of 1. */
typedef struct tulle__task_matrix {
    tulle__pattern_view lines; /* A's block rows; of its transpose, A's block columns as such */
    const void *slots;         /* which of A's blocks those of block columns are; NULL: in order */
    const void *values;
    int block;
    bool turned; /* each block is read transposed */
    bool masked; /* not all cells of blocks are entries */
} tulle__task_matrix;

typedef struct tulle__task {
    tulle__task_kind kind;
    tulle_type type;
    int k1, k2; /* spmm: k2 vectors */
    double alpha, beta;
    tulle__strided x, a, y;
    tulle__lie lie; /* of x, and of a (dot) or y (axpy) */
    tulle__task_matrix A;
    int64_t units, unit_piece; /* rows, of A block rows; so many a piece */
    double unit_bytes;
    int64_t pieces, first_partial;
    int first_wait, waits; /* of the batch's list of tasks to wait for */
} tulle__task;

/* Which of A's blocks number k of the lines is. */
SLOTS_FUNCTION int64_t tulle__task_slot(const tulle__task_matrix *A, int64_t k) {
    return A->slots ? tulle__get(A->slots, tulle_offset_size(A->lines.index), k) : k;
}

/* The cell of number (r, c) of op(block). */
SLOTS_FUNCTION int64_t tulle__task_cell(const tulle__task_matrix *A, int64_t r, int64_t c) {
    return A->turned ? c * A->block + r : r * A->block + c;
}

/* Whether a cell of one of A's blocks is an entry; columns beyond the matrix are none. */
SLOTS_FUNCTION bool tulle__task_has(const tulle__task_matrix *A, int64_t slot, int64_t cell) {
    return !A->masked || tulle__bit(A->lines.mask, tulle__cell_bit(&A->lines.storage, slot, cell));
}

/* A batch as devices know it; arrays in the place's memory. */
typedef struct tulle__batch_job {
    int tasks;
    const tulle__task *task;   /* [tasks], each behind those that it waits for */
    const int64_t *first_item; /* [tasks + 1]: items, which are pieces, of the tasks before */
    const int *wait;
    double *partials;   /* of dots with several pieces: k1 k2 numbers for each */
    uint32_t *done;     /* [tasks]: not 0 where a task has ended */
    uint32_t *ended;    /* [tasks]: pieces that have */
    uint64_t *ticket;   /* the next item */
    size_t queue_bytes; /* of done, ended and ticket, which lie together from done on */
    const int *level;   /* host: [levels + 1], where each level of tasks begins */
    int levels;
    const tulle__task *host_task; /* host: the same tasks */
} tulle__batch_job;

#endif
