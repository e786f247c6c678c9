/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_shared.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "shared_rows.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/vector_file.h"

/* Computed residuals are rounded to the limit. */
static const double slack = 1e-12;

/* One member's part of the system. */
typedef struct share {
    const tool_member *member;
    const tool_shared_solve *given;
    trial_solve_options options; /* the command's, with this member's monitor */
    tulle_dist_mat *A;
    tulle_dist_mat_info info, given_info; /* A's, and that of the rows as they stand */
    tulle_dist_order *P; /* the way of vectors to A's rows; NULL: these are as they stand */
    tool_source source;
    int64_t vectors;
    tulle_vec *b, *x;
    void *host_b; /* this member's rows of b, column after column */
    int64_t halo; /* number of rows of x that the members get from each other in a product */
    tulle_solve_report report;
    trial_solve_found found;
} share;

static bool is_0(const share *s) {
    return s->member->rank == 0;
}

static tulle_status check_square(const share *s) {
    if (s->info.rows == s->info.cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH, "%s is %" PRId64 " x %" PRId64 ", not square",
                       s->given->name, s->info.rows, s->info.cols);
}

static tulle_status open_matrix(share *s) {
    const tool_common *c = s->given->common;
    const tool_member *m = s->member;
    tulle_status status = tulle_ctx_set_repeatable(m->ctx, s->given->repeatable);
    if (status == TULLE_OK) {
        status = tool_open_shared(m->ctx, m->comm, s->given->name, (tulle_type)c->type,
                                  (uint64_t)c->seed, &s->A, &s->source);
    }
    if (status == TULLE_OK) status = tulle_dist_mat_describe(s->A, &s->info);
    s->given_info = s->info;
    if (status == TULLE_OK) status = check_square(s);
    if (status == TULLE_OK) status = tool_member_partition(m, &s->A, &s->P);
    return status == TULLE_OK ? tulle_dist_mat_describe(s->A, &s->info) : status;
}

/* Copies this member's rows of a whole multivector, column after column. */
static void cut(const share *s, const void *whole, void *own) {
    const size_t size = (size_t)tulle_type_size(s->info.type);
    const size_t rows = (size_t)s->given_info.local_rows, first = (size_t)s->given_info.first_row;
    for (size_t j = 0; j < (size_t)s->vectors; j++) {
        memcpy((char *)own + j * rows * size,
               (const char *)whole + (j * (size_t)s->info.rows + first) * size, rows * size);
    }
}

/* Makes a multivector of this member's rows as they stand, or of A's. */
static tulle_status make_block(const share *s, const tulle_dist_mat_info *of, tulle_vec **block) {
    return tulle_vec_create_columns(s->member->ctx, of->type, of->local_rows, s->vectors,
                                    TULLE_COLUMN_MAJOR, 0, block);
}

/* Writes this member's rows as they stand into a multivector of A's rows. */
static tulle_status put(const share *s, const void *own, tulle_vec *block) {
    tulle_vec *stands = NULL;
    if (!s->P) return tool_block_write(s->member->ctx, block, own);
    tulle_status status = make_block(s, &s->given_info, &stands);
    if (status == TULLE_OK) status = tool_block_write(s->member->ctx, stands, own);
    status = tool_member_agree(s->member, status);
    if (status == TULLE_OK) status = tulle_dist_vec_permute(s->member->ctx, s->P, stands, block);
    tulle_vec_destroy(stands);
    return status;
}

/* Makes a member's rows, as they stand, of what one process would have: the whole multivector is
 * made in host memory. */
static tulle_status fill(const share *s, const char *from, void *own) {
    tulle_ctx *cpu = NULL;
    tulle_vec *whole = NULL;
    void *host = NULL;
    tulle_status status = tulle_ctx_create("cpu:1", NULL, &cpu);
    if (status == TULLE_OK) {
        status = tulle_vec_create_columns(cpu, s->info.type, s->info.rows, s->vectors,
                                          TULLE_COLUMN_MAJOR, 0, &whole);
    }
    if (status == TULLE_OK) {
        host = tool_block_host(whole);
        status = tool_fill_block(cpu, from, (uint64_t)s->given->common->seed, whole, host);
    }
    if (status == TULLE_OK) cut(s, host, own);
    free(host);
    tulle_vec_destroy(whole);
    tulle_ctx_destroy(cpu);
    return status;
}

