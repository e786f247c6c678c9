/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/pacing.h"

tulle_status tulle__spgemm_drop_kept(tulle__spgemm_run *run) {
    const tulle__place *place = &run->ctx->place;
    TULLE__TRY(run->ctx->backend->stream_wait(place->device, place->stream));
    tulle__pool_trim(&run->ctx->pool);
    return TULLE_OK;
}

bool tulle__spgemm_was_refused(tulle__spgemm_run *run, tulle_status *status) {
    const size_t wanted = tulle__pool_refusal(&run->ctx->pool);
    if (*status != TULLE_OUT_OF_MEMORY || wanted == 0) return false;
    run->wanted = wanted;
    *status = tulle__spgemm_drop_kept(run);
    return *status == TULLE_OK;
}

tulle_status tulle__spgemm_too_small(tulle__spgemm_run *run, size_t wanted, const char *what,
                                     int64_t number) {
    const size_t has = run->ctx->pool.cap;
    run->refused = true;
    char least[TULLE__HUMAN], cap[TULLE__HUMAN];
    return tulle__fail(TULLE_OUT_OF_MEMORY, run->function, NULL, -1,
                       "%s %lld: the context's cap must be at least %s (%zu bytes) for that alone, "
                       "and is %s (%zu)",
                       what, (long long)number, tulle__human_bytes((double)wanted, least), wanted,
                       tulle__human_bytes((double)has, cap), has);
}

void tulle__spgemm_pace_start(tulle__spgemm_run *run, tulle__spgemm_pacing *pace) {
    pace->before = tulle__pool_usage(&run->ctx->pool);
    tulle__pool_reset_high(&run->ctx->pool);
}

void tulle__spgemm_pace_stop(tulle__spgemm_run *run, tulle__spgemm_pacing *pace, bool refused) {
    tulle__pool *pool = &run->ctx->pool;
    const size_t base = pace->before.in_use, high = tulle__pool_usage(pool).high;
    tulle__pool_raise_high(pool, pace->before.high);
    if (refused) {
        pace->size /= 2;
    } else if (high - base < (pool->cap - base) / 2 && pace->size < INT64_MAX / 2) {
        pace->size *= 2;
    }
}
