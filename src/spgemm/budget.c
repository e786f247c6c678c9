/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/budget.h"

#include <math.h>

#include "core/pool_forecast.h"
#include "matrix/marks.h"
#include "spgemm/product.h"

static void raise_to(double *most, double bytes) {
    if (*most < bytes) *most = bytes;
}

static tulle_index index_of_c(const tulle__spgemm_run *run, int64_t nnz) {
    return tulle__result_index(run->task.index, run->asked, nnz);
}

/* C's arrays, in the order in which they get memory. */
enum { ARRAYS_OF_C = 3 };
static void sizes_of_c(const tulle__spgemm_run *run, int64_t nnz, size_t bytes[ARRAYS_OF_C]) {
    const tulle_index index = index_of_c(run, nnz);
    bytes[0] = (size_t)((run->task.a.rows + 1) * tulle_offset_size(index));
    bytes[1] = (size_t)(nnz * tulle_index_size(index));
    bytes[2] = (size_t)(nnz * tulle_type_size(run->task.type));
}

/* Lists the requests for C's arrays, in bytes, in that order. */
static void requests_for_c(const tulle__spgemm_run *run, int64_t nnz, size_t bytes[ARRAYS_OF_C]) {
    sizes_of_c(run, nnz, bytes);
    const size_t all = tulle__together(run->ctx, bytes, ARRAYS_OF_C);
    if (all == 0) return;
    bytes[0] = all;
    for (int k = 1; k < ARRAYS_OF_C; k++) bytes[k] = 0;
}

/* Bytes of the arrays of a C of so many rows and entries, of this index type. */
static double arrays_of_c(const tulle__spgemm_run *run, tulle_index index, double rows,
                          double nnz) {
    enum { PARTS = 3 * 256 }; /* bytes by which a GPU rounds up arrays that share a block */
    const int64_t entry = tulle_index_size(index) + tulle_type_size(run->task.type);
    return nnz * (double)entry + (rows + 1) * (double)tulle_offset_size(index) +
           (run->ctx->pool.keeps ? PARTS : 0);
}

/* Bytes that the statistics of a C of so many bytes and rows take. */
static double statistics_bytes(const tulle__spgemm_run *run, double c, double rows) {
    return run->ctx->kind == TULLE_CPU ? 0 : 65536.0 + c / 8 + rows;
}

/* Bytes beside a C of so many rows and entries, of this index type, that are held while the matrix
 * C is made of its arrays and gets statistics, the index type that was asked for, and its old
 * indices. */
static double finishing(const tulle__spgemm_run *run, tulle_index index, double rows, double nnz) {
    const double c = arrays_of_c(run, index, rows, nnz);
    const double statistics = statistics_bytes(run, c, rows);
    const bool again = run->asked.given && run->asked.index != index;
    return statistics + (again ? c + statistics : 0) +
           (run->after ? tulle__renumber_back_bytes(run->after, index, nnz) : 0);
}

/* Bytes that the pool keeps beyond those that it kept before the call. */
static double excess(const tulle__spgemm_budget *b, size_t kept) {
    return kept > b->call.kept ? (double)(kept - b->call.kept) : 0;
}

/* Bytes at the end of a C of so many bytes: marks, statistics, and C once more in the index type
 * that was asked for; and the excess of blocks that stages before have left in the pool. */
static double finish_bytes(const tulle__spgemm_run *run, double c) {
    const tulle__spgemm_task *task = &run->task;
    double bytes = statistics_bytes(run, c, (double)task->a.rows);
    if (run->asked.given && run->asked.index != task->c.index) bytes += 2 * c;
    return bytes + excess(&run->budget, run->budget.stage_kept);
}

/* Bytes of the last product of a run, with so many entries: its arrays, and on a GPU the marks
 * that its pattern keeps, of which the smallest has one, too. */
static double product_bytes(const tulle__spgemm_run *run, double nnz) {
    const tulle__spgemm_task *task = &run->task;
    const double rows = (double)task->a.rows;
    const int64_t entry = tulle_index_size(task->c.index) + tulle_type_size(task->type);
    const double marks = run->ctx->kind == TULLE_CPU ? 0 : (rows + nnz) / TULLE__MARK_STEP + 2;
    return nnz * (double)entry + (rows + 1 + marks) * (double)sizeof(int64_t);
}

void tulle__spgemm_measure_open(tulle_ctx *ctx, tulle__spgemm_measure *measure) {
    const tulle_memory_usage usage = tulle__pool_usage(&ctx->pool);
    tulle__pool_reset_high(&ctx->pool);
    *measure =
        (tulle__spgemm_measure){.before = usage.in_use, .kept = usage.pooled, .high = usage.high};
}

