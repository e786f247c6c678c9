/* SPDX-License-Identifier: Apache-2.0 */
/* Factors: values on a pattern that several of them may share. */
#ifndef TULLE_FACTOR_OBJECT_H
#define TULLE_FACTOR_OBJECT_H

#include "core/kernel.h"
#include "factor/factor.h"
#include "factor/move.h"
#include "matrix/matrix.h"
#include "trisolve/triangle.h"

/* What is found out of A's pattern once. */
typedef struct tulle__symbolic {
    atomic_int owners;
    tulle_ctx *ctx;           /* owned */
    uint64_t serial;          /* of A's pattern */
    int64_t nnz_a;            /* A's entries (blocks) */
    tulle__pattern *pattern;  /* of L and U in one, or of L; owned */
    int64_t rows, n, entries; /* block rows, scalar rows, and blocks of the pattern */
    int block;
    tulle_factor_kind kind;
    int64_t *source;    /* [entries] as in tulle__factor_from, in the place's memory; or NULL */
    int64_t *order;     /* [n] the row of A at each place, in the place's memory; or NULL */
    tulle__steps steps; /* of elimination; owned */
    double ms, flops;
} tulle__symbolic;

struct tulle_factor {
    atomic_int owners;
    tulle_ctx *ctx; /* owned */
    tulle__symbolic *symbolic;
    tulle_factor_options
        options; /* numbers and flags alone: what it points to is not the factor's */
    tulle_type a_type;
    bool shares_analysis;
    tulle_mat *LU;
    void *row_scale, *col_scale; /* [n] of a_type in the factor's order, in the place's memory */
    uint8_t *pivots;
    tulle__pivots_seen *seen;
    void *moved; /* a multivector in the factor's order */
    size_t moved_bytes;
};

/* Adds an owner of F, who must destroy it too; returns F. */
tulle_factor *tulle__factor_retain(tulle_factor *F);

/* The analysis of A under these options, which were checked. Waits. */
tulle_status tulle__symbolic_make(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle_factor_options *options, tulle__symbolic **symbolic);
void tulle__symbolic_release(tulle__symbolic *symbolic);

/* The pattern of L of L L^T from A, CSR whose columns rise, which has rows: that of its lower
 * triangle. s->pattern stays NULL where a diagonal lacks. Waits. */
tulle_status tulle__lower_make(tulle_ctx *ctx, const tulle_mat *A, tulle__symbolic *s);

/* Lists the steps of F's elimination, if they serve a kernel here and are not too many. Waits. */
tulle_status tulle__steps_make(const char *function, tulle_ctx *ctx, const tulle_factor *F);

/* Whether A has the pattern and the type of the matrix that F is of, and all live here. */
tulle_status tulle__factor_check(const char *function, const tulle_ctx *ctx, const tulle_factor *F,
                                 const tulle_mat *A);

/* Returns the task of a kernel that computes F's values from A's, but for the schedule, parameters
 * and workspace. */
tulle__factor_task tulle__factor_task_of(tulle_ctx *ctx, const tulle_factor *F, const tulle_mat *A);

/* Finds kernel number i to try, as tulle__select does, for a task with its schedule. */
tulle_status tulle__factor_select(const char *function, const tulle_ctx *ctx,
                                  const tulle__factor_task *task, int i, tulle__spec *spec);

/* Whether op(M) X = B can be solved with F, as tulle_factor_solve says. */
tulle_status tulle__factor_solve_check(const char *function, const tulle_ctx *ctx,
                                       const tulle_factor *F, tulle_trans op, const tulle_vec *B,
                                       const tulle_vec *X);

/* L or U as a triangle; U of L L^T is L, transposed, so that op changes. */
tulle__triangle tulle__factor_triangle(const tulle_factor *F, tulle_part part, tulle_trans *op);

/* Which rows of multivectors stand where in F's order, and by what they are scaled, on the way
 * there or back; from and to where is the caller's to add. */
tulle__move tulle__factor_move(const tulle_factor *F, tulle_trans op, bool back);

/* F's values from A's, in stream order. */
tulle_status tulle__factor_compute(const char *function, tulle_ctx *ctx, tulle_factor *F,
                                   const tulle_mat *A);

/* Blocks of a CSR or BSR pattern: its block size, block rows, and stored blocks. */
static inline int tulle__block_of(const tulle__pattern *p) {
    return p->format == TULLE_BSR ? (int)p->storage.block : 1;
}
static inline int64_t tulle__blocks_of(const tulle__pattern *p) {
    return p->format == TULLE_BSR ? tulle__bsr_blocks(&p->storage) : p->nnz;
}

#endif
