/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/json.h"

#include <string.h>
#include <time.h>

#include "tools/common/names.h"
#include "tools/common/scatter.h"

enum { DATE = 32 };

static void date_now(char text[DATE]) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void bench_json_experiment(cJSON *json, const bench_experiment *experiment) {
    if (!experiment) return;
    tool_json_int(json, "paper", experiment->paper);
    tool_json_text(json, "experiment", experiment->name);
    if (experiment->arranged) tool_json_text(json, "arranged", experiment->arranged);
}

void bench_json_matrix(cJSON *json, const bench_matrix *matrix, const tulle_mat_info *A,
                       const char *class) {
    tool_json_text(json, "matrix", matrix->name);
    tool_json_text(json, "source", matrix->source);
    tool_json_bool(json, "stand_in", strstr(matrix->name, "like:") != NULL);
    tool_json_text(json, "class", class);
    tool_json_int(json, "rows", A->rows);
    tool_json_int(json, "cols", A->cols);
    tool_json_int(json, "nnz", A->nnz);
    tool_json_text(json, "type", tool_type_name(A->type));
    tool_json_text(json, "index", tool_index_name(A->index));
}

void bench_json_layout(cJSON *json, const tulle_mat_info *A) {
    tool_json_text(json, "format", tool_format_name(A->format));
    tool_json_int(json, "matrix_bytes", A->pattern_bytes + A->value_bytes);
    tool_json_real(json, "mean_row", A->mean_row);
    tool_json_real(json, "sd_row", A->sd_row);
    tool_json_int(json, "max_row", A->max_row);
}

void bench_json_shape(cJSON *json, tulle_trans trans, const trial_block *block, int64_t rows) {
    tool_json_text(json, "trans", trans == TULLE_T ? "t" : "n");
    tool_json_int(json, "k", block->vectors);
    tool_json_text(json, "layout", trial_layout_name(block->layout));
    tool_json_int(json, "block", rows);
}

void bench_json_choice(cJSON *json, const bench_place *place, const bench_variant *variant,
                       const char *choice, const bench_ran *ran) {
    tool_json_text(json, "kernel", ran->kernel);
    tool_json_text(json, "backend", tool_backend_name(place->device.backend));
    tool_json_text(json, "choice", choice);
    tool_json_text(json, "request", variant->request);
    tool_json_text(json, "params", ran->params);
    tool_json_int(json, "threads", ran->threads);
    tool_json_text(json, "peer_version", variant->peer ? variant->peer->version : NULL);
}

void bench_json_origin(cJSON *json, const bench_place *place) {
    const tool_load load = tool_load_now();
    char date[DATE];
    date_now(date);
    tool_json_text(json, "machine", place->machine);
    tool_json_real(json, "copy_gbs", place->copy_gbs);
    tool_json_real(json, "load", load.average);
    tool_json_int(json, "processors", load.processors);
    tool_json_text(json, "date", date);
    tool_json_text(json, "commit", tulle_commit());
}

bool bench_json_print(cJSON *json, FILE *file) {
    tool_json_print(json, file, true);
    return fflush(file) == 0 && !ferror(file);
}
