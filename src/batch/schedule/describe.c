/* SPDX-License-Identifier: Apache-2.0 */
/* From a task as it was recorded to what a device needs to know of it. */
#include "batch/batch.h"
#include "batch/cpu/product.h"
#include "factor/object.h"
#include "matrix/block_lines_of.h"
#include "vector/operands.h"

/* Rows of pieces of multivectors: whole turns of warps, so that each begins where 16 bytes do. */
enum { ROW_UNIT = 256 };

/* Side of a tile of the matrix units (gpu/tile.cuh). */
enum { TILE = 8 };

/* Pieces that a task is to have, and bytes that one reads and writes: enough to be worth a ticket,
 * and few enough for all blocks to have some. They depend on the task alone, and so do its sums. */
static const double wanted_pieces = 32, least_bytes = 1 << 15, most_bytes = 1 << 19;

static double bytes_a_unit(const tulle__task *t, const tulle__recorded *r) {
    const double size = (double)tulle_type_size(t->type);
    if (t->kind == TULLE__TASK_SCALE || t->kind == TULLE__TASK_COPY) {
        return (size + (double)tulle_type_size(t->from)) * t->k2;
    }
    if (t->kind == TULLE__TASK_AXPY) return size * (t->k1 + 2 * t->k2);
    if (t->kind == TULLE__TASK_DOT) return size * (t->k1 + t->k2);
    const tulle__pattern *p = r->A->pattern;
    const double lines = t->units > 0 ? (double)t->units : 1;
    const double b = t->A.block, w = t->A.wide,
                 blocks = (double)p->storage.stored / (b * w) / lines;
    return size * (blocks * w * (b + t->k2) + b * t->k2);
}

/* Returns the unit of pieces: so many lines of blocks that each warp of a thread block has a tile,
 * or rows of multivectors. */
static int64_t unit_of(const tulle__task *t) {
    enum { WARPS = 8 };
    if (t->kind != TULLE__TASK_SPMM) return ROW_UNIT;
    return t->A.tiled ? (int64_t)WARPS * tulle__lines_of_tile(t->A.block) : 1;
}

static void cut(tulle__task *t, const tulle__recorded *r) {
    const int64_t unit = unit_of(t);
    t->unit_bytes = bytes_a_unit(t, r);
    double bytes = (double)t->units * t->unit_bytes / wanted_pieces;
    if (bytes < least_bytes) bytes = least_bytes;
    if (bytes > most_bytes) bytes = most_bytes;
    const double units = bytes / t->unit_bytes;
    t->unit_piece = tulle__ceil_div(units < 1 ? 1 : (int64_t)units, unit) * unit;
    t->pieces = tulle__ceil_div(t->units, t->unit_piece);
    if (t->pieces < 1) t->pieces = 1;
}

static void describe_multivectors(const tulle_ctx *ctx, const tulle__recorded *r, tulle__task *t) {
    const tulle_vec *A = r->operand[TULLE_BATCH_A];
    t->k2 = (int)A->cols;
    t->a = tulle__strided_of(A);
    t->lie = tulle__lie_of(t->units, &t->x, t->k1, t->kind == TULLE__TASK_DOT ? &t->a : &t->y,
                           t->k2, tulle_type_size(t->type));
    cut(t, r);
    if (t->kind != TULLE__TASK_DOT) return;
    if (t->pieces > 1) t->scratch = t->pieces * t->k1 * t->k2;
    if (ctx->kind == TULLE_CPU) t->scratch = tulle__multi_pieces(t->units) * t->k1 * t->k2;
    const int widest = t->k1 > t->k2 ? t->k1 : t->k2;
    if (t->lie == TULLE__LIE_ANY || widest > 2 * TILE) return;
    t->family = TULLE__FAMILY_DOTS;
    t->variant = 2 * (widest > TILE) + (t->lie == TULLE__LIE_ROWS);
}

/* Cuts norms into pieces as a whole GPU does (vector/reduce.c), so that bits are the same. */
static void describe_norms(tulle__task *t) {
    t->norm.width = tulle__reduction_width(t->k2, t->x.col == 1);
    t->norm.pieces = tulle__reduction_pieces(t->units, t->norm.width);
    t->pieces = tulle__ceil_div(t->k2, t->norm.width) * t->norm.pieces;
    t->scratch = tulle__partials_count(t->k2, t->norm.pieces) + t->k2;
    t->unit_bytes = (double)tulle_type_size(t->type) * t->k2;
    const bool packs = tulle__lies_in_packs(&t->x, t->k2, tulle_type_size(t->type));
    t->lie = packs ? TULLE__LIE_COLUMNS : TULLE__LIE_ANY;
}

