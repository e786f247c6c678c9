/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: the algorithms of cusparseSpMM for CSR, with and without cusparseSpMM_preprocess, and
 * the one for BSR, on the problem's own multivectors, in either layout. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/cusparse_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

/* Settings of a peer of this file. */
typedef struct way {
    tulle_format format;
    cusparseSpMMAlg_t algorithm;
    bool preprocess;
} way;

static const way ways[] = {
    {TULLE_CSR, CUSPARSE_SPMM_CSR_ALG1, false}, {TULLE_CSR, CUSPARSE_SPMM_CSR_ALG1, true},
    {TULLE_CSR, CUSPARSE_SPMM_CSR_ALG2, false}, {TULLE_CSR, CUSPARSE_SPMM_CSR_ALG2, true},
    {TULLE_CSR, CUSPARSE_SPMM_CSR_ALG3, false}, {TULLE_CSR, CUSPARSE_SPMM_CSR_ALG3, true},
    {TULLE_BSR, CUSPARSE_SPMM_BSR_ALG1, false}};
enum { ALG1, ALG1_PREPROCESS, ALG2, ALG2_PREPROCESS, ALG3, ALG3_PREPROCESS, BSR_ALG1 };

typedef struct spmm_task {
    tulle_ctx *ctx;
    cusparseHandle_t handle;
    cusparseConstSpMatDescr_t A;
    cusparseConstDnMatDescr_t X;
    cusparseDnMatDescr_t Y;
    tulle_vec *scratch;
    void *buffer;
    cusparseOperation_t op;
    cusparseSpMMAlg_t algorithm;
    cudaDataType type;
    cusparse_scalar one, zero;
} spmm_task;

static const cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

static tulle_status make_buffer(spmm_task *t, trial_task *task) {
    size_t bytes = 0;
    CUSPARSE_TRY(cusparseSpMM_bufferSize, t->handle, t->op, as_is, &t->one, t->A, t->X, &t->zero,
                 t->Y, t->type, t->algorithm, &bytes);
    task->extra_bytes = (int64_t)bytes;
    return cusparse_scratch(t->ctx, bytes, &t->scratch, &t->buffer);
}

static tulle_status preprocess(spmm_task *t, double *ms) {
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    if (status != TULLE_OK) return status;
    double start = tulle__seconds();
    CUSPARSE_TRY(cusparseSpMM_preprocess, t->handle, t->op, as_is, &t->one, t->A, t->X, &t->zero,
                 t->Y, t->type, t->algorithm, t->buffer);
    status = tulle_ctx_synchronize(t->ctx);
    *ms = 1e3 * (tulle__seconds() - start);
    return status;
}

static void close_task(void *state) {
    spmm_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->Y) cusparse.cusparseDestroyDnMat(t->Y);
    if (t->X) cusparse.cusparseDestroyDnMat(t->X);
    if (t->A) cusparse.cusparseDestroySpMat(t->A);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    tulle_vec_destroy(t->scratch);
    free(t);
}

static tulle_status check_problem(const trial_problem *problem, const way *w) {
    tulle_vec_info x;
    tulle_status status = tulle_vec_describe(problem->x, &x);
    if (status != TULLE_OK || (x.cols > 1 && problem->info.format == w->format)) return status;
    return tool_record(TULLE_UNSUPPORTED, "cuSPARSE's SpMM: for %s and several vectors",
                       tulle_format_name(w->format));
}

static tulle_status describe_matrix(spmm_task *t, const tulle_mat *A, tulle_format format) {
    return format == TULLE_CSR ? cusparse_describe_csr(A, &t->A) : cusparse_describe_bsr(A, &t->A);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    const way *w = &ways[peer->variant];
    tulle_status status = check_problem(problem, w);
    if (status != TULLE_OK) return status;
    tulle_type type = problem->info.type;
    spmm_task *t = tool_alloc(1, sizeof *t);
    *t = (spmm_task){.ctx = problem->ctx,
                     .op = cusparse_operation(problem->trans),
                     .algorithm = w->algorithm,
                     .type = cusparse_type(type),
                     .one = cusparse_number(type, 1),
                     .zero = cusparse_number(type, 0)};
    *task = (trial_task){.state = t};
    status = cusparse_open(t->ctx, &t->handle);
    if (status == TULLE_OK) status = describe_matrix(t, problem->A, w->format);
    if (status == TULLE_OK) status = cusparse_describe_input(problem->x, &t->X);
    if (status == TULLE_OK) status = cusparse_describe_output(problem->y, &t->Y);
    if (status == TULLE_OK) status = make_buffer(t, task);
    if (status == TULLE_OK && w->preprocess) status = preprocess(t, &task->prep_ms);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const spmm_task *t = state;
    CUSPARSE_TRY(cusparseSpMM, t->handle, t->op, as_is, &t->one, t->A, t->X, &t->zero, t->Y,
                 t->type, t->algorithm, t->buffer);
    return TULLE_OK;
}

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .blocks = true,                                                                            \
        .variant = number,                                                                         \
        .available = cusparse_available,                                                           \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_spmm_alg1, ALG1)
PEER(cusparse_spmm_alg1_preprocess, ALG1_PREPROCESS)
PEER(cusparse_spmm_alg2, ALG2)
PEER(cusparse_spmm_alg2_preprocess, ALG2_PREPROCESS)
PEER(cusparse_spmm_alg3, ALG3)
PEER(cusparse_spmm_alg3_preprocess, ALG3_PREPROCESS)
PEER(cusparse_spmm_bsr_alg1, BSR_ALG1)

#endif
