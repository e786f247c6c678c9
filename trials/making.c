/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/making.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "trials/verdict.h"

/* Reads an operand into host memory. A trial that is run by itself needs that for its check only.
 */
static tulle_status open_host(const trial_making *m, const tulle_mat *A, bool check,
                              tool_csr *host) {
    return check || !m->alone ? tool_csr_open(m->ctx, A, host) : TULLE_OK;
}

static tulle_status open_second(trial_making *m, const tulle_mat *B, bool check) {
    if (!B) {
        m->b = m->a;
        m->host_b = m->host_a;
        return TULLE_OK;
    }
    m->B = B;
    tulle_status status = tulle_mat_describe(B, &m->b);
    return status == TULLE_OK ? open_host(m, B, check, &m->host_b) : status;
}

tulle_status trial_making_open(trial_problem *p, const trial_given *given) {
    trial_making *m = tool_alloc(1, sizeof *m);
    const trial_maker *maker = p->operation->makes;
    *m = (trial_making){.ctx = p->ctx,
                        .device = p->device,
                        .operation = p->operation,
                        .A = p->A,
                        .B = p->A,
                        .csr = given->csr,
                        .second = given->second,
                        .a = p->info,
                        .limit = given->limit,
                        .alone = given->alone,
                        .options = given->options};
    p->own = m;
    tulle_status status = open_host(m, m->A, given->check, &m->host_a);
    if (status == TULLE_OK) status = open_second(m, given->B, given->check);
    if (status != TULLE_OK || given->alone) return status;
    if (maker->fits) status = maker->fits(m);
    if (status != TULLE_OK) return status;
    if (maker->products) m->products = maker->products(m);
    if (given->check) m->known = trial_verdicts_create();
    return TULLE_OK;
}

void trial_making_close(trial_problem *problem) {
    trial_making *m = problem->own;
    if (!m) return;
    trial_verdicts_destroy(m->known);
    if (m->B != m->A) tool_csr_close(&m->host_b);
    tool_csr_close(&m->host_a);
    free(m);
}

tulle_status trial_making_prepare(const trial_problem *p, trial_task *task) {
    trial_made *made = tool_alloc(1, sizeof *made);
    const trial_making *m = trial_making_of(p);
    made->making = m;
    task->state = made;
    task->threads = p->device.threads;
    if (!m->operation->makes->begin) return TULLE_OK;
    const tulle_status status = m->operation->makes->begin(m, &made->C);
    if (status != TULLE_OK) trial_making_finish(made);
    return status;
}

tulle_status trial_making_run(void *state) {
    trial_made *made = state;
    const trial_making *m = made->making;
    trial_making_drop(made);
    if (m->limit) trial_limit_begin(m->limit);
    const tulle_status status = m->operation->makes->make(m, made->report, &made->C);
    if (m->limit) trial_limit_end(m->limit);
    return status;
}

/* Gives up the C of the last call, unless calls renew the values of one and the same C. */
void trial_making_drop(void *state) {
    trial_made *made = state;
    if (made->making->operation->makes->begin) return;
    tulle_mat_destroy(made->C);
    made->C = NULL;
}

void trial_making_finish(void *state) {
    trial_made *made = state;
    tulle_mat_destroy(made->C);
    free(made);
}

tulle_status trial_making_judge(trial_made *made, bool strict, double *units) {
    trial_verdict verdict;
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(made->C, &info);
    if (status == TULLE_OK) status = trial_verdict_of(made->making, made->C, strict, &verdict);
    if (status != TULLE_OK) return status;
    made->nnz = info.nnz;
    made->sorted = verdict.sorted;
    *units = verdict.units;
    return TULLE_OK;
}

tulle_status trial_making_error(const trial_problem *problem, void *state, double *units) {
    (void)problem;
    return trial_making_judge(state, true, units);
}

tulle_status trial_making_compare(const trial_made *made, bool rising, tool_entry_error *error) {
    const trial_making *m = made->making;
    tool_csr host = {0};
    tulle_status status = tool_csr_open(m->ctx, made->C, &host);
    if (status == TULLE_OK) status = m->operation->makes->verify(m, &host, rising, error);
    tool_csr_close(&host);
    return status;
}

const trial_key trial_making_fields[] = {
    TRIAL_KEY_operands_ms,     TRIAL_KEY_analysis_ms, TRIAL_KEY_count_ms,  TRIAL_KEY_allocate_ms,
    TRIAL_KEY_compute_ms,      TRIAL_KEY_finish_ms,   TRIAL_KEY_phases_ms, TRIAL_KEY_bound_bytes,
    TRIAL_KEY_predicted_bytes, TRIAL_KEY_pieces,      TRIAL_KEYS};

/* Takes phases, bytes and pieces from the report of a call. Bytes stay whole numbers in doubles,
 * because they are below 2^53. */
void trial_making_values(const tulle_spgemm_report *r, trial_values *values) {
    const double of[] = {r->operands_ms,   r->analysis_ms,         r->count_ms,
                         r->allocate_ms,   r->compute_ms,          r->finish_ms,
                         r->total_ms,      (double)r->bound_bytes, (double)r->predicted_bytes,
                         (double)r->pieces};
    memcpy(values->of, of, sizeof of);
}

static int64_t bytes_of(const trial_making *making, const tulle_mat_info *info) {
    return info->value_bytes + (making->operation->makes->values_alone ? 0 : info->pattern_bytes);
}

/* Returns the bytes of C in A's index type, or with 64-bit offsets where A's cannot count C's
 * entries; of a product in blocks, those of C in A's blocks. */
int64_t trial_making_result_bytes(const trial_making *making, int64_t nnz) {
    const trial_maker *maker = making->operation->makes;
    int64_t rows = maker->turned ? making->a.cols : making->a.rows;
    if (maker->coarse) rows = making->b.cols;
    if (maker->values_alone) return nnz * tulle_type_size(making->a.type);
    bool narrow = tulle_offset_size(making->a.index) == 4 && nnz <= INT32_MAX;
    const bool in_blocks = making->operation->in_blocks;
    const int64_t b = in_blocks ? making->a.storage.block : 1;
    return (rows / b + 1) * (narrow ? 4 : 8) + nnz * tulle_type_size(making->a.type) +
           nnz / (b * b) * tulle_index_size(making->a.index);
}

int64_t trial_making_bytes(const trial_making *making, int64_t nnz) {
    int64_t second = making->second ? bytes_of(making, &making->b) : 0;
    return bytes_of(making, &making->a) + second + trial_making_result_bytes(making, nnz);
}

tulle_status trial_maker_default(const trial_operation *operation, tulle_ctx *ctx, char name[64]) {
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const double ones[] = {1, 1, 1, 1};
    static const tulle_convert_options whole = {.block = 2};
    const trial_maker *maker = operation->makes;
    name[0] = '\0';
    if (!maker || !operation->fields) return TULLE_OK;
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    tulle_spgemm_report report;
    tulle_status status =
        tulle_mat_create_csr(ctx, 2, 2, 4, TULLE_I32, offsets, columns, TULLE_F64, ones, NULL, &A);
    if (status == TULLE_OK && operation->in_blocks) {
        status = tulle_mat_convert_with(ctx, A, TULLE_BSR, TULLE_I32, &whole, &B);
    }
    const tulle_mat *of = B ? B : A;
    const trial_making tiny = {.ctx = ctx, .operation = operation, .A = of, .B = of};
    if (status == TULLE_OK) status = maker->make(&tiny, &report, &C);
    if (status == TULLE_OK) snprintf(name, 64, "%s", report.kernel);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    return status;
}
