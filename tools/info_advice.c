/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle info says this about bytes, formats and kernels. */
#include <math.h>

#include "info_report.h"
#include "tools/common/fields.h"
#include "tools/common/lines.h"
#include "tools/common/names.h"
#include "tools/common/say.h"

#define TEXT                                                                                       \
    "<\nBytes of a product y = A x (csr, {values.type})\n"                                         \
    "  minimal       {traffic.minimal_bytes:bytes}: each input read once, each output written "    \
    "once\n"                                                                                       \
    "  effective     {traffic.effective_bytes:bytes}, {traffic.ratio:3g} times that: "             \
    "{traffic.line_bytes}-byte lines that blocks of {traffic.rows_per_block:count} rows touch\n"   \
    "                (matrix {traffic.matrix_bytes:bytes}, x {traffic.x_bytes:bytes}, y "          \
    "{traffic.y_bytes:bytes})\n>"                                                                  \
    "<\nAdvice\n  none          {no_advice}\n>"                                                    \
    "<\nAdvice for {advice.backend}, {advice.machine}\n"                                           \
    "  format        {advice._label}\n                {advice.format_why}\n"                       \
    "  kernel        {advice.kernel}<{?advice.params}:{advice.params}>\n"                          \
    "                {advice.kernel_summary}\n                {advice.kernel_why}\n>"              \
    "<  order         rcm (tulle convert --order rcm): bandwidth {advice.rcm.bandwidth:count} "    \
    "instead of {bandwidth:count},\n"                                                              \
    "                effective bytes {advice.rcm.ratio:2f} times what they are\n>"

static double ratio(const paper_traffic *t) {
    return t->minimal_bytes ? (double)t->effective_bytes / (double)t->minimal_bytes : 1;
}

/* Models give a time as the bytes that a plain copy moves meanwhile, which no measurement is needed
 * for. */
static void print_candidates(const cJSON *fields) {
    static const tool_column columns[] = {{"format", "{_label}"},
                                          {"kernel", "{kernel}"},
                                          {">least bytes", "{minimal_bytes:bytes}"},
                                          {">copied meanwhile", "{cost_bytes:bytes}"},
                                          {">times csr's", "{_times:3g}"},
                                          {NULL, NULL}};
    tool_say("\nModelled time of y = A x, as the bytes that a plain copy moves meanwhile\n");
    tool_say_table(fields, "advice.candidates", columns);
}

static void print_no_candidates(void) {
    tool_say(
        "  others        have no modelled times here: nearly all of them would be what it takes to "
        "start their kernels, which says nothing of formats\n");
}

static double rcm_ratio(const tool_info_report *r) {
    int64_t now = r->traffic.effective_bytes;
    return now > 0 ? (double)r->rcm_traffic.effective_bytes / (double)now : 1;
}

void tool_info_print_advice(const cJSON *fields, const tool_info_report *r) {
    static const tool_column columns[] = {{"format", "{_label}"},
                                          {"index bits", "{index}"},
                                          {">slots an entry", "{_fill:4g}"},
                                          {">f32", "<{_f32:bytes}><{?_f32_too_large}too large>"},
                                          {">f64", "<{_f64:bytes}><{?_f64_too_large}too large>"},
                                          {NULL, NULL}};
    tool_say("\nMemory\n");
    tool_say_table(fields, "memory", columns);
    tool_say_fields(fields, TEXT);
    if (r->no_advice[0]) return;
    if (tool_advice_is_start_alone(&r->advice)) {
        print_no_candidates();
    } else {
        print_candidates(fields);
    }
}

