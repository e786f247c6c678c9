/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x, A the matrix of a diffusion problem on a mesh: computed anew from the corners of cells,
 * and, for comparison, by element matrices that are kept, and assembled. */
#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "trials/operation.h"
#include "trials/operators.h"
#include "trials/vectors.h"

enum { ROUNDINGS = 200 }; /* number of roundings in the arithmetic of an entry */

/* For the check: what y should be, and what the bound has of it. */
typedef struct expected {
    long double *value, *scale;
    double shape; /* the largest coordinate over the shortest edge from the first node of a cell */
} expected;

typedef struct reference {
    trial_mesh mesh;
    trial_operator o;
    double prep_ms; /* time of making o, in milliseconds */
    int64_t extra_bytes;
    void *x; /* on the host; NULL: results are not checked */
    expected wanted;
} reference;

static long double number_at(const trial_problem *p, const void *numbers, int64_t at) {
    return p->info.type == TULLE_F32 ? (long double)((const float *)numbers)[at]
                                     : (long double)((const double *)numbers)[at];
}

/* Returns the largest coordinate of the mesh over the least distance between the first node of a
 * cell and another node of it. */
static double shape_of(const trial_mesh *m, const tulle_mesh_arrays *a) {
    double least = INFINITY, far = 0;
    for (int64_t i = 0; i < a->node_count * a->dimension; i++) {
        far = fmax(far, fabs(a->coordinates[i]));
    }
    for (int64_t b = 0; b < m->info.cell_blocks; b++) {
        tulle_shape_info shape;
        if (tulle_shape_describe(a->blocks[b].shape, &shape) != TULLE_OK) continue;
        for (int64_t e = 0; e < a->blocks[b].count; e++) {
            const int32_t *nodes = a->blocks[b].nodes + e * shape.nodes;
            for (int i = 1; i < shape.nodes; i++) {
                double square = 0;
                for (int d = 0; d < a->dimension; d++) {
                    const double *x = a->coordinates + d;
                    const double edge =
                        x[(int64_t)nodes[i] * a->dimension] - x[(int64_t)nodes[0] * a->dimension];
                    square += edge * edge;
                }
                least = fmin(least, square);
            }
        }
    }
    return far / sqrt(least);
}

/* Adds one element to what is due in y: its products with x; and to the scale of the bound: the
 * largest entry of its matrix times the sum of its |x|. Masked rows have their diagonal alone. */
static void add_element(const trial_problem *p, const int32_t *nodes, int rows, const double *K,
                        const uint8_t *masked) {
    const reference *r = p->own;
    long double most = 0, size = 0;
    for (int ij = 0; ij < rows * rows; ij++) most = fmaxl(most, fabsl((long double)K[ij]));
    for (int j = 0; j < rows; j++) {
        if (!masked[nodes[j]]) size += fabsl(number_at(p, r->x, nodes[j]));
    }
    for (int i = 0; i < rows; i++) {
        const long double x = number_at(p, r->x, nodes[i]);
        r->wanted.scale[nodes[i]] += most * (masked[nodes[i]] ? fabsl(x) : size);
        if (masked[nodes[i]]) {
            r->wanted.value[nodes[i]] += (long double)K[i * rows + i] * x;
            continue;
        }
        for (int j = 0; j < rows; j++) {
            if (masked[nodes[j]]) continue;
            r->wanted.value[nodes[i]] +=
                (long double)K[i * rows + j] * number_at(p, r->x, nodes[j]);
        }
    }
}

/* Adds all elements to what is due in y, one after the other, with matrices that a CPU computes in
 * f64. */
static tulle_status add_elements(const trial_problem *p, const trial_mesh *m) {
    tulle_status status = TULLE_OK;
    for (int b = 0; b < m->problem.blocks && status == TULLE_OK; b++) {
        const tulle_elements *e = &m->problem.elements[b];
        const int64_t cells = (int64_t)e->nodes * e->nodes;
        double *K = tool_alloc((size_t)(e->count * cells), sizeof *K);
        status = tulle_diffusion_matrices(m->ctx, m->problem.D, b, TULLE_F64, K);
        for (int64_t k = 0; k < e->count && status == TULLE_OK; k++) {
            const int64_t at = e->layout == TULLE_INTERLEAVED ? k : k * cells;
            const int64_t step =
                e->layout == TULLE_INTERLEAVED ? (e->stride > 0 ? e->stride : e->count) : 1;
            double own[TULLE_MESH_MOST_NODES * TULLE_MESH_MOST_NODES];
            for (int64_t ij = 0; ij < cells; ij++) own[ij] = K[at + ij * step];
            add_element(p, (const int32_t *)e->list + k * e->nodes, e->nodes, own,
                        m->problem.masked);
        }
        free(K);
    }
    return status;
}

