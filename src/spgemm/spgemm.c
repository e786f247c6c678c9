/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/spgemm.h"

#include "core/stopwatch.h"
#include "matrix/reformat.h"
#include "spgemm/product.h"

typedef struct call {
    const char *function;
    tulle_trans op_A, op_B;
    const tulle_mat *A, *B;
    const tulle_spgemm_options *options;
} call;

static int64_t rows_of(tulle_trans op, const tulle_mat *A) {
    return op == TULLE_N ? A->pattern->rows : A->pattern->cols;
}

static int64_t cols_of(tulle_trans op, const tulle_mat *A) {
    return op == TULLE_N ? A->pattern->cols : A->pattern->rows;
}

static tulle_status check_op(const char *function, const char *name, tulle_trans op) {
    if (op == TULLE_N || op == TULLE_T) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1, "%s is TULLE_N or TULLE_T",
                       name);
}

static tulle_status check(const tulle_ctx *ctx, const call *c) {
    TULLE__TRY(check_op(c->function, "op_A", c->op_A));
    TULLE__TRY(check_op(c->function, "op_B", c->op_B));
    TULLE__TRY(tulle__check_space(c->function, ctx, c->A));
    TULLE__TRY(tulle__check_space(c->function, ctx, c->B));
    if (c->A->type != c->B->type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, c->function, "B", -1,
                           "A and B have different value types");
    }
    int64_t inner = cols_of(c->op_A, c->A), rows = rows_of(c->op_B, c->B);
    if (inner != rows) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, c->function, "B", -1,
                           "op(A) has %lld columns and op(B) %lld rows", (long long)inner,
                           (long long)rows);
    }
    if (!c->options->index_given) return TULLE_OK;
    TULLE__TRY(tulle__check_index(c->function, c->options->index));
    return tulle__check_sizes(c->function, rows_of(c->op_A, c->A), cols_of(c->op_B, c->B), 0,
                              c->options->index);
}

/* What is wider than A and B is so from the start; what is narrower becomes so at the end. */
static tulle_index at_least(const tulle_spgemm_options *options) {
    return options->index_given ? options->index : TULLE_I32;
}

/* C around the arrays, which are the matrix's or freed. */
static tulle_status around(tulle__spgemm_run *run, tulle_mat **C) {
    const tulle__spgemm_task *task = &run->task;
    tulle__draft draft = {.ctx = run->ctx,
                          .rows = task->a.rows,
                          .cols = task->b.cols,
                          .nnz = task->c.nnz,
                          .format = TULLE_CSR,
                          .index = task->c.index,
                          .type = task->type,
                          .storage = {.stored = task->c.nnz},
                          .arrays = {.offsets = task->c.offsets, .cols_of = task->c.cols_of},
                          .values = task->c.values};
    tulle__stats stats;
    if (task->unsorted) return tulle__draft_finish(&draft, NULL, C);
    tulle__pattern_view view = tulle__draft_view(&draft);
    tulle_status status = run->ctx->backend->matrix->rising_stats(&run->ctx->place, &view, &stats);
    if (status == TULLE_OK) return tulle__draft_finish(&draft, &stats, C);
    tulle__draft_free(&draft);
    return status;
}

static tulle_status narrow(tulle__spgemm_run *run, tulle_mat **C) {
    const tulle_spgemm_options *options = run->options;
    if (!options->index_given || (*C)->pattern->index == options->index) return TULLE_OK;
    tulle_mat *wide = *C;
    *C = NULL;
    tulle_status status = tulle__as_csr(run->ctx, wide, options->index, false, C);
    tulle_mat_destroy(wide);
    return status;
}

