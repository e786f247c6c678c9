/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/limit.h"

#include <stdio.h>

#include "core/stopwatch.h"
#include "tools/common/progress.h"

void trial_limit_begin(trial_limit *limit) {
    limit->until = limit->seconds > 0 ? tulle__seconds() + limit->seconds : 0;
    limit->passed = false;
}

void trial_limit_end(trial_limit *limit) {
    limit->until = 0;
}

static int stop_late(void *user, const char *what, int64_t done, int64_t total) {
    trial_limit *limit = user;
    const bool late = limit->until > 0 && tulle__seconds() >= limit->until;
    limit->passed = limit->passed || late;
    return late || tool_progress(NULL, what, done, total);
}

tulle_status trial_limit_watch(trial_limit *limit, tulle_ctx *ctx) {
    return tulle_ctx_set_progress(ctx, stop_late, limit);
}

const char *trial_limit_text(const trial_limit *limit, char text[TRIAL_LIMIT_TEXT]) {
    snprintf(text, TRIAL_LIMIT_TEXT, "it took longer than %g s", limit->seconds);
    return text;
}
