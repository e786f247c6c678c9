/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a product in blocks, and the selection and run of its kernel. */
#include "core/select.h"
#include "matrix/matrix.h"
#include "matrix/turn_blocks.h"
#include "spgemm/in_blocks.h"

tulle__block_operand tulle__block_operand_of(const tulle__pattern *pattern) {
    const tulle__pattern_view blocks = tulle__blocks_view(pattern);
    return (tulle__block_operand){.rows = blocks.rows,
                                  .cols = blocks.cols,
                                  .blocks = blocks.nnz,
                                  .index = blocks.index,
                                  .offsets = blocks.offsets,
                                  .cols_of = blocks.cols_of};
}

tulle__blocks_task tulle__blocks_task_of(tulle_ctx *ctx, const tulle_mat *a, const tulle_mat *b,
                                         const tulle__block_operand *c, void *values,
                                         tulle_scalar alpha) {
    tulle__blocks_task task = {.place = &ctx->place,
                               .type = a->type,
                               .tall = (int)tulle__block_rows(&a->pattern->storage),
                               .inner = (int)tulle__block_cols(&a->pattern->storage),
                               .wide = (int)tulle__block_cols(&b->pattern->storage),
                               .a = tulle__block_operand_of(a->pattern),
                               .b = tulle__block_operand_of(b->pattern),
                               .c = *c,
                               .values = values,
                               .alpha = alpha};
    task.a.values = a->values.data;
    task.b.values = b->values.data;
    return task;
}

static bool takes(const tulle__kernel *head, const void *type) {
    return tulle__blocks_of(head)->run[tulle__values_of(*(const tulle_type *)type)] != NULL;
}

static void no_defaults(const tulle__kernel *head, const void *task, int *params) {
    (void)head;
    (void)task;
    (void)params;
}

tulle_status tulle__blocks_select(const char *function, const tulle_ctx *ctx, tulle_type type,
                                  tulle__spec *spec) {
    const tulle__selector selector = {.operation = TULLE__OP_BLOCKS,
                                      .repeats = TULLE__REPEATABLE,
                                      .task = &type,
                                      .takes = takes,
                                      .defaults = no_defaults};
    TULLE__TRY(tulle__select(function, ctx, &selector, 0, spec));
    return spec->kernel ? TULLE_OK : tulle__select_none(function);
}

tulle_status tulle__blocks_run(const char *function, const tulle__blocks_task *task,
                               tulle__spec *spec) {
    TULLE__TRY(tulle__blocks_select(function, task->place->ctx, task->type, spec));
    if (task->c.blocks == 0) return TULLE_OK;
    tulle__blocks_task own = *task;
    own.params = spec->params;
    return tulle__blocks_of(spec->kernel)->run[tulle__values_of(task->type)](&own);
}
