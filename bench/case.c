/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/case.h"

#include <stdlib.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "error.h"
#include "names.h"
#include "progress.h"

static bool known(const bench_session *s, const bench_matrix *matrix, tulle_type type,
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

bool bench_case_known(const bench_session *session, const bench_matrix *matrix, tulle_type type,
                      tulle_trans trans) {
    bool any = session->settings->index == BENCH_ANY_INDEX;
    tulle_index index = any ? TULLE_I32 : (tulle_index)session->settings->index;
    bench_variants list;
    bench_variants_list(session->settings, &session->peers, session->place.device.backend, type,
                        index, trans, &list);
    bool all = list.count > 0;
    for (int i = 0; i < list.count && all; i++) {
        all =
            known(session, matrix, type, any ? NULL : tool_index_name(index), trans, &list.item[i]);
    }
    bench_variants_free(&list);
    return all;
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

static void run_variants(bench_session *s, const bench_matrix *matrix, const bench_problem *problem,
                         const bench_variants *list) {
    bench_row *rows = tool_alloc((size_t)list->count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const bench_variant *variant = &list->item[i];
        if (known(s, matrix, problem->info.type, tool_index_name(problem->info.index),
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
        bench_session_keep(s, row);
        count++;
    }
    tool_progress_end();
    if (s->table) bench_report(rows, count, stdout);
    free(rows);
}

void bench_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A,
                    tulle_trans trans) {
    bench_problem problem;
    tulle_status status = bench_problem_open(session->ctx, A, trans, matrix->seed,
                                             !session->settings->no_check, &problem);
    if (status != TULLE_OK) {
        bench_session_failed(session, matrix->name, status);
        return;
    }
    bench_variants list;
    bench_variants_list(session->settings, &session->peers, session->place.device.backend,
                        problem.info.type, problem.info.index, trans, &list);
    run_variants(session, matrix, &problem, &list);
    bench_variants_free(&list);
    bench_problem_close(&problem);
}
