/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion on meshes: orders of convergence to a solution that is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cell_matrix.h"
#include "diffusion_system.h"
#include "meshes.h"
#include "places.h"

/* What the order of convergence is measured with: u, k and c vary, and the flux of u. */
static double smooth(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return sin(2 * x[0]) * cos(x[1]) * exp(0.5 * x[2]);
}
static double conducting(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return 1 + 0.5 * x[0];
}
/* -div(k grad u) + 2 u; in a plane there is no z. */
static double source(const double x[3], int64_t element, void *user) {
    const bool flat = *(const bool *)user;
    const double u = smooth(x, element, NULL), ux = 2 * cos(2 * x[0]) * cos(x[1]) * exp(0.5 * x[2]);
    return -conducting(x, 0, NULL) * u * (-4 - 1 + (flat ? 0 : 0.25)) - 0.5 * ux + 2 * u;
}
/* k du/dx + 3 u at x = 1, and k du/dy at y = 1. */
static double at_x_max(const double x[3], int64_t element, void *user) {
    (void)user;
    return conducting(x, 0, NULL) * 2 * cos(2 * x[0]) * cos(x[1]) * exp(0.5 * x[2]) +
           3 * smooth(x, element, NULL);
}
static double at_y_max(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return -conducting(x, 0, NULL) * sin(2 * x[0]) * sin(x[1]) * exp(0.5 * x[2]);
}

/* The polynomial of a node of order 2 at a place. */
static double quadratic_share(tulle_shape shape, int node, const double at[3]) {
    double p[3], share = 1;
    must(tulle_shape_point(shape, node, p));
    for (int d = 0; d < 3; d++) {
        share *= p[d] == 0 ? 1 - at[d] * at[d] : at[d] * (at[d] + p[d]) / 2;
    }
    return share;
}

/* The root of the mean over cells of (u_h - u)^2 at a place of the reference cell: the middle of
 * cells of order 1, whose nodes have the same share there; of order 2, which do better in the
 * middle, another one. */
static double error_of(const tulle_mesh *mesh, const double *u) {
    static const double aside[3] = {0.5, 0.5, 0.5};
    const tulle_mesh_block block = mesh_arrays(mesh).blocks[0];
    const int nodes = shape_nodes(block.shape);
    double share[TULLE_MESH_MOST_NODES], sum = 0;
    for (int a = 0; a < nodes; a++) {
        share[a] = nodes == 27 ? quadratic_share(block.shape, a, aside) : 1.0 / nodes;
    }
    for (int64_t e = 0; e < block.count; e++) {
        double middle[3] = {0, 0, 0}, value = 0;
        for (int a = 0; a < nodes; a++) {
            double x[3];
            diffusion_node(mesh, block.nodes[e * nodes + a], x);
            for (int d = 0; d < 3; d++) middle[d] += share[a] * x[d];
            value += share[a] * u[block.nodes[e * nodes + a]];
        }
        const double off = value - smooth(middle, 0, NULL);
        sum += off * off / (double)block.count;
    }
    return sqrt(sum);
}

static double solved_error(tulle_ctx *ctx, const char *spec, bool flat) {
    static const tulle_quantity k = {.function = conducting};
    const tulle_condition conditions[] = {
        {.group = "x-min", .value = {.function = smooth}},
        {.group = "y-min", .value = {.function = smooth}},
        {.group = "x-max",
         .kind = TULLE_ROBIN,
         .value = {.function = at_x_max},
         .factor = {.number = 3}},
        {.group = "y-max", .kind = TULLE_NEUMANN, .value = {.function = at_y_max}},
        {.group = "z-min", .value = {.function = smooth}},
        {.group = "z-max", .value = {.function = smooth}},
    };
    const tulle_diffusion_problem p = {.k = &k,
                                       .c = {.number = 2},
                                       .f = {.function = source, .user = &flat},
                                       .condition_count = flat ? 4 : 6,
                                       .conditions = conditions};
    diffusion_system s = diffusion_open(ctx, spec, &p, TULLE_F64);
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *solver = NULL;
    tulle_vec *x = NULL;
    tulle_solver_report report;
    must(tulle_linop_from_mat(ctx, s.A, &L));
    must(tulle_linop_jacobi(ctx, L, &M));
    must(tulle_vec_create(ctx, TULLE_F64, s.n, &x));
    must(tulle_solver_create(ctx, L, M, NULL, &solver));
    must(tulle_solver_run(ctx, solver, s.b, x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    double *u = diffusion_read(ctx, x, TULLE_F64, s.n);
    const double error = error_of(s.mesh, u);
    free(u);
    tulle_solver_destroy(solver);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_vec_destroy(x);
    diffusion_close(&s);
    return error;
}

/* Twice as many cells in each direction: a quarter of the error, an eighth with order 2. */
static void test_order(void **state) {
    static const struct {
        const char *coarse, *fine;
        double order;
    } cases[] = {
        {"box-tri:16,perturb=0.2", "box-tri:32,perturb=0.2", 2},
        {"box-quad:16,perturb=0.2", "box-quad:32,perturb=0.2", 2},
        {"box-tet:6,perturb=0.1", "box-tet:12,perturb=0.1", 2},
        {"box-hex:6,perturb=0.1", "box-hex:12,perturb=0.1", 2},
        {"box-hex27:3,size=1x1.2x0.9", "box-hex27:6,size=1x1.2x0.9", 3},
    };
    tulle_ctx *ctx = NULL;
    (void)state;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double coarse = solved_error(ctx, cases[i].coarse, i < 2);
        const double order = log2(coarse / solved_error(ctx, cases[i].fine, i < 2));
        if (!(order > cases[i].order - 0.2 && order < cases[i].order + 0.5)) {
            fail_msg("%s: order %g", cases[i].fine, order);
        }
    }
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
