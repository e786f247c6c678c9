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
#include "tools/common/progress.h"
#include "tools/common/vector_file.h"

/* A trial that runs: its problem, its prepared task, and the result in host memory. */
typedef struct run {
    tulle_ctx *ctx;
    tool_trial *trial;
    trial_problem problem;
    trial_task task;
    void *result;
    bool converts; /* true when calls begin by bringing operands into another form */
} run;

/* Checks that there is memory for the trial, which takes as much as a product of the same shape;
 * the check of the trial takes no more than the product's check. */
static tulle_status check_room(const tool_trial *t) {
    const trial_given *given = &t->given;
    return tool_check_room(&t->device, &t->A.info, given->trans, given->block.vectors,
                           given->check);
}

static tulle_status make_matrix(tulle_ctx *ctx, tool_trial *t) {
    tulle_mat *turned = NULL;
    tulle_status status = TULLE_OK;
    if (t->dominant) {
        status = tool_dominant(ctx, t->A.matrix, &t->given.csr);
    } else {
        t->given.csr = tulle_mat_retain(t->A.matrix);
    }
    if (status == TULLE_OK && t->turned && t->given.trans == TULLE_T) {
        status = tulle_mat_transpose(ctx, t->given.csr, &turned);
    }
    if (status == TULLE_OK) {
        status = tool_layout_apply(ctx, turned ? turned : t->given.csr, &t->format, &t->given.A,
                                   &t->convert_ms);
    }
    tulle_mat_destroy(turned);
    return status == TULLE_OK ? tulle_mat_describe(t->given.A, &t->info) : status;
}

static tulle_status call_once(run *r) {
    tool_trial *t = r->trial;
    const double start = tulle__seconds();
    tulle_status status = t->operation->run(r->task.state);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(r->ctx);
    t->first_ms = 1e3 * (tulle__seconds() - start);
    r->result = tool_block_host(r->problem.y);
    if (status == TULLE_OK) status = tool_block_read(r->ctx, r->problem.y, r->result);
    return status == TULLE_OK && t->look ? t->look(t, &r->problem, r->result) : status;
}

static tulle_status check(run *r) {
    tool_trial *t = r->trial;
    const tulle_status status = t->operation->error(&r->problem, r->task.state, &t->units);
    if (status == TULLE_OK && t->operation->worst) t->worst = *t->operation->worst(&r->problem);
    return status;
}

static tulle_status convert(void *user) {
    run *r = user;
    return r->trial->operation->convert(r->task.state, &r->converts);
}

static tulle_status time_calls(run *r) {
    tool_trial *t = r->trial;
    const int repeat = (int)t->repeat;
    tulle_status status = tool_time(r->ctx, repeat, t->operation->run, r->task.state, &t->timing);
    if (status == TULLE_OK && t->operation->convert) status = convert(r);
    if (status == TULLE_OK && r->converts) {
        status = tool_time(r->ctx, repeat, convert, r, &t->converted);
    }
    return status == TULLE_OK ? tool_bandwidth(r->ctx, &t->copy_gbs) : status;
}

static tulle_status write(const run *r) {
    tulle_vec_info y;
    const tulle_status status = tulle_vec_describe(r->problem.y, &y);
    if (status != TULLE_OK) return status;
    return tool_save_vectors(r->trial->output, y.type, y.rows, y.cols, r->result);
}

static tulle_status advised(const run *r, tulle_status status) {
    const tool_trial *t = r->trial;
    return status != TULLE_OK && t->advise ? t->advise(t, &r->problem, status) : status;
}

static tulle_status run_prepared(run *r) {
    tool_trial *t = r->trial;
    tulle_status status = t->accept ? t->accept(r->ctx, t, &r->task) : TULLE_OK;
    if (status == TULLE_OK && t->work) return t->work(t, &r->problem, &r->task);
    if (status == TULLE_OK) status = advised(r, call_once(r));
    if (status == TULLE_OK && t->given.check) status = check(r);
    if (status == TULLE_OK && t->output) {
        status = write(r);
    }
    if (status == TULLE_OK && t->repeat > 0) status = time_calls(r);
    free(r->result);
    return status;
}

static tulle_status ask(run *r) {
    tool_trial *t = r->trial;
    if (t->ask) return t->ask(r->ctx, t, &r->task);
    return tool_kernel_force(r->ctx, t->operation->kernels, t->noun, t->kernel);
}

static tulle_status run_opened(run *r) {
    tool_trial *t = r->trial;
    tulle_status status = ask(r);
    if (status != TULLE_OK) return status;
    const double start = tulle__seconds();
    status = advised(r, t->operation->prepare(&r->problem, &r->task));
    t->prepare_ms = 1e3 * (tulle__seconds() - start);
    tool_progress_end();
    if (status != TULLE_OK) return status;
    status = run_prepared(r);
    t->operation->finish(r->task.state);
    return status;
}

static tulle_status run_made(run *r) {
    tool_trial *t = r->trial;
    tulle_status status = trial_problem_open(r->ctx, t->operation, &t->given, &r->problem);
    if (status != TULLE_OK) return status;
    t->minimal_bytes = r->problem.minimal_bytes;
    t->flops = r->problem.flops;
    status = run_opened(r);
    trial_problem_close(&r->problem);
    return status;
}

tulle_status tool_trial_run_on(tulle_ctx *ctx, uint64_t seed, tool_trial *trial) {
    run r = {.ctx = ctx, .trial = trial};
    trial->units = (double)NAN;
    trial->given.alone = true;
    trial->given.seed = seed;
    tulle_status status = tulle_ctx_device(ctx, &trial->device);
    if (status == TULLE_OK) status = tulle_mat_describe(trial->A.matrix, &trial->A.info);
    if (status == TULLE_OK && trial->square) status = tool_operand_check_square(&trial->A);
    if (status == TULLE_OK && !trial->work) status = check_room(trial);
    if (status == TULLE_OK) status = make_matrix(ctx, trial);
    if (status == TULLE_OK && trial->refuse) status = trial->refuse(trial);
    if (status == TULLE_OK) status = run_made(&r);
    tulle_mat_destroy(trial->given.A);
    tulle_mat_destroy(trial->given.csr);
    trial->given.A = trial->given.csr = NULL;
    return status;
}

tulle_status tool_trial_run(tulle_ctx *ctx, const tool_common *common, const char *name,
                            tool_trial *trial) {
    tulle_status status = tool_operand_open(ctx, common, name, &trial->A);
    if (status == TULLE_OK) status = tool_trial_run_on(ctx, (uint64_t)common->seed, trial);
    tool_operand_close(&trial->A);
    return status;
}

bool tool_trial_is_right(const tool_trial *trial) {
    return !trial->given.check || trial->units <= 1;
}