static tulle_status multiply(tulle__spgemm_run *run, const call *c, tulle__spec *spec,
                             tulle_mat **C) {
    tulle__spgemm_operands operands;
    TULLE__TRY(tulle__spgemm_bring(run->ctx, c->op_A, c->op_B, c->A, c->B, at_least(c->options),
                                   &operands));
    tulle_memory_usage usage = tulle__pool_usage(&run->ctx->pool);
    run->operands = usage.in_use;
    run->high = usage.high;
    tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_OPERANDS);
    if (status == TULLE_OK) status = tulle__spgemm_product(run, &operands, spec);
    tulle__spgemm_let_go(&operands);
    TULLE__TRY(status);
    TULLE__TRY(around(run, C));
    status = narrow(run, C);
    if (status == TULLE_OK) status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_FINISH);
    if (status == TULLE_OK) return TULLE_OK;
    tulle_mat_destroy(*C);
    *C = NULL;
    return status;
}

/* Given how much was in use before the call: what it brought, the kernel's own, and what is made
 * for C at its end: marks, statistics, and C once more in the index type that was asked for. */
static int64_t bound_of(const tulle__spgemm_run *run, size_t before) {
    const tulle__spgemm_task *task = &run->task;
    double c = (double)task->bound_bytes, rows = (double)task->a.rows;
    double finish = run->ctx->kind == TULLE_CPU ? 0 : 65536.0 + c / 8 + rows;
    if (run->options->index_given && run->options->index != task->c.index) finish += 2 * c;
    double all = (double)(run->operands - before) + c + finish;
    if (all < (double)(run->high - before)) all = (double)(run->high - before);
    return all < 9e18 ? (int64_t)all : INT64_MAX;
}

/* The product, and what the report says of memory and time. */
static tulle_status measure(tulle__spgemm_run *run, const call *c, tulle_spgemm_report *report,
                            tulle_mat **C) {
    double ms[TULLE__SPGEMM_PHASES] = {0};
    tulle__pool *pool = &run->ctx->pool;
    tulle_memory_usage before = tulle__pool_usage(pool);
    tulle__spec spec;
    tulle__pool_reset_high(pool);
    double start = tulle__seconds();
    run->phase_ms = ms;
    run->since = start;
    tulle_status status = multiply(run, c, &spec, C);
    double total = (tulle__seconds() - start) * 1e3;
    size_t high = tulle__pool_usage(pool).high;
    tulle__pool_raise_high(pool, before.high);
    TULLE__TRY(status);
    *report = (tulle_spgemm_report){.kernel = spec.kernel->name,
                                    .products = run->task.products,
                                    .nnz = run->task.c.nnz,
                                    .bound_bytes = bound_of(run, before.in_use),
                                    .peak_bytes = (int64_t)(high - before.in_use),
                                    .operands_ms = ms[TULLE__SPGEMM_OPERANDS],
                                    .analysis_ms = ms[TULLE__SPGEMM_ANALYSIS],
                                    .count_ms = ms[TULLE__SPGEMM_COUNT],
                                    .allocate_ms = ms[TULLE__SPGEMM_ALLOCATE],
                                    .compute_ms = ms[TULLE__SPGEMM_COMPUTE],
                                    .finish_ms = ms[TULLE__SPGEMM_FINISH],
                                    .total_ms = total};
    tulle__params_text(&spec, report->params, sizeof report->params);
    return TULLE_OK;
}

tulle_status tulle_spgemm(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, tulle_scalar alpha,
                          const tulle_mat *A, const tulle_mat *B,
                          const tulle_spgemm_options *options, tulle_spgemm_report *report,
                          tulle_mat **C) {
    static const tulle_spgemm_options defaults = {0};
    TULLE__NEED(C);
    *C = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    call c = {.function = __func__,
              .op_A = op_A,
              .op_B = op_B,
              .A = A,
              .B = B,
              .options = options ? options : &defaults};
    TULLE__TRY(check(ctx, &c));
    TULLE__TRY(tulle__check_aligned(__func__, "alpha", alpha.address, tulle_type_size(A->type)));
    tulle__spgemm_run run = {
        .ctx = ctx,
        .function = __func__,
        .options = c.options,
        .task = {.place = &ctx->place, .device = &ctx->info, .type = A->type, .alpha = alpha}};
    run.task.unsorted = c.options->unsorted;
    tulle__spec spec;
    return report ? measure(&run, &c, report, C) : multiply(&run, &c, &spec, C);
}
