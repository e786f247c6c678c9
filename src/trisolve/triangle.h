/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles of matrices, for tulle_trisolve and for factors: they are solved with in the same way.
 */
#ifndef TULLE_TRISOLVE_TRIANGLE_H
#define TULLE_TRISOLVE_TRIANGLE_H

#include "dense/dense.h"
#include "matrix/matrix.h"
#include "trisolve/trisolve.h"

/* T: a triangle of a square CSR or BSR matrix. */
typedef struct tulle__triangle {
    const tulle_mat *A;
    tulle_part part;
    tulle__diagonal diagonal;
    const uint8_t *pivots; /* see tulle__trisolve_task */
} tulle__triangle;

/* The schedule of op(T) for A's pattern, made (waits) at the first call and kept with the pattern,
 * which owns it. T's diagonal may lack; who needs it looks at faulty_row. */
tulle_status tulle__schedule_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                tulle_part part, tulle_trans op, const tulle__schedule **schedule);

/* The same, and whether T has the diagonal that it needs. */
tulle_status tulle__triangle_ready(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                   tulle_trans op, const tulle__schedule **schedule);

/* Whether op(T) X = B can be solved, as tulle_trisolve says, but for the diagonal and alpha. */
tulle_status tulle__trisolve_check(const char *function, const tulle_ctx *ctx, tulle_part part,
                                   tulle_diag diag, tulle_trans op, const tulle_mat *A,
                                   const tulle_vec *B, const tulle_vec *X);
static inline tulle__diagonal tulle__diagonal_of(tulle_diag diag) {
    return diag == TULLE_UNIT ? TULLE__DIAGONAL_UNIT_TRIANGLE : TULLE__DIAGONAL_TRIANGLE;
}

/* What a kernel is given for X := alpha op(T)^-1 B, but for its parameters and its workspace, all
 * checked but for the diagonal, which is looked at here; it refers to the view of A's pattern. May
 * wait, as tulle__schedule_of. */
tulle_status tulle__triangle_task(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                  tulle_trans op, tulle_scalar alpha, const tulle_vec *B,
                                  tulle_vec *X, const tulle__pattern_view *view,
                                  tulle__trisolve_task *task);

/* X := alpha op(T)^-1 B, B and X having the rows of T, or fewer where its last block reaches beyond
 * them; all checked but for what the schedule says: shapes, spaces, types, aliases. Selects the
 * kernel and takes the context's workspace. */
tulle_status tulle__triangle_solve(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                   tulle_trans op, tulle_scalar alpha, const tulle_vec *B,
                                   tulle_vec *X);

/* What that would do first to bring T into another form, alone; *converts: whether it does anything
 * of the kind. B and X say shapes and types, and are left alone. */
tulle_status tulle__triangle_convert(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                     tulle_trans op, const tulle_vec *B, tulle_vec *X,
                                     bool *converts);

#endif
