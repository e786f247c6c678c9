/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/problem.h"

#include <math.h>

#include "bench/acting.h"

static tulle_status fill_problem(bench_problem *p, uint64_t seed, bool check) {
    tulle_status status = tulle_ctx_device(p->ctx, &p->device);
    if (status == TULLE_OK) status = tulle_mat_describe(p->A, &p->info);
    if (status != TULLE_OK) return status;
    int64_t columns = p->trans == TULLE_N ? p->info.cols : p->info.rows;
    int64_t rows = p->trans == TULLE_N ? p->info.rows : p->info.cols;
    int64_t k = p->block.vectors;
    tulle_layout layout = p->block.layout;
    status = tulle_dense_create(p->ctx, p->info.type, columns, k, layout, 0, &p->x);
    if (status == TULLE_OK) {
        status = tulle_dense_create(p->ctx, p->info.type, rows, k, layout, 0, &p->y);
    }
    if (status == TULLE_OK) status = tulle_dense_random(p->ctx, p->x, seed);
    tulle_choice choice;
    if (status == TULLE_OK) status = bench_problem_choice(p, p->A, &choice);
    if (status != TULLE_OK) return status;
    p->minimal_bytes = choice.minimal_bytes;
    p->flops = 2 * (double)p->info.nnz * (double)k;
    return check ? bench_check_create(p->ctx, p->A, p->trans, p->x, &p->check) : TULLE_OK;
}

tulle_status bench_problem_vectors(bench_problem *p, uint64_t seed) {
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->x);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->y);
    return status == TULLE_OK ? tulle_dense_random(p->ctx, p->x, seed) : status;
}

tulle_status bench_problem_choice(const bench_problem *p, const tulle_mat *A,
                                  tulle_choice *choice) {
    if (!bench_is_block(&p->block)) return tulle_spmv_choice(p->ctx, p->trans, A, true, choice);
    return tulle_spmm_choice(p->ctx, p->trans, A, p->x, p->y, true, choice);
}

tulle_status bench_problem_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, uint64_t seed,
                                bool check, bench_problem *problem) {
    return bench_problem_open_block(ctx, A, trans, bench_one_vector, seed, check, problem);
}

tulle_status bench_problem_open_block(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans,
                                      bench_block block, uint64_t seed, bool check,
                                      bench_problem *problem) {
    *problem = (bench_problem){.ctx = ctx, .A = A, .trans = trans, .block = block};
    tulle_status status = fill_problem(problem, seed, check);
    if (status != TULLE_OK) bench_problem_close(problem);
    return status;
}

void bench_problem_close(bench_problem *problem) {
    if (problem->actor) problem->actor->close(problem);
    tulle_dense_destroy(problem->x);
    tulle_dense_destroy(problem->y);
    bench_check_destroy(problem->check);
}

tulle_status bench_problem_poison(const bench_problem *problem) {
    return tulle_dense_fill(problem->ctx, problem->y, (double)NAN);
}

tulle_status bench_problem_fill_far(const bench_problem *problem) {
    const double far = 1e30; /* f32 has it, too */
    return tulle_dense_fill(problem->ctx, problem->y, far);
}

tulle_status bench_problem_error(const bench_problem *problem, double *units) {
    *units = (double)NAN;
    if (!problem->check) return TULLE_OK;
    return bench_check_compare(problem->ctx, problem->check, problem->y, units);
}
