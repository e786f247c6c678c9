/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a matrix from element matrices, on a pattern that is there. x has the element
 * matrices. A peer leaves the values in y, in the order of a CSR whose columns rise. The floor has
 * each element matrix, the nodes of each element, and each value once. */
#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "trials/elements.h"
#include "trials/operation.h"
#include "trials/sampled.h"

enum { CSR, INTERLEAVED, ELL, BSR };

typedef struct reference {
    trial_elements box;
    tulle_assembly_options options;
    bool check;
    /* For the check: */
    tulle_mat *csr;   /* zeros on A's pattern */
    tool_csr pattern; /* csr in host memory */
    void *numbers;    /* x on the host */
} reference;

static tulle_assembly_options options_of(int detail) {
    if (detail == BSR) return (tulle_assembly_options){.unknowns = 3, .format = TULLE_BSR};
    return (tulle_assembly_options){.unknowns = 1, .format = detail == ELL ? TULLE_ELL : TULLE_CSR};
}

static tulle_status make(const trial_problem *p, tulle_assembly **S, tulle_mat **A) {
    const reference *r = p->own;
    tulle_status status =
        tulle_assembly_create(p->ctx, r->box.nodes, 1, &r->box.elements, &r->options, S);
    return status == TULLE_OK ? tulle_assembly_matrix(p->ctx, *S, p->info.type, A) : status;
}

static tulle_status open_check(trial_problem *p, tulle_mat *A) {
    reference *r = p->own;
    tulle_status status = tulle_mat_convert(p->ctx, A, TULLE_CSR, p->info.index, 0, &r->csr);
    if (status == TULLE_OK) status = tool_csr_open(p->ctx, r->csr, &r->pattern);
    if (status != TULLE_OK) return status;
    const size_t size = (size_t)tulle_type_size(p->info.type);
    r->numbers = tool_alloc((size_t)trial_elements_numbers(&r->box), size);
    return tulle_vec_read(p->ctx, p->x, r->numbers, 0);
}

static tulle_status open_vectors(trial_problem *p, uint64_t seed) {
    const reference *r = p->own;
    tulle_status status =
        tulle_vec_create(p->ctx, p->info.type, trial_elements_numbers(&r->box), &p->x);
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, p->x, seed);
    return status == TULLE_OK ? tulle_vec_create(p->ctx, p->info.type, p->info.nnz, &p->y) : status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    reference *r = tool_alloc(1, sizeof *r);
    const bool interleaved = given->detail == INTERLEAVED || given->detail == ELL;
    *r = (reference){.options = options_of(given->detail), .check = given->check};
    p->own = r;
    trial_elements_open(&r->box, given->n, r->options.unknowns,
                        interleaved ? TULLE_INTERLEAVED : TULLE_ELEMENT_MAJOR);
    tulle_assembly *S = NULL;
    tulle_mat *A = NULL;
    tulle_status status = make(p, &S, &A);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &p->info);
    if (status == TULLE_OK) status = open_vectors(p, given->seed);
    if (status == TULLE_OK && given->check) status = open_check(p, A);
    tulle_mat_destroy(A);
    tulle_assembly_destroy(S);
    const int64_t numbers = trial_elements_numbers(&r->box);
    const int64_t nodes = r->box.elements.count * TRIAL_HEXAHEDRON;
    p->flops = (double)numbers;
    p->minimal_bytes = (numbers + p->info.nnz) * tulle_type_size(p->info.type) +
                       nodes * (int64_t)sizeof *r->box.list;
    return status;
}

static void close_problem(trial_problem *p) {
    reference *r = p->own;
    if (!r) return;
    trial_elements_close(&r->box);
    tool_csr_close(&r->pattern);
    tulle_mat_destroy(r->csr);
    free(r->numbers);
    free(r);
}

typedef struct own_task {
    const trial_problem *problem;
    tulle_assembly *S;
    tulle_mat *A;
    const void *values;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    tulle_mat_destroy(t->A);
    tulle_assembly_destroy(t->S);
    free(t);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    tulle_assembly_info info;
    tulle_vec_info x;
    *t = (own_task){.problem = p};
    task->state = t;
    const double start = tulle__seconds();
    tulle_status status = make(p, &t->S, &t->A);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tulle_assembly_describe(t->S, &info);
    if (status == TULLE_OK) status = tulle_vec_describe(p->x, &x);
    if (status != TULLE_OK) {
        finish(t);
        return status;
    }
    task->extra_bytes = info.bytes;
    t->values = x.data;
    return TULLE_OK;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const tulle_element_data K = {.values = t->values};
    return tulle_assembly_values(t->problem->ctx, t->S, &K, tulle_num(0), t->A);
}

static long double number_at(const reference *r, tulle_type type, int64_t at) {
    return type == TULLE_F32 ? (long double)((const float *)r->numbers)[at]
                             : (long double)((const double *)r->numbers)[at];
}

/* Adds row i of element e's matrix to `row`, a row of A that is sampled. */
static void add_row(const trial_problem *p, const trial_sampled *s, int64_t e, int i, int64_t row) {
    const reference *r = p->own;
    for (int j = 0; j < trial_elements_rows(&r->box); j++) {
        const long double number = number_at(r, p->info.type, trial_elements_at(&r->box, e, i, j));
        trial_sampled_add(s, row, trial_elements_unknown(&r->box, e, j), number, fabsl(number));
    }
}

static void add_all(const trial_problem *p, const trial_sampled *s) {
    const reference *r = p->own;
    for (int64_t e = 0; e < r->box.elements.count; e++) {
        for (int i = 0; i < trial_elements_rows(&r->box); i++) {
            const int64_t row = trial_elements_unknown(&r->box, e, i);
            if (trial_sampled_has(s, row)) add_row(p, s, e, i, row);
        }
    }
}

/* Returns the error in units of tulle/fem.h's bound, which holds in any order. */
static double units_of(const trial_problem *p, const tool_csr *values) {
    const reference *r = p->own;
    trial_sampled s = trial_sampled_open(&r->pattern);
    add_all(p, &s);
    const double units = trial_sampled_worst(&s, values, 2);
    trial_sampled_close(&s);
    return units;
}

static tulle_status check_own(const trial_problem *p, const own_task *t, double *units) {
    tulle_mat *csr = NULL;
    tool_csr values = {0};
    tulle_status status = tulle_mat_convert(p->ctx, t->A, TULLE_CSR, p->info.index, 0, &csr);
    if (status == TULLE_OK) status = tool_csr_open(p->ctx, csr, &values);
    if (status == TULLE_OK) *units = units_of(p, &values);
    if (status == TULLE_OK) tool_csr_close(&values);
    tulle_mat_destroy(csr);
    return status;
}

static tulle_status check_peers(const trial_problem *p, double *units) {
    const reference *r = p->own;
    const size_t size = (size_t)tulle_type_size(p->info.type);
    tool_csr values = r->pattern;
    void *got = tool_alloc((size_t)p->info.nnz, size);
    tulle_status status = tulle_vec_read(p->ctx, p->y, got, 0);
    values.values = got;
    if (status == TULLE_OK) *units = units_of(p, &values);
    free(got);
    return status;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const reference *r = p->own;
    *units = (double)NAN;
    if (!r->check) return TULLE_OK;
    return state ? check_own(p, state, units) : check_peers(p, units);
}

const trial_operation trial_operation_assemble = {
    .name = "assemble",
    .function = "tulle_assembly_values",
    .formula = "A = sum of elements",
    .sized = true,
    .detail = {"csr", "interleaved", "ell", "bsr"},
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
