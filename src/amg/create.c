/* SPDX-License-Identifier: Apache-2.0 */
/* The operator of a hierarchy: making it, applying it, and asking about it. */
#include "amg/amg.h"
#include "amg/jobs.h"
#include "dist/dist.h"
#include "matrix/operand.h"
#include "tulle/vec.h"
#include "vector/operands.h"

/* True for a vector whose numbers follow each other, as the cycle takes them. */
static bool is_dense(const tulle_vec *x) {
    return x->rows <= 1 || tulle__strided_of(x).row == 1;
}

/* y := (cycle for alpha x) + beta y for one column, straight into y where beta is 0. alpha comes
 * first: solvers give M the unit of A, and the cycle's numbers are then far from the ends of f64.
 */
static tulle_status apply_column(tulle_ctx *ctx, tulle__amg *own, tulle_scalar alpha,
                                 const tulle_vec *x, tulle_scalar beta, tulle_vec *y) {
    const bool is_1 = !alpha.address && alpha.number == 1, is_0 = !beta.address && beta.number == 0;
    const tulle_vec one = {.rows = x->rows, .cols = 1, .layout = TULLE_COLUMN_MAJOR}, *like = &one;
    tulle_vec from = *x, to = *y;
    if (!is_1 || !is_dense(x)) {
        TULLE__TRY(tulle__own_vector_take(ctx, &own->own_x, own->head.type, x->rows, like, &from));
        TULLE__TRY(tulle_vec_axpby(ctx, alpha, x, tulle_num(0), &from));
    }
    if (is_0 && is_dense(y)) return tulle__amg_cycle(ctx, own, &from, &to);
    TULLE__TRY(tulle__own_vector_take(ctx, &own->own_y, own->head.type, y->rows, like, &to));
    TULLE__TRY(tulle__amg_cycle(ctx, own, &from, &to));
    return tulle_vec_axpby(ctx, tulle_num(1), &to, beta, y);
}

/* Number of rows of all processes. */
static int64_t rows_of(const tulle__amg *own) {
    return own->dist ? own->dist->row_starts[own->head.comm->functions.ranks] : own->head.rows;
}

static tulle_status check_fresh(const char *function, const tulle__amg *own) {
    if (own->levels > 0 && !own->stale) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, NULL, -1,
                       "multigrid's last update failed, so its levels have no numbers: update it "
                       "again");
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    tulle__amg *own = (tulle__amg *)L;
    (void)op; /* M is not transposed */
    if (rows_of(own) == 0) return TULLE_OK;
    TULLE__TRY(check_fresh(NULL, own));
    for (int64_t j = 0; j < X->cols; j++) {
        const tulle_vec x = tulle__column_of(X, j);
        tulle_vec y = tulle__column_of(Y, j);
        TULLE__TRY(apply_column(ctx, own, alpha, &x, beta, &y));
    }
    return TULLE_OK;
}

static tulle_status renew(tulle_ctx *ctx, tulle_linop *L) {
    tulle__amg *own = (tulle__amg *)L;
    tulle__amg_forget(own);
    return tulle__amg_build(ctx, own, NULL);
}

static void destroy(tulle_linop *L) {
    tulle__amg *own = (tulle__amg *)L;
    tulle__amg_forget(own);
    tulle__own_vector_release(&own->own_x);
    tulle__own_vector_release(&own->own_y);
    tulle_vec_destroy(own->nodes.near_null);
    tulle_mat_destroy(own->A);
    tulle_dist_mat_destroy(own->dist);
}

static uint64_t join_matrix(uint64_t all, const tulle_mat *A) {
    if (!A) return tulle__stamp_join(all, 0);
    all = tulle__stamp_join(all, A->pattern->serial);
    return tulle__stamp_join(all, (uint64_t)(uintptr_t)A->values.data);
}

static uint64_t join_vector(uint64_t all, const tulle_vec *x) {
    return tulle__stamp_join(all, x ? (uint64_t)(uintptr_t)x->data : 0);
}

