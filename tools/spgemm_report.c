/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tools/common/json.h"
#include "tools/common/names.h"
#include "tools/common/table.h"

/* The phases of a call, in their order. */
typedef struct phase {
    const char *name;
    double ms;
} phase;

enum { PHASES = 6 };

static void phases_of(const tulle_spgemm_report *r, phase phases[PHASES]) {
    const phase all[PHASES] = {{"operands", r->operands_ms}, {"analysis", r->analysis_ms},
                               {"count", r->count_ms},       {"allocate", r->allocate_ms},
                               {"compute", r->compute_ms},   {"finish", r->finish_ms}};
    for (int i = 0; i < PHASES; i++) phases[i] = all[i];
}

/* A multiplication and an addition for each product. */
static double gflops(const tool_spgemm_result *r) {
    return 2e-6 * (double)r->report.products / r->ms;
}

/* Products for each entry of C; NaN where it has none. */
static double compression(const tool_spgemm_result *r) {
    return r->info.nnz > 0 ? (double)r->report.products / (double)r->info.nnz : NAN;
}

static int64_t matrix_bytes(const tool_spgemm_summary *s) {
    int64_t b = s->squared ? 0 : tool_spgemm_bytes(&s->product.B.info);
    return tool_spgemm_bytes(&s->product.A.info) + b + tool_spgemm_bytes(&s->result.info);
}

/* "900 x 900, 4,380 entries, f64, index 32/32" */
static void print_shape(const tulle_mat_info *info) {
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN];
    printf("%s x %s, %s entries, %s, index %s", tool_human_count(info->rows, rows),
           tool_human_count(info->cols, cols), tool_human_count(info->nnz, nnz),
           tool_type_name(info->type), tool_index_name(info->index));
}

static void print_operand(const tool_spgemm_operand *o) {
    char time[TOOL_HUMAN];
    printf("%s: ", o->name);
    print_shape(&o->info);
    printf(", %s in %s\n", o->source.has_file ? "read" : "made",
           tool_human_seconds(o->source.seconds, time));
}

static void print_product(const tool_spgemm_summary *s) {
    const tool_spgemm *p = &s->product;
    const tulle_spgemm_report *report = &s->result.report;
    printf("  place     %s, %s", tool_backend_name(s->device.backend), s->device.name);
    if (s->device.threads > 0) printf(", %d threads", s->device.threads);
    printf("\n  product   C = %g %s %s%s\n", p->alpha, p->A.op == TULLE_T ? "A'" : "A",
           s->squared ? "A" : "B", p->B.op == TULLE_T ? "'" : "");
    printf("  C         ");
    print_shape(&s->result.info);
    printf("%s\n", p->options.unsorted ? ", columns in any order" : "");
    printf("  kernel    %s%s%s\n", report->kernel, report->params[0] ? ":" : "", report->params);
}

static void print_products(const tool_spgemm_result *r) {
    char products[TOOL_HUMAN];
    printf("  products  %s", tool_human_count(r->report.products, products));
    if (r->info.nnz > 0) printf(", %.3g for each entry of C", compression(r));
    printf("\n");
}

static void print_error(const tool_spgemm_summary *s) {
    const tool_spgemm_error *error = &s->result.error;
    if (!s->product.check) {
        printf("  error     not checked\n");
    } else if (error->fault) {
        printf("  error     WRONG; C[%" PRId64 ", %" PRId64 "] %s\n", error->row, error->column,
               error->fault);
    } else if (error->units <= 1) {
        printf("  error     %.3g of the bound: right\n", error->units);
    } else {
        printf("  error     %.3g of the bound: WRONG; C[%" PRId64 ", %" PRId64
               "] is %.17g, should be %.17g\n",
               error->units, error->row, error->column, error->got, error->want);
    }
}

static void print_written(const tool_spgemm_summary *s) {
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (!s->product.output) return;
    printf("  written   %s, %s in %s\n", s->product.output,
           tool_human_bytes((double)s->result.written.file_bytes, bytes),
           tool_human_seconds(s->result.written.seconds, time));
}

static void print_memory(const tool_spgemm_summary *s) {
    char peak[TOOL_HUMAN], matrices[TOOL_HUMAN];
    printf("  memory    at most %s at a time, with C; %s %s\n",
           tool_human_bytes((double)s->result.report.peak_bytes, peak),
           s->squared ? "A and C take" : "A, B and C take",
           tool_human_bytes((double)matrix_bytes(s), matrices));
}

