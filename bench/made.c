/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/made.h"

#include <math.h>

#include "bench/row_values.h"
#include "trials/making.h"

int64_t bench_made_extra(const bench_row *row) {
    if (row->made.peak_bytes < 0) return -1;
    const int64_t result = trial_making_result_bytes(trial_making_of(row->problem), row->made.nnz);
    const int64_t extra = row->made.peak_bytes - result;
    return extra > 0 ? extra : 0;
}

void bench_made_add_operands(cJSON *json, const bench_row *row) {
    const trial_making *m = trial_making_of(row->problem);
    tool_json_text(json, TRIAL_KEY(second), m->second);
    tool_json_bool(json, TRIAL_KEY(pooled), row->variant->pooled);
    tool_json_int(json, TRIAL_KEY(products), m->products);
    tool_json_int(json, TRIAL_KEY(cap), m->cap);
}

static void add_memory(cJSON *json, const bench_row *row) {
    const int64_t extra = bench_made_extra(row);
    if (extra < 0) return;
    tool_json_int(json, TRIAL_KEY(peak_bytes), row->made.peak_bytes);
    tool_json_int(json, TRIAL_KEY(extra_bytes), extra);
}

/* Adds the verdict on the result; faults of the pattern have no size. */
static void add_verdict(cJSON *json, const bench_row *row) {
    const bool broken = isinf(row->err);
    tool_json_known(json, TRIAL_KEY(err), broken ? (double)NAN : row->err);
    tool_json_bool(json, TRIAL_KEY(broken), broken);
    tool_json_bool(json, TRIAL_KEY(sorted), row->made.sorted);
    tool_json_bool(json, "_unsorted", !row->made.sorted && isfinite(row->err));
}

void bench_made_add_times(cJSON *json, const bench_row *row) {
    const int64_t products = trial_making_of(row->problem)->products;
    const tool_timing *t = &row->timing;
    tool_json_int(json, TRIAL_KEY(nnz_c), row->made.nnz);
    tool_json_real(json, TRIAL_KEY(ms), t->ms);
    tool_json_real(json, TRIAL_KEY(ms_q10), t->q10);
    tool_json_real(json, TRIAL_KEY(ms_q90), t->q90);
    tool_json_int(json, TRIAL_KEY(samples), t->samples);
    if (products > 0) {
        tool_json_real(json, TRIAL_KEY(gflops), bench_row_gflops(row));
        tool_json_real(json, TRIAL_KEY(compression), (double)products / (double)row->made.nnz);
    }
    tool_json_bool(json, "_uncounted", products == 0);
    tool_json_real(json, TRIAL_KEY(gbs), bench_row_gbs(row));
    tool_json_real(json, TRIAL_KEY(floor), bench_row_floor(row));
    if (row->made.reported) bench_values_add(json, row);
    add_memory(json, row);
    add_verdict(json, row);
}
