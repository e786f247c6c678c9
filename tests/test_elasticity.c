/* SPDX-License-Identifier: Apache-2.0 */
/* Elasticity on meshes: patch tests, rigid bodies, materials that jump, integrals that are known,
 * rounding, orders of convergence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns.h"
#include "diffusion_system.h"
#include "elastic_system.h"
#include "meshes.h"
#include "places.h"
#include "wide_cells.h"
#include "wide_elastic.h"

/* A component of a field: axis is a pointer to its number. */
typedef double field(const double x[3], int64_t element, void *axis);

/* Fails unless A u = b for the u that is known at nodes, up to the rounding of matrix, load and
 * product: `terms` roundings of what each row adds up. */
static void check_residual(tulle_ctx *ctx, const elastic_system *s, tulle_type type, field *u,
                           const char *what) {
    enum { TERMS = 1000 };
    entries A = elastic_entries(ctx, s->A);
    double *b = diffusion_read(ctx, s->b, type, s->n);
    long double *left = calloc((size_t)s->n, sizeof *left),
                *size = calloc((size_t)s->n, sizeof *left);
    assert_true(left && size);
    long double scale = 0;
    for (int64_t k = 0; k < A.nnz; k++) {
        double x[3];
        diffusion_node(s->mesh, A.col[k] / s->unknowns, x);
        const long double term =
            (long double)A.value[k] * u(x, 0, &elastic_axis[A.col[k] % s->unknowns]);
        left[A.row[k]] += term;
        size[A.row[k]] += fabsl(term);
        scale = fmaxl(scale, fabsl((long double)A.value[k]));
    }
    for (int64_t i = 0; i < s->n; i++) {
        assert_near(b[i], left[i], TERMS * unit_of(type) * (size[i] + scale), what);
    }
    free(left);
    free(size);
    free(b);
    entries_free(&A);
}

/* A linear field, its gradient, and its stress with these constants. */
static const double slope[3][3] = {{0.7, -0.3, 0.4}, {0.1, -0.6, 0.9}, {-0.8, 0.5, 0.2}};
static const double lambda_of_patch = 1.5, mu_of_patch = 0.8;
static double linear(const double x[3], int64_t element, void *axis) {
    const int r = *(const int *)axis;
    (void)element;
    return 0.3 - r + slope[r][0] * x[0] + slope[r][1] * x[1] + slope[r][2] * x[2];
}
static double stress(int r, int s, int dimension) {
    double spread = 0;
    for (int d = 0; d < dimension; d++) spread += slope[d][d];
    return mu_of_patch * (slope[r][s] + slope[s][r]) + (r == s ? lambda_of_patch * spread : 0);
}

/* Springs hold a face of the patch test, some of whose nodes are given: sigma n + 2 u at y = 1. */
static bool is_flat;
static double at_springs(const double x[3], int64_t element, void *axis) {
    const int r = *(const int *)axis;
    return stress(r, 1, is_flat ? 2 : 3) + 2 * linear(x, element, axis);
}

static tulle_elastic_condition pulled(const char *group, int axis, double sign) {
    tulle_elastic_condition c = {.group = group, .kind = TULLE_NEUMANN};
    for (int r = 0; r < 3; r++) c.value[r].number = sign * stress(r, axis, is_flat ? 2 : 3);
    return c;
}

/* u is linear, so that f = 0: whatever the mesh, nothing is left. Some of the boundary has u, some
 * its traction, some springs. */
static void patch(tulle_ctx *ctx, const char *where) {
    static const char *const boxes[] = {"box-tri:4x3,perturb=0.2", "box-quad:3x4,perturb=0.2",
                                        "box-tet:2x3x2,perturb=0.2", "box-hex:2x3x3,perturb=0.2"};
    const int first = is_slow(where) ? turn_in_order(where, 4) : 0;
    const int last = is_slow(where) ? first + 1 : 4;
    for (int i = first; i < last; i++) {
        is_flat = i < 2;
        tulle_elastic_condition c[] = {
            {.group = "x-min", .kind = TULLE_DIRICHLET},
            {.group = "y-max", .kind = TULLE_ROBIN, .factor = {.number = 2}},
            pulled("y-min", 1, -1),
            pulled("x-max", 0, 1),
            pulled("z-min", 2, -0.25),
            pulled("z-min", 2, -0.75),
            pulled("z-max", 2, 1),
        };
        elastic_along(c[0].value, linear);
        elastic_along(c[1].value, at_springs);
        const tulle_elasticity_problem p = {.constants = TULLE_LAME,
                                            .first = {.number = lambda_of_patch},
                                            .second = {.number = mu_of_patch},
                                            .condition_count = is_flat ? 4 : 7,
                                            .conditions = c};
        for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
            elastic_system s =
                elastic_open(ctx, boxes[i], &p, type == TULLE_F32 ? TULLE_CSR : TULLE_BSR, type);
            check_residual(ctx, &s, type, linear, boxes[i]);
            elastic_close(&s);
        }
    }
}
static void test_patch(void **state) {
    (void)state;
    on_each_place(patch);
}

