/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_shared.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report.h"
#include "bench/run.h"
#include "bench/session.h"
#include "comm/comm.h"
#include "core/stopwatch.h"
#include "shared_rows.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "trials/op.h"

enum { MOST_ROWS = 8, MOST_SAMPLES = 10000, COLD_SAMPLES = 5 };

/* A sample takes at least so many seconds, so that reading the clock does not count. */
static const double least_sample = 1e-3;

/* The output of the member of rank 0, and findings that all members share. */
typedef struct bench {
    const bench_settings *settings;
    FILE *json;      /* NULL: no rows are written */
    bool table;      /* tables are printed for people */
    int wrong;       /* number of rows with a wrong result */
    bool incomplete; /* a system was not solved */
} bench;

/* One member's part of a matrix that is measured. */
typedef struct measured {
    const tool_member *member;
    const bench_settings *settings;
    tulle_dist_mat *A;
    tulle_dist_order *P; /* order of the rows; NULL: they are as they stand */
    tulle_dist_mat_info info;
    tulle_vec *x, *y; /* a product's x and y; b and x of a system */
    tool_shared_rows rows;
    bool solves;
    tulle_solve_options way; /* way to solve a system */
    char method[TULLE_PRECOND_NAME];
    tulle_solve_report report;
    bench_place place;
    bench_matrix matrix;
} measured;

static tulle_status call(measured *m) {
    if (m->solves) return tulle_dist_solve(m->member->ctx, m->A, m->x, m->y, &m->way, &m->report);
    return tulle_dist_mat_multiply(m->member->ctx, TULLE_N, tulle_num(1), m->A, m->x, tulle_num(0),
                                   m->y);
}

/* Gathers a number of all members and returns the largest of them, or their sum. */
static tulle_status join(const measured *m, double own, bool adds, double *result) {
    double *all = tool_alloc((size_t)m->member->ranks, sizeof *all);
    const tulle_status status = tulle__comm_gather(m->member->comm, &own, sizeof own, all);
    *result = 0;
    for (int r = 0; r < m->member->ranks; r++) {
        *result = adds ? *result + all[r] : fmax(*result, all[r]);
    }
    free(all);
    return status;
}

/* Times `batch` calls, which all members begin together; a sample is that of the slowest. */
static tulle_status time_batch(measured *m, int64_t batch, double *ms) {
    double begun;
    tulle_status status = tulle_ctx_synchronize(m->member->ctx);
    if (status == TULLE_OK) status = join(m, 0, false, &begun); /* all are here */
    const double start = tulle__seconds();
    for (int64_t i = 0; i < batch && status == TULLE_OK; i++) status = call(m);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(m->member->ctx);
    const double own = 1e3 * (tulle__seconds() - start) / (double)batch;
    return status == TULLE_OK ? join(m, own, false, ms) : status;
}

/* Samples until the budget is used up, by times that all members know. */
static tulle_status time_warm(measured *m, tool_timing *timing) {
    const tool_budget *budget = &m->settings->budget;
    double *ms = tool_alloc(MOST_SAMPLES, sizeof *ms), used = 0;
    int64_t count = 0;
    tulle_status status = time_batch(m, 1, ms);
    if (status == TULLE_OK) status = time_batch(m, 1, ms);
    const double batch = ceil(1e3 * least_sample / fmax(ms[0], DBL_MIN));
    timing->batch = batch > 1 ? (int64_t)fmin(batch, 1e6) : 1;
    while (status == TULLE_OK && count < MOST_SAMPLES &&
           (count < budget->repeat || used < budget->seconds)) {
        status = time_batch(m, timing->batch, ms + count);
        if (status == TULLE_OK) used += 1e-3 * ms[count++] * (double)timing->batch;
    }
    if (status == TULLE_OK) tool_timing_of(ms, count, timing);
    free(ms);
    return status;
}

static tulle_status time_cold(measured *m, tool_timing *timing) {
    double ms[COLD_SAMPLES];
    tool_timing cold = {.ms = 0};
    for (int i = 0; i < COLD_SAMPLES; i++) {
        tulle_status status = tulle_ctx_flush_cache(m->member->ctx);
        status = tool_member_agree(m->member, status);
        if (status == TULLE_OK) status = time_batch(m, 1, ms + i);
        if (status != TULLE_OK) return status;
    }
    tool_timing_of(ms, COLD_SAMPLES, &cold);
    timing->cold = cold.ms;
    return TULLE_OK;
}

