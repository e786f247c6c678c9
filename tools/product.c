/* SPDX-License-Identifier: Apache-2.0 */
#include "product.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "kernel_name.h"
#include "progress.h"
#include "timing.h"
#include "vector_file.h"

/* The two vectors on the place, and on the host what they start with and what y becomes. */
typedef struct vectors {
    tulle_dense *x, *y;
    int64_t x_length, y_length;
    tulle_type type;
    void *x_host, *y_start, *y_end;
} vectors;

static tulle_status create(tulle_ctx *ctx, const tulle_mat_info *info, tulle_trans op, vectors *v) {
    size_t size = (size_t)tulle_type_size(info->type);
    v->type = info->type;
    v->x_length = op == TULLE_N ? info->cols : info->rows;
    v->y_length = op == TULLE_N ? info->rows : info->cols;
    v->x_host = tool_alloc((size_t)v->x_length, size);
    v->y_start = tool_alloc((size_t)v->y_length, size);
    v->y_end = tool_alloc((size_t)v->y_length, size);
    tulle_status status = tulle_vec_create(ctx, info->type, v->x_length, &v->x);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, info->type, v->y_length, &v->y);
    return status;
}

static void destroy(vectors *v) {
    tulle_dense_destroy(v->x);
    tulle_dense_destroy(v->y);
    free(v->x_host);
    free(v->y_start);
    free(v->y_end);
}

/* Fills a vector from "ones", "random" or a file, on the place and on the host. */
static tulle_status fill(tulle_ctx *ctx, const char *from, tulle_type type, uint64_t seed,
                         tulle_dense *vector, int64_t length, void *host) {
    tulle_status status = TULLE_OK;
    if (strcmp(from, "ones") == 0) {
        status = tulle_dense_fill(ctx, vector, 1);
    } else if (strcmp(from, "random") == 0) {
        status = tulle_dense_random(ctx, vector, seed);
    } else {
        status = tool_load_vector(from, type, length, host);
        return status == TULLE_OK ? tulle_dense_write(ctx, vector, host, 0) : status;
    }
    return status == TULLE_OK ? tulle_dense_read(ctx, vector, host, 0) : status;
}

/* A plan keeps its kernel; without one the kernel is forced. */
static tulle_status prepare(tulle_ctx *ctx, tulle_mat *A, const tool_product *p,
                            tool_product_result *result) {
    char spec[TOOL_KERNEL_SPEC];
    tulle_device_info device;
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status != TULLE_OK) return status;
    if (p->kernel) tool_kernel_spec(device.backend, p->kernel, spec);
    if (p->plan) {
        double start = tool_now();
        status = tulle_mat_plan(ctx, A, p->op, p->kernel ? spec : NULL);
        result->plan_ms = 1e3 * (tool_now() - start);
    } else if (p->kernel) {
        status = tulle_ctx_force_kernel(ctx, spec);
    }
    if (status == TULLE_OK) {
        status = tulle_spmv_choice(ctx, p->op, A, p->beta == 0, &result->choice);
    }
    if (status == TULLE_OK && p->explain) {
        status = tool_explain(ctx, p->op, A, &result->explanation);
    }
    return status;
}

static tulle_status multiply(tulle_ctx *ctx, const tulle_mat *A, const tool_product *p,
                             vectors *v) {
    return tulle_spmv(ctx, p->op, tulle_num(p->alpha), A, v->x, tulle_num(p->beta), v->y);
}

static tulle_status check(tulle_ctx *ctx, const tulle_mat *A, const tool_product *p, vectors *v,
                          tool_product_result *result) {
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) {
        status = tool_verify_spmv(&csr, p->op, p->alpha, v->x_host, p->beta, v->y_start, v->y_end,
                                  &result->error);
    }
    tool_csr_close(&csr);
    tool_progress_end();
    return status;
}

static tulle_status compute(tulle_ctx *ctx, tulle_mat *A, const tool_product *p, vectors *v) {
    tulle_status status = fill(ctx, p->x, v->type, p->seed, v->x, v->x_length, v->x_host);
    if (status == TULLE_OK && p->beta != 0) {
        status = fill(ctx, p->y, v->type, p->seed + 1, v->y, v->y_length, v->y_start);
    }
    if (status == TULLE_OK) status = multiply(ctx, A, p, v);
    if (status == TULLE_OK) status = tulle_dense_read(ctx, v->y, v->y_end, 0);
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
    if (status == TULLE_OK) status = create(ctx, &result->info, p->op, v);
    if (status == TULLE_OK) status = prepare(ctx, A, p, result);
    if (status == TULLE_OK) status = compute(ctx, A, p, v);
    if (status == TULLE_OK) status = check(ctx, csr, p, v, result);
    if (status == TULLE_OK && p->output) {
        status = tool_save_vector(p->output, v->type, v->y_length, v->y_end);
    }
    if (status != TULLE_OK || p->repeat == 0) return status;
    tool_timing timing;
    status = tool_time(ctx, (int)p->repeat, run_call, &(call){ctx, A, p, v}, &timing);
    result->ms = timing.median;
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
    *result = (tool_product_result){0};
    tulle_status status = layout_of(ctx, product, &layout);
    if (status == TULLE_OK) status = tool_layout_apply(ctx, A, &layout, &B, &result->convert_ms);
    if (status == TULLE_OK) status = run(ctx, A, B, product, &v, result);
    tulle_mat_destroy(B);
    destroy(&v);
    if (status != TULLE_OK) tool_explanation_free(&result->explanation);
    return status;
}
