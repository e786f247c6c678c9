/* SPDX-License-Identifier: Apache-2.0 */
/* librsb: recursive sparse blocks, assembled from the same CSR arrays, with all threads. */
#ifdef TULLE_PEER_LIBRSB
#include <rsb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stopwatch.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct rsb_task {
    struct rsb_mtx_t *A;
    rsb_trans_t trans;
    bool f32;
    const void *x;
    void *y;
} rsb_task;

static tulle_status status_of(rsb_err_t error, const char *call) {
    if (error == RSB_ERR_NO_ERROR) return TULLE_OK;
    char text[128] = "";
    (void)rsb_strerror_r(error, text, sizeof text);
    tulle_status meaning = TULLE_INVALID_ARGUMENT;
    if (error == RSB_ERR_ENOMEM) meaning = TULLE_OUT_OF_MEMORY;
    if (error == RSB_ERR_UNSUPPORTED_TYPE) meaning = TULLE_UNSUPPORTED;
    return tool_record(meaning, "%s: %s", call, text);
}

static tulle_status available(char version[BENCH_VERSION]) {
    /* the header's text is "librsb version 1.3.0.2 - DATE" */
    static const char before[] = "librsb version ";
    const char *number = &RSB_HEADER_VERSION_STRING[sizeof before - 1];
    snprintf(version, BENCH_VERSION, "librsb %.*s", (int)strcspn(number, " "), number);
    return status_of(rsb_lib_init(RSB_NULL_INIT_OPTIONS), "rsb_lib_init");
}

static void close_task(void *state) {
    rsb_task *t = state;
    rsb_mtx_free(t->A);
    free(t);
}

static tulle_status assemble(rsb_task *t, const trial_problem *problem, trial_task *task) {
    const tulle_mat_info *info = &problem->info;
    tulle_mat_arrays arrays;
    tulle_status status = tulle_mat_view(problem->A, &arrays);
    if (status != TULLE_OK) return status;
    rsb_int_t threads = problem->device.threads;
    rsb_err_t error = rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads);
    if (error != RSB_ERR_NO_ERROR) return status_of(error, "rsb_lib_set_opt");
    double start = tulle__seconds();
    t->A = rsb_mtx_alloc_from_csr_const(
        arrays.values, arrays.offsets, arrays.cols, (rsb_nnz_idx_t)info->nnz,
        t->f32 ? RSB_NUMERICAL_TYPE_FLOAT : RSB_NUMERICAL_TYPE_DOUBLE, (rsb_coo_idx_t)info->rows,
        (rsb_coo_idx_t)info->cols, 0, 0, RSB_FLAG_DUPLICATES_SUM, &error);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    if (!t->A) return status_of(error, "rsb_mtx_alloc_from_csr_const");
    size_t bytes = 0;
    error = rsb_mtx_get_info(t->A, RSB_MIF_TOTAL_SIZE__TO__SIZE_T, &bytes);
    task->extra_bytes = (int64_t)bytes;
    task->threads = problem->device.threads;
    return status_of(error, "rsb_mtx_get_info");
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    (void)peer;
    if (problem->info.index != TULLE_I32) {
        return tool_record(TULLE_UNSUPPORTED, "librsb has 32-bit indices");
    }
    if (problem->info.nnz == 0) {
        return tool_record(TULLE_UNSUPPORTED, "librsb does not take an empty matrix");
    }
    tulle_vec_info x, y;
    tulle_status status = tulle_vec_describe(problem->x, &x);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &y);
    if (status != TULLE_OK) return status;
    rsb_task *t = tool_alloc(1, sizeof *t);
    *t = (rsb_task){.trans = problem->trans == TULLE_N ? RSB_TRANSPOSITION_N : RSB_TRANSPOSITION_T,
                    .f32 = problem->info.type == TULLE_F32,
                    .x = x.data,
                    .y = y.data};
    *task = (trial_task){.state = t};
    status = assemble(t, problem, task);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    static const float one_f = 1, zero_f = 0;
    static const double one_d = 1, zero_d = 0;
    const rsb_task *t = state;
    const void *alpha = t->f32 ? (const void *)&one_f : &one_d;
    const void *beta = t->f32 ? (const void *)&zero_f : &zero_d;
    return status_of(rsb_spmv(t->trans, alpha, t->A, t->x, 1, beta, t->y, 1), "rsb_spmv");
}

const bench_peer bench_peer_librsb_rsb = {
    .name = "librsb_rsb",
    .library = "librsb",
    .available = available,
    .prepare = prepare,
    .run = run,
    .close = close_task,
};

#endif