/* Loads of two neighbours in a block's row are aligned as both are together; steps of X have 32
 * bits (bsr_tile.cuh). */
static bool fits_tiles(const tulle__task *t) {
    const tulle__task_matrix *A = &t->A;
    const uintptr_t pair = (uintptr_t)(A->block % 2 == 0 && !A->turned ? 2 : 1);
    const bool aligned = (uintptr_t)A->values % (pair * (uintptr_t)tulle_type_size(t->type)) == 0;
    return A->block > 1 && A->block <= 2 * TILE && A->block == A->wide && !A->masked &&
           A->lines.index == TULLE_I32 && aligned && t->x.row <= INT32_MAX / 8 &&
           t->k2 <= INT32_MAX / 2;
}

/* Makes the lines those of A's transpose, A's block columns. */
static tulle_status turn(tulle_ctx *ctx, const tulle_mat *mat, tulle__task_matrix *A) {
    const tulle__block_lines *columns = NULL;
    const int64_t rows = A->lines.rows;
    const int block = A->block;
    TULLE__TRY(tulle__block_lines_of(ctx, mat->pattern, TULLE_T, &columns));
    A->lines.rows = A->lines.cols;
    A->lines.cols = rows;
    A->block = A->wide;
    A->wide = block;
    A->lines.offsets = columns->offsets;
    A->lines.cols_of = columns->others;
    A->slots = columns->slots;
    A->turned = true;
    return TULLE_OK;
}

/* Describes a product. On a CPU the kernel's own task has all that it needs. */
static tulle_status describe_product(tulle_ctx *ctx, const tulle__recorded *r,
                                     tulle__task_host *host, tulle__task *t) {
    const tulle__pattern *p = r->A->pattern;
    t->host = host;
    TULLE__TRY(tulle__batch_product_task(ctx, r, host));
    if (ctx->kind == TULLE_CPU) return TULLE_OK;
    const bool blocks = p->format == TULLE_BSR;
    t->A = (tulle__task_matrix){.lines = tulle__view_of(p),
                                .values = r->A->values.data,
                                .block = blocks ? (int)tulle__block_rows(&p->storage) : 1,
                                .wide = blocks ? (int)tulle__block_cols(&p->storage) : 1,
                                .masked = blocks && !p->storage.full};
    if (r->op == TULLE_T) TULLE__TRY(turn(ctx, r->A, &t->A));
    t->units = tulle__ceil_div(t->A.lines.rows, t->A.block);
    t->A.tiled = fits_tiles(t);
    cut(t, r);
    if (!t->A.tiled) return TULLE_OK;
    t->family = TULLE__FAMILY_PRODUCTS;
    t->variant = tulle__lines_variant(t->A.block, t->A.turned);
    return TULLE_OK;
}

/* The type of Y, or, of a factorisation, which has none, of the factors. */
static tulle_type type_of(const tulle__recorded *r) {
    const tulle_vec *Y = r->operand[TULLE_BATCH_Y];
    return Y ? Y->type : r->F->LU->type;
}

static tulle_status describe(tulle_ctx *ctx, const tulle__recorded *r, tulle__task_host *host,
                             tulle__task *task) {
    const tulle_vec *X = r->operand[TULLE_BATCH_X], *Y = r->operand[TULLE_BATCH_Y];
    *task = (tulle__task){.kind = r->kind,
                          .type = type_of(r),
                          .from = X ? X->type : type_of(r),
                          .k1 = X ? (int)X->cols : 0,
                          .k2 = X ? (int)X->cols : 0,
                          .alpha = r->alpha,
                          .beta = r->beta,
                          .units = X && r->kind != TULLE__TASK_SOLVE ? X->rows : 0,
                          .pieces = 1,
                          .first_wait = r->first_wait,
                          .waits = r->waits};
    if (X) task->x = tulle__strided_of(X);
    if (Y) task->y = tulle__strided_of(Y);
    if (r->kind == TULLE__TASK_SPMM) return describe_product(ctx, r, host, task);
    if (r->kind == TULLE__TASK_FACTOR) return tulle__batch_factor_task(ctx, r, host, task);
    if (r->kind == TULLE__TASK_SOLVE) return tulle__batch_solve_task(ctx, r, host, task);
    if (tulle__task_is_norm(r->kind)) {
        describe_norms(task);
    } else if (r->operand[TULLE_BATCH_A]) {
        describe_multivectors(ctx, r, task);
    } else {
        cut(task, r);
    }
    return TULLE_OK;
}

tulle_status tulle__batch_task(tulle_ctx *ctx, const tulle__recorded *r, tulle__task_host *host,
                               tulle__task *task) {
    const tulle_status status = describe(ctx, r, host, task);
    host->values = r->A ? r->A->values.data : NULL;
    return status;
}
