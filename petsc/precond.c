/* SPDX-License-Identifier: Apache-2.0 */
/* The preconditioner tulle: incomplete factors, or multigrid, of each process's own rows and
 * columns; of several processes, a block Jacobi preconditioner. It is a shell of PETSc's under
 * another name. */
#include <string.h>

#include "plugin.h"

static const char key[] = "tulle"; /* under which the state hangs on a preconditioner */

typedef struct state {
    tulle_linop *M; /* NULL: it was not set up yet */
    PetscInt rows;  /* number of this process's rows */
} state;

static PetscErrorCode discard(void *raw) {
    PetscFunctionBegin;
    tulle_linop_destroy(((state *)raw)->M);
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

static PetscErrorCode make_multigrid(tulle_ctx *ctx, tulle_mat *A, const char *kind, state *s) {
    const tulle_amg_options options = {
        .family = strcmp(kind, "amg-plain") == 0      ? TULLE_AMG_AGGREGATION
                  : strcmp(kind, "amg-smoothed") == 0 ? TULLE_AMG_SMOOTHED
                                                      : TULLE_AMG_FAMILY_CHOOSE,
        .precision = TULLE_AMG_SAME};
    PetscFunctionBegin;
    PLUGIN_CALL(tulle_amg_create(ctx, A, &options, &s->M));
    PetscFunctionReturn(0);
}

/* Makes the preconditioner that the options -pc_tulle_kind and -pc_tulle_fill name. */
static PetscErrorCode make(PC pc, tulle_ctx *ctx, tulle_mat *A, state *s) {
    static const char *const kinds[] = {"ilu", "ic", "amg", "amg-plain", "amg-smoothed"};
    const PetscInt count = sizeof kinds / sizeof *kinds;
    const char *prefix;
    PetscInt kind = 0, fill = 0;
    PetscFunctionBegin;
    PetscCall(PCGetOptionsPrefix(pc, &prefix));
    PetscCall(PetscOptionsGetEList(NULL, prefix, "-pc_tulle_kind", kinds, count, &kind, NULL));
    PetscCall(PetscOptionsGetInt(NULL, prefix, "-pc_tulle_fill", &fill, NULL));
    PetscCheck(fill >= 0 && fill <= 1000000, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_tulle_fill is a level from 0 on");
    if (kind < 2) {
        PetscCall(make_factors(ctx, A, kind == 1, fill, s));
    } else {
        PetscCall(make_multigrid(ctx, A, kinds[kind], s));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode set_up(PC pc) {
    static const tulle_mat_options copy = {.ownership = TULLE_COPY};
    tulle_ctx *ctx;
    tulle_mat *own = NULL;
    plugin_rows r;
    state *s;
    Mat P, block;
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCall(find(pc, &s));
    PetscCall(plugin_context(&ctx));
    PetscCall(PCGetOperators(pc, NULL, &P));
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)P), &size));
    block = P;
    if (size > 1) PetscCall(MatGetDiagonalBlock(P, &block));
    tulle_linop_destroy(s->M);
    s->M = NULL;
    PetscCall(plugin_rows_get(block, &r));
    s->rows = r.rows;
    PLUGIN_CALL(tulle_mat_create_csr(
        ctx, r.rows, r.cols, r.offsets[r.rows], (tulle_index)PLUGIN_INDEX, (void *)r.offsets,
        (void *)r.columns, (tulle_type)PLUGIN_TYPE, (void *)r.values, &copy, &own));
    PetscCall(plugin_rows_restore(block, &r));
    const PetscErrorCode failed = make(pc, ctx, own, s);
    tulle_mat_destroy(own);
    PetscCall(failed);
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
