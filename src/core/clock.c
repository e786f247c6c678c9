/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"
#include "tulle/advanced.h"

struct tulle_clock {
    tulle_ctx *ctx; /* owned */
    int marks;
    void *events[];
};

tulle_status tulle_clock_create(tulle_ctx *ctx, int marks, tulle_clock **clock) {
    TULLE__NEED(clock);
    *clock = NULL;
    TULLE__NEED(ctx);
    if (marks < 1) return TULLE__BAD("marks", "a clock needs at least one mark, not %d", marks);
    size_t bytes = 0;
    TULLE__TRY(tulle__size(marks, sizeof(void *), sizeof(tulle_clock), &bytes));
    tulle_clock *made = tulle__host_alloc(ctx, bytes);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    for (; made->marks < marks; made->marks++) {
        tulle_status status =
            ctx->backend->event_create(ctx->place.device, &made->events[made->marks]);
        if (status != TULLE_OK) {
            tulle_clock_destroy(made);
            return status;
        }
    }
    *clock = made;
    return TULLE_OK;
}

void tulle_clock_destroy(tulle_clock *clock) {
    if (!clock) return;
    tulle_ctx *ctx = clock->ctx;
    for (int i = 0; i < clock->marks; i++) {
        ctx->backend->event_destroy(ctx->place.device, clock->events[i]);
    }
    tulle__host_free(ctx, clock);
    tulle__ctx_release(ctx);
}

tulle_status tulle_clock_mark(tulle_clock *clock, int i) {
    TULLE__NEED(clock);
    if (i < 0 || i >= clock->marks) return TULLE__BAD("i", "the clock has no mark %d", i);
    return clock->ctx->backend->event_record(&clock->ctx->place, clock->events[i]);
}

tulle_status tulle_clock_between(tulle_clock *clock, int i, int j, double *ms) {
    TULLE__NEED(clock);
    TULLE__NEED(ms);
    if (i < 0 || i >= clock->marks) return TULLE__BAD("i", "the clock has no mark %d", i);
    if (j < 0 || j >= clock->marks) return TULLE__BAD("j", "the clock has no mark %d", j);
    return clock->ctx->backend->event_between(clock->ctx->place.device, clock->events[i],
                                              clock->events[j], ms);
}
