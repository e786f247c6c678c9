/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: cusparseSpSV for one right-hand side and cusparseSpSM for any number, of a triangle of
 * the same CSR arrays, or of its transpose. The time of the analysis covers everything from asking
 * for the size of the buffer on. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/cusparse_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

enum { SPSV, SPSM };

typedef struct solve_task {
    tulle_ctx *ctx;
    int way;
    cusparseOperation_t op;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t T;
    cusparseConstDnVecDescr_t b;
    cusparseDnVecDescr_t x;
    cusparseConstDnMatDescr_t B;
    cusparseDnMatDescr_t X;
    cusparseSpSVDescr_t spsv;
    cusparseSpSMDescr_t spsm;
    tulle_vec *scratch; /* scratch of the analysis, which the solves use, too */
    void *buffer;
    cudaDataType type;
    cusparse_scalar one;
} solve_task;

static const cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

#define SPSV_ARGUMENTS(t)                                                                          \
    (t)->handle, (t)->op, &(t)->one, (t)->T, (t)->b, (t)->x, (t)->type, CUSPARSE_SPSV_ALG_DEFAULT, \
        (t)->spsv
#define SPSM_ARGUMENTS(t)                                                                          \
    (t)->handle, (t)->op, as_is, &(t)->one, (t)->T, (t)->B, (t)->X, (t)->type,                     \
        CUSPARSE_SPSM_ALG_DEFAULT, (t)->spsm

static tulle_status describe_vectors(solve_task *t, const trial_problem *problem) {
    tulle_vec_info b, x;
    tulle_status status = tulle_vec_describe(problem->x, &b);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &x);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateConstDnVec, &t->b, b.rows, b.data, t->type);
    CUSPARSE_TRY(cusparseCreateDnVec, &t->x, x.rows, x.data, t->type);
    return TULLE_OK;
}

static tulle_status describe_sides(solve_task *t, const trial_problem *problem) {
    if (t->way == SPSV) return describe_vectors(t, problem);
    tulle_status status = cusparse_describe_input(problem->x, &t->B);
    return status == TULLE_OK ? cusparse_describe_output(problem->y, &t->X) : status;
}

static tulle_status analyse_vector(solve_task *t, size_t *bytes) {
    CUSPARSE_TRY(cusparseSpSV_createDescr, &t->spsv);
    CUSPARSE_TRY(cusparseSpSV_bufferSize, SPSV_ARGUMENTS(t), bytes);
    tulle_status status = cusparse_scratch(t->ctx, *bytes, &t->scratch, &t->buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpSV_analysis, SPSV_ARGUMENTS(t), t->buffer);
    return TULLE_OK;
}

static tulle_status analyse_columns(solve_task *t, size_t *bytes) {
    CUSPARSE_TRY(cusparseSpSM_createDescr, &t->spsm);
    CUSPARSE_TRY(cusparseSpSM_bufferSize, SPSM_ARGUMENTS(t), bytes);
    tulle_status status = cusparse_scratch(t->ctx, *bytes, &t->scratch, &t->buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseSpSM_analysis, SPSM_ARGUMENTS(t), t->buffer);
    return TULLE_OK;
}

static tulle_status analyse(solve_task *t, trial_task *task) {
    size_t bytes = 0;
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = t->way == SPSV ? analyse_vector(t, &bytes) : analyse_columns(t, &bytes);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(t->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->extra_bytes = (int64_t)bytes;
    return status;
}

static void close_task(void *state) {
    solve_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->spsv) cusparse.cusparseSpSV_destroyDescr(t->spsv);
    if (t->spsm) cusparse.cusparseSpSM_destroyDescr(t->spsm);
    if (t->b) cusparse.cusparseDestroyDnVec(t->b);
    if (t->x) cusparse.cusparseDestroyDnVec(t->x);
    if (t->B) cusparse.cusparseDestroyDnMat(t->B);
    if (t->X) cusparse.cusparseDestroyDnMat(t->X);
    if (t->T) cusparse.cusparseDestroySpMat(t->T);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    tulle_vec_destroy(t->scratch);
    free(t);
}

static tulle_status check_problem(const trial_problem *problem, int way) {
    bool csr = problem->info.format == TULLE_CSR;
    if (csr && (way == SPSM || !trial_is_block(&problem->block))) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "cuSPARSE's SpSV and SpSM: for CSR, SpSV for one vector");
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    tulle_status status = check_problem(problem, peer->variant);
    if (status != TULLE_OK) return status;
    tulle_type type = problem->info.type;
    solve_task *t = tool_alloc(1, sizeof *t);
    *t = (solve_task){.ctx = problem->ctx,
                      .way = peer->variant,
                      .op = cusparse_operation(problem->trans),
                      .type = cusparse_type(type),
                      .one = cusparse_number(type, 1)};
    *task = (trial_task){.state = t};
    status = cusparse_open(t->ctx, &t->handle);
    if (status == TULLE_OK) {
        status = cusparse_describe_triangle(problem->A, (tulle_part)problem->detail, &t->T);
    }
    if (status == TULLE_OK) status = describe_sides(t, problem);
    if (status == TULLE_OK) status = analyse(t, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const solve_task *t = state;
    if (t->way == SPSV) {
        CUSPARSE_TRY(cusparseSpSV_solve, SPSV_ARGUMENTS(t));
    } else {
        CUSPARSE_TRY(cusparseSpSM_solve, SPSM_ARGUMENTS(t));
    }
    return TULLE_OK;
}

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .op = "trisolve",                                                                          \
        .available = cusparse_available,                                                           \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_spsv, SPSV)
PEER(cusparse_spsm, SPSM)

#endif
