/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark solves to the default tolerance: as tulle_solve chooses, and with methods and
 * preconditioners that are given. A call is a whole solution, with choice and setup. */
#include "trials/solve_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/vector_file.h"

typedef struct way {
    const char *detail, *method, *precond;
} way;

/* The first is the library's own choice. */
static const way ways[] = {
    {"chosen", NULL, NULL},
    {"cg-jacobi", "cg", "jacobi"},
    {"cg-ic", "cg", "ic"},
    {"cg-amg", "cg", "amg"},
    {"bicgstab-jacobi", "bicgstab", "jacobi"},
    {"bicgstab-ilu", "bicgstab", "ilu"},
    {"gmres-jacobi", "gmres", "jacobi"},
    {"gmres-ilu", "gmres", "ilu"},
};

/* Computed residuals are rounded to the limit. */
static const double slack = 1e-12;

static tulle_status as_it_is(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    tulle_mat_info info;
    const tulle_status status = tulle_mat_describe(A, &info);
    return status == TULLE_OK ? tulle_mat_convert(ctx, A, TULLE_CSR, info.index, 0, B) : status;
}

/* The trial's own. */
typedef struct own {
    trial_solve_options options;
    bool alone, checked;
    const tulle_mat *csr;      /* the caller's: A as the check reads it */
    void *b;                   /* b in host memory */
    tulle_solve_report report; /* report of the last call */
} own;

static const own *own_of(const trial_problem *p) {
    return p->own;
}

const tulle_solve_report *trial_solve_reported(const trial_problem *p) {
    return &own_of(p)->report;
}

const void *trial_solve_b(const trial_problem *p) {
    return own_of(p)->b;
}

/* Sets the numbers of rows that are held to the given ones, or to 0. These rows and columns of A
 * are 0 but for the diagonal, so that they can be left out while x is sought: the residual of the
 * other rows is tested by the norm of their b. */
static void hold(const trial_problem *p, const void *given, void *numbers) {
    const uint8_t *is_held = own_of(p)->options.is_held;
    const size_t size = (size_t)tulle_type_size(p->info.type);
    for (int64_t i = 0; i < p->info.rows && is_held; i++) {
        char *to = (char *)numbers + (size_t)i * size;
        if (!is_held[i]) continue;
        if (given) {
            memcpy(to, (const char *)given + (size_t)i * size, size);
        } else {
            memset(to, 0, size);
        }
    }
}

void trial_solve_give_held(const trial_problem *p, void *x) {
    hold(p, own_of(p)->options.held, x);
}

static tulle_status fill_from_y(const trial_problem *p) {
    const own *o = own_of(p);
    tulle_status status =
        tool_load_vectors(o->options.minus_y, p->info.type, p->info.rows, p->block.vectors, o->b);
    if (status == TULLE_OK) status = tool_block_write(p->ctx, p->x, o->b);
    if (status == TULLE_OK) status = tulle_vec_scale(p->ctx, tulle_num(-1), p->x);
    return status == TULLE_OK ? tool_block_read(p->ctx, p->x, o->b) : status;
}

static tulle_status fill_b(const trial_problem *p, uint64_t seed) {
    const own *o = own_of(p);
    if (o->options.minus_y) return fill_from_y(p);
    if (!o->options.loads) return tool_fill_block(p->ctx, o->options.b, seed, p->x, o->b);
    memcpy(o->b, o->options.loads, (size_t)(p->info.rows * tulle_type_size(p->info.type)));
    hold(p, NULL, o->b);
    return tool_block_write(p->ctx, p->x, o->b);
}

static tulle_status fill_guess(const trial_problem *p, uint64_t seed) {
    const trial_solve_options *o = &own_of(p)->options;
    if (!o->guess) return TULLE_OK;
    void *x = tool_block_host(p->y);
    tulle_status status = tool_fill_block(p->ctx, o->guess, seed, p->y, x);
    hold(p, NULL, x);
    if (status == TULLE_OK && o->is_held) status = tool_block_write(p->ctx, p->y, x);
    free(x);
    return status;
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    own *o = p->own;
    tulle_solve_options how = o->options.how;
    how.solver.guess = o->options.guess != NULL;
    return tulle_solve(p->ctx, p->A, p->x, p->y, &how, &o->report);
}

/* Fails with TULLE_UNSUPPORTED where the way does not solve the system. */
static tulle_status try_first(trial_problem *p) {
    const char *detail = ways[p->detail].detail;
    tulle_choice choice;
    tulle_status status = run(p);
    if (status == TULLE_ZERO_PIVOT) {
        return tool_record(TULLE_UNSUPPORTED, "%s: %s", detail, tulle_last_error()->message);
    }
    if (status != TULLE_OK) return status;
    const tulle_outcome outcome = own_of(p)->report.solver.outcome;
    if (outcome != TULLE_CONVERGED) {
        return tool_record(TULLE_UNSUPPORTED, "%s: %s", detail, tulle_outcome_text(outcome));
    }
    status = tulle_spmv_describe(p->ctx, TULLE_N, p->A, true, &choice);
    p->minimal_bytes = choice.minimal_bytes;
    return status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const way *w = &ways[p->detail];
    own *o = tool_alloc(1, sizeof *o);
    *o = (own){.options = {.how = {.method = w->method, .precond = w->precond}, .b = "random"},
               .alone = given->alone,
               .checked = given->check,
               .csr = given->csr};
    if (given->options) o->options = *(const trial_solve_options *)given->options;
    p->own = o;
    tulle_vec **const both[] = {&p->x, &p->y};
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_vec_create_columns(p->ctx, p->info.type, p->info.rows, p->block.vectors,
                                          TULLE_COLUMN_MAJOR, 0, both[i]);
    }
    if (status != TULLE_OK) return status;
    o->b = tool_block_host(p->x);
    status = fill_b(p, given->seed);
    if (status == TULLE_OK) status = fill_guess(p, given->seed);
    return status == TULLE_OK && !given->alone ? try_first(p) : status;
}

