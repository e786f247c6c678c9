/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm_report.h"

#include <math.h>

#include "sparse_report.h"

#define FORMULA                                                                                    \
    "C = {alpha} <{?galerkin}P' A P><{!galerkin}A{a._mark} <{?squared}A><{!squared}B>{b._mark}>"   \
    "<{?mask} on M><{?d} + {beta} D>"
#define PIECES "<{?_cut}; made in {pieces} pieces>"

const char tool_spgemm_line[] =
    FORMULA TOOL_SPARSE_LINE_TEXT("c") PIECES TOOL_DONE_TEXT TOOL_SPARSE_WRITTEN_TEXT;

const char tool_spgemm_text[] = TOOL_SPARSE_OPERANDS_TEXT TOOL_OPERAND_TEXT("d.")
    TOOL_OPERAND_TEXT("mask.") TOOL_PLACE_TEXT
    "  product   " FORMULA "\n"
    "  C         " TOOL_MATRIX_TEXT("c.") "<{?unsorted}{!_added}, columns in any order>\n"
    "  kernel    {kernel}<{?params}:{params}>\n"
    "  products  {products:count}<{?c.nnz}, {compression:3g} for each entry of C>\n"
    TOOL_MATRIX_ERROR_TEXT("C") TOOL_SPARSE_WRITTEN_TEXT TOOL_SPARSE_MEMORY_TEXT("C")
    "  predicted at most {bound_bytes:bytes}, and {predicted_bytes:bytes} when C had been counted"
    PIECES "\n"
    "  phases    " TOOL_SPARSE_PHASE_TEXT("operands") ", " TOOL_SPARSE_PHASE_TEXT("analysis") ", "
    TOOL_SPARSE_PHASE_TEXT("count") ", " TOOL_SPARSE_PHASE_TEXT("allocate") ", "
    TOOL_SPARSE_PHASE_TEXT("compute") ", " TOOL_SPARSE_PHASE_TEXT("finish") "<, "
    TOOL_SPARSE_PHASE_TEXT("add") ">\n"
    TOOL_TIMES_TEXT "<  speed     {gflops:4g} GFLOP/s\n>";

static void add_product(cJSON *json, const tool_spgemm_summary *s) {
    const tool_spgemm *p = &s->product;
    tool_json_text(json, "op", "spgemm");
    tool_sparse_add_matrices(json, &p->sparse, &s->result);
    tool_json_bool(json, "squared", p->sparse.alone);
    tool_json_bool(json, "unsorted", p->options.call.unsorted);
    tool_json_bool(json, "galerkin", p->galerkin);
    tool_json_real(json, "alpha", p->options.alpha);
    if (p->add) tool_operand_add(json, "d", &p->D);
    if (p->add) tool_json_real(json, "beta", p->options.beta);
    if (p->on) tool_operand_add(json, "mask", &p->mask);
}

/* Adds the numbers of the library's report; products for each entry of C are NaN where it has none.
 * One piece for each product is not cut. */
static void add_report(cJSON *json, const tool_spgemm_summary *s) {
    const tulle_spgemm_report *r = &s->report;
    const int64_t nnz = s->result.info.nnz;
    tool_json_int(json, "products", r->products);
    tool_json_real(json, "compression", nnz > 0 ? (double)r->products / (double)nnz : (double)NAN);
    tool_json_int(json, "peak_bytes", r->peak_bytes);
    tool_json_int(json, "bound_bytes", r->bound_bytes);
    tool_json_int(json, "forecast_bytes", s->product.bounds.bytes);
    tool_json_int(json, "bound_nnz", s->product.bounds.nnz);
    tool_json_int(json, "predicted_bytes", r->predicted_bytes);
    tool_json_int(json, "pieces", r->pieces);
    tool_json_bool(json, "_cut", r->pieces > (s->product.galerkin ? 2 : 1));
}

static void add_phases(cJSON *json, const tulle_spgemm_report *r, bool adds) {
    cJSON *phases = tool_json_child(json, "phases_ms");
    tool_json_real(phases, "operands", r->operands_ms);
    tool_json_real(phases, "analysis", r->analysis_ms);
    tool_json_real(phases, "count", r->count_ms);
    tool_json_real(phases, "allocate", r->allocate_ms);
    tool_json_real(phases, "compute", r->compute_ms);
    tool_json_real(phases, "finish", r->finish_ms);
    if (adds) tool_json_real(phases, "add", r->add_ms);
    tool_json_real(phases, "total", r->total_ms);
}

void tool_spgemm_add(cJSON *json, const void *user) {
    const tool_spgemm_summary *s = user;
    const tool_sparse *sparse = &s->product.sparse;
    const tulle_spgemm_report *report = &s->report;
    const double ms = s->result.timing.ms;
    add_product(json, s);
    tool_json_text(json, "kernel", report->kernel);
    tool_json_text(json, "params", report->params);
    tool_place_add(json, &s->device);
    add_report(json, s);
    tool_sparse_add_result(json, sparse, &s->result, report->peak_bytes);
    add_phases(json, report, s->product.add);
    tool_sparse_add_times(json, sparse, &s->result);
    /* Each product is a multiplication and an addition. */
    if (ms > 0) tool_json_real(json, "gflops", 2e-6 * (double)report->products / ms);
}
