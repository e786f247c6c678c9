/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/parts.h"

#include <math.h>

#include "core/stopwatch.h"
#include "operator/linop.h"
#include "solve/careful.h"
#include "solve/narrow.h"
#include "tulle/reorder.h"
#include "tulle/spmv.h"
#include "vector/operands.h"

static tulle_status convert(tulle_ctx *ctx, tulle_mat *A, const tulle__way *way,
                            tulle__parts *parts) {
    const tulle_convert_options blocks = {.block = way->block};
    const double start = tulle__seconds();
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK && way->block > 0) {
        status = tulle_mat_convert_with(ctx, A, TULLE_BSR, info.index, &blocks, &parts->A);
        parts->convert_ms = 1e3 * (tulle__seconds() - start);
    } else if (status == TULLE_OK) {
        parts->A = tulle_mat_retain(A);
    }
    return status == TULLE_OK ? tulle_mat_describe(parts->A, &parts->info) : status;
}

/* Returns the matrix whose factors are made. A tiny pivot of a row of zeros is compared with a
 * number instead of one of the row, so that A is brought near 1 for complete factors: the iteration
 * does not depend on units then, since the size of M has no part in b - A x. In the preconditioned
 * norm the size has one, and A stays. */
static tulle_status take_unit(tulle_ctx *ctx, bool complete, const tulle_solve_options *options,
                              tulle__parts *parts, tulle_mat **A) {
    parts->unit = 1;
    if (complete && options->solver.norm == TULLE_TRUE_NORM) {
        return tulle__near_one(ctx, parts->A, A, &parts->unit);
    }
    *A = tulle_mat_retain(parts->A);
    return TULLE_OK;
}

/* Makes factors of A and the operator that solves with them. Complete factors have no exchanges of
 * rows: pivots that are tiny by half of the type's digits are boosted, and the iteration repairs
 * that. Source: X. Li and J. Demmel, "SuperLU_DIST", ACM TOMS 29 (2003), static pivoting. */
static tulle_status factorise(tulle_ctx *ctx, const tulle__way *way,
                              const tulle_solve_options *solve, tulle__parts *parts) {
    const tulle__precond precond = way->precond;
    const bool complete = precond.kind == TULLE__COMPLETE, seeks = complete && !way->order;
    tulle_mat *A = NULL;
    TULLE__TRY(take_unit(ctx, complete, solve, parts, &A));
    const double half_digits = parts->info.type == TULLE_F32 ? ldexp(1, -12) : ldexp(1, -26);
    tulle_order *order = NULL;
    tulle_status status = seeks ? tulle_order_fill(ctx, A, TULLE_AMD, &order) : TULLE_OK;
    const tulle_factor_options options = {
        .kind = precond.kind == TULLE__IC ? TULLE_CHOLESKY : TULLE_LU,
        .fill = complete ? TULLE_FILL_ALL : precond.number,
        .order = complete && !seeks ? way->order : order,
        .modified = precond.kind == TULLE__MILU ? 1 : 0,
        .shift = solve->shift,
        .tiny = complete ? half_digits : 0,
        .boost = complete,
    };
    if (status == TULLE_OK) status = tulle_factor_create(ctx, A, &options, &parts->F);
    tulle_order_destroy(order);
    tulle_mat_destroy(A);
    if (status == TULLE_OK) status = tulle_factor_describe(parts->F, &parts->factors);
    if (status != TULLE_OK) return status;
    return tulle_linop_from_factor(ctx, parts->F, parts->info.type, &parts->M);
}

static tulle_status make_polynomial(tulle_ctx *ctx, int degree, const tulle_solve_options *options,
                                    tulle__parts *parts) {
    tulle_linop *diagonal = NULL;
    tulle_status status = tulle_linop_jacobi(ctx, parts->L, &diagonal);
    if (status == TULLE_OK) {
        status = tulle_linop_chebyshev(ctx, parts->L, diagonal, degree, options->precond_lowest,
                                       options->precond_highest, &parts->M);
    }
    tulle_linop_destroy(diagonal);
    return status;
}

static tulle_amg_family family_of(tulle__precond_kind kind) {
    if (kind == TULLE__PLAIN_AMG) return TULLE_AMG_AGGREGATION;
    return kind == TULLE__SMOOTHED_AMG ? TULLE_AMG_SMOOTHED : TULLE_AMG_FAMILY_CHOOSE;
}

/* Makes a copy of the near null space in the type of the matrix that is iterated with, which is f32
 * in mixed precision. */
static tulle_status take_near_null(tulle_ctx *ctx, const tulle_vec *B, tulle_type type,
                                   tulle_vec **taken) {
    TULLE__TRY(tulle_vec_create_columns(ctx, type, B->rows, B->cols, TULLE_ROW_MAJOR, 0, taken));
    return tulle_vec_copy(ctx, B, *taken);
}

/* For GMRES the hierarchy computes in A's type, not in f32: GMRES makes x by one application of M
 * to a sum of directions, and M in f32 rounds that otherwise than it rounded the directions, so
 * that the residual would stay above some 1e-6 of the largest one of the cycle. */
