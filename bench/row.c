/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/row.h"

#include <math.h>

#include "bench/figures.h"
#include "bench/json.h"
#include "tools/common/names.h"
#include "trials/making.h"
#include "trials/spmv.h"

static bool makes(const bench_row *row) {
    return row->problem->operation->makes;
}

double bench_row_gflops(const bench_row *row) {
    const trial_problem *p = row->problem;
    const double flops = makes(row) ? 2 * (double)trial_making_of(p)->products : p->flops;
    return flops > 0 ? 1e-6 * flops / row->timing.ms : (double)NAN;
}

static double gbs(int64_t bytes, double ms) {
    return 1e-6 * (double)bytes / ms;
}

int64_t bench_row_minimal_bytes(const bench_row *row) {
    const trial_problem *p = row->problem;
    return makes(row) ? trial_making_bytes(trial_making_of(p), row->made.nnz) : p->minimal_bytes;
}

double bench_row_gbs(const bench_row *row) {
    return gbs(bench_row_minimal_bytes(row), row->timing.ms);
}

double bench_row_floor_ms(const bench_row *row) {
    return 1e-6 * (double)bench_row_minimal_bytes(row) / row->place->copy_gbs;
}

double bench_row_floor(const bench_row *row) {
    return bench_row_floor_ms(row) / row->timing.ms;
}

bool bench_row_wrong(const bench_row *row) {
    return row->err > 1;
}

double bench_row_parts_ms(const bench_row *row) {
    const trial_problem *p = row->problem;
    return p->product_ms + 1e-6 * (double)p->vector_bytes / row->place->copy_gbs;
}

double bench_row_of_parts(const bench_row *row) {
    return bench_row_parts_ms(row) / row->timing.ms;
}

double bench_row_whole_ms(const bench_row *row) {
    const int64_t parts = row->iterations > 0 ? row->iterations : 1;
    return row->prep_ms + (double)parts * row->timing.ms;
}

double bench_row_cost_ms(const bench_row *row) {
    return row->problem->whole ? bench_row_whole_ms(row) : row->timing.ms;
}

/* "launch": the fewest bytes move in so short a time that launching counts most; "memory": the
 * bytes are far more than the caches hold. */
const char *bench_row_class(const bench_row *row) {
    static const double launch_ms = 5e-3;
    if (bench_row_floor_ms(row) < launch_ms) return "launch";
    return bench_row_minimal_bytes(row) < 4 * row->place->device.cache_bytes ? "cache" : "memory";
}

static const char *op_of(const trial_problem *problem) {
    const bool several = trial_is_product(problem) && trial_is_block(&problem->block);
    return several ? "spmm" : problem->operation->name;
}

static int64_t block_of(const trial_problem *problem) {
    bool blocks = !problem->operation->general && problem->info.format == TULLE_BSR;
    return blocks ? problem->info.storage.block : 1;
}

static void add_problem(cJSON *json, const bench_row *row) {
    const trial_problem *p = row->problem;
    tool_json_text(json, "op", op_of(p));
    const bool acts = !trial_is_product(p) && !makes(row);
    if (acts) tool_json_text(json, "detail", trial_operation_detail(p->operation, p->detail));
    if (p->fill > 0) tool_json_int(json, "fill", p->fill);
    if (p->streams > 0) tool_json_int(json, "streams", p->streams);
    bench_json_matrix(json, row->matrix, &p->info, bench_row_class(row));
    if (p->A) bench_json_layout(json, &p->info);
    bench_json_shape(json, p->trans, &p->block, block_of(p));
    tool_json_int(json, "tasks", p->count > 1 ? p->count : 1);
    if (acts) tool_json_int(json, "levels", p->levels);
    tool_json_int(json, "seed", (int64_t)row->matrix->seed);
    if (makes(row)) bench_made_add_operands(json, row);
}

static void add_choice(cJSON *json, const bench_row *row, const char *choice) {
    const bench_ran ran = {.kernel = row->kernel, .params = row->params, .threads = row->threads};
    bench_json_choice(json, row->place, row->variant, choice, &ran);
}

static void add_iterations(cJSON *json, const bench_row *row) {
    tool_json_int(json, "iterations", row->iterations);
    tool_json_real(json, "whole_ms", bench_row_whole_ms(row));
    tool_json_real(json, "product_ms", row->problem->product_ms);
    tool_json_real(json, "parts_ms", bench_row_parts_ms(row));
    tool_json_real(json, "of_parts", bench_row_of_parts(row));
}

static void add_times(cJSON *json, const bench_row *row) {
    const tool_timing *t = &row->timing;
    if (makes(row)) {
        bench_made_add_times(json, row);
        return;
    }
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
    tool_json_real(json, "err", row->err);
    if (row->problem->operation->figures) bench_figures_add(json, row);
}

const char *bench_row_text(const bench_row *row, char text[BENCH_ROW_TEXT]) {
    const trial_problem *p = row->problem;
    const char *trans = p->trans == TULLE_T ? "t " : "n ";
    snprintf(text, BENCH_ROW_TEXT, "%s %s %s%s", row->matrix->name, tool_type_name(p->info.type),
             p->operation->transposed ? trans : "", row->variant->request);
    return text;
}

static cJSON *begin(const bench_row *row, const char *choice) {
    cJSON *json = tool_json_object();
    bench_json_experiment(json, row->experiment);
    add_problem(json, row);
    add_choice(json, row, choice);
    return json;
}

static bool finish(cJSON *json, const bench_row *row, FILE *file) {
    bench_json_origin(json, row->place);
    return bench_json_print(json, file);
}

bool bench_row_write(const bench_row *row, FILE *file) {
    cJSON *json = begin(row, trial_choice_name(row->variant->choice));
    add_times(json, row);
    return finish(json, row, file);
}

bool bench_row_write_step(const bench_row *row, const bench_row_step *step, FILE *file) {
    cJSON *json = begin(row, "tune");
    tool_json_text(json, "search", step->search);
    tool_json_int(json, "call", step->call);
    tool_json_real(json, "call_ms", step->ms);
    tool_json_bool(json, "counts", step->counts);
    tool_json_text(json, "best", step->best);
    tool_json_real(json, "best_ms", step->best_ms);
    tool_json_real(json, "of_exhaustive", step->of_exhaustive);
    add_times(json, row);
    return finish(json, row, file);
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
