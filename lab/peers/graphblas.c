/* SPDX-License-Identifier: Apache-2.0 */
/* SuiteSparse:GraphBLAS: the product over the usual semiring, with the sort of its columns, which
 * the library would otherwise put off, the product with a mask in three ways, the sum and the
 * transpose. Its own indices have 64 bits. */
#include <stdlib.h>

#include "lab/peers/graphblas_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct graphblas_task {
    const trial_making *making;
    graphblas_object *A, *B, *C; /* B is A where there is no second matrix */
    graphblas_object *turned;    /* the transpose of B, for inner products; NULL: not wanted */
    int64_t rows, cols;          /* sizes of C */
    int64_t before;              /* bytes that A and B hold */
    bool f32;
} graphblas_task;

/* Host arrays with 64-bit indices. */
typedef struct wide_csr {
    uint64_t *offsets, *columns;
} wide_csr;

static wide_csr widen(const tool_csr *A) {
    wide_csr wide = {.offsets = tool_alloc((size_t)A->rows + 1, sizeof(uint64_t)),
                     .columns = tool_alloc((size_t)A->nnz + 1, sizeof(uint64_t))};
#pragma omp parallel for
    for (int64_t i = 0; i <= A->rows; i++) wide.offsets[i] = (uint64_t)tool_csr_offset(A, i);
#pragma omp parallel for
    for (int64_t e = 0; e < A->nnz; e++) wide.columns[e] = (uint64_t)tool_csr_column(A, e);
    return wide;
}

static void free_wide(const wide_csr *wide) {
    free(wide->columns);
    free(wide->offsets);
}

static tulle_status import_matrix(const tool_csr *A, graphblas_object **made) {
    wide_csr wide = widen(A);
    uint64_t rows = (uint64_t)A->rows, cols = (uint64_t)A->cols, nnz = (uint64_t)A->nnz;
    int status = A->type == TULLE_F32
                     ? graphblas.GrB_Matrix_import_FP32(made, graphblas.GrB_FP32, rows, cols,
                                                        wide.offsets, wide.columns, A->values,
                                                        rows + 1, nnz, nnz, GRAPHBLAS_CSR)
                     : graphblas.GrB_Matrix_import_FP64(made, graphblas.GrB_FP64, rows, cols,
                                                        wide.offsets, wide.columns, A->values,
                                                        rows + 1, nnz, nnz, GRAPHBLAS_CSR);
    free_wide(&wide);
    return graphblas_status(status, "GrB_Matrix_import");
}

static void drop(void *state) {
    graphblas_task *t = state;
    if (t->C) graphblas.GrB_Matrix_free(&t->C);
    t->C = NULL;
}

static void close_task(void *state) {
    graphblas_task *t = state;
    drop(t);
    if (t->B && t->B != t->A) graphblas.GrB_Matrix_free(&t->B);
    if (t->A) graphblas.GrB_Matrix_free(&t->A);
    if (t->turned) graphblas.GrB_Matrix_free(&t->turned);
    graphblas_memory_start(0);
    free(t);
}

static tulle_status open_operands(graphblas_task *t) {
    const trial_making *m = t->making;
    GRAPHBLAS_TRY(GxB_Global_Option_set, GRAPHBLAS_THREADS, m->device.threads);
    tulle_status status = import_matrix(&m->host_a, &t->A);
    if (status != TULLE_OK || m->second) {
        return status == TULLE_OK ? import_matrix(&m->host_b, &t->B) : status;
    }
    t->B = t->A;
    return TULLE_OK;
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    if (making->a.format != TULLE_CSR || making->b.format != TULLE_CSR) {
        return tool_record(TULLE_UNSUPPORTED, "GraphBLAS gets CSR");
    }
    bool turned = making->operation->makes->turned;
    graphblas_task *t = tool_alloc(1, sizeof *t);
    *t = (graphblas_task){.making = making,
                          .rows = turned ? making->a.cols : making->a.rows,
                          .cols = turned ? making->a.rows : making->b.cols,
                          .f32 = making->a.type == TULLE_F32};
    *task = (trial_task){.state = t, .threads = making->device.threads};
    tulle_status status = open_operands(t);
    if (status != TULLE_OK) {
        close_task(t);
        return status;
    }
    graphblas_memory_start(making->cap);
    t->before = graphblas_memory_held();
    return TULLE_OK;
}

static tulle_status begin(graphblas_task *t) {
    GRAPHBLAS_TRY(GrB_Matrix_new, &t->C, t->f32 ? graphblas.GrB_FP32 : graphblas.GrB_FP64,
                  (uint64_t)t->rows, (uint64_t)t->cols);
    return TULLE_OK;
}

static tulle_status multiply(void *state, bool pooled) {
    graphblas_task *t = state;
    (void)pooled;
    tulle_status status = begin(t);
    if (status != TULLE_OK) return status;
    GRAPHBLAS_TRY(
        GrB_mxm, t->C, NULL, NULL,
        t->f32 ? graphblas.GrB_PLUS_TIMES_SEMIRING_FP32 : graphblas.GrB_PLUS_TIMES_SEMIRING_FP64,
        t->A, t->B, NULL);
    return TULLE_OK;
}

