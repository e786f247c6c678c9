/* SPDX-License-Identifier: Apache-2.0 */
#include "node_systems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elastic_system.h"
#include "meshes.h"
#include "places.h"
#include "zoo.h"

/* Poses a problem that a wall may hold at x-min, and that has its weight as the load. */
static body body_of(tulle_ctx *ctx, const char *spec, bool held, tulle_quantity young,
                    double poisson) {
    const tulle_elastic_condition wall = {.group = "x-min", .kind = TULLE_DIRICHLET};
    const tulle_elasticity_problem p = {.first = young,
                                        .second = {.number = poisson},
                                        .force = {{.number = 0}, {.number = -7.7e4}},
                                        .condition_count = held,
                                        .conditions = &wall};
    elastic_system e = elastic_open(ctx, spec, &p, TULLE_BSR, TULLE_F64);
    const tulle_mesh_arrays mesh = mesh_arrays(e.mesh);
    body s = {.A = elastic_entries(ctx, e.A), .nodes = mesh.node_count, .dim = e.unknowns};
    s.at = calloc((size_t)e.n, sizeof *s.at);
    s.b = calloc((size_t)e.n, sizeof *s.b);
    assert_true(s.at && s.b);
    for (int64_t k = 0; k < e.n; k++) s.at[k] = mesh.coordinates[k];
    must(tulle_vec_read(ctx, e.b, s.b, 0));
    elastic_close(&e);
    return s;
}

body body_with(tulle_ctx *ctx, const char *spec, bool held, double poisson) {
    return body_of(ctx, spec, held, (tulle_quantity){.number = 2.1e11}, poisson);
}

/* True for a hexahedron of the stiffer material. */
typedef bool is_stiff(int64_t x, int64_t y, int64_t z, int64_t size);

static body body_of_materials(tulle_ctx *ctx, int side, is_stiff *stiff, int64_t size,
                              double jump) {
    const int64_t cells = (int64_t)side * side * side;
    char spec[32];
    double *young = calloc((size_t)cells, sizeof *young);
    assert_non_null(young);
    for (int64_t e = 0; e < cells; e++) {
        const int64_t x = e % side, y = e / side % side, z = e / side / side;
        young[e] = stiff(x, y, z, size) ? jump : 1;
    }
    snprintf(spec, sizeof spec, "box-hex:%d", side);
    body s = body_of(ctx, spec, true, (tulle_quantity){.of_elements = young}, 0.3);
    free(young);
    return s;
}

static bool is_in_odd_box(int64_t x, int64_t y, int64_t z, int64_t box) {
    return (x / box + y / box + z / box) % 2 != 0;
}

body body_of_two(tulle_ctx *ctx, int side, int box, double jump) {
    return body_of_materials(ctx, side, is_in_odd_box, box, jump);
}

static bool is_behind(int64_t x, int64_t y, int64_t z, int64_t soft) {
    (void)y;
    (void)z;
    return x >= soft;
}

body body_on_soft(tulle_ctx *ctx, int side, int soft, double jump) {
    return body_of_materials(ctx, side, is_behind, soft, jump);
}

body body_open(tulle_ctx *ctx, const char *spec, bool held) {
    return body_with(ctx, spec, held, 0.3);
}

/* Adds a body behind those that there are. */
static void add_body(body *s, const body *other) {
    for (int64_t k = 0; k < other->A.nnz; k++) {
        s->A.row[s->A.nnz + k] = s->A.rows + other->A.row[k];
        s->A.col[s->A.nnz + k] = s->A.rows + other->A.col[k];
        s->A.value[s->A.nnz + k] = other->A.value[k];
    }
    for (int64_t i = 0; i < other->A.rows; i++) {
        s->at[s->A.rows + i] = other->at[i];
        s->b[s->A.rows + i] = other->b[i];
    }
    s->A.nnz += other->A.nnz;
    s->A.rows = s->A.cols = s->A.rows + other->A.rows;
    s->nodes += other->nodes;
}

body body_copies(const body *first, const body *other, int count) {
    const size_t nnz = (size_t)(first->A.nnz + count * other->A.nnz);
    const size_t rows = (size_t)(first->A.rows + count * other->A.rows);
    body s = {.dim = first->dim};
    s.A.row = calloc(nnz, sizeof *s.A.row);
    s.A.col = calloc(nnz, sizeof *s.A.col);
    s.A.value = calloc(nnz, sizeof *s.A.value);
    s.at = calloc(rows, sizeof *s.at);
    s.b = calloc(rows, sizeof *s.b);
    assert_true(s.A.row && s.A.col && s.A.value && s.at && s.b);
    add_body(&s, first);
    for (int k = 0; k < count; k++) add_body(&s, other);
    return s;
}

