/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/making_case.h"

#include <stdlib.h>

#include "bench/make.h"
#include "bench/op.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"

static bool known(const bench_session *s, const bench_matrix *matrix, tulle_type type,
                  const char *index, const bench_variant *variant) {
    bench_key key = {.machine = s->place.machine,
                     .backend = tool_backend_name(s->place.device.backend),
                     .matrix = matrix->name,
                     .type = tool_type_name(type),
                     .index = index,
                     .trans = "n",
                     .request = variant->request};
    return bench_seen_has(s->seen, &key);
}

static void list_all(const bench_session *s, tulle_type type, tulle_index index,
                     bench_variants *list) {
    const bench_kind kind = {
        .backend = s->place.device.backend, .type = type, .index = index, .trans = TULLE_N};
    bench_variants_make(s->settings, &s->peers, &kind, bench_maker_of(s->settings->op), s->own,
                        list);
}

bool bench_making_case_known(const bench_session *session, const bench_matrix *matrix,
                             tulle_type type) {
    bool any = session->settings->index == BENCH_ANY_INDEX;
    tulle_index index = any ? TULLE_I32 : (tulle_index)session->settings->index;
    bench_variants list;
    list_all(session, type, index, &list);
    bool all = list.count > 0;
    for (int i = 0; i < list.count && all; i++) {
        all = known(session, matrix, type, any ? NULL : tool_index_name(index), &list.item[i]);
    }
    bench_variants_free(&list);
    return all;
}

static void run_variants(bench_session *s, const bench_matrix *matrix, const bench_making *making,
                         const bench_variants *list) {
    bench_made *rows = tool_alloc((size_t)list->count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const bench_variant *variant = &list->item[i];
        if (known(s, matrix, making->a.type, tool_index_name(making->a.index), variant)) {
            s->known++;
            continue;
        }
        s->cut = bench_session_over(s);
        if (s->cut) break;
        bench_made *row = &rows[count];
        *row = (bench_made){
            .place = &s->place, .matrix = matrix, .making = making, .variant = variant};
        char what[BENCH_ROW_TEXT];
        (void)tool_progress(NULL, bench_made_text(row, what), i, list->count);
        tulle_status status = bench_make(making, variant, &s->settings->budget, row);
        if (status != TULLE_OK) {
            bench_session_give_up(s, row, status, variant->choice == BENCH_PEER);
            continue;
        }
        bench_session_keep_made(s, row);
        count++;
    }
    tool_progress_end();
    if (s->table) bench_made_report(rows, count, stdout);
    bench_standing_add(&s->standing, rows, count);
    free(rows);
}

/* B in A's type, and its name; NULL where there is none. */
static tulle_status open_second(const bench_session *s, const bench_maker *maker,
                                const tulle_mat *A, tulle_type type, const char **name,
                                tulle_mat **B) {
    *name = s->settings->second;
    *B = NULL;
    if (*name) return tool_open_matrix(s->ctx, *name, type, (uint64_t)s->settings->seed, B, NULL);
    *name = maker->other;
    return *name ? maker->make_other(s->ctx, A, B) : TULLE_OK;
}

void bench_making_case_run(bench_session *session, const bench_matrix *matrix, const tulle_mat *A) {
    const bench_maker *maker = bench_maker_of(session->settings->op);
    tulle_mat_info info;
    tulle_mat *B = NULL;
    const char *second = NULL;
    bench_making making;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = open_second(session, maker, A, info.type, &second, &B);
    if (status == TULLE_OK) {
        status = bench_making_open(session->ctx, maker, A, B, second, !session->settings->no_check,
                                   &making);
    }
    if (status == TULLE_OK) {
        bench_variants list;
        making.limit = &session->limit;
        list_all(session, info.type, info.index, &list);
        run_variants(session, matrix, &making, &list);
        bench_variants_free(&list);
        bench_making_close(&making);
    } else {
        session->unread += tool_exit_code(status) == TOOL_BAD_INPUT;
        bench_session_failed(session, matrix->name, status);
    }
    tulle_mat_destroy(B);
}