/* Finds the error of y = A x in units of its bound (tulle_dist_mat_multiply). */
static tulle_status product_error(measured *m, double *units) {
    const double unit = m->info.type == TULLE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const double least = m->info.type == TULLE_F32 ? 0x1p-149 : 0x1p-1074;
    char *x = tool_block_host(m->x), *y = tool_block_host(m->y);
    double worst = 0;
    tulle_status status = tool_block_read(m->member->ctx, m->x, x);
    if (status == TULLE_OK) status = tool_block_read(m->member->ctx, m->y, y);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) status = tool_shared_rows_gather(&m->rows, x);
    for (int64_t i = 0; status == TULLE_OK && i < m->info.local_rows; i++) {
        const tool_shared_row due = tool_shared_rows_multiply(&m->rows, i);
        const double roundings = (double)(due.terms + 2 + 2 * m->member->ranks);
        const double gamma = roundings * unit / (1 - roundings * unit);
        const double bound = gamma * (double)due.mass + 2 * roundings * least;
        const double off = (double)fabsl(tool_shared_number(&m->rows, y, i) - due.sum);
        worst = off <= bound * worst ? worst : off / bound;
    }
    free(x);
    free(y);
    return status == TULLE_OK ? join(m, worst, false, units) : status;
}

/* Finds the residual in units of the limit that the solution had. */
static tulle_status solution_error(measured *m, double *units) {
    static const double slack = 1e-12;
    char *b = tool_block_host(m->x), *x = tool_block_host(m->y);
    double residual, b_norm;
    tulle_status status = tool_block_read(m->member->ctx, m->x, b);
    if (status == TULLE_OK) status = tool_block_read(m->member->ctx, m->y, x);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) {
        status = tool_shared_rows_residual(&m->rows, b, x, &residual, &b_norm);
    }
    if (status == TULLE_OK) *units = residual / (m->report.solver.limit * (1 + slack));
    free(b);
    free(x);
    return status;
}

/* Measures a call, with the most memory that it takes beside operands in all members. */
static tulle_status measure(measured *m, bench_row *row) {
    tulle_ctx *ctx = m->member->ctx;
    tulle_memory_usage before = {0}, after = {0};
    double extra;
    tulle_status status = tulle_ctx_reset_high(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &before);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) status = call(m);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status == TULLE_OK) status = join(m, (double)(after.high - before.in_use), true, &extra);
    if (status == TULLE_OK) status = time_warm(m, &row->timing);
    if (status == TULLE_OK) status = time_cold(m, &row->timing);
    row->err = (double)NAN;
    if (status != TULLE_OK) return status;
    row->extra_bytes = (int64_t)extra;
    if (m->settings->no_check) return TULLE_OK;
    return m->solves ? solution_error(m, &row->err) : product_error(m, &row->err);
}

static void describe_problem(const measured *m, int detail, trial_problem *p) {
    const tulle_dist_mat_info *i = &m->info;
    const double entry = 4 + (double)tulle_type_size(i->type);
    const double row = 4 + 2 * (double)tulle_type_size(i->type);
    *p = (trial_problem){.device = m->place.device,
                         .info = {.rows = i->rows,
                                  .cols = i->cols,
                                  .nnz = i->nnz,
                                  .type = i->type,
                                  .index = TULLE_I32,
                                  .format = TULLE_CSR},
                         .block = trial_one_vector,
                         .minimal_bytes = (int64_t)((double)i->nnz * entry + (double)i->rows * row),
                         .flops = m->solves ? 0 : 2 * (double)i->nnz,
                         .operation = trial_operation_of(m->settings->op),
                         .detail = detail,
                         .count = 1};
}

