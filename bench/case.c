/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/case.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "bench/spmv.h"
#include "tools/common/error.h"
#include "tools/common/explain.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"

bool bench_case_seen(const bench_session *s, const bench_matrix *matrix, tulle_type type,
                     const char *index, tulle_trans trans, const bench_variant *variant) {
    bench_key key = {.machine = s->place.machine,
                     .backend = tool_backend_name(s->place.device.backend),
                     .matrix = matrix->name,
                     .type = tool_type_name(type),
                     .index = index,
                     .trans = trans == TULLE_T ? "t" : "n",
                     .request = variant->request};
    return bench_seen_has(s->seen, &key);
}

static bool kind_known(const bench_session *session, const bench_matrix *matrix,
                       const bench_kind *kind) {
    bool any = session->settings->index == BENCH_ANY_INDEX;
    bench_variants list;
    bench_variants_list(session->settings, &session->peers, kind, &list);
    bool all = list.count > 0;
    for (int i = 0; i < list.count && all; i++) {
        all =
            bench_case_seen(session, matrix, kind->type, any ? NULL : tool_index_name(kind->index),
                            kind->trans, &list.item[i]);
    }
    bench_variants_free(&list);
    return all;
}

/* Formats other than CSR and BSR have products with blocks column by column alone. */
static bool takes(const bench_block *block, const bench_layout *layout) {
    return !bench_is_block(block) || block->layout == TULLE_COLUMN_MAJOR ||
           layout->layout.format == TULLE_CSR || layout->layout.format == TULLE_BSR;
}

bool bench_case_known(const bench_session *session, const bench_matrix *matrix, tulle_type type,
                      tulle_trans trans) {
    bool any = session->settings->index == BENCH_ANY_INDEX;
    tulle_backend backend = session->place.device.backend;
    bench_kind kind = {.backend = backend,
                       .type = type,
                       .index = any ? TULLE_I32 : (tulle_index)session->settings->index,
                       .trans = trans};
    bench_layouts layouts = bench_layouts_of(session->settings, backend);
    const bench_blocks *blocks = &session->settings->blocks;
    if (session->settings->own_vectors) return false; /* the matrix has to be looked at */
    for (int i = 0; i < layouts.count * blocks->count; i++) {
        kind.layout = &layouts.item[i % layouts.count];
        kind.block = blocks->item[i / layouts.count];
        if (takes(&kind.block, kind.layout) && !kind_known(session, matrix, &kind)) return false;
    }
    return true;
}

/* Measures the row's variant; whether it could. */
static bool measure(bench_session *s, bench_row *row) {
    tulle_status status = bench_measure(row->problem, row->variant, &s->settings->budget, row);
    if (status == TULLE_OK) return true;
    bool not_its_case = status == TULLE_UNSUPPORTED || status == TULLE_NEEDS_PLAN;
    if (not_its_case) {
        (void)tool_error_line();
        return false;
    }
    char what[BENCH_ROW_TEXT];
    bench_session_failed(s, bench_row_text(row, what), status);
    return false;
}

void bench_case_variants(bench_session *s, const bench_matrix *matrix, const bench_problem *problem,
                         double convert_ms, const bench_variants *list, bench_case_noted *noted) {
    bench_row *rows = tool_alloc((size_t)list->count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const bench_variant *variant = &list->item[i];
        if (bench_case_seen(s, matrix, problem->info.type, tool_index_name(problem->info.index),
                            problem->trans, variant)) {
            s->known++;
            continue;
        }
        s->cut = bench_session_over(s);
        if (s->cut) break;
        bench_row *row = &rows[count];
        *row = (bench_row){
            .place = &s->place, .matrix = matrix, .problem = problem, .variant = variant};
        char what[BENCH_ROW_TEXT];
        (void)tool_progress(NULL, bench_row_text(row, what), i, list->count);
        if (!measure(s, row)) continue;
        row->prep_ms += convert_ms;
        bench_session_keep(s, row);
        count++;
    }
    tool_progress_end();
    if (s->table) bench_report(rows, count, stdout);
    if (noted) noted(s, rows, count);
    free(rows);
}

/* Before the rows; beside them where they go to standard output as JSON. */
static void explain(bench_session *s, const bench_matrix *matrix, const bench_problem *problem) {
    tool_explanation explanation;
    tulle_status status = tool_explain(s->ctx, problem->trans, problem->A, &explanation);
    if (status != TULLE_OK) {
        bench_session_failed(s, matrix->name, status);
        return;
    }
    FILE *file = s->table ? stdout : stderr;
    fprintf(file, "\n%s\n%s", matrix->name, explanation.text);
    fflush(file);
    tool_explanation_free(&explanation);
}

