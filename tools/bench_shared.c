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
#include "bench_calls.h"
#include "comm/comm.h"
#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "trials/op.h"

enum { MOST_SAMPLES = 10000, COLD_SAMPLES = 5 };

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

/* Gathers a number of all members and returns the largest of them, or their sum. */
tulle_status tool_measured_join(const tool_measured *m, double own, bool adds, double *result) {
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
static tulle_status time_batch(const tool_measured *m, tool_call call, void *user, int64_t batch,
                               double *ms) {
    double begun;
    tulle_status status = tulle_ctx_synchronize(m->member->ctx);
    if (status == TULLE_OK) status = tool_measured_join(m, 0, false, &begun); /* all are here */
    const double start = tulle__seconds();
    for (int64_t i = 0; i < batch && status == TULLE_OK; i++) status = call(user);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(m->member->ctx);
    const double own = 1e3 * (tulle__seconds() - start) / (double)batch;
    return status == TULLE_OK ? tool_measured_join(m, own, false, ms) : status;
}

/* Samples until the budget is used up, by times that all members know. */
tulle_status tool_measured_time(const tool_measured *m, tool_call call, void *user,
                                tool_timing *timing) {
    const tool_budget *budget = &m->settings->budget;
    double *ms = tool_alloc(MOST_SAMPLES, sizeof *ms), used = 0;
    int64_t count = 0;
    tulle_status status = time_batch(m, call, user, 1, ms);
    if (status == TULLE_OK) status = time_batch(m, call, user, 1, ms);
    const double batch = ceil(1e3 * least_sample / fmax(ms[0], DBL_MIN));
    timing->batch = batch > 1 ? (int64_t)fmin(batch, 1e6) : 1;
    while (status == TULLE_OK && count < MOST_SAMPLES &&
           (count < budget->repeat || used < budget->seconds)) {
        status = time_batch(m, call, user, timing->batch, ms + count);
        if (status == TULLE_OK) used += 1e-3 * ms[count++] * (double)timing->batch;
    }
    if (status == TULLE_OK) tool_timing_of(ms, count, timing);
    free(ms);
    return status;
}

static tulle_status time_cold(tool_measured *m, tool_timing *timing) {
    double ms[COLD_SAMPLES];
    tool_timing cold = {.ms = 0};
    for (int i = 0; i < COLD_SAMPLES; i++) {
        tulle_status status = tulle_ctx_flush_cache(m->member->ctx);
        status = tool_member_agree(m->member, status);
        if (status == TULLE_OK) status = time_batch(m, m->kind->call, m, 1, ms + i);
        if (status != TULLE_OK) return status;
    }
    tool_timing_of(ms, COLD_SAMPLES, &cold);
    timing->cold = cold.ms;
    return TULLE_OK;
}

/* Measures a call, with the most memory that it takes beside operands in all members. */
static tulle_status measure(tool_measured *m, bench_row *row) {
    tulle_ctx *ctx = m->member->ctx;
    tulle_memory_usage before = {0}, after = {0};
    double extra;
    tulle_status status = tulle_ctx_reset_high(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &before);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) status = m->kind->call(m);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status == TULLE_OK)
        status = tool_measured_join(m, (double)(after.high - before.in_use), true, &extra);
    if (status == TULLE_OK) status = tool_measured_time(m, m->kind->call, m, &row->timing);
    if (status == TULLE_OK) status = time_cold(m, &row->timing);
    row->err = (double)NAN;
    if (status != TULLE_OK) return status;
    if (m->iterations > 0) tool_timing_share(&row->timing, m->iterations);
    if (m->kind == &tool_call_product || m->kind == &tool_call_solution) {
        row->extra_bytes = (int64_t)extra;
    }
    return m->settings->no_check ? TULLE_OK : m->kind->error(m, &row->err);
}

static void describe_problem(const tool_measured *m, int detail, trial_problem *p) {
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
                         .operation = trial_operation_of(m->settings->op),
                         .detail = detail,
                         .count = 1};
}

