/* SPDX-License-Identifier: Apache-2.0 */
/* The values of factors L U, or L L', of A: renewed on the pattern that they have, incomplete ones
 * without fill or with fill up to a level, or with all fill in an order for little of it. Preparing
 * is the analysis of A's pattern, not finding that order. A peer leaves L and U in y, which has a
 * number for each that A stores: below the diagonal L (without its ones), on it and above it U; or
 * L' alone. */
#include "trials/factor.h"

#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/check_factor.h"
#include "tools/common/error.h"
#include "trials/cells.h"
#include "trials/mirrored.h"
#include "trials/spoil.h"

/* Details beyond the kinds of factors: all fill, in an order; and the kinds again, with fill. */
enum { FILLED_AMD = TULLE_CHOLESKY + 1, FILLED_NESTED, LEVELS, CHOLESKY_LEVELS };

static bool is_filled(int detail) {
    return detail == FILLED_AMD || detail == FILLED_NESTED;
}

static bool has_levels(int detail) {
    return detail >= LEVELS;
}

/* Returns the kind of factors of a detail that is no order. */
static tulle_factor_kind kind_of(int detail) {
    return (tulle_factor_kind)(has_levels(detail) ? detail - LEVELS : detail);
}

static trial_factor_options options_of(int detail, int fill) {
    trial_factor_options o = {.factors = {.kind = TULLE_LU, .fill = TULLE_FILL_ALL}};
    if (is_filled(detail)) {
        o.order = detail == FILLED_AMD ? TRIAL_ORDER_AMD : TRIAL_ORDER_NESTED;
    } else {
        o.factors = (tulle_factor_options){.kind = kind_of(detail), .fill = fill};
    }
    return o;
}

const trial_factor *trial_factor_of(const trial_problem *problem) {
    return problem->own;
}

static bool asked(const trial_wish *wish, int detail) {
    if (wish->fill == TULLE_FILL_ALL || is_filled(detail)) {
        return wish->fill == TULLE_FILL_ALL && is_filled(detail);
    }
    const bool kind = wish->kind == TRIAL_BOTH || wish->kind == (int)kind_of(detail);
    return kind && (wish->fill > 0) == has_levels(detail);
}

static tulle_status find_order(const trial_problem *p, trial_factor *f) {
    if (f->options.order == TRIAL_ORDER_NONE) return TULLE_OK;
    const double start = tulle__seconds();
    const tulle_status status = trial_order_find(p->ctx, p->A, f->options.order, &f->P);
    f->order_ms = 1e3 * (tulle__seconds() - start);
    f->options.factors.order = f->P;
    return status;
}

static tulle_status open_factor(trial_problem *p, const trial_given *given) {
    trial_factor *f = tool_alloc(1, sizeof *f);
    *f = (trial_factor){.options = options_of(p->detail, p->fill),
                        .error = tool_entry_right(),
                        .alone = given->alone,
                        .check = given->check};
    if (given->options) f->options = *(const trial_factor_options *)given->options;
    p->own = f;
    const int64_t block = p->info.format == TULLE_BSR ? p->info.storage.block : 1;
    const tulle_reads reads = f->options.factors.reads;
    tulle_status status = trial_mirrored(p->ctx, given->csr, reads, block, &f->whole);
    if (status == TULLE_OK && given->check && !given->alone) {
        status = tool_csr_open_blocks(p->ctx, p->A, &f->A);
    }
    return status == TULLE_OK ? find_order(p, f) : status;
}

static void close_problem(trial_problem *p) {
    trial_factor *f = p->own;
    if (!f) return;
    tulle_order_destroy(f->P);
    tulle_mat_destroy(f->whole);
    tool_csr_close(&f->A);
    free(f);
}

/* Returns the bytes of A and of `more` further numbers for each of its entries; for L L' those of
 * the lower triangle alone. */
static int64_t bytes_of(const trial_problem *p, const tulle_trisolve_info *lower, int more) {
    const tulle_mat_info *A = &p->info;
    if (trial_factor_of(p)->options.factors.kind == TULLE_LU)
        return A->pattern_bytes + (1 + more) * A->value_bytes;
    const int64_t entry = tulle_index_size(A->index) + (1 + more) * tulle_type_size(A->type);
    return (lower->entries + lower->rows) * entry + (A->rows + 1) * tulle_offset_size(A->index);
}

/* Notes the fewest bytes of factors on A's pattern, with A and the factors each read or written
 * once, and the levels of A's lower triangle. */
static tulle_status measure_pattern(trial_problem *p, const tulle_trisolve_info *lower) {
    p->levels = lower->levels;
    p->minimal_bytes = bytes_of(p, lower, 1);
    return TULLE_OK;
}

/* Notes levels, operations and fewest bytes of factors with fill, for which it makes such factors:
 * A is read, and the factors are written with their pattern. Operations are known for all fill
 * alone. */
static tulle_status measure_fill(trial_problem *p, const tulle_trisolve_info *lower) {
    const tulle_factor_options *options = &trial_factor_of(p)->options.factors;
    const tulle_mat_info *A = &p->info;
    tulle_factor *F = NULL;
    tulle_factor_info info;
    tulle_status status = tulle_factor_create(p->ctx, p->A, options, &F);
    if (status == TULLE_OK) status = tulle_factor_describe(F, &info);
    tulle_factor_destroy(F);
    if (status != TULLE_OK) return status;
    const int64_t numbers = (int64_t)info.block * info.block * tulle_type_size(info.type);
    p->levels = info.levels;
    p->flops = info.flops;
    p->minimal_bytes =
        bytes_of(p, lower, 0) + (info.nnz_l + info.nnz_u) * (numbers + tulle_index_size(A->index));
    return TULLE_OK;
}

