/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "tools/common/dominant.h"
#include "tools/common/error.h"
#include "tools/common/explain.h"
#include "tools/common/input.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"
#include "trials/op.h"
#include "trials/spmv.h"

/* Goes through all ways to ask for an operation, one after another. */
typedef struct walk {
    const bench_session *session;
    const trial_operation *operation;
    bench_layouts layouts;
    int detail, trans, block, layout; /* numbers of the next way */
    /* check shared by ways that differ by their format alone; NULL: none is made yet */
    trial_check *check;
} walk;

static walk start(const bench_session *s) {
    return (walk){.session = s,
                  .operation = trial_operation_of(s->settings->op),
                  .layouts = bench_layouts_of(s->settings, s->place.device.backend)};
}

static void forget_check(walk *w) {
    trial_check_release(w->check);
    w->check = NULL;
}

/* Finds the first transposition from w->trans on that is asked for; without --trans both are. */
static bool find_trans(walk *w) {
    const int asked = w->session->settings->trans;
    while (w->trans <= TULLE_T && asked != TRIAL_BOTH && asked != w->trans) w->trans++;
    return w->trans <= TULLE_T;
}

/* Finds the first way from w->detail and w->trans on that is asked for. */
static bool find(walk *w) {
    const bench_settings *settings = w->session->settings;
    const tulle_backend backend = w->session->place.device.backend;
    while (w->detail < TRIAL_DETAILS) {
        if (trial_operation_asked(w->operation, &settings->wish, backend, w->detail) &&
            find_trans(w)) {
            return true;
        }
        w->trans = TULLE_N;
        w->detail++;
    }
    return false;
}

/* Fills in the members that differ from one problem to the next; returns false when there are no
 * more problems. */
static bool next(walk *w, trial_given *given, const bench_layout **layout) {
    const bench_settings *settings = w->session->settings;
    if (!find(w)) return false;
    given->detail = w->detail;
    given->trans = (tulle_trans)w->trans;
    given->block = settings->blocks.item[w->block];
    *layout = &w->layouts.item[w->layout];
    if (w->layout == 0 || settings->own_vectors) forget_check(w);
    if (++w->layout < w->layouts.count) return true;
    w->layout = 0;
    if (++w->block < settings->blocks.count) return true;
    w->block = 0;
    w->trans++;
    return true;
}

/* Returns whether the format can multiply such a block: formats other than CSR and BSR take blocks
 * stored column by column alone. */
static bool is_taken(const trial_given *given, const bench_layout *layout) {
    const tulle_format format = layout->layout.format;
    return !trial_is_block(&given->block) || given->block.layout == TULLE_COLUMN_MAJOR ||
           format == TULLE_CSR || format == TULLE_BSR;
}

static void list_all(const walk *w, const trial_given *given, tulle_index index,
                     const bench_layout *layout, bench_variants *list) {
    const bench_session *s = w->session;
    const bench_kind kind = {.backend = s->place.device.backend,
                             .type = given->type,
                             .index = index,
                             .trans = given->trans,
                             .block = given->block,
                             .layout = layout,
                             .detail = given->detail,
                             .own = s->own};
    bench_variants_list(s->settings, &s->peers, &kind, w->operation, list);
}

static bool is_seen(const bench_session *s, const bench_matrix *matrix, const trial_given *given,
                    const char *index, const bench_variant *variant) {
    const bench_key key = {.machine = s->place.machine,
                           .backend = tool_backend_name(s->place.device.backend),
                           .matrix = matrix->name,
                           .type = tool_type_name(given->type),
                           .index = index,
                           .trans = given->trans == TULLE_T ? "t" : "n",
                           .request = variant->request};
    return bench_seen_has(s->seen, &key);
}

