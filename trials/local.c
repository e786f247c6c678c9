/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x, A by its element matrices, which are symmetric: kept whole, packed, and packed in f32
 * under f64 vectors, as they are where many products are expected; packed with products that go
 * through memory, whole in patches, and other ways to add up; and A assembled, for comparison. The
 * floor of what is kept: its numbers and the nodes of elements once, x and y; of A assembled, that
 * of its product. */
#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "trials/elements.h"
#include "trials/operation.h"
#include "trials/vectors.h"

enum { FULL, PACKED, NARROW, PLAIN, PATCHES, COLOURS, ATOMIC, ASSEMBLED };

typedef struct reference {
    trial_elements box;
    tulle_vec *K; /* element matrices */
    /* The members below are for the check. */
    void *numbers, *x; /* element matrices and x in host memory; NULL: results are not checked */
} reference;

/* Returns the options of a detail. All but PLAIN say that many products will follow, as matrices
 * are optimised for many. */
static tulle_local_options options_of(int detail) {
    return (tulle_local_options){
        .scatter = detail == COLOURS   ? TULLE_SCATTER_COLOURS
                   : detail == ATOMIC  ? TULLE_SCATTER_ATOMIC
                   : detail == PATCHES ? TULLE_SCATTER_PATCHES
                                       : TULLE_SCATTER_OWNER,
        .symmetric = detail == PACKED || detail == NARROW || detail == PLAIN,
        .narrow = detail == NARROW,
        .expected_calls = detail == PLAIN ? 0 : 1000000};
}

static tulle_element_data data_of(const reference *r) {
    tulle_vec_info K = {.data = NULL};
    (void)tulle_vec_describe(r->K, &K); /* on failure data stays NULL, and the call refuses NULL */
    return (tulle_element_data){.values = K.data};
}

/* Fills element matrices, of which only upper triangles are random. */
static tulle_status fill(const trial_problem *p, reference *r, uint64_t seed) {
    const int64_t numbers = trial_elements_numbers(&r->box);
    const tulle_type type = p->info.type;
    void *host = tool_alloc((size_t)numbers, (size_t)tulle_type_size(type));
    tulle_status status = tulle_vec_create(p->ctx, type, numbers, &r->K);
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, r->K, seed);
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, r->K, host, 0);
#pragma omp parallel for
    for (int64_t e = 0; e < r->box.elements.count; e++) {
        for (int ij = 0; ij < TRIAL_HEXAHEDRON * TRIAL_HEXAHEDRON; ij++) {
            const int i = ij / TRIAL_HEXAHEDRON, j = ij % TRIAL_HEXAHEDRON;
            if (j >= i) continue;
            const int64_t to = trial_elements_at(&r->box, e, i, j);
            const int64_t from = trial_elements_at(&r->box, e, j, i);
            if (type == TULLE_F32) {
                ((float *)host)[to] = ((const float *)host)[from];
            } else {
                ((double *)host)[to] = ((const double *)host)[from];
            }
        }
    }
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, r->K, host, 0);
    r->numbers = host;
    return status;
}

static tulle_status open_vectors(trial_problem *p, uint64_t seed) {
    reference *r = p->own;
    const size_t size = (size_t)tulle_type_size(p->info.type);
    const tulle_status status = trial_problem_vectors(p, seed + 1);
    if (status != TULLE_OK) return status;
    r->x = tool_alloc((size_t)p->info.rows, size);
    return tulle_vec_read(p->ctx, p->x, r->x, 0);
}

/* Assembles the matrix of the element matrices. */
static tulle_status assemble(const trial_problem *p, tulle_mat **A) {
    const reference *r = p->own;
    const tulle_element_data K = data_of(r);
    tulle_assembly *S = NULL;
    tulle_status status =
        tulle_assembly_create(p->ctx, r->box.nodes, 1, &r->box.elements, NULL, &S);
    if (status == TULLE_OK) status = tulle_assembly_matrix(p->ctx, S, p->info.type, A);
    if (status == TULLE_OK) status = tulle_assembly_values(p->ctx, S, &K, tulle_num(0), *A);
    tulle_assembly_destroy(S);
    return status;
}

static void count(trial_problem *p) {
    const reference *r = p->own;
    const int64_t elements = r->box.elements.count, rows = TRIAL_HEXAHEDRON;
    const tulle_local_options o = options_of(p->detail);
    const int64_t cells = o.symmetric ? rows * (rows + 1) / 2 : rows * rows;
    const int64_t value = tulle_type_size(p->info.type);
    const int64_t number = o.narrow ? tulle_type_size(TULLE_F32) : value;
    p->flops = 2 * (double)(elements * rows * rows);
    p->minimal_bytes =
        elements * (cells * number + rows * (int64_t)sizeof(int32_t)) + 2 * p->info.rows * value;
    if (p->detail != ASSEMBLED) return;
    p->flops = 2 * (double)p->info.nnz;
    p->minimal_bytes = p->info.nnz * (value + tulle_index_size(p->info.index)) +
                       (p->info.rows + 1) * tulle_offset_size(p->info.index) +
                       2 * p->info.rows * value;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    if (given->detail == NARROW && given->type == TULLE_F32) {
        return tool_record(TULLE_UNSUPPORTED, "numbers in f32 under vectors in f64 are for f64");
    }
    reference *r = tool_alloc(1, sizeof *r);
    *r = (reference){.K = NULL};
    p->own = r;
    trial_elements_open(&r->box, given->n, 1, TULLE_INTERLEAVED);
    tulle_mat *A = NULL;
    tulle_status status = fill(p, r, given->seed);
    if (status == TULLE_OK) status = assemble(p, &A);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &p->info);
    tulle_mat_destroy(A);
    if (status == TULLE_OK) status = open_vectors(p, given->seed);
    count(p);
    if (given->check) return status;
    free(r->numbers);
    r->numbers = NULL;
    return status;
}

