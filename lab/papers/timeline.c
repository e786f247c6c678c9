/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the host that take tasks, Y + X A, from one list: a few compute on its cores, the
 * others drive the GPU, each with a stream of its own: they copy X and Y there from page-locked
 * memory, launch one block of threads, and copy Y back. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/backend.h"
#include "core/context.h"
#include "core/stopwatch.h"
#include "lab/papers/tasks.h"
#include "tools/common/error.h"
#include "trials/batch.h"

enum { OWN = 3, DRIVING = 30, COLUMNS = 4, TASKS_EACH = 6, OPERANDS = 3, Y = 2 };

/* A thread of the host, with all that a task needs. */
typedef struct lane {
    tulle_ctx *ctx;
    trial_problem problem; /* one task */
    trial_task task;
    tulle_vec *operand[OPERANDS]; /* the problem's X, A and Y */
    void *host[OPERANDS]; /* operands on the host, page-locked where the thread drives a GPU */
    bool open, prepared;  /* true when the problem is open, and the task prepared */
    tulle_status status;
} lane;

typedef struct show {
    lane *lane;
    int lanes;
    int64_t rows;
    bench_row_event *event; /* [tasks] event of each task */
    int tasks;
    atomic_int next;
    double start;
} show;

/* Makes the copy of an operand on the host. */
static tulle_status copy_out(lane *l, int i) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(l->operand[i], &info);
    if (status != TULLE_OK) return status;
    const size_t bytes = (size_t)(info.rows * info.cols * tulle_type_size(info.type));
    status = l->ctx->backend->host_allocate(l->ctx->place.device, bytes, &l->host[i]);
    return status == TULLE_OK ? tulle_vec_read(l->ctx, l->operand[i], l->host[i], 0) : status;
}

static tulle_status open_lane(const show *s, const char *where, lane *l) {
    const trial_operation *operation = &trial_operation_batch_axpy;
    const trial_given given = {.n = s->rows,
                               .count = 1,
                               .type = TULLE_F32,
                               .block = {COLUMNS, TULLE_ROW_MAJOR},
                               .detail = TRIAL_BATCH_TASKS,
                               .seed = 1};
    trial_problem *p = &l->problem;
    tulle_status status = tulle_ctx_create(where, NULL, &l->ctx);
    if (status == TULLE_OK) status = trial_problem_open(l->ctx, operation, &given, p);
    if (status != TULLE_OK) return status;
    l->open = true;
    l->operand[0] = p->x;
    l->operand[1] = ((const trial_vectors *)p->own)->second;
    l->operand[Y] = p->y;
    status = trial_problem_reset(p);
    for (int i = 0; i < OPERANDS && status == TULLE_OK; i++) status = copy_out(l, i);
    if (status == TULLE_OK) status = operation->prepare(p, &l->task);
    l->prepared = status == TULLE_OK;
    return status;
}

static void close_lane(lane *l) {
    if (l->prepared) l->problem.operation->finish(l->task.state);
    if (l->open) trial_problem_close(&l->problem);
    for (int i = 0; l->ctx && i < OPERANDS; i++) {
        l->ctx->backend->host_release(l->ctx->place.device, l->host[i]);
    }
    tulle_ctx_destroy(l->ctx);
}

static double now(const show *s) {
    return 1e3 * (tulle__seconds() - s->start);
}

static tulle_status copy_in(const lane *l) {
    tulle_status status = TULLE_OK;
    for (int i = 0; i < OPERANDS && status == TULLE_OK; i++) {
        status = tulle_vec_write(l->ctx, l->operand[i], l->host[i], 0);
    }
    return status == TULLE_OK ? tulle_ctx_synchronize(l->ctx) : status;
}

static tulle_status run_task(const show *s, int number, bench_row_event *event) {
    const lane *l = &s->lane[number];
    const bool own = number < OWN;
    *event = (bench_row_event){.lane = number, .start_ms = now(s)};
    tulle_status status = own ? TULLE_OK : copy_in(l);
    event->copied_ms = now(s);
    if (status == TULLE_OK) status = l->problem.operation->run(l->task.state);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(l->ctx);
    event->done_ms = now(s);
    if (status == TULLE_OK && !own) status = tulle_vec_read(l->ctx, l->operand[Y], l->host[Y], 0);
    event->end_ms = now(s);
    return status;
}