/* Measures the way of a detail. */
static tulle_status measure_way(tool_measured *m, int detail, trial_problem *p,
                                bench_variant *variant, bench_row *row) {
    *variant = (bench_variant){.choice = TRIAL_RULE};
    snprintf(variant->request, sizeof variant->request, "shared by %d%s", m->member->ranks,
             m->P ? ", parts of METIS" : "");
    describe_problem(m, detail, p);
    *row = (bench_row){.place = &m->place,
                       .matrix = &m->matrix,
                       .problem = p,
                       .variant = variant,
                       .kernel_bytes = -1,
                       .cost_bytes = (double)NAN,
                       .processes = m->member->ranks,
                       .threads = m->place.device.threads};
    m->iterations = 0;
    tulle_status status = m->kind->open(m, p, row);
    if (status == TULLE_OK) status = measure(m, row);
    if (status == TULLE_OK) status = m->kind->name(m, row);
    m->kind->close(m);
    return status;
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

/* True where a way is not possible, or has failed in all members, which can still hear each other,
 * as where a pivot is 0, and others are asked for, too. */
static bool goes_on(const tool_measured *m, int detail, bool others, tulle_status status) {
    if (status == TULLE_CANCELLED || (m->kind == &tool_call_solution && detail == 0)) {
        return status == TULLE_UNSUPPORTED;
    }
    return others && tool_member_agree(m->member, TULLE_OK) == TULLE_OK;
}

static bool is_asked(const bench_settings *s, int detail) {
    const trial_operation *operation = trial_operation_of(s->op);
    if (detail > 0 && !operation->detail[detail]) return false;
    return !operation->asked || operation->asked(&s->wish, detail);
}

static tulle_status measure_ways(tool_measured *m, bench *b) {
    trial_problem problems[TRIAL_DETAILS];
    bench_variant variants[TRIAL_DETAILS];
    bench_row rows[TRIAL_DETAILS];
    int count = 0, asked = 0;
    for (int d = 0; d < TRIAL_DETAILS; d++) asked += is_asked(m->settings, d);
    for (int d = 0; d < TRIAL_DETAILS; d++) {
        if (!is_asked(m->settings, d)) continue;
        const tulle_status status =
            measure_way(m, d, problems + count, variants + count, rows + count);
        if (status == TULLE_OK) count++;
        if (status != TULLE_OK && !goes_on(m, d, asked > 1, status)) return status;
    }
    if (m->member->keeps) b->incomplete = b->incomplete || count == 0;
    return m->member->rank == 0 ? write_rows(b, rows, count) : TULLE_OK;
}

static tulle_status look_at_place(tool_measured *m) {
    tulle_ctx *ctx = m->member->ctx;
    double gbs = 0;
    tulle_status status = tulle_ctx_device(ctx, &m->place.device);
    if (status == TULLE_OK) status = tulle_ctx_copy_bandwidth(ctx, &gbs);
    status = tool_member_agree(m->member, status);
    snprintf(m->place.machine, sizeof m->place.machine, "%s", m->place.device.name);
    return status == TULLE_OK ? tool_measured_join(m, gbs, true, &m->place.copy_gbs) : status;
}

static tulle_status check_square(const tool_measured *m, const char *name) {
    if (m->info.rows == m->info.cols) return TULLE_OK;
    if (m->kind == &tool_call_product && m->member->partition == TOOL_BY_ROWS) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH, "%s is not square", name);
}

static tulle_status open_one(tool_measured *m, const char *name, tulle_type type) {
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

static void close_one(tool_measured *m) {
    tool_shared_rows_close(&m->rows);
    tulle_vec_destroy(m->x);
    tulle_vec_destroy(m->y);
    tulle_dist_order_destroy(m->P);
    tulle_dist_mat_destroy(m->A);
}

static tulle_status compare_options(const tool_member *member, const bench_settings *s) {
    const tool_alike options[] = {{"command", "bench", 0},
                                  {"--op", s->operation, 0},
                                  {"--type", NULL, s->type},
                                  {"--precond", NULL, s->wish.precond},
                                  {"--partition", NULL, member->partition},
                                  {"--repeat", NULL, (double)s->budget.repeat},
                                  {"--seconds", NULL, s->budget.seconds},
                                  {"--no-check", NULL, s->no_check},
                                  {"number of matrices", NULL, s->operand_count}};
    return tool_member_alike(member, options, sizeof options / sizeof *options);
}

static tulle_status run(const tool_member *member, void *user) {
    bench *b = user;
    const bench_settings *s = b->settings;
    tool_measured model = {
        .member = member, .settings = s, .kind = tool_call_kind_of(trial_operation_of(s->op))};
    tulle_status status = compare_options(member, s);
    if (status == TULLE_OK) status = look_at_place(&model);
    for (int i = 0; i < s->operand_count && status == TULLE_OK; i++) {
        for (int type = TULLE_F32; type <= TULLE_F64 && status == TULLE_OK; type++) {
            tool_measured m = model;
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
    const char *what = NULL;
    if (!tool_call_kind_of(trial_operation_of(s->op))) {
        return tool_misuse("bench",
                           "--op: processes or threads share rows for spmv, solve, cg, "
                           "bicgstab, gmres and amg");
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
    return tool_misuse(
        "bench", "%s: not where processes or threads share the rows; one alone measures it", what);
}

int tool_bench_shared(const tool_crew *crew, const bench_settings *settings) {
    bench b = {.settings = settings, .table = true};
    int code = check(settings);
    if (code == TOOL_OK && crew->launch.rank == 0) {
        code = bench_json_open(settings->json, &b.json, &b.table);
    }
    if (code != TOOL_OK) return tool_crew_leave(crew, code);
    code = tool_crew_run(crew, settings->on, run, &b);
    if (b.json && b.json != stdout && fclose(b.json) != 0 && code == TOOL_OK) {
        code = tool_complain(TOOL_FAILED, "%s: rows cannot be written", settings->json);
    }
    return code == TOOL_OK && (b.wrong > 0 || b.incomplete) ? TOOL_FAILED : code;
}
