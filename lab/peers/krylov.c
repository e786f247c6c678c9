/* SPDX-License-Identifier: Apache-2.0 */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include "lab/peers/krylov.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"

static const cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

tulle_status krylov_available(char version[BENCH_VERSION]) {
    char dense[BENCH_VERSION];
    KRYLOV_TRY(cusparse_available(version));
    KRYLOV_TRY(cublas_available(dense));
    const size_t length = strlen(version);
    snprintf(version + length, BENCH_VERSION - length, ", %s", dense);
    return TULLE_OK;
}

static tulle_status check_problem(const trial_problem *p) {
    if (p->info.format == TULLE_CSR && p->info.rows <= INT_MAX) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "methods of cuSPARSE and cuBLAS here: for CSR");
}

static tulle_status describe_vector(krylov *k, int number, const tulle_vec *vector) {
    tulle_vec_info info;
    KRYLOV_TRY(tulle_vec_describe(vector, &info));
    k->data[number] = info.data;
    CUSPARSE_TRY(cusparseCreateDnVec, &k->descriptor[number], info.rows, info.data,
                 cusparse_type(k->type));
    return TULLE_OK;
}

static tulle_status make_vector(krylov *k, int number) {
    KRYLOV_TRY(tulle_vec_create(k->problem->ctx, k->type, k->n, &k->vector[number]));
    return describe_vector(k, number, k->vector[number]);
}

tulle_status krylov_make_basis(krylov *k, int first, int count, tulle_vec **basis) {
    enum { UNIT = 32 };
    const int64_t ld = ((int64_t)k->n + UNIT - 1) / UNIT * UNIT;
    tulle_vec_info info;
    KRYLOV_TRY(tulle_vec_create_columns(k->problem->ctx, k->type, k->n, count, TULLE_COLUMN_MAJOR,
                                        ld, basis));
    KRYLOV_TRY(tulle_vec_describe(*basis, &info));
    for (int i = 0; i < count; i++) {
        k->data[first + i] = (char *)info.data + i * info.ld * tulle_type_size(k->type);
        CUSPARSE_TRY(cusparseCreateDnVec, &k->descriptor[first + i], info.rows, k->data[first + i],
                     cusparse_type(k->type));
    }
    return TULLE_OK;
}

static tulle_status make_vectors(krylov *k, int own) {
    KRYLOV_TRY(describe_vector(k, KRYLOV_B, k->problem->x));
    KRYLOV_TRY(describe_vector(k, KRYLOV_X, k->problem->y));
    for (int i = 0; i < own; i++) KRYLOV_TRY(make_vector(k, KRYLOV_OWN + i));
    return TULLE_OK;
}

/* Fills the diagonal with the result of tulle's own preconditioner for a vector of ones. */
static tulle_status fill_diagonal(krylov *k, tulle_linop *A) {
    tulle_ctx *ctx = k->problem->ctx;
    tulle_vec *ones = NULL;
    tulle_linop *M = NULL;
    tulle_status status = tulle_vec_create(ctx, k->type, k->n, &ones);
    if (status == TULLE_OK) status = tulle_vec_fill(ctx, ones, 1);
    if (status == TULLE_OK) status = tulle_linop_jacobi(ctx, A, &M);
    if (status == TULLE_OK) {
        status = tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, ones, tulle_num(0),
                                   k->vector[KRYLOV_DIAGONAL]);
    }
    tulle_linop_destroy(M);
    tulle_vec_destroy(ones);
    return status;
}

static tulle_status make_jacobi(krylov *k) {
    tulle_linop *A = NULL;
    KRYLOV_TRY(make_vector(k, KRYLOV_DIAGONAL));
    KRYLOV_TRY(tulle_linop_from_mat(k->problem->ctx, k->problem->A, &A));
    tulle_status status = fill_diagonal(k, A);
    tulle_linop_destroy(A);
    return status;
}

static tulle_status make_ilu(krylov *k, trial_task *task) {
    tulle_ctx *ctx = k->problem->ctx;
    KRYLOV_TRY(tulle_ctx_synchronize(ctx));
    const double start = tulle__seconds();
    KRYLOV_TRY(krylov_ilu_open(k->problem, k->sparse, k->way.policy, &k->ilu));
    KRYLOV_TRY(tulle_ctx_synchronize(ctx));
    task->prep_ms += 1e3 * (tulle__seconds() - start);
    return TULLE_OK;
}