/* The same on meshes of any form, with u on the whole boundary. */
static void patch_all(tulle_ctx *ctx, const char *where) {
    static const char *const meshes[] = {"cylinder-hex:2x1x2,perturb=0.1", "lshape-tet:2x2",
                                         "cylinder-quad:2x3,perturb=0.2", "lshape-tri:3"};
    tulle_elastic_condition given = {.kind = TULLE_DIRICHLET};
    elastic_along(given.value, linear);
    const tulle_elasticity_problem p = {.first = {.number = 2},
                                        .second = {.number = 0.3},
                                        .condition_count = 1,
                                        .conditions = &given};
    const int count = sizeof meshes / sizeof *meshes, turn = turn_of(where, count);
    for (int i = 0; i < count; i++) {
        if (is_slow(where) && i != turn) continue;
        elastic_system s = elastic_open(ctx, meshes[i], &p, TULLE_BSR, TULLE_F64);
        check_residual(ctx, &s, TULLE_F64, linear, meshes[i]);
        elastic_close(&s);
    }
}
ONCE_ON_EACH_PLACE(patch_all)

/* Displacements without strain: number `mode` of 3 in a plane, of 6 in space. */
static int mode;
static double rigid(const double x[3], int64_t element, void *axis) {
    const int r = *(const int *)axis, dimension = is_flat ? 2 : 3;
    (void)element;
    if (mode < dimension) return r == mode;
    const int i = is_flat ? 0 : (mode + 1) % 3, j = is_flat ? 1 : (mode + 2) % 3;
    return r == i ? -x[j] : r == j ? x[i] : 0;
}

/* Without conditions they are the null space, and A is symmetric bit by bit. */
static void rigid_bodies(tulle_ctx *ctx, const char *where) {
    static const char *const boxes[] = {"box-tri:4x3,perturb=0.2", "box-quad:3x4,perturb=0.2",
                                        "box-tet:2,perturb=0.2", "box-hex:2x3x2,perturb=0.2"};
    const tulle_elasticity_problem p = {.first = {.number = 1}, .second = {.number = 0.3}};
    for (int i = 0; i < 4; i++) {
        if (is_slow(where) && i != turn_of(where, 4)) continue;
        is_flat = i < 2;
        elastic_system s = elastic_open(ctx, boxes[i], &p, TULLE_BSR, TULLE_F64);
        for (mode = 0; mode < (is_flat ? 3 : 6); mode++) {
            check_residual(ctx, &s, TULLE_F64, rigid, boxes[i]);
        }
        entries A = elastic_entries(ctx, s.A), T = entries_copy(&A);
        entries_transpose(&T);
        entries_sort(&T);
        entries_assert_same(&A, &T, "transposed");
        entries_free(&T);
        entries_free(&A);
        elastic_close(&s);
    }
}
ONCE_ON_EACH_PLACE(rigid_bodies)

/* A bar of two materials between rollers is pulled at its end: nothing moves across, and along it
 * (lambda + 2 mu) u' = 6 on both sides of where they meet. */
static const double lambdas[2] = {1, 4}, mus[2] = {1, 8};
static double bent(const double x[3], int64_t element, void *axis) {
    (void)element;
    if (*(const int *)axis > 0) return 0;
    return x[0] < 0.5 ? 2 * x[0] : 1 + 0.3 * (x[0] - 0.5);
}
static double lambda_at(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return lambdas[x[0] > 0.5];
}
static double mu_at(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return mus[x[0] > 0.5];
}

