/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/made.h"

#include <math.h>

#include "bench/json.h"
#include "tools/common/names.h"

double bench_made_gflops(const bench_made *row) {
    int64_t products = row->making->products;
    return products > 0 ? 2e-6 * (double)products / row->timing.ms : (double)NAN;
}

static int64_t minimal(const bench_made *row) {
    return bench_making_bytes(row->making, row->nnz);
}

double bench_made_floor_ms(const bench_made *row) {
    return 1e-6 * (double)minimal(row) / row->place->copy_gbs;
}

double bench_made_floor(const bench_made *row) {
    return bench_made_floor_ms(row) / row->timing.ms;
}

int64_t bench_made_extra(const bench_made *row) {
    if (row->peak_bytes < 0) return -1;
    int64_t extra = row->peak_bytes - bench_making_result_bytes(row->making, row->nnz);
    return extra > 0 ? extra : 0;
}

const char *bench_made_class(const bench_made *row) {
    return bench_class_of(row->place, minimal(row));
}

bool bench_made_wrong(const bench_made *row) {
    return row->verdict.units > 1;
}

const char *bench_made_text(const bench_made *row, char text[BENCH_ROW_TEXT]) {
    snprintf(text, BENCH_ROW_TEXT, "%s %s %s", row->matrix->name,
             tool_type_name(row->making->a.type), row->variant->request);
    return text;
}

static void add_making(cJSON *json, const bench_made *row) {
    const bench_making *m = row->making;
    tool_json_text(json, "op", m->maker->name);
    bench_json_matrix(json, row->matrix, &m->a, bench_made_class(row));
    bench_json_layout(json, &m->a);
    tool_json_text(json, "second", m->second);
    bench_json_shape(json, TULLE_N, &bench_one_vector, 1);
    tool_json_int(json, "tasks", 1);
    tool_json_int(json, "seed", (int64_t)row->matrix->seed);
    tool_json_bool(json, "pooled", row->variant->pooled);
    tool_json_int(json, "products", m->products);
    tool_json_int(json, "cap", m->cap);
}

static void add_times(cJSON *json, const bench_made *row) {
    const tool_timing *t = &row->timing;
    tool_json_int(json, "nnz_c", row->nnz);
    tool_json_real(json, "ms", t->ms);
    tool_json_real(json, "ms_q10", t->q10);
    tool_json_real(json, "ms_q90", t->q90);
    tool_json_int(json, "samples", t->samples);
    if (row->making->products > 0) {
        tool_json_real(json, "gflops", bench_made_gflops(row));
        tool_json_real(json, "compression", (double)row->making->products / (double)row->nnz);
    }
    tool_json_real(json, "gbs", 1e-6 * (double)minimal(row) / t->ms);
    tool_json_real(json, "floor", bench_made_floor(row));
}

static void add_phases(cJSON *json, const tulle_spgemm_report *r) {
    tool_json_real(json, "operands_ms", r->operands_ms);
    tool_json_real(json, "analysis_ms", r->analysis_ms);
    tool_json_real(json, "count_ms", r->count_ms);
    tool_json_real(json, "allocate_ms", r->allocate_ms);
    tool_json_real(json, "compute_ms", r->compute_ms);
    tool_json_real(json, "finish_ms", r->finish_ms);
    tool_json_real(json, "phases_ms", r->total_ms);
    tool_json_int(json, "bound_bytes", r->bound_bytes);
    tool_json_int(json, "predicted_bytes", r->predicted_bytes);
    tool_json_int(json, "pieces", r->pieces);
}

/* The pattern's faults have no size. */
static void add_verdict(cJSON *json, const bench_made *row) {
    bool broken = isinf(row->verdict.units);
    tool_json_real(json, "err", broken ? (double)NAN : row->verdict.units);
    tool_json_bool(json, "broken", broken);
    tool_json_bool(json, "sorted", row->verdict.sorted);
}

static void add_memory(cJSON *json, const bench_made *row) {
    int64_t extra = bench_made_extra(row);
    if (extra < 0) return;
    tool_json_int(json, "peak_bytes", row->peak_bytes);
    tool_json_int(json, "extra_bytes", extra);
}

static void add_choice(cJSON *json, const bench_made *row, const char *choice) {
    const bench_ran ran = {.kernel = row->kernel, .params = row->params, .threads = row->threads};
    bench_json_choice(json, row->place, row->variant, choice, &ran);
}

bool bench_made_write(const bench_made *row, FILE *file) {
    cJSON *json = tool_json_object();
    bench_json_experiment(json, row->experiment);
    add_making(json, row);
    add_choice(json, row, bench_choice_name(row->variant->choice));
    add_times(json, row);
    if (row->reported) add_phases(json, &row->report);
    add_memory(json, row);
    add_verdict(json, row);
    bench_json_origin(json, row->place);
    return bench_json_print(json, file);
}

bool bench_made_write_refused(const bench_made *row, const char *reason, FILE *file) {
    cJSON *json = tool_json_object();
    bench_json_experiment(json, row->experiment);
    add_making(json, row);
    add_choice(json, row, "refused");
    tool_json_text(json, "reason", reason);
    bench_json_origin(json, row->place);
    return bench_json_print(json, file);
}
