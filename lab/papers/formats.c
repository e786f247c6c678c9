/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a matrix in other formats, each with all kernels of the format. */
#include <string.h>

#include "core/stopwatch.h"
#include "lab/papers/arrange.h"
#include "lab/papers/specs.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"
#include "tools/common/names.h"
#include "trials/spmv.h"

bool paper_work_lists(const char *list, const char *name) {
    if (strcmp(list, "*") == 0) return true;
    for (const char *word = list;;) {
        size_t length = strcspn(word, ",");
        if (strlen(name) == length && strncmp(name, word, length) == 0) return true;
        if (word[length] == '\0') return false;
        word += length + 1;
    }
}

/* Lists the step's kernels for the problem's format. */
static void list_kernels(const paper_step *step, const trial_problem *problem,
                         bench_variants *list) {
    tulle_backend backend = problem->device.backend;
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        if (step->kernels && !paper_work_lists(step->kernels, info.name)) continue;
        (void)paper_specs_add_kernel(&info, info.name, problem, list);
    }
}

static void measure_all(const paper_work *work, const trial_problem *problem, double prep_ms) {
    bench_variants list = {0};
    list_kernels(work->step, problem, &list);
    paper_work_measure(work, problem, &list, prep_ms, true);
    bench_variants_free(&list);
}

/* Converts twice and times the second conversion, for the first may load code and fill the pool. */
tulle_status paper_work_convert(const trial_problem *problem, const tulle_mat *A,
                                tulle_format format, tulle_mat **B, double *ms) {
    tulle_ctx *ctx = problem->ctx;
    tulle_status status = TULLE_OK;
    *B = NULL;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        tulle_mat_destroy(*B);
        *B = NULL;
        status = tulle_ctx_synchronize(ctx);
        double start = tulle__seconds();
        if (status == TULLE_OK) {
            status = tulle_mat_convert(ctx, A, format, problem->info.index, 0, B);
        }
        if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
        *ms = 1e3 * (tulle__seconds() - start);
    }
    return status;
}

/* True for a status that is a result: the matrix has too much padding in the format, or is too
 * large for the index type or for memory. */
static bool is_refusal(tulle_status status) {
    return status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE ||
           status == TULLE_OUT_OF_MEMORY || status == TULLE_INVALID_ARGUMENT;
}

void paper_work_without(const paper_work *work, tulle_format format, tulle_status status) {
    trial_problem problem = *work->problem;
    problem.info.format = format;
    problem.info.pattern_bytes = problem.info.value_bytes = 0;
    bench_variant variant = {.choice = TRIAL_FORCED};
    snprintf(variant.request, sizeof variant.request, "convert %s", tool_format_name(format));
    bench_row row = paper_work_row(work, &problem, &variant);
    if (is_refusal(status)) {
        if (!work->watch) paper_work_refused(work, &row);
        return;
    }
    char what[BENCH_ROW_TEXT];
    bench_session_failed(work->session, bench_row_text(&row, what), status);
}

/* The check of the problem in CSR serves for the same matrix in another format. */
void paper_work_other(const paper_work *work, tulle_format format, tulle_mat *A, double prep_ms,
                      tulle_status status) {
    const trial_problem *csr = work->problem;
    trial_problem problem;
    if (status == TULLE_OK) {
        status = trial_spmv_open(csr->ctx, A, csr->trans, trial_one_vector, work->matrix->seed,
                                 false, &problem);
    }
    if (status != TULLE_OK) { /* e.g. the place has no kernel for the format */
        paper_work_without(work, format, status);
        return;
    }
    problem.check = csr->check;
    measure_all(work, &problem, prep_ms);
    problem.check = NULL;
    trial_problem_close(&problem);
}

static void measure_formats(const paper_work *work) {
    const trial_problem *csr = work->problem;
    for (int f = 0; f < TULLE_FORMAT_COUNT && !bench_session_over(work->session); f++) {
        tulle_format format = (tulle_format)f;
        if (!paper_work_lists(work->step->formats, tool_format_name(format))) continue;
        if (format == csr->info.format) {
            measure_all(work, csr, 0);
            continue;
        }
        tulle_mat *A = NULL;
        double prep_ms = 0;
        tulle_status status = paper_work_convert(csr, csr->A, format, &A, &prep_ms);
        paper_work_other(work, format, A, prep_ms, status);
        tulle_mat_destroy(A);
    }
}

/* Measures the matrix with its rows sorted by length. Its results are in the order of the sorted
 * rows, so it has a check of its own. */
static tulle_status measure_by_length(const paper_work *work) {
    const trial_problem *csr = work->problem;
    trial_problem problem;
    paper_work sorted = *work;
    tulle_mat *A = NULL;
    tulle_status status = paper_arrange_by_length(csr->ctx, csr->A, &A);
    if (status == TULLE_OK) {
        status = trial_spmv_open(csr->ctx, A, csr->trans, trial_one_vector, work->matrix->seed,
                                 csr->check != NULL, &problem);
    }
    if (status == TULLE_OK) {
        sorted.problem = &problem;
        sorted.experiment.arranged = "rows by length";
        measure_formats(&sorted);
        trial_problem_close(&problem);
    }
    tulle_mat_destroy(A);
    return status;
}

void paper_work_formats(const paper_work *work) {
    measure_formats(work);
    if (!work->step->by_length || bench_session_over(work->session)) return;
    tulle_status status = measure_by_length(work);
    if (status != TULLE_OK) bench_session_failed(work->session, work->matrix->name, status);
}
