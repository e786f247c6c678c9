/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/scheme.h"

#include "core/context.h"
#include "spgemm/cpu/colset.h"

/* Number of columns of a window that stays in a core's cache. */
enum { NEAR_COLUMNS = 1 << 16 };

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Number of columns of the window: whole groups, and no more columns than half of the
 * multiplications that each thread has, so that setting windows up, and their memory, stay small
 * beside the work. */
static int64_t window_for(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                          int64_t lanes) {
    int64_t share = task->lean ? 0 : chunks->multiplications / (2 * chunks->threads) / lanes;
    int64_t most = share > NEAR_COLUMNS ? share : NEAR_COLUMNS;
    int64_t columns = at_most(at_most(chunks->widest, most), INT32_MAX - TULLE__COLSET_GROUP);
    return (columns + TULLE__COLSET_GROUP - 1) / TULLE__COLSET_GROUP * TULLE__COLSET_GROUP;
}

/* True when rows are summed in lanes: a quarter of the multiplications must have them, and the
 * window may be as wide with them. */
static bool has_lanes(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks) {
    return chunks->twins >= chunks->multiplications / 4 && chunks->twins > 0 && !task->lean &&
           window_for(task, chunks, 4) == window_for(task, chunks, 1);
}

tulle_status tulle__spgemm_scheme_make(const tulle__spgemm_task *task,
                                       tulle__spgemm_scheme *scheme) {
    *scheme = (tulle__spgemm_scheme){.lanes = false};
    TULLE__TRY(tulle__spgemm_kin_make(task, &scheme->kin));
    tulle_status status = tulle__spgemm_chunks_make(task, scheme->kin, &scheme->chunks);
    if (status != TULLE_OK) {
        tulle__free(task->place->ctx, scheme->kin);
        return status;
    }
    const tulle__spgemm_chunks *chunks = &scheme->chunks;
    scheme->lanes = has_lanes(task, chunks);
    scheme->window = window_for(task, chunks, 1);
    scheme->marks = task->lean ? 0 : scheme->window;
    scheme->table_multiplications = chunks->widest > scheme->window ? chunks->longest : 0;
    scheme->table_columns = chunks->widest;
    if (task->lean) return TULLE_OK;
    status = tulle__spgemm_words_make(task, chunks, &scheme->words);
    /* Chunks are kept only without kin and words, with which counting takes little of the time, and
     * without lengths, with which nothing is counted. */
    if (status == TULLE_OK && !scheme->kin && !scheme->words.offsets && !task->lengths) {
        status = tulle__spgemm_kept_make(task, chunks, &scheme->kept);
    }
    if (status != TULLE_OK) tulle__spgemm_scheme_free(task, scheme);
    return status;
}

void tulle__spgemm_scheme_free(const tulle__spgemm_task *task, tulle__spgemm_scheme *scheme) {
    tulle__spgemm_kept_free(task, &scheme->kept);
    tulle__spgemm_words_free(task, &scheme->words);
    tulle__spgemm_chunks_free(task, &scheme->chunks);
    tulle__free(task->place->ctx, scheme->kin);
}

int64_t tulle__spgemm_scheme_bytes(const tulle__spgemm_task *task,
                                   const tulle__spgemm_scheme *scheme) {
    return (scheme->kin ? task->a.rows : 0) + tulle__spgemm_words_bytes(task, &scheme->words) +
           tulle__spgemm_kept_bytes(task, &scheme->chunks, &scheme->kept);
}
