/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/plan.h"

#include "core/context.h"
#include "spgemm/cpu/colset.h"

/* Number of columns of a window that stays in a core's cache. */
enum { NEAR_COLUMNS = 1 << 16 };

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Number of columns of the window: whole groups, and no more columns than half of the products
 * that each thread has, so that setting windows up, and their memory, stay small beside the
 * work. */
static int64_t window_for(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                          int64_t lanes) {
    int64_t share = task->lean ? 0 : chunks->products / (2 * chunks->threads) / lanes;
    int64_t most = share > NEAR_COLUMNS ? share : NEAR_COLUMNS;
    int64_t columns = at_most(at_most(chunks->widest, most), INT32_MAX - TULLE__COLSET_GROUP);
    return (columns + TULLE__COLSET_GROUP - 1) / TULLE__COLSET_GROUP * TULLE__COLSET_GROUP;
}

/* True when rows are summed in lanes: a quarter of the products must have them, and the window
 * may be as wide with them. */
static bool has_lanes(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks) {
    return chunks->twins >= chunks->products / 4 && chunks->twins > 0 && !task->lean &&
           window_for(task, chunks, 4) == window_for(task, chunks, 1);
}

tulle_status tulle__spgemm_plan_make(const tulle__spgemm_task *task, tulle__spgemm_plan *plan) {
    *plan = (tulle__spgemm_plan){.lanes = false};
    TULLE__TRY(tulle__spgemm_kin_make(task, &plan->kin));
    tulle_status status = tulle__spgemm_chunks_make(task, plan->kin, &plan->chunks);
    if (status != TULLE_OK) {
        tulle__free(task->place->ctx, plan->kin);
        return status;
    }
    const tulle__spgemm_chunks *chunks = &plan->chunks;
    plan->lanes = has_lanes(task, chunks);
    plan->window = window_for(task, chunks, 1);
    bool long_rows = chunks->widest > plan->window;
    plan->table_products =
        long_rows ? chunks->longest : at_most(chunks->longest, TULLE__SPGEMM_FEW);
    plan->table_columns = chunks->widest;
    if (task->lean) return TULLE_OK;
    status = tulle__spgemm_words_make(task, chunks, &plan->words);
    /* Chunks are kept only without kin and words, with which counting takes little of the time. */
    if (status == TULLE_OK && !plan->kin && !plan->words.offsets) {
        status = tulle__spgemm_kept_make(task, chunks, &plan->kept);
    }
    if (status != TULLE_OK) tulle__spgemm_plan_free(task, plan);
    return status;
}

void tulle__spgemm_plan_free(const tulle__spgemm_task *task, tulle__spgemm_plan *plan) {
    tulle__spgemm_kept_free(task, &plan->kept);
    tulle__spgemm_words_free(task, &plan->words);
    tulle__spgemm_chunks_free(task, &plan->chunks);
    tulle__free(task->place->ctx, plan->kin);
}

int64_t tulle__spgemm_plan_bytes(const tulle__spgemm_task *task, const tulle__spgemm_plan *plan) {
    return (plan->kin ? task->a.rows : 0) + tulle__spgemm_words_bytes(task, &plan->words) +
           tulle__spgemm_kept_bytes(task, &plan->chunks, &plan->kept);
}