static void jumps(tulle_ctx *ctx, const char *where) {
    static const char *const boxes[] = {"box-tri:4", "box-quad:4", "box-tet:2", "box-hex:2"};
    static const tulle_elastic_condition conditions[] = {
        {.group = "x-min", .kind = TULLE_DIRICHLET, .free = {false, true, true}},
        {.group = "y-min", .kind = TULLE_DIRICHLET, .free = {true, false, true}},
        {.group = "y-max", .kind = TULLE_DIRICHLET, .free = {true, false, true}},
        {.group = "x-max", .kind = TULLE_NEUMANN, .value = {{.number = 6}}},
        {.group = "z-min", .kind = TULLE_DIRICHLET, .free = {true, true, false}},
        {.group = "z-max", .kind = TULLE_DIRICHLET, .free = {true, true, false}},
    };
    for (int i = 0; i < 4; i++) {
        if (is_slow(where) && i != turn_of(where, 4)) continue;
        tulle_mesh *mesh = mesh_of(ctx, boxes[i]);
        const tulle_mesh_block block = mesh_arrays(mesh).blocks[0];
        const int nodes = shape_nodes(block.shape);
        double *young = malloc((size_t)block.count * sizeof *young);
        double *poisson = malloc((size_t)block.count * sizeof *poisson);
        assert_true(young && poisson);
        for (int64_t e = 0; e < block.count; e++) {
            double middle = 0, x[3];
            for (int a = 0; a < nodes; a++) {
                diffusion_node(mesh, block.nodes[e * nodes + a], x);
                middle += x[0] / nodes;
            }
            const double lambda = lambdas[middle > 0.5], mu = mus[middle > 0.5];
            young[e] = mu * (3 * lambda + 2 * mu) / (lambda + mu);
            poisson[e] = lambda / (2 * (lambda + mu));
        }
        tulle_mesh_destroy(mesh);
        const tulle_elasticity_problem problems[] = {
            {.first = {.of_elements = young},
             .second = {.of_elements = poisson},
             .condition_count = i < 2 ? 4 : 6,
             .conditions = conditions},
            {.constants = TULLE_LAME,
             .first = {.function = lambda_at},
             .second = {.function = mu_at},
             .condition_count = i < 2 ? 4 : 6,
             .conditions = conditions},
        };
        for (int how = 0; how < 2; how++) {
            elastic_system s = elastic_open(ctx, boxes[i], &problems[how], TULLE_BSR, TULLE_F64);
            check_residual(ctx, &s, TULLE_F64, bent, boxes[i]);
            elastic_close(&s);
        }
        free(poisson);
        free(young);
    }
}
ONCE_ON_EACH_PLACE(jumps)

/* Integrals that are known: of force and tractions as sums of the load along each axis, of springs
 * on the whole boundary as sums of A, in which the rest has none. */
static void integrals(tulle_ctx *ctx, const char *where) {
    static const struct {
        const char *spec;
        double volume, area;
    } boxes[] = {{"box-tri:3x2,perturb=0.2,size=2x3", 6, 10},
                 {"box-quad:3x2,perturb=0.2,size=2x3", 6, 10},
                 {"box-tet:2,perturb=0.2,size=2x3x4", 24, 52},
                 {"box-hex:2,size=2x3x4", 24, 52}};
    const tulle_elastic_condition mixed = {.kind = TULLE_ROBIN,
                                           .value = {{.number = 7}, {.number = 8}, {.number = 9}},
                                           .factor = {.number = 5}};
    const tulle_elasticity_problem p = {.first = {.number = 1},
                                        .second = {.number = 0.25},
                                        .force = {{.number = 1}, {.number = 2}, {.number = 3}},
                                        .condition_count = 1,
                                        .conditions = &mixed};
    for (int i = 0; i < 4; i++) {
        if (is_slow(where) && i != turn_of(where, 4)) continue;
        elastic_system s = elastic_open(ctx, boxes[i].spec, &p, TULLE_CSR, TULLE_F64);
        entries A = elastic_entries(ctx, s.A);
        double *b = diffusion_read(ctx, s.b, TULLE_F64, s.n);
        long double sum[3][3] = {{0}}, load[3] = {0}, size = 0;
        for (int64_t k = 0; k < A.nnz; k++) {
            sum[A.row[k] % s.unknowns][A.col[k] % s.unknowns] += (long double)A.value[k];
            size += fabsl((long double)A.value[k]);
        }
        for (int64_t k = 0; k < s.n; k++) load[k % s.unknowns] += (long double)b[k];
        const long double unit = 400 * unit_of(TULLE_F64);
        for (int r = 0; r < s.unknowns; r++) {
            const long double want = (1 + r) * boxes[i].volume + (7 + r) * boxes[i].area;
            assert_near(load[r], want, unit * want, "sum of b");
            for (int c = 0; c < s.unknowns; c++) {
                assert_near(sum[r][c], r == c ? 5 * boxes[i].area : 0, unit * size, "sum of A");
            }
        }
        free(b);
        entries_free(&A);
        elastic_close(&s);
    }
}
ONCE_ON_EACH_PLACE(integrals)

