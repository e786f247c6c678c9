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

static void say_what(const bench_problem *problem, const bench_matrix *matrix,
                     const bench_variant *variant, char text[512]) {
    snprintf(text, 512, "%s %s %s %s", matrix->name, tool_type_name(problem->info.type),
             problem->trans == TULLE_T ? "t" : "n", variant->request);
}

/* Measures one variant into the next row; whether there is one. */
static bool measure(bench_session *s, const bench_problem *problem, const bench_variant *variant,
                    bench_row *row) {
    tulle_status status = bench_measure(problem, variant, &s->settings->budget, row);
    if (status == TULLE_OK) return true;
    bool not_its_case = status == TULLE_UNSUPPORTED || status == TULLE_NEEDS_PLAN;
    if (not_its_case) {
        (void)tool_error_line();
        return false;
    }
    char what[512];
    say_what(problem, row->matrix, variant, what);
    bench_session_failed(s, what, status);
    return false;
}

static void keep(bench_session *s, const bench_row *row) {
    s->measured++;
    if (s->json && !bench_row_write(row, s->json)) bench_session_unwritten(s);
    if (!(row->err > 1)) return;
    char what[512];
    say_what(row->problem, row->matrix, row->variant, what);
    tool_complain(TOOL_FAILED, "%s: WRONG: the error is %.3g times the bound", what, row->err);
    if (row->variant->choice != BENCH_PEER) s->wrong++;
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
        char what[512];
        say_what(problem, matrix, variant, what);
        (void)tool_progress(NULL, what, i, list->count);
        rows[count] = (bench_row){.place = &s->place, .matrix = matrix};
        if (measure(s, problem, variant, &rows[count])) keep(s, &rows[count++]);
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
