/* SPDX-License-Identifier: Apache-2.0 */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include "lab/peers/krylov_ilu.h"

#include "lab/peers/krylov.h"
#include "tools/common/error.h"

#define FACTORS(ilu)                                                                               \
    (ilu)->handle, (ilu)->A.rows, (ilu)->A.nnz, (ilu)->A.descriptor, (ilu)->numbers,               \
        (ilu)->A.offsets, (ilu)->A.columns, (ilu)->info

#define SOLVE(ilu, triangle, from, to)                                                             \
    (ilu)->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &(ilu)->one, (triangle)->T, from, to,         \
        cusparse_type((ilu)->type), CUSPARSE_SPSV_ALG_DEFAULT, (triangle)->solve

/* Copies the matrix; csrilu02 replaces the values of the copy. */
static tulle_status copy_matrix(const trial_problem *p, krylov_ilu *ilu) {
    tulle_mat_arrays arrays;
    KRYLOV_TRY(tulle_mat_with_values(p->ctx, p->A, ilu->type, p->info.storage.stored, ilu->A.values,
                                     &ilu->LU));
    KRYLOV_TRY(tulle_mat_view(ilu->LU, &arrays));
    ilu->numbers = (void *)arrays.values;
    return TULLE_OK;
}

static tulle_status factorise(krylov_ilu *ilu) {
    int bytes = 0, at = -1;
    CUSPARSE_LEGACY_TRY(cusparseCreateCsrilu02Info, &ilu->info);
    CUSPARSE_LEGACY_TRY_TYPED(ilu->type, csrilu02_bufferSize, FACTORS(ilu), &bytes);
    KRYLOV_TRY(cusparse_scratch(ilu->ctx, (size_t)bytes, &ilu->scratch, &ilu->buffer));
    CUSPARSE_LEGACY_TRY_TYPED(ilu->type, csrilu02_analysis, FACTORS(ilu), ilu->policy, ilu->buffer);
    CUSPARSE_LEGACY_TRY_TYPED(ilu->type, csrilu02, FACTORS(ilu), ilu->policy, ilu->buffer);
    const cusparseStatus_t status =
        cusparse_legacy.cusparseXcsrilu02_zeroPivot(ilu->handle, ilu->info, &at);
    return cusparse_legacy_pivot(status, at, "csrilu02");
}

static tulle_status make_triangle(krylov_ilu *ilu, tulle_part part) {
    krylov_triangle *t = &ilu->part[part];
    const cusparseDnVecDescr_t v = ilu->middle;
    cusparseDiagType_t ones = CUSPARSE_DIAG_TYPE_UNIT;
    size_t bytes = 0;
    KRYLOV_TRY(cusparse_describe_triangle(ilu->LU, part, &t->T));
    if (part == TULLE_LOWER) {
        CUSPARSE_TRY(cusparseSpMatSetAttribute, t->T, CUSPARSE_SPMAT_DIAG_TYPE, &ones, sizeof ones);
    }
    CUSPARSE_TRY(cusparseSpSV_createDescr, &t->solve);
    CUSPARSE_TRY(cusparseSpSV_bufferSize, SOLVE(ilu, t, v, v), &bytes);
    KRYLOV_TRY(cusparse_scratch(ilu->ctx, bytes, &t->scratch, &t->buffer));
    CUSPARSE_TRY(cusparseSpSV_analysis, SOLVE(ilu, t, v, v), t->buffer);
    return TULLE_OK;
}

static tulle_status make_between(const trial_problem *p, krylov_ilu *ilu) {
    tulle_vec_info info;
    KRYLOV_TRY(tulle_vec_create(p->ctx, ilu->type, p->info.rows, &ilu->between));
    KRYLOV_TRY(tulle_vec_describe(ilu->between, &info));
    CUSPARSE_TRY(cusparseCreateDnVec, &ilu->middle, info.rows, info.data, cusparse_type(ilu->type));
    return TULLE_OK;
}

static tulle_status check(const trial_problem *p) {
    char version[BENCH_VERSION];
    if (!p->info.sorted || cusparse_legacy_available(version) != TULLE_OK) {
        return tool_record(TULLE_UNSUPPORTED, "cuSPARSE's csrilu02: sorted, where it is there");
    }
    return TULLE_OK;
}

tulle_status krylov_ilu_open(const trial_problem *p, cusparseHandle_t handle,
                             cusparseSolvePolicy_t policy, krylov_ilu *ilu) {
    const tulle_type type = p->info.type;
    *ilu = (krylov_ilu){.ctx = p->ctx,
                        .handle = handle,
                        .type = type,
                        .one = cusparse_number(type, 1),
                        .policy = policy};
    KRYLOV_TRY(check(p));
    KRYLOV_TRY(cusparse_legacy_describe(p, &ilu->A));
    KRYLOV_TRY(copy_matrix(p, ilu));
    KRYLOV_TRY(factorise(ilu));
    KRYLOV_TRY(make_between(p, ilu));
    KRYLOV_TRY(make_triangle(ilu, TULLE_LOWER));
    return make_triangle(ilu, TULLE_UPPER);
}

void krylov_ilu_close(krylov_ilu *ilu) {
    for (int part = 0; part < 2; part++) {
        krylov_triangle *t = &ilu->part[part];
        if (t->solve) cusparse.cusparseSpSV_destroyDescr(t->solve);
        if (t->T) cusparse.cusparseDestroySpMat(t->T);
        tulle_vec_destroy(t->scratch);
    }
    if (ilu->middle) cusparse.cusparseDestroyDnVec(ilu->middle);
    if (ilu->info) cusparse_legacy.cusparseDestroyCsrilu02Info(ilu->info);
    if (ilu->A.descriptor) cusparse_legacy.cusparseDestroyMatDescr(ilu->A.descriptor);
    tulle_mat_destroy(ilu->LU);
    tulle_vec_destroy(ilu->between);
    tulle_vec_destroy(ilu->scratch);
}

tulle_status krylov_ilu_apply(const krylov_ilu *ilu, cusparseDnVecDescr_t from,
                              cusparseDnVecDescr_t to) {
    CUSPARSE_TRY(cusparseSpSV_solve, SOLVE(ilu, &ilu->part[TULLE_LOWER], from, ilu->middle));
    CUSPARSE_TRY(cusparseSpSV_solve, SOLVE(ilu, &ilu->part[TULLE_UPPER], ilu->middle, to));
    return TULLE_OK;
}

#endif
