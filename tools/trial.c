/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "room.h"
#include "tools/common/block.h"
#include "tools/common/dominant.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/vector_file.h"

/* A trial on its way: its problem, the task that is ready for it, and the result on the host. */
typedef struct run {
    tulle_ctx *ctx;
    tool_trial *trial;
    bench_problem problem;
    bench_task task;
    void *result;
    bool converts; /* whether calls begin with bringing operands into another form */
} run;

/* A trial takes the memory of a product of the same shape, and its check no more. */
static tulle_status check_room(const tool_trial *t) {
    const tool_product product = {
        .op = t->given.trans, .vectors = t->given.block.vectors, .check = t->given.check};
    return tool_check_room(&t->device, &t->A.info, &product);
}

static tulle_status make_matrix(tulle_ctx *ctx, tool_trial *t) {
    const tool_layout format = tool_layout_or_csr(t->format);
    tulle_status status = TULLE_OK;
    if (t->dominant) {
        status = tool_dominant(ctx, t->A.matrix, &t->given.csr);
    } else {
        t->given.csr = tulle_mat_retain(t->A.matrix);
    }
    if (status == TULLE_OK) {
        status = tool_layout_apply(ctx, t->given.csr, &format, &t->given.A, &t->convert_ms);
    }
    return status == TULLE_OK ? tulle_mat_describe(t->given.A, &t->info) : status;
}

static tulle_status call_once(run *r) {
    tool_trial *t = r->trial;
    const double start = tulle__seconds();
    tulle_status status = t->actor->run(r->task.state);
    if (status != TULLE_OK && t->advise) status = t->advise(t, status);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(r->ctx);
    t->first_ms = 1e3 * (tulle__seconds() - start);
    r->result = tool_block_host(r->problem.y);
    if (status == TULLE_OK) status = tool_block_read(r->ctx, r->problem.y, r->result);
    if (status == TULLE_OK) t->look(t, &r->problem, r->result);
    return status;
}

static tulle_status check(run *r) {
    tool_trial *t = r->trial;
    const tulle_status status = t->actor->error(&r->problem, r->task.state, &t->units);
    if (status == TULLE_OK) t->worst = *t->actor->worst(&r->problem);
    return status;
}

static tulle_status convert(void *user) {
    run *r = user;
    return r->trial->actor->convert(r->task.state, &r->converts);
}

static tulle_status time_calls(run *r) {
    tool_trial *t = r->trial;
    const int repeat = (int)t->repeat;
    tulle_status status = tool_time(r->ctx, repeat, t->actor->run, r->task.state, &t->timing);
    if (status == TULLE_OK && t->actor->convert) status = convert(r);
    if (status == TULLE_OK && r->converts) {
        status = tool_time(r->ctx, repeat, convert, r, &t->converted);
    }
    return status == TULLE_OK ? tool_bandwidth(r->ctx, &t->copy_gbs) : status;
}

static tulle_status run_prepared(run *r) {
    tool_trial *t = r->trial;
    t->minimal_bytes = r->problem.minimal_bytes;
    tulle_status status = call_once(r);
    if (status == TULLE_OK && t->given.check) status = check(r);
    if (status == TULLE_OK && t->output) {
        status = tool_save_vectors(t->output, t->info.type, t->info.rows, t->given.block.vectors,
                                   r->result);
    }
    if (status == TULLE_OK && t->repeat > 0) status = time_calls(r);
    free(r->result);
    return status;
}

static tulle_status run_opened(run *r) {
    const bench_actor *actor = r->trial->actor;
    tulle_status status = actor->prepare(&r->problem, &r->task);
    if (status != TULLE_OK) return status;
    status = run_prepared(r);
    actor->finish(r->task.state);
    return status;
}

static tulle_status go(run *r) {
    tool_trial *t = r->trial;
    tulle_status status = tool_operand_check_square(&t->A);
    if (status == TULLE_OK) status = check_room(t);
    if (status == TULLE_OK) {
        status = tool_kernel_force(r->ctx, t->actor->kernels, t->noun, t->kernel);
    }
    if (status == TULLE_OK) status = make_matrix(r->ctx, t);
    if (status == TULLE_OK) {
        status = bench_acting_open(r->ctx, t->actor, &t->given, &r->problem);
    }
    if (status != TULLE_OK) return status;
    status = run_opened(r);
    bench_problem_close(&r->problem);
    return status;
}

tulle_status tool_trial_run(tulle_ctx *ctx, const tool_common *common, const char *name,
                            tool_trial *trial) {
    run r = {.ctx = ctx, .trial = trial};
    trial->units = (double)NAN;
    trial->given.alone = true;
    trial->given.seed = (uint64_t)common->seed;
    tulle_status status = tulle_ctx_device(ctx, &trial->device);
    if (status == TULLE_OK) status = tool_operand_open(ctx, common, name, &trial->A);
    if (status == TULLE_OK) status = go(&r);
    tulle_mat_destroy(trial->given.A);
    tulle_mat_destroy(trial->given.csr);
    tool_operand_close(&trial->A);
    return status;
}

bool tool_trial_is_right(const tool_trial *trial) {
    return !trial->given.check || trial->units <= 1;
}