static void print_speed(const tool_spgemm_summary *s) {
    const tool_spgemm_result *r = &s->result;
    char time[TOOL_HUMAN], low[TOOL_HUMAN], high[TOOL_HUMAN];
    phase phases[PHASES];
    phases_of(&r->report, phases);
    printf("  phases    ");
    for (int i = 0; i < PHASES; i++) {
        printf("%s%s %s", i ? ", " : "", phases[i].name,
               tool_human_seconds(1e-3 * phases[i].ms, time));
    }
    printf("\n  first     %s\n", tool_human_seconds(1e-3 * r->first_ms, time));
    if (!(r->ms > 0)) return;
    printf("  time      %s (median of %" PRId64 "; deciles %s, %s)\n",
           tool_human_seconds(1e-3 * r->ms, time), s->product.repeat,
           tool_human_seconds(1e-3 * r->ms_q10, low), tool_human_seconds(1e-3 * r->ms_q90, high));
    printf("  speed     %.4g GFLOP/s\n", gflops(r));
}

void tool_spgemm_print(const tool_spgemm_summary *summary) {
    print_operand(&summary->product.A);
    if (!summary->squared) print_operand(&summary->product.B);
    print_product(summary);
    print_products(&summary->result);
    print_error(summary);
    print_written(summary);
    print_memory(summary);
    print_speed(summary);
}

static cJSON *add_matrix(cJSON *json, const char *key, const tulle_mat_info *info) {
    cJSON *item = tool_json_child(json, key);
    tool_json_int(item, "rows", info->rows);
    tool_json_int(item, "cols", info->cols);
    tool_json_int(item, "nnz", info->nnz);
    tool_json_text(item, "format", tool_format_name(info->format));
    tool_json_text(item, "index", tool_index_name(info->index));
    tool_json_int(item, "bytes", tool_spgemm_bytes(info));
    return item;
}

static void add_operand(cJSON *json, const char *key, const tool_spgemm_operand *o) {
    cJSON *item = add_matrix(json, key, &o->info);
    tool_json_text(item, "matrix", o->name);
    tool_json_text(item, "source", o->source.kind);
    tool_json_bool(item, "trans", o->op == TULLE_T);
}

static void add_error(cJSON *json, const tool_spgemm_error *error) {
    tool_json_real(json, "err", error->units);
    if (error->units <= 1) return;
    cJSON *item = tool_json_child(json, "wrong");
    tool_json_int(item, "row", error->row);
    tool_json_int(item, "column", error->column);
    tool_json_text(item, "fault", error->fault);
    tool_json_real(item, "got", error->got);
    tool_json_real(item, "want", error->want);
}

static void add_speed(cJSON *json, const tool_spgemm_result *r) {
    phase phases[PHASES];
    phases_of(&r->report, phases);
    cJSON *item = tool_json_child(json, "phases_ms");
    for (int i = 0; i < PHASES; i++) tool_json_real(item, phases[i].name, phases[i].ms);
    tool_json_real(item, "total", r->report.total_ms);
    tool_json_real(json, "first_ms", r->first_ms);
    if (!(r->ms > 0)) return;
    tool_json_real(json, "ms", r->ms);
    tool_json_real(json, "ms_q10", r->ms_q10);
    tool_json_real(json, "ms_q90", r->ms_q90);
    tool_json_real(json, "gflops", gflops(r));
}

void tool_spgemm_print_json(const tool_spgemm_summary *s) {
    const tool_spgemm *p = &s->product;
    const tulle_spgemm_report *report = &s->result.report;
    cJSON *json = tool_json_object();
    tool_json_text(json, "op", "spgemm");
    tool_json_text(json, "type", tool_type_name(s->result.info.type));
    add_operand(json, "a", &p->A);
    add_operand(json, "b", &p->B);
    (void)add_matrix(json, "c", &s->result.info);
    tool_json_bool(json, "squared", s->squared);
    tool_json_bool(json, "unsorted", p->options.unsorted);
    tool_json_real(json, "alpha", p->alpha);
    tool_json_text(json, "kernel", report->kernel);
    tool_json_text(json, "params", report->params);
    tool_json_text(json, "backend", tool_backend_name(s->device.backend));
    tool_json_text(json, "machine", s->device.name);
    tool_json_int(json, "threads", s->device.threads);
    tool_json_int(json, "products", report->products);
    tool_json_real(json, "compression", compression(&s->result));
    tool_json_int(json, "peak_bytes", report->peak_bytes);
    tool_json_int(json, "matrix_bytes", matrix_bytes(s));
    if (p->check) add_error(json, &s->result.error);
    if (p->output) tool_json_text(json, "file", p->output);
    if (p->output) tool_json_int(json, "file_bytes", s->result.written.file_bytes);
    add_speed(json, &s->result);
    tool_json_print(json, stdout, false);
}