void tulle__spgemm_measure_close(tulle_ctx *ctx, tulle__spgemm_measure *measure) {
    measure->peak = tulle__pool_usage(&ctx->pool).high - measure->before;
    tulle__pool_raise_high(&ctx->pool, measure->high);
}

void tulle__spgemm_budget_open(tulle__spgemm_run *run) {
    tulle__spgemm_measure_open(run->ctx, &run->budget.call);
}

void tulle__spgemm_budget_close(tulle__spgemm_run *run) {
    tulle__spgemm_measure_close(run->ctx, &run->budget.call);
}

/* The bytes that a call may have needed, but no more than the context's cap. */
static int64_t within_cap(const tulle__spgemm_run *run, double bytes) {
    const size_t cap = run->ctx->pool.cap, before = run->budget.call.before;
    if (cap > 0 && bytes > (double)(cap - before)) return (int64_t)(cap - before);
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

void tulle__spgemm_budget_report(const tulle__spgemm_run *run, tulle_spgemm_report *report) {
    report->bound_bytes = within_cap(run, run->budget.bound);
    report->predicted_bytes = within_cap(run, run->budget.predicted);
    report->peak_bytes = (int64_t)run->budget.call.peak;
}

int64_t tulle__spgemm_budget_bound(const tulle__spgemm_run *run, bool known) {
    return within_cap(run, known ? run->budget.bound : HUGE_VAL);
}

void tulle__spgemm_budget_begin(tulle__spgemm_run *run) {
    const tulle_memory_usage usage = tulle__pool_usage(&run->ctx->pool);
    run->budget.stage_use = usage.in_use;
    run->budget.stage_kept = usage.pooled;
}

void tulle__spgemm_budget_brought(tulle__spgemm_run *run) {
    const tulle_memory_usage usage = tulle__pool_usage(&run->ctx->pool);
    run->budget.operands = usage.in_use;
    run->budget.high = usage.high;
}

void tulle__spgemm_budget_prepare(tulle__spgemm_run *run) {
    tulle__spgemm_task *task = &run->task;
    task->lean = run->budget.lean;
    task->no_pieces = false;
    for (int k = 0; k < TULLE__SPGEMM_LATER; k++) task->later_bytes[k] = 0;
    run->budget.stage_suffices = 0;
    run->budget.refused = false;
}

void tulle__spgemm_budget_analysed(tulle__spgemm_run *run) {
    const tulle__spgemm_task *task = &run->task;
    const double most = tulle__spgemm_most_of(task, task->multiplications);
    const tulle_index index = index_of_c(run, most < 9e18 ? (int64_t)most : INT64_MAX);
    run->budget.stage_suffices = (double)run->budget.operands + (double)task->bound_bytes +
                                 finishing(run, index, (double)task->a.rows, most);
}

/* The kernel has held some memory by now, and will hold more, in the blocks that it will get. */
void tulle__spgemm_budget_counted(tulle__spgemm_run *run, int64_t nnz) {
    tulle__spgemm_budget *b = &run->budget;
    const tulle_memory_usage usage = tulle__pool_usage(&run->ctx->pool);
    size_t bytes[ARRAYS_OF_C + TULLE__SPGEMM_LATER];
    requests_for_c(run, nnz, bytes);
    b->c_blocks = tulle__pool_forecast(&run->ctx->pool, bytes, ARRAYS_OF_C) - usage.in_use;
    for (int k = 0; k < TULLE__SPGEMM_LATER; k++) bytes[ARRAYS_OF_C + k] = run->task.later_bytes[k];
    b->at_counted = tulle__pool_forecast(&run->ctx->pool, bytes, ARRAYS_OF_C + TULLE__SPGEMM_LATER);
    if (b->at_counted < usage.high) b->at_counted = usage.high;
}

/* The memory of a stage is that of brought operands, of the kernel, and that at C's end. */
void tulle__spgemm_budget_bound_stage(tulle__spgemm_run *run) {
    tulle__spgemm_budget *b = &run->budget;
    const double operands = (double)(b->operands - b->call.before);
    const double most = (double)run->task.bound_bytes;
    const double high = (double)(b->high - b->call.before);
    size_t sizes[ARRAYS_OF_C];
    sizes_of_c(run, run->task.c.nnz, sizes);
    const double c = (double)(int64_t)(sizes[0] + sizes[1] + sizes[2]);
    raise_to(&b->bound, operands + most + finish_bytes(run, most));
    raise_to(&b->bound, high);
    raise_to(&b->predicted, (double)(b->at_counted - b->call.before));
    raise_to(&b->predicted, operands + (double)b->c_blocks + finish_bytes(run, c));
    raise_to(&b->predicted, high);
}

/* Bytes by which blocks of a pool that keeps freed ones are larger than the last product that is in
 * them. */
static double product_excess(const tulle__spgemm_run *run) {
    const tulle__spgemm_budget *b = &run->budget;
    const double held = (double)b->stage_use - (double)b->call.before;
    const double more = held - product_bytes(run, (double)run->task.c.nnz);
    return run->ctx->pool.keeps && more > 0 ? more : 0;
}

void tulle__spgemm_budget_bound_sum(tulle__spgemm_run *run, const tulle__plus *sum) {
    tulle__spgemm_budget *b = &run->budget;
    const double nnz = (double)run->task.c.nnz;
    const double more = excess(b, b->stage_kept) + product_excess(run);
    raise_to(&b->bound, product_bytes(run, sum->most) + sum->bound + more);
    raise_to(&b->predicted, product_bytes(run, nnz) + sum->predicted + more);
}

void tulle__spgemm_budget_foresee_sum(tulle__spgemm_run *run, const tulle__plus *sum) {
    tulle__spgemm_budget *b = &run->budget;
    size_t kept = b->stage_kept;
    if (run->ctx->pool.keeps) kept = b->bound < 9e18 ? kept + (size_t)b->bound : SIZE_MAX;
    raise_to(&b->bound, product_bytes(run, sum->most) + sum->bound + excess(b, kept));
}

void tulle__spgemm_budget_begin_pieces(tulle__spgemm_run *run) {
    run->budget.refused = false;
    run->budget.later = 0;
    run->task.lean = true;
}

void tulle__spgemm_budget_end_pieces(tulle__spgemm_run *run) {
    run->task.bound_bytes = INT64_MAX;
    run->budget.at_counted = run->ctx->pool.cap;
}

void tulle__spgemm_budget_piece_counted(tulle__spgemm_run *run) {
    size_t later = 0;
    for (int k = 0; k < TULLE__SPGEMM_LATER; k++) later += run->task.later_bytes[k];
    if (run->budget.later < later) run->budget.later = later;
}

/* Learns that a cap of so many bytes suffices for the product. Memory that follows, when the
 * operands may still be there, is added. */
static void learn(tulle__spgemm_run *run, double bytes, int64_t nnz) {
    tulle__spgemm_budget *b = &run->budget;
    const double rows = (double)run->task.a.rows, entries = (double)nnz;
    const tulle_index index = index_of_c(run, nnz);
    const double finished = (double)tulle__pool_usage(&run->ctx->pool).in_use +
                            arrays_of_c(run, index, rows, entries) +
                            finishing(run, index, rows, entries);
    if (bytes < finished) bytes = finished;
    if (b->stage_suffices <= 0 || bytes < b->stage_suffices) b->stage_suffices = bytes;
}

void tulle__spgemm_budget_whole_counted(tulle__spgemm_run *run, int64_t nnz) {
    learn(run, (double)run->budget.at_counted, nnz);
}

/* Under a cap that is larger than the context's by C and by scratch beside it, pieces have as much
 * room beside C as those had that were counted without it. */
static double beside_c(const tulle__spgemm_run *run, int64_t nnz) {
    return (double)run->ctx->pool.cap + (double)run->budget.later +
           arrays_of_c(run, index_of_c(run, nnz), (double)run->task.a.rows, (double)nnz);
}

void tulle__spgemm_budget_pieces_counted(tulle__spgemm_run *run, int64_t nnz) {
    learn(run, beside_c(run, nnz), nnz);
}

void tulle__spgemm_budget_begin_groups(tulle__spgemm_run *run) {
    run->budget.lean = true;
    run->budget.bound = run->budget.predicted = HUGE_VAL;
}

/* Under a cap that is larger by C, groups have as much room beside it as those had that were
 * counted without it. Memory after C's groups is added. */
void tulle__spgemm_budget_groups_counted(tulle__spgemm_run *run, int64_t rows, int64_t nnz) {
    const tulle_index index = index_of_c(run, nnz);
    const double c = arrays_of_c(run, index, (double)rows, (double)nnz);
    const double held = (double)tulle__pool_usage(&run->ctx->pool).in_use;
    const double finished = held + finishing(run, index, (double)rows, (double)nnz);
    const double cap = (double)run->ctx->pool.cap;
    run->budget.call_suffices = c + (cap > finished ? cap : finished);
}
