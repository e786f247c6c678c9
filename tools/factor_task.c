/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_task.h"

#include <inttypes.h>

#include "core/stopwatch.h"
#include "factor_check.h"
#include "factor_order.h"
#include "mirrored.h"
#include "pivot_advice.h"
#include "tools/common/check_factor.h"
#include "tools/common/dominant.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/progress.h"

/* Factors on their way. */
typedef struct run {
    tulle_ctx *ctx;
    const tool_factor_task *task;
    tool_factor_result *result;
    tulle_factor_options options; /* options, with the order */
    tulle_mat *A;                 /* A in its format */
    tulle_mat *whole;             /* entries of A that are read, with their mirror images */
    tulle_order *order;
    tulle_factor *F;
    tulle_mat *L, *U;
    tulle_vec *b, *x;
} run;

static tulle_status make_whole(run *r, tulle_mat *csr) {
    const tulle_mat_info *info = &r->result->info;
    const int64_t block = info->format == TULLE_BSR ? info->storage.block : 1;
    return tool_mirrored(r->ctx, csr, r->task->options.reads, block, &r->whole);
}

static tulle_status prepare_matrix(run *r, const tool_operand *A) {
    const tool_layout format = tool_layout_or_csr(r->task->format);
    tulle_mat *csr = NULL;
    tulle_status status = TULLE_OK;
    if (r->task->dominant) {
        status = tool_dominant(r->ctx, A->matrix, &csr);
    } else {
        csr = tulle_mat_retain(A->matrix);
    }
    if (status == TULLE_OK) {
        status = tool_layout_apply(r->ctx, csr, &format, &r->A, &r->result->convert_ms);
    }
    if (status == TULLE_OK) status = tulle_mat_describe(r->A, &r->result->info);
    if (status == TULLE_OK) status = make_whole(r, csr);
    tulle_mat_destroy(csr);
    return status;
}

/* Refuses options that would do nothing, which nobody can want. */
static tulle_status check_options(const run *r, const tool_operand *A) {
    const tulle_factor_options *o = &r->task->options;
    const tulle_mat_info *info = &r->result->info;
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
    if (r->task->order != TOOL_ORDER_NONE && info->rows % block != 0) {
        return tool_record(TULLE_UNSUPPORTED,
                           "%s: --order is for whole blocks, and %" PRId64
                           " rows are none of %" PRId64
                           ": give --format bsr:block=B with another B",
                           A->name, info->rows, block);
    }
    return TULLE_OK;
}

static tulle_status prepare_order(run *r) {
    r->options = r->task->options;
    if (r->task->order == TOOL_ORDER_NONE) return TULLE_OK;
    const double start = tulle__seconds();
    tulle_status status = tool_factor_order(r->ctx, r->A, r->task->order, &r->order);
    r->result->order_ms = 1e3 * (tulle__seconds() - start);
    r->options.order = r->order;
    return status;
}

static tulle_status factorise(run *r, const tool_operand *A) {
    const double start = tulle__seconds();
    tulle_status status = tulle_factor_create(r->ctx, r->A, &r->options, &r->F);
    const double ms = 1e3 * (tulle__seconds() - start);
    tool_progress_end();
    if (status == TULLE_ZERO_PIVOT) {
        return tool_pivot_advice(r->ctx, A->name, r->whole, &r->options);
    }
    if (status == TULLE_OK) status = tulle_factor_describe(r->F, &r->result->factors);
    if (status == TULLE_OK) status = tulle_factor_status(r->ctx, r->F, &r->result->pivots);
    r->result->first_ms = ms - r->result->factors.analysis_ms;
    return status;
}

static tulle_status export(run *r) {
    tulle_mat **U = r->options.kind == TULLE_CHOLESKY ? NULL : &r->U;
    return tulle_factor_export(r->ctx, r->F, &r->L, U);
}

