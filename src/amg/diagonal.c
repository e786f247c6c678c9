/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonals of smoothers, and the rows that have none.
 *
 * A row c of level l stands for rows of A. With f, the column of P_0 P_1 ... P_(l-1) that belongs
 * to c, its diagonal entry is f^T A f. That is 0 where f is a null vector, as where c is all that
 * is left of a part of A that hangs on nothing. Rounding leaves another number there, of any sign,
 * at most some times u f^T |A| 1, where u is the rounding unit: a solution with it would be without
 * a meaning. So let t be the largest sizes in the rows of A, and P^T t on each next level. The sum
 * of t over such a part is the same on all levels, since rows of P add up to 1. A row whose sizes
 * add up to no more than some times u t counts as 0: it is not smoothed, and its correction is 0.
 *
 * The same t tells what f32 does. Roundings of a product in f32 on the first level reach row c as
 * at most u t, and about u t / sqrt N where they are as good as independent and c stands for N
 * rows. There they are divided by the row's sizes. Where coefficients jump far, an island of large
 * ones becomes a row of small ones, and M would be more of roundings than of A. */
#include <math.h>

#include "amg/amg.h"
#include "amg/functions.h"
#include "tulle/algebra.h"
#include "tulle/spmv.h"
#include "tulle/vec.h"

/* Sum of a row's sizes, over its noise in the rounding unit of the type, up to which it counts as
 * 0. */
static const double lost[] = {[TULLE_F32] = 16, [TULLE_F64] = 16 * 0x1p-29};

/* Size of a pivot of nodes, over the size of the numbers in A that its unknown is made of, up to
 * which it counts as 0. Rigid motions are interpolated to the roundings of f32 at best, where a
 * cycle may be in f32, so that A of what should be a motion has 16 times the square of 2^-24. In
 * f32 slender bodies have motions as soft as a few roundings, which M needs. */
static const double lost_of_nodes[] = {[TULLE_F32] = 0x1p-23, [TULLE_F64] = 16 * 0x1p-48};

/* Noise in f32, over the sum of a row's sizes, from which on a cycle is not in f32. M has lost
 * definiteness from about 1 on; with plain aggregation, whose corrections are larger and whose
 * levels are visited twice, from 0.01 on. */
static const double most_noise[] = {
    [TULLE_AMG_CLASSICAL] = 0.25, [TULLE_AMG_AGGREGATION] = 0x1p-8, [TULLE_AMG_SMOOTHED] = 0.25};

/* Largest of the sizes of the level before over the sum of a row's sizes, of a level that is not
 * far. It is 3 to 7 where coefficients are constant, also with directions, or vary little; with
 * islands for which it was 15, CG took three times the iterations for a level that was passed, and
 * from some 100 on ten times. */
static const double most_reach = 10;

tulle_status tulle__amg_begin_noise(tulle_ctx *ctx, tulle_vec *noise) {
    return tulle_vec_scale(ctx, tulle_num(tulle__amg_noise_unit), noise);
}

tulle_status tulle__amg_find_sizes(tulle_ctx *ctx, const tulle_mat *A, tulle_vec **sizes) {
    TULLE__TRY(tulle_vec_create(ctx, A->type, A->pattern->rows, sizes));
    return tulle_mat_sums(ctx, TULLE_N, A, TULLE_SUM_LARGEST, *sizes);
}

static tulle_status find_noise(tulle_ctx *ctx, const tulle_mat *A, tulle_vec **noise) {
    TULLE__TRY(tulle__amg_find_sizes(ctx, A, noise));
    return tulle__amg_begin_noise(ctx, *noise);
}

tulle_status tulle__amg_pass_noise(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level) {
    tulle_vec *next = NULL;
    TULLE__TRY(tulle__amg_need_R(ctx, level));
    if (!own->noise) TULLE__TRY(find_noise(ctx, level->A, &own->noise));
    tulle_status status = tulle_vec_create(ctx, own->head.type, level->R->pattern->rows, &next);
    if (status == TULLE_OK) {
        status = tulle_spmv(ctx, TULLE_N, tulle_num(1), level->R, own->noise, tulle_num(0), next);
    }
    tulle__amg_drop_noise(own);
    own->noise = next;
    return status;
}

/* Let f be a column of P, and D the sizes of the rows of the level before. Smoothing there takes
 * f^T A f / f^T D f of the error f away, about, where f^T A f is about the sum of sizes of f's row
 * on the next level. */
tulle_status tulle__amg_find_far(tulle_ctx *ctx, tulle__amg_level *level) {
    double reach;
    if (!level->sizes) return TULLE_OK;
    TULLE__TRY(tulle_vec_multiply(ctx, level->sizes, level->d, level->sizes));
    TULLE__TRY(tulle_vec_norm_max(ctx, level->sizes, tulle_to_num(&reach)));
    level->is_far = !(reach <= most_reach);
    tulle_vec_destroy(level->sizes);
    level->sizes = NULL;
    return TULLE_OK;
}

void tulle__amg_drop_noise(tulle__amg *own) {
    tulle_vec_destroy(own->noise);
    own->noise = NULL;
}

double tulle__amg_most_noise(const tulle__amg *own, int64_t rows) {
    return most_noise[own->options.family] * sqrt((double)own->level[0].info.rows / (double)rows);
}

double tulle__amg_lost(tulle_type type) {
    return lost[type];
}

double tulle__amg_lost_of_nodes(tulle_type type) {
    return lost_of_nodes[type];
}

tulle_status tulle__amg_invert_sums(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *A,
                                    int64_t first, tulle_vec *d, int64_t *unfit) {
    const tulle__amg_inversion job = {.type = d->type,
                                      .n = d->rows,
                                      .A = tulle__view_of(A->pattern),
                                      .values = A->values.data,
                                      .first = first,
                                      .d = d->data,
                                      .noise = own->noise ? own->noise->data : NULL,
                                      .lost = lost[d->type],
                                      .most = tulle__amg_most_noise(own, d->rows),
                                      .unfit = unfit};
    return ctx->backend->amg->amg_invert(&ctx->place, &job);
}

tulle_status tulle__amg_set_diagonal(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *A,
                                     tulle__amg_level *level) {
    if (!level->d) TULLE__TRY(tulle_vec_create(ctx, A->type, A->pattern->rows, &level->d));
    TULLE__TRY(tulle_mat_sums(ctx, TULLE_N, A, TULLE_SUM_SIZES, level->d));
    return tulle__amg_invert_sums(ctx, own, A, 0, level->d,
                                  own->single ? tulle__amg_unfit(own) : NULL);
}
