/* SPDX-License-Identifier: Apache-2.0 */
/* Complete factors of many matrices in blocks, in an order for little fill, values alone, diagonal
 * blocks inverted, as paper 3 has them; and solutions with them, for as many right-hand sides as a
 * block has rows. Preparing is finding the factors' patterns. */
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "trials/grids.h"

/* Beside the matrices (trial_grids.more). */
typedef struct factors {
    tulle_order *P;
    tulle_factor **F;
    tulle_factor_info info; /* sizes of each of the factors */
} factors;

static factors *factors_of(const trial_problem *p) {
    return trial_grids_of(p)->more;
}

static tulle_status make_one(const trial_problem *p, int64_t task, tulle_factor **F) {
    const trial_grids *g = trial_grids_of(p);
    const tulle_factor_options options = {.kind = TULLE_LU,
                                          .fill = TULLE_FILL_ALL,
                                          .order = factors_of(p)->P,
                                          .inverted = g->block > 1};
    return tulle_factor_create(p->ctx, g->A[task], &options, F);
}

static tulle_status make_factors(trial_problem *p) {
    const trial_grids *g = trial_grids_of(p);
    factors *f = factors_of(p);
    tulle_status status = tulle_order_fill(p->ctx, g->A[0], TULLE_AMD, &f->P);
    for (int64_t i = 0; i < g->count && status == TULLE_OK; i++) {
        status = make_one(p, i, &f->F[i]);
    }
    if (status == TULLE_OK) status = tulle_factor_describe(f->F[0], &f->info);
    return status;
}

/* Returns the bytes of the numbers and columns of all factors. */
static int64_t factor_bytes(const trial_problem *p) {
    const tulle_factor_info *info = &factors_of(p)->info;
    const int64_t numbers = (int64_t)info->block * info->block * tulle_type_size(info->type);
    return p->count * (info->nnz_l + info->nnz_u) * (numbers + (int64_t)sizeof(int32_t));
}

static tulle_status open_factors(trial_problem *p, const trial_given *given) {
    tulle_status status = trial_grids_open(p, given, NULL);
    if (status != TULLE_OK) return status;
    trial_grids *g = trial_grids_of(p);
    factors *f = tool_alloc(1, sizeof *f);
    *f = (factors){.F = tool_alloc((size_t)g->count, sizeof(tulle_factor *))};
    for (int64_t i = 0; i < g->count; i++) f->F[i] = NULL;
    g->more = f;
    status = make_factors(p);
    if (status != TULLE_OK) return status;
    p->levels = f->info.levels;
    p->flops = (double)g->count * f->info.flops;
    return TULLE_OK;
}

/* Opens a problem of factorisations: its fewest bytes are those of all A, which are read, and of
 * the factors, which are written. */
static tulle_status open_lu(trial_problem *p, const trial_given *given) {
    tulle_status status = open_factors(p, given);
    if (status != TULLE_OK) return status;
    const trial_grids *g = trial_grids_of(p);
    const int64_t cell = g->block * g->block * tulle_type_size(p->info.type);
    p->minimal_bytes = g->count * g->blocks * (cell + (int64_t)sizeof(int32_t)) + factor_bytes(p);
    return TULLE_OK;
}

static tulle_status open_solve(trial_problem *p, const trial_given *given) {
    tulle_status status = open_factors(p, given);
    if (status != TULLE_OK) return status;
    const trial_grids *g = trial_grids_of(p);
    const tulle_factor_info *info = &factors_of(p)->info;
    const double cells = (double)(info->nnz_l + info->nnz_u) * (double)(g->block * g->block);
    p->flops = 2 * (double)g->count * cells * (double)g->block;
    p->minimal_bytes = factor_bytes(p) + 2 * g->count * g->points * g->block * g->block *
                                             tulle_type_size(p->info.type);
    return TULLE_OK;
}

static void close_problem(trial_problem *p) {
    if (p->own) {
        const trial_grids *g = trial_grids_of(p);
        factors *f = g->more;
        for (int64_t i = 0; f && i < g->count; i++) tulle_factor_destroy(f->F[i]);
        if (f) {
            tulle_order_destroy(f->P);
            free(f->F);
        }
        free(f);
    }
    trial_grids_close(p);
}

static tulle_status record_solution(tulle_batch *batch, const trial_problem *p, void *F) {
    const trial_grids *g = trial_grids_of(p);
    return tulle_batch_solve(batch, TULLE_N, 1, F, g->x[0], g->y[0], NULL);
}

static tulle_status time_csc(const trial_problem *p, trial_task *task) {
    tulle_factor *fresh = NULL;
    tulle_status status = make_one(p, 0, &fresh);
    if (status == TULLE_OK) {
        status = trial_batch_time_lines(p, record_solution, fresh, &task->convert_ms);
    }
    tulle_factor_destroy(fresh);
    return status;
}

static tulle_status prepare(const trial_problem *p, bool solves, trial_task *task) {
    const trial_grids *g = trial_grids_of(p);
    const factors *f = factors_of(p);
    tulle_batch *batch;
    tulle_status status = trial_batch_start(p, task, &batch);
    if (status != TULLE_OK) return status;
    for (int64_t i = 0; i < g->count && status == TULLE_OK; i++) {
        status = solves ? tulle_batch_solve(batch, TULLE_N, 1, f->F[i], g->x[i], g->y[i], NULL)
                        : tulle_batch_factor(batch, f->F[i], g->A[i], NULL);
    }
    if (status == TULLE_OK && solves && trial_batch_is_published(p)) status = time_csc(p, task);
    task->prep_ms = f->info.analysis_ms;
    task->extra_bytes = g->count * f->info.bytes;
    if (status != TULLE_OK) trial_batch_finish(task->state);
    return status;
}

