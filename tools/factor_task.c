/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_task.h"

#include <inttypes.h>
#include <stdio.h>

#include "pivot_advice.h"
#include "sparse.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "tools/common/verify_factor.h"

static const tool_factor_summary *summary_of(const tool_trial *trial) {
    return (const tool_factor_summary *)trial;
}

/* Refuses options that would do nothing, which nobody can want. */
tulle_status tool_factor_refuse(const tool_trial *trial) {
    const trial_factor_options *options = &summary_of(trial)->options;
    const tulle_factor_options *o = &options->factors;
    const tulle_mat_info *info = &trial->info;
    if (o->single && info->type == TULLE_F32) {
        return tool_record(TULLE_INVALID_ARGUMENT,
                           "--single: A is f32, and so are its factors without it");
    }
    if (o->inverted && (info->format != TULLE_BSR || info->storage.block == 1)) {
        return tool_record(TULLE_INVALID_ARGUMENT,
                           "--inverted: scalars have no diagonal blocks; give --format "
                           "bsr:block=B, too");
    }
    const int64_t block = info->format == TULLE_BSR ? info->storage.block : 1;
    if (options->order != TRIAL_ORDER_NONE && info->rows % block != 0) {
        return tool_record(TULLE_UNSUPPORTED,
                           "%s: --order is for whole blocks, and %" PRId64
                           " rows are none of %" PRId64
                           ": give --format bsr:block=B with another B",
                           trial->A.name, info->rows, block);
    }
    return TULLE_OK;
}

tulle_status tool_factor_advise(const tool_trial *trial, const trial_problem *problem,
                                tulle_status status) {
    const trial_factor *f = trial_factor_of(problem);
    if (status != TULLE_ZERO_PIVOT) return status;
    tool_progress_end();
    return tool_pivot_advice(problem->ctx, trial->A.name, f->whole, &f->options.factors);
}

/* The check has copies of L and U on the place, and once more on the host. */
static tulle_status check_room(const tool_factor_summary *s) {
    const tulle_factor_info *f = &s->factors;
    const int64_t blocks = tool_plus(f->nnz_l, f->nnz_u);
    const int64_t cells = (int64_t)f->block * f->block, word = sizeof(double);
    const int64_t copies = tool_times(blocks, 2 * (cells * word + word));
    const int64_t check = tool_verify_factor_bytes(f->rows, s->trial.A.info.nnz, blocks, f->block);
    const tool_sparse alone = {.A = s->trial.A, .alone = true, .check = true};
    char what[64];
    snprintf(what, sizeof what, "factors of %" PRId64 " rows", f->rows);
    return tool_sparse_check_room(&alone, tool_plus(copies, check), what);
}

static tulle_status check(tool_factor_summary *s, const trial_problem *p, const trial_task *task) {
    const trial_factor *f = trial_factor_of(p);
    tulle_status status = check_room(s);
    if (status == TULLE_OK) status = p->operation->error(p, task->state, &s->trial.units);
    s->error = f->error;
    if (status != TULLE_OK) return status;
    return tool_factor_judge(p->ctx, f->whole, trial_factor_made(task), s->trial.given.seed,
                             &s->quality);
}

static tulle_status write(tool_factor_summary *s, tulle_ctx *ctx, const tulle_factor *F) {
    static const tulle_save_options plain = {.binary = false};
    tulle_mat *L = NULL, *U = NULL;
    if (!s->output_l && !s->output_u) return TULLE_OK;
    tulle_status status = tulle_factor_export(ctx, F, &L, s->factors.kind == TULLE_LU ? &U : NULL);
    if (status == TULLE_OK && s->output_l) {
        status = tool_write_matrix(ctx, L, s->output_l, &plain, &s->l);
    }
    if (status == TULLE_OK && s->output_u) {
        status = tool_write_matrix(ctx, U, s->output_u, &plain, &s->u);
    }
    tulle_mat_destroy(L);
    tulle_mat_destroy(U);
    return status;
}

/* Notes whether A is not symmetric, where L L^T is made from one of its triangles alone. */
static tulle_status look_for_mirror(tool_factor_summary *s, const trial_problem *p) {
    const tulle_factor_options *o = &s->options.factors;
    tulle_facts facts;
    if (o->kind != TULLE_CHOLESKY || o->reads != TULLE_READS_ALL) return TULLE_OK;
    const tulle_status status = tulle_mat_facts(p->ctx, trial_factor_of(p)->whole, &facts);
    tool_progress_end();
    s->half_read = status == TULLE_OK && !facts.symmetric;
    return status;
}

/* The operands of a solution with factors, x := (L U)^-1 b. */
typedef struct system {
    tulle_ctx *ctx;
    tulle_factor *F;
    tulle_vec *b, *x;
} system;

static tulle_status solve(void *user) {
    const system *s = user;
    return tulle_factor_solve(s->ctx, TULLE_N, tulle_num(1), s->F, s->b, s->x);
}

static tulle_status time_calls(tool_factor_summary *s, const trial_problem *p,
                               const trial_task *task) {
    const tool_trial *t = &s->trial;
    const int repeat = (int)t->repeat;
    system all = {.ctx = p->ctx, .F = trial_factor_made(task)};
    tulle_status status = tulle_vec_create(p->ctx, t->info.type, t->info.rows, &all.b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->info.type, t->info.rows, &all.x);
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, all.b, t->given.seed);
    if (status == TULLE_OK) {
        status = tool_time(p->ctx, repeat, p->operation->run, task->state, &s->trial.timing);
    }
    if (status == TULLE_OK) status = solve(&all);
    if (status == TULLE_OK) status = tool_time(p->ctx, repeat, solve, &all, &s->solve);
    tulle_vec_destroy(all.b);
    tulle_vec_destroy(all.x);
    return status;
}

tulle_status tool_factor_work(tool_trial *trial, const trial_problem *problem, trial_task *task) {
    tool_factor_summary *s = (tool_factor_summary *)trial;
    const tulle_factor *F = trial_factor_made(task);
    s->order_ms = trial_factor_of(problem)->order_ms;
    trial->first_ms = trial->prepare_ms - task->prep_ms;
    tulle_status status = tulle_factor_describe(F, &s->factors);
    if (status == TULLE_OK) status = tulle_factor_status(problem->ctx, F, &s->pivots);
    if (status == TULLE_OK && trial->given.check) status = check(s, problem, task);
    if (status == TULLE_OK) status = write(s, problem->ctx, F);
    if (status == TULLE_OK) status = look_for_mirror(s, problem);
    return status == TULLE_OK && trial->repeat > 0 ? time_calls(s, problem, task) : status;
}
