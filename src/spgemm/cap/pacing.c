/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cap/pacing.h"

#include <stdint.h>

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
