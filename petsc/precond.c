/* SPDX-License-Identifier: Apache-2.0 */
/* The preconditioner tulle: multigrid, over all processes, or incomplete factors of each process's
 * own rows and columns; these are of several processes a block Jacobi preconditioner. It is a shell
 * of PETSc's under another name. */
#include <string.h>
#include <tulle/comm_mpi.h>

#include "plugin.h"

static const char key[] = "tulle"; /* under which the state hangs on a preconditioner */

enum { FACTORS = 2, KINDS = 5 };
static const char *const kinds[KINDS] = {"ilu", "ic", "amg", "amg-plain", "amg-smoothed"};

typedef struct state {
    tulle_linop *M;   /* NULL: it was not set up yet */
    tulle_comm *comm; /* NULL: messages were not needed yet */
    PetscInt rows;    /* number of this process's rows */
} state;

static PetscErrorCode discard(void *raw) {
    PetscFunctionBegin;
    tulle_linop_destroy(((state *)raw)->M);
    tulle_comm_destroy(((state *)raw)->comm);
    PetscCall(PetscFree(raw));
    PetscFunctionReturn(0);
}

static PetscErrorCode find(PC pc, state **s) {
    PetscContainer holder;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)pc, key, (PetscObject *)&holder));
    PetscCheck(holder, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "it is none of tulle's");
    PetscCall(PetscContainerGetPointer(holder, (void **)s));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_factors(tulle_ctx *ctx, tulle_mat *A, bool symmetric, PetscInt fill,
                                   state *s) {
    const tulle_factor_options options = {.kind = symmetric ? TULLE_CHOLESKY : TULLE_LU,
                                          .fill = (int)fill};
    tulle_factor *F = NULL;
    PetscFunctionBegin;
    PLUGIN_CALL(tulle_factor_create(ctx, A, &options, &F));
    const tulle_status status = tulle_linop_from_factor(ctx, F, (tulle_type)PLUGIN_TYPE, &s->M);
    tulle_factor_destroy(F);
    PLUGIN_CALL(status);
    PetscFunctionReturn(0);
}

static tulle_amg_options multigrid_of(PetscInt kind) {
    static const tulle_amg_family families[KINDS - FACTORS] = {
        TULLE_AMG_FAMILY_CHOOSE, TULLE_AMG_AGGREGATION, TULLE_AMG_SMOOTHED};
    return (tulle_amg_options){.family = families[kind - FACTORS], .precision = TULLE_AMG_SAME};
}

/* Reads the options -pc_tulle_kind and -pc_tulle_fill. */
static PetscErrorCode take_options(PC pc, PetscInt *kind, PetscInt *fill) {
    const char *prefix;
    PetscFunctionBegin;
    *kind = *fill = 0;
    PetscCall(PCGetOptionsPrefix(pc, &prefix));
    PetscCall(PetscOptionsGetEList(NULL, prefix, "-pc_tulle_kind", kinds, KINDS, kind, NULL));
    PetscCall(PetscOptionsGetInt(NULL, prefix, "-pc_tulle_fill", fill, NULL));
    PetscCheck(*fill >= 0 && *fill <= 1000000, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_tulle_fill is a level from 0 on");
    PetscFunctionReturn(0);
}

/* Makes a preconditioner of a sequential matrix. */
static PetscErrorCode make_own(tulle_ctx *ctx, Mat block, PetscInt kind, PetscInt fill, state *s) {
    static const tulle_mat_options copy = {.ownership = TULLE_COPY};
    tulle_mat *own = NULL;
    plugin_rows r;
    PetscErrorCode failed = 0;
    PetscFunctionBegin;
    PetscCall(plugin_rows_get(block, &r));
    PLUGIN_CALL(tulle_mat_create_csr(
        ctx, r.rows, r.cols, r.offsets[r.rows], (tulle_index)PLUGIN_INDEX, (void *)r.offsets,
        (void *)r.columns, (tulle_type)PLUGIN_TYPE, (void *)r.values, &copy, &own));
    PetscCall(plugin_rows_restore(block, &r));
    if (kind < FACTORS) {
        failed = make_factors(ctx, own, kind == 1, fill, s);
        tulle_mat_destroy(own);
    } else {
        const tulle_amg_options options = multigrid_of(kind);
        const tulle_status status = tulle_amg_create(ctx, own, &options, &s->M);
        tulle_mat_destroy(own);
        PLUGIN_CALL(status);
    }
    PetscCall(failed);
    PetscFunctionReturn(0);
}

/* Makes tulle's shared matrix of this process's rows, in which columns are those of the whole
 * matrix. */
static PetscErrorCode share(tulle_ctx *ctx, Mat P, Mat rows, state *s, tulle_dist_mat **A) {
    int64_t *offsets, *columns;
    PetscInt cols;
    plugin_rows r;
    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(P, NULL, &cols));
    PetscCall(plugin_rows_get(rows, &r));
    PetscCall(PetscMalloc2(r.rows + 1, &offsets, r.offsets[r.rows] + 1, &columns));
    for (PetscInt i = 0; i <= r.rows; i++) offsets[i] = r.offsets[i];
    for (PetscInt k = 0; k < r.offsets[r.rows]; k++) columns[k] = r.columns[k];
    const tulle_status status = tulle_dist_mat_create(ctx, s->comm, r.rows, cols, offsets, columns,
                                                      (tulle_type)PLUGIN_TYPE, r.values, A);
    PetscCall(PetscFree2(offsets, columns));
    PetscCall(plugin_rows_restore(rows, &r));
    PLUGIN_CALL(status);
    PetscFunctionReturn(0);
}