static tulle_status make_preconditioner(krylov *k, trial_task *task) {
    if (k->problem->detail == TRIAL_SOLVE_NONE) return TULLE_OK;
    return k->problem->detail == TRIAL_SOLVE_JACOBI ? make_jacobi(k) : make_ilu(k, task);
}

static tulle_status make_scalars(krylov *k) {
    static const float narrow[KRYLOV_SCALARS] = {[KRYLOV_ONE] = 1, [KRYLOV_MINUS_ONE] = -1};
    static const double wide[KRYLOV_SCALARS] = {[KRYLOV_ONE] = 1, [KRYLOV_MINUS_ONE] = -1};
    const void *start = k->type == TULLE_F32 ? (const void *)narrow : wide;
    tulle_vec_info info;
    KRYLOV_TRY(tulle_vec_create(k->problem->ctx, k->type, KRYLOV_SCALARS, &k->scalars));
    KRYLOV_TRY(tulle_vec_write(k->problem->ctx, k->scalars, start, 0));
    KRYLOV_TRY(tulle_vec_describe(k->scalars, &info));
    k->scalar = info.data;
    return TULLE_OK;
}

#define PRODUCT(k, from, to)                                                                       \
    (k)->sparse, as_is, &(k)->one, (k)->A, (k)->descriptor[from], &(k)->zero, (k)->descriptor[to], \
        cusparse_type((k)->type), (k)->way.algorithm

static tulle_status preprocess(krylov *k, trial_task *task) {
    tulle_ctx *ctx = k->problem->ctx;
    size_t bytes = 0;
    KRYLOV_TRY(tulle_ctx_synchronize(ctx));
    const double start = tulle__seconds();
    CUSPARSE_TRY(cusparseSpMV_bufferSize, PRODUCT(k, KRYLOV_B, KRYLOV_X), &bytes);
    KRYLOV_TRY(cusparse_scratch(ctx, bytes, &k->sparse_scratch, &k->buffer));
    CUSPARSE_TRY(cusparseSpMV_preprocess, PRODUCT(k, KRYLOV_B, KRYLOV_X), k->buffer);
    KRYLOV_TRY(tulle_ctx_synchronize(ctx));
    task->prep_ms += 1e3 * (tulle__seconds() - start);
    return TULLE_OK;
}

static tulle_status in_use(tulle_ctx *ctx, int64_t *bytes) {
    tulle_memory_usage usage;
    KRYLOV_TRY(tulle_ctx_memory(ctx, &usage));
    *bytes = (int64_t)usage.in_use;
    return TULLE_OK;
}

static tulle_status make_all(krylov *k, int own, trial_task *task) {
    tulle_ctx *ctx = k->problem->ctx;
    KRYLOV_TRY(cusparse_open(ctx, &k->sparse));
    KRYLOV_TRY(cublas_open(ctx, false, &k->dense, &k->dense_scratch));
    KRYLOV_TRY(cuda_divide_open(k->type, &k->divide));
    KRYLOV_TRY(cusparse_describe_csr(k->problem->A, &k->A));
    KRYLOV_TRY(make_vectors(k, own));
    KRYLOV_TRY(make_scalars(k));
    KRYLOV_TRY(make_preconditioner(k, task));
    return preprocess(k, task);
}

tulle_status krylov_open(const trial_problem *problem, krylov_way way, int own, krylov *k,
                         trial_task *task) {
    const tulle_type type = problem->info.type;
    KRYLOV_TRY(check_problem(problem));
    *k = (krylov){.problem = problem,
                  .way = way,
                  .type = type,
                  .n = (int)problem->info.rows,
                  .one = cusparse_number(type, 1),
                  .zero = cusparse_number(type, 0)};
    int64_t before = 0, after = 0;
    KRYLOV_TRY(in_use(problem->ctx, &before));
    KRYLOV_TRY(make_all(k, own, task));
    KRYLOV_TRY(in_use(problem->ctx, &after));
    task->extra_bytes = after - before;
    return TULLE_OK;
}

