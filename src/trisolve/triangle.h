/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles of matrices, for tulle_trisolve and for factors, which are solved with in the same
 * way. */
#ifndef TULLE_TRISOLVE_TRIANGLE_H
#define TULLE_TRISOLVE_TRIANGLE_H

#include "dense/dense.h"
#include "matrix/matrix.h"
#include "trisolve/trisolve.h"

/* T, a triangle of a square CSR or BSR matrix. */
typedef struct tulle__triangle {
    const tulle_mat *A;
    tulle_part part;
    tulle__diagonal diagonal;
    const uint8_t *pivots; /* pivots, as in tulle__trisolve_task */
} tulle__triangle;

/* Gets the schedule of op(T) for A's pattern, which is made (and waits) at the first call and
 * kept with the pattern, its owner. T's diagonal may lack; a caller that needs it looks at
 * faulty_row. */
tulle_status tulle__schedule_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                tulle_part part, tulle_trans op, const tulle__schedule **schedule);

/* Gets the schedule, and fails if T lacks a diagonal that it needs. */
tulle_status tulle__triangle_ready(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                   tulle_trans op, const tulle__schedule **schedule);

/* Fails if op(T) X = B cannot be solved, by the rules of tulle_trisolve, except for the diagonal
 * and alpha. */
tulle_status tulle__trisolve_check(const char *function, const tulle_ctx *ctx, tulle_part part,
                                   tulle_diag diag, tulle_trans op, const tulle_mat *A,
                                   const tulle_vec *B, const tulle_vec *X);
static inline tulle__diagonal tulle__diagonal_of(tulle_diag diag) {
    return diag == TULLE_UNIT ? TULLE__DIAGONAL_UNIT_TRIANGLE : TULLE__DIAGONAL_TRIANGLE;
}

/* Makes the task of a kernel for X := alpha op(T)^-1 B, except its parameters and its workspace.
 * The caller has checked all but the diagonal, which is checked here. The task refers to the view
 * of A's pattern. May wait, as tulle__schedule_of. */
tulle_status tulle__triangle_task(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                  tulle_trans op, tulle_scalar alpha, const tulle_vec *B,
                                  tulle_vec *X, const tulle__pattern_view *view,
                                  tulle__trisolve_task *task);

/* Computes X := alpha op(T)^-1 B. B and X have the rows of T, or fewer if its last block has
 * padding. The caller has checked shapes, spaces, types and aliases, but not the schedule. Selects
 * the kernel and takes the context's workspace. */
tulle_status tulle__triangle_solve(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                   tulle_trans op, tulle_scalar alpha, const tulle_vec *B,
                                   tulle_vec *X);

/* Does only the conversion of T that tulle__triangle_solve would do first; *converts is true if
 * there is one. B and X give shapes and types, and are not touched. */
tulle_status tulle__triangle_convert(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                     tulle_trans op, const tulle_vec *B, tulle_vec *X,
                                     bool *converts);

#endif
