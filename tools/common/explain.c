/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/explain.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/names.h"

static tulle_status fill(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, tool_explanation *e) {
    size_t length = 0;
    tulle_status status = tulle_spmv_explain(ctx, op, A, NULL, 0, &length);
    if (status == TULLE_OK) status = tulle_spmv_alternatives(ctx, op, A, NULL, 0, &e->count);
    if (status != TULLE_OK) return status;
    e->text = tool_alloc(length + 1, 1);
    e->item = tool_alloc((size_t)e->count, sizeof *e->item);
    status = tulle_spmv_explain(ctx, op, A, e->text, length + 1, NULL);
    if (status != TULLE_OK) return status;
    return tulle_spmv_alternatives(ctx, op, A, e->item, e->count, &e->count);
}

tulle_status tool_explain(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                          tool_explanation *explanation) {
    *explanation = (tool_explanation){0};
    tulle_status status = fill(ctx, op, A, explanation);
    if (status != TULLE_OK) tool_explanation_free(explanation);
    return status;
}

void tool_explanation_free(tool_explanation *explanation) {
    free(explanation->text);
    free(explanation->item);
    *explanation = (tool_explanation){0};
}

void tool_explanation_add(cJSON *json, const tool_explanation *explanation) {
    cJSON *child = tool_json_child(json, "explanation");
    tool_json_text(child, "text", explanation->text);
    cJSON *list = tool_json_list(child, "alternatives");
    for (int i = 0; i < explanation->count; i++) {
        const tulle_alternative *a = &explanation->item[i];
        bool may = !a->why_not[0];
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "kernel", a->kernel);
        tool_json_text(item, "params", a->params);
        tool_json_text(item, "format", tool_format_name(a->format));
        tool_json_bool(item, "chosen", a->chosen);
        tool_json_bool(item, "needs_plan", a->needs_plan);
        tool_json_text(item, "why_not", may ? NULL : a->why_not);
        tool_json_real(item, "kernel_bytes", may ? (double)a->kernel_bytes : (double)NAN);
        tool_json_real(item, "cost_bytes", may ? a->cost_bytes : (double)NAN);
        tool_json_real(item, "ratio", may ? a->ratio : (double)NAN);
    }
}
