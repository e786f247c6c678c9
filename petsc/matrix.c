/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix type aijtulle: PETSc's AIJ, whose products are tulle's. tulle borrows the arrays of a
 * sequential matrix. A matrix that processes share is PETSc's, which sends and receives, and its
 * sequential block of own columns is of this type, and so is the other one if most of its rows have
 * entries. */
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

#include "plugin.h"

static const char seq_type[] = "seqaijtulle", mpi_type[] = "mpiaijtulle";
static const char key[] = "tulle"; /* under which the state hangs on a matrix */

typedef void (*operation)(void);
typedef PetscErrorCode (*assembly_end)(Mat, MatAssemblyType);

/* The part of tulle in a sequential matrix. */
typedef struct state {
    tulle_mat *A; /* borrows PETSc's arrays; NULL: nothing was multiplied yet */
    tulle_vec *x, *y;
    PetscObjectState values, pattern; /* PETSc's counts of changes when A was brought up to date */
    const PetscScalar *array;         /* array of values that A borrows */
    assembly_end end;                 /* PETSc's own */
} state;

static PetscErrorCode forget(state *s) {
    PetscFunctionBegin;
    tulle_vec_destroy(s->x);
    tulle_vec_destroy(s->y);
    tulle_mat_destroy(s->A);
    s->x = s->y = NULL;
    s->A = NULL;
    PetscFunctionReturn(0);
}

static PetscErrorCode discard(void *raw) {
    PetscFunctionBegin;
    PetscCall(forget(raw));
    PetscCall(PetscFree(raw));
    PetscFunctionReturn(0);
}

static PetscErrorCode find(Mat A, state **s) {
    PetscContainer holder;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)A, key, (PetscObject *)&holder));
    *s = NULL;
    if (holder) PetscCall(PetscContainerGetPointer(holder, (void **)s));
    PetscFunctionReturn(0);
}

/* Makes tulle's matrix and its vectors, whose arrays change with each product. */
static PetscErrorCode make(tulle_ctx *ctx, const plugin_rows *r, state *s) {
    static const tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    PetscFunctionBegin;
    PetscCall(forget(s));
    PLUGIN_CALL(tulle_mat_create_csr(
        ctx, r->rows, r->cols, r->offsets[r->rows], (tulle_index)PLUGIN_INDEX, (void *)r->offsets,
        (void *)r->columns, (tulle_type)PLUGIN_TYPE, (void *)r->values, &borrow, &s->A));
    s->array = r->values;
    PetscFunctionReturn(0);
}

/* Brings tulle's matrix up to date with PETSc's. */
static PetscErrorCode update(Mat A, tulle_ctx *ctx, state *s) {
    PetscObjectState values, pattern;
    plugin_rows r;
    PetscFunctionBegin;
    PetscCall(PetscObjectStateGet((PetscObject)A, &values));
    PetscCall(MatGetNonzeroState(A, &pattern));
    if (s->A && values == s->values && pattern == s->pattern) PetscFunctionReturn(0);
    PetscCall(plugin_rows_get(A, &r));
    if (!s->A || pattern != s->pattern || r.values != s->array) {
        PetscCall(make(ctx, &r, s));
    } else {
        PLUGIN_CALL(tulle_mat_values_changed(ctx, s->A));
    }
    PetscCall(plugin_rows_restore(A, &r));
    PetscCall(PetscObjectStateGet((PetscObject)A, &s->values));
    s->pattern = pattern;
    PetscFunctionReturn(0);
}

/* Points a kept vector at PETSc's numbers. */
static PetscErrorCode point(tulle_ctx *ctx, PetscInt rows, const PetscScalar *numbers,
                            tulle_vec **x) {
    PetscFunctionBegin;
    if (*x) {
        PLUGIN_CALL(tulle_vec_point(*x, (void *)numbers));
    } else {
        PetscCall(plugin_wrap(ctx, rows, numbers, x));
    }
    PetscFunctionReturn(0);
}

