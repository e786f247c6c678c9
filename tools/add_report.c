/* SPDX-License-Identifier: Apache-2.0 */
#include "add_report.h"

#include "sparse_report.h"

#define FORMULA "C = {alpha} A{a._mark} + {beta} B{b._mark}"

const char tool_add_line[] =
    FORMULA TOOL_SPARSE_LINE_TEXT("c") TOOL_DONE_TEXT TOOL_SPARSE_WRITTEN_TEXT;

const char tool_add_text[] = TOOL_SPARSE_OPERANDS_TEXT TOOL_PLACE_TEXT
    "  sum       " FORMULA "\n"
    "  C         " TOOL_MATRIX_TEXT("c.") "\n"
    "  both      {both:count} entries are where A and B have one\n"
    TOOL_MATRIX_ERROR_TEXT("C") TOOL_SPARSE_WRITTEN_TEXT TOOL_SPARSE_MEMORY_TEXT("C")
    "  phases    " TOOL_SPARSE_PHASE_TEXT("operands") ", " TOOL_SPARSE_PHASE_TEXT("count") ", "
    TOOL_SPARSE_PHASE_TEXT("allocate") ", " TOOL_SPARSE_PHASE_TEXT("compute") ", "
    TOOL_SPARSE_PHASE_TEXT("finish") "\n"
    TOOL_TIMES_TEXT TOOL_SPARSE_FLOOR_TEXT;

void tool_add_add(cJSON *json, const void *user) {
    const tool_add_summary *s = user;
    const tool_sparse *sparse = &s->sum.sparse;
    const tulle_add_report *report = &s->report;
    tool_json_text(json, "op", "add");
    tool_sparse_add_matrices(json, sparse, &s->result);
    tool_json_real(json, "alpha", s->sum.options.alpha);
    tool_json_real(json, "beta", s->sum.options.beta);
    tool_place_add(json, &s->device);
    tool_json_int(json, "both", report->both);
    tool_json_int(json, "peak_bytes", report->peak_bytes);
    tool_sparse_add_result(json, sparse, &s->result, report->peak_bytes);
    cJSON *phases = tool_json_child(json, "phases_ms");
    tool_json_real(phases, "operands", report->operands_ms);
    tool_json_real(phases, "count", report->count_ms);
    tool_json_real(phases, "allocate", report->allocate_ms);
    tool_json_real(phases, "compute", report->compute_ms);
    tool_json_real(phases, "finish", report->finish_ms);
    tool_json_real(phases, "total", report->total_ms);
    tool_sparse_add_times(json, sparse, &s->result);
    tool_sparse_add_floor(json, sparse, &s->result, &s->device, s->copy_gbs);
}