/* Names the kernel that this member's own columns are multiplied by, or what solved the system. */
static tulle_status name_kernel(const measured *m, bench_row *row) {
    tulle_choice choice;
    row->kernel_bytes = -1;
    row->cost_bytes = (double)NAN;
    if (m->solves) {
        snprintf(row->kernel, sizeof row->kernel, "%s %s", tulle_method_name(m->report.method),
                 m->report.precond);
        return TULLE_OK;
    }
    const tulle_status status =
        tulle_spmv_describe(m->member->ctx, TULLE_N, tulle_dist_mat_block(m->A), true, &choice);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", choice.params);
    return TULLE_OK;
}

/* Takes a way to solve by its name, "METHOD-PRECOND"; the first has another name and is the
 * library's choice. */
static void take_way(measured *m, int detail) {
    const char *name = trial_operation_detail(trial_operation_of(m->settings->op), detail);
    const char *dash = strchr(name, '-');
    m->way = (tulle_solve_options){.method = NULL};
    if (!dash) return;
    snprintf(m->method, sizeof m->method, "%.*s", (int)(dash - name), name);
    m->way.method = m->method;
    m->way.precond = dash + 1;
}

/* Measures one way. *done false: the system was not solved that way. */
static tulle_status measure_way(measured *m, int detail, trial_problem *p, bench_variant *variant,
                                bench_row *row, bool *done) {
    *variant = (bench_variant){.choice = TRIAL_RULE};
    snprintf(variant->request, sizeof variant->request, "shared by %d%s", m->member->ranks,
             m->P ? ", parts of METIS" : "");
    describe_problem(m, detail, p);
    *row = (bench_row){.place = &m->place,
                       .matrix = &m->matrix,
                       .problem = p,
                       .variant = variant,
                       .processes = m->member->ranks,
                       .threads = m->place.device.threads};
    *done = true;
    tulle_status status = call(m);
    if (m->solves && status == TULLE_OK) {
        *done = m->report.solver.outcome == TULLE_CONVERGED;
    }
    if (status == TULLE_OK && *done) status = measure(m, row);
    return status == TULLE_OK ? name_kernel(m, row) : status;
}

/* Writes the rows of a matrix, in the member that speaks. */
static tulle_status write_rows(bench *b, const bench_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        b->wrong += bench_row_wrong(rows + i);
        if (b->table) bench_report(rows + i, 1);
        if (b->json && !bench_row_write(rows + i, b->json)) {
            return tool_record(TULLE_IO_ERROR, "%s: a row cannot be written", b->settings->json);
        }
    }
    return TULLE_OK;
}

/* True where a way that was given has failed in all members, which can still hear each other, as
 * where a pivot is 0. */
static bool goes_on(const measured *m, tulle_status status) {
    if (!m->solves || !m->way.method || status == TULLE_CANCELLED) return false;
    return tool_member_agree(m->member, TULLE_OK) == TULLE_OK;
}

static tulle_status measure_ways(measured *m, bench *b) {
    trial_problem problems[MOST_ROWS];
    bench_variant variants[MOST_ROWS];
    bench_row rows[MOST_ROWS];
    int count = 0;
    for (int d = 0; d < (m->solves ? MOST_ROWS : 1); d++) {
        bool done;
        if (m->solves) take_way(m, d);
        const tulle_status status =
            measure_way(m, d, problems + count, variants + count, rows + count, &done);
        if (status == TULLE_OK && done) count++;
        if (status != TULLE_OK && !goes_on(m, status)) return status;
    }
    if (m->member->keeps) b->incomplete = b->incomplete || count == 0;
    return m->member->rank == 0 ? write_rows(b, rows, count) : TULLE_OK;
}

static tulle_status look_at_place(measured *m) {
    tulle_ctx *ctx = m->member->ctx;
    double gbs = 0;
    tulle_status status = tulle_ctx_device(ctx, &m->place.device);
    if (status == TULLE_OK) status = tulle_ctx_copy_bandwidth(ctx, &gbs);
    status = tool_member_agree(m->member, status);
    snprintf(m->place.machine, sizeof m->place.machine, "%s", m->place.device.name);
    return status == TULLE_OK ? join(m, gbs, true, &m->place.copy_gbs) : status;
}

static tulle_status check_square(const measured *m, const char *name) {
    if (m->info.rows == m->info.cols) return TULLE_OK;
    if (!m->solves && m->member->partition == TOOL_BY_ROWS) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH, "%s is not square", name);
}

