/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "core/stopwatch.h"
#include "tools/common/table.h"

static volatile sig_atomic_t interrupted;

static struct {
    bool forbidden;
    bool running; /* work began at the time `since` */
    bool drawn;
    double since, last;
} progress;

static void on_signal(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

/* Catches a signal, unless the parent process chose to ignore it: it then stays ignored, as for any
 * job in the background. */
static void catch_signal(int signal_number) {
    struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(signal_number, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal_number, &action, NULL);
}

void tool_catch_interrupt(void) {
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    /* Writing a file larger than is allowed is then a failure of write(), which is reported and
     * tidied up. */
    signal(SIGXFSZ, SIG_IGN);
}

bool tool_interrupted(void) {
    return interrupted != 0;
}

void tool_progress_allow(bool allowed) {
    progress.forbidden = !allowed;
}

/* Draws the line: a carriage return, the text, and an erase to the end of the line. */
void tool_progress_draw(const char *text) {
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    progress.drawn = true;
}

static void draw(const char *what, int64_t done, int64_t total) {
    char a[TOOL_HUMAN], b[TOOL_HUMAN], text[256];
    if (total > 0) {
        snprintf(text, sizeof text, "%s: %s of %s (%.0f %%)", what, tool_human_count(done, a),
                 tool_human_count(total, b), 100 * (double)done / (double)total);
    } else {
        snprintf(text, sizeof text, "%s: %s", what, tool_human_count(done, a));
    }
    tool_progress_draw(text);
}

bool tool_progress_due(void) {
    static const double patience = 2, between = 0.1;
    if (progress.forbidden) return false;
    double time = tulle__seconds();
    if (!progress.running) {
        progress.running = true;
        progress.since = time;
    }
    if (time - progress.since < patience || time - progress.last < between) return false;
    progress.last = time;
    return isatty(STDERR_FILENO);
}

int tool_progress(void *user, const char *what, int64_t done, int64_t total) {
    (void)user;
    if (interrupted) return 1;
    if (tool_progress_due()) draw(what, done, total);
    return 0;
}

void tool_progress_end(void) {
    if (progress.drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress.running = progress.drawn = false;
}

tulle_status tool_open_place(const char *where, tulle_ctx **ctx) {
    return tool_open_capped(where, 0, ctx);
}

tulle_status tool_open_capped(const char *where, int64_t cap, tulle_ctx **ctx) {
    const tulle_ctx_options options = {.memory_cap = (size_t)cap};
    tulle_status status = tulle_ctx_create(where, &options, ctx);
    if (status == TULLE_OK) status = tulle_ctx_set_progress(*ctx, tool_progress, NULL);
    return status;
}
