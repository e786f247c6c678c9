/* SPDX-License-Identifier: Apache-2.0 */
/* Factors: values on a pattern, which several factors may share. */
#ifndef TULLE_FACTOR_OBJECT_H
#define TULLE_FACTOR_OBJECT_H

#include "core/kernel.h"
#include "factor/factor.h"
#include "factor/move.h"
#include "matrix/matrix.h"
#include "trisolve/triangle.h"

/* The analysis of A's pattern, which is made once. */
typedef struct tulle__symbolic {
    atomic_int owners;
    tulle_ctx *ctx;          /* context of the analysis; owned */
    uint64_t serial;         /* serial number of A's pattern */
    int64_t nnz_a;           /* number of A's entries (blocks) */
    tulle__pattern *pattern; /* pattern of L and U in one, or of L; owned */
    /* number of block rows, of scalar rows, and of blocks of the pattern */
    int64_t rows, n, entries;
    int block;
    tulle_factor_kind kind;
    /* [entries] as in tulle__factor_from, in the memory of the context's place; or NULL */
    int64_t *source;
    /* [n] row of A at each place, in the memory of the context's place; or NULL */
    int64_t *order;
    tulle__steps steps; /* listed steps of elimination; owned */
    double ms, flops;
} tulle__symbolic;

struct tulle_factor {
    atomic_int owners;
    tulle_ctx *ctx; /* context of the factors; owned */
    tulle__symbolic *symbolic;
    tulle_factor_options
        /* options; only numbers and flags are valid, because the objects it points to may be
         * gone */
        options;
    tulle_type a_type;
    bool shares_analysis;
    tulle_mat *LU;
    /* [n] scales of a_type in the factor's order, in the memory of the context's place */
    void *row_scale, *col_scale;
    uint8_t *pivots;
    tulle__pivots_seen *seen;
    void *moved; /* scratch for a multivector in the factor's order */
    size_t moved_bytes;
};

/* Adds an owner of F, who must destroy it too; returns F. */
tulle_factor *tulle__factor_retain(tulle_factor *F);

/* Makes the analysis of A under options that have been checked. Waits for the device. */
tulle_status tulle__symbolic_make(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle_factor_options *options, tulle__symbolic **symbolic);
void tulle__symbolic_release(tulle__symbolic *symbolic);

/* Makes the pattern of L of L L^T from A's lower triangle; A is CSR with ascending columns, and has
 * rows. s->pattern stays NULL if a row has no diagonal. Waits for the device. */
tulle_status tulle__lower_make(tulle_ctx *ctx, const tulle_mat *A, tulle__symbolic *s);

/* Lists the steps of F's elimination, if they are of use for a kernel here and are not too many.
 * Waits for the device. */
tulle_status tulle__steps_make(const char *function, tulle_ctx *ctx, const tulle_factor *F);

/* Checks that A has the pattern and the type of the matrix of F, and that all are in one memory
 * space. */
tulle_status tulle__factor_check(const char *function, const tulle_ctx *ctx, const tulle_factor *F,
                                 const tulle_mat *A);

/* Returns the task of a kernel that computes F's values from A's, but for the schedule, parameters
 * and workspace. */
tulle__factor_task tulle__factor_task_of(tulle_ctx *ctx, const tulle_factor *F, const tulle_mat *A);

/* Finds kernel number i to try, as tulle__select does, for a task with its schedule. */
tulle_status tulle__factor_select(const char *function, const tulle_ctx *ctx,
                                  const tulle__factor_task *task, int i, tulle__spec *spec);

/* Checks that op(M) X = B can be solved with F, by the rules of tulle_factor_solve. */
tulle_status tulle__factor_solve_check(const char *function, const tulle_ctx *ctx,
                                       const tulle_factor *F, tulle_trans op, const tulle_vec *B,
                                       const tulle_vec *X);

/* Returns L or U as a triangle. U of L L^T is L, transposed, so that op changes. */
tulle__triangle tulle__factor_triangle(const tulle_factor *F, tulle_part part, tulle_trans *op);

/* Returns the move of multivectors into F's order or back, with the scales; the caller sets its
 * ends. */
tulle__move tulle__factor_move(const tulle_factor *F, tulle_trans op, bool back);

/* Computes F's values from A's, in stream order. */
tulle_status tulle__factor_compute(const char *function, tulle_ctx *ctx, tulle_factor *F,
                                   const tulle_mat *A);

/* Each of these functions returns a number of a CSR or BSR pattern: its block size, its block rows,
 * or its stored blocks. */
static inline int tulle__block_of(const tulle__pattern *p) {
    return p->format == TULLE_BSR ? (int)p->storage.block : 1;
}
static inline int64_t tulle__blocks_of(const tulle__pattern *p) {
    return p->format == TULLE_BSR ? tulle__bsr_blocks(&p->storage) : p->nnz;
}

#endif
