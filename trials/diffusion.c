/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a diffusion problem's matrix, or its right-hand side, from the coordinates of a
 * mesh, on a pattern that is there: of a box of hexahedra, whose nodes inside were moved (general)
 * or not (boxes), of tetrahedra, or of a square of quadrilaterals. The floor has the nodes of each
 * element, the coordinates, and each number that is made once. */
#include "trials/diffusion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "fem/elements/jobs.h"
#include "tools/common/error.h"
#include "trials/mesh_problem.h"
#include "trials/operation.h"
#include "trials/sampled.h"
#include "trials/vectors.h"

#define REAL long double
#define FUNCTION(type, name) static inline type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL
#define LOAD(p) (*(p))
#include "fem/elements/isoparametric.h"
/* The formulas come before what is made of them. */
#include "fem/elements/cell_integrals.h"

enum { GENERAL, BOXES, TETRAHEDRA, QUADRILATERALS, LOAD_OF_GENERAL };

typedef struct reference {
    trial_diffusion made; /* comes first */
    bool check;
    tool_csr pattern; /* for the check, on the host */
    tulle_mat *csr;   /* matrix of that pattern */
} reference;

static const tulle_diffusion_problem problem_of_all = {.f = {.number = 1}};

/* Makes the detail's mesh, with about n nodes. */
static tulle_status make_mesh(const trial_problem *p, int64_t n, reference *r) {
    static const char *const kinds[] = {"box-hex:%lld,perturb=0.2", "box-hex:%lld",
                                        "box-tet:%lld,perturb=0.1", "box-quad:%lld,perturb=0.2",
                                        "box-hex:%lld,perturb=0.2"};
    char spec[64];
    const bool flat = p->detail == QUADRILATERALS;
    const int64_t side = llround(flat ? sqrt((double)n) : cbrt((double)n)) - 1;
    snprintf(spec, sizeof spec, kinds[p->detail], (long long)(side < 1 ? 1 : side));
    tulle_status status = tulle_mesh_generate(p->ctx, spec, &r->made.mesh);
    return status == TULLE_OK ? tulle_mesh_view(r->made.mesh, &r->made.arrays) : status;
}

/* The objects of a measurement, made anew for each. */
typedef struct own_task {
    const trial_problem *problem;
    trial_mesh_problem posed;
    tulle_mat *A;
    tulle_vec *b;
} own_task;

static void close_task(own_task *t) {
    tulle_vec_destroy(t->b);
    tulle_mat_destroy(t->A);
    trial_mesh_problem_close(&t->posed);
}

static tulle_status make(const trial_problem *p, own_task *t) {
    const reference *r = p->own;
    tulle_ctx *ctx = p->ctx;
    tulle_status status = trial_mesh_problem_open(ctx, r->made.mesh, &problem_of_all, &t->posed);
    if (status == TULLE_OK) status = trial_mesh_problem_pattern(&t->posed);
    if (status == TULLE_OK) status = trial_mesh_problem_matrix(&t->posed, p->info.type, &t->A);
    if (status == TULLE_OK) {
        status = tulle_vec_create(ctx, p->info.type, r->made.arrays.node_count, &t->b);
    }
    return status;
}

static void count(trial_problem *p) {
    const reference *r = p->own;
    const tulle_mesh_block *block = &r->made.arrays.blocks[0];
    const int64_t value = tulle_type_size(p->info.type);
    const int64_t nodes = block->count * tulle__cell_nodes(block->shape);
    const int64_t numbers = p->detail == LOAD_OF_GENERAL ? p->info.rows : p->info.nnz;
    p->minimal_bytes =
        nodes * (int64_t)sizeof(int32_t) +
        r->made.arrays.node_count * r->made.arrays.dimension * (int64_t)sizeof(double) +
        numbers * value;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    reference *r = tool_alloc(1, sizeof *r);
    own_task t = {.problem = p};
    *r = (reference){.made.is_load = p->detail == LOAD_OF_GENERAL, .check = given->check};
    p->own = r;
    tulle_status status = make_mesh(p, given->n, r);
    if (status == TULLE_OK) status = make(p, &t);
    if (status == TULLE_OK) status = tulle_mat_describe(t.A, &p->info);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, 1, &p->x);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, 1, &p->y);
    if (status == TULLE_OK && given->check) {
        r->csr = tulle_mat_retain(t.A);
        status = tool_csr_open(p->ctx, r->csr, &r->pattern);
    }
    close_task(&t);
    if (status == TULLE_OK) count(p);
    return status;
}

static void close_problem(trial_problem *p) {
    reference *r = p->own;
    if (!r) return;
    tool_csr_close(&r->pattern);
    tulle_mat_destroy(r->csr);
    tulle_mesh_destroy(r->made.mesh);
    free(r);
}

static void finish(void *state) {
    close_task(state);
    free(state);
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const bool is_load = t->problem->detail == LOAD_OF_GENERAL;
    return trial_mesh_problem_values(&t->posed, is_load ? NULL : t->A, is_load ? t->b : NULL);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    tulle_memory_usage before, after;
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_status status = tulle_ctx_memory(p->ctx, &before);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = make(p, t);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = run(t); /* the first run allocates room for element matrices */
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status == TULLE_OK) {
        task->extra_bytes = (int64_t)(after.in_use - before.in_use);
        return TULLE_OK;
    }
    finish(t);
    return status;
}