bool bench_case_known(const bench_session *session, const bench_matrix *matrix, tulle_type type) {
    const bool any = session->settings->index == BENCH_ANY_INDEX;
    const tulle_index index = any ? TULLE_I32 : (tulle_index)session->settings->index;
    bool all = !session->settings->own_vectors; /* the number of vectors comes from the matrix */
    trial_given given = {.type = type};
    const bench_layout *layout = NULL;
    walk w = start(session);
    while (all && next(&w, &given, &layout)) {
        if (!is_taken(&given, layout)) continue;
        bench_variants list;
        list_all(&w, &given, index, layout, &list);
        all = list.count > 0;
        for (int i = 0; i < list.count && all; i++) {
            const char *named = any ? NULL : tool_index_name(index);
            all = is_seen(session, matrix, &given, named, &list.item[i]);
        }
        bench_variants_free(&list);
    }
    return all;
}

static void leave_out(const bench_session *s, const bench_matrix *matrix) {
    const char *why = tool_error_line();
    if (!s->settings->quiet) fprintf(stderr, "tulle: bench: %s: left out: %s\n", matrix->name, why);
}

/* Measures the row's variant; one whose kernel turns out to need a plan is passed over. */
static bool measure(bench_session *s, bench_row *row) {
    const tulle_status status =
        bench_measure(row->problem, row->variant, &s->settings->budget, row);
    if (status == TULLE_OK) return true;
    if (status == TULLE_NEEDS_PLAN) {
        (void)tool_error_line();
    } else if (status == TULLE_UNSUPPORTED && row->variant->choice == TRIAL_RULE) {
        leave_out(s, row->matrix);
    } else {
        const bool peer = row->variant->choice == TRIAL_PEER;
        bench_session_give_up(s, row, status, row->problem->operation->makes && peer);
    }
    return false;
}

/* Measures all variants. convert_ms is the time of bringing A into its format, which counts as
 * preparing. */
