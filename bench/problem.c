/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/problem.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"

static tulle_status make_reference(bench_problem *p) {
    size_t size = (size_t)tulle_type_size(p->info.type);
    int64_t columns = p->trans == TULLE_N ? p->info.cols : p->info.rows;
    int64_t rows = p->trans == TULLE_N ? p->info.rows : p->info.cols;
    p->host_y = tool_alloc((size_t)rows, size);
    void *host_x = tool_alloc((size_t)columns, size);
    tulle_status status = tulle_dense_read(p->ctx, p->x, host_x, 0);
    tool_csr csr;
    if (status == TULLE_OK) status = tool_csr_open(p->ctx, p->A, &csr);
    if (status == TULLE_OK) {
        status = tool_reference_create(&csr, p->trans, host_x, &p->reference);
        tool_csr_close(&csr);
    }
    free(host_x);
    return status;
}

static tulle_status fill_problem(bench_problem *p, uint64_t seed, bool check) {
    tulle_status status = tulle_ctx_device(p->ctx, &p->device);
    if (status == TULLE_OK) status = tulle_mat_describe(p->A, &p->info);
    if (status != TULLE_OK) return status;
    int64_t columns = p->trans == TULLE_N ? p->info.cols : p->info.rows;
    int64_t rows = p->trans == TULLE_N ? p->info.rows : p->info.cols;
    status = tulle_vec_create(p->ctx, p->info.type, columns, &p->x);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, rows, &p->y);
    if (status == TULLE_OK) status = tulle_dense_random(p->ctx, p->x, seed);
    tulle_choice choice;
    if (status == TULLE_OK) status = tulle_spmv_choice(p->ctx, p->trans, p->A, true, &choice);
    if (status != TULLE_OK) return status;
    p->minimal_bytes = choice.minimal_bytes;
    return check ? make_reference(p) : TULLE_OK;
}

tulle_status bench_problem_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, uint64_t seed,
                                bool check, bench_problem *problem) {
    *problem = (bench_problem){.ctx = ctx, .A = A, .trans = trans};
    tulle_status status = fill_problem(problem, seed, check);
    if (status != TULLE_OK) bench_problem_close(problem);
    return status;
}

void bench_problem_close(bench_problem *problem) {
    tulle_dense_destroy(problem->x);
    tulle_dense_destroy(problem->y);
    tool_reference_destroy(problem->reference);
    free(problem->host_y);
}

tulle_status bench_problem_poison(const bench_problem *problem) {
    return tulle_dense_fill(problem->ctx, problem->y, (double)NAN);
}

tulle_status bench_problem_error(const bench_problem *problem, double *units) {
    *units = (double)NAN;
    if (!problem->reference) return TULLE_OK;
    tulle_status status = tulle_dense_read(problem->ctx, problem->y, problem->host_y, 0);
    if (status != TULLE_OK) return status;
    *units = tool_reference_compare(problem->reference, 1, 0, NULL, problem->host_y).units;
    return TULLE_OK;
}
