/* SPDX-License-Identifier: Apache-2.0 */
#include "core/room.h"

#include <stdio.h>

#include "core/available.h"

tulle_status tulle__room_for(const tulle_ctx *ctx, double bytes, char words[TULLE__ROOM_TEXT]) {
    const tulle_memory_usage usage = tulle__pool_usage(&ctx->pool);
    const bool device = ctx->kind == TULLE_CUDA;
    const int64_t left = device ? ctx->info.memory_bytes : tulle__cpu_available();
    const double kept = (double)usage.pooled, room = (double)left + kept;
    char wanted[TULLE__HUMAN], has[TULLE__HUMAN];
    tulle__human_bytes(bytes, wanted);
    if (ctx->pool.cap > 0 && bytes > (double)ctx->pool.cap - (double)usage.in_use) {
        snprintf(words, TULLE__ROOM_TEXT, "%s, and the context's cap is %s", wanted,
                 tulle__human_bytes((double)ctx->pool.cap, has));
        return TULLE_OUT_OF_MEMORY;
    }
    if (left <= 0 || bytes <= room) return TULLE_OK;
    snprintf(words, TULLE__ROOM_TEXT, "%s, and %s has %s of memory%s", wanted,
             device ? "the device" : "this machine", tulle__human_bytes(room, has),
             device ? "" : " available");
    return TULLE_TOO_LARGE;
}
