/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix in other formats, each with all of its kernels. */
#include <string.h>

#include "core/stopwatch.h"
#include "lab/papers/specs.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"
#include "tools/common/names.h"

static bool in_list(const char *list, const char *name) {
    if (strcmp(list, "*") == 0) return true;
    for (const char *word = list;;) {
        size_t length = strcspn(word, ",");
        if (strlen(name) == length && strncmp(name, word, length) == 0) return true;
        if (word[length] == '\0') return false;
        word += length + 1;
    }
}

/* All kernels for the problem's format. */
static void list_kernels(const bench_problem *problem, bench_variants *list) {
    tulle_backend backend = problem->device.backend;
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        (void)paper_specs_add_kernel(&info, info.name, problem, list);
    }
}

static void measure_all(const paper_work *work, const bench_problem *problem, double prep_ms) {
    bench_variants list = {0};
    list_kernels(problem, &list);
    paper_work_measure(work, problem, &list, prep_ms, true);
    bench_variants_free(&list);
}

/* Converts twice and times the second: the first may load code and fill the pool. */
static tulle_status convert(const bench_problem *csr, tulle_format format, tulle_mat **A,
                            double *ms) {
    tulle_status status = TULLE_OK;
    *A = NULL;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        tulle_mat_destroy(*A);
        status = tulle_ctx_synchronize(csr->ctx);
        double start = tulle__seconds();
        if (status == TULLE_OK) {
            status = tulle_mat_convert(csr->ctx, csr->A, format, csr->info.index, 0, A);
        }
        if (status == TULLE_OK) status = tulle_ctx_synchronize(csr->ctx);
        *ms = 1e3 * (tulle__seconds() - start);
    }
    return status;
}

/* Too much padding, or too large for the index type: that is the matrix's, and a result. */
static bool is_refusal(tulle_status status) {
    return status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE ||
           status == TULLE_OUT_OF_MEMORY || status == TULLE_INVALID_ARGUMENT;
}

static void refuse(const paper_work *work, tulle_format format, tulle_status status) {
    bench_problem problem = *work->problem;
    problem.info.format = format;
    problem.info.pattern_bytes = problem.info.value_bytes = 0;
    bench_variant variant = {.choice = BENCH_FORCED};
    snprintf(variant.request, sizeof variant.request, "convert %s", tool_format_name(format));
    bench_row row = paper_work_row(work, &problem, &variant);
    if (is_refusal(status)) {
        paper_work_refused(work, &row);
        return;
    }
    char what[BENCH_ROW_TEXT];
    bench_session_failed(work->session, bench_row_text(&row, what), status);
}

/* The CSR problem's reference is as good for the same matrix in another format. */
static void measure_converted(const paper_work *work, tulle_format format, tulle_mat *A,
                              double prep_ms) {
    const bench_problem *csr = work->problem;
    bench_problem problem;
    tulle_status status =
        bench_problem_open(csr->ctx, A, csr->trans, work->matrix->seed, false, &problem);
    if (status != TULLE_OK) { /* such as: no kernel for this format on this place */
        refuse(work, format, status);
        return;
    }
    problem.check = csr->check;
    measure_all(work, &problem, prep_ms);
    problem.check = NULL;
    bench_problem_close(&problem);
}

void paper_work_formats(const paper_work *work) {
    for (int f = 0; f < TULLE_FORMAT_COUNT && !bench_session_over(work->session); f++) {
        tulle_format format = (tulle_format)f;
        if (!in_list(work->step->formats, tool_format_name(format))) continue;
        if (format == work->problem->info.format) {
            measure_all(work, work->problem, 0);
            continue;
        }
        tulle_mat *A = NULL;
        double prep_ms = 0;
        tulle_status status = convert(work->problem, format, &A, &prep_ms);
        if (status == TULLE_OK) {
            measure_converted(work, format, A, prep_ms);
        } else {
            refuse(work, format, status);
        }
        tulle_mat_destroy(A);
    }
}
