/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of a cycle through levels of nodes. As a cycle in f32 does with rows (working.c), it
 * works with equations that are multiplied by the inverted blocks of the smoother's diagonal D, D'
 * being that of the next level: D^-1 A in the place of A, D'^-1 R D in the place of R, P as it is,
 * the inverse of the last matrix times D, and D^-1 b. So each level has its x, no row of D^-1 A has
 * numbers much above 1, and the smoother needs no diagonal: it is that of rows. */
#include "amg/amg.h"
#include "amg/blocks.h"
#include "amg/functions.h"
#include "dense/dense.h"
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
        TULLE__TRY(tulle__amg_need_blocks(ctx, own->level + l));
    }
    for (int l = 0; l < own->levels; l++) TULLE__TRY(scale_level(ctx, own, l));
    return TULLE_OK;
}

/* Makes D^-1 of the first level as a matrix, whose blocks are in order; it is kept where it is
 * there. */
static tulle_status fill_entry(tulle_ctx *ctx, const tulle__amg_blocks *A, tulle__draft *draft) {
    const tulle__format_functions *format = ctx->backend->format;
    const int64_t offset = tulle_offset_size(A->csr.index), index = tulle_index_size(A->csr.index);
    int64_t *numbers = tulle__host_alloc(ctx, (size_t)(A->csr.rows + 1) * sizeof *numbers);
    int64_t *there = NULL;
    tulle_status status = numbers ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; status == TULLE_OK && i <= A->csr.rows; i++) numbers[i] = i;
    const size_t bytes = (size_t)(A->csr.rows + 1) * sizeof *there;
    if (status == TULLE_OK) status = tulle__alloc(ctx, bytes, (void **)&there);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, there, numbers, bytes);
    if (status == TULLE_OK) {
        status = format->convert_indices(&ctx->place, A->csr.rows + 1, 8, there, offset,
                                         draft->arrays.offsets, 0);
    }
    if (status == TULLE_OK) {
        status = format->convert_indices(&ctx->place, A->csr.rows, 8, there, index,
                                         draft->arrays.cols_of, 0);
    }
    tulle__free(ctx, there);
    tulle__host_free(ctx, numbers);
    return status;
}

static tulle_status need_entry(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *first = own->level;
    tulle__amg_nodes *nodes = &own->nodes;
    const tulle__amg_blocks A = tulle__amg_blocks_of(first->A);
    tulle__draft draft;
    if (nodes->entry) return TULLE_OK;
    TULLE__TRY(tulle__amg_draft_blocks(ctx, &A, first->info.rows, first->info.rows, A.csr.rows,
                                       A.tall, A.tall, &draft));
    return tulle__amg_finish_blocks(fill_entry(ctx, &A, &draft), &draft, &nodes->entry);
}

static tulle_status make_entry(tulle_ctx *ctx, tulle__amg *own) {
    const tulle_vec *inverses = own->level[0].inverses;
    TULLE__TRY(need_entry(ctx, own));
    TULLE__TRY(ctx->backend->format->convert_values(&ctx->place, inverses->rows, TULLE_F64,
                                                    inverses->data, own->head.type,
                                                    own->nodes.entry->values.data));
    if (!own->single || own->nodes.entered) return TULLE_OK;
    return tulle_vec_create(ctx, own->head.type, own->head.rows, &own->nodes.entered);
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
