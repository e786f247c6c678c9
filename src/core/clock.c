/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"
#include "tulle/advanced.h"

typedef struct {
    void *event;
    bool is_set;
} mark;

struct tulle_clock {
    tulle_ctx *ctx; /* owned context */
    int count;
    mark marks[];
};

tulle_status tulle_clock_create(tulle_ctx *ctx, int marks, tulle_clock **clock) {
    TULLE__NEED(clock);
    *clock = NULL;
    TULLE__NEED(ctx);
    if (marks < 1) return TULLE__BAD("marks", "a clock needs at least one mark, not %d", marks);
    size_t bytes = 0;
    TULLE__TRY(tulle__size(marks, sizeof(mark), sizeof(tulle_clock), &bytes));
    tulle_clock *made = tulle__host_alloc(ctx, bytes);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    for (; made->count < marks; made->count++) {
        tulle_status status =
            ctx->backend->event_create(ctx->place.device, &made->marks[made->count].event);
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
    for (int i = 0; i < clock->count; i++) {
        ctx->backend->event_destroy(ctx->place.device, clock->marks[i].event);
    }
    tulle__host_free(ctx, clock);
    tulle__ctx_release(ctx);
}

tulle_status tulle_clock_mark(tulle_clock *clock, int i) {
    TULLE__NEED(clock);
    if (i < 0 || i >= clock->count) return TULLE__BAD("i", "the clock has no mark %d", i);
    TULLE__TRY(clock->ctx->backend->event_record(&clock->ctx->place, clock->marks[i].event));
    clock->marks[i].is_set = true;
    return TULLE_OK;
}

static tulle_status need_mark(const tulle_clock *clock, const char *name, int i) {
    if (i >= 0 && i < clock->count && clock->marks[i].is_set) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_clock_between", name, -1,
                       i < 0 || i >= clock->count ? "the clock has no mark %d"
                                                  : "mark %d was never set: call tulle_clock_mark",
                       i);
}

tulle_status tulle_clock_between(tulle_clock *clock, int i, int j, double *ms) {
    TULLE__NEED(clock);
    TULLE__NEED(ms);
    TULLE__TRY(need_mark(clock, "i", i));
    TULLE__TRY(need_mark(clock, "j", j));
    return clock->ctx->backend->event_between(clock->ctx->place.device, clock->marks[i].event,
                                              clock->marks[j].event, ms);
}
