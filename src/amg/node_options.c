/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a hierarchy of nodes, and the caller's near null space. */
#include <math.h>

#include "amg/amg.h"
#include "format/functions.h"
#include "tulle/vec.h"
#include "vector/operands.h"

/* Unknowns of a node where the options do not say: those of A's blocks. */
static int block_of(const tulle_mat *A) {
    const tulle_storage *s = &A->pattern->storage;
    const bool square = s->block_cols == 0 || s->block_cols == s->block;
    return A->pattern->format == TULLE_BSR && square ? (int)s->block : 1;
}

/* A column with Inf or NaN would be dropped by all aggregates that it reaches. */
static tulle_status check_finite(const char *function, tulle_ctx *ctx, const tulle_vec *B) {
    double largest[TULLE__AMG_MOST_BLOCK];
    TULLE__TRY(tulle_vec_norm_max(ctx, B, tulle_to_num(largest)));
    for (int j = 0; j < (int)B->cols; j++) {
        if (isfinite(largest[j])) continue;
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "options: column %d of near_null has Inf or NaN", j);
    }
    return TULLE_OK;
}

static tulle_status check_near(const char *function, tulle_ctx *ctx, const tulle__amg *own) {
    const tulle_vec *B = own->options.near_null;
    const int64_t n = own->head.rows;
    if (B->cols < 1 || B->cols > TULLE__AMG_MOST_BLOCK || B->cols > n) {
        return tulle__fail(
            TULLE_SHAPE_MISMATCH, function, "options", -1,
            "options: near_null has %lld columns; it must have 1 to %d, and not more "
            "than A has rows",
            (long long)B->cols, (int)TULLE__AMG_MOST_BLOCK);
    }
    TULLE__TRY(tulle__operand_check(function, ctx, (tulle__operand){"options.near_null", B}, n,
                                    B->cols, own->head.type));
    return check_finite(function, ctx, B);
}

/* Copies the caller's near null space by rows, in f64. */
static tulle_status copy_near(tulle_ctx *ctx, tulle__amg *own) {
    const tulle_vec *B = own->options.near_null;
    tulle_vec *rows = NULL, **copy = &own->nodes.near_null;
    TULLE__TRY(
        tulle_vec_create_columns(ctx, TULLE_F64, B->rows, B->cols, TULLE_ROW_MAJOR, 0, copy));
    if (B->type == TULLE_F64) return tulle_vec_copy(ctx, B, *copy);
    TULLE__TRY(tulle_vec_create_columns(ctx, B->type, B->rows, B->cols, TULLE_ROW_MAJOR, 0, &rows));
    tulle_status status = tulle_vec_copy(ctx, B, rows);
    if (status == TULLE_OK) {
        status = ctx->backend->format->convert_values(&ctx->place, B->rows * B->cols, B->type,
                                                      rows->data, TULLE_F64, (*copy)->data);
    }
    tulle_vec_destroy(rows);
    return status;
}

tulle_status tulle__amg_take_nodes(const char *function, tulle_ctx *ctx, tulle__amg *own) {
    const tulle_amg_options *o = &own->options;
    if (o->block <= 1 && !o->near_null) return TULLE_OK;
    const int block = o->block > 0 ? o->block : block_of(own->A);
    if (o->keep_plans || o->passing == TULLE_AMG_PASS_FIRST) {
        return tulle__fail(
            TULLE_UNSUPPORTED, function, "options", -1,
            "options: with block or near_null, keep_plans must be false, and no level "
            "is passed");
    }
    if (own->head.rows % block != 0) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "options", -1,
                           "options: A has %lld rows, which are not nodes of %d unknowns",
                           (long long)own->head.rows, block);
    }
    own->nodes.columns = block;
    if (o->near_null && own->head.rows > 0) {
        TULLE__TRY(check_near(function, ctx, own));
        TULLE__TRY(copy_near(ctx, own));
        own->nodes.columns = (int)o->near_null->cols;
    }
    own->options.near_null = NULL; /* the caller's, who may give it up */
    own->nodes.block = block;
    return TULLE_OK;
}