static tulle_status fill_block(const share *s, const char *from, tulle_vec *block) {
    void *own = tool_alloc((size_t)(s->given_info.local_rows * s->vectors),
                           (size_t)tulle_type_size(s->info.type));
    tulle_status status = tool_member_agree(s->member, fill(s, from, own));
    if (status == TULLE_OK) status = tool_member_agree(s->member, put(s, own, block));
    free(own);
    return status;
}

static tulle_status make_vectors(share *s) {
    const trial_solve_options *o = &s->options;
    tulle_status status = make_block(s, &s->info, &s->b);
    if (status == TULLE_OK) status = make_block(s, &s->info, &s->x);
    status = tool_member_agree(s->member, status);
    if (status == TULLE_OK) status = fill_block(s, o->b, s->b);
    if (status == TULLE_OK && o->guess) status = fill_block(s, o->guess, s->x);
    if (status == TULLE_OK) {
        s->host_b = tool_block_host(s->b);
        status = tool_block_read(s->member->ctx, s->b, s->host_b);
    }
    return tool_member_agree(s->member, status);
}

/* Returns the largest residual that a right-hand side of this norm may have. */
static double limit_of(const share *s, double b_norm) {
    const tulle_solver_options *o = &s->options.how.solver;
    const double usual = s->info.type == TULLE_F32 ? 1e-5 : 1e-8;
    if (s->vectors == 1) return s->report.solver.limit;
    return fmax((o->tolerance > 0 ? o->tolerance : usual) * b_norm, o->absolute);
}

static double of_limit(double residual, double limit) {
    return limit > 0 ? residual / limit : residual > 0 ? (double)INFINITY : 0;
}

static tulle_status measure(share *s, tool_shared_rows *rows, const char *x) {
    const int64_t bytes = s->info.local_rows * tulle_type_size(s->info.type);
    trial_solve_found *f = &s->found;
    f->of_limit = -1;
    for (int64_t j = 0; j < s->vectors; j++) {
        double residual, b_norm;
        const tulle_status status = tool_shared_rows_residual(
            rows, (const char *)s->host_b + j * bytes, x + j * bytes, &residual, &b_norm);
        if (status != TULLE_OK) return status;
        const double times = of_limit(residual, limit_of(s, b_norm));
        if (times <= f->of_limit) continue;
        f->column = j;
        f->b_norm = b_norm;
        f->residual = residual;
        f->of_limit = times;
    }
    f->judged = s->report.solver.outcome == TULLE_CONVERGED &&
                (strcmp(s->report.precond, "none") == 0 ||
                 s->options.how.solver.norm != TULLE_PRECONDITIONED_NORM);
    f->right = f->judged && f->of_limit <= 1 + slack;
    return TULLE_OK;
}

static tulle_status verify(share *s) {
    tool_shared_rows rows;
    char *x = tool_block_host(s->x);
    tulle_status status = tool_shared_rows_open(s->member, s->A, &rows);
    if (status == TULLE_OK) status = tool_block_read(s->member->ctx, s->x, x);
    status = tool_member_agree(s->member, status);
    if (status == TULLE_OK) status = measure(s, &rows, x);
    tool_shared_rows_close(&rows);
    free(x);
    return status;
}

/* Moves x back to the rows as they stand. */
static tulle_status bring_back(share *s) {
    tulle_vec *stands = NULL;
    tulle_status status = tool_member_agree(s->member, make_block(s, &s->given_info, &stands));
    if (status == TULLE_OK) {
        status = tulle_dist_vec_unpermute(s->member->ctx, s->P, s->x, stands);
    }
    tulle_vec_destroy(s->x);
    s->x = stands;
    return status;
}