static void run_variants(bench_session *s, const bench_matrix *matrix, const trial_given *given,
                         const trial_problem *problem, double convert_ms,
                         const bench_variants *list) {
    bench_row *rows = tool_alloc((size_t)list->count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const bench_variant *variant = &list->item[i];
        if (is_seen(s, matrix, given, tool_index_name(problem->info.index), variant)) {
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
    if (s->table) bench_report(rows, count);
    if (!trial_is_product(problem)) bench_standing_add(&s->standing, rows, count);
    free(rows);
}

/* Explains the choice of a kernel ahead of the rows, on standard error where rows go to standard
 * output as JSON. */
static void explain(bench_session *s, const bench_matrix *matrix, const trial_problem *problem) {
    tool_explanation explanation;
    const tulle_status status = tool_explain(s->ctx, problem->trans, problem->A, &explanation);
    if (status != TULLE_OK) {
        bench_session_failed(s, matrix->name, status);
        return;
    }
    FILE *file = s->table ? stdout : stderr;
    fprintf(file, "\n%s\n%s", matrix->name, explanation.text);
    fflush(file);
    tool_explanation_free(&explanation);
}

static tulle_status run_problem(bench_session *s, const bench_matrix *matrix, walk *w,
                                trial_given *given, const bench_layout *layout, double convert_ms) {
    trial_problem problem;
    given->known = w->check;
    const tulle_status status = trial_problem_open(s->ctx, w->operation, given, &problem);
    if (status != TULLE_OK) return status;
    if (!w->check) w->check = trial_check_retain(problem.check);
    if (s->settings->explain && !trial_is_block(&problem.block)) explain(s, matrix, &problem);
    bench_variants list;
    list_all(w, given, problem.info.index, layout, &list);
    run_variants(s, matrix, given, &problem, w->operation->general ? convert_ms : 0, &list);
    bench_variants_free(&list);
    trial_problem_close(&problem);
    return TULLE_OK;
}

/* Sets the number of vectors to the number of rows of a block of A. */
static tulle_status take_block_rows(trial_given *given) {
    tulle_mat_info info;
    const tulle_status status = tulle_mat_describe(given->A, &info);
    if (status != TULLE_OK) return status;
    given->block.vectors = info.storage.block;
    if (given->block.vectors > 1) return TULLE_OK;
    return tool_record(TULLE_TOO_LARGE,
                       "no blocks of several rows pay; name some, as --format bsr:block=3");
}

static tulle_status bring_format(const bench_session *s, trial_given *given,
                                 const bench_layout *layout, double *ms) {
    if (!given->csr) return TULLE_OK;
    const tulle_status status =
        tool_layout_apply(s->ctx, given->csr, &layout->layout, &given->A, ms);
    return status == TULLE_OK && s->settings->own_vectors ? take_block_rows(given) : status;
}

/* Measures A in one format. A format that is mostly padding is left out, and so is a problem that
 * the operation does not have. */
static void run_layout(bench_session *s, const bench_matrix *matrix, walk *w, trial_given *given,
                       const bench_layout *layout) {
    double ms = 0;
    tulle_status status = bring_format(s, given, layout, &ms);
    const bool padded = status == TULLE_TOO_LARGE;
    if (status == TULLE_OK) status = run_problem(s, matrix, w, given, layout, ms);
    if (padded || status == TULLE_UNSUPPORTED) {
        leave_out(s, matrix);
    } else if (status != TULLE_OK) {
        s->unread += status == TULLE_SHAPE_MISMATCH;
        bench_session_failed(s, matrix->name, status);
    }
    tulle_mat_destroy(given->A);
    given->A = NULL;
}

static void run_all(bench_session *s, const bench_matrix *matrix, trial_given *given) {
    walk w = start(s);
    const bench_layout *layout = NULL;
    given->seed = matrix->seed;
    given->fill = s->settings->wish.fill;
    given->check = !s->settings->no_check;
    given->budget = s->settings->budget;
    given->limit = &s->limit;
    given->hierarchy = &s->settings->hierarchy;
    while (!s->cut && next(&w, given, &layout)) {
        if (is_taken(given, layout)) run_layout(s, matrix, &w, given, layout);
    }
    forget_check(&w);
}

static tulle_status check_shape(const tulle_mat_info *info) {
    if (info->rows == info->cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH, "%" PRId64 " x %" PRId64 " is not square", info->rows,
                       info->cols);
}

/* Chooses the matrix that the operation computes with. */
static tulle_status choose(const bench_session *s, tulle_mat *A, trial_given *given) {
    const trial_operation *operation = trial_operation_of(s->settings->op);
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    given->n = info.rows;
    given->type = info.type;
    if (operation->general) {
        given->csr = tulle_mat_retain(A);
        return TULLE_OK;
    }
    status = check_shape(&info);
    if (status != TULLE_OK) return status;
    return operation->choose ? operation->choose(s->ctx, A, &given->csr)
                             : tool_dominant(s->ctx, A, &given->csr);
}

/* Opens B in A's type and notes its name; both are NULL where there is no B. */
static tulle_status open_second(const bench_session *s, trial_given *given) {
    const trial_maker *makes = trial_operation_of(s->settings->op)->makes;
    if (!makes) return TULLE_OK;
    given->second = s->settings->second;
    if (given->second) {
        const tulle_status status = tool_open_matrix(s->ctx, given->second, given->type,
                                                     (uint64_t)s->settings->seed, &given->B, NULL);
        return status == TULLE_OK ? tool_unfold_blocks(s->ctx, &given->B) : status;
    }
    given->second = makes->other;
    return makes->other ? makes->make_other(s->ctx, given->csr, &given->B) : TULLE_OK;
}

void bench_case_run(bench_session *session, const bench_matrix *matrix, tulle_mat *A) {
    trial_given given = {.count = 1};
    tulle_status status = choose(session, A, &given);
    if (status == TULLE_OK) status = open_second(session, &given);
    if (status == TULLE_OK) {
        run_all(session, matrix, &given);
    } else if (status == TULLE_UNSUPPORTED) {
        leave_out(session, matrix);
    } else {
        session->unread += tool_exit_code(status) == TOOL_BAD_INPUT;
        bench_session_failed(session, matrix->name, status);
    }
    tulle_mat_destroy(given.B);
    tulle_mat_destroy(given.csr);
}

void bench_case_run_size(bench_session *session, const bench_matrix *matrix, int64_t count,
                         int64_t n, tulle_type type) {
    trial_given given = {.n = n, .count = count, .type = type};
    run_all(session, matrix, &given);
}

void bench_case_run_mesh(bench_session *session, const bench_matrix *matrix, tulle_type type) {
    trial_given given = {.mesh = matrix->name, .count = 1, .type = type};
    run_all(session, matrix, &given);
}