static void run_problem(bench_session *s, const bench_matrix *matrix, const bench_problem *problem,
                        const bench_layout *layout, double convert_ms) {
    bench_kind kind = {.backend = s->place.device.backend,
                       .type = problem->info.type,
                       .index = problem->info.index,
                       .trans = problem->trans,
                       .block = problem->block,
                       .layout = layout};
    if (s->settings->explain && !bench_is_block(&problem->block)) explain(s, matrix, problem);
    bench_variants list;
    bench_variants_list(s->settings, &s->peers, &kind, &list);
    bench_case_variants(s, matrix, problem, convert_ms, &list, NULL);
    bench_variants_free(&list);
}

/* The reference of the CSR problem is as good for the same matrix in another format. */
static tulle_status run_converted(bench_session *s, const bench_matrix *matrix,
                                  const bench_problem *csr, const bench_layout *layout) {
    tulle_mat *A = NULL;
    bench_problem problem = {0};
    double ms = 0;
    tulle_status status = tool_layout_apply(csr->ctx, csr->A, &layout->layout, &A, &ms);
    if (status == TULLE_OK) {
        status =
            bench_spmv_open(csr->ctx, A, csr->trans, csr->block, matrix->seed, false, &problem);
    }
    if (status == TULLE_OK) {
        problem.check = csr->check;
        run_problem(s, matrix, &problem, layout, ms);
        problem.check = NULL;
        bench_problem_close(&problem);
    }
    tulle_mat_destroy(A);
    return status;
}

/* One that is mostly padding is left out. */
static void leave_out(bench_session *s, const bench_matrix *matrix, tulle_status status) {
    if (status != TULLE_TOO_LARGE) {
        bench_session_failed(s, matrix->name, status);
        return;
    }
    const char *why = tool_error_line();
    if (!s->settings->quiet) fprintf(stderr, "tulle: bench: %s: left out: %s\n", matrix->name, why);
}

static void run_layout(bench_session *s, const bench_matrix *matrix, const bench_problem *csr,
                       const bench_layout *layout) {
    if (layout->layout.format == TULLE_CSR) {
        run_problem(s, matrix, csr, layout, 0);
        return;
    }
    tulle_status status = run_converted(s, matrix, csr, layout);
    if (status != TULLE_OK) leave_out(s, matrix, status);
}

static void run_block(bench_session *session, const bench_matrix *matrix, tulle_mat *A,
                      tulle_trans trans, bench_block block, const bench_layouts *layouts) {
    bench_problem problem;
    tulle_status status = bench_spmv_open(session->ctx, A, trans, block, matrix->seed,
                                          !session->settings->no_check, &problem);
    if (status != TULLE_OK) {
        bench_session_failed(session, matrix->name, status);
        return;
    }
    for (int l = 0; l < layouts->count && !session->cut; l++) {
        const bench_layout *layout = &layouts->item[l];
        if (takes(&block, layout)) run_layout(session, matrix, &problem, layout);
    }
    bench_problem_close(&problem);
}

/* Rows of a block of A in that layout. */
static tulle_status block_rows(bench_session *s, tulle_mat *A, const bench_layout *layout,
                               int64_t *rows) {
    tulle_mat *blocked = NULL;
    tulle_mat_info info;
    double ms = 0;
    tulle_status status = tool_layout_apply(s->ctx, A, &layout->layout, &blocked, &ms);
    if (status == TULLE_OK) status = tulle_mat_describe(blocked, &info);
    if (status == TULLE_OK) *rows = info.storage.block;
    tulle_mat_destroy(blocked);
    return status;
}

/* With as many vectors as each layout's blocks have rows. */
static void run_own(bench_session *s, const bench_matrix *matrix, tulle_mat *A, tulle_trans trans,
                    const bench_layouts *layouts) {
    const bench_blocks *blocks = &s->settings->blocks;
    for (int l = 0; l < layouts->count; l++) {
        const bench_layouts one = {.item = {layouts->item[l]}, .count = 1};
        int64_t rows = 0;
        tulle_status status = block_rows(s, A, &layouts->item[l], &rows);
        if (status == TULLE_OK && rows == 1) {
            status = tool_record(TULLE_TOO_LARGE,
                                 "no blocks of several rows pay; name some, as "
                                 "--format bsr:block=3");
        }
        if (status != TULLE_OK) leave_out(s, matrix, status);
        for (int b = 0; b < blocks->count && status == TULLE_OK && !s->cut; b++) {
            const bench_block block = {.vectors = rows, .layout = blocks->item[b].layout};
            run_block(s, matrix, A, trans, block, &one);
        }
    }
}

void bench_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A,
                    tulle_trans trans) {
    const bench_blocks *blocks = &session->settings->blocks;
    const bench_layouts layouts =
        bench_layouts_of(session->settings, session->place.device.backend);
    if (session->settings->own_vectors) {
        run_own(session, matrix, A, trans, &layouts);
        return;
    }
    for (int b = 0; b < blocks->count && !session->cut; b++) {
        run_block(session, matrix, A, trans, blocks->item[b], &layouts);
    }
}
