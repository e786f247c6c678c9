/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: csrilu02, csric02 and bsrilu02, each with the levels that its analysis finds, and
 * without them. They work in place: a timed call copies A's values and factorises the copy, as a
 * user must who keeps A. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/cusparse_legacy.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef enum method { CSR_LU, CSR_CHOLESKY, BSR_LU } method;

/* Settings of a peer of this file. */
typedef struct way {
    method method;
    cusparseSolvePolicy_t policy;
} way;

static const way ways[] = {
    {CSR_LU, CUSPARSE_SOLVE_POLICY_USE_LEVEL},       {CSR_LU, CUSPARSE_SOLVE_POLICY_NO_LEVEL},
    {CSR_CHOLESKY, CUSPARSE_SOLVE_POLICY_USE_LEVEL}, {CSR_CHOLESKY, CUSPARSE_SOLVE_POLICY_NO_LEVEL},
    {BSR_LU, CUSPARSE_SOLVE_POLICY_USE_LEVEL},       {BSR_LU, CUSPARSE_SOLVE_POLICY_NO_LEVEL}};
enum { ILU, ILU_NO_LEVEL, IC, IC_NO_LEVEL, BLOCK_ILU, BLOCK_ILU_NO_LEVEL };

typedef struct factor_task {
    tulle_ctx *ctx;
    way way;
    cusparseHandle_t handle;
    cusparse_legacy_matrix A;
    csrilu02Info_t ilu;
    csric02Info_t ic;
    bsrilu02Info_t block_ilu;
    tulle_vec *source; /* A's values */
    tulle_vec *y;      /* the problem's vector y */
    void *values;      /* the numbers of y */
    tulle_vec *scratch;
    void *buffer;
} factor_task;

/* Arguments that calls have in common. */
#define CSR(t, info)                                                                               \
    (t)->handle, (t)->A.rows, (t)->A.nnz, (t)->A.descriptor, (t)->values, (t)->A.offsets,          \
        (t)->A.columns, (t)->info
#define BSR(t)                                                                                     \
    (t)->handle, CUSPARSE_DIRECTION_ROW, (t)->A.rows, (t)->A.nnz, (t)->A.descriptor, (t)->values,  \
        (t)->A.offsets, (t)->A.columns, (t)->A.block, (t)->block_ilu

static tulle_status size_buffer(factor_task *t, int *bytes) {
    switch (t->way.method) {
        case CSR_LU:
            CUSPARSE_LEGACY_TRY(cusparseCreateCsrilu02Info, &t->ilu);
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, csrilu02_bufferSize, CSR(t, ilu), bytes);
            return TULLE_OK;
        case CSR_CHOLESKY:
            CUSPARSE_LEGACY_TRY(cusparseCreateCsric02Info, &t->ic);
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, csric02_bufferSize, CSR(t, ic), bytes);
            return TULLE_OK;
        default:
            CUSPARSE_LEGACY_TRY(cusparseCreateBsrilu02Info, &t->block_ilu);
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrilu02_bufferSize, BSR(t), bytes);
            return TULLE_OK;
    }
}

static tulle_status find_levels(const factor_task *t) {
    switch (t->way.method) {
        case CSR_LU:
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, csrilu02_analysis, CSR(t, ilu), t->way.policy,
                                      t->buffer);
            return TULLE_OK;
        case CSR_CHOLESKY:
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, csric02_analysis, CSR(t, ic), t->way.policy,
                                      t->buffer);
            return TULLE_OK;
        default:
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrilu02_analysis, BSR(t), t->way.policy,
                                      t->buffer);
            return TULLE_OK;
    }
}

static tulle_status check_pivots(const factor_task *t) {
    int at = -1;
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    switch (t->way.method) {
        case CSR_LU:
            status = cusparse_legacy.cusparseXcsrilu02_zeroPivot(t->handle, t->ilu, &at);
            return cusparse_legacy_pivot(status, at, "csrilu02");
        case CSR_CHOLESKY:
            status = cusparse_legacy.cusparseXcsric02_zeroPivot(t->handle, t->ic, &at);
            return cusparse_legacy_pivot(status, at, "csric02");
        default:
            status = cusparse_legacy.cusparseXbsrilu02_zeroPivot(t->handle, t->block_ilu, &at);
            return cusparse_legacy_pivot(status, at, "bsrilu02");
    }
}