/* The product at the places of A alone, which are all that is looked at of the mask. */
static tulle_status multiply_masked(graphblas_task *t, const graphblas_object *semiring) {
    tulle_status status = begin(t);
    if (status != TULLE_OK) return status;
    GRAPHBLAS_TRY(GrB_mxm, t->C, t->A, NULL, semiring, t->A, t->turned ? t->turned : t->B,
                  t->turned ? graphblas.GrB_DESC_ST1 : graphblas.GrB_DESC_S);
    return TULLE_OK;
}

static tulle_status multiply_on(void *state, bool pooled) {
    graphblas_task *t = state;
    (void)pooled;
    return multiply_masked(t, t->f32 ? graphblas.GrB_PLUS_TIMES_SEMIRING_FP32
                                     : graphblas.GrB_PLUS_TIMES_SEMIRING_FP64);
}

/* Multiplies without looking at values: each product counts as 1. */
static tulle_status pair_on(void *state, bool pooled) {
    graphblas_task *t = state;
    (void)pooled;
    return multiply_masked(t, t->f32 ? graphblas.GxB_PLUS_PAIR_FP32 : graphblas.GxB_PLUS_PAIR_FP64);
}

/* Gives the library B's transpose as well, before anything is measured: with that as the operand
 * that is to be transposed it takes inner products of rows. */
static tulle_status open_turned(const bench_peer *peer, const trial_making *making,
                                trial_task *task) {
    tulle_status status = open_task(peer, making, task);
    if (status != TULLE_OK) return status;
    graphblas_task *t = task->state;
    status = begin(t);
    if (status == TULLE_OK) {
        status = graphblas_status(graphblas.GrB_transpose(t->C, NULL, NULL, t->B, NULL),
                                  "GrB_transpose");
    }
    t->turned = t->C;
    t->C = NULL;
    t->before = graphblas_memory_held();
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status add(void *state, bool pooled) {
    graphblas_task *t = state;
    (void)pooled;
    tulle_status status = begin(t);
    if (status != TULLE_OK) return status;
    GRAPHBLAS_TRY(GrB_Matrix_eWiseAdd_BinaryOp, t->C, NULL, NULL,
                  t->f32 ? graphblas.GrB_PLUS_FP32 : graphblas.GrB_PLUS_FP64, t->A, t->B, NULL);
    return TULLE_OK;
}

static tulle_status transpose(void *state, bool pooled) {
    graphblas_task *t = state;
    (void)pooled;
    tulle_status status = begin(t);
    if (status != TULLE_OK) return status;
    GRAPHBLAS_TRY(GrB_transpose, t->C, NULL, NULL, t->A, NULL);
    return TULLE_OK;
}

static tulle_status export_matrix(const graphblas_task *t, const wide_csr *to, void *values,
                                  const uint64_t count[3]) {
    uint64_t room[3] = {count[0], count[1], count[2]};
    int status = t->f32
                     ? graphblas.GrB_Matrix_export_FP32(to->offsets, to->columns, values, &room[0],
                                                        &room[1], &room[2], GRAPHBLAS_CSR, t->C)
                     : graphblas.GrB_Matrix_export_FP64(to->offsets, to->columns, values, &room[0],
                                                        &room[1], &room[2], GRAPHBLAS_CSR, t->C);
    return graphblas_status(status, "GrB_Matrix_export");
}

static tulle_status take(void *state, tulle_mat **C) {
    const graphblas_task *t = state;
    const tulle_type type = t->f32 ? TULLE_F32 : TULLE_F64;
    uint64_t count[3] = {0, 0, 0};
    GRAPHBLAS_TRY(GrB_Matrix_exportSize, &count[0], &count[1], &count[2], GRAPHBLAS_CSR, t->C);
    const wide_csr to = {.offsets = tool_alloc(count[0] + 1, sizeof(uint64_t)),
                         .columns = tool_alloc(count[1] + 1, sizeof(uint64_t))};
    void *values = tool_alloc(count[2] + 1, (size_t)tulle_type_size(type));
    tulle_status status = export_matrix(t, &to, values, count);
    if (status == TULLE_OK) {
        status = tulle_mat_create_csr(t->making->ctx, t->rows, t->cols, (int64_t)count[1],
                                      TULLE_I64, to.offsets, to.columns, type, values, NULL, C);
    }
    free(values);
    free_wide(&to);
    return status;
}

static int64_t peak(const void *state) {
    const graphblas_task *t = state;
    return graphblas_memory_peak() - t->before;
}

#define PEER(peer_name, operation, opens, function)                                                \
    static const bench_peer_maker peer_name##_maker = {                                            \
        .capped = true,                                                                            \
        .open = opens,                                                                             \
        .make = function,                                                                          \
        .drop = drop,                                                                              \
        .take = take,                                                                              \
        .peak = peak,                                                                              \
        .close = close_task,                                                                       \
    };                                                                                             \
    const bench_peer bench_peer_##peer_name = {                                                    \
        .name = #peer_name,                                                                        \
        .library = "graphblas",                                                                    \
        .op = #operation,                                                                          \
        .maker = &peer_name##_maker,                                                               \
        .available = graphblas_available,                                                          \
    };

PEER(graphblas_spgemm, spgemm, open_task, multiply)
PEER(graphblas_masked, masked, open_task, multiply_on)
PEER(graphblas_masked_pair, masked, open_task, pair_on)
PEER(graphblas_masked_dot, masked, open_turned, multiply_on)
PEER(graphblas_add, add, open_task, add)
PEER(graphblas_transpose, transpose, open_task, transpose)
