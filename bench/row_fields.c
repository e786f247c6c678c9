/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a row, from which its JSON line and its text are made; a field whose key begins with
 * '_' is for the text alone (tools/common/fields.h). */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench/figures.h"
#include "bench/row.h"
#include "tools/common/json.h"
#include "tools/common/names.h"
#include "tools/common/scatter.h"
#include "trials/making.h"
#include "trials/spmv.h"

static bool makes(const bench_row *row) {
    return row->problem->operation->makes;
}

static void add_experiment(cJSON *json, const bench_experiment *experiment) {
    if (!experiment) return;
    tool_json_int(json, "paper", experiment->paper);
    tool_json_text(json, "experiment", experiment->name);
    if (experiment->arranged) tool_json_text(json, "arranged", experiment->arranged);
}

static void add_matrix(cJSON *json, const bench_row *row) {
    const tulle_mat_info *A = &row->problem->info;
    tool_json_text(json, "matrix", row->matrix->name);
    tool_json_text(json, "source", row->matrix->source);
    tool_json_bool(json, "stand_in", strstr(row->matrix->name, "like:") != NULL);
    tool_json_text(json, "class", bench_row_class(row));
    tool_json_int(json, "rows", A->rows);
    tool_json_int(json, "cols", A->cols);
    tool_json_int(json, "nnz", A->nnz);
    tool_json_text(json, "type", tool_type_name(A->type));
    tool_json_text(json, "index", tool_index_name(A->index));
    if (!row->problem->A) return;
    tool_json_text(json, "format", tool_format_name(A->format));
    if (A->format != TULLE_CSR) tool_json_text(json, "_as", tool_format_name(A->format));
    tool_json_int(json, "matrix_bytes", A->pattern_bytes + A->value_bytes);
    tool_json_real(json, "mean_row", A->mean_row);
    tool_json_real(json, "sd_row", A->sd_row);
    tool_json_int(json, "max_row", A->max_row);
}

/* Adds the block of vectors, and the number of rows of a block of A, which is 1 where entries are
 * numbers. */
static void add_blocks(cJSON *json, const trial_problem *p) {
    const bool has_blocks = !p->operation->general && p->info.format == TULLE_BSR;
    char block[TRIAL_BLOCK_TEXT];
    tool_json_text(json, "trans", p->trans == TULLE_T ? "t" : "n");
    tool_json_int(json, "k", p->block.vectors);
    tool_json_text(json, "layout", trial_layout_name(p->block.layout));
    tool_json_int(json, "block", has_blocks ? p->info.storage.block : 1);
    tool_json_text(json, "_block", trial_block_text(&p->block, block));
}

static const char *formula_of(const trial_problem *p) {
    if (p->operation->makes && trial_making_of(p)->second) return p->operation->makes->together;
    return p->trans == TULLE_T ? p->operation->transposed : p->operation->formula;
}

static void add_problem(cJSON *json, const bench_row *row) {
    const trial_problem *p = row->problem;
    const bool several = trial_is_product(p) && trial_is_block(&p->block);
    const bool acts = !trial_is_product(p) && !makes(row);
    tool_json_text(json, "op", several ? "spmm" : p->operation->name);
    tool_json_text(json, "_formula", formula_of(p));
    tool_json_bool(json, "_makes", makes(row));
    if (acts) tool_json_text(json, "detail", trial_operation_detail(p->operation, p->detail));
    if (p->fill > 0) tool_json_int(json, "fill", p->fill);
    if (p->streams > 0) tool_json_int(json, "streams", p->streams);
    add_matrix(json, row);
    add_blocks(json, p);
    tool_json_int(json, "tasks", p->count > 1 ? p->count : 1);
    if (acts) tool_json_int(json, "levels", p->levels);
    tool_json_int(json, "seed", (int64_t)row->matrix->seed);
    if (makes(row)) bench_made_add_operands(json, row);
}

static void add_choice(cJSON *json, const bench_row *row, const char *choice) {
    const bench_variant *variant = row->variant;
    tool_json_text(json, "kernel", row->kernel);
    tool_json_text(json, "backend", tool_backend_name(row->place->device.backend));
    tool_json_text(json, "choice", choice);
    tool_json_text(json, "request", variant->request);
    tool_json_text(json, "params", row->params);
    tool_json_int(json, "threads", row->threads);
    tool_json_text(json, "peer_version", variant->peer ? variant->peer->version : NULL);
}

static void add_iterations(cJSON *json, const bench_row *row) {
    tool_json_int(json, "iterations", row->iterations);
    tool_json_real(json, "whole_ms", bench_row_whole_ms(row));
    tool_json_real(json, "product_ms", row->problem->product_ms);
    tool_json_real(json, "parts_ms", bench_row_parts_ms(row));
    tool_json_real(json, "of_parts", bench_row_of_parts(row));
}

static double gbs(int64_t bytes, double ms) {
    return 1e-6 * (double)bytes / ms;
}