/* A graph is of use as long as all arrays that the cycle uses are the same. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    const tulle__amg *own = (const tulle__amg *)L;
    uint64_t all = tulle__stamp_join((uint64_t)(uintptr_t)own->own_x.data,
                                     (uint64_t)(uintptr_t)own->own_y.data);
    all = join_vector(all, own->unit);
    all = join_vector(join_vector(all, own->nodes.entry), own->nodes.entered);
    all = join_vector(join_vector(all, own->whole.b), own->whole.x);
    for (int l = 0; l < own->levels; l++) {
        const tulle__amg_level *level = own->level + l;
        const tulle__amg_matrices *cycle = &level->cycle;
        const tulle_mat *const matrices[] = {cycle->A, cycle->P, cycle->R, cycle->inverse};
        const tulle_linop *const operators[] = {level->shared.of_A, level->shared.of_P,
                                                level->shared.of_R};
        const tulle_vec *const vectors[] = {level->d, level->b,    level->x,
                                            level->r, level->z[0], level->z[1]};
        for (int k = 0; k < 4; k++) all = join_matrix(all, matrices[k]);
        for (int k = 0; k < 3; k++) {
            if (operators[k]) all = tulle__stamp_join(all, tulle__linop_stamp(ctx, operators[k]));
        }
        for (int k = 0; k < 6; k++) all = join_vector(all, vectors[k]);
    }
    return all;
}

static const tulle__linop_kind kind = {.name = "AMG",
                                       .bytes = sizeof(tulle__amg),
                                       .apply = apply,
                                       .renew = renew,
                                       .stamp = stamp,
                                       .destroy = destroy};

tulle_status tulle__amg_make(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols,
                             const tulle_amg_options *options, tulle__amg **made) {
    tulle_linop *M;
    *made = NULL;
    TULLE__TRY(tulle__linop_make(ctx, &kind, type, rows, cols, &M));
    *made = (tulle__amg *)M;
    (*made)->options = *options;
    return TULLE_OK;
}

tulle_status tulle_amg_create_sized(tulle_ctx *ctx, tulle_mat *A, const tulle_amg_options *options,
                                    size_t options_size, tulle_linop **M) {
    static const char *const function = "tulle_amg_create";
    tulle_amg_options o;
    tulle__amg *own;
    TULLE__NEED(M);
    *M = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__amg_take_options(function, options, options_size, &o));
    TULLE__TRY(tulle__check_space(function, ctx, A));
    TULLE__TRY(tulle__check_rows_fit(function, "A", ctx, TULLE_N, A));
    TULLE__TRY(tulle__amg_make(ctx, A->type, A->pattern->rows, A->pattern->cols, &o, &own));
    own->A = tulle_mat_retain(A);
    tulle_status status = tulle__linop_check_square(function, "A", &own->head);
    if (status == TULLE_OK) status = tulle__amg_take_nodes(function, ctx, own);
    if (status == TULLE_OK) status = tulle__amg_build(ctx, own, NULL);
    if (status != TULLE_OK) {
        tulle_linop_destroy(&own->head);
        return status;
    }
    *M = &own->head;
    return TULLE_OK;
}

static tulle_status check_kind(const char *function, const tulle_linop *M) {
    if (M->kind == &kind) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "M", -1,
                       "this operator (%s) was not made by tulle_amg_create", M->kind->name);
}

/* Takes another matrix in the place of A. */
static tulle_status take_matrix(tulle_ctx *ctx, tulle__amg *own, tulle_mat *A) {
    static const char *const function = "tulle_amg_update";
    if (!A || A == own->A) return TULLE_OK;
    TULLE__TRY(tulle__check_space(function, ctx, A));
    if (A->pattern->rows != own->head.rows || A->pattern->cols != own->head.cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                           "A is %lld x %lld, and the hierarchy is of %lld rows",
                           (long long)A->pattern->rows, (long long)A->pattern->cols,
                           (long long)own->head.rows);
    }
    if (A->type != own->head.type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, function, "A", -1,
                           "A has another type than the hierarchy");
    }
    TULLE__TRY(tulle__check_rows_fit(function, "A", ctx, TULLE_N, A));
    tulle_mat *before = own->A;
    own->A = tulle_mat_retain(A);
    tulle_mat_destroy(before);
    return TULLE_OK;
}

