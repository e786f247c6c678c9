/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/stage.h"

#include "core/stopwatch.h"
#include "format/stats.h"
#include "matrix/marks.h"

tulle__spgemm_run tulle__spgemm_start(const char *function, tulle_ctx *ctx, tulle_type type,
                                      tulle_scalar alpha, const tulle_spgemm_options *options,
                                      int stages) {
    tulle__spgemm_run run = {
        .ctx = ctx,
        .function = function,
        .asked = {options->index_given, options->index},
        .D = options->D,
        .beta = options->beta,
        .mask = options->mask,
        .stages = stages,
        .what = "multiplying",
        .end = (double)stages * TULLE__SPGEMM_PHASES,
        .task = {.place = &ctx->place, .device = &ctx->info, .type = type, .alpha = alpha}};
    run.task.unsorted = options->unsorted && !options->D;
    return run;
}

static tulle_status around_last(const tulle__spgemm_run *run, tulle__draft *draft, tulle_mat **C) {
    return tulle__result_finish(draft, run->asked, !run->task.unsorted, C);
}

/* Makes a matrix of an operand's arrays; the next product needs no other statistics than that
 * its columns rise. */
static tulle_status around_operand(tulle__draft *draft, tulle_mat **C) {
    const tulle__stats rising = tulle__stats_start();
    return tulle__draft_finish(draft, &rising, C);
}

/* Makes the matrix C of the arrays, which are then the matrix's or freed. */
static tulle_status around(const tulle__spgemm_run *run, bool last, tulle_mat **C) {
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
    return last ? around_last(run, &draft, C) : around_operand(&draft, C);
}

static void raise_to(double *most, double bytes) {
    if (*most < bytes) *most = bytes;
}

/* Bytes at the end of a C of so many bytes: marks, statistics, and C once more in the index type
 * that was asked for; and the excess of blocks that stages before have left in the pool. */
static double finish_bytes(const tulle__spgemm_run *run, double c, size_t kept) {
    const tulle__spgemm_task *task = &run->task;
    double bytes = run->ctx->kind == TULLE_CPU ? 0 : 65536.0 + c / 8 + (double)task->a.rows;
    if (run->asked.given && run->asked.index != task->c.index) bytes += 2 * c;
    if (kept > run->kept) bytes += (double)(kept - run->kept);
    return bytes;
}

/* Bounds the memory of a stage: brought operands, the kernel's own, and that at C's end. */
void tulle__spgemm_bound_stage(tulle__spgemm_run *run, size_t kept) {
    const tulle__spgemm_task *task = &run->task;
    const double operands = (double)(run->operands - run->before);
    const double most = (double)task->bound_bytes;
    const double c = (double)tulle__spgemm_c_bytes(task, task->c.nnz);
    const double high = (double)(run->high - run->before);
    raise_to(&run->bound, operands + most + finish_bytes(run, most, kept));
    raise_to(&run->bound, high);
    raise_to(&run->predicted, (double)(run->at_counted - run->before));
    raise_to(&run->predicted, operands + (double)run->c_blocks + finish_bytes(run, c, kept));
    raise_to(&run->predicted, high);
}

static tulle_status make_arrays(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                tulle_index least, size_t kept) {
    tulle__spgemm_operands operands;
    tulle__spgemm_begin_stage(run);
    TULLE__TRY(
        tulle__spgemm_bring(run->ctx, c->op_A, c->op_B, c->A, c->B, run->mask, least, &operands));
    tulle_memory_usage usage = tulle__pool_usage(&run->ctx->pool);
    run->operands = usage.in_use;
    run->high = usage.high;
    tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_OPERANDS);
    if (status == TULLE_OK) status = tulle__spgemm_run_on(run, &operands);
    tulle__spgemm_let_go(&operands);
    TULLE__TRY(status);
    run->multiplications += run->task.multiplications;
    tulle__spgemm_bound_stage(run, kept);
    return TULLE_OK;
}

tulle_status tulle__spgemm_stage(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, bool last, tulle_mat **C) {
    TULLE__TRY(make_arrays(run, c, least, tulle__pool_usage(&run->ctx->pool).pooled));
    TULLE__TRY(around(run, last, C));
    tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_FINISH);
    run->stage++;
    if (status == TULLE_OK) return TULLE_OK;
    tulle_mat_destroy(*C);
    *C = NULL;
    return status;
}

double tulle__spgemm_most(const tulle__spgemm_run *run) {
    return tulle__spgemm_most_of(&run->task, run->task.multiplications);
}

/* Bytes of the last product of a run, with so many entries: its arrays, and on a GPU the marks
 * that its pattern keeps, of which the smallest has one, too. */