/* y := op(A) x + beta y */
static PetscErrorCode multiply(Mat A, tulle_trans op, Vec x, double beta, Vec y) {
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt rows, cols;
    tulle_ctx *ctx;
    state *s;
    PetscFunctionBegin;
    PetscCall(find(A, &s));
    PetscCall(plugin_context(&ctx));
    PetscCall(update(A, ctx, s));
    PetscCall(MatGetSize(A, &rows, &cols));
    PetscCall(VecGetArrayRead(x, &from));
    if (beta != 0) {
        PetscCall(VecGetArray(y, &to));
    } else {
        PetscCall(VecGetArrayWrite(y, &to));
    }
    /* s->x has A's columns and s->y its rows, whichever is the result. */
    PetscCall(point(ctx, cols, op == TULLE_N ? from : to, &s->x));
    PetscCall(point(ctx, rows, op == TULLE_N ? to : from, &s->y));
    PLUGIN_CALL(tulle_spmv(ctx, op, tulle_num(1), s->A, op == TULLE_N ? s->x : s->y,
                           tulle_num(beta), op == TULLE_N ? s->y : s->x));
    PetscCall(PetscLogFlops(2.0 * (double)tulle_mat_nnz(s->A)));
    if (beta != 0) {
        PetscCall(VecRestoreArray(y, &to));
    } else {
        PetscCall(VecRestoreArrayWrite(y, &to));
    }
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult(Mat A, Vec x, Vec y) {
    PetscFunctionBegin;
    PetscCall(multiply(A, TULLE_N, x, 0, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_transpose(Mat A, Vec x, Vec y) {
    PetscFunctionBegin;
    PetscCall(multiply(A, TULLE_T, x, 0, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_add(Mat A, Vec x, Vec y, Vec z) {
    PetscFunctionBegin;
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(multiply(A, TULLE_N, x, 1, z));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
    PetscFunctionBegin;
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(multiply(A, TULLE_T, x, 1, z));
    PetscFunctionReturn(0);
}

static PetscErrorCode take_over(Mat A);

/* PETSc's end of an assembly sets products of its own. */
static PetscErrorCode end_assembly(Mat A, MatAssemblyType type) {
    state *s;
    PetscFunctionBegin;
    PetscCall(find(A, &s));
    PetscCall((*s->end)(A, type));
    PetscCall(take_over(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode take_over(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetOperation(A, MATOP_MULT, (operation)mult));
    PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE, (operation)mult_transpose));
    PetscCall(MatSetOperation(A, MATOP_MULT_ADD, (operation)mult_add));
    PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE_ADD, (operation)mult_transpose_add));
    PetscCall(MatSetOperation(A, MATOP_ASSEMBLY_END, (operation)end_assembly));
    PetscFunctionReturn(0);
}

static PetscErrorCode hang(Mat A, void *data, PetscErrorCode (*destroy)(void *)) {
    PetscContainer holder;
    PetscFunctionBegin;
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &holder));
    PetscCall(PetscContainerSetPointer(holder, data));
    PetscCall(PetscContainerSetUserDestroy(holder, destroy));
    PetscCall(PetscObjectCompose((PetscObject)A, key, (PetscObject)holder));
    PetscCall(PetscContainerDestroy(&holder));
    PetscFunctionReturn(0);
}

/* Begins a conversion from PETSc's type: *B is A, or a copy of its numbers that is to be converted
 * in place. */
static PetscErrorCode begin_conversion(Mat A, MatReuse reuse, Mat *B) {
    PetscFunctionBegin;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
    if (reuse == MAT_INPLACE_MATRIX) *B = A;
    if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *B, UNKNOWN_NONZERO_PATTERN));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_sequential(Mat A, MatType type, MatReuse reuse, Mat *B);

/* Turns a sequential AIJ matrix into one of this type, in place. It may be without values: PETSc
 * turns the pattern of a transpose into a matrix of the operand's type, and finds what converts it
 * by name among the functions of such a matrix. */
static PetscErrorCode become_sequential(Mat A) {
    operation end;
    state *s;
    PetscFunctionBegin;
    PetscCall(find(A, &s));
    if (!s) {
        PetscCall(PetscNew(&s));
        PetscCall(MatGetOperation(A, MATOP_ASSEMBLY_END, &end));
        s->end = (assembly_end)end;
        PetscCall(hang(A, s, discard));
    }
    PetscCall(take_over(A));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_seqaij_seqaijtulle_C",
                                         convert_sequential));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, seq_type));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_sequential(Mat A, MatType type, MatReuse reuse, Mat *B) {
    PetscFunctionBegin;
    (void)type;
    PetscCall(begin_conversion(A, reuse, B));
    PetscCall(become_sequential(*B));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_sequential(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATSEQAIJ));
    PetscCall(become_sequential(A));
    PetscFunctionReturn(0);
}

