/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/add.h"

#include "algebra/functions.h"
#include "algebra/plus.h"
#include "core/options.h"
#include "core/stopwatch.h"
#include "matrix/operand.h"
#include "matrix/renumber.h"
#include "matrix/result.h"
#include "matrix/whole_blocks.h"
#include "tulle/formats.h"

/* One call of tulle_add: the task of the back end, and what the call keeps beside it. */
typedef struct run {
    /* the task; must be the first member, because back ends get its address */
    tulle__add_task task;
    tulle_ctx *ctx;
    const char *function;
    tulle_trans op_A, op_B;
    const tulle_mat *A, *B;
    tulle__asked asked; /* index type of C that the caller asks for */
    int64_t cols;
    tulle_mat *a, *b; /* operands in the form that back ends take; owned */
    /* rows and columns of C's blocks, and of both operands'; 0: C is in CSR */
    int64_t block_rows, block_cols;
    /* pattern of both operands, which C shares; owned; NULL: C has a pattern of its own */
    tulle__pattern *shared;
    /* true when a and b have statistics; then `bandwidth` is the largest distance of an entry from
     * the diagonal */
    bool both_have_stats;
    int64_t bandwidth;
    size_t operands; /* bytes of the context in use once both operands were there */
    size_t high;     /* most bytes in use up to then */
    size_t b_kept;   /* bytes that operand b keeps in use */
    size_t b_high;   /* most bytes that making operand b took */
    /* times of the TULLE__ADD_PHASES phases in milliseconds; NULL: the caller wants no times */
    double *phase_ms;
    double since; /* end of the last phase, in seconds */
} run;

static run *run_of(tulle__add_task *task) {
    return (run *)task;
}

static tulle_status phase_ends(tulle__add_task *task, tulle__add_phase phase) {
    run *r = run_of(task);
    if (r->phase_ms) {
        TULLE__TRY(r->ctx->backend->stream_wait(r->ctx->place.device, r->ctx->place.stream));
        double now = tulle__seconds();
        r->phase_ms[phase] += (now - r->since) * 1e3;
        r->since = now;
    }
    return tulle__progress(r->ctx, "adding", (int64_t)phase + 1, TULLE__ADD_PHASES);
}

static tulle__draft draft_of(run *r) {
    return (tulle__draft){.ctx = r->ctx,
                          .rows = r->task.rows,
                          .cols = r->cols,
                          .nnz = r->task.c.nnz,
                          .format = TULLE_CSR,
                          .index = r->task.c.index,
                          .type = r->task.type,
                          .storage = {.stored = r->task.c.nnz},
                          .arrays = {.offsets = r->task.c.offsets, .cols_of = r->task.c.cols_of},
                          .values = r->task.c.values};
}

/* Returns the pattern of two operands if C can share it, else NULL. Patterns do not change, so C
 * can share the pattern if both operands have the same one, if it is not borrowed, and if it has
 * C's index type. */
static tulle__pattern *pattern_for_c(const run *r, const tulle_mat *a, const tulle_mat *b) {
    tulle__pattern *p = a->pattern;
    const bool borrowed =
        p->offsets.ownership == TULLE_BORROW || p->cols_of.ownership == TULLE_BORROW;
    const bool fits = !r->asked.given || r->asked.index == p->index;
    return p == b->pattern && p->ctx == r->ctx && !borrowed && fits ? p : NULL;
}

/* Adds the values of operands with one pattern. */
static tulle_status add_values(run *r) {
    tulle__add_task *task = &r->task;
    size_t bytes;
    task->c = (tulle__sum){.nnz = task->a.nnz, .index = task->index};
    TULLE__TRY(phase_ends(task, TULLE__ADD_COUNT));
    TULLE__TRY(tulle__size(task->c.nnz, tulle_type_size(task->type), 0, &bytes));
    TULLE__TRY(tulle__alloc(r->ctx, bytes, &task->c.values));
    TULLE__TRY(phase_ends(task, TULLE__ADD_ALLOCATE));
    TULLE__TRY(r->ctx->backend->algebra->add_values(&r->ctx->place, task));
    return phase_ends(task, TULLE__ADD_COMPUTE);
}

