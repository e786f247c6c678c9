/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: bsrsv2 for one right-hand side and bsrsm2 for any number, of a triangle of the same BSR
 * arrays, or of its transpose, each with the levels that its analysis finds, and without them. */
#ifdef TULLE_PEER_CUSPARSE
#include <stdlib.h>

#include "core/stopwatch.h"
#include "lab/peers/cusparse_legacy.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

/* Settings of a peer of this file. */
typedef struct way {
    bool columns;
    cusparseSolvePolicy_t policy;
} way;

static const way ways[] = {{false, CUSPARSE_SOLVE_POLICY_USE_LEVEL},
                           {false, CUSPARSE_SOLVE_POLICY_NO_LEVEL},
                           {true, CUSPARSE_SOLVE_POLICY_USE_LEVEL},
                           {true, CUSPARSE_SOLVE_POLICY_NO_LEVEL}};
enum { SV, SV_NO_LEVEL, SM, SM_NO_LEVEL };

typedef struct solve_task {
    tulle_ctx *ctx;
    way way;
    cusparseOperation_t op;
    cusparseHandle_t handle;
    cusparse_legacy_matrix A;
    bsrsv2Info_t sv;
    bsrsm2Info_t sm;
    tulle_vec_info b, x;
    cusparseOperation_t sides; /* B and X by column, or, transposed, by row */
    tulle_vec *scratch;
    void *buffer;
    cusparse_scalar one;
} solve_task;

static const cusparseDirection_t by_row = CUSPARSE_DIRECTION_ROW;

/* Arguments that calls have in common: up to the matrix, and from the matrix on. */
#define SV_SHAPE(t) (t)->handle, by_row, (t)->op, (t)->A.rows, (t)->A.nnz
#define SM_SHAPE(t)                                                                                \
    (t)->handle, by_row, (t)->op, (t)->sides, (t)->A.rows, (int)(t)->b.cols, (t)->A.nnz
#define MATRIX(t, info)                                                                            \
    (t)->A.descriptor, (t)->A.values, (t)->A.offsets, (t)->A.columns, (t)->A.block, (t)->info

static tulle_status say_triangle(const solve_task *t, tulle_part part) {
    CUSPARSE_LEGACY_TRY(cusparseSetMatFillMode, t->A.descriptor,
                        part == TULLE_LOWER ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER);
    CUSPARSE_LEGACY_TRY(cusparseSetMatDiagType, t->A.descriptor, CUSPARSE_DIAG_TYPE_NON_UNIT);
    return TULLE_OK;
}

static tulle_status analyse_vector(solve_task *t, int *bytes) {
    CUSPARSE_LEGACY_TRY(cusparseCreateBsrsv2Info, &t->sv);
    CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrsv2_bufferSize, SV_SHAPE(t), MATRIX(t, sv), bytes);
    tulle_status status = cusparse_scratch(t->ctx, (size_t)*bytes, &t->scratch, &t->buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrsv2_analysis, SV_SHAPE(t), MATRIX(t, sv), t->way.policy,
                              t->buffer);
    return TULLE_OK;
}

static tulle_status analyse_columns(solve_task *t, int *bytes) {
    CUSPARSE_LEGACY_TRY(cusparseCreateBsrsm2Info, &t->sm);
    CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrsm2_bufferSize, SM_SHAPE(t), MATRIX(t, sm), bytes);
    tulle_status status = cusparse_scratch(t->ctx, (size_t)*bytes, &t->scratch, &t->buffer);
    if (status != TULLE_OK) return status;
    CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrsm2_analysis, SM_SHAPE(t), MATRIX(t, sm), t->way.policy,
                              t->buffer);
    return TULLE_OK;
}

static tulle_status check_pivots(const solve_task *t) {
    int position = -1;
    if (t->way.columns) {
        cusparseStatus_t status =
            cusparse_legacy.cusparseXbsrsm2_zeroPivot(t->handle, t->sm, &position);
        return cusparse_legacy_pivot(status, position, "bsrsm2_analysis");
    }
    cusparseStatus_t status =
        cusparse_legacy.cusparseXbsrsv2_zeroPivot(t->handle, t->sv, &position);
    return cusparse_legacy_pivot(status, position, "bsrsv2_analysis");
}

static tulle_status analyse(solve_task *t, trial_task *task) {
    int bytes = 0;
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = t->way.columns ? analyse_columns(t, &bytes) : analyse_vector(t, &bytes);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(t->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->extra_bytes = bytes;
    return status == TULLE_OK ? check_pivots(t) : status;
}

static void close_task(void *state) {
    solve_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->sv) cusparse_legacy.cusparseDestroyBsrsv2Info(t->sv);
    if (t->sm) cusparse_legacy.cusparseDestroyBsrsm2Info(t->sm);
    if (t->A.descriptor) cusparse_legacy.cusparseDestroyMatDescr(t->A.descriptor);
    if (t->handle) cusparse.cusparseDestroy(t->handle);
    tulle_vec_destroy(t->scratch);
    free(t);
}

static tulle_status check_problem(const trial_problem *problem, bool columns) {
    bool blocks = problem->info.format == TULLE_BSR;
    if (blocks && (columns || !trial_is_block(&problem->block))) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED,
                       "cuSPARSE's bsrsv2 and bsrsm2: for BSR, bsrsv2 for one vector");
}

static tulle_status describe(solve_task *t, const trial_problem *problem) {
    tulle_status status = tulle_vec_describe(problem->x, &t->b);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &t->x);
    if (status == TULLE_OK) status = cusparse_open(t->ctx, &t->handle);
    if (status == TULLE_OK) status = cusparse_legacy_describe(problem, &t->A);
    bool rows = status == TULLE_OK && t->b.layout == TULLE_ROW_MAJOR;
    t->sides = rows ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    return status == TULLE_OK ? say_triangle(t, (tulle_part)problem->detail) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    tulle_status status = check_problem(problem, ways[peer->variant].columns);
    if (status != TULLE_OK) return status;
    solve_task *t = tool_alloc(1, sizeof *t);
    *t = (solve_task){.ctx = problem->ctx,
                      .way = ways[peer->variant],
                      .op = cusparse_operation(problem->trans),
                      .one = cusparse_number(problem->info.type, 1)};
    *task = (trial_task){.state = t};
    status = describe(t, problem);
    if (status == TULLE_OK) status = analyse(t, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const solve_task *t = state;
    const void *one = &t->one;
    if (t->way.columns) {
        CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrsm2_solve, SM_SHAPE(t), one, MATRIX(t, sm),
                                  t->b.data, (int)t->b.ld, t->x.data, (int)t->x.ld, t->way.policy,
                                  t->buffer);
    } else {
        CUSPARSE_LEGACY_TRY_TYPED(t->A.type, bsrsv2_solve, SV_SHAPE(t), one, MATRIX(t, sv),
                                  t->b.data, t->x.data, t->way.policy, t->buffer);
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
        .available = cusparse_legacy_available,                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_bsrsv2, SV)
PEER(cusparse_bsrsv2_no_level, SV_NO_LEVEL)
PEER(cusparse_bsrsm2, SM)
PEER(cusparse_bsrsm2_no_level, SM_NO_LEVEL)

#endif
