/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: the algorithms of its generic API for CSR, with and without cusparseSpMV_preprocess,
 * COO, sliced ELL and BSR. The time of the conversion counts as preparation. */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cusparse_library.h"

#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

/* Settings of a peer of this file: its format, its algorithm, and whether it preprocesses. */
typedef struct way {
    tulle_format format;
    cusparseSpMVAlg_t algorithm;
    bool preprocess;
} way;

static const way ways[] = {
    {TULLE_CSR, CUSPARSE_SPMV_CSR_ALG1, false},   {TULLE_CSR, CUSPARSE_SPMV_CSR_ALG1, true},
    {TULLE_CSR, CUSPARSE_SPMV_CSR_ALG2, false},   {TULLE_CSR, CUSPARSE_SPMV_CSR_ALG2, true},
    {TULLE_COO, CUSPARSE_SPMV_COO_ALG1, false},   {TULLE_COO, CUSPARSE_SPMV_COO_ALG2, false},
    {TULLE_SELL, CUSPARSE_SPMV_SELL_ALG1, false}, {TULLE_BSR, CUSPARSE_SPMV_BSR_ALG1, false}};
enum {
    CSR_ALG1,
    CSR_ALG1_PREPROCESS,
    CSR_ALG2,
    CSR_ALG2_PREPROCESS,
    COO_ALG1,
    COO_ALG2,
    SELL_ALG1,
    BSR_ALG1
};

typedef struct cusparse_task {
    tulle_ctx *ctx;
    tulle_mat *matrix; /* the problem's matrix in the peer's format */
    cusparseHandle_t handle;
    cusparseConstSpMatDescr_t A;
    cusparseConstDnVecDescr_t x;
    cusparseDnVecDescr_t y;
    tulle_vec *scratch;
    void *buffer;
    cusparseOperation_t op;
    cusparseSpMVAlg_t algorithm;
    cudaDataType type;
    cusparse_scalar one, zero;
} cusparse_task;

static void set_types(cusparse_task *t, const trial_problem *problem) {
    t->type = cusparse_type(problem->info.type);
    t->op = cusparse_operation(problem->trans);
    t->one = cusparse_number(problem->info.type, 1);
    t->zero = cusparse_number(problem->info.type, 0);
}

static tulle_status describe_matrix(cusparse_task *t, tulle_format format) {
    if (format == TULLE_CSR) return cusparse_describe_csr(t->matrix, &t->A);
    if (format == TULLE_BSR) return cusparse_describe_bsr(t->matrix, &t->A);
    tulle_mat_arrays a;
    tulle_mat_info A;
    tulle_status status = tulle_mat_view(t->matrix, &a);
    if (status == TULLE_OK) status = tulle_mat_describe(t->matrix, &A);
    if (status != TULLE_OK) return status;
    cusparseIndexType_t offset = cusparse_index(tulle_offset_size(A.index));
    cusparseIndexType_t index = cusparse_index(tulle_index_size(A.index));
    const cusparseIndexBase_t zero = CUSPARSE_INDEX_BASE_ZERO;
    const tulle_storage *s = &A.storage;
    if (format == TULLE_COO) {
        CUSPARSE_TRY(cusparseCreateConstCoo, &t->A, A.rows, A.cols, A.nnz, a.rows, a.cols, a.values,
                     index, zero, t->type);
    } else {
        CUSPARSE_TRY(cusparseCreateConstSlicedEll, &t->A, A.rows, A.cols, A.nnz, s->stored,
                     s->slice, a.offsets, a.cols, a.values, offset, index, zero, t->type);
    }
    return TULLE_OK;
}

static tulle_status describe(cusparse_task *t, const trial_problem *problem, tulle_format format) {
    tulle_vec_info x, y;
    tulle_status status = tulle_vec_describe(problem->x, &x);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &y);
    if (status != TULLE_OK) return status;
    if (x.cols != 1) return tool_record(TULLE_UNSUPPORTED, "cuSPARSE's SpMV: for one vector");
    status = cusparse_open(problem->ctx, &t->handle);
    if (status == TULLE_OK) status = describe_matrix(t, format);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateConstDnVec, &t->x, x.rows, x.data, t->type);
    CUSPARSE_TRY(cusparseCreateDnVec, &t->y, y.rows, y.data, t->type);
    return TULLE_OK;
}