static double bytes_of(const tulle__spgemm_run *run, double nnz) {
    const tulle__spgemm_task *task = &run->task;
    const double rows = (double)task->a.rows;
    const int64_t entry = tulle_index_size(task->c.index) + tulle_type_size(task->type);
    const double marks = run->ctx->kind == TULLE_CPU ? 0 : (rows + nnz) / TULLE__MARK_STEP + 2;
    return nnz * (double)entry + (rows + 1 + marks) * (double)sizeof(int64_t);
}

tulle__plus tulle__spgemm_sum_of(const tulle__spgemm_run *run, const tulle_mat *product) {
    const double most = tulle__spgemm_most(run);
    const int64_t counted = most < 9e18 ? (int64_t)most : INT64_MAX;
    return (tulle__plus){.function = run->function,
                         .A = product,
                         .B = run->D,
                         .beta = run->beta,
                         .asked = run->asked,
                         .least = tulle__result_index(run->task.index, run->asked, 0),
                         .index = tulle__result_index(run->task.index, run->asked, counted),
                         .most = most};
}

void tulle__spgemm_bound_sum(tulle__spgemm_run *run, double most, double sum, size_t kept) {
    const double more = kept > run->kept ? (double)(kept - run->kept) : 0;
    raise_to(&run->bound, bytes_of(run, most) + sum + more);
}

static tulle_status plus(tulle__spgemm_run *run, const tulle_mat *product, tulle_mat **C) {
    tulle__plus sum = tulle__spgemm_sum_of(run, product);
    size_t kept = tulle__pool_usage(&run->ctx->pool).pooled;
    double start = tulle__seconds();
    TULLE__TRY(tulle__plus_make(run->ctx, &sum, C));
    run->add_ms = (tulle__seconds() - start) * 1e3;
    const double more = kept > run->kept ? (double)(kept - run->kept) : 0;
    tulle__spgemm_bound_sum(run, sum.most, sum.bound, kept);
    raise_to(&run->predicted, bytes_of(run, (double)run->task.c.nnz) + sum.predicted + more);
    return TULLE_OK;
}

tulle_status tulle__spgemm_plus(tulle__spgemm_run *run, tulle_mat *product, tulle_mat **C) {
    if (!run->D) {
        *C = product;
        return TULLE_OK;
    }
    tulle_status status = plus(run, product, C);
    tulle_mat_destroy(product);
    return status;
}

int64_t tulle__spgemm_within_cap(const tulle__spgemm_run *run, double bytes) {
    const size_t cap = run->ctx->pool.cap;
    if (cap > 0 && bytes > (double)(cap - run->before)) return (int64_t)(cap - run->before);
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

static void fill_report(const tulle__spgemm_run *run, const tulle_mat *C, size_t high,
                        tulle_spgemm_report *report) {
    const double *ms = run->phase_ms;
    *report =
        (tulle_spgemm_report){.kernel = run->spec.kernel->name,
                              .products = run->multiplications,
                              .nnz = C->pattern->nnz,
                              .pieces = run->pieces,
                              .bound_bytes = tulle__spgemm_within_cap(run, run->bound),
                              .predicted_bytes = tulle__spgemm_within_cap(run, run->predicted),
                              .peak_bytes = (int64_t)(high - run->before),
                              .operands_ms = ms[TULLE__SPGEMM_OPERANDS],
                              .analysis_ms = ms[TULLE__SPGEMM_ANALYSIS],
                              .count_ms = ms[TULLE__SPGEMM_COUNT],
                              .allocate_ms = ms[TULLE__SPGEMM_ALLOCATE],
                              .compute_ms = ms[TULLE__SPGEMM_COMPUTE],
                              .finish_ms = ms[TULLE__SPGEMM_FINISH],
                              .add_ms = run->add_ms};
    tulle__params_text(&run->spec, report->params, sizeof report->params);
}

tulle_status tulle__spgemm_call_by(tulle__spgemm_way *way, tulle__spgemm_run *run,
                                   const tulle__spgemm_call *c, tulle_spgemm_report *report,
                                   tulle_mat **C) {
    if (!report) return way(run, c, C);
    double ms[TULLE__SPGEMM_PHASES] = {0};
    tulle__pool *pool = &run->ctx->pool;
    tulle_memory_usage before = tulle__pool_usage(pool);
    tulle__pool_reset_high(pool);
    double start = tulle__seconds();
    run->before = before.in_use;
    run->kept = before.pooled;
    run->phase_ms = ms;
    run->since = start;
    tulle_status status = way(run, c, C);
    double total = (tulle__seconds() - start) * 1e3;
    size_t high = tulle__pool_usage(pool).high;
    tulle__pool_raise_high(pool, before.high);
    TULLE__TRY(status);
    fill_report(run, *C, high, report);
    report->total_ms = total;
    return TULLE_OK;
}
