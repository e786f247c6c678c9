/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/limit.h"

#include <stdio.h>

#include "core/stopwatch.h"
#include "tools/common/progress.h"

void bench_limit_begin(bench_limit *limit) {
    limit->until = limit->seconds > 0 ? tulle__seconds() + limit->seconds : 0;
    limit->passed = false;
}

void bench_limit_end(bench_limit *limit) {
    limit->until = 0;
}

static int stop_late(void *user, const char *what, int64_t done, int64_t total) {
    bench_limit *limit = user;
    const bool late = limit->until > 0 && tulle__seconds() >= limit->until;
    limit->passed = limit->passed || late;
    return late || tool_progress(NULL, what, done, total);
}

tulle_status bench_limit_watch(bench_limit *limit, tulle_ctx *ctx) {
    return tulle_ctx_set_progress(ctx, stop_late, limit);
}

const char *bench_limit_text(const bench_limit *limit, char text[BENCH_LIMIT_TEXT]) {
    snprintf(text, BENCH_LIMIT_TEXT, "it took longer than %g s", limit->seconds);
    return text;
}