static tulle_status open_one(measured *m, const char *name, tulle_type type) {
    tulle_ctx *ctx = m->member->ctx;
    tool_source source;
    const uint64_t seed = (uint64_t)m->settings->seed;
    tulle_status status = tool_open_shared(ctx, m->member->comm, name, type, seed, &m->A, &source);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(m->A, &m->info);
    if (status == TULLE_OK) status = check_square(m, name);
    if (status == TULLE_OK) status = tool_member_partition(m->member, &m->A, &m->P);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(m->A, &m->info);
    if (status != TULLE_OK) return status;
    bench_name_matrix(name, &source, &m->matrix);
    m->matrix.source = source.kind;
    m->matrix.seed = seed;
    status = tulle_vec_create(ctx, type, m->info.local_cols, &m->x);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, type, m->info.local_rows, &m->y);
    if (status == TULLE_OK) {
        status = tulle_vec_random(ctx, m->x, seed + (uint64_t)m->member->rank);
    }
    if (status == TULLE_OK) status = tool_shared_rows_open(m->member, m->A, &m->rows);
    return tool_member_agree(m->member, status);
}

static void close_one(measured *m) {
    tool_shared_rows_close(&m->rows);
    tulle_vec_destroy(m->x);
    tulle_vec_destroy(m->y);
    tulle_dist_order_destroy(m->P);
    tulle_dist_mat_destroy(m->A);
}

static tulle_status run(const tool_member *member, void *user) {
    bench *b = user;
    const bench_settings *s = b->settings;
    measured model = {.member = member, .settings = s};
    model.solves = strcmp(trial_operation_of(s->op)->name, "solve") == 0;
    tulle_status status = look_at_place(&model);
    for (int i = 0; i < s->operand_count && status == TULLE_OK; i++) {
        for (int type = TULLE_F32; type <= TULLE_F64 && status == TULLE_OK; type++) {
            measured m = model;
            if (s->type != TRIAL_BOTH_TYPES && s->type != type) continue;
            status = open_one(&m, s->operand[i], (tulle_type)type);
            if (status == TULLE_OK) status = measure_ways(&m, b);
            close_one(&m);
        }
    }
    return status;
}

/* Refuses what is measured of whole matrices alone. */
static int check(const bench_settings *s) {
    const char *op = trial_operation_of(s->op)->name, *what = NULL;
    if (strcmp(op, "spmv") != 0 && strcmp(op, "solve") != 0) {
        return tool_misuse("bench", "--op: processes or threads share rows for spmv and solve");
    }
    if (s->operand_count == 0) return tool_misuse("bench", "MATRIX is missing");
    if (s->kernels.count > 0) what = "--kernel";
    if (s->formats.count > 0) what = "--format";
    if (s->sweep) what = "--sweep";
    if (s->trans != TULLE_N) what = "--trans";
    if (s->set) what = "--set";
    if (s->resume) what = "--resume";
    if (s->shard) what = "--shard";
    if (s->minutes > 0) what = "--minutes";
    if (s->explain) what = "--explain";
    if (s->index != BENCH_ANY_INDEX) what = "--index";
    if (s->blocks.count != 1 || s->blocks.item[0].vectors != 1) what = "--vectors";
    if (!what) return TOOL_OK;
    return tool_misuse("bench", "%s: not where processes or threads share the rows", what);
}

int tool_bench_shared(const tool_crew *crew, const bench_settings *settings) {
    bench b = {.settings = settings, .table = true};
    int code = check(settings);
    if (code == TOOL_OK && crew->launch.rank == 0) {
        code = bench_json_open(settings->json, &b.json, &b.table);
    }
    if (code != TOOL_OK) return code;
    code = tool_crew_run(crew, settings->on, run, &b);
    if (b.json && b.json != stdout && fclose(b.json) != 0 && code == TOOL_OK) {
        code = tool_complain(TOOL_FAILED, "%s: rows cannot be written", settings->json);
    }
    return code == TOOL_OK && (b.wrong > 0 || b.incomplete) ? TOOL_FAILED : code;
}
