/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a row, from which its JSON line and its text are made; a field whose key begins with
 * '_' is for the text alone (tools/common/fields.h). */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench/row_values.h"
#include "tools/common/json.h"
#include "tools/common/names.h"
#include "tools/common/scatter.h"
#include "trials/making.h"
#include "trials/spmv.h"

static bool makes(const bench_row *row) {
    return row->problem->operation->makes;
}

static void add_experiment(cJSON *json, const bench_experiment *experiment) {
    if (!experiment) return;
    tool_json_int(json, TRIAL_KEY(paper), experiment->paper);
    tool_json_text(json, TRIAL_KEY(experiment), experiment->name);
    if (experiment->arranged) tool_json_text(json, TRIAL_KEY(arranged), experiment->arranged);
}

static void add_matrix(cJSON *json, const bench_row *row) {
    const tulle_mat_info *A = &row->problem->info;
    tool_json_text(json, TRIAL_KEY(matrix), row->matrix->name);
    tool_json_text(json, TRIAL_KEY(source), row->matrix->source);
    tool_json_bool(json, TRIAL_KEY(stand_in), strstr(row->matrix->name, "like:") != NULL);
    tool_json_text(json, TRIAL_KEY(class), bench_row_class(row));
    tool_json_int(json, TRIAL_KEY(rows), A->rows);
    tool_json_int(json, TRIAL_KEY(cols), A->cols);
    tool_json_int(json, TRIAL_KEY(nnz), A->nnz);
    tool_json_text(json, TRIAL_KEY(type), tool_type_name(A->type));
    tool_json_text(json, TRIAL_KEY(index), tool_index_name(A->index));
    if (!row->problem->A) return;
    tool_json_text(json, TRIAL_KEY(format), tool_format_name(A->format));
    if (A->format != TULLE_CSR) tool_json_text(json, "_as", tool_format_name(A->format));
    tool_json_int(json, TRIAL_KEY(matrix_bytes), A->pattern_bytes + A->value_bytes);
    tool_json_real(json, TRIAL_KEY(mean_row), A->mean_row);
    tool_json_real(json, TRIAL_KEY(sd_row), A->sd_row);
    tool_json_int(json, TRIAL_KEY(max_row), A->max_row);
}

/* Adds the block of vectors, and the number of rows of a block of A, which is 1 where entries are
 * numbers. */
static void add_blocks(cJSON *json, const trial_problem *p) {
    const bool has_blocks = !p->operation->general && p->info.format == TULLE_BSR;
    char block[TRIAL_BLOCK_TEXT];
    tool_json_text(json, TRIAL_KEY(trans), p->trans == TULLE_T ? "t" : "n");
    tool_json_int(json, TRIAL_KEY(k), p->block.vectors);
    tool_json_text(json, TRIAL_KEY(layout), trial_layout_name(p->block.layout));
    tool_json_int(json, TRIAL_KEY(block), has_blocks ? p->info.storage.block : 1);
    tool_json_text(json, "_block", trial_block_text(&p->block, block));
}

static const char *formula_of(const trial_problem *p) {
    if (p->operation->makes && trial_making_of(p)->second) return p->operation->makes->together;
    return p->trans == TULLE_T ? p->operation->transposed : p->operation->formula;
}

static void add_problem(cJSON *json, const bench_row *row) {
    const trial_problem *p = row->problem;
    const bool several = trial_is_product(p) && trial_is_block(&p->block);
    const bool acts = !trial_is_product(p) && !makes(row);
    tool_json_text(json, TRIAL_KEY(op), several ? "spmm" : p->operation->name);
    tool_json_text(json, "_formula", formula_of(p));
    tool_json_bool(json, "_makes", makes(row));
    if (acts)
        tool_json_text(json, TRIAL_KEY(detail), trial_operation_detail(p->operation, p->detail));
    if (p->fill > 0) tool_json_int(json, TRIAL_KEY(fill), p->fill);
    if (p->streams > 0) tool_json_int(json, TRIAL_KEY(streams), p->streams);
    add_matrix(json, row);
    add_blocks(json, p);
    tool_json_int(json, TRIAL_KEY(tasks), p->count > 1 ? p->count : 1);
    if (acts) tool_json_int(json, TRIAL_KEY(levels), p->levels);
    tool_json_int(json, TRIAL_KEY(seed), (int64_t)row->matrix->seed);
    if (makes(row)) bench_made_add_operands(json, row);
}

