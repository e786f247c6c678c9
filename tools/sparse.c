/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/available.h"
#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/few.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "tools/common/table.h"
#include "tools/common/timing.h"

tulle_status tool_sparse_open(tulle_ctx *ctx, const tool_common *common, char **operand, int count,
                              tool_sparse *s) {
    tulle_status status = tool_operand_open(ctx, common, operand[0], &s->A);
    s->alone = count < 2;
    if (status != TULLE_OK || count > 1) {
        return status == TULLE_OK ? tool_operand_open(ctx, common, operand[1], &s->B) : status;
    }
    tulle_trans op = s->B.op;
    s->B = s->A;
    s->B.op = op;
    s->B.matrix = tulle_mat_retain(s->A.matrix);
    return TULLE_OK;
}

void tool_sparse_close(tool_sparse *s) {
    tool_operand_close(&s->A);
    tool_operand_close(&s->B);
}

int64_t tool_sparse_entries(const tool_sparse *s) {
    const int64_t b = s->B.name && !s->alone ? s->B.info.nnz : s->A.info.nnz;
    const int64_t m = s->mask ? s->mask->info.nnz : 0;
    return tool_plus(tool_plus(s->A.info.nnz, b), tool_plus(m, s->added ? s->added->info.nnz : 0));
}

int64_t tool_sparse_operand_bytes(const tool_sparse *s, const tool_operand *o) {
    bool compressed = o->info.format == TULLE_DCSR, turned = o->op == TULLE_T;
    int64_t copy = o->info.backend == TULLE_CPU ? 0 : tool_matrix_bytes(&o->info);
    if (!o->name) return 0;
    const int64_t rows = tool_few_of(tool_operand_rows(o), tool_sparse_entries(s));
    return tool_plus(copy, tool_rows_of_bytes(rows, o->info.nnz, turned, compressed));
}

tulle_status tool_sparse_check_room(const tool_sparse *s, int64_t bytes, const char *what) {
    const int64_t a = tool_sparse_operand_bytes(s, &s->A), b = tool_sparse_operand_bytes(s, &s->B);
    const int64_t need = tool_plus(bytes, tool_plus(a, b));
    int64_t room = tulle__cpu_available();
    if (!s->check || room <= 0 || need <= room) return TULLE_OK;
    char wanted[TOOL_HUMAN], available[TOOL_HUMAN];
    return tool_record(TULLE_TOO_LARGE,
                       "the check of %s takes %s, and this machine has %s of memory available: "
                       "leave --check out, or take a larger machine",
                       what, tool_human_bytes((double)need, wanted),
                       tool_human_bytes((double)room, available));
}

tulle_status tool_sparse_check_index(const tool_sparse *s, int64_t rows, int64_t cols) {
    bool narrow = s->index_given && tulle_index_size(s->index) == 4;
    if (!narrow || (rows <= INT32_MAX && cols <= INT32_MAX)) return TULLE_OK;
    return tool_record(TULLE_TOO_LARGE,
                       "--index %s: C is %" PRId64 " x %" PRId64
                       ", and 32-bit indices end at 2147483647; take 64 or auto",
                       tool_index_name(s->index), rows, cols);
}

/* Says what --index is to be, where a call failed as its result has too many entries for the index
 * type that was asked for. Returns the status. */
static tulle_status advise_index(const tool_sparse *s, tulle_status status) {
    const char *argument = tulle_last_error()->argument;
    if (!s->index_given || status != TULLE_TOO_LARGE || !argument ||
        strcmp(argument, "options") != 0) {
        return status;
    }
    return tool_record(status,
                       "--index %s: C has more entries than 32-bit offsets count, 2147483647; take "
                       "64/32, 64 or auto",
                       tool_index_name(s->index));
}

int64_t tool_sparse_bytes(const tool_sparse *s, const tool_sparse_result *result) {
    int64_t b = s->alone ? 0 : tool_matrix_bytes(&s->B.info);
    int64_t d = s->added ? tool_matrix_bytes(&s->added->info) : 0;
    int64_t m = s->mask ? tool_matrix_bytes(&s->mask->info) : 0;
    return tool_matrix_bytes(&s->A.info) + b + d + m + tool_matrix_bytes(&result->info);
}