/* Gathers x in the member of rank 0, which writes it. */
static tulle_status write_x(share *s) {
    const char *path = s->given->summary->trial.output;
    void *whole = NULL;
    if (!path) return TULLE_OK;
    if (s->P) {
        const tulle_status moved = bring_back(s);
        if (moved != TULLE_OK) return moved;
    }
    if (is_0(s)) {
        whole =
            tool_alloc((size_t)(s->info.rows * s->vectors), (size_t)tulle_type_size(s->info.type));
    }
    tulle_status status = tulle_dist_gather(s->member->ctx, s->member->comm, s->x, 0, whole);
    if (status == TULLE_OK && is_0(s)) {
        status = tool_save_vectors(path, s->info.type, s->info.rows, s->vectors, whole);
    }
    free(whole);
    return tool_member_agree(s->member, status);
}

/* Adds up the rows that all members receive. */
static tulle_status count_halo(share *s) {
    int64_t *all = tool_alloc((size_t)s->member->ranks, sizeof *all);
    const tulle_status status =
        tulle__comm_gather(s->member->comm, &s->info.received, sizeof *all, all);
    s->halo = 0;
    for (int r = 0; r < s->member->ranks; r++) s->halo += all[r];
    free(all);
    return status;
}

static tulle_status compare_options(const share *s) {
    const tool_alike options[] = {{"command", "solve", 0},
                                  {"--partition", NULL, s->member->partition},
                                  {"--vectors", NULL, (double)s->vectors},
                                  {"--seed", NULL, (double)s->given->common->seed},
                                  {"b", s->options.b, 0},
                                  {"--guess", NULL, s->options.guess != NULL},
                                  {"--output", NULL, s->given->summary->trial.output != NULL}};
    return tool_member_alike(s->member, options, sizeof options / sizeof *options);
}

/* Solves; advises on a pivot, where rows have the numbers that they have in the file. */
static tulle_status solve(share *s) {
    const tulle_status status =
        tulle_dist_solve(s->member->ctx, s->A, s->b, s->x, &s->options.how, &s->report);
    const int64_t row = status == TULLE_ZERO_PIVOT ? tulle_last_error()->row : -1;
    if (row < 0 || s->member->partition != TOOL_BY_ROWS) return status;
    return tool_solve_advise_pivot(s->given->name, s->given->summary->asked.kind, row);
}

static tulle_status run(share *s) {
    tulle_status status = compare_options(s);
    if (status == TULLE_OK) status = open_matrix(s);
    if (status == TULLE_OK) status = count_halo(s);
    if (status == TULLE_OK) status = make_vectors(s);
    if (status == TULLE_OK) status = solve(s);
    if (is_0(s)) tool_progress_end();
    if (status == TULLE_OK && s->report.solver.outcome == TULLE_STOPPED) return TULLE_CANCELLED;
    if (status == TULLE_OK) status = verify(s);
    return status == TULLE_OK ? write_x(s) : status;
}

/* Hands the member's findings to the report. */
static tulle_status keep(const share *s) {
    tool_solve_summary *to = s->given->summary;
    to->ranks = s->member->ranks;
    to->partition = s->member->partition;
    to->halo = s->halo;
    to->report = s->report;
    to->found = s->found;
    to->trial.A =
        (tool_operand){.name = s->given->name, .info = s->report.solved, .source = s->source};
    to->trial.convert_ms = s->report.convert_ms;
    to->trial.given.seed = (uint64_t)s->given->common->seed;
    (void)tool_precond_parse("solve", s->report.precond, &to->precond);
    return tulle_ctx_device(s->member->ctx, &to->trial.device);
}

tulle_status tool_solve_shared(const tool_member *member, void *user) {
    const tool_shared_solve *given = user;
    share s = {.member = member,
               .given = given,
               .options = given->summary->options,
               .vectors = given->summary->trial.given.block.vectors};
    tulle_solver_options *o = &s.options.how.solver;
    o->guess = s.options.guess != NULL;
    if (member->rank > 0) o->monitor = tool_member_heed;
    tulle_status status = run(&s);
    if (status == TULLE_OK && member->keeps) status = keep(&s);
    tulle_vec_destroy(s.b);
    tulle_vec_destroy(s.x);
    free(s.host_b);
    tulle_dist_order_destroy(s.P);
    tulle_dist_mat_destroy(s.A);
    return status;
}