static tulle_status convert(cusparse_task *t, const trial_problem *problem, tulle_format format,
                            double *ms) {
    tulle_convert_options options = {.window = 1};
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = tulle_mat_convert_with(t->ctx, problem->A, format, problem->info.index, &options,
                                        &t->matrix);
    }
    *ms = 1e3 * (tulle__seconds() - start);
    /* the format would be mostly padding */
    return status == TULLE_TOO_LARGE ? TULLE_UNSUPPORTED : status;
}

/* Converts the problem's matrix to the peer's format. SELL is made without sorting, since the
 * library knows no order of rows. */
static tulle_status lay_out(cusparse_task *t, const trial_problem *problem, tulle_format format,
                            double *ms) {
    tulle_status status = TULLE_OK;
    if (problem->info.format == format && format != TULLE_SELL) {
        t->matrix = tulle_mat_retain(problem->A);
    } else {
        status = convert(t, problem, format, ms);
    }
    return status;
}

static tulle_status make_buffer(cusparse_task *t, trial_task *task) {
    size_t bytes = 0;
    CUSPARSE_TRY(cusparseSpMV_bufferSize, t->handle, t->op, &t->one, t->A, t->x, &t->zero, t->y,
                 t->type, t->algorithm, &bytes);
    task->extra_bytes = (int64_t)bytes;
    return cusparse_scratch(t->ctx, bytes, &t->scratch, &t->buffer);
}

static tulle_status preprocess(cusparse_task *t, double *ms) {
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    if (status != TULLE_OK) return status;
    double start = tulle__seconds();
    CUSPARSE_TRY(cusparseSpMV_preprocess, t->handle, t->op, &t->one, t->A, t->x, &t->zero, t->y,
                 t->type, t->algorithm, t->buffer);
    status = tulle_ctx_synchronize(t->ctx);
    *ms = 1e3 * (tulle__seconds() - start);
    return status;
}

static void close_task(void *state) {
    cusparse_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->y) cusparse.cusparseDestroyDnVec(t->y);
    if (t->x) cusparse.cusparseDestroyDnVec(t->x);
    if (t->A) cusparse.cusparseDestroySpMat(t->A);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    tulle_vec_destroy(t->scratch);
    tulle_mat_destroy(t->matrix);
    free(t);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    cusparse_task *t = tool_alloc(1, sizeof *t);
    *task = (trial_task){.state = t};
    const way *w = &ways[peer->variant];
    t->ctx = problem->ctx;
    t->algorithm = w->algorithm;
    set_types(t, problem);
    double layout_ms = 0, preprocess_ms = 0;
    tulle_status status = lay_out(t, problem, w->format, &layout_ms);
    if (status == TULLE_OK) status = describe(t, problem, w->format);
    if (status == TULLE_OK) status = make_buffer(t, task);
    if (status == TULLE_OK && w->preprocess) status = preprocess(t, &preprocess_ms);
    task->prep_ms = layout_ms + preprocess_ms;
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const cusparse_task *t = state;
    CUSPARSE_TRY(cusparseSpMV, t->handle, t->op, &t->one, t->A, t->x, &t->zero, t->y, t->type,
                 t->algorithm, t->buffer);
    return TULLE_OK;
}

#define PEER(algorithm_name, number)                                                               \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = number,                                                                         \
        .available = cusparse_available,                                                           \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_csr_alg1, CSR_ALG1)
PEER(cusparse_csr_alg1_preprocess, CSR_ALG1_PREPROCESS)
PEER(cusparse_csr_alg2, CSR_ALG2)
PEER(cusparse_csr_alg2_preprocess, CSR_ALG2_PREPROCESS)
PEER(cusparse_coo_alg1, COO_ALG1)
PEER(cusparse_coo_alg2, COO_ALG2)
PEER(cusparse_sell_alg1, SELL_ALG1)
PEER(cusparse_bsr_alg1, BSR_ALG1)

#endif