static tulle_status measure(trial_problem *p) {
    tulle_trisolve_info lower;
    tulle_status status = tulle_trisolve_analyse(p->ctx, TULLE_LOWER, TULLE_N, p->A, &lower);
    if (status != TULLE_OK) return status;
    const bool filled = is_filled(p->detail) || p->fill > 0;
    return filled ? measure_fill(p, &lower) : measure_pattern(p, &lower);
}

/* Opens a problem. A problem that is run by itself is not measured, which would take factors of its
 * own, and needs no y for peers. */
static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    tulle_status status = open_factor(p, given);
    if (status != TULLE_OK || given->alone) return status;
    if (trial_factor_of(p)->options.factors.kind == TULLE_CHOLESKY && p->info.format != TULLE_CSR) {
        return tool_record(TULLE_UNSUPPORTED, "L L' is for CSR");
    }
    status = measure(p);
    if (status != TULLE_OK) return status;
    return tulle_vec_create(p->ctx, p->info.type, p->info.storage.stored, &p->y);
}

/* A copy of A, or A itself, with factors. */
typedef struct own_task {
    const trial_problem *problem;
    tulle_mat *A;
    tulle_factor *F;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    tulle_factor_destroy(t->F);
    tulle_mat_destroy(t->A);
    free(t);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    const trial_factor *f = trial_factor_of(p);
    tulle_factor_info info;
    tulle_status status = TULLE_OK;
    *t = (own_task){.problem = p, .A = f->alone ? tulle_mat_retain(p->A) : NULL};
    task->state = t;
    if (!f->alone) status = trial_problem_copy(p, &t->A);
    if (status == TULLE_OK) status = tulle_factor_create(p->ctx, t->A, &f->options.factors, &t->F);
    if (status == TULLE_OK) status = tulle_factor_describe(t->F, &info);
    if (status == TULLE_OK && !f->alone) status = trial_spoil_factor(p, t->A, t->F);
    if (status != TULLE_OK) {
        finish(t);
        return status;
    }
    task->prep_ms = info.analysis_ms;
    task->extra_bytes = info.bytes;
    return TULLE_OK;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    return tulle_factor_update(t->problem->ctx, t->F, t->A);
}

tulle_factor *trial_factor_made(const trial_task *task) {
    return ((const own_task *)task->state)->F;
}

static tulle_status check_own(const trial_problem *p, const own_task *t, tool_entry_error *found) {
    const trial_factor *f = trial_factor_of(p);
    const tulle_factor_options *options = &f->options.factors;
    tulle_mat *L = NULL, *U = NULL;
    tulle_factor_report pivots;
    tulle_status status = tulle_factor_status(p->ctx, t->F, &pivots);
    if (status == TULLE_OK) {
        status = tulle_factor_export(p->ctx, t->F, &L, options->kind == TULLE_LU ? &U : NULL);
    }
    if (status == TULLE_OK) {
        const int64_t boosted = options->boost ? pivots.tiny : 0;
        status = tool_factor_check(p->ctx, f->whole, L, U, options, f->P, boosted, found);
    }
    tulle_mat_destroy(L);
    tulle_mat_destroy(U);
    return status;
}

/* Checks the values of factors. Factors of blocks count as factors of numbers on a pattern of whole
 * blocks, because diagonal blocks are factorised into triangles without row exchanges. */
static tulle_status check_values(const trial_problem *p, const void *values,
                                 tool_entry_error *found) {
    const trial_factor *f = trial_factor_of(p);
    const tulle_factor_options *options = &f->options.factors;
    const bool lu = options->kind == TULLE_LU;
    const trial_cells given = {.pattern = f->A,
                               .block = p->info.format == TULLE_BSR ? p->info.storage.block : 1,
                               .values = f->A.values};
    trial_cells made = given;
    made.values = values;
    tool_csr A = trial_cells_part_of(&given, TRIAL_CELLS_ALL);
    tool_csr L = trial_cells_part_of(&made, lu ? TRIAL_CELLS_UNIT_LOWER : TRIAL_CELLS_LOWER);
    tool_csr U = lu ? trial_cells_part_of(&made, TRIAL_CELLS_UPPER) : (tool_csr){0};
    const tool_factor_claim claim = {
        .A = &A, .L = &L, .U = lu ? &U : NULL, .block = 1, .options = options};
    tulle_status status = tool_verify_factor(&claim, found);
    tool_csr_close(&A);
    tool_csr_close(&L);
    tool_csr_close(&U);
    return status;
}

static tulle_status check_peers(const trial_problem *p, tool_entry_error *found) {
    const size_t size = (size_t)tulle_type_size(p->info.type);
    void *values = tool_alloc((size_t)p->info.storage.stored + 1, size);
    tulle_status status = tulle_vec_read(p->ctx, p->y, values, 0);
    if (status == TULLE_OK) status = check_values(p, values, found);
    free(values);
    return status;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    trial_factor *f = p->own;
    *units = (double)NAN;
    if (!f->check) return TULLE_OK;
    f->error = tool_entry_right();
    tulle_status status = state ? check_own(p, state, &f->error) : check_peers(p, &f->error);
    *units = f->error.fault ? (double)INFINITY : f->error.units;
    return status;
}

const trial_operation trial_operation_factor = {
    .name = "factor",
    .kernels = "factor",
    .function = "tulle_factor_update",
    .formula = "factors of A, values alone",
    .detail = {"lu", "cholesky", "filled_amd", "filled_nd", "lu_levels", "cholesky_levels"},
    .asked = asked,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
