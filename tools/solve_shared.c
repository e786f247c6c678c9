/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_shared.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
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
    tulle_dist_mat_info info;
    tool_source source;
    int64_t vectors;
    tulle_vec *b, *x;
    void *host_b; /* this member's rows of b, column after column */
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
    return status == TULLE_OK ? check_square(s) : status;
}

/* Copies this member's rows of a whole multivector, column after column. */
static void cut(const share *s, const void *whole, void *own) {
    const size_t size = (size_t)tulle_type_size(s->info.type);
    const size_t rows = (size_t)s->info.local_rows, first = (size_t)s->info.first_row;
    for (size_t j = 0; j < (size_t)s->vectors; j++) {
        memcpy((char *)own + j * rows * size,
               (const char *)whole + (j * (size_t)s->info.rows + first) * size, rows * size);
    }
}

/* Fills a member's multivector with its rows of what one process would have: the whole one is made
 * in host memory. */
static tulle_status fill(const share *s, const char *from, tulle_vec *block, void *own) {
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
    if (status == TULLE_OK) {
        cut(s, host, own);
        status = tool_block_write(s->member->ctx, block, own);
    }
    free(host);
    tulle_vec_destroy(whole);
    tulle_ctx_destroy(cpu);
    return status;
}

static tulle_status make_vectors(share *s) {
    tulle_vec **const both[] = {&s->b, &s->x};
    const trial_solve_options *o = &s->options;
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_vec_create_columns(s->member->ctx, s->info.type, s->info.local_rows,
                                          s->vectors, TULLE_COLUMN_MAJOR, 0, both[i]);
    }
    if (status == TULLE_OK) {
        s->host_b = tool_block_host(s->b);
        status = fill(s, o->b, s->b, s->host_b);
    }
    if (status == TULLE_OK && o->guess) {
        void *guess = tool_block_host(s->x);
        status = fill(s, o->guess, s->x, guess);
        free(guess);
    }
    return tool_member_agree(s->member, status);
}

/* This member's rows of A, and x of all members, in host memory. */
typedef struct copies {
    int64_t *offsets, *columns;
    void *values;
    int64_t most; /* largest number of rows of a member */
    char *x;      /* `most` rows of each member */
    char *own_x;  /* `most` rows of this one */
} copies;

static long double number(tulle_type type, const void *array, int64_t i) {
    return type == TULLE_F32 ? (long double)((const float *)array)[i]
                             : (long double)((const double *)array)[i];
}

/* Returns the place of a row of x among the copies. */
static int64_t place_in(const share *s, const copies *c, int64_t row) {
    const int64_t least = s->info.rows / s->member->ranks, more = s->info.rows % s->member->ranks;
    const int64_t in_more = more * (least + 1);
    const int64_t rank = row < in_more ? row / (least + 1) : more + (row - in_more) / least;
    const int64_t first = rank * least + (rank < more ? rank : more);
    return rank * c->most + row - first;
}

static tulle_status read_rows(const share *s, copies *c) {
    const size_t rows = (size_t)s->info.local_rows, nnz = (size_t)s->info.local_nnz;
    const size_t size = (size_t)tulle_type_size(s->info.type);
    c->most = tulle_dist_share(s->info.rows, s->member->ranks, 0, NULL);
    c->offsets = tool_alloc(rows + 1, sizeof *c->offsets);
    c->columns = tool_alloc(nnz, sizeof *c->columns);
    c->values = tool_alloc(nnz, size);
    c->own_x = tool_alloc((size_t)c->most, size);
    c->x = tool_alloc((size_t)c->most * (size_t)s->member->ranks, size);
    return tulle_dist_mat_read(s->member->ctx, s->A, c->offsets, c->columns, c->values);
}

/* Sums of squares of a column: of b - A x, and of b. */
typedef struct squares {
    long double residual, b;
} squares;

static squares add_rows(const share *s, const copies *c, int64_t column) {
    const tulle_type type = s->info.type;
    squares sum = {0, 0};
    for (int64_t i = 0; i < s->info.local_rows; i++) {
        const long double b = number(type, s->host_b, column * s->info.local_rows + i);
        long double left = b;
        for (int64_t k = c->offsets[i]; k < c->offsets[i + 1]; k++) {
            left -= number(type, c->values, k) * number(type, c->x, place_in(s, c, c->columns[k]));
        }
        sum.residual += left * left;
        sum.b += b * b;
    }
    return sum;
}

/* Computes the norms of a column in long double, over the rows of all members. */
static tulle_status measure(const share *s, copies *c, const char *x, int64_t column,
                            double *residual, double *b_norm) {
    const size_t size = (size_t)tulle_type_size(s->info.type);
    const size_t bytes = (size_t)s->info.local_rows * size;
    squares all = {0, 0}, *each = tool_alloc((size_t)s->member->ranks, sizeof *each);
    memcpy(c->own_x, x + (size_t)column * bytes, bytes);
    tulle_status status =
        tulle__comm_gather(s->member->comm, c->own_x, (size_t)c->most * size, c->x);
    if (status == TULLE_OK) {
        const squares own = add_rows(s, c, column);
        status = tulle__comm_gather(s->member->comm, &own, sizeof own, each);
    }
    for (int r = 0; r < s->member->ranks; r++) {
        all.residual += each[r].residual;
        all.b += each[r].b;
    }
    free(each);
    *residual = (double)sqrtl(all.residual);
    *b_norm = (double)sqrtl(all.b);
    return status;
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

static tulle_status measure_all(share *s, copies *c, const char *x) {
    trial_solve_found *f = &s->found;
    f->of_limit = -1;
    for (int64_t j = 0; j < s->vectors; j++) {
        double residual, b_norm;
        const tulle_status status = measure(s, c, x, j, &residual, &b_norm);
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
    copies c = {.offsets = NULL};
    char *x = tool_block_host(s->x);
    tulle_status status = read_rows(s, &c);
    if (status == TULLE_OK) status = tool_block_read(s->member->ctx, s->x, x);
    status = tool_member_agree(s->member, status);
    if (status == TULLE_OK) status = measure_all(s, &c, x);
    free(x);
    free(c.offsets);
    free(c.columns);
    free(c.values);
    free(c.x);
    free(c.own_x);
    return status;
}

/* Gathers x in the member of rank 0, which writes it. */
static tulle_status write_x(const share *s) {
    const char *path = s->given->summary->trial.output;
    void *whole = NULL;
    if (!path) return TULLE_OK;
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

static tulle_status run(share *s) {
    const tool_member *m = s->member;
    tulle_status status = open_matrix(s);
    if (status == TULLE_OK) status = make_vectors(s);
    if (status == TULLE_OK) {
        status = tulle_dist_solve(m->ctx, s->A, s->b, s->x, &s->options.how, &s->report);
    }
    if (is_0(s)) tool_progress_end();
    if (status == TULLE_OK && s->report.solver.outcome == TULLE_STOPPED) return TULLE_CANCELLED;
    if (status == TULLE_OK) status = verify(s);
    return status == TULLE_OK ? write_x(s) : status;
}

/* Hands the member's findings to the report. */
static tulle_status keep(const share *s) {
    tool_solve_summary *to = s->given->summary;
    to->ranks = s->member->ranks;
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
    tulle_dist_mat_destroy(s.A);
    return status;
}
