/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of elimination for tasks on values of factors, listed once for each pattern. */
#include "batch/batch.h"
#include "factor/functions.h"
#include "factor/object.h"

/* Most steps for each block: a list of more steps would be as large as the factors. */
enum { MOST_OF_A_BLOCK = 16 };

/* Returns true when a list serves: nothing is listed of modified factors, and a warp has its rows
 * in shared memory. */
static bool serves(const tulle_batch *batch, const tulle__factor_task *f) {
    enum { WARP = 32 };
    const int size = (int)tulle_type_size(f->type);
    const int64_t rows = WARP / TULLE__LISTED_LANES(f->block, size);
    return batch->ctx->kind != TULLE_CPU && f->rows > 0 && tulle__listed_variant(f->block) >= 0 &&
           f->index == TULLE_I32 && f->modified == 0 &&
           rows * f->longest * f->block * (f->block + 1) * size <= TULLE__MOST_LISTED_BYTES;
}

static tulle_status list(tulle_batch *batch, const tulle__task *t, tulle__steps *steps) {
    const tulle__factor_task *f = &t->factor.whole;
    const tulle__steps_task task = {.schedule = f->schedule,
                                    .kind = f->kind,
                                    .index = f->index,
                                    .rows = f->rows,
                                    .entries = f->entries,
                                    .longest = f->longest,
                                    .offsets = f->offsets,
                                    .cols_of = f->cols_of,
                                    .most = MOST_OF_A_BLOCK * f->entries};
    return batch->ctx->backend->factor->list_steps(&batch->ctx->place, &task, steps);
}

/* Finds the steps of a pattern, the last patterns first: neighbours often share one. */
static tulle_status find(tulle_batch *batch, uint64_t pattern, const tulle__task *t,
                         const tulle__steps **steps) {
    for (int i = batch->patterns - 1; i >= 0; i--) {
        *steps = &batch->listed[i].steps;
        if (batch->listed[i].pattern == pattern) return TULLE_OK;
    }
    TULLE__TRY(tulle__batch_more(batch->ctx, (void **)&batch->listed, batch->patterns,
                                 &batch->listed_room, sizeof *batch->listed));
    tulle__listed *listed = batch->listed + batch->patterns;
    *listed = (tulle__listed){.pattern = pattern};
    TULLE__TRY(list(batch, t, &listed->steps));
    batch->patterns++;
    *steps = &listed->steps;
    return TULLE_OK;
}

tulle_status tulle__batch_list_steps(tulle_batch *batch, const tulle_factor *F, tulle__task *task) {
    const tulle__steps *steps = NULL;
    tulle__task_factor *f = &task->factor;
    if (!serves(batch, &f->whole)) return TULLE_OK;
    TULLE__TRY(find(batch, F->LU->pattern->serial, task, &steps));
    if (!steps->begins || steps->wide) return TULLE_OK;
    f->step_begins = steps->begins;
    f->steps = steps->words;
    task->family = TULLE__FAMILY_LISTED;
    task->variant = tulle__listed_variant(f->whole.block);
    return TULLE_OK;
}

void tulle__batch_free_steps(tulle_batch *batch) {
    for (int i = 0; i < batch->patterns; i++) {
        tulle__free(batch->ctx, batch->listed[i].steps.begins);
        tulle__free(batch->ctx, batch->listed[i].steps.words);
    }
    tulle__host_free(batch->ctx, batch->listed);
}