static tulle__cells cells_of(const trial_diffusion *d) {
    const tulle_mesh_block *block = &d->arrays.blocks[0];
    return (tulle__cells){.shape = block->shape,
                          .count = block->count,
                          .nodes = block->nodes,
                          .dimension = d->arrays.dimension,
                          .coordinates = d->arrays.coordinates,
                          .stiff = true,
                          .k = {.number = 1},
                          .f = {.number = 1}};
}

/* Number of roundings of an entry of an element matrix, in units of the root of its two diagonal
 * entries' product, or of a number of its load: the roundings of 8 points, and of a Jacobian whose
 * condition is small. */
enum { ROUNDINGS = 400 };

/* Returns entry (a, b) of a symmetric element matrix, of which the upper triangle is stored. */
static long double entry_of(const long double *K, int m, int a, int b) {
    return K[a <= b ? tulle__packed_at(m, a, b) : tulle__packed_at(m, b, a)];
}

static double units_of_values(const reference *r, const tool_csr *values) {
    const tulle__cells cells = cells_of(&r->made);
    const int m = tulle__cell_nodes(cells.shape);
    trial_sampled s = trial_sampled_open(&r->pattern);
    for (int64_t e = 0; e < cells.count; e++) {
        const int32_t *node = cells.nodes + e * m;
        long double K[TULLE__CELL_PACKED];
        bool any = false;
        for (int a = 0; a < m; a++) any = any || trial_sampled_has(&s, node[a]);
        if (!any) continue;
        cell_matrix(cells.shape, &cells, e, K);
        for (int ab = 0; ab < m * m; ab++) {
            const int a = ab / m, b = ab % m;
            if (!trial_sampled_has(&s, node[a])) continue;
            const long double size = sqrtl(entry_of(K, m, a, a) * entry_of(K, m, b, b));
            trial_sampled_add(&s, node[a], node[b], entry_of(K, m, a, b), size);
        }
    }
    const double units = trial_sampled_worst(&s, values, ROUNDINGS);
    trial_sampled_close(&s);
    return units;
}

double trial_diffusion_error(const trial_diffusion *d, const double *v, const double *y) {
    const tulle__cells cells = cells_of(d);
    const int m = tulle__cell_nodes(cells.shape);
    const size_t nodes = (size_t)d->arrays.node_count;
    long double *sum = tool_alloc(nodes, sizeof *sum), *size = tool_alloc(nodes, sizeof *size);
    double worst = 0;
    for (size_t i = 0; i < nodes; i++) sum[i] = size[i] = 0;
    for (int64_t e = 0; e < cells.count; e++) {
        const int32_t *node = cells.nodes + e * m;
        long double K[TULLE__CELL_PACKED];
        cell_matrix(cells.shape, &cells, e, K);
        for (int ab = 0; ab < m * m; ab++) {
            const int a = ab / m, b = ab % m;
            const long double most = sqrtl(entry_of(K, m, a, a) * entry_of(K, m, b, b));
            sum[node[a]] += entry_of(K, m, a, b) * v[node[b]];
            size[node[a]] += most * fabsl((long double)v[node[b]]);
        }
    }
    for (size_t i = 0; i < nodes; i++) {
        const long double off =
            fabsl(y[i] - sum[i]) / (trial_gamma(TULLE_F64, ROUNDINGS) * size[i]);
        worst = isnan(off) ? (double)INFINITY : fmax(worst, (double)off);
    }
    free(size);
    free(sum);
    return worst;
}

static double units_of_load(const trial_problem *p, const void *b) {
    const reference *r = p->own;
    const tulle__cells cells = cells_of(&r->made);
    const int m = tulle__cell_nodes(cells.shape);
    const size_t nodes = (size_t)p->info.rows;
    long double *sum = tool_alloc(nodes, sizeof *sum), F[TULLE__CELL_NODES];
    double *given = tool_alloc(nodes, sizeof *given), units = 0;
    for (size_t i = 0; i < nodes; i++) sum[i] = 0;
    for (int64_t e = 0; e < cells.count; e++) {
        cell_load(cells.shape, &cells, given, e, F);
        for (int a = 0; a < m; a++) sum[cells.nodes[e * m + a]] += F[a];
    }
    for (size_t i = 0; i < nodes; i++) {
        const long double got = p->info.type == TULLE_F32 ? (long double)((const float *)b)[i]
                                                          : (long double)((const double *)b)[i];
        const long double off =
            fabsl(got - sum[i]) / (trial_gamma(p->info.type, ROUNDINGS) * sum[i]);
        units = isnan(off) ? (double)INFINITY : fmax(units, (double)off);
    }
    free(given);
    free(sum);
    return units;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const reference *r = p->own;
    const own_task *t = state;
    tool_csr values = {0};
    *units = (double)NAN;
    if (!r->check) return TULLE_OK;
    if (p->detail == LOAD_OF_GENERAL) {
        void *b = tool_alloc((size_t)p->info.rows, (size_t)tulle_type_size(p->info.type));
        const tulle_status status = tulle_vec_read(p->ctx, t->b, b, 0);
        if (status == TULLE_OK) *units = units_of_load(p, b);
        free(b);
        return status;
    }
    const tulle_status status = tool_csr_open(p->ctx, t->A, &values);
    if (status == TULLE_OK) *units = units_of_values(r, &values);
    tool_csr_close(&values);
    return status;
}

const trial_operation trial_operation_diffusion = {
    .name = "diffusion",
    .function = "tulle_diffusion_values",
    .formula = "A from coordinates",
    .sized = true,
    .detail = {"general", "boxes", "tetrahedra", "quadrilaterals", "load"},
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
