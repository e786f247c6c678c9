/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/watch.h"

/* Launches the separator, which fills one number in f64: a kernel that no watched call launches. */
static tulle_status separate(const paper_watch *w) {
    tulle_status status = tulle_vec_fill(w->ctx, w->one, 0);
    return status == TULLE_OK ? tulle_ctx_synchronize(w->ctx) : status;
}

tulle_status paper_watch_open(const bench_session *session, paper_watch *w) {
    *w = (paper_watch){.ctx = session->ctx, .marks = paper_marks_open()};
    tulle_status status = tulle_vec_create(w->ctx, TULLE_F64, 1, &w->one);
    if (status != TULLE_OK || session->measured > 0) return status;
    paper_marks_on(&w->marks);
    status = separate(w);
    paper_marks_off(&w->marks);
    return status;
}

void paper_watch_close(paper_watch *w) {
    tulle_vec_destroy(w->one);
    paper_marks_close(&w->marks);
}

static tulle_status call_alone(const paper_watch *w, tool_call call, void *user) {
    tulle_status status = call(user);
    return status == TULLE_OK ? tulle_ctx_synchronize(w->ctx) : status;
}

tulle_status paper_watch_call(const paper_watch *w, tool_call call, void *user) {
    tulle_status status = call_alone(w, call, user);
    if (status != TULLE_OK) return status;
    paper_marks_on(&w->marks);
    status = call_alone(w, call, user);
    if (status == TULLE_OK) status = separate(w);
    paper_marks_off(&w->marks);
    return status;
}

void paper_watch_keep(bench_session *session, const bench_row *row) {
    if (!bench_row_write_unmeasured(row, "profile", NULL, session->json)) {
        bench_session_unwritten(session);
    } else {
        session->measured++;
    }
}
