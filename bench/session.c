/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/kind.h"
#include "tools/common/progress.h"
#include "trials/making.h"
#include "trials/op.h"

/* Names the machine "GPU (processor of the host)", or by the processor alone. */
static tulle_status name_machine(bench_place *place) {
    snprintf(place->machine, sizeof place->machine, "%s", place->device.name);
    if (place->device.backend != TULLE_CUDA) return TULLE_OK;
    tulle_ctx *host = NULL;
    tulle_device_info info;
    tulle_status status = tulle_ctx_create("cpu:1", NULL, &host);
    if (status == TULLE_OK) status = tulle_ctx_device(host, &info);
    if (status == TULLE_OK) {
        snprintf(place->machine, sizeof place->machine, "%s (%s)", place->device.name, info.name);
    }
    tulle_ctx_destroy(host);
    return status;
}

static tulle_status open_place(bench_session *s) {
    /* The streams of a GPU share 8 queues where nobody asks for more, and 32 at most; the driver
     * looks at the variable only when it starts. */
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    tulle_status status = tool_open_place(s->settings->on, &s->ctx);
    if (status == TULLE_OK) status = trial_limit_watch(&s->limit, s->ctx);
    if (status == TULLE_OK) status = tulle_ctx_device(s->ctx, &s->place.device);
    return status == TULLE_OK ? name_machine(&s->place) : status;
}

/* Ends the last line of a file: a row that was cut off when its run was killed must not spoil the
 * first new row. */
static void end_last_line(FILE *file) {
    if (fseek(file, -1, SEEK_END) != 0) return;
    int last = fgetc(file);
    fseek(file, 0, SEEK_END);
    if (last != '\n') fputc('\n', file);
}

int bench_json_open(const char *path, FILE **json, bool *table) {
    *json = NULL;
    *table = !path || strcmp(path, "-") != 0;
    if (!path) return TOOL_OK;
    if (!*table) {
        *json = stdout;
        return TOOL_OK;
    }
    tulle_status status = tool_check_kind(path, &tool_file_rows);
    if (status != TULLE_OK) return tool_fail(status);
    *json = fopen(path, "a+");
    if (!*json) return tool_complain(TOOL_BAD_INPUT, "%s: %s", path, strerror(errno));
    end_last_line(*json);
    return TOOL_OK;
}

static int open_all(bench_session *s) {
    const bench_settings *settings = s->settings;
    s->seen = bench_seen_open(settings->resume);
    if (!s->seen) return tool_fail(TULLE_IO_ERROR);
    int code = bench_json_open(settings->json, &s->json, &s->table);
    if (code != TOOL_OK) return code;
    tulle_status status = open_place(s);
    if (status != TULLE_OK) return tool_fail(status);
    tulle_backend backend = s->place.device.backend;
    code = bench_check_kernels(s->ctx, settings, backend);
    const trial_operation *operation = trial_operation_of(settings->op);
    if (code == TOOL_OK)
        code = bench_peers_find(settings->peers, backend, operation->name, &s->peers);
    if (code != TOOL_OK) return code;
    status = trial_maker_default(operation, s->ctx, s->own);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}

tulle_status bench_session_measure_place(bench_session *s) {
    if (s->place.copy_gbs > 0) return TULLE_OK;
    return tulle_ctx_copy_bandwidth(s->ctx, &s->place.copy_gbs);
}

int bench_session_open(const bench_settings *settings, bench_session *session) {
    *session = (bench_session){.settings = settings, .limit = {.seconds = settings->give_up}};
    if (settings->minutes > 0) session->deadline = tulle__seconds() + 60 * settings->minutes;
    if (settings->matrices) setenv("TULLE_MATRICES", settings->matrices, 1);
    int code = open_all(session);
    if (code != TOOL_OK) bench_session_close(session);
    return code;
}

void bench_session_close(bench_session *session) {
    if (session->json && session->json != stdout && fclose(session->json) != 0) {
        bench_session_unwritten(session);
    }
    bench_seen_close(session->seen);
    bench_standing_free(&session->standing);
    tulle_ctx_destroy(session->ctx);
    session->ctx = NULL;
    session->seen = NULL;
    session->json = NULL;
}

bool bench_session_over(const bench_session *session) {
    bool late = session->deadline > 0 && tulle__seconds() >= session->deadline;
    return late || tool_interrupted() || session->code != TOOL_OK;
}

void bench_session_keep(bench_session *session, const bench_row *row) {
    session->measured++;
    if (session->json && !bench_row_write(row, session->json)) bench_session_unwritten(session);
    if (!bench_row_wrong(row)) return;
    char what[BENCH_ROW_TEXT];
    tool_complain(TOOL_FAILED, "%s: WRONG: the error is %.3g times the bound",
                  bench_row_text(row, what), row->err);
    if (row->variant->choice != TRIAL_PEER) session->wrong++;
}

/* Names the kernel of a call that failed, which reported none: the forced kernel, or the one that
 * the operation takes by itself. */
static void name_kernel(const bench_session *session, bench_row *row) {
    if (row->kernel[0]) return;
    const char *spec = row->variant->choice == TRIAL_FORCED ? row->variant->spec : session->own;
    const char *params = spec + strcspn(spec, ":");
    snprintf(row->kernel, sizeof row->kernel, "%.*s", (int)(params - spec), spec);
    snprintf(row->params, sizeof row->params, "%s", *params ? params + 1 : "");
}

void bench_session_refuse(bench_session *session, bench_row *row, const char *reason) {
    char what[BENCH_ROW_TEXT];
    name_kernel(session, row);
    fprintf(stderr, "tulle: %s: left out: %s\n", bench_row_text(row, what), reason);
    if (session->json && !bench_row_write_unmeasured(row, "refused", reason, session->json)) {
        bench_session_unwritten(session);
    }
}

void bench_session_failed(bench_session *session, const char *what, tulle_status status) {
    const char *line = tool_error_line();
    if (status == TULLE_CANCELLED) return;
    session->failed++;
    bool named = strncmp(line, what, strlen(what)) == 0;
    int code = named ? tool_complain(tool_exit_code(status), "%s", line)
                     : tool_complain(tool_exit_code(status), "%s: %s", what, line);
    if (status < TULLE_OK) session->code = code;
}

void bench_session_give_up(bench_session *session, bench_row *row, tulle_status status,
                           bool may_lack_memory) {
    char what[BENCH_ROW_TEXT], late[TRIAL_LIMIT_TEXT];
    if (status == TULLE_UNSUPPORTED) {
        (void)tool_error_line();
    } else if (status == TULLE_CANCELLED && session->limit.passed) {
        (void)tool_error_line();
        bench_session_refuse(session, row, trial_limit_text(&session->limit, late));
        session->limit.passed = false;
    } else if (status == TULLE_OUT_OF_MEMORY && may_lack_memory) {
        bench_session_refuse(session, row, tool_error_line());
    } else {
        bench_session_failed(session, bench_row_text(row, what), status);
    }
}

void bench_session_unwritten(bench_session *session) {
    bool first = session->code == TOOL_OK;
    session->code = TOOL_FAILED;
    if (!first) return;
    const char *file = session->table ? session->settings->json : "standard output";
    tool_complain(TOOL_FAILED, "%s: %s", file, strerror(errno));
}
