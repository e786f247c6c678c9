/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm_report.h"

#include <math.h>
#include <stdio.h>

#include "sparse_report.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

enum { PHASES = 7 };

/* Returns how many phases there are: adding is one where there is something to add. */
static int phases_of(const tool_spgemm_summary *s, tool_phase phases[PHASES]) {
    const tulle_spgemm_report *r = &s->report;
    const tool_phase all[PHASES] = {{"operands", r->operands_ms},
                                    {"analysis", r->analysis_ms},
                                    {"count", r->count_ms},
                                    {"allocate", r->allocate_ms},
                                    {"compute", r->compute_ms},
                                    {"finish", r->finish_ms},
                                    {"add", r->add_ms}};
    for (int i = 0; i < PHASES; i++) phases[i] = all[i];
    return s->product.add ? PHASES : PHASES - 1;
}

/* A multiplication and an addition for each product. */
static double gflops(const tool_spgemm_summary *s) {
    return 2e-6 * (double)s->report.products / s->result.timing.ms;
}

/* Products for each entry of C; NaN where it has none. */
static double compression(const tool_spgemm_summary *s) {
    int64_t nnz = s->result.info.nnz;
    return nnz > 0 ? (double)s->report.products / (double)nnz : NAN;
}

static void print_formula(const tool_spgemm *p) {
    const tool_sparse *sparse = &p->sparse;
    if (p->galerkin) {
        tool_say("C = %g P' A P", p->options.alpha);
    } else {
        tool_say("C = %g A%s %s%s", p->options.alpha, tool_operand_mark(&sparse->A),
                 sparse->alone ? "A" : "B", tool_operand_mark(&sparse->B));
    }
    if (p->on) tool_say(" on M");
    if (p->add) tool_say(" + %g D", p->options.beta);
}

static void print_product(const tool_spgemm_summary *s) {
    const tool_spgemm *p = &s->product;
    const tool_sparse *sparse = &p->sparse;
    const tulle_spgemm_report *report = &s->report;
    char products[TOOL_HUMAN];
    tool_say("  product   ");
    print_formula(p);
    tool_say("\n");
    tool_sparse_print_result(sparse, &s->result,
                             p->options.call.unsorted && !p->add ? ", columns in any order" : "");
    tool_say("  kernel    %s%s%s\n", report->kernel, report->params[0] ? ":" : "", report->params);
    tool_say("  products  %s", tool_human_count(report->products, products));
    if (s->result.info.nnz > 0) tool_say(", %.3g for each entry of C", compression(s));
    tool_say("\n");
}

/* "; made in 3 pieces", or "": one for each product is not cut. */
static const char *pieces_of(const tool_spgemm_summary *s, char text[48]) {
    const bool cut = s->report.pieces > (s->product.galerkin ? 2 : 1);
    text[0] = '\0';
    if (cut) snprintf(text, 48, "; made in %lld pieces", (long long)s->report.pieces);
    return text;
}

static void print_prediction(const tool_spgemm_summary *s) {
    const tulle_spgemm_report *report = &s->report;
    char pieces[48];
    char bound[TOOL_HUMAN], predicted[TOOL_HUMAN];
    tool_say("  predicted at most %s, and %s when C had been counted%s\n",
             tool_human_bytes((double)report->bound_bytes, bound),
             tool_human_bytes((double)report->predicted_bytes, predicted), pieces_of(s, pieces));
}

void tool_spgemm_print(const void *user) {
    const tool_spgemm_summary *summary = user;
    const tool_sparse *sparse = &summary->product.sparse;
    const tool_sparse_result *result = &summary->result;
    tool_phase phases[PHASES];
    int phase_count = phases_of(summary, phases);
    tool_sparse_print_operands(sparse);
    if (summary->product.add) tool_operand_print(&summary->product.D);
    if (summary->product.on) tool_operand_print(&summary->product.mask);
    tool_sparse_print_place(&summary->device);
    print_product(summary);
    tool_sparse_print_error(sparse, result);
    tool_sparse_print_written(sparse, result);
    tool_sparse_print_memory(sparse, result, summary->report.peak_bytes);
    print_prediction(summary);
    tool_sparse_print_phases(phases, phase_count);
    tool_sparse_print_times(sparse, result);
    if (result->timing.ms > 0) tool_say("  speed     %.4g GFLOP/s\n", gflops(summary));
}

void tool_spgemm_print_line(const void *user) {
    const tool_spgemm_summary *s = user;
    char pieces[48];
    print_formula(&s->product);
    tool_sparse_print_line(&s->result, pieces_of(s, pieces), s->report.kernel, &s->device);
    tool_sparse_print_written(&s->product.sparse, &s->result);
}

void tool_spgemm_print_json(const void *user) {
    const tool_spgemm_summary *s = user;
    const tool_spgemm *p = &s->product;
    const tulle_spgemm_report *report = &s->report;
    tool_phase phases[PHASES];
    int phase_count = phases_of(s, phases);
    cJSON *json = tool_json_object();
    tool_json_text(json, "op", "spgemm");
    tool_sparse_add_matrices(json, &p->sparse, &s->result);
    tool_json_bool(json, "squared", p->sparse.alone);
    tool_json_bool(json, "unsorted", p->options.call.unsorted);
    tool_json_bool(json, "galerkin", p->galerkin);
    tool_json_real(json, "alpha", p->options.alpha);
    if (p->add) tool_operand_add(json, "d", &p->D);
    if (p->add) tool_json_real(json, "beta", p->options.beta);
    if (p->on) tool_operand_add(json, "mask", &p->mask);
    tool_json_text(json, "kernel", report->kernel);
    tool_json_text(json, "params", report->params);
    tool_sparse_add_place(json, &s->device);
    tool_json_int(json, "products", report->products);
    tool_json_real(json, "compression", compression(s));
    tool_json_int(json, "peak_bytes", report->peak_bytes);
    tool_json_int(json, "bound_bytes", report->bound_bytes);
    tool_json_int(json, "forecast_bytes", p->bounds.bytes);
    tool_json_int(json, "bound_nnz", p->bounds.nnz);
    tool_json_int(json, "predicted_bytes", report->predicted_bytes);
    tool_json_int(json, "pieces", report->pieces);
    tool_sparse_add_error(json, &p->sparse, &s->result);
    tool_sparse_add_written(json, &p->sparse, &s->result);
    tool_sparse_add_phases(json, phases, phase_count, report->total_ms);
    tool_sparse_add_times(json, &s->result);
    if (s->result.timing.ms > 0) tool_json_real(json, "gflops", gflops(s));
    tool_json_report(json);
}