static void check_rounding(tulle_ctx *ctx, const char *spec, tulle_type type) {
    const tulle_elasticity_problem p = {
        .constants = TULLE_LAME, .first = {.number = 3}, .second = {.number = 1.5}};
    elastic_system s = elastic_open(ctx, spec, &p, TULLE_BSR, type);
    const tulle_mesh_arrays a = mesh_arrays(s.mesh);
    const tulle__body body = {.cells = {.shape = a.blocks[0].shape,
                                        .count = a.blocks[0].count,
                                        .nodes = a.blocks[0].nodes,
                                        .dimension = a.dimension,
                                        .coordinates = a.coordinates},
                              .lambda = {.number = 3},
                              .mu = {.number = 1.5}};
    enum { MOST = TULLE__CELL_NODES * 3 };
    const int64_t m = (int64_t)tulle__cell_nodes(body.cells.shape) * s.unknowns;
    const int64_t numbers = body.cells.count * m * m;
    tulle_vec *room = NULL;
    tulle_vec_info at;
    must(tulle_vec_create(ctx, type, numbers, &room));
    must(tulle_vec_describe(room, &at));
    must(tulle_elasticity_matrices(ctx, s.E, 0, type, at.data));
    double *got = diffusion_read(ctx, room, type, numbers);
    for (int64_t e = 0; e < body.cells.count; e++) {
        long double K[MOST * MOST];
        const long double condition = wide_condition(&body.cells, e);
        wide_elastic(&body, e, K);
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < m; j++) {
                const long double bound = 100 * condition * condition * unit_of(type) *
                                          (3 + 2 * 1.5L) / 1.5L *
                                          sqrtl(K[i * m + i] * K[j * m + j]);
                assert_near((long double)got[(e * m + i) * m + j], K[i * m + j], bound, spec);
                assert_true(got[(e * m + i) * m + j] == got[(e * m + j) * m + i]);
            }
        }
    }
    free(got);
    tulle_vec_destroy(room);
    elastic_close(&s);
}

/* The bound of element matrices, also of flat cells. */
static void rounding(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"box-tri:5,perturb=0.3",
                                        "box-quad:5,perturb=0.3",
                                        "box-tet:2,perturb=0.2",
                                        "box-hex:3,perturb=0.3",
                                        "box-hex:2x1x1,perturb=0.3,size=1x20x300",
                                        "cylinder-hex:2x1x2"};
    const int count = sizeof specs / sizeof *specs, turn = turn_of(where, count);
    for (int i = 0; i < count; i++) {
        if (is_slow(where) && i != turn) continue;
        check_rounding(ctx, specs[i], TULLE_F32);
        check_rounding(ctx, specs[i], TULLE_F64);
    }
}
ONCE_ON_EACH_PLACE(rounding)

/* What the order of convergence is measured with: component r is sin(wave_r . x + r), and in a
 * plane there is no z. */
static const double wave[3][3] = {{1.5, -0.5, 0.4}, {0.7, 1.2, -0.3}, {-0.4, 0.6, 1.1}};
static double phase(const double x[3], int r) {
    double sum = r;
    for (int d = 0; d < (is_flat ? 2 : 3); d++) sum += wave[r][d] * x[d];
    return sum;
}
static double smooth(const double x[3], int64_t element, void *axis) {
    (void)element;
    return sin(phase(x, *(const int *)axis));
}
/* f = -(lambda + mu) grad div u - mu div grad u. */
static double force(const double x[3], int64_t element, void *axis) {
    const int s = *(const int *)axis, n = is_flat ? 2 : 3;
    double sum = 0;
    (void)element;
    for (int r = 0; r < n; r++) {
        sum += (lambda_of_patch + mu_of_patch) * wave[r][r] * wave[r][s] * sin(phase(x, r));
        sum += mu_of_patch * wave[s][r] * wave[s][r] * sin(phase(x, s));
    }
    return sum;
}
/* sigma n at x = 1. */
static double at_x_max(const double x[3], int64_t element, void *axis) {
    const int s = *(const int *)axis, n = is_flat ? 2 : 3;
    double spread = 0;
    (void)element;
    for (int r = 0; r < n; r++) spread += wave[r][r] * cos(phase(x, r));
    return mu_of_patch * (wave[s][0] * cos(phase(x, s)) + wave[0][s] * cos(phase(x, 0))) +
           (s == 0 ? lambda_of_patch * spread : 0);
}

