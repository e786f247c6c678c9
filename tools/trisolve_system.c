/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve_system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "room.h"
#include "tools/common/block.h"
#include "tools/common/dominant.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/timing.h"
#include "tools/common/triangle.h"
#include "tools/common/verify_trisolve.h"
#include "trisolve/convert.h"
#include "tulle/advanced.h"
#include "vector_file.h"

/* A system on its way. csr: the matrix that the check reads; A: the same in its format. */
typedef struct run {
    tulle_ctx *ctx;
    const tool_system *system;
    tool_system_result *result;
    tulle_mat *csr, *A;
    tulle_dense *b, *x;
    void *b_host, *x_host;
} run;

/* As of a product, whose check takes no less. */
static tulle_status check_room(const run *r, const tool_operand *A) {
    const tool_product product = {
        .op = r->system->op, .vectors = r->system->vectors, .check = r->system->check};
    tulle_device_info device;
    tulle_status status = tulle_ctx_device(r->ctx, &device);
    return status == TULLE_OK ? tool_check_room(&device, &A->info, &product) : status;
}

static tulle_status prepare_matrix(run *r, const tool_operand *A) {
    const tool_layout format = tool_layout_or_csr(r->system->format);
    tulle_status status = TULLE_OK;
    if (r->system->dominant) {
        status = tool_dominant(r->ctx, A->matrix, &r->csr);
    } else {
        r->csr = tulle_mat_retain(A->matrix);
    }
    if (status == TULLE_OK) {
        status = tool_layout_apply(r->ctx, r->csr, &format, &r->A, &r->result->convert_ms);
    }
    return status == TULLE_OK ? tulle_mat_describe(r->A, &r->result->info) : status;
}

static tulle_status create(run *r) {
    const tulle_mat_info *info = &r->result->info;
    tulle_dense **const made[] = {&r->b, &r->x};
    for (int i = 0; i < 2; i++) {
        tulle_status status = tulle_dense_create(r->ctx, info->type, info->rows, r->system->vectors,
                                                 r->system->layout, 0, made[i]);
        if (status != TULLE_OK) return status;
    }
    r->b_host = tool_block_host(r->b);
    r->x_host = tool_block_host(r->x);
    return tool_fill_block(r->ctx, r->system->b, r->system->seed, r->b, r->b_host);
}

static tulle_status solve(void *user) {
    const run *r = user;
    const tool_system *s = r->system;
    return tulle_trisolve(r->ctx, s->part, s->diag, s->op, tulle_num(s->alpha), r->A, r->b, r->x);
}

/* Says what somebody can do about a row that has not one entry on the diagonal. */
static tulle_status advise(const run *r, const tool_operand *A, tulle_status status) {
    const int64_t row = tulle_last_error()->row;
    const tulle_mat_info *info = &r->result->info;
    const bool blocks = info->format == TULLE_BSR && info->storage.block > 1;
    if (status != TULLE_UNSUPPORTED || row < 0) return status;
    return tool_record(status,
                       "%s: %s %" PRId64
                       " (from 0) has no entry on the diagonal, or several: add it, or give "
                       "--unit, with which ones stand there, or --dominant",
                       A->name, blocks ? "block row" : "row", row);
}

static int64_t count_infinite(const run *r, const void *numbers) {
    const int64_t count = r->result->info.rows * r->system->vectors;
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        const double number = r->result->info.type == TULLE_F32 ? ((const float *)numbers)[i]
                                                                : ((const double *)numbers)[i];
        found += !isfinite(number);
    }
    return found;
}

static tulle_status solve_once(run *r, const tool_operand *A) {
    const tool_system *s = r->system;
    tulle_status status =
        tulle_trisolve_analyse(r->ctx, s->part, s->op, r->A, &r->result->analysis);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = advise(r, A, solve(r));
    if (status == TULLE_OK) status = tulle_ctx_synchronize(r->ctx);
    r->result->first_ms = 1e3 * (tulle__seconds() - start);
    r->result->minimal_bytes =
        tool_triangle_bytes(&r->result->info, &r->result->analysis, s->diag, s->vectors);
    if (status == TULLE_OK) status = tool_block_read(r->ctx, r->x, r->x_host);
    if (status == TULLE_OK && count_infinite(r, r->b_host) == 0) {
        r->result->infinite = count_infinite(r, r->x_host);
    }
    return status;
}

static tulle_status verify(const run *r) {
    const tool_system *s = r->system;
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(r->ctx, r->csr, &csr);
    const tool_trisolve_claim claim = {.A = &csr,
                                       .part = s->part,
                                       .diag = s->diag,
                                       .op = s->op,
                                       .type = r->result->info.type,
                                       .vectors = s->vectors,
                                       .alpha = s->alpha,
                                       .b = r->b_host,
                                       .x = r->x_host};
    if (status == TULLE_OK) status = tool_verify_trisolve(&claim, &r->result->error);
    tool_csr_close(&csr);
    return status;
}

static tulle_status time_calls(run *r) {
    tool_timing timing = {0};
    tulle_status status = tool_time(r->ctx, (int)r->system->repeat, solve, r, &timing);
    r->result->ms = timing.ms;
    r->result->ms_q10 = timing.q10;
    r->result->ms_q90 = timing.q90;
    return status;
}

typedef struct conversion {
    const run *run;
    bool is; /* whether there is any */
} conversion;

static tulle_status convert(void *user) {
    conversion *c = user;
    const run *r = c->run;
    const tool_system *s = r->system;
    return tulle__trisolve_convert(r->ctx, s->part, s->diag, s->op, r->A, r->b, r->x, &c->is);
}

static tulle_status time_conversion(run *r) {
    tool_timing timing = {0};
    conversion c = {.run = r};
    tulle_status status = convert(&c);
    if (status != TULLE_OK || !c.is) return status;
    status = tool_time(r->ctx, (int)r->system->repeat, convert, &c, &timing);
    r->result->conversion_ms = timing.ms;
    return status;
}

static tulle_status go(run *r, const tool_operand *A) {
    const tool_system *s = r->system;
    tulle_status status = tool_operand_check_square(A);
    if (status == TULLE_OK) status = check_room(r, A);
    if (status == TULLE_OK) status = tool_kernel_force(r->ctx, "trisolve", "system", s->kernel);
    if (status == TULLE_OK) status = prepare_matrix(r, A);
    if (status == TULLE_OK) status = create(r);
    if (status == TULLE_OK) status = solve_once(r, A);
    if (status == TULLE_OK && s->check) status = verify(r);
    if (status == TULLE_OK && s->output) {
        status = tool_save_vectors(s->output, r->result->info.type, r->result->info.rows,
                                   s->vectors, r->x_host);
    }
    if (status != TULLE_OK || s->repeat == 0) return status;
    status = time_calls(r);
    return status == TULLE_OK ? time_conversion(r) : status;
}

tulle_status tool_trisolve(tulle_ctx *ctx, const tool_operand *A, const tool_system *system,
                           tool_system_result *result) {
    run r = {.ctx = ctx, .system = system, .result = result};
    *result = (tool_system_result){.error = {.row = -1}};
    tulle_status status = go(&r, A);
    free(r.b_host);
    free(r.x_host);
    tulle_dense_destroy(r.b);
    tulle_dense_destroy(r.x);
    tulle_mat_destroy(r.A);
    tulle_mat_destroy(r.csr);
    return status;
}
