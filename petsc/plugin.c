/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's entry, which PETSc calls where an option -dll_append names the library. */
#include "plugin.h"

static tulle_ctx *context;

static PetscErrorCode end(void) {
    PetscFunctionBegin;
    tulle_ctx_destroy(context);
    context = NULL;
    PetscFunctionReturn(0);
}

PetscErrorCode plugin_context(tulle_ctx **ctx) {
    char place[64] = "cpu:1";
    PetscFunctionBegin;
    if (!context) {
        tulle_device_info device;
        PetscCall(PetscOptionsGetString(NULL, NULL, "-tulle_on", place, sizeof place, NULL));
        PLUGIN_CALL(tulle_ctx_create(place, NULL, &context));
        PetscCall(PetscRegisterFinalize(end));
        PLUGIN_CALL(tulle_ctx_device(context, &device));
        PetscCheck(device.backend == TULLE_CPU, PETSC_COMM_SELF, PETSC_ERR_SUP,
                   "-tulle_on %s: arrays of PETSc's are in host memory: name cpu or cpu:THREADS",
                   place);
    }
    *ctx = context;
    PetscFunctionReturn(0);
}

PetscErrorCode plugin_rows_get(Mat A, plugin_rows *r) {
    PetscBool done = PETSC_FALSE, is_aij;
    PetscFunctionBegin;
    /* Other types have such arrays, too, of blocks or of one triangle. */
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &is_aij));
    if (is_aij) {
        PetscCall(
            MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &r->rows, &r->offsets, &r->columns, &done));
    }
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "tulle takes the rows of a sequential AIJ matrix, and of the diagonal block of a "
               "shared one");
    PetscCall(MatGetSize(A, NULL, &r->cols));
    PetscCall(MatSeqAIJGetArrayRead(A, &r->values));
    PetscFunctionReturn(0);
}

PetscErrorCode plugin_rows_restore(Mat A, plugin_rows *r) {
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatSeqAIJRestoreArrayRead(A, &r->values));
    PetscCall(
        MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &r->rows, &r->offsets, &r->columns, &done));
    PetscFunctionReturn(0);
}

PetscErrorCode plugin_wrap(tulle_ctx *ctx, PetscInt rows, const PetscScalar *numbers,
                           tulle_vec **x) {
    PetscFunctionBegin;
    PLUGIN_CALL(tulle_vec_wrap(ctx, (tulle_type)PLUGIN_TYPE, rows, 1, TULLE_COLUMN_MAJOR, 0,
                               (void *)numbers, x));
    PetscFunctionReturn(0);
}

/* PETSc looks for this name in a library libpetsctulle.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petsctulle(void) {
    PetscFunctionBegin;
    PetscCall(MatInitializePackage());
    PetscCall(PCInitializePackage());
    PetscCall(plugin_register_matrices());
    PetscCall(plugin_register_precond());
    PetscFunctionReturn(0);
}
