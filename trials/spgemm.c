/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/spgemm.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/error.h"

const trial_spgemm_options trial_spgemm_plain = {.alpha = 1};

static tulle_status fits(const trial_making *m) {
    if (m->a.cols == m->b.rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and B %" PRId64 " x %" PRId64
                       ": A B does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

int64_t trial_spgemm_products(const trial_making *m) {
    const tool_csr *a = &m->host_a, *b = &m->host_b;
    int64_t *lengths = tool_alloc((size_t)b->rows + 1, sizeof *lengths);
    for (int64_t p = 0; p < b->heads; p++) {
        lengths[tool_csr_row(b, p)] = tool_csr_offset(b, p + 1) - tool_csr_offset(b, p);
    }
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t e = 0; e < a->nnz; e++) sum += lengths[tool_csr_column(a, e)];
    free(lengths);
    return sum;
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    const trial_spgemm_options *o = trial_spgemm_options_of(m);
    return tulle_spgemm(m->ctx, o->op_a, o->op_b, tulle_num(o->alpha), m->A, m->B, &o->call, report,
                        C);
}

/* Compares C with its definition. With D the columns of each row of C must rise even where those of
 * the product need not. */
tulle_status trial_spgemm_verify(const trial_making *m, const tool_csr *C, bool rising,
                                 bool galerkin, tool_spgemm_error *error) {
    const trial_spgemm_options *o = trial_spgemm_options_of(m);
    const tulle_mat *D = o->call.D;
    const tulle_mat *mask = o->call.mask;
    tool_csr d = {0}, of_mask = {0};
    const tool_spgemm_claim claim = {.A = &m->host_a,
                                     .B = &m->host_b,
                                     .C = C,
                                     .op_A = o->op_a,
                                     .op_B = o->op_b,
                                     .alpha = o->alpha,
                                     .rising = rising || D,
                                     .D = D ? &d : NULL,
                                     .beta = o->beta,
                                     .mask = mask ? &of_mask : NULL,
                                     .galerkin = galerkin};
    tulle_status status = D ? tool_csr_open(m->ctx, D, &d) : TULLE_OK;
    if (status == TULLE_OK && mask) status = tool_csr_open(m->ctx, mask, &of_mask);
    if (status == TULLE_OK) status = tool_verify_spgemm(&claim, error);
    tool_csr_close(&of_mask);
    tool_csr_close(&d);
    return status;
}

/* Compares the chosen rows of C with those of A times B. */
static tulle_status verify_sample(const trial_making *m, const tool_csr *C, bool rising,
                                  tool_spgemm_error *error) {
    tool_csr c = tool_sample_rows(&m->sample, C);
    trial_making few = *m;
    few.host_a = tool_sample_rows(&m->sample, &m->host_a);
    tulle_status status = trial_spgemm_verify(&few, &c, rising, false, error);
    if (error->row >= 0) error->row = tool_sample_at(&m->sample, C->rows, error->row);
    tool_csr_close(&few.host_a);
    tool_csr_close(&c);
    return status;
}

/* Offsets that do not rise, or another shape, are found by the check of all rows. */
static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    const tool_csr *a = &m->host_a;
    const bool plain = !a->order && !C->order && C->rows == a->rows && !m->options;
    if (plain && tool_sample_is_part(&m->sample, C->rows) && tool_sample_fits(C)) {
        return verify_sample(m, C, rising, error);
    }
    return trial_spgemm_verify(m, C, rising, false, error);
}

static const trial_maker maker = {
    .together = "A B",
    .fits = fits,
    .products = trial_spgemm_products,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_spgemm = {
    .name = "spgemm",
    .kernels = "spgemm",
    .function = "",
    .formula = "A A",
    .fields = trial_making_fields,
    TRIAL_MAKES(maker),
};
