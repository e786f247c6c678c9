/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/table.h"

static void grow(tool_history *h) {
    h->room = h->room ? 2 * h->room : 1024;
    double *larger = tool_alloc((size_t)h->room, sizeof *larger);
    if (h->count > 0) memcpy(larger, h->norm, (size_t)h->count * sizeof *larger);
    free(h->norm);
    h->norm = larger;
}

static void show(const tool_history *h, int64_t iteration, double norm) {
    char count[TOOL_HUMAN], text[128];
    snprintf(text, sizeof text, "iteration %s, residual %.2e of that at the start",
             tool_human_count(iteration, count), norm / h->norm[0]);
    tool_progress_draw(text);
}

int tool_history_add(void *user, int64_t iteration, double norm) {
    tool_history *h = user;
    if (iteration == 0) h->count = 0;
    if (h->count == h->room) grow(h);
    h->norm[h->count++] = norm;
    if (tool_progress_due()) show(h, iteration, norm);
    return tool_interrupted();
}

void tool_history_free(tool_history *history) {
    free(history->norm);
    *history = (tool_history){.norm = NULL};
}
