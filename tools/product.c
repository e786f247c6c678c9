/* SPDX-License-Identifier: Apache-2.0 */
#include "product.h"

#include <stdlib.h>
#include <string.h>

#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"
#include "tools/common/vector_file.h"

/* The two vectors or blocks on the place, and on the host what they start with and what y becomes,
 * column after column. */
typedef struct vectors {
    tulle_dense *x, *y;
    void *x_host, *y_start, *y_end;
} vectors;

static int64_t columns(const tool_product *p) {
    return p->vectors > 0 ? p->vectors : 1;
}

static tulle_status create(tulle_ctx *ctx, const tulle_mat_info *info, const tool_product *p,
                           vectors *v) {
    int64_t x_length = p->op == TULLE_N ? info->cols : info->rows;
    int64_t y_length = p->op == TULLE_N ? info->rows : info->cols;
    tulle_status status =
        tulle_dense_create(ctx, info->type, x_length, columns(p), p->x_layout, 0, &v->x);
    if (status == TULLE_OK) {
        status = tulle_dense_create(ctx, info->type, y_length, columns(p), p->y_layout, 0, &v->y);
    }
    if (status != TULLE_OK) return status;
    v->x_host = tool_block_host(v->x);
    v->y_start = tool_block_host(v->y);
    v->y_end = tool_block_host(v->y);
    return TULLE_OK;
}

static void destroy(vectors *v) {
    tulle_dense_destroy(v->x);
    tulle_dense_destroy(v->y);
    free(v->x_host);
    free(v->y_start);
    free(v->y_end);
}

static tulle_status choose(tulle_ctx *ctx, const tulle_mat *A, const tool_product *p,
                           const vectors *v, tulle_choice *choice) {
    bool beta_zero = p->beta == 0;
    if (p->vectors > 0) return tulle_spmm_choice(ctx, p->op, A, v->x, v->y, beta_zero, choice);
    return tulle_spmv_choice(ctx, p->op, A, beta_zero, choice);
}

/* A kernel for the other operation may be forced and still not run. */
static tulle_status check_kernel(const char *spec, const tulle_choice *choice) {
    if (tool_kernel_means(spec, choice->kernel)) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "%s takes no part in this product: %s would", spec,
                       choice->kernel);
}

/* A plan keeps its kernel; without one the kernel is forced. */
static tulle_status prepare(tulle_ctx *ctx, tulle_mat *A, const tool_product *p, const vectors *v,
                            tool_product_result *result) {
    char spec[TOOL_KERNEL_SPEC];
    tulle_device_info device;
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status != TULLE_OK) return status;
    const char *operation = p->vectors > 1 ? "spmm" : "spmv";
    if (p->kernel) tool_kernel_spec(device.backend, operation, p->kernel, spec);
    if (p->optimize > 0) {
        tulle_optimize_options options = {
            .expected_calls = p->optimize, .vectors = p->vectors, .layout = p->x_layout};
        status = tulle_mat_optimize_with(ctx, A, p->op, &options, &result->optimized);
        result->plan_ms = result->optimized.prepare_ms;
    } else if (p->plan) {
        double start = tulle__seconds();
        status = tulle_mat_plan(ctx, A, p->op, p->kernel ? spec : NULL);
        result->plan_ms = 1e3 * (tulle__seconds() - start);
    } else if (p->kernel) {
        status = tulle_ctx_force_kernel(ctx, spec);
    }
    if (status == TULLE_OK) status = choose(ctx, A, p, v, &result->choice);
    if (status == TULLE_NEEDS_PLAN && p->kernel) {
        status = tool_record(status, "%s runs with a plan only: --plan makes one", spec);
    }
    if (status == TULLE_OK && p->kernel) status = check_kernel(spec, &result->choice);
    if (status == TULLE_OK && p->explain) {
        status = tool_explain(ctx, p->op, A, &result->explanation);
    }
    return status;
}