void krylov_close(krylov *k) {
    for (int i = 0; i < KRYLOV_VECTORS; i++) {
        if (k->descriptor[i]) cusparse.cusparseDestroyDnVec(k->descriptor[i]);
        tulle_vec_destroy(k->vector[i]);
    }
    krylov_ilu_close(&k->ilu);
    if (k->A) cusparse.cusparseDestroySpMat(k->A);
    cuda_divide_close(&k->divide);
    if (k->dense) cublas.cublasDestroy_v2(k->dense);
    if (k->sparse) cusparse.cusparseDestroy(k->sparse);
    tulle_vec_destroy(k->scalars);
    tulle_vec_destroy(k->sparse_scratch);
    tulle_vec_destroy(k->dense_scratch);
}

void *krylov_scalar(const krylov *k, int s) {
    return k->scalar + s * tulle_type_size(k->type);
}

tulle_status krylov_multiply(const krylov *k, int from, int to) {
    CUSPARSE_TRY(cusparseSpMV, PRODUCT(k, from, to), k->buffer);
    return TULLE_OK;
}

tulle_status krylov_precondition(const krylov *k, int from, int to) {
    if (k->problem->detail == TRIAL_SOLVE_NONE) return TULLE_OK;
    if (k->problem->detail == TRIAL_SOLVE_ILU) {
        return krylov_ilu_apply(&k->ilu, k->descriptor[from], k->descriptor[to]);
    }
    CUBLAS_TRY_TYPED(k->type, dgmm, k->dense, CUBLAS_SIDE_LEFT, k->n, 1, k->data[from], k->n,
                     k->data[KRYLOV_DIAGONAL], 1, k->data[to], k->n);
    return TULLE_OK;
}

tulle_status krylov_dot(const krylov *k, int x, int y, int s) {
    CUBLAS_TRY_TYPED(k->type, dot_v2, k->dense, k->n, k->data[x], 1, k->data[y], 1,
                     krylov_scalar(k, s));
    return TULLE_OK;
}

tulle_status krylov_divide(const krylov *k, int s, int a, int b) {
    return krylov_divide_two(k, s, a, b, KRYLOV_ONE, KRYLOV_ONE);
}

tulle_status krylov_divide_two(const krylov *k, int s, int a, int b, int c, int d) {
    const cuda_fractions fractions = {.to = krylov_scalar(k, s),
                                      .a = krylov_scalar(k, a),
                                      .b = krylov_scalar(k, b),
                                      .c = krylov_scalar(k, c),
                                      .d = krylov_scalar(k, d)};
    return cuda_divide_start(&k->divide, tulle_ctx_stream(k->problem->ctx), &fractions);
}

tulle_status krylov_add(const krylov *k, int s, int x, int y) {
    CUBLAS_TRY_TYPED(k->type, axpy_v2, k->dense, k->n, krylov_scalar(k, s), k->data[x], 1,
                     k->data[y], 1);
    return TULLE_OK;
}

tulle_status krylov_scale(const krylov *k, int s, int x) {
    CUBLAS_TRY_TYPED(k->type, scal_v2, k->dense, k->n, krylov_scalar(k, s), k->data[x], 1);
    return TULLE_OK;
}

tulle_status krylov_turn(const krylov *k, int s, int y, int t, int x) {
    if (!k->way.geam) {
        KRYLOV_TRY(krylov_scale(k, s, y));
        return krylov_add(k, t, x, y);
    }
    CUBLAS_TRY_TYPED(k->type, geam, k->dense, CUBLAS_OP_N, CUBLAS_OP_N, k->n, 1,
                     krylov_scalar(k, t), k->data[x], k->n, krylov_scalar(k, s), k->data[y], k->n,
                     k->data[y], k->n);
    return TULLE_OK;
}

tulle_status krylov_copy(const krylov *k, int x, int y) {
    CUBLAS_TRY_TYPED(k->type, copy_v2, k->dense, k->n, k->data[x], 1, k->data[y], 1);
    return TULLE_OK;
}

#endif