static tulle_status make_c(tulle__add_task *task, int64_t nnz) {
    run *r = run_of(task);
    task->c = (tulle__sum){.nnz = nnz, .index = task->index};
    tulle__draft draft = draft_of(r);
    TULLE__TRY(tulle__result_make(r->function, r->asked, &draft));
    task->c = (tulle__sum){.nnz = nnz,
                           .index = draft.index,
                           .offsets = draft.arrays.offsets,
                           .cols_of = draft.arrays.cols_of,
                           .values = draft.values};
    return phase_ends(task, TULLE__ADD_ALLOCATE);
}

static tulle_status check(const run *r) {
    TULLE__TRY(tulle__check_pair(r->function, r->ctx, r->op_A, r->op_B, r->A, r->B));
    int64_t rows = tulle__op_rows(r->op_A, r->A), cols = tulle__op_cols(r->op_A, r->A);
    int64_t b_rows = tulle__op_rows(r->op_B, r->B), b_cols = tulle__op_cols(r->op_B, r->B);
    if (rows != b_rows || cols != b_cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, r->function, "B", -1,
                           "op(A) is %lld x %lld and op(B) %lld x %lld", (long long)rows,
                           (long long)cols, (long long)b_rows, (long long)b_cols);
    }
    const int64_t size = tulle_type_size(r->A->type);
    TULLE__TRY(tulle__check_aligned(r->function, "alpha", r->task.a.factor.address, size));
    TULLE__TRY(tulle__check_aligned(r->function, "beta", r->task.b.factor.address, size));
    return tulle__asked_check(r->function, r->asked, rows, cols);
}

static tulle_status check_tables(const run *r) {
    TULLE__TRY(tulle__check_rows_fit(r->function, "A", r->ctx, r->op_A, r->A));
    TULLE__TRY(tulle__check_rows_fit(r->function, "B", r->ctx, r->op_B, r->B));
    const tulle_index index = tulle__wider(
        tulle__asked_least(r->asked), tulle__wider(r->A->pattern->index, r->B->pattern->index));
    const bool once = r->A == r->B && r->op_A == r->op_B;
    const int64_t rows = tulle__op_rows(r->op_A, r->A);
    const double bytes = tulle__brought_table(r->op_A, r->A, index) +
                         (once ? 0 : tulle__brought_table(r->op_B, r->B, index)) +
                         ((double)rows + 1) * (double)tulle_offset_size(index);
    return tulle__check_tables_room(r->function, r->ctx, bytes, rows);
}

static tulle_status bring_b(run *r, tulle_index index) {
    tulle__pool *pool = &r->ctx->pool;
    const tulle_memory_usage before = tulle__pool_usage(pool);
    tulle__pool_reset_high(pool);
    tulle_status status = tulle__operand_bring(r->ctx, r->op_B, r->B, index, &r->b);
    if (status == TULLE_OK) status = tulle__operand_raise(r->ctx, &r->b);
    const tulle_memory_usage after = tulle__pool_usage(pool);
    tulle__pool_raise_high(pool, before.high);
    r->b_kept = after.in_use - before.in_use;
    r->b_high = after.high - before.in_use;
    return status;
}

/* True where both operands have the same blocks, so that their values are added as they lie. */
static bool has_same_blocks(const run *r) {
    return r->block_rows > 0 && r->op_A == TULLE_N && r->op_B == TULLE_N &&
           pattern_for_c(r, r->A, r->B);
}

/* Brings both operands into CSR with one index type and ascending columns, unless they have the
 * same blocks. */