static void add_choice(cJSON *json, const bench_row *row, const char *choice) {
    const bench_variant *variant = row->variant;
    tool_json_text(json, TRIAL_KEY(kernel), row->kernel);
    tool_json_text(json, TRIAL_KEY(backend), tool_backend_name(row->place->device.backend));
    tool_json_text(json, TRIAL_KEY(choice), choice);
    tool_json_text(json, TRIAL_KEY(request), variant->request);
    tool_json_text(json, TRIAL_KEY(params), row->params);
    tool_json_int(json, TRIAL_KEY(threads), row->threads);
    if (row->processes > 0) tool_json_int(json, TRIAL_KEY(processes), row->processes);
    tool_json_text(json, TRIAL_KEY(peer_version), variant->peer ? variant->peer->version : NULL);
}

static void add_iterations(cJSON *json, const bench_row *row) {
    tool_json_int(json, TRIAL_KEY(iterations), row->iterations);
    tool_json_real(json, TRIAL_KEY(whole_ms), bench_row_whole_ms(row));
    tool_json_real(json, TRIAL_KEY(product_ms), row->problem->product_ms);
    tool_json_real(json, TRIAL_KEY(parts_ms), bench_row_parts_ms(row));
    tool_json_real(json, TRIAL_KEY(of_parts), bench_row_of_parts(row));
}

static double gbs(int64_t bytes, double ms) {
    return 1e-6 * (double)bytes / ms;
}

static void add_call(cJSON *json, const bench_row *row) {
    const tool_timing *t = &row->timing;
    tool_json_real(json, TRIAL_KEY(ms), t->ms);
    tool_json_real(json, TRIAL_KEY(ms_q10), t->q10);
    tool_json_real(json, TRIAL_KEY(ms_q90), t->q90);
    tool_json_real(json, TRIAL_KEY(ms_cold), t->cold);
    tool_json_int(json, TRIAL_KEY(samples), t->samples);
    tool_json_int(json, TRIAL_KEY(batch), t->batch);
    tool_json_known(json, TRIAL_KEY(gflops), bench_row_gflops(row));
    tool_json_real(json, TRIAL_KEY(gbs), bench_row_gbs(row));
    tool_json_real(json, TRIAL_KEY(gbs_kernel),
                   row->kernel_bytes < 0 ? (double)NAN : gbs(row->kernel_bytes, t->ms));
    if (row->effective_bytes > 0) {
        tool_json_real(json, TRIAL_KEY(gbs_effective), gbs(row->effective_bytes, t->ms));
    }
    tool_json_real(json, TRIAL_KEY(floor), bench_row_floor(row));
    if (row->iterations > 0) {
        add_iterations(json, row);
    } else if (row->problem->whole) {
        tool_json_real(json, TRIAL_KEY(whole_ms), bench_row_whole_ms(row));
    }
    if (row->core_ms > 0) tool_json_real(json, TRIAL_KEY(core_ms), row->core_ms);
    if (row->making_ms > 0) tool_json_real(json, TRIAL_KEY(making_ms), row->making_ms);
    if (row->paper_check) tool_json_int(json, TRIAL_KEY(apart), row->apart);
    tool_json_real(json, TRIAL_KEY(model_ms), 1e-6 * row->cost_bytes / row->place->copy_gbs);
    tool_json_real(json, TRIAL_KEY(prep_ms), row->prep_ms);
    if (row->convert_ms > 0) tool_json_real(json, TRIAL_KEY(convert_ms), row->convert_ms);
    tool_json_int(json, TRIAL_KEY(extra_bytes), row->extra_bytes);
    tool_json_known(json, TRIAL_KEY(err), row->err);
    if (row->problem->operation->fields) bench_values_add(json, row);
}

static void add_times(cJSON *json, const bench_row *row) {
    const char *right = bench_row_wrong(row) ? " WRONG" : "";
    if (makes(row)) {
        bench_made_add_times(json, row);
    } else {
        add_call(json, row);
    }
    if (makes(row) && isinf(row->err)) right = "pattern WRONG";
    const int64_t checked = row->problem->checked_rows;
    if (checked > 0 && !isnan(row->err)) tool_json_int(json, TRIAL_KEY(checked_rows), checked);
    tool_json_text(json, "_verdict", isnan(row->err) ? "not checked" : right);
    tool_json_real(json, "_floor_ms", bench_row_floor_ms(row));
    tool_json_int(json, "_floor_bytes", bench_row_minimal_bytes(row));
}