static tulle_status check(run *r, const tool_operand *A) {
    const int64_t boosted = r->options.boost ? r->result->pivots.tiny : 0;
    tulle_status status = tool_factor_check_room(A, &r->result->factors);
    if (status == TULLE_OK) status = export(r);
    if (status != TULLE_OK) return status;
    return tool_factor_check(r->ctx, r->whole, r->L, r->U, &r->options, r->order, boosted,
                             &r->result->error);
}

static tulle_status write(run *r) {
    static const tulle_save_options plain = {.binary = false};
    const tool_factor_task *t = r->task;
    tulle_status status = TULLE_OK;
    if (!r->L && (t->output_l || t->output_u)) status = export(r);
    if (status == TULLE_OK && t->output_l) {
        status = tool_write_matrix(r->ctx, r->L, t->output_l, &plain, &r->result->l);
    }
    if (status == TULLE_OK && t->output_u) {
        status = tool_write_matrix(r->ctx, r->U, t->output_u, &plain, &r->result->u);
    }
    return status;
}

/* Notes whether A is not symmetric, where L L^T is made from one of its triangles alone. */
static tulle_status look_for_mirror(run *r) {
    tulle_facts facts;
    if (r->options.kind != TULLE_CHOLESKY || r->options.reads != TULLE_READS_ALL) return TULLE_OK;
    const tulle_status status = tulle_mat_facts(r->ctx, r->whole, &facts);
    tool_progress_end();
    r->result->half_read = status == TULLE_OK && !facts.symmetric;
    return status;
}

static tulle_status update(void *user) {
    const run *r = user;
    return tulle_factor_update(r->ctx, r->F, r->A);
}

static tulle_status solve(void *user) {
    const run *r = user;
    return tulle_factor_solve(r->ctx, TULLE_N, tulle_num(1), r->F, r->b, r->x);
}

static tulle_status time_calls(run *r) {
    const tulle_mat_info *info = &r->result->info;
    const int repeat = (int)r->task->repeat;
    tulle_status status = tulle_vec_create(r->ctx, info->type, info->rows, &r->b);
    if (status == TULLE_OK) status = tulle_vec_create(r->ctx, info->type, info->rows, &r->x);
    if (status == TULLE_OK) status = tulle_vec_random(r->ctx, r->b, r->task->seed);
    if (status == TULLE_OK) status = tool_time(r->ctx, repeat, update, r, &r->result->update);
    if (status == TULLE_OK) status = solve(r);
    if (status == TULLE_OK) status = tool_time(r->ctx, repeat, solve, r, &r->result->solve);
    return status;
}

static tulle_status go(run *r, const tool_operand *A) {
    const tool_factor_task *t = r->task;
    tulle_status status = tool_operand_check_square(A);
    if (status == TULLE_OK) status = tool_kernel_force(r->ctx, "factor", "task", t->kernel);
    if (status == TULLE_OK) status = prepare_matrix(r, A);
    if (status == TULLE_OK) status = check_options(r, A);
    if (status == TULLE_OK) status = prepare_order(r);
    if (status == TULLE_OK) status = factorise(r, A);
    if (status == TULLE_OK && t->check) status = check(r, A);
    if (status == TULLE_OK) status = write(r);
    if (status == TULLE_OK && t->check) {
        status = tool_factor_judge(r->ctx, r->whole, r->F, t->seed, &r->result->quality);
    }
    if (status == TULLE_OK) status = look_for_mirror(r);
    return status == TULLE_OK && t->repeat > 0 ? time_calls(r) : status;
}

tulle_status tool_factor(tulle_ctx *ctx, const tool_operand *A, const tool_factor_task *task,
                         tool_factor_result *result) {
    run r = {.ctx = ctx, .task = task, .result = result};
    *result = (tool_factor_result){.error = tool_entry_right()};
    tulle_status status = go(&r, A);
    tulle_vec_destroy(r.b);
    tulle_vec_destroy(r.x);
    tulle_mat_destroy(r.L);
    tulle_mat_destroy(r.U);
    tulle_factor_destroy(r.F);
    tulle_order_destroy(r.order);
    tulle_mat_destroy(r.whole);
    tulle_mat_destroy(r.A);
    return status;
}