static void add_call(cJSON *json, const bench_row *row) {
    const tool_timing *t = &row->timing;
    tool_json_real(json, "ms", t->ms);
    tool_json_real(json, "ms_q10", t->q10);
    tool_json_real(json, "ms_q90", t->q90);
    tool_json_real(json, "ms_cold", t->cold);
    tool_json_int(json, "samples", t->samples);
    tool_json_int(json, "batch", t->batch);
    tool_json_known(json, "gflops", bench_row_gflops(row));
    tool_json_real(json, "gbs", bench_row_gbs(row));
    tool_json_real(json, "gbs_kernel",
                   row->kernel_bytes < 0 ? (double)NAN : gbs(row->kernel_bytes, t->ms));
    if (row->effective_bytes > 0) {
        tool_json_real(json, "gbs_effective", gbs(row->effective_bytes, t->ms));
    }
    tool_json_real(json, "floor", bench_row_floor(row));
    if (row->iterations > 0) {
        add_iterations(json, row);
    } else if (row->problem->whole) {
        tool_json_real(json, "whole_ms", bench_row_whole_ms(row));
    }
    if (row->core_ms > 0) tool_json_real(json, "core_ms", row->core_ms);
    if (row->making_ms > 0) tool_json_real(json, "making_ms", row->making_ms);
    if (row->paper_check) tool_json_int(json, "apart", row->apart);
    tool_json_real(json, "model_ms", 1e-6 * row->cost_bytes / row->place->copy_gbs);
    tool_json_real(json, "prep_ms", row->prep_ms);
    if (row->convert_ms > 0) tool_json_real(json, "convert_ms", row->convert_ms);
    tool_json_int(json, "extra_bytes", row->extra_bytes);
    tool_json_known(json, "err", row->err);
    if (row->problem->operation->figures) bench_figures_add(json, row);
}

static void add_times(cJSON *json, const bench_row *row) {
    const char *right = bench_row_wrong(row) ? " WRONG" : "";
    if (makes(row)) {
        bench_made_add_times(json, row);
    } else {
        add_call(json, row);
    }
    if (makes(row) && isinf(row->err)) right = "pattern WRONG";
    const int64_t checked = row->problem->checked_rows;
    if (checked > 0 && !isnan(row->err)) tool_json_int(json, "checked_rows", checked);
    tool_json_text(json, "_verdict", isnan(row->err) ? "not checked" : right);
    tool_json_real(json, "_floor_ms", bench_row_floor_ms(row));
    tool_json_int(json, "_floor_bytes", bench_row_minimal_bytes(row));
}

static void add_origin(cJSON *json, const bench_place *place) {
    const tool_load load = tool_load_now();
    const time_t now = time(NULL);
    char date[32];
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    tool_json_text(json, "machine", place->machine);
    tool_json_real(json, "copy_gbs", place->copy_gbs);
    tool_json_real(json, "load", load.average);
    tool_json_int(json, "processors", load.processors);
    tool_json_text(json, "date", date);
    tool_json_text(json, "commit", tulle_commit());
}

static cJSON *begin(const bench_row *row, const char *choice) {
    cJSON *json = tool_json_object();
    add_experiment(json, row->experiment);
    add_problem(json, row);
    add_choice(json, row, choice);
    return json;
}

bool bench_row_print(cJSON *fields, FILE *file) {
    tool_json_drop_text(fields);
    tool_json_print(fields, file, true);
    return fflush(file) == 0 && !ferror(file);
}

static bool finish(cJSON *json, const bench_row *row, FILE *file) {
    add_origin(json, row->place);
    return bench_row_print(json, file);
}

cJSON *bench_row_fields(const bench_row *row) {
    cJSON *json = begin(row, trial_choice_name(row->variant->choice));
    add_times(json, row);
    add_origin(json, row->place);
    return json;
}

bool bench_row_write(const bench_row *row, FILE *file) {
    return bench_row_print(bench_row_fields(row), file);
}

cJSON *bench_row_step_fields(const bench_row *row, const bench_row_step *step) {
    cJSON *json = begin(row, "tune");
    tool_json_text(json, "search", step->search);
    tool_json_int(json, "call", step->call);
    tool_json_real(json, "call_ms", step->ms);
    tool_json_bool(json, "counts", step->counts);
    tool_json_text(json, "best", step->best);
    tool_json_real(json, "best_ms", step->best_ms);
    tool_json_known(json, "of_exhaustive", step->of_exhaustive);
    add_times(json, row);
    add_origin(json, row->place);
    return json;
}

bool bench_row_write_solution(const bench_row *row, const bench_row_solution *solution,
                              FILE *file) {
    cJSON *json = begin(row, "solution");
    tool_json_int(json, "call", solution->number);
    tool_json_text(json, "method", solution->method);
    tool_json_int(json, "iterations", solution->iterations);
    tool_json_int(json, "applications", solution->applications);
    tool_json_int(json, "trials", solution->trials);
    tool_json_bool(json, "settled", solution->settled);
    tool_json_real(json, "left", solution->left);
    tool_json_real(json, "solution_ms", solution->ms);
    add_times(json, row);
    return finish(json, row, file);
}

static void add_event(cJSON *events, const bench_row_event *e) {
    const double numbers[] = {e->lane, e->start_ms, e->copied_ms, e->done_ms, e->end_ms};
    cJSON_AddItemToArray(events, cJSON_CreateDoubleArray(numbers, 5));
}

bool bench_row_write_timeline(const bench_row *row, const bench_row_timeline *line, FILE *file) {
    cJSON *json = begin(row, "timeline");
    tool_json_int(json, "lanes", line->lanes);
    tool_json_int(json, "own_lanes", line->own);
    tool_json_real(json, "ms", line->ms);
    cJSON *events = cJSON_AddArrayToObject(json, "events");
    for (int i = 0; i < line->events; i++) add_event(events, &line->event[i]);
    return finish(json, row, file);
}

bool bench_row_write_unmeasured(const bench_row *row, const char *choice, const char *reason,
                                FILE *file) {
    cJSON *json = begin(row, choice);
    if (reason) tool_json_text(json, "reason", reason);
    return finish(json, row, file);
}