static tulle_status multiply(tulle_ctx *ctx, const tulle_mat *A, const tool_product *p,
                             vectors *v) {
    tulle_scalar alpha = tulle_num(p->alpha), beta = tulle_num(p->beta);
    if (p->vectors > 0) return tulle_spmm(ctx, p->op, alpha, A, v->x, beta, v->y);
    return tulle_spmv(ctx, p->op, alpha, A, v->x, beta, v->y);
}

static tulle_status check(tulle_ctx *ctx, const tulle_mat *A, const tool_product *p, vectors *v,
                          tool_product_result *result) {
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) {
        status = tool_verify(&csr, p->op, columns(p), p->alpha, v->x_host, p->beta, v->y_start,
                             v->y_end, &result->error);
    }
    tool_csr_close(&csr);
    tool_progress_end();
    return status;
}

static tulle_status compute(tulle_ctx *ctx, tulle_mat *A, const tool_product *p, vectors *v,
                            tool_product_result *result) {
    tulle_status status = tool_fill_block(ctx, p->x, p->seed, v->x, v->x_host);
    if (status == TULLE_OK && p->beta != 0) {
        status = tool_fill_block(ctx, p->y, p->seed + 1, v->y, v->y_start);
    }
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = multiply(ctx, A, p, v);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    result->first_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tool_block_read(ctx, v->y, v->y_end);
    return status;
}

/* The call that is timed, as tool_time wants it. */
typedef struct call {
    tulle_ctx *ctx;
    const tulle_mat *A;
    const tool_product *product;
    vectors *v;
} call;

static tulle_status run_call(void *user) {
    call *c = user;
    return multiply(c->ctx, c->A, c->product, c->v);
}

/* csr: the matrix as it was opened, which the check reads; A: the same in its layout. */
static tulle_status run(tulle_ctx *ctx, const tulle_mat *csr, tulle_mat *A, const tool_product *p,
                        vectors *v, tool_product_result *result) {
    tulle_status status = tulle_mat_describe(A, &result->info);
    if (status == TULLE_OK) status = create(ctx, &result->info, p, v);
    if (status == TULLE_OK) status = prepare(ctx, A, p, v, result);
    if (status == TULLE_OK) status = compute(ctx, A, p, v, result);
    if (status == TULLE_OK && p->check) status = check(ctx, csr, p, v, result);
    if (status == TULLE_OK && p->output) {
        int64_t length = p->op == TULLE_N ? result->info.rows : result->info.cols;
        status = tool_save_vectors(p->output, result->info.type, length, columns(p), v->y_end);
    }
    if (status != TULLE_OK || p->repeat == 0) return status;
    tool_timing timing;
    status = tool_time(ctx, (int)p->repeat, run_call, &(call){ctx, A, p, v}, &timing);
    result->ms = timing.ms;
    result->ms_q10 = timing.q10;
    result->ms_q90 = timing.q90;
    return status;
}

/* The layout that was asked for, or the one that the kernel needs. */
static tulle_status layout_of(tulle_ctx *ctx, const tool_product *p, tool_layout *layout) {
    tulle_device_info device;
    tulle_status status = tulle_ctx_device(ctx, &device);
    *layout = p->layout;
    if (status == TULLE_OK && p->kernel && !layout->given) {
        (void)tool_layout_of_kernel(device.backend, p->kernel, layout);
    }
    return status;
}

tulle_status tool_run_product(tulle_ctx *ctx, tulle_mat *A, const tool_product *product,
                              tool_product_result *result) {
    vectors v = {0};
    tool_layout layout;
    tulle_mat *B = NULL;
    *result = (tool_product_result){.error = {.row = -1}};
    tulle_status status = layout_of(ctx, product, &layout);
    if (status == TULLE_OK) status = tool_layout_apply(ctx, A, &layout, &B, &result->convert_ms);
    if (status == TULLE_OK) status = run(ctx, A, B, product, &v, result);
    tulle_mat_destroy(B);
    destroy(&v);
    if (status != TULLE_OK) tool_explanation_free(&result->explanation);
    return status;
}