static tulle_status bring(run *r) {
    if (has_same_blocks(r)) {
        r->a = tulle_mat_retain((tulle_mat *)r->A);
        r->b = tulle_mat_retain((tulle_mat *)r->B);
        return TULLE_OK;
    }
    tulle_index index = tulle__wider(tulle__asked_least(r->asked),
                                     tulle__wider(r->A->pattern->index, r->B->pattern->index));
    TULLE__TRY(tulle__operand_bring(r->ctx, r->op_A, r->A, index, &r->a));
    TULLE__TRY(tulle__operand_raise(r->ctx, &r->a));
    if (r->A == r->B && r->op_A == r->op_B) {
        r->b = tulle_mat_retain(r->a);
        return TULLE_OK;
    }
    return bring_b(r, index);
}

static void let_go(run *r) {
    tulle_mat_destroy(r->a);
    tulle_mat_destroy(r->b);
}

static tulle__addend addend_of(const tulle_mat *csr, tulle_scalar factor) {
    const tulle__pattern *p = csr->pattern;
    return (tulle__addend){.nnz = p->nnz,
                           .longest = p->stats.max_row,
                           .offsets = p->offsets.data,
                           .cols_of = p->cols_of.data,
                           .values = csr->values.data,
                           .factor = factor};
}

/* On the emulator: lends the caller's scalars, and watches the operands, which no kernel may
 * write. */
static tulle_status watch(const run *r) {
    TULLE__TRY(tulle__scalar_lend(r->ctx, r->task.a.factor, r->task.type));
    TULLE__TRY(tulle__scalar_lend(r->ctx, r->task.b.factor, r->task.type));
    TULLE__TRY(tulle__operand_watch(r->ctx, r->a));
    return tulle__operand_watch(r->ctx, r->b);
}

static void unwatch(const run *r) {
    tulle__operands_unwatch(r->ctx);
    tulle__scalar_give_back(r->ctx, r->task.a.factor);
    tulle__scalar_give_back(r->ctx, r->task.b.factor);
}

/* Computes C's arrays from the operands. */
static tulle_status compute(run *r) {
    tulle__add_task *task = &r->task;
    const bool watched = r->ctx->kind == TULLE_EMULATED;
    task->rows = r->a->pattern->rows;
    task->type = r->a->type;
    task->index = r->a->pattern->index;
    task->a = addend_of(r->a, task->a.factor);
    task->b = addend_of(r->b, task->b.factor);
    task->make_c = make_c;
    task->ends = phase_ends;
    r->shared = pattern_for_c(r, r->a, r->b);
    if (r->shared) tulle__pattern_retain(r->shared);
    tulle_status status = watched ? watch(r) : TULLE_OK;
    if (status == TULLE_OK) {
        status = r->shared ? add_values(r) : r->ctx->backend->algebra->add(&r->ctx->place, task);
    }
    if (watched) unwatch(r);
    if (status != TULLE_OK) {
        tulle__draft draft = draft_of(r);
        tulle__draft_free(&draft);
    }
    return status;
}

/* Returns true when a pattern has statistics, which a product that is not finished lacks. */
static bool has_stats(const tulle__pattern *p) {
    return p->nnz == 0 || p->stats.max_row > 0;
}

/* Makes C with its own pattern. Each entry of C is an entry of an operand, so the operands'
 * bandwidths bound C's. */
static tulle_status around_own(run *r, tulle__draft *draft, tulle_mat **C) {
    if (!r->both_have_stats) return tulle__result_finish(draft, r->asked, true, C);
    return tulle__result_finish_banded(draft, r->asked, r->bandwidth, C);
}

/* Makes C of the computed arrays, which belong to C or are freed afterwards. */
static tulle_status around(run *r, tulle_mat **C) {
    tulle__draft draft = draft_of(r);
    if (!r->shared) return around_own(r, &draft, C);
    const tulle__array own = {.data = draft.values, .ownership = TULLE_COPY};
    tulle_status status = tulle__mat_around(r->ctx, r->shared, r->task.type, &own, C);
    if (status != TULLE_OK) tulle__draft_free(&draft);
    return status;
}

