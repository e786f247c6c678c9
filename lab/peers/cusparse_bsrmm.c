/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: the functions for BSR that came before its generic ones, on column-major multivectors:
 * bsrmm, and bsrmv, which takes one vector and is called for each column (with which Afanasyev,
 * Potapov, Sobolev and Kharchenko, YSC 2015, compare). Both compute A X alone. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "lab/peers/cusparse_legacy.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

enum { BSRMM, BSRMV };

typedef struct bsr_task {
    tulle_ctx *ctx;
    cusparseHandle_t handle;
    cusparse_legacy_matrix A;
    tulle_vec_info x, y;
    cusparse_scalar one, zero;
    bool by_columns;
} bsr_task;

static const cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const cusparseDirection_t by_row = CUSPARSE_DIRECTION_ROW;

static void close_task(void *state) {
    bsr_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->A.descriptor) cusparse_legacy.cusparseDestroyMatDescr(t->A.descriptor);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    free(t);
}

static tulle_status open_task(bsr_task *t, const trial_problem *problem) {
    tulle_status status = tulle_vec_describe(problem->x, &t->x);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &t->y);
    if (status != TULLE_OK) return status;
    bool takes = problem->info.format == TULLE_BSR && problem->trans == TULLE_N &&
                 problem->info.storage.block > 1 && t->x.layout == TULLE_COLUMN_MAJOR &&
                 t->y.layout == TULLE_COLUMN_MAJOR;
    if (!takes) {
        return tool_record(TULLE_UNSUPPORTED,
                           "cuSPARSE's bsrmm and bsrmv: for A X, BSR and column-major vectors");
    }
    status = cusparse_open(t->ctx, &t->handle);
    return status == TULLE_OK ? cusparse_legacy_describe(problem, &t->A) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    bsr_task *t = tool_alloc(1, sizeof *t);
    tulle_type type = problem->info.type;
    *t = (bsr_task){.ctx = problem->ctx,
                    .one = cusparse_number(type, 1),
                    .zero = cusparse_number(type, 0),
                    .by_columns = peer->variant == BSRMV};
    *task = (trial_task){.state = t};
    tulle_status status = open_task(t, problem);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status multiply(const bsr_task *t) {
    const cusparse_legacy_matrix *A = &t->A;
    CUSPARSE_LEGACY_TRY_TYPED(A->type, bsrmm, t->handle, by_row, as_is, as_is, A->rows,
                              (int)t->x.cols, A->cols, A->nnz, (const void *)&t->one, A->descriptor,
                              A->values, A->offsets, A->columns, A->block, t->x.data, (int)t->x.ld,
                              (const void *)&t->zero, t->y.data, (int)t->y.ld);
    return TULLE_OK;
}

static tulle_status multiply_column(const bsr_task *t, int64_t j) {
    const cusparse_legacy_matrix *A = &t->A;
    const int64_t size = tulle_type_size(A->type);
    const void *x = (const char *)t->x.data + j * t->x.ld * size;
    void *y = (char *)t->y.data + j * t->y.ld * size;
    CUSPARSE_LEGACY_TRY_TYPED(A->type, bsrmv, t->handle, by_row, as_is, A->rows, A->cols, A->nnz,
                              (const void *)&t->one, A->descriptor, A->values, A->offsets,
                              A->columns, A->block, x, (const void *)&t->zero, y);
    return TULLE_OK;
}

static tulle_status run(void *state) {
    const bsr_task *t = state;
    if (!t->by_columns) return multiply(t);
    tulle_status status = TULLE_OK;
    for (int64_t j = 0; j < t->x.cols && status == TULLE_OK; j++) status = multiply_column(t, j);
    return status;
}

#define PEER(algorithm_name, number, several)                                                      \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .blocks = several,                                                                         \
        .bsr = true,                                                                               \
        .variant = number,                                                                         \
        .available = cusparse_legacy_available,                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_bsrmm, BSRMM, true)
PEER(cusparse_bsrmv_columns, BSRMV, true)
PEER(cusparse_bsrmv, BSRMV, false)

#endif
