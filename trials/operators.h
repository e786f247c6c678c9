/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a diffusion problem on a mesh, -lap u = f with u given on the boundary, and the
 * ways to have it as an operator. */
#ifndef TRIAL_OPERATORS_H
#define TRIAL_OPERATORS_H

#include "trials/mesh_problem.h"
#include "tulle/advanced.h"

/* X(word): the matrix never being there, with sums added up by owners or atomically; by its element
 * matrices, whole, packed, and packed in f32 under f64 vectors; assembled, in a format or in what
 * tulle_mat_optimize takes. */
#define TRIAL_OPERATORS(X)                                                                         \
    X(matrix_free)                                                                                 \
    X(atomic)                                                                                      \
    X(local)                                                                                       \
    X(packed)                                                                                      \
    X(narrow)                                                                                      \
    X(csr)                                                                                         \
    X(ell)                                                                                         \
    X(hyb)                                                                                         \
    X(optimised)

typedef enum trial_operator_kind {
#define X(word) TRIAL_OPERATOR_##word,
    TRIAL_OPERATORS(X) TRIAL_OPERATOR_COUNT
#undef X
} trial_operator_kind;

/* A problem on a mesh, on a place. */
typedef struct trial_mesh {
    tulle_ctx *ctx;
    tulle_mesh *mesh;
    trial_mesh_problem problem; /* problem, and the pattern of its matrix */
    tulle_mesh_info info;
    tulle_mat_info csr; /* sizes of the assembled matrix, in `type` */
    tulle_type type;
} trial_mesh;

/* Opens the problem on the mesh of a specification (tulle/mesh.h). After a failure there is nothing
 * to close. */
tulle_status trial_mesh_open(tulle_ctx *ctx, const char *spec, tulle_type type, trial_mesh *m);
void trial_mesh_close(trial_mesh *m);

/* Makes the problem anew in numbers of another type. */
tulle_status trial_mesh_retype(trial_mesh *m, tulle_type type);

/* An operator, and the fewest bytes of a product: all that the operator keeps once, and x and y. */
typedef struct trial_operator {
    tulle_linop *L;
    int64_t bytes;
} trial_operator;

/* Opens an operator. TULLE_UNSUPPORTED: the problem does not have this kind. After a failure there
 * is nothing to close. */
tulle_status trial_operator_open(const trial_mesh *m, trial_operator_kind kind, trial_operator *o);
void trial_operator_close(trial_operator *o);

#endif