static tulle_status prepare_factors(const trial_problem *p, trial_task *task) {
    return prepare(p, false, task);
}

static tulle_status prepare_solve(const trial_problem *p, trial_task *task) {
    return prepare(p, true, task);
}

/* Gives the factors the values of another matrix's, so that the check finds a call that computes
 * nothing. */
static tulle_status spoil(const trial_problem *p) {
    if (!p->checked) return TULLE_OK;
    const trial_grids *g = trial_grids_of(p);
    const factors *f = factors_of(p);
    const int64_t numbers = g->blocks * g->block * g->block;
    double *other = tool_alloc((size_t)numbers, sizeof *other);
    float *narrow = tool_alloc((size_t)numbers, sizeof *narrow);
    for (int64_t i = 0; i < numbers; i++) {
        other[i] = 2 * g->values[i];
        narrow[i] = (float)other[i];
    }
    const void *values = p->info.type == TULLE_F32 ? (const void *)narrow : other;
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < tool_sample_count(&p->sample, g->count) && status == TULLE_OK; i++) {
        const int64_t task = tool_sample_at(&p->sample, g->count, i);
        tulle_mat *A = NULL;
        status = tulle_mat_with_values(p->ctx, g->A[task], p->info.type, numbers, values, &A);
        if (status == TULLE_OK) status = tulle_factor_update(p->ctx, f->F[task], A);
        if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
        tulle_mat_destroy(A);
    }
    free(other);
    free(narrow);
    return status;
}

/* Returns the largest number of b - A x for one right-hand side of a task, over the size that it
 * may have. Rows that are dominant let no factor grow beyond twice A (J. H. Wilkinson 1961), and
 * each number is a sum of at most as many products as A has rows, in an order that is not known. */
static double residual_of(const trial_problem *p, const void *x, int64_t task, int64_t column) {
    const trial_vectors *v = p->own;
    const trial_grids *g = trial_grids_of(p);
    const int64_t b = g->block, rows = g->points * b, all = g->count * rows, first = task * rows;
    long double worst = 0, mass = 0;
    for (int64_t row = 0; row < rows; row++) {
        const long double right = trial_vectors_number(p, v->host_x, all, first + row, column);
        long double left = right, size = fabsl(right);
        for (int64_t e = g->offsets[row / b]; e < g->offsets[row / b + 1]; e++) {
            for (int64_t c = 0; c < b; c++) {
                const long double product =
                    (long double)trial_grids_value(g, e, row % b, c) *
                    trial_vectors_number(p, x, all, first + g->columns[e] * b + c, column);
                left -= product;
                size += fabsl(product);
            }
        }
        if (isnan(left)) return (double)INFINITY;
        worst = fmaxl(worst, fabsl(left));
        mass = fmaxl(mass, size);
    }
    return (double)(worst / (2 * trial_gamma_likely(p->info.type, 3 * (double)rows) * mass));
}

/* Compares the first column and the last of the part of y of every task that is checked. */
static tulle_status check_solutions(const trial_problem *p, double *units) {
    const trial_vectors *v = p->own;
    const trial_grids *g = trial_grids_of(p);
    *units = (double)NAN;
    if (!v->host_x) return TULLE_OK;
    void *x = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, x);
    double worst = 0;
    if (status == TULLE_OK) {
#pragma omp parallel for reduction(max : worst)
        for (int64_t i = 0; i < 2 * tool_sample_count(&p->sample, g->count); i++) {
            const int64_t task = tool_sample_at(&p->sample, g->count, i / 2);
            worst = fmax(worst, residual_of(p, x, task, i % 2 ? g->block - 1 : 0));
        }
        *units = worst;
    }
    free(x);
    return status;
}

static tulle_status error_of_solve(const trial_problem *p, void *state, double *units) {
    (void)state;
    return check_solutions(p, units);
}

/* Finds the error of factors by the error of solutions with them. */
static tulle_status error_of_lu(const trial_problem *p, void *state, double *units) {
    const trial_grids *g = trial_grids_of(p);
    const factors *f = factors_of(p);
    (void)state;
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < tool_sample_count(&p->sample, g->count) && status == TULLE_OK; i++) {
        const int64_t task = tool_sample_at(&p->sample, g->count, i);
        status =
            tulle_factor_solve(p->ctx, TULLE_N, tulle_num(1), f->F[task], g->x[task], g->y[task]);
    }
    return status == TULLE_OK ? check_solutions(p, units) : status;
}

#define OPERATION(operation_name, called, says, opening, preparing, resetting, checking)           \
    const trial_operation trial_operation_##operation_name = {                                     \
        .name = #operation_name,                                                                   \
        .function = called,                                                                        \
        .formula = says,                                                                           \
        .sized = true,                                                                             \
        .many = true,                                                                              \
        .blocks = true,                                                                            \
        .detail = TRIAL_BATCH_DETAILS,                                                             \
        .captured = TRIAL_BATCH_CAPTURED,                                                          \
        .open = opening,                                                                           \
        .close = close_problem,                                                                    \
        .prepare = preparing,                                                                      \
        .run = trial_batch_run,                                                                    \
        .finish = trial_batch_finish,                                                              \
        .reset = resetting,                                                                        \
        .error = checking,                                                                         \
    };

OPERATION(batch_lu, "tulle_batch_factor", "L U = A, many", open_lu, prepare_factors, spoil,
          error_of_lu)
OPERATION(batch_solve, "tulle_batch_solve", "A X = B, many", open_solve, prepare_solve,
          trial_problem_poison, error_of_solve)