/* The part of tulle in a shared matrix. */
typedef struct shared_state {
    assembly_end end;
} shared_state;

static PetscErrorCode discard_shared(void *raw) {
    PetscFunctionBegin;
    PetscCall(PetscFree(raw));
    PetscFunctionReturn(0);
}

/* True where most rows of a block have no entries, as of the block of other processes' columns.
 * PETSc then multiplies the other rows alone, where tulle would go through all of them. */
static PetscErrorCode is_mostly_empty(Mat block, PetscBool *is) {
    static const double most = 0.6; /* PETSc's own limit */
    PetscInt empty = 0;
    plugin_rows r;
    PetscFunctionBegin;
    PetscCall(plugin_rows_get(block, &r));
    for (PetscInt i = 0; i < r.rows; i++) empty += r.offsets[i + 1] == r.offsets[i];
    *is = (PetscBool)((double)empty > most * (double)r.rows);
    PetscCall(plugin_rows_restore(block, &r));
    PetscFunctionReturn(0);
}

static PetscErrorCode take_blocks(Mat A) {
    Mat own, other;
    PetscBool is_PETSc = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &own, &other, NULL));
    PetscCall(become_sequential(own));
    PetscCall(is_mostly_empty(other, &is_PETSc));
    if (!is_PETSc) PetscCall(become_sequential(other));
    PetscFunctionReturn(0);
}

/* PETSc makes the blocks of a shared matrix before its first assembly ends, and may make others
 * when the pattern changes. */
static PetscErrorCode end_shared_assembly(Mat A, MatAssemblyType type) {
    PetscContainer holder;
    shared_state *s;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)A, key, (PetscObject *)&holder));
    PetscCall(PetscContainerGetPointer(holder, (void **)&s));
    PetscCall((*s->end)(A, type));
    PetscCall(take_blocks(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_shared(Mat A, MatType type, MatReuse reuse, Mat *B);

/* Turns a shared AIJ matrix into one of this type, in place. */
static PetscErrorCode become_shared(Mat A) {
    PetscContainer holder;
    operation end;
    shared_state *s;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)A, key, (PetscObject *)&holder));
    if (holder) PetscFunctionReturn(0);
    PetscCall(PetscNew(&s));
    PetscCall(MatGetOperation(A, MATOP_ASSEMBLY_END, &end));
    s->end = (assembly_end)end;
    PetscCall(hang(A, s, discard_shared));
    PetscCall(MatSetOperation(A, MATOP_ASSEMBLY_END, (operation)end_shared_assembly));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_mpiaij_mpiaijtulle_C",
                                         convert_shared));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi_type));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_shared(Mat A, MatType type, MatReuse reuse, Mat *B) {
    PetscBool assembled;
    PetscFunctionBegin;
    (void)type;
    PetscCall(begin_conversion(A, reuse, B));
    PetscCall(become_shared(*B));
    PetscCall(MatAssembled(*B, &assembled));
    if (assembled) PetscCall(take_blocks(*B));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_shared(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATMPIAIJ));
    PetscCall(become_shared(A));
    PetscFunctionReturn(0);
}

PetscErrorCode plugin_register_matrices(void) {
    PetscFunctionBegin;
    PetscCall(MatRegister(seq_type, create_sequential));
    PetscCall(MatRegister(mpi_type, create_shared));
    PetscCall(MatRegisterRootName(PLUGIN_MATRIX, seq_type, mpi_type));
    PetscFunctionReturn(0);
}
