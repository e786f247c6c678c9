/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/made.h"

#include <math.h>

#include "bench/row.h"
#include "trials/making.h"

int64_t bench_made_extra(const bench_row *row) {
    if (row->made.peak_bytes < 0) return -1;
    const int64_t result = trial_making_result_bytes(trial_making_of(row->problem), row->made.nnz);
    const int64_t extra = row->made.peak_bytes - result;
    return extra > 0 ? extra : 0;
}

void bench_made_add_operands(cJSON *json, const bench_row *row) {
    const trial_making *m = trial_making_of(row->problem);
    tool_json_text(json, "second", m->second);
    tool_json_bool(json, "pooled", row->variant->pooled);
    tool_json_int(json, "products", m->products);
    tool_json_int(json, "cap", m->cap);
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

static void add_memory(cJSON *json, const bench_row *row) {
    const int64_t extra = bench_made_extra(row);
    if (extra < 0) return;
    tool_json_int(json, "peak_bytes", row->made.peak_bytes);
    tool_json_int(json, "extra_bytes", extra);
}

/* Adds the verdict on the result; faults of the pattern have no size. */
static void add_verdict(cJSON *json, const bench_row *row) {
    const bool broken = isinf(row->err);
    tool_json_known(json, "err", broken ? (double)NAN : row->err);
    tool_json_bool(json, "broken", broken);
    tool_json_bool(json, "sorted", row->made.sorted);
    tool_json_bool(json, "_unsorted", !row->made.sorted && isfinite(row->err));
}

void bench_made_add_times(cJSON *json, const bench_row *row) {
    const int64_t products = trial_making_of(row->problem)->products;
    const tool_timing *t = &row->timing;
    tool_json_int(json, "nnz_c", row->made.nnz);
    tool_json_real(json, "ms", t->ms);
    tool_json_real(json, "ms_q10", t->q10);
    tool_json_real(json, "ms_q90", t->q90);
    tool_json_int(json, "samples", t->samples);
    if (products > 0) {
        tool_json_real(json, "gflops", bench_row_gflops(row));
        tool_json_real(json, "compression", (double)products / (double)row->made.nnz);
    }
    tool_json_bool(json, "_uncounted", products == 0);
    tool_json_real(json, "gbs", bench_row_gbs(row));
    tool_json_real(json, "floor", bench_row_floor(row));
    if (row->made.reported) add_phases(json, &row->made.report);
    add_memory(json, row);
    add_verdict(json, row);
}