/* Makes multigrid over the processes of a shared matrix. */
static PetscErrorCode make_shared(tulle_ctx *ctx, Mat P, PetscInt kind, state *s) {
    const tulle_amg_options options = multigrid_of(kind);
    MPI_Comm comm = PetscObjectComm((PetscObject)P);
    tulle_dist_mat *A = NULL;
    Mat rows;
    PetscFunctionBegin;
    if (!s->comm) PLUGIN_CALL(tulle_comm_create_mpi(&comm, 0, &s->comm));
    PetscCall(MatMPIAIJGetLocalMat(P, MAT_INITIAL_MATRIX, &rows));
    PetscCall(share(ctx, P, rows, s, &A));
    PetscCall(MatDestroy(&rows));
    const tulle_status status = tulle_amg_create_dist(ctx, A, &options, &s->M);
    tulle_dist_mat_destroy(A);
    PLUGIN_CALL(status);
    PetscFunctionReturn(0);
}

static PetscErrorCode set_up(PC pc) {
    PetscInt kind, fill;
    tulle_ctx *ctx;
    state *s;
    Mat P, block;
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCall(find(pc, &s));
    PetscCall(plugin_context(&ctx));
    PetscCall(take_options(pc, &kind, &fill));
    PetscCall(PCGetOperators(pc, NULL, &P));
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)P), &size));
    PetscCall(MatGetLocalSize(P, &s->rows, NULL));
    tulle_linop_destroy(s->M);
    s->M = NULL;
    if (size > 1 && kind >= FACTORS) {
        PetscCall(make_shared(ctx, P, kind, s));
    } else {
        block = P;
        if (size > 1) PetscCall(MatGetDiagonalBlock(P, &block));
        PetscCall(make_own(ctx, block, kind, fill, s));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode apply_op(PC pc, tulle_trans op, Vec x, Vec y) {
    const PetscScalar *from;
    PetscScalar *to;
    tulle_vec *in = NULL, *out = NULL;
    tulle_ctx *ctx;
    state *s;
    PetscFunctionBegin;
    PetscCall(find(pc, &s));
    PetscCall(plugin_context(&ctx));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    PetscCall(plugin_wrap(ctx, s->rows, from, &in));
    PetscCall(plugin_wrap(ctx, s->rows, to, &out));
    const tulle_status status =
        tulle_linop_apply(ctx, op, tulle_num(1), s->M, in, tulle_num(0), out);
    tulle_vec_destroy(in);
    tulle_vec_destroy(out);
    PLUGIN_CALL(status);
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscFunctionReturn(0);
}

static PetscErrorCode apply(PC pc, Vec x, Vec y) {
    PetscFunctionBegin;
    PetscCall(apply_op(pc, TULLE_N, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode apply_transpose(PC pc, Vec x, Vec y) {
    PetscFunctionBegin;
    PetscCall(apply_op(pc, TULLE_T, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode create(PC pc) {
    PetscContainer holder;
    state *s;
    PetscFunctionBegin;
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetName(pc, PLUGIN_PC));
    PetscCall(PCShellSetSetUp(pc, set_up));
    PetscCall(PCShellSetApply(pc, apply));
    PetscCall(PCShellSetApplyTranspose(pc, apply_transpose));
    PetscCall(PetscNew(&s));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &holder));
    PetscCall(PetscContainerSetPointer(holder, s));
    PetscCall(PetscContainerSetUserDestroy(holder, discard));
    PetscCall(PetscObjectCompose((PetscObject)pc, key, (PetscObject)holder));
    PetscCall(PetscContainerDestroy(&holder));
    PetscCall(PetscObjectChangeTypeName((PetscObject)pc, PLUGIN_PC));
    PetscFunctionReturn(0);
}

PetscErrorCode plugin_register_precond(void) {
    PetscFunctionBegin;
    PetscCall(PCRegister(PLUGIN_PC, create));
    PetscFunctionReturn(0);
}