static void run_lane(show *s, int number) {
    tulle_status *status = &s->lane[number].status;
    for (int i; *status == TULLE_OK && (i = atomic_fetch_add(&s->next, 1)) < s->tasks;) {
        *status = run_task(s, number, &s->event[i]);
    }
}

/* Runs all tasks twice; the second time counts, for the first may load code and fill the pools. */
static tulle_status run_all(show *s) {
    for (int turn = 0; turn < 2; turn++) {
        atomic_store(&s->next, 0);
        s->start = tulle__seconds();
#pragma omp parallel num_threads(s->lanes)
        run_lane(s, omp_get_thread_num());
        for (int l = 0; l < s->lanes; l++) {
            if (s->lane[l].status != TULLE_OK) return s->lane[l].status;
        }
    }
    return TULLE_OK;
}

static double last_end(const show *s) {
    double end = 0;
    for (int i = 0; i < s->tasks; i++) {
        if (s->event[i].end_ms > end) end = s->event[i].end_ms;
    }
    return end;
}

static int count_own(const show *s) {
    int own = 0;
    for (int i = 0; i < s->tasks; i++) own += s->event[i].lane < OWN;
    return own;
}

static void keep(const show *s, bench_session *session, const bench_experiment *experiment) {
    trial_problem problem = s->lane[OWN].problem;
    problem.count = s->tasks;
    bench_matrix matrix = {.source = "generated", .seed = (uint64_t)session->settings->seed};
    snprintf(matrix.name, sizeof matrix.name, "%dx%lld", s->tasks, (long long)s->rows);
    const bench_variant variant = {.choice = TRIAL_RULE, .request = "time line"};
    bench_row row = {.place = &session->place,
                     .experiment = experiment,
                     .matrix = &matrix,
                     .problem = &problem,
                     .variant = &variant};
    snprintf(row.kernel, sizeof row.kernel, "%s", problem.operation->function);
    const bench_row_timeline line = {
        .event = s->event, .events = s->tasks, .lanes = s->lanes, .own = OWN, .ms = last_end(s)};
    session->measured++;
    if (session->json && !bench_row_write_timeline(&row, &line, session->json)) {
        bench_session_unwritten(session);
    }
    if (!session->table) return;
    printf(
        "\nPaper %d, %s: %d tasks of %lld rows in %.3g ms: %d on %d cores of the host, %d by %d "
        "threads that drive %s\n",
        experiment->paper, experiment->name, s->tasks, (long long)s->rows, line.ms, count_own(s),
        OWN, s->tasks - count_own(s), s->lanes - OWN, session->settings->on);
}

tulle_status paper_timeline(bench_session *session, const paper_settings *settings,
                            const paper_step *step) {
    enum { QUICK_ROWS = 64, QUICK_DRIVING = 2 };
    const bench_experiment experiment = {.paper = settings->paper->number,
                                         .name = step->experiment};
    const int lanes = OWN + (settings->quick ? QUICK_DRIVING : DRIVING);
    show s = {.lanes = lanes,
              .rows = settings->quick ? QUICK_ROWS : step->rows,
              .tasks = TASKS_EACH * lanes,
              .lane = tool_alloc((size_t)lanes, sizeof(lane)),
              .event = tool_alloc((size_t)(TASKS_EACH * lanes), sizeof(bench_row_event))};
    tulle_status status = TULLE_OK;
    for (int l = 0; l < lanes; l++) s.lane[l] = (lane){.status = TULLE_OK};
    for (int l = 0; l < lanes && status == TULLE_OK; l++) {
        status = open_lane(&s, l < OWN ? "cpu:1" : session->settings->on, &s.lane[l]);
    }
    if (status == TULLE_OK) status = run_all(&s);
    if (status == TULLE_OK) keep(&s, session, &experiment);
    for (int l = 0; l < lanes; l++) close_lane(&s.lane[l]);
    free(s.lane);
    free(s.event);
    return status;
}