tulle_status tulle__parts_coarsen(tulle_ctx *ctx, const tulle__way *way,
                                  const tulle_solve_options *options, tulle_dist_mat *shared,
                                  tulle__parts *parts) {
    const bool same = way->method == TULLE_GMRES;
    tulle_amg_options amg = {.degree = way->precond.number,
                             .family = family_of(way->precond.kind),
                             .precision = same ? TULLE_AMG_SAME : 0,
                             .block = options->block,
                             .near_null = options->near_null};
    tulle_vec *taken = NULL;
    tulle_status status = TULLE_OK;
    if (amg.near_null && amg.near_null->type != parts->info.type) {
        status = take_near_null(ctx, amg.near_null, parts->info.type, &taken);
        amg.near_null = taken;
    }
    if (status == TULLE_OK) {
        status = shared ? tulle_amg_create_dist(ctx, shared, &amg, &parts->M)
                        : tulle_amg_create(ctx, parts->A, &amg, &parts->M);
    }
    tulle_vec_destroy(taken);
    if (status != TULLE_OK) return status;
    return tulle_amg_describe(parts->M, &parts->hierarchy);
}

tulle_status tulle__parts_precondition(tulle_ctx *ctx, const tulle__way *way,
                                       const tulle_solve_options *options, tulle__parts *parts) {
    const tulle__precond precond = way->precond;
    switch (precond.kind) {
        case TULLE__JACOBI:
            return tulle_linop_jacobi(ctx, parts->L, &parts->M);
        case TULLE__BLOCK_JACOBI:
            return tulle_linop_block_jacobi(ctx, parts->A, precond.number, &parts->M);
        case TULLE__ILU:
        case TULLE__IC:
        case TULLE__MILU:
        case TULLE__COMPLETE:
            return factorise(ctx, way, options, parts);
        case TULLE__POLYNOMIAL:
            return make_polynomial(ctx, precond.number, options, parts);
        case TULLE__MULTIGRID:
        case TULLE__PLAIN_AMG:
        case TULLE__SMOOTHED_AMG:
            return tulle__parts_coarsen(ctx, way, options, NULL, parts);
        case TULLE__NO_PRECOND:
            break;
    }
    return TULLE_OK;
}

static tulle_status make_operator(tulle_ctx *ctx, tulle_mat *A, tulle_mat *rows,
                                  tulle__parts *parts) {
    const bool hides = parts->info.type == TULLE_F64 && parts->info.format != TULLE_CSR;
    const tulle_status status = tulle_linop_from_mat(ctx, parts->A, &parts->L);
    if (status != TULLE_OK || (!hides && rows == A)) return status;
    return tulle__careful_take(ctx, rows, &parts->L);
}

tulle_status tulle__parts_make(tulle_ctx *ctx, tulle_mat *A, tulle_mat *rows, tulle_linop *instead,
                               const tulle__way *way, const tulle_solve_options *options,
                               tulle__parts *parts) {
    *parts = (tulle__parts){.A = NULL};
    tulle_status status = convert(ctx, A, way, parts);
    if (status == TULLE_OK && instead) parts->L = tulle__linop_retain(instead);
    if (status == TULLE_OK && !instead) status = make_operator(ctx, A, rows, parts);
    if (status == TULLE_OK) status = tulle__parts_precondition(ctx, way, options, parts);
    if (status != TULLE_OK) tulle__parts_free(parts);
    return status;
}

void tulle__parts_free(tulle__parts *parts) {
    tulle_linop_destroy(parts->M);
    tulle_factor_destroy(parts->F);
    tulle_linop_destroy(parts->L);
    tulle_mat_destroy(parts->A);
    *parts = (tulle__parts){.A = NULL};
}

tulle_status tulle__parts_growth(tulle_ctx *ctx, const tulle__parts *parts, double *growth) {
    tulle_vec *r = NULL, *z = NULL;
    double before = 0, after = 0;
    const tulle_type type = parts->info.type;
    tulle_status status = tulle_vec_create(ctx, type, parts->info.rows, &r);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, type, parts->info.rows, &z);
    if (status == TULLE_OK) status = tulle_vec_random(ctx, z, 1);
    if (status == TULLE_OK) status = tulle_vec_norm_max(ctx, z, tulle_to_num(&before));
    if (status == TULLE_OK) {
        status = tulle_spmv(ctx, TULLE_N, tulle_num(parts->unit), parts->A, z, tulle_num(0), r);
    }
    if (status == TULLE_OK) {
        status = tulle_factor_solve(ctx, TULLE_N, tulle_num(1), parts->F, r, z);
    }
    if (status == TULLE_OK) status = tulle_vec_norm_max(ctx, z, tulle_to_num(&after));
    *growth = before > 0 ? after / before : 0;
    tulle_vec_destroy(r);
    tulle_vec_destroy(z);
    return status;
}

bool tulle__parts_grow(const tulle__parts *parts, double growth) {
    const double unit = parts->info.type == TULLE_F32 ? ldexp(1, -24) : ldexp(1, -53);
    return !(growth < pow(unit, -0.75));
}