static void close_problem(trial_problem *p) {
    reference *r = p->own;
    if (!r) return;
    trial_elements_close(&r->box);
    tulle_vec_destroy(r->K);
    free(r->numbers);
    free(r->x);
    free(r);
}

typedef struct own_task {
    const trial_problem *problem;
    tulle_linop *L;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    tulle_linop_destroy(t->L);
    free(t);
}

static tulle_status make(const trial_problem *p, tulle_linop **L) {
    const reference *r = p->own;
    const tulle_element_data K = data_of(r);
    const tulle_local_options o = options_of(p->detail);
    if (p->detail != ASSEMBLED) {
        return tulle_linop_local(p->ctx, r->box.nodes, 1, &r->box.elements, &o, p->info.type, &K,
                                 L);
    }
    tulle_mat *A = NULL;
    tulle_status status = assemble(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_mat(p->ctx, A, L);
    tulle_mat_destroy(A);
    return status;
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    tulle_memory_usage before, after;
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_status status = tulle_ctx_memory(p->ctx, &before);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = make(p, &t->L);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status == TULLE_OK) {
        task->extra_bytes = (int64_t)(after.in_use - before.in_use);
        return TULLE_OK;
    }
    finish(t);
    return status;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const trial_problem *p = t->problem;
    return tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), t->L, p->x, tulle_num(0), p->y);
}

static long double number_at(const trial_problem *p, const void *numbers, int64_t at) {
    return p->info.type == TULLE_F32 ? (long double)((const float *)numbers)[at]
                                     : (long double)((const double *)numbers)[at];
}

/* The exact values of y, and the sums of magnitudes. */
typedef struct sums {
    long double *value, *size;
} sums;

static void add_element(const trial_problem *p, int64_t e, const sums *s) {
    const reference *r = p->own;
    for (int i = 0; i < TRIAL_HEXAHEDRON; i++) {
        const int64_t row = trial_elements_unknown(&r->box, e, i);
        for (int j = 0; j < TRIAL_HEXAHEDRON; j++) {
            const int64_t column = trial_elements_unknown(&r->box, e, j);
            const long double product =
                number_at(p, r->numbers, trial_elements_at(&r->box, e, i, j)) *
                number_at(p, r->x, column);
            s->value[row] += product;
            s->size[row] += fabsl(product);
        }
    }
}

/* Returns the largest error of y in units of tulle/fem.h's bound for 8 rows and 8 elements; a row
 * of the assembled matrix has no more terms. */
static double worst(const trial_problem *p, const void *y, const sums *s) {
    enum { TERMS = 2 * TRIAL_HEXAHEDRON + 4 };
    enum { PRODUCTS = TRIAL_HEXAHEDRON * TRIAL_HEXAHEDRON };
    const long double rounded = p->detail == NARROW ? trial_gamma(TULLE_F32, 1) : 0;
    const double terms = p->detail == ASSEMBLED ? PRODUCTS : TERMS;
    double units = 0;
    for (int64_t i = 0; i < p->info.rows; i++) {
        const long double bound = (trial_gamma(p->info.type, terms) + 2 * rounded) * s->size[i] +
                                  2 * PRODUCTS * trial_least(p->info.type);
        const long double off = fabsl(number_at(p, y, i) - s->value[i]) / bound;
        if (isnan(off)) return (double)INFINITY;
        if ((double)off > units) units = (double)off;
    }
    return units;
}

static double units_of(const trial_problem *p, const void *y) {
    const reference *r = p->own;
    const size_t rows = (size_t)p->info.rows;
    const sums s = {tool_alloc(rows, sizeof *s.value), tool_alloc(rows, sizeof *s.size)};
    for (size_t i = 0; i < rows; i++) s.value[i] = s.size[i] = 0;
    for (int64_t e = 0; e < r->box.elements.count; e++) add_element(p, e, &s);
    const double units = worst(p, y, &s);
    free(s.value);
    free(s.size);
    return units;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const reference *r = p->own;
    (void)state;
    *units = (double)NAN;
    if (!r->numbers) return TULLE_OK;
    void *y = tool_alloc((size_t)p->info.rows, (size_t)tulle_type_size(p->info.type));
    tulle_status status = tulle_vec_read(p->ctx, p->y, y, 0);
    if (status == TULLE_OK) *units = units_of(p, y);
    free(y);
    return status;
}

const trial_operation trial_operation_local = {
    .name = "local",
    .function = "tulle_linop_apply",
    .formula = "A x by elements",
    .sized = true,
    .detail = {"full", "packed", "narrow", "products", "patches", "colours", "atomic", "assembled"},
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