/* Checks what a hierarchy of a distributed matrix has no update for. */
static tulle_status check_shared(const char *function, const tulle__amg *own, const tulle_mat *A,
                                 tulle_amg_how how) {
    if (own->dist && A) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "a hierarchy of a distributed matrix keeps that matrix: pass NULL, "
                           "after tulle_dist_mat_set_values");
    }
    if (!own->dist || how != TULLE_AMG_KEEP_COARSENING) return TULLE_OK;
    if (own->options.family != TULLE_AMG_SMOOTHED) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "how", -1,
                       "aggregates that are smoothed and that processes share are not kept: "
                       "TULLE_AMG_KEEP_P keeps P, and TULLE_AMG_ANEW finds aggregates anew");
}

static tulle_status check_update(const char *function, const tulle_ctx *ctx, const tulle_linop *M,
                                 const tulle_mat *A, tulle_amg_how how) {
    TULLE__NEED_OF(function, ctx);
    TULLE__TRY(tulle__linop_check(function, "M", ctx, M));
    if (how < TULLE_AMG_ANEW || how > TULLE_AMG_KEEP_COARSENING) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "how", -1,
                           "there is no tulle_amg_how %d", (int)how);
    }
    return check_shared(function, (const tulle__amg *)M, A, how);
}

static tulle_status update(tulle_ctx *ctx, tulle__amg *own, tulle_amg_how how) {
    const bool plain = own->options.family == TULLE_AMG_AGGREGATION;
    const bool keeps_P = how == TULLE_AMG_KEEP_P || (how == TULLE_AMG_KEEP_COARSENING && plain);
    own->head.renewals++;
    if (keeps_P && own->levels > 0) return tulle__amg_bring_values(ctx, own);
    if (how == TULLE_AMG_KEEP_COARSENING) return tulle__amg_keep_coarsening(ctx, own);
    return renew(ctx, &own->head);
}

tulle_status tulle_amg_update(tulle_ctx *ctx, tulle_linop *M, tulle_mat *A, tulle_amg_how how) {
    TULLE__NEED(M);
    TULLE__TRY(check_kind(__func__, M));
    tulle__amg *own = (tulle__amg *)M;
    tulle_status status = check_update(__func__, ctx, M, A, how);
    if (own->dist) {
        const tulle__agreement fact = {"how", (uint64_t)how};
        TULLE__TRY(tulle__comm_agree(M->comm, __func__, status, &fact, 1));
        return tulle__comm_spoil(M->comm, update(ctx, own, how));
    }
    if (status == TULLE_OK) status = take_matrix(ctx, own, A);
    return status == TULLE_OK ? update(ctx, own, how) : status;
}

tulle_status tulle_amg_describe(const tulle_linop *M, tulle_amg_info *info) {
    TULLE__NEED(M);
    TULLE__NEED(info);
    TULLE__TRY(check_kind(__func__, M));
    *info = ((const tulle__amg *)M)->info;
    return TULLE_OK;
}

/* Finds a level of a hierarchy by its number. */
static tulle_status find_level(const char *function, const tulle_linop *M, int level,
                               tulle__amg **own) {
    TULLE__TRY(check_kind(function, M));
    *own = (tulle__amg *)(uintptr_t)M;
    if (level >= 0 && level < (*own)->levels) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "level", -1,
                       "level is %d; the hierarchy has %d", level, (*own)->levels);
}

tulle_status tulle_amg_level_numbers(const tulle_linop *M, int level, tulle_amg_level_info *info) {
    tulle__amg *own;
    TULLE__NEED(M);
    TULLE__NEED(info);
    TULLE__TRY(find_level(__func__, M, level, &own));
    *info = own->level[level].info;
    return TULLE_OK;
}

tulle_status tulle_amg_level(const tulle_linop *M, int level, tulle_amg_level_info *info) {
    tulle__amg *own;
    TULLE__NEED(M);
    TULLE__NEED(info);
    TULLE__TRY(find_level(__func__, M, level, &own));
    tulle__amg_level *of = own->level + level;
    const bool has_A = of->A || of->passes, has_R = of->R || level == own->levels - 1;
    TULLE__TRY(check_fresh(__func__, own));
    if (level >= own->shared && (!has_A || !has_R)) {
        TULLE__TRY(tulle__amg_need_A(M->ctx, own, level));
        TULLE__TRY(tulle__amg_need_R(M->ctx, of));
        TULLE__TRY(tulle_ctx_synchronize(M->ctx));
    }
    *info = of->info;
    info->A = of->A;
    info->P = of->P;
    info->R = of->R;
    info->shared_A = of->shared.A;
    info->shared_P = of->shared.P;
    return TULLE_OK;
}