static tulle_status work_out(trial_problem *p, const char *spec) {
    reference *r = p->own;
    const size_t rows = (size_t)p->info.rows;
    trial_mesh m;
    tulle_ctx *ctx = NULL;
    tulle_mesh_arrays arrays;
    r->x = tool_alloc(rows, (size_t)tulle_type_size(p->info.type));
    r->wanted.value = tool_alloc(rows, sizeof *r->wanted.value);
    r->wanted.scale = tool_alloc(rows, sizeof *r->wanted.scale);
    tulle_status status = tulle_vec_read(p->ctx, p->x, r->x, 0);
    if (status == TULLE_OK) status = tulle_ctx_create("cpu", NULL, &ctx);
    if (status != TULLE_OK) return status;
    status = trial_mesh_open(ctx, spec, TULLE_F64, &m);
    if (status == TULLE_OK) {
        status = add_elements(p, &m);
        if (status == TULLE_OK) status = tulle_mesh_view(m.mesh, &arrays);
        if (status == TULLE_OK) r->wanted.shape = shape_of(&m, &arrays);
        trial_mesh_close(&m);
    }
    tulle_ctx_destroy(ctx);
    return status;
}

/* Makes the operator on opening, since the bytes that it moves depend on it. */
static tulle_status open_operator(trial_problem *p) {
    reference *r = p->own;
    tulle_memory_usage before, after;
    tulle_status status = tulle_ctx_memory(p->ctx, &before);
    const double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = trial_operator_open(&r->mesh, (trial_operator_kind)p->detail, &r->o);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    r->prep_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status != TULLE_OK) return status;
    r->extra_bytes = (int64_t)(after.in_use - before.in_use);
    p->minimal_bytes = r->o.bytes;
    return TULLE_OK;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    reference *r = tool_alloc(1, sizeof *r);
    *r = (reference){.x = NULL};
    tulle_status status = trial_mesh_open(p->ctx, given->mesh, given->type, &r->mesh);
    if (status != TULLE_OK) {
        free(r);
        return status;
    }
    p->own = r;
    p->info = r->mesh.csr;
    status = open_operator(p);
    if (status == TULLE_OK) status = trial_problem_vectors(p, given->seed);
    return status == TULLE_OK && given->check ? work_out(p, given->mesh) : status;
}

static void close_problem(trial_problem *p) {
    reference *r = p->own;
    if (!r) return;
    trial_operator_close(&r->o);
    trial_mesh_close(&r->mesh);
    free(r->wanted.value);
    free(r->wanted.scale);
    free(r->x);
    free(r);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const reference *r = p->own;
    task->state = (void *)p;
    task->prep_ms = r->prep_ms;
    task->extra_bytes = r->extra_bytes;
    return TULLE_OK;
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const reference *r = p->own;
    return tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), r->o.L, p->x, tulle_num(0), p->y);
}

static void finish(void *state) {
    (void)state; /* the operator is the problem's */
}

/* Returns the largest error of an entry over the largest entry of an element's matrix times |x|:
 * 200 roundings of arithmetic as in tulle/fem.h, which are independent, 8 sqrt(200) of them; and 16
 * s of f64, s being the shape, since metrics come from differences of coordinates in f64 and
 * metrics within 16 s count as alike. That is 113 u in f32, where the header, for certain, has 200
 * (1 + s). */
static long double tolerance(const trial_problem *p, const reference *r) {
    const long double geometry = trial_gamma(TULLE_F64, 16 * r->wanted.shape);
    const long double stored =
        p->detail == TRIAL_OPERATOR_narrow ? 2 * trial_gamma(TULLE_F32, 1) : 0;
    return trial_gamma_likely(p->info.type, ROUNDINGS) + geometry + stored;
}

static double worst(const trial_problem *p, const void *y) {
    const reference *r = p->own;
    const long double relative = tolerance(p, r);
    double units = 0;
    for (int64_t i = 0; i < p->info.rows; i++) {
        const long double bound =
            relative * r->wanted.scale[i] + ROUNDINGS * trial_least(p->info.type);
        const long double off = fabsl(number_at(p, y, i) - r->wanted.value[i]) / bound;
        if (isnan(off)) return (double)INFINITY;
        if ((double)off > units) units = (double)off;
    }
    return units;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const reference *r = p->own;
    (void)state;
    *units = (double)NAN;
    if (!r->x) return TULLE_OK;
    void *y = tool_alloc((size_t)p->info.rows, (size_t)tulle_type_size(p->info.type));
    const tulle_status status = tulle_vec_read(p->ctx, p->y, y, 0);
    if (status == TULLE_OK) *units = worst(p, y);
    free(y);
    return status;
}

const trial_operation trial_operation_matrix_free = {
    .name = "matrix_free",
    .function = "tulle_linop_apply",
    .formula = "A x on a mesh",
    .meshes = true,
#define X(word) #word,
    .detail = {TRIAL_OPERATORS(X)},
#undef X
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
