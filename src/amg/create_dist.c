/* SPDX-License-Identifier: Apache-2.0 */
/* The operator of a hierarchy whose first levels are shared by processes. */
#include "amg/amg.h"
#include "dist/dist.h"
#include "matrix/build.h"

static uint64_t bits_of(double number) {
    union {
        double number;
        uint64_t bits;
    } both = {number};
    return both.bits;
}

/* Makes all processes agree on the options, and on how they fare. */
static tulle_status agree(tulle_comm *comm, tulle_status here, const tulle_amg_options *o) {
    const tulle__agreement facts[] = {
        {"options.strength", bits_of(o->strength)},
        {"options.most_sum", bits_of(o->most_sum)},
        {"options.interpolation_entries", (uint64_t)o->interpolation_entries},
        {"options.degree", (uint64_t)o->degree},
        {"options.most_levels", (uint64_t)o->most_levels},
        {"options.coarsest_rows", (uint64_t)o->coarsest_rows},
        {"options.passing", (uint64_t)o->passing},
        {"options.family", (uint64_t)o->family},
        {"options.precision", (uint64_t)o->precision},
        {"options.gathered_rows", (uint64_t)o->gathered_rows},
    };
    return tulle__comm_agree(comm, "tulle_amg_create_dist", here, facts,
                             sizeof facts / sizeof *facts);
}

/* Checks a distributed matrix, and options that are of no use with one. */
static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_dist_mat *A,
                          tulle_linop **M, const tulle_amg_options *o) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, M);
    TULLE__TRY(tulle__check_space_of(function, "A", ctx, A->block));
    for (int r = 0; r <= A->comm->functions.ranks; r++) {
        if (A->row_starts[r] == A->col_starts[r]) continue;
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                           "A is not square, or its columns are not shared as its rows are");
    }
    if (o->block > 1 || o->near_null) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                           "options: block and near_null are not for a distributed matrix");
    }
    if (!o->keep_plans) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                       "options: keep_plans must be false for a distributed matrix");
}

tulle_status tulle_amg_create_dist_sized(tulle_ctx *ctx, tulle_dist_mat *A,
                                         const tulle_amg_options *options, size_t options_size,
                                         tulle_linop **M) {
    static const char *const function = "tulle_amg_create_dist";
    tulle_amg_options o = {.strength = 0};
    tulle__amg *own = NULL;
    if (M) *M = NULL;
    TULLE__NEED(A);
    tulle_status status = tulle__amg_take_options(function, options, options_size, &o);
    if (status == TULLE_OK) status = check(function, ctx, A, M, &o);
    if (status == TULLE_OK) status = tulle__amg_make(ctx, A->type, A->rows, A->cols, &o, &own);
    status = agree(A->comm, status, &o);
    if (status == TULLE_OK) {
        own->dist = tulle_dist_mat_retain(A);
        own->head.comm = A->comm;
        own->head.capturable = A->comm->functions.capturable;
        status = tulle__amg_build(ctx, own, NULL);
    }
    if (status == TULLE_OK) {
        *M = &own->head;
        return TULLE_OK;
    }
    tulle_linop_destroy(own ? &own->head : NULL);
    return status;
}
