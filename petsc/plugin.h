/* SPDX-License-Identifier: Apache-2.0 */
/* libtulle within PETSc: one context for this process, and failures in PETSc's form. */
#ifndef PETSC_TULLE_PLUGIN_H
#define PETSC_TULLE_PLUGIN_H

#include <petscksp.h>
#include <tulle/tulle.h>

#if defined(PETSC_USE_COMPLEX)
#error "tulle computes with real numbers: use a PETSc of real ones"
#endif

/* Types of PETSc's numbers and indices as tulle has them. */
enum {
    PLUGIN_TYPE = sizeof(PetscScalar) == 4 ? TULLE_F32 : TULLE_F64,
    PLUGIN_INDEX = sizeof(PetscInt) == 4 ? TULLE_I32 : TULLE_I64
};

#define PLUGIN_MATRIX "aijtulle"
#define PLUGIN_PC "tulle"

/* Fails as PETSc does where a call of tulle's has failed, with its message. */
#define PLUGIN_CALL(call)                                                                          \
    do {                                                                                           \
        if ((call) != TULLE_OK) {                                                                  \
            SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", tulle_last_error()->message);            \
        }                                                                                          \
    } while (0)

/* The context, made when it is first wanted: "cpu:1", or what the option -tulle_on says, a CPU. It
 * ends with PetscFinalize. */
PetscErrorCode plugin_context(tulle_ctx **ctx);

/* The arrays of a sequential AIJ matrix, which stay PETSc's. plugin_rows_restore gives them back.
 */
typedef struct plugin_rows {
    PetscInt rows, cols;
    const PetscInt *offsets, *columns;
    const PetscScalar *values;
} plugin_rows;
PetscErrorCode plugin_rows_get(Mat A, plugin_rows *rows);
PetscErrorCode plugin_rows_restore(Mat A, plugin_rows *rows);

/* Makes a vector of tulle's on an array of PETSc's. */
PetscErrorCode plugin_wrap(tulle_ctx *ctx, PetscInt rows, const PetscScalar *numbers,
                           tulle_vec **x);

/* Register the types. */
PetscErrorCode plugin_register_matrices(void);
PetscErrorCode plugin_register_precond(void);

#endif