/* A trial that runs. */
typedef struct run {
    tulle_ctx *ctx;
    const tool_sparse *sparse;
    trial_made *made;
} run;

static tulle_status compute(const run *r) {
    const tulle_status status = r->sparse->operation->run(r->made);
    return status == TULLE_OK ? status : advise_index(r->sparse, status);
}

static tulle_status check(const run *r, tool_entry_error *error) {
    const tulle_status status = trial_making_compare(r->made, !r->sparse->unsorted, error);
    tool_progress_end();
    return status;
}

/* Writes by a context of the CPU's own, since the operation's cap of memory is not for writing. */
static tulle_status write_on_cpu(const tulle_mat *C, const char *file, int threads,
                                 tool_written *written) {
    const tulle_save_options plain = {.binary = false};
    char where[32];
    tulle_ctx *writer = NULL;
    snprintf(where, sizeof where, "cpu:%d", threads);
    tulle_status status = tool_open_place(where, &writer);
    if (status == TULLE_OK) status = tool_write_matrix(writer, C, file, &plain, written);
    tulle_ctx_destroy(writer);
    return status;
}

static tulle_status write_result(tulle_ctx *ctx, const tulle_mat *C, const char *file,
                                 tool_written *written) {
    const tulle_save_options plain = {.binary = false};
    tulle_device_info device;
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status != TULLE_OK) return status;
    if (device.backend == TULLE_CPU) return write_on_cpu(C, file, device.threads, written);
    return tool_write_matrix(ctx, C, file, &plain, written);
}

/* Makes the first call, checks and writes its C, and frees C before calls are timed. */
static tulle_status run_first(const run *r, tool_sparse_result *result) {
    const tool_sparse *s = r->sparse;
    double start = tulle__seconds();
    tulle_status status = compute(r);
    result->first_ms = 1e3 * (tulle__seconds() - start);
    tool_progress_end();
    if (status == TULLE_OK) status = tulle_mat_describe(r->made->C, &result->info);
    if (status == TULLE_OK && s->check) status = check(r, &result->error);
    if (status == TULLE_OK && s->output) {
        status = write_result(r->ctx, r->made->C, s->output, &result->written);
    }
    s->operation->drop(r->made);
    return status;
}

static tulle_status run_call(void *user) {
    const run *r = user;
    const tulle_status status = compute(r);
    r->sparse->operation->drop(r->made);
    return status;
}

/* A report makes a call wait between its phases: so the phases are those of one more call. */
static tulle_status run_timed(run *r, tool_sparse_result *result) {
    const int repeat = (int)r->sparse->repeat;
    void *report = r->made->report;
    r->made->report = NULL;
    tulle_status status = tool_time(r->ctx, repeat, run_call, r, &result->timing);
    r->made->report = report;
    if (status == TULLE_OK && report) status = run_call(r);
    tool_progress_end();
    return status;
}

static tulle_status run_opened(tulle_ctx *ctx, const tool_sparse *s, const trial_problem *problem,
                               void *report, tool_sparse_result *result) {
    trial_task task = {.threads = 0};
    tulle_status status = s->operation->prepare(problem, &task);
    if (status != TULLE_OK) return status;
    run r = {.ctx = ctx, .sparse = s, .made = task.state};
    r.made->report = report;
    status = run_first(&r, result);
    if (status == TULLE_OK && s->repeat > 0) status = run_timed(&r, result);
    s->operation->finish(task.state);
    return status;
}

tulle_status tool_sparse_run(tulle_ctx *ctx, const tool_sparse *s, void *report,
                             tool_sparse_result *result) {
    const trial_given given = {.A = s->A.matrix,
                               .B = s->alone ? NULL : s->B.matrix,
                               .second = s->alone ? NULL : s->B.name,
                               .block = trial_one_vector,
                               .check = s->check,
                               .alone = true,
                               .options = s->options};
    trial_problem problem;
    *result = (tool_sparse_result){0};
    tulle_status status = trial_problem_open(ctx, s->operation, &given, &problem);
    if (status != TULLE_OK) return status;
    status = run_opened(ctx, s, &problem, report, result);
    trial_problem_close(&problem);
    return status;
}