body flow_of(int64_t side) {
    const int64_t nodes = side * side;
    body s = {.A = {.rows = 5 * nodes, .cols = 5 * nodes}, .nodes = nodes, .dim = 5};
    s.A.row = calloc((size_t)(125 * nodes), sizeof *s.A.row);
    s.A.col = calloc((size_t)(125 * nodes), sizeof *s.A.col);
    s.A.value = calloc((size_t)(125 * nodes), sizeof *s.A.value);
    s.b = calloc((size_t)(5 * nodes), sizeof *s.b);
    for (int64_t i = 0; i < 5 * nodes; i++) {
        const int64_t node = i / 5, r = i % 5;
        const int64_t around[] = {node - side, node - 1, node, node + 1, node + side};
        s.b[i] = sin((double)i);
        for (int k = 0; k < 5; k++) {
            const int64_t to = around[k];
            const bool wraps = (k == 1 && node % side == 0) || (k == 3 && to % side == 0);
            if (to < 0 || to >= nodes || wraps) continue;
            for (int64_t c = 0; c < 5; c++) {
                const double speed = 0.3 + 0.1 * (double)((r + c) % 5);
                const double wave = r == c ? 1 : 0.2 * speed * ((double)((r * 3 + c) % 4) - 1.5);
                s.A.row[s.A.nnz] = i;
                s.A.col[s.A.nnz] = 5 * to + c;
                s.A.value[s.A.nnz++] = k == 2 ? (r == c ? 4.1 : 0.3 * wave)
                                              : (r == c ? -1 : 0) + (k < 2 ? -0.4 : 0.4) * wave;
            }
        }
    }
    return s;
}

void body_free(body *s) {
    entries_free(&s->A);
    free(s->at);
    free(s->b);
}

void body_shuffle(body *s) {
    uint64_t random = 7;
    const size_t n = (size_t)(s->nodes * s->dim);
    int64_t *to = calloc((size_t)s->nodes, sizeof *to);
    double *at = calloc(n, sizeof *at), *b = calloc(n, sizeof *b);
    assert_true(to && at && b);
    for (int64_t i = 0; i < s->nodes; i++) to[i] = i;
    for (int64_t i = s->nodes - 1; i > 0; i--) {
        const int64_t other = (int64_t)((zoo_number(&random) + 1) / 2 * (double)(i + 1)) % (i + 1);
        const int64_t kept = to[i];
        to[i] = to[other];
        to[other] = kept;
    }
    for (int64_t k = 0; k < s->A.nnz; k++) {
        s->A.row[k] = to[s->A.row[k] / s->dim] * s->dim + s->A.row[k] % s->dim;
        s->A.col[k] = to[s->A.col[k] / s->dim] * s->dim + s->A.col[k] % s->dim;
    }
    for (int64_t k = 0; k < s->nodes * s->dim; k++) {
        at[to[k / s->dim] * s->dim + k % s->dim] = s->at[k];
        b[to[k / s->dim] * s->dim + k % s->dim] = s->b[k];
    }
    entries_sort(&s->A);
    free(to);
    free(s->at);
    free(s->b);
    s->at = at;
    s->b = b;
}

void body_drop_zeros(body *s) {
    entries *A = &s->A;
    int64_t kept = 0;
    for (int64_t k = 0; k < A->nnz; k++) {
        if (A->value[k] == 0) continue;
        A->row[kept] = A->row[k];
        A->col[kept] = A->col[k];
        A->value[kept++] = A->value[k];
    }
    A->nnz = kept;
}

tulle_vec *rigid_of(tulle_ctx *ctx, const double *at, int64_t nodes, int dim, tulle_type type) {
    tulle_vec *X = NULL, *B = NULL;
    void *numbers = values_as(at, nodes * dim, type);
    must(tulle_vec_create_columns(ctx, type, nodes, dim, TULLE_ROW_MAJOR, 0, &X));
    must(tulle_vec_write(ctx, X, numbers, 0));
    must(tulle_near_null_rigid(ctx, X, dim, &B));
    tulle_vec_destroy(X);
    free(numbers);
    return B;
}

placed_body place_body(tulle_ctx *ctx, const body *s, tulle_format format, tulle_type type) {
    const tulle_convert_options blocks = {.block = s->dim};
    placed_body p = {.rigid = s->at ? rigid_of(ctx, s->at, s->nodes, s->dim, type) : NULL};
    void *b = values_as(s->b, s->A.rows, type);
    p.A = entries_to_csr(ctx, &s->A, TULLE_I32, type);
    if (format == TULLE_BSR) {
        tulle_mat *csr = p.A;
        must(tulle_mat_convert_with(ctx, csr, TULLE_BSR, TULLE_I32, &blocks, &p.A));
        tulle_mat_destroy(csr);
    }
    must(tulle_vec_create(ctx, type, s->A.rows, &p.b));
    must(tulle_vec_create(ctx, type, s->A.rows, &p.x));
    must(tulle_vec_write(ctx, p.b, b, 0));
    must(tulle_vec_fill(ctx, p.x, 0));
    free(b);
    return p;
}

void placed_body_free(placed_body *p) {
    tulle_mat_destroy(p->A);
    tulle_vec_destroy(p->b);
    tulle_vec_destroy(p->x);
    tulle_vec_destroy(p->rigid);
}

int64_t iterations_of(tulle_ctx *ctx, tulle_method method, const placed_body *p,
                      const tulle_amg_options *o) {
    const tulle_solver_options s = {.method = method, .tolerance = 1e-8};
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *solver = NULL;
    tulle_solver_report r;
    must(tulle_linop_from_mat(ctx, p->A, &L));
    must(tulle_amg_create(ctx, p->A, o, &M));
    must(tulle_solver_create(ctx, L, M, &s, &solver));
    must(tulle_vec_fill(ctx, p->x, 0));
    must(tulle_solver_run(ctx, solver, p->b, p->x, &r));
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    tulle_solver_destroy(solver);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    return r.iterations;
}