/* Notes the statistics of the operands from which C's follow. */
static void note_stats(run *r) {
    const tulle__pattern *a = r->a->pattern, *b = r->b->pattern;
    r->both_have_stats = has_stats(a) && has_stats(b);
    r->bandwidth = a->stats.bandwidth;
    if (b->stats.bandwidth > r->bandwidth) r->bandwidth = b->stats.bandwidth;
}

/* Lays C out in the operands' blocks, all cells of which are entries of C. */
static tulle_status lay_out(const run *r, tulle_mat **C) {
    const tulle_convert_options blocks = {.block = r->block_rows, .block_cols = r->block_cols};
    tulle_mat *csr = *C;
    *C = NULL;
    const tulle_status status =
        tulle_mat_convert_with(r->ctx, csr, TULLE_BSR, csr->pattern->index, &blocks, C);
    tulle_mat_destroy(csr);
    return status;
}

static tulle_status add(run *r, tulle_mat **C) {
    tulle_status status = bring(r);
    if (status == TULLE_OK) note_stats(r);
    tulle_memory_usage usage = tulle__pool_usage(&r->ctx->pool);
    r->operands = usage.in_use;
    r->high = usage.high;
    if (status == TULLE_OK) status = phase_ends(&r->task, TULLE__ADD_OPERANDS);
    if (status == TULLE_OK) status = compute(r);
    let_go(r);
    if (status == TULLE_OK) status = around(r, C);
    if (status == TULLE_OK && r->block_rows > 0 && !r->shared) status = lay_out(r, C);
    if (r->shared) tulle__pattern_release(r->shared);
    TULLE__TRY(status);
    status = phase_ends(&r->task, TULLE__ADD_FINISH);
    if (status == TULLE_OK) return TULLE_OK;
    tulle_mat_destroy(*C);
    *C = NULL;
    return status;
}

/* Computes the sum, and fills in the report's memory and times. */
static tulle_status measure(run *r, tulle_add_report *report, tulle_mat **C) {
    double ms[TULLE__ADD_PHASES] = {0};
    tulle__pool *pool = &r->ctx->pool;
    tulle_memory_usage before = tulle__pool_usage(pool);
    tulle__pool_reset_high(pool);
    double start = tulle__seconds();
    r->phase_ms = ms;
    r->since = start;
    tulle_status status = add(r, C);
    double total = (tulle__seconds() - start) * 1e3;
    size_t high = tulle__pool_usage(pool).high;
    tulle__pool_raise_high(pool, before.high);
    TULLE__TRY(status);
    const tulle__add_task *task = &r->task;
    *report = (tulle_add_report){.nnz = task->c.nnz,
                                 .both = task->a.nnz + task->b.nnz - task->c.nnz,
                                 .peak_bytes = (int64_t)(high - before.in_use),
                                 .operands_ms = ms[TULLE__ADD_OPERANDS],
                                 .count_ms = ms[TULLE__ADD_COUNT],
                                 .allocate_ms = ms[TULLE__ADD_ALLOCATE],
                                 .compute_ms = ms[TULLE__ADD_COMPUTE],
                                 .finish_ms = ms[TULLE__ADD_FINISH],
                                 .total_ms = total};
    return TULLE_OK;
}

/* The rows and columns of C, and their numbers in each operand. */
enum { OPERANDS = 2 };
typedef struct axes {
    tulle__axis rows, cols;
    tulle__axes_of of[OPERANDS];
} axes;

static bool find_axes(const run *r, axes *x) {
    const bool a = r->op_A == TULLE_T, b = r->op_B == TULLE_T;
    *x = (axes){.of = {{r->A, a ? &x->cols : &x->rows, a ? &x->rows : &x->cols},
                       {r->B, b ? &x->cols : &x->rows, b ? &x->rows : &x->cols}}};
    return tulle__axes_find(x->of, OPERANDS);
}

