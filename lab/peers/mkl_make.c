/* SPDX-License-Identifier: Apache-2.0 */
/* MKL's sparse product, with the sort of its columns, which it leaves to its callers, its sum and
 * its transpose. */
#include <stdlib.h>

#include "lab/peers/mkl_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct mkl_task {
    const trial_making *making;
    mkl_matrix *A, *B, *C; /* B is A where there is no second matrix */
    bool f32;
    int64_t before; /* bytes that the library held before the call */
} mkl_task;

static void drop(void *state) {
    mkl_task *t = state;
    if (t->C) mkl.mkl_sparse_destroy(t->C);
    t->C = NULL;
}

static void close_task(void *state) {
    mkl_task *t = state;
    drop(t);
    if (t->B && t->B != t->A) mkl.mkl_sparse_destroy(t->B);
    if (t->A) mkl.mkl_sparse_destroy(t->A);
    (void)mkl.MKL_Peak_Mem_Usage(MKL_PEAK_OFF);
    free(t);
}

static tulle_status open_operands(mkl_task *t) {
    const trial_making *m = t->making;
    tulle_status status = mkl_create(m->A, &t->A);
    if (status != TULLE_OK || m->second)
        return status == TULLE_OK ? mkl_create(m->B, &t->B) : status;
    t->B = t->A;
    return TULLE_OK;
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    bool csr = making->a.format == TULLE_CSR && making->b.format == TULLE_CSR;
    if (!csr || making->a.index != TULLE_I32 || making->b.index != TULLE_I32) {
        return tool_record(TULLE_UNSUPPORTED, "MKL's 32-bit interface has 32-bit indices");
    }
    mkl.MKL_Set_Num_Threads(making->device.threads);
    mkl_task *t = tool_alloc(1, sizeof *t);
    *t = (mkl_task){.making = making, .f32 = making->a.type == TULLE_F32};
    *task = (trial_task){.state = t, .threads = making->device.threads};
    tulle_status status = open_operands(t);
    if (status != TULLE_OK) {
        close_task(t);
        return status;
    }
    int blocks = 0;
    t->before = mkl.MKL_Mem_Stat(&blocks);
    (void)mkl.MKL_Peak_Mem_Usage(MKL_PEAK_ON);
    return TULLE_OK;
}

static tulle_status multiply(void *state, bool pooled) {
    mkl_task *t = state;
    (void)pooled;
    tulle_status status =
        mkl_status(mkl.mkl_sparse_spmm(MKL_NO_TRANSPOSE, t->A, t->B, &t->C), "mkl_sparse_spmm");
    return status == TULLE_OK ? mkl_status(mkl.mkl_sparse_order(t->C), "mkl_sparse_order") : status;
}

static tulle_status add(void *state, bool pooled) {
    mkl_task *t = state;
    (void)pooled;
    int code = t->f32 ? mkl.mkl_sparse_s_add(MKL_NO_TRANSPOSE, t->A, 1, t->B, &t->C)
                      : mkl.mkl_sparse_d_add(MKL_NO_TRANSPOSE, t->A, 1, t->B, &t->C);
    tulle_status status = mkl_status(code, "mkl_sparse_add");
    return status == TULLE_OK ? mkl_status(mkl.mkl_sparse_order(t->C), "mkl_sparse_order") : status;
}

static tulle_status transpose(void *state, bool pooled) {
    mkl_task *t = state;
    (void)pooled;
    return mkl_status(mkl.mkl_sparse_convert_csr(t->A, MKL_TRANSPOSE, &t->C),
                      "mkl_sparse_convert_csr");
}

/* C's arrays as the library has them: rows that follow each other, each with its own end. */
typedef struct exported {
    int base, rows, cols;
    int *starts, *ends, *columns;
    void *values;
} exported;

static tulle_status export_matrix(const mkl_task *t, exported *c) {
    int code = t->f32 ? mkl.mkl_sparse_s_export_csr(t->C, &c->base, &c->rows, &c->cols, &c->starts,
                                                    &c->ends, &c->columns, (float **)&c->values)
                      : mkl.mkl_sparse_d_export_csr(t->C, &c->base, &c->rows, &c->cols, &c->starts,
                                                    &c->ends, &c->columns, (double **)&c->values);
    tulle_status status = mkl_status(code, "mkl_sparse_export_csr");
    for (int i = 0; status == TULLE_OK && i + 1 < c->rows; i++) {
        if (c->ends[i] == c->starts[i + 1]) continue;
        return tool_record(TULLE_INVALID_MATRIX, "MKL's C has a gap behind row %d", i);
    }
    return status;
}

static tulle_status take(void *state, tulle_mat **C) {
    const mkl_task *t = state;
    exported c = {0};
    tulle_status status = export_matrix(t, &c);
    if (status != TULLE_OK) return status;
    int *offsets = tool_alloc((size_t)c.rows + 1, sizeof *offsets);
    for (int i = 0; i < c.rows; i++) offsets[i + 1] = c.ends[i] - c.base;
    int64_t nnz = offsets[c.rows];
    if (c.base == 0) {
        status = tulle_mat_create_csr(t->making->ctx, c.rows, c.cols, nnz, TULLE_I32, offsets,
                                      c.columns, t->f32 ? TULLE_F32 : TULLE_F64, c.values, NULL, C);
    } else {
        status = tool_record(TULLE_INVALID_MATRIX, "MKL's C counts from %d", c.base);
    }
    free(offsets);
    return status;
}

/* Returns the most bytes that the library's own allocator held since A and B were there. */
static int64_t peak(const void *state) {
    const mkl_task *t = state;
    return mkl.MKL_Peak_Mem_Usage(MKL_PEAK_READ) - t->before;
}

#define PEER(peer_name, operation, function)                                                       \
    static const bench_peer_maker operation##_maker = {                                            \
        .open = open_task,                                                                         \
        .make = function,                                                                          \
        .drop = drop,                                                                              \
        .take = take,                                                                              \
        .peak = peak,                                                                              \
        .close = close_task,                                                                       \
    };                                                                                             \
    const bench_peer bench_peer_##peer_name = {                                                    \
        .name = #peer_name,                                                                        \
        .library = "mkl",                                                                          \
        .op = #operation,                                                                          \
        .maker = &operation##_maker,                                                               \
        .available = mkl_available,                                                                \
    };

PEER(mkl_spgemm, spgemm, multiply)
PEER(mkl_add, add, add)
PEER(mkl_transpose, transpose, transpose)
