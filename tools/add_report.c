/* SPDX-License-Identifier: Apache-2.0 */
#include "add_report.h"

#include <stdio.h>

#include "sparse_report.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

enum { PHASES = 5 };

static void phases_of(const tulle_add_report *r, tool_phase phases[PHASES]) {
    const tool_phase all[PHASES] = {{"operands", r->operands_ms},
                                    {"count", r->count_ms},
                                    {"allocate", r->allocate_ms},
                                    {"compute", r->compute_ms},
                                    {"finish", r->finish_ms}};
    for (int i = 0; i < PHASES; i++) phases[i] = all[i];
}

static void print_formula(const tool_add *p) {
    tool_say("C = %g A%s + %g B%s", p->options.alpha, tool_operand_mark(&p->sparse.A),
             p->options.beta, tool_operand_mark(&p->sparse.B));
}

static void print_sum(const tool_add_summary *s) {
    const tool_add *p = &s->sum;
    const tool_sparse *sparse = &p->sparse;
    char both[TOOL_HUMAN];
    tool_say("  sum       ");
    print_formula(p);
    tool_say("\n");
    tool_sparse_print_result(sparse, &s->result, "");
    tool_say("  both      %s entries are where A and B have one\n",
             tool_human_count(s->report.both, both));
}

void tool_add_print(const void *user) {
    const tool_add_summary *summary = user;
    const tool_sparse *sparse = &summary->sum.sparse;
    const tool_sparse_result *result = &summary->result;
    tool_phase phases[PHASES];
    phases_of(&summary->report, phases);
    tool_sparse_print_operands(sparse);
    tool_sparse_print_place(&summary->device);
    print_sum(summary);
    tool_sparse_print_error(sparse, result);
    tool_sparse_print_written(sparse, result);
    tool_sparse_print_memory(sparse, result, summary->report.peak_bytes);
    tool_sparse_print_phases(phases, PHASES);
    tool_sparse_print_times(sparse, result);
    tool_sparse_print_floor(sparse, result, &summary->device, summary->copy_gbs);
}

void tool_add_print_line(const void *user) {
    const tool_add_summary *s = user;
    print_formula(&s->sum);
    tool_sparse_print_line(&s->result, "", NULL, &s->device);
    tool_sparse_print_written(&s->sum.sparse, &s->result);
}

void tool_add_print_json(const void *user) {
    const tool_add_summary *s = user;
    const tool_add *p = &s->sum;
    const tulle_add_report *report = &s->report;
    tool_phase phases[PHASES];
    phases_of(report, phases);
    cJSON *json = tool_json_object();
    tool_json_text(json, "op", "add");
    tool_sparse_add_matrices(json, &p->sparse, &s->result);
    tool_json_real(json, "alpha", p->options.alpha);
    tool_json_real(json, "beta", p->options.beta);
    tool_sparse_add_place(json, &s->device);
    tool_json_int(json, "both", report->both);
    tool_json_int(json, "peak_bytes", report->peak_bytes);
    tool_sparse_add_error(json, &p->sparse, &s->result);
    tool_sparse_add_written(json, &p->sparse, &s->result);
    tool_sparse_add_phases(json, phases, PHASES, report->total_ms);
    tool_sparse_add_times(json, &s->result);
    tool_sparse_add_floor(json, &p->sparse, &s->result, s->copy_gbs);
    tool_json_report(json);
}
