/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/row.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "tools/common/json.h"
#include "tools/common/names.h"

enum { DATE = 32 };

double bench_row_gflops(const bench_row *row) {
    double products = (double)row->problem->info.nnz * (double)row->problem->block.vectors;
    return 2e-6 * products / row->timing.ms;
}

static double gbs(int64_t bytes, double ms) {
    return 1e-6 * (double)bytes / ms;
}

double bench_row_gbs(const bench_row *row) {
    return gbs(row->problem->minimal_bytes, row->timing.ms);
}

double bench_floor_ms(const bench_place *place, const bench_problem *problem) {
    return 1e-6 * (double)problem->minimal_bytes / place->copy_gbs;
}

double bench_row_floor(const bench_row *row) {
    return bench_floor_ms(row->place, row->problem) / row->timing.ms;
}

/* launch: the call itself is what counts; memory: far more than the caches hold. */
const char *bench_row_class(const bench_row *row) {
    static const double launch_ms = 5e-3;
    if (bench_floor_ms(row->place, row->problem) < launch_ms) return "launch";
    return row->problem->minimal_bytes < 4 * row->place->device.cache_bytes ? "cache" : "memory";
}

static void date_now(char text[DATE]) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void add_problem(cJSON *json, const bench_row *row) {
    const tulle_mat_info *A = &row->problem->info;
    const bench_block *block = &row->problem->block;
    tool_json_text(json, "op", bench_is_block(block) ? "spmm" : "spmv");
    tool_json_text(json, "matrix", row->matrix->name);
    tool_json_text(json, "source", row->matrix->source);
    tool_json_bool(json, "stand_in", strstr(row->matrix->name, "like:") != NULL);
    tool_json_text(json, "class", bench_row_class(row));
    tool_json_int(json, "rows", A->rows);
    tool_json_int(json, "cols", A->cols);
    tool_json_int(json, "nnz", A->nnz);
    tool_json_text(json, "type", tool_type_name(A->type));
    tool_json_text(json, "index", tool_index_name(A->index));
    tool_json_text(json, "format", tool_format_name(A->format));
    tool_json_int(json, "matrix_bytes", A->pattern_bytes + A->value_bytes);
    tool_json_real(json, "mean_row", A->mean_row);
    tool_json_real(json, "sd_row", A->sd_row);
    tool_json_int(json, "max_row", A->max_row);
    tool_json_text(json, "trans", row->problem->trans == TULLE_T ? "t" : "n");
    tool_json_int(json, "k", block->vectors);
    tool_json_text(json, "layout", bench_layout_name(block->layout));
    tool_json_int(json, "block", 1);
    tool_json_int(json, "tasks", 1);
    tool_json_int(json, "seed", (int64_t)row->matrix->seed);
}

static void add_choice(cJSON *json, const bench_row *row, const char *choice) {
    const bench_peer_found *peer = row->variant->peer;
    tool_json_text(json, "kernel", row->kernel);
    tool_json_text(json, "backend", tool_backend_name(row->place->device.backend));
    tool_json_text(json, "choice", choice);
    tool_json_text(json, "request", row->variant->request);
    tool_json_text(json, "params", row->params);
    tool_json_int(json, "threads", row->threads);
    tool_json_text(json, "peer_version", peer ? peer->version : NULL);
}

static void add_times(cJSON *json, const bench_row *row) {
    const tool_timing *t = &row->timing;
    tool_json_real(json, "ms", t->ms);
    tool_json_real(json, "ms_q10", t->q10);
    tool_json_real(json, "ms_q90", t->q90);
    tool_json_real(json, "ms_cold", t->cold);
    tool_json_int(json, "samples", t->samples);
    tool_json_int(json, "batch", t->batch);
    tool_json_real(json, "gflops", bench_row_gflops(row));
    tool_json_real(json, "gbs", bench_row_gbs(row));
    tool_json_real(json, "gbs_kernel",
                   row->kernel_bytes < 0 ? (double)NAN : gbs(row->kernel_bytes, t->ms));
    if (row->effective_bytes > 0) {
        tool_json_real(json, "gbs_effective", gbs(row->effective_bytes, t->ms));
    }
    tool_json_real(json, "floor", bench_row_floor(row));
    tool_json_real(json, "model_ms", 1e-6 * row->cost_bytes / row->place->copy_gbs);
    tool_json_real(json, "prep_ms", row->prep_ms);
    tool_json_int(json, "extra_bytes", row->extra_bytes);
    tool_json_real(json, "err", row->err);
}

static void add_origin(cJSON *json, const bench_row *row) {
    char date[DATE];
    date_now(date);
    tool_json_text(json, "machine", row->place->machine);
    tool_json_real(json, "copy_gbs", row->place->copy_gbs);
    tool_json_text(json, "date", date);
    tool_json_text(json, "commit", tulle_commit());
}

static void add_experiment(cJSON *json, const bench_row *row) {
    if (!row->experiment) return;
    tool_json_int(json, "paper", row->experiment->paper);
    tool_json_text(json, "experiment", row->experiment->name);
}

const char *bench_row_text(const bench_row *row, char text[BENCH_ROW_TEXT]) {
    snprintf(text, BENCH_ROW_TEXT, "%s %s %s %s", row->matrix->name,
             tool_type_name(row->problem->info.type), row->problem->trans == TULLE_T ? "t" : "n",
             row->variant->request);
    return text;
}

static bool print(cJSON *json, FILE *file) {
    tool_json_print(json, file, true);
    return fflush(file) == 0 && !ferror(file);
}

bool bench_row_write(const bench_row *row, FILE *file) {
    cJSON *json = tool_json_object();
    add_experiment(json, row);
    add_problem(json, row);
    add_choice(json, row, bench_choice_name(row->variant->choice));
    add_times(json, row);
    add_origin(json, row);
    return print(json, file);
}

bool bench_row_write_step(const bench_row *row, const bench_row_step *step, FILE *file) {
    cJSON *json = tool_json_object();
    add_problem(json, row);
    add_choice(json, row, "tune");
    tool_json_text(json, "search", step->search);
    tool_json_int(json, "call", step->call);
    tool_json_real(json, "call_ms", step->ms);
    tool_json_bool(json, "counts", step->counts);
    tool_json_text(json, "best", step->best);
    tool_json_real(json, "best_ms", step->best_ms);
    tool_json_real(json, "of_exhaustive", step->of_exhaustive);
    add_times(json, row);
    add_origin(json, row);
    return print(json, file);
}

bool bench_row_write_unmeasured(const bench_row *row, const char *choice, const char *reason,
                                FILE *file) {
    cJSON *json = tool_json_object();
    add_experiment(json, row);
    add_problem(json, row);
    add_choice(json, row, choice);
    if (reason) tool_json_text(json, "reason", reason);
    add_origin(json, row);
    return print(json, file);
}