static tulle_status analyse(factor_task *t, trial_task *task) {
    int bytes = 0;
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = size_buffer(t, &bytes);
    if (status == TULLE_OK) {
        status = cusparse_scratch(t->ctx, (size_t)bytes, &t->scratch, &t->buffer);
    }
    if (status == TULLE_OK) status = find_levels(t);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(t->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->extra_bytes = bytes;
    return status == TULLE_OK ? check_pivots(t) : status;
}

static void close_task(void *state) {
    factor_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->ilu) cusparse_legacy.cusparseDestroyCsrilu02Info(t->ilu);
    if (t->ic) cusparse_legacy.cusparseDestroyCsric02Info(t->ic);
    if (t->block_ilu) cusparse_legacy.cusparseDestroyBsrilu02Info(t->block_ilu);
    if (t->A.descriptor) cusparse_legacy.cusparseDestroyMatDescr(t->A.descriptor);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    tulle_vec_destroy(t->source);
    tulle_vec_destroy(t->scratch);
    free(t);
}

static tulle_status check_problem(const trial_problem *problem, method wanted) {
    bool blocks = problem->info.format == TULLE_BSR;
    bool cholesky = problem->detail == TULLE_CHOLESKY;
    bool fits = problem->detail <= TULLE_CHOLESKY && blocks == (wanted == BSR_LU) &&
                cholesky == (wanted == CSR_CHOLESKY);
    if (fits && problem->info.sorted) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED,
                       "cuSPARSE's factors: sorted, csrilu02 and csric02 of CSR "
                       "and bsrilu02 of BSR");
}

static tulle_status describe(factor_task *t, const trial_problem *problem) {
    tulle_vec_info y;
    tulle_status status = tulle_vec_describe(problem->y, &y);
    if (status == TULLE_OK) status = cusparse_open(t->ctx, &t->handle);
    if (status == TULLE_OK) status = cusparse_legacy_describe(problem, &t->A);
    if (status != TULLE_OK) return status;
    t->values = y.data;
    return tulle_vec_wrap(t->ctx, y.type, y.rows, 1, TULLE_COLUMN_MAJOR, 0, t->A.values,
                          &t->source);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    tulle_status status = check_problem(problem, ways[peer->variant].method);
    if (status != TULLE_OK) return status;
    factor_task *t = tool_alloc(1, sizeof *t);
    *t = (factor_task){.ctx = problem->ctx, .way = ways[peer->variant], .y = problem->y};
    *task = (trial_task){.state = t};
    status = describe(t, problem);
    if (status == TULLE_OK) status = tulle_vec_copy(t->ctx, t->source, t->y);
    if (status == TULLE_OK) status = analyse(t, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status factorise(const factor_task *t) {
    switch (t->way.method) {
        case CSR_LU:
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, csrilu02, CSR(t, ilu), t->way.policy, t->buffer);
            return TULLE_OK;
        case CSR_CHOLESKY:
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, csric02, CSR(t, ic), t->way.policy, t->buffer);
            return TULLE_OK;
        default:
            CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrilu02, BSR(t), t->way.policy, t->buffer);
            return TULLE_OK;
    }
}

static tulle_status run(void *state) {
    const factor_task *t = state;
    tulle_status status = tulle_vec_copy(t->ctx, t->source, t->y);
    return status == TULLE_OK ? factorise(t) : status;
}

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .op = "factor",                                                                            \
        .available = cusparse_legacy_available,                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_csrilu02, ILU)
PEER(cusparse_csrilu02_no_level, ILU_NO_LEVEL)
PEER(cusparse_csric02, IC)
PEER(cusparse_csric02_no_level, IC_NO_LEVEL)
PEER(cusparse_bsrilu02, BLOCK_ILU)
PEER(cusparse_bsrilu02_no_level, BLOCK_ILU_NO_LEVEL)

#endif