static tulle_status add_small(run *r, const axes *x, const tulle_add_options *options,
                              tulle_add_report *report, tulle_mat **small) {
    tulle_mat *A = NULL, *B = NULL;
    tulle_status status = tulle__renumber(r->ctx, &x->of[0], &A);
    if (status == TULLE_OK && r->A == r->B && r->op_A == r->op_B) {
        B = tulle_mat_retain(A);
    } else if (status == TULLE_OK) {
        status = tulle__renumber(r->ctx, &x->of[1], &B);
    }
    if (status == TULLE_OK) {
        status = tulle_add(r->ctx, r->op_A, r->op_B, r->task.a.factor, A, r->task.b.factor, B,
                           options, report, small);
    }
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    return status;
}

/* Adds hypersparse operands: their rows and columns with entries are renumbered, and the small
 * matrices added. */
static tulle_status add_renumbered(run *r, axes *x, const tulle_add_options *options,
                                   tulle_add_report *report, tulle_mat **C) {
    tulle__pool *pool = &r->ctx->pool;
    tulle_mat *small = NULL;
    const tulle_memory_usage before = tulle__pool_usage(pool);
    const double start = tulle__seconds();
    tulle__pool_reset_high(pool);
    tulle_status status = tulle__axes_list(r->ctx, x->of, OPERANDS);
    if (status == TULLE_OK) status = add_small(r, x, options, report, &small);
    if (status == TULLE_OK) {
        status = tulle__renumber_back(r->ctx, &x->rows, &x->cols, small, C);
    }
    const size_t high = tulle__pool_usage(pool).high;
    tulle__pool_raise_high(pool, before.high);
    tulle__axes_free(r->ctx, x->of, OPERANDS);
    if (!report || status != TULLE_OK) return status;
    report->peak_bytes = (int64_t)(high - before.in_use);
    report->total_ms = (tulle__seconds() - start) * 1e3;
    return TULLE_OK;
}

/* Finds the blocks of C, where both operands have blocks of one shape. */
static void find_blocks(run *r) {
    if (!tulle__is_whole_blocks(r->A) || !tulle__is_whole_blocks(r->B)) return;
    const int64_t rows = tulle__op_block_rows(r->op_A, r->A);
    const int64_t cols = tulle__op_block_cols(r->op_A, r->A);
    if (rows != tulle__op_block_rows(r->op_B, r->B)) return;
    if (cols != tulle__op_block_cols(r->op_B, r->B) || rows * cols == 1) return;
    r->block_rows = rows;
    r->block_cols = cols;
}

tulle_status tulle_add_sized(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, tulle_scalar alpha,
                             const tulle_mat *A, tulle_scalar beta, const tulle_mat *B,
                             const tulle_add_options *options, size_t options_size,
                             tulle_add_report *report, tulle_mat **C) {
    TULLE__NEED(C);
    *C = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    tulle_add_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    run r = {.task = {.a = {.factor = alpha}, .b = {.factor = beta}},
             .ctx = ctx,
             .function = __func__,
             .op_A = op_A,
             .op_B = op_B,
             .A = A,
             .B = B,
             .asked = {options->index_given, options->index}};
    axes x;
    TULLE__TRY(check(&r));
    if (find_axes(&r, &x)) return add_renumbered(&r, &x, options, report, C);
    TULLE__TRY(check_tables(&r));
    find_blocks(&r);
    r.cols = tulle__op_cols(op_A, A);
    return report ? measure(&r, report, C) : add(&r, C);
}

/* Returns the bytes of a CSR matrix of the operands' index type with so many entries. */
static double csr_bytes(const run *r, double nnz) {
    const tulle__add_task *task = &r->task;
    return nnz * (double)(tulle_index_size(task->index) + tulle_type_size(task->type)) +
           ((double)task->rows + 1) * (double)sizeof(int64_t);
}

