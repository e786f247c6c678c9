/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of a cycle through levels of nodes. As a cycle in f32 does with rows (working.c), it
 * works with equations that are multiplied by the inverted blocks of the smoother's diagonal D, D'
 * being that of the next level: D^-1 A in the place of A, D'^-1 R D in the place of R, P as it is,
 * the inverse of the last matrix times D, and D^-1 b. So each level has its x, no row of D^-1 A has
 * numbers much above 1, and the smoother needs no diagonal: it is that of rows. */
#include "amg/amg.h"
#include "amg/blocks.h"
#include "amg/functions.h"
#include "tulle/vec.h"

static tulle_status scale(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *B,
                          const tulle_vec *left, const tulle_vec *right, tulle_mat **to) {
    const tulle_type type = own->single ? TULLE_F32 : own->head.type;
    int64_t *unfit = own->single ? tulle__amg_unfit(own) : NULL;
    if (B) return tulle__amg_scale(ctx, B, left, right, type, unfit, to);
    tulle_mat_destroy(*to);
    *to = NULL;
    return TULLE_OK;
}

static tulle_status scale_level(tulle_ctx *ctx, tulle__amg *own, int l) {
    tulle__amg_level *level = own->level + l;
    tulle__amg_matrices *to = &level->cycle;
    const tulle_vec *next = l + 1 < own->levels ? level[1].inverses : NULL;
    TULLE__TRY(scale(ctx, own, level->A, level->inverses, NULL, &to->A));
    TULLE__TRY(scale(ctx, own, level->R, next, level->blocks, &to->R));
    TULLE__TRY(scale(ctx, own, level->P, NULL, NULL, &to->P));
    return scale(ctx, own, level->inverse, NULL, level->blocks, &to->inverse);
}

static tulle_status scale_levels(tulle_ctx *ctx, tulle__amg *own) {
    for (int l = 0; l < own->levels; l++) {
        TULLE__TRY(tulle__amg_need_blocks(ctx, own, own->level + l));
    }
    for (int l = 0; l < own->levels; l++) TULLE__TRY(scale_level(ctx, own, l));
    return TULLE_OK;
}

/* Keeps D^-1 of the first level, which a cycle begins with; a vector that is there stays. */
static tulle_status make_entry(tulle_ctx *ctx, tulle__amg *own) {
    const tulle_vec *inverses = own->level[0].inverses;
    tulle__amg_nodes *nodes = &own->nodes;
    const tulle_type type = own->head.type;
    if (!nodes->entry) TULLE__TRY(tulle_vec_create(ctx, type, inverses->rows, &nodes->entry));
    TULLE__TRY(ctx->backend->format->convert_values(&ctx->place, inverses->rows, TULLE_F64,
                                                    inverses->data, type, nodes->entry->data));
    if (!own->single || nodes->entered) return TULLE_OK;
    return tulle_vec_create(ctx, type, own->head.rows, &nodes->entered);
}

static void give_up_blocks(tulle__amg_level *level) {
    tulle_vec_destroy(level->blocks);
    tulle_vec_destroy(level->inverses);
    level->blocks = level->inverses = NULL;
}

tulle_status tulle__amg_prepare_nodes(tulle_ctx *ctx, tulle__amg *own) {
    own->single = own->single && own->levels > 1;
    const bool tries = own->single;
    TULLE__TRY(scale_levels(ctx, own));
    TULLE__TRY(tulle__amg_look_for_unfit(ctx, own));
    if (tries && !own->single) TULLE__TRY(scale_levels(ctx, own));
    TULLE__TRY(make_entry(ctx, own));
    for (int l = 0; l < own->levels; l++) {
        give_up_blocks(own->level + l);
        TULLE__TRY(tulle__amg_need_vectors(ctx, own, own->level + l));
    }
    own->info.single = own->single;
    return TULLE_OK;
}