/* The root of the mean over cells of |u_h - u|^2 in their middles. */
static double error_of(const elastic_system *s, const double *u) {
    const tulle_mesh_block block = mesh_arrays(s->mesh).blocks[0];
    const int nodes = shape_nodes(block.shape);
    double sum = 0;
    for (int64_t e = 0; e < block.count; e++) {
        double middle[3] = {0, 0, 0}, value[3] = {0, 0, 0};
        for (int a = 0; a < nodes; a++) {
            const int64_t node = block.nodes[e * nodes + a];
            double x[3];
            diffusion_node(s->mesh, node, x);
            for (int d = 0; d < s->unknowns; d++) {
                middle[d] += x[d] / nodes;
                value[d] += u[node * s->unknowns + d] / nodes;
            }
        }
        for (int d = 0; d < s->unknowns; d++) {
            const double off = value[d] - smooth(middle, 0, &elastic_axis[d]);
            sum += off * off / (double)block.count;
        }
    }
    return sqrt(sum);
}

static double solved_error(tulle_ctx *ctx, const char *spec) {
    tulle_elastic_condition conditions[] = {
        {.group = "x-min", .kind = TULLE_DIRICHLET}, {.group = "y-min", .kind = TULLE_DIRICHLET},
        {.group = "y-max", .kind = TULLE_DIRICHLET}, {.group = "x-max", .kind = TULLE_NEUMANN},
        {.group = "z-min", .kind = TULLE_DIRICHLET}, {.group = "z-max", .kind = TULLE_DIRICHLET},
    };
    tulle_elasticity_problem p = {.constants = TULLE_LAME,
                                  .first = {.number = lambda_of_patch},
                                  .second = {.number = mu_of_patch},
                                  .condition_count = is_flat ? 4 : 6,
                                  .conditions = conditions};
    for (int i = 0; i < 6; i++) elastic_along(conditions[i].value, i == 3 ? at_x_max : smooth);
    elastic_along(p.force, force);
    elastic_system s = elastic_open(ctx, spec, &p, TULLE_BSR, TULLE_F64);
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *solver = NULL;
    tulle_vec *x = NULL;
    tulle_solver_report report;
    must(tulle_linop_from_mat(ctx, s.A, &L));
    must(tulle_linop_block_jacobi(ctx, s.A, s.unknowns, &M));
    must(tulle_vec_create(ctx, TULLE_F64, s.n, &x));
    must(tulle_solver_create(ctx, L, M, NULL, &solver));
    must(tulle_solver_run(ctx, solver, s.b, x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    double *u = diffusion_read(ctx, x, TULLE_F64, s.n);
    const double error = error_of(&s, u);
    free(u);
    tulle_solver_destroy(solver);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_vec_destroy(x);
    elastic_close(&s);
    return error;
}

/* Twice as many cells in each direction: a quarter of the error. */
static void test_order(void **state) {
    static const char *const specs[4][2] = {
        {"box-tri:16,perturb=0.2", "box-tri:32,perturb=0.2"},
        {"box-quad:16,perturb=0.2", "box-quad:32,perturb=0.2"},
        {"box-tet:5,perturb=0.1", "box-tet:10,perturb=0.1"},
        {"box-hex:5,perturb=0.1", "box-hex:10,perturb=0.1"},
    };
    tulle_ctx *ctx = NULL;
    (void)state;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    for (int i = 0; i < 4; i++) {
        is_flat = i < 2;
        const double coarse = solved_error(ctx, specs[i][0]);
        const double fine = solved_error(ctx, specs[i][1]);
        const double order = log2(coarse / fine);
        if (!(order > 1.8 && order < 2.5)) fail_msg("%s: order %g", specs[i][1], order);
    }
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),     cmocka_unit_test(test_patch_all),
        cmocka_unit_test(test_jumps),     cmocka_unit_test(test_rigid_bodies),
        cmocka_unit_test(test_integrals), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