/* Returns the bytes in use while a C of so many entries is made: C; the starts of pieces; on a GPU
 * up to 8 bits for each item that is merged, and 16 for the end of a row; statistics and their
 * scratch; and C once more if the caller asks for a narrower index type. */
static double bytes_for(const run *r, double nnz) {
    const tulle__add_task *task = &r->task;
    const double rows = (double)task->rows, items = rows + (double)task->b.nnz + nnz;
    const double c = csr_bytes(r, nnz);
    double bytes = c + items / 64 + 512.0 * r->ctx->place.threads;
    if (r->ctx->kind != TULLE_CPU) bytes += 65536.0 + c / 8 + rows + items + 2 * rows;
    if (r->asked.given && tulle__result_index(task->index, r->asked, 0) != r->asked.index) {
        bytes += c;
    }
    return bytes;
}

/* Returns the bytes of the room for merged rows of operands with so many entries together, or with
 * fewer; of one thread, those of arrays that are too large for C. */
static double most_room(const run *r, double entries) {
    if (r->ctx->kind != TULLE_CPU || r->ctx->pool.cap > 0) return 0;
    const double bytes = tulle__add_room_bytes(&r->task, entries);
    const bool whole = bytes < TULLE__ADD_MOST_ROOM || r->ctx->place.threads == 1;
    return whole ? bytes : TULLE__ADD_MOST_ROOM;
}

/* Returns the bytes of a copy of A, which is made if B's index type is wider. */
static double widened_bytes(const run *r, const tulle__plus *plus) {
    if (tulle__wider(plus->least, plus->B->pattern->index) == plus->least) return 0;
    const double a = csr_bytes(r, plus->most);
    return r->ctx->kind == TULLE_CPU ? a : a + 65536.0 + a / 8 + (double)r->task.rows;
}

static double bound_of(const run *r, const tulle__plus *plus) {
    const double most = plus->most + (double)r->task.b.nnz;
    const double sum = (double)r->b_kept + bytes_for(r, most) + most_room(r, most);
    const double b = (double)r->b_high;
    return widened_bytes(r, plus) + (b > sum ? b : sum);
}

tulle_status tulle__plus_make(tulle_ctx *ctx, tulle__plus *plus, tulle_mat **C) {
    run r = {.task = {.a = {.factor = tulle_num(1)}, .b = {.factor = plus->beta}},
             .ctx = ctx,
             .function = plus->function,
             .A = plus->A,
             .B = plus->B,
             .asked = plus->asked,
             .cols = plus->A->pattern->cols};
    tulle_memory_usage before = tulle__pool_usage(&ctx->pool);
    tulle__pool_reset_high(&ctx->pool);
    tulle_status status = add(&r, C);
    tulle__pool_raise_high(&ctx->pool, before.high);
    TULLE__TRY(status);
    const double operands = (double)(r.operands - before.in_use);
    const double least = (double)(r.high - before.in_use);
    plus->bound = bound_of(&r, plus);
    plus->predicted = operands + bytes_for(&r, (double)(*C)->pattern->nnz) +
                      most_room(&r, (double)r.task.a.nnz + (double)r.task.b.nnz);
    if (plus->bound < least) plus->bound = least;
    if (plus->predicted < least) plus->predicted = least;
    return TULLE_OK;
}

tulle_status tulle__plus_foresee(tulle_ctx *ctx, tulle__plus *plus, int64_t *nnz) {
    const tulle_index index = tulle__wider(tulle__asked_least(plus->asked),
                                           tulle__wider(plus->index, plus->B->pattern->index));
    run r = {.ctx = ctx, .function = plus->function, .B = plus->B, .asked = plus->asked};
    r.task =
        (tulle__add_task){.rows = plus->B->pattern->rows, .type = plus->B->type, .index = index};
    TULLE__TRY(bring_b(&r, index));
    *nnz = r.task.b.nnz = r.b->pattern->nnz;
    plus->bound = bound_of(&r, plus);
    tulle_mat_destroy(r.b);
    return TULLE_OK;
}
