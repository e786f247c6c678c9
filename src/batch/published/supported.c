/* SPDX-License-Identifier: Apache-2.0 */
/* Afanasyev and others 2015 have kernels for blocks and numbers of vectors of 4, 8 and 16 each, and
 * describe those of six operations where both are the same (sections 1 and 3). A task that is not
 * one of these is refused: run by other kernels it would be called published, and is not. */
#include "batch/supported.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "factor/object.h"
#include "matrix/block_lines_of.h"

static const char *name_of(tulle__task_kind kind) {
    static const char *const names[] = {
        [TULLE__TASK_AXPY] = "axpy",        [TULLE__TASK_DOT] = "dot",
        [TULLE__TASK_SPMM] = "spmm",        [TULLE__TASK_FACTOR] = "factor",
        [TULLE__TASK_SOLVE] = "solve",      [TULLE__TASK_SCALE] = "scale",
        [TULLE__TASK_COPY] = "copy",        [TULLE__TASK_NORM2] = "norm2",
        [TULLE__TASK_NORM_MAX] = "norm_max"};
    return names[kind];
}

/* A sentence that says what the task has and the paper has no kernel for. */
typedef struct reason {
    char text[160];
} reason;

static void say(reason *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(reason *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
}

static bool is_size(int64_t b) {
    return b == 4 || b == 8 || b == 16;
}

static bool takes_multivectors(const tulle__recorded *r, reason *why) {
    const int64_t k1 = r->operand[TULLE_BATCH_X]->cols, k2 = r->operand[TULLE_BATCH_A]->cols;
    if (k1 == k2 && is_size(k1)) return true;
    say(why,
        "its small matrix is %" PRId64 " x %" PRId64
        "; the paper describes kernels for 4 x 4, 8 x 8 and 16 x 16",
        k1, k2);
    return false;
}

static bool takes_block(int block, int64_t vectors, reason *why) {
    if (is_size(block) && vectors == block) return true;
    if (is_size(block)) {
        say(why,
            "it has %" PRId64
            " vectors and blocks of %d; the paper describes kernels for as many vectors as a block "
            "has rows",
            vectors, block);
    } else {
        say(why, "its matrix has blocks of %d; those of the paper have 4, 8 or 16 rows", block);
    }
    return false;
}

static bool takes_factors(const tulle_factor *F, reason *why) {
    const tulle__symbolic *s = F->symbolic;
    if (s->kind != TULLE_LU) {
        say(why, "its factors are L L^T; the paper has L U");
    } else if (!takes_block(s->block, s->block, why)) {
        return false;
    } else if (!F->options.inverted) {
        say(why,
            "its factors keep factorised diagonal blocks; the paper inverts these (inverted in "
            "tulle_factor_options)");
    } else if (F->options.modified != 0) {
        say(why, "its factors are of modified ILU; the paper does not say how it modifies blocks");
    } else {
        return true;
    }
    return false;
}

static bool takes_solution(const tulle__recorded *r, reason *why) {
    if (!r->F) {
        say(why, "it is with a triangle of a matrix; the paper solves with factors");
    } else if (!takes_factors(r->F, why) ||
               !takes_block(r->F->symbolic->block, r->operand[TULLE_BATCH_X]->cols, why)) {
        return false;
    } else if (r->op == TULLE_T) {
        say(why, "it is with the transpose, which the paper does not solve with");
    } else if (r->F->LU->type != r->operand[TULLE_BATCH_Y]->type) {
        say(why, "its factors are in f32 and its vectors in f64; the paper has one type");
    } else {
        return true;
    }
    return false;
}

static bool takes(const tulle__recorded *r, reason *why) {
    switch (r->kind) {
        case TULLE__TASK_AXPY:
        case TULLE__TASK_DOT:
            return takes_multivectors(r, why);
        case TULLE__TASK_SPMM:
            if (!tulle__square_blocks(&r->A->pattern->storage)) {
                say(why,
                    "its matrix has blocks of %d rows and %d columns; the paper has square ones",
                    (int)tulle__block_rows(&r->A->pattern->storage),
                    (int)tulle__block_cols(&r->A->pattern->storage));
                return false;
            }
            return takes_block(tulle__block_of(r->A->pattern), r->operand[TULLE_BATCH_X]->cols,
                               why);
        case TULLE__TASK_FACTOR:
            return takes_factors(r->F, why);
        case TULLE__TASK_SOLVE:
            return takes_solution(r, why);
        default:
            say(why, "the paper has no kernel for it");
            return false;
    }
}

tulle_status tulle__batch_published_supports(const tulle_batch *batch) {
    for (int i = 0; i < batch->count; i++) {
        reason why;
        if (takes(batch->recorded + i, &why)) continue;
        return tulle__fail(TULLE_UNSUPPORTED, "tulle_batch_run", "way", -1,
                           "no published kernel takes task %d (%s): %s; TULLE_BATCH_GROUPED and "
                           "TULLE_BATCH_STREAMS take any task",
                           i, name_of(batch->recorded[i].kind), why.text);
    }
    return TULLE_OK;
}

static tulle_status lines_of(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                             tulle__task_lines *to) {
    const tulle__block_lines *lines = NULL;
    TULLE__TRY(tulle__block_lines_of(ctx, A->pattern, op, &lines));
    *to = (tulle__task_lines){.order = lines->order,
                              .offsets = lines->offsets,
                              .others = lines->others,
                              .slots = lines->slots,
                              .index = A->pattern->index};
    return TULLE_OK;
}

tulle_status tulle__batch_published_lines(tulle_ctx *ctx, const tulle__recorded *r,
                                          tulle__task *task) {
    if (r->kind == TULLE__TASK_SPMM) return lines_of(ctx, r->A, r->op, &task->lines);
    return r->F ? lines_of(ctx, r->F->LU, TULLE_T, &task->lines) : TULLE_OK;
}
