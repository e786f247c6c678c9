/* SPDX-License-Identifier: Apache-2.0 */
#include "core/room.h"

#include <stdio.h>

#include "core/available.h"

bool tulle__host_lacks(size_t bytes) {
    if (bytes < TULLE__WORTH_ASKING) return false;
    const int64_t room = tulle__cpu_available();
    return room > 0 && (double)bytes > (double)room;
}

tulle_status tulle__host_room_for(double bytes, char words[TULLE__ROOM_TEXT]) {
    const int64_t room = tulle__cpu_available();
    char wanted[TULLE__HUMAN], has[TULLE__HUMAN];
    if (room <= 0 || bytes <= (double)room) return TULLE_OK;
    snprintf(words, TULLE__ROOM_TEXT, "%s, and this machine has %s of memory available",
             tulle__human_bytes(bytes, wanted), tulle__human_bytes((double)room, has));
    return TULLE_TOO_LARGE;
}

tulle_status tulle__room_for(const tulle_ctx *ctx, double bytes, char words[TULLE__ROOM_TEXT]) {
    const tulle_memory_usage usage = tulle__pool_usage(&ctx->pool);
    const bool device = ctx->kind == TULLE_CUDA;
    const int64_t left = device ? ctx->info.memory_bytes : tulle__cpu_available();
    const double kept = (double)usage.pooled, room = (double)left + kept;
    char wanted[TULLE__HUMAN], has[TULLE__HUMAN];
    tulle__human_bytes(bytes, wanted);
    if (ctx->pool.cap > 0 && bytes > (double)ctx->pool.cap - (double)usage.in_use) {
        tulle__human_bytes((double)ctx->pool.cap, has);
        if (usage.in_use == 0) {
            snprintf(words, TULLE__ROOM_TEXT, "%s, and the context's cap is %s", wanted, has);
        } else {
            char used[TULLE__HUMAN];
            tulle__human_bytes((double)usage.in_use, used);
            snprintf(words, TULLE__ROOM_TEXT,
                     "%s, and the context's cap is %s, of which %s are in use", wanted, has, used);
        }
        return TULLE_OUT_OF_MEMORY;
    }
    if (left <= 0 || bytes <= room) return TULLE_OK;
    snprintf(words, TULLE__ROOM_TEXT, "%s, and %s has %s of memory%s", wanted,
             device ? "the device" : "this machine", tulle__human_bytes(room, has),
             device ? "" : " available");
    return TULLE_TOO_LARGE;
}