static void close_problem(trial_problem *p) {
    own *o = p->own;
    if (o) free(o->b);
    free(o);
}

/* Finds the most memory that a call holds beside A, b and x, and its time of choosing; a trial
 * alone needs no such call. */
static tulle_status prepare(const trial_problem *p, trial_task *task) {
    tulle_memory_usage before, after;
    task->state = (void *)p;
    if (own_of(p)->alone) return TULLE_OK;
    tulle_status status = tulle_ctx_reset_high(p->ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &before);
    if (status == TULLE_OK) status = run(task->state);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status == TULLE_OK) task->extra_bytes = (int64_t)(after.high - before.in_use);
    task->values.of[0] = own_of(p)->report.choose_ms;
    return status;
}

static void finish(void *state) {
    (void)state;
}

/* Returns true if the true residual was promised: a norm that M has a part in promises nothing. */
static bool is_judged(const own *o) {
    return o->report.solver.outcome == TULLE_CONVERGED &&
           (strcmp(o->report.precond, "none") == 0 ||
            o->options.how.solver.norm != TULLE_PRECONDITIONED_NORM);
}

/* Returns the largest residual that a right-hand side of this norm may have. Of a single one the
 * library says it; of several, the library says it of one. */
static double limit_of(const trial_problem *p, double b_norm) {
    const own *o = own_of(p);
    const tulle_solver_options *s = &o->options.how.solver;
    const double usual = p->info.type == TULLE_F32 ? 1e-5 : 1e-8;
    if (p->block.vectors == 1) return o->report.solver.limit;
    return fmax((s->tolerance > 0 ? s->tolerance : usual) * b_norm, s->absolute);
}

/* Computes the residual of a right-hand side, and notes it where it is farther from its limit than
 * those before. */
static tulle_status verify_column(const trial_problem *p, const tool_csr *A, const void *x,
                                  int64_t j, trial_solve_found *found) {
    const own *o = own_of(p);
    const int64_t at = j * p->info.rows * tulle_type_size(p->info.type);
    tool_reference *reference = NULL;
    const tulle_status status =
        tool_reference_create(A, p->trans, (const char *)x + at, &reference);
    tool_progress_end();
    if (status != TULLE_OK) return status;
    const tool_residual norms = tool_reference_residual(reference, (const char *)o->b + at,
                                                        o->options.how.solver.constant_null_space);
    tool_reference_destroy(reference);
    const double limit = limit_of(p, norms.b);
    double of_limit = limit > 0 ? norms.residual / limit : norms.residual > 0 ? INFINITY : 0;
    if (!(of_limit < INFINITY)) of_limit = INFINITY; /* NaN becomes INFINITY, too */
    found->right = found->right && norms.residual <= (1 + slack) * limit;
    if (j > 0 && of_limit <= found->of_limit) return TULLE_OK;
    found->column = j;
    found->b_norm = norms.b;
    found->residual = norms.residual;
    found->of_limit = of_limit;
    return TULLE_OK;
}

tulle_status trial_solve_verify(const trial_problem *p, const void *x, trial_solve_found *found) {
    const own *o = own_of(p);
    tool_csr A = {0};
    tulle_status status = tool_csr_open(p->ctx, o->csr, &A);
    *found = (trial_solve_found){.judged = is_judged(o), .right = is_judged(o)};
    for (int64_t j = 0; j < p->block.vectors && status == TULLE_OK; j++) {
        status = verify_column(p, &A, x, j, found);
    }
    tool_csr_close(&A);
    return status;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    trial_solve_found found;
    *units = (double)NAN;
    if (!own_of(p)->checked) return TULLE_OK;
    void *x = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, x);
    if (status == TULLE_OK) status = trial_solve_verify(p, x, &found);
    if (status == TULLE_OK) *units = found.of_limit / (1 + slack);
    free(x);
    return status;
}

static const trial_key fields[] = {TRIAL_KEY_choose_ms, TRIAL_KEYS};

const trial_operation trial_operation_solve = {
    .name = "solve",
    .function = "tulle_solve",
    .formula = "A x = b, solved whole",
    .fields = fields,
    .detail = {"chosen", "cg-jacobi", "cg-ic", "cg-amg", "bicgstab-jacobi", "bicgstab-ilu",
               "gmres-jacobi", "gmres-ilu"},
    .choose = as_it_is,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