static void add_origin(cJSON *json, const bench_place *place) {
    const tool_load load = tool_load_now();
    const time_t now = time(NULL);
    char date[32];
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    tool_json_text(json, TRIAL_KEY(machine), place->machine);
    tool_json_real(json, TRIAL_KEY(copy_gbs), place->copy_gbs);
    tool_json_real(json, TRIAL_KEY(load), load.average);
    tool_json_int(json, TRIAL_KEY(processors), load.processors);
    tool_json_text(json, TRIAL_KEY(date), date);
    tool_json_text(json, TRIAL_KEY(commit), tulle_commit());
}

static cJSON *begin(const bench_row *row, const char *choice) {
    cJSON *json = tool_json_object();
    add_experiment(json, row->experiment);
    add_problem(json, row);
    add_choice(json, row, choice);
    return json;
}

bool bench_row_print(cJSON *fields, FILE *file) {
    tool_json_drop_text(fields);
    tool_json_print(fields, file, true);
    return fflush(file) == 0 && !ferror(file);
}

static bool finish(cJSON *json, const bench_row *row, FILE *file) {
    add_origin(json, row->place);
    return bench_row_print(json, file);
}

cJSON *bench_row_fields(const bench_row *row) {
    cJSON *json = begin(row, trial_choice_name(row->variant->choice));
    add_times(json, row);
    add_origin(json, row->place);
    return json;
}

bool bench_row_write(const bench_row *row, FILE *file) {
    return bench_row_print(bench_row_fields(row), file);
}

cJSON *bench_row_step_fields(const bench_row *row, const bench_row_step *step) {
    cJSON *json = begin(row, "tune");
    tool_json_text(json, TRIAL_KEY(search), step->search);
    tool_json_int(json, TRIAL_KEY(call), step->call);
    tool_json_real(json, TRIAL_KEY(call_ms), step->ms);
    tool_json_bool(json, TRIAL_KEY(counts), step->counts);
    tool_json_text(json, TRIAL_KEY(best), step->best);
    tool_json_real(json, TRIAL_KEY(best_ms), step->best_ms);
    tool_json_known(json, TRIAL_KEY(of_exhaustive), step->of_exhaustive);
    add_times(json, row);
    add_origin(json, row->place);
    return json;
}

bool bench_row_write_solution(const bench_row *row, const bench_row_solution *solution,
                              FILE *file) {
    cJSON *json = begin(row, "solution");
    tool_json_int(json, TRIAL_KEY(call), solution->number);
    tool_json_text(json, TRIAL_KEY(method), solution->method);
    tool_json_int(json, TRIAL_KEY(iterations), solution->iterations);
    tool_json_int(json, TRIAL_KEY(applications), solution->applications);
    tool_json_int(json, TRIAL_KEY(trials), solution->trials);
    tool_json_bool(json, TRIAL_KEY(settled), solution->settled);
    tool_json_real(json, TRIAL_KEY(left), solution->left);
    tool_json_real(json, TRIAL_KEY(solution_ms), solution->ms);
    add_times(json, row);
    return finish(json, row, file);
}

static void add_event(cJSON *events, const bench_row_event *e) {
    const double numbers[] = {e->lane, e->start_ms, e->copied_ms, e->done_ms, e->end_ms};
    cJSON_AddItemToArray(events, cJSON_CreateDoubleArray(numbers, 5));
}

bool bench_row_write_timeline(const bench_row *row, const bench_row_timeline *line, FILE *file) {
    cJSON *json = begin(row, "timeline");
    tool_json_int(json, TRIAL_KEY(lanes), line->lanes);
    tool_json_int(json, TRIAL_KEY(own_lanes), line->own);
    tool_json_real(json, TRIAL_KEY(ms), line->ms);
    cJSON *events = cJSON_AddArrayToObject(json, TRIAL_KEY(events));
    for (int i = 0; i < line->events; i++) add_event(events, &line->event[i]);
    return finish(json, row, file);
}

bool bench_row_write_unmeasured(const bench_row *row, const char *choice, const char *reason,
                                FILE *file) {
    cJSON *json = begin(row, choice);
    if (reason) tool_json_text(json, TRIAL_KEY(reason), reason);
    return finish(json, row, file);
}
