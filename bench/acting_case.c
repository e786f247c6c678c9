/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/acting_case.h"

#include <inttypes.h>
#include <stdio.h>

#include "bench/case.h"
#include "bench/op.h"
#include "tools/common/dominant.h"
#include "tools/common/error.h"
#include "tools/common/names.h"

/* What is given, all ways to ask for it one after another. */
typedef struct walk {
    const bench_session *session;
    const bench_actor *actor;
    bench_layouts layouts;
    int detail, trans, block, layout; /* the next one */
} walk;

static walk start(const bench_session *s) {
    return (walk){.session = s,
                  .actor = bench_actor_of(s->settings->op),
                  .layouts = bench_layouts_of(s->settings, s->place.device.backend)};
}

/* The first of op(A) from w->trans on that is asked for, as all actions are without --trans. */
static bool find_trans(walk *w) {
    const int asked = w->session->settings->trans;
    while (w->trans <= TULLE_T && asked != BENCH_BOTH && asked != w->trans) w->trans++;
    return w->trans <= TULLE_T;
}

/* The first from w->detail and w->trans on. */
static bool find(walk *w) {
    const bench_settings *settings = w->session->settings;
    const tulle_backend backend = w->session->place.device.backend;
    while (w->detail < BENCH_DETAILS) {
        if (bench_actor_asked(w->actor, settings, backend, w->detail) && find_trans(w)) return true;
        w->trans = TULLE_N;
        w->detail++;
    }
    return false;
}

/* Fills what differs from one problem to the next; false: that was all. */
static bool next(walk *w, bench_given *given, const bench_layout **layout) {
    const bench_settings *settings = w->session->settings;
    if (!find(w)) return false;
    given->detail = w->detail;
    given->trans = (tulle_trans)w->trans;
    given->block = settings->blocks.item[w->block];
    *layout = &w->layouts.item[w->layout];
    if (++w->layout < w->layouts.count) return true;
    w->layout = 0;
    if (++w->block < settings->blocks.count) return true;
    w->block = 0;
    w->trans++;
    return true;
}

static void list_all(const walk *w, const bench_given *given, tulle_index index,
                     const bench_layout *layout, bench_variants *list) {
    const bench_session *s = w->session;
    const bench_kind kind = {.backend = s->place.device.backend,
                             .type = given->type,
                             .index = index,
                             .trans = given->trans,
                             .block = given->block,
                             .layout = layout};
    bench_variants_act(s->settings, &s->peers, &kind, w->actor, given->detail, list);
}

static bool all_seen(const bench_session *s, const bench_matrix *matrix, tulle_type type,
                     const char *index, tulle_trans trans, const bench_variants *list) {
    bool all = list->count > 0;
    for (int i = 0; i < list->count && all; i++) {
        all = bench_case_seen(s, matrix, type, index, trans, &list->item[i]);
    }
    return all;
}

bool bench_acting_case_known(const bench_session *session, const bench_matrix *matrix,
                             tulle_type type) {
    bool any = session->settings->index == BENCH_ANY_INDEX, all = true;
    tulle_index index = any ? TULLE_I32 : (tulle_index)session->settings->index;
    bench_given given = {.type = type};
    const bench_layout *layout = NULL;
    walk w = start(session);
    while (all && next(&w, &given, &layout)) {
        bench_variants list;
        list_all(&w, &given, index, layout, &list);
        all = all_seen(session, matrix, type, any ? NULL : tool_index_name(index), given.trans,
                       &list);
        bench_variants_free(&list);
    }
    return all;
}

static void note(bench_session *s, const bench_row *rows, int count) {
    bench_standing_add_rows(&s->standing, rows, count);
}

static tulle_status run_problem(bench_session *s, const bench_matrix *matrix, const walk *w,
                                const bench_given *given, const bench_layout *layout) {
    bench_problem problem;
    tulle_status status = bench_acting_open(s->ctx, w->actor, given, &problem);
    if (status != TULLE_OK) return status;
    bench_variants list;
    list_all(w, given, problem.info.index, layout, &list);
    bench_case_variants(s, matrix, &problem, 0, &list, note);
    bench_variants_free(&list);
    bench_problem_close(&problem);
    return TULLE_OK;
}

/* The format is one that A comes in: bringing it there is no part of preparing. */
static tulle_status run_layout(bench_session *s, const bench_matrix *matrix, const walk *w,
                               bench_given *given, const bench_layout *layout) {
    double ms = 0;
    tulle_status status = TULLE_OK;
    if (given->csr) {
        status = tool_layout_apply(s->ctx, given->csr, &layout->layout, &given->A, &ms);
    }
    if (status == TULLE_OK) status = run_problem(s, matrix, w, given, layout);
    tulle_mat_destroy(given->A);
    given->A = NULL;
    return status;
}

static void leave_out(const bench_session *s, const bench_matrix *matrix) {
    const char *why = tool_error_line();
    if (!s->settings->quiet) fprintf(stderr, "tulle: bench: %s: left out: %s\n", matrix->name, why);
}

static void run_all(bench_session *s, const bench_matrix *matrix, bench_given *given) {
    walk w = start(s);
    const bench_layout *layout = NULL;
    given->seed = matrix->seed;
    given->fill = s->settings->fill;
    given->check = !s->settings->no_check;
    given->budget = s->settings->budget;
    while (!s->cut && next(&w, given, &layout)) {
        tulle_status status = run_layout(s, matrix, &w, given, layout);
        if (status == TULLE_UNSUPPORTED) {
            leave_out(s, matrix);
        } else if (status != TULLE_OK) {
            bench_session_failed(s, matrix->name, status);
        }
    }
}

static tulle_status check_shape(const tulle_mat_info *info) {
    if (info->rows == info->cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH, "%" PRId64 " x %" PRId64 " is not square", info->rows,
                       info->cols);
}

static tulle_status choose(bench_session *s, tulle_mat *A, tulle_mat **chosen) {
    const bench_actor *actor = bench_actor_of(s->settings->op);
    return actor->choose ? actor->choose(s->ctx, A, chosen) : tool_dominant(s->ctx, A, chosen);
}

void bench_acting_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A) {
    tulle_mat_info info;
    bench_given given = {.csr = NULL, .count = 1};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = check_shape(&info);
    if (status == TULLE_OK) status = choose(session, A, &given.csr);
    if (status == TULLE_OK) {
        given.n = info.rows;
        given.type = info.type;
        run_all(session, matrix, &given);
    } else if (status == TULLE_UNSUPPORTED) {
        leave_out(session, matrix);
    } else {
        session->unread += tool_exit_code(status) == TOOL_BAD_INPUT;
        bench_session_failed(session, matrix->name, status);
    }
    tulle_mat_destroy(given.csr);
}

void bench_acting_case_run_size(bench_session *session, const bench_matrix *matrix, int64_t count,
                                int64_t n, tulle_type type) {
    bench_given given = {.n = n, .count = count, .type = type};
    run_all(session, matrix, &given);
}

void bench_acting_case_run_mesh(bench_session *session, const bench_matrix *matrix,
                                tulle_type type) {
    bench_given given = {.mesh = matrix->name, .count = 1, .type = type};
    run_all(session, matrix, &given);
}