static void add_memory(cJSON *json, const tool_info_report *r) {
    cJSON *list = tool_json_list(json, "memory");
    for (int i = 0; i < r->formats.count; i++) {
        const tool_format *format = &r->formats.item[i];
        const double f32 = tool_format_bytes(format, &r->info, TULLE_F32);
        const double f64 = tool_format_bytes(format, &r->info, TULLE_F64);
        char label[TOOL_FORMAT_LABEL];
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "format", tool_format_name(format->format));
        if (format->storage.block) tool_json_int(item, "block", format->storage.block);
        tool_json_text(item, "index", tool_format_bits(format));
        tool_json_bool(item, "fits", format->fits);
        tool_json_int(item, "slots", format->storage.stored);
        tool_json_real(item, "f32_bytes", f32);
        tool_json_real(item, "f64_bytes", f64);
        tool_json_text(item, "_label", tool_format_label(format, label));
        tool_json_real(item, "_fill", tool_format_fill(format, &r->info));
        if (!isnan(f32)) tool_json_real(item, "_f32", f32);
        if (!isnan(f64)) tool_json_real(item, "_f64", f64);
        tool_json_bool(item, "_f32_too_large", isnan(f32));
        tool_json_bool(item, "_f64_too_large", isnan(f64));
    }
}

static void add_traffic(cJSON *json, const paper_traffic *t) {
    cJSON *child = tool_json_child(json, "traffic");
    tool_json_int(child, "line_bytes", PAPER_LINE_BYTES);
    tool_json_int(child, "rows_per_block", t->rows_per_block);
    tool_json_int(child, "blocks", t->blocks);
    tool_json_int(child, "minimal_bytes", t->minimal_bytes);
    tool_json_int(child, "effective_bytes", t->effective_bytes);
    tool_json_int(child, "matrix_bytes", t->matrix_bytes);
    tool_json_int(child, "x_bytes", t->x_bytes);
    tool_json_int(child, "y_bytes", t->y_bytes);
    tool_json_real(child, "ratio", ratio(t));
}

static void add_candidate(cJSON *json, const tool_candidate *candidate) {
    const tool_format *format = &candidate->format;
    char label[TOOL_FORMAT_LABEL];
    tool_json_text(json, "format", tool_format_name(format->format));
    tool_json_text(json, "_label", tool_format_label(format, label));
    if (format->storage.block) tool_json_int(json, "block", format->storage.block);
    tool_json_text(json, "index", tool_index_name(format->index));
    tool_json_text(json, "kernel", candidate->forecast.kernel);
    tool_json_text(json, "params", candidate->forecast.params);
    tool_json_int(json, "slots", format->storage.stored);
    tool_json_int(json, "minimal_bytes", candidate->forecast.minimal_bytes);
    tool_json_int(json, "kernel_bytes", candidate->forecast.kernel_bytes);
    tool_json_real(json, "cost_bytes", candidate->forecast.cost_bytes);
}

void tool_info_add_advice(cJSON *json, const tool_info_report *r) {
    const tool_advice *advice = &r->advice;
    add_memory(json, r);
    if (r->info.format == TULLE_CSR) add_traffic(json, &r->traffic);
    if (r->no_advice[0]) {
        tool_json_text(json, "no_advice", r->no_advice);
        return;
    }
    cJSON *child = tool_json_child(json, "advice");
    tool_json_text(child, "backend", tool_backend_name(advice->device.backend));
    tool_json_text(child, "machine", advice->device.name);
    add_candidate(child, &advice->item[advice->advised]);
    tool_json_text(child, "format_why", advice->format_why);
    tool_json_text(child, "kernel_why", advice->kernel_why);
    tool_json_text(child, "kernel_summary", advice->kernel_summary);
    if (r->rcm) {
        cJSON *rcm = tool_json_child(child, "rcm");
        tool_json_int(rcm, "bandwidth", r->rcm_bandwidth);
        tool_json_int(rcm, "effective_bytes", r->rcm_traffic.effective_bytes);
        tool_json_real(rcm, "ratio", rcm_ratio(r));
    }
    cJSON *list = tool_json_list(child, "candidates");
    for (int i = 0; i < advice->count; i++) {
        cJSON *item = tool_json_item(list);
        add_candidate(item, &advice->item[i]);
        tool_json_real(item, "_times", tool_advice_times_csr(advice, i));
    }
}
