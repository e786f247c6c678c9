/* SPDX-License-Identifier: Apache-2.0 */
/* Periodic boundaries: solutions that are known, constants as null vectors, operators that agree,
 * and nodes and facets that have no partners. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "diffusion_system.h"
#include "entries.h"
#include "meshes.h"
#include "places.h"

static const double pi = 3.14159265358979323846;

static const tulle_period all_around[] = {
    {.from = "x-min", .to = "x-max", .shift = {1, 0, 0}},
    {.from = "y-max", .to = "y-min", .shift = {0, -1, 0}},
    {.from = "z-min", .to = "z-max", .shift = {0, 0, 1}},
};

/* A wave along x, and a parabola along y. */
static double wave(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return cos(2 * pi * x[0] + 1) * x[1] * (1 - x[1]);
}
static double source_of_wave(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return cos(2 * pi * x[0] + 1) * (4 * pi * pi * x[1] * (1 - x[1]) + 2);
}

/* Waves along all coordinates; user is the dimension. */
static double waves(const double x[3], int64_t element, void *user) {
    (void)element;
    double u = 1;
    for (int d = 0; d < *(const int *)user; d++) u *= cos(2 * pi * x[d] + d);
    return u;
}
static double source_of_waves(const double x[3], int64_t element, void *user) {
    return 4 * pi * pi * *(const int *)user * waves(x, element, user);
}

/* The largest error at a node of the solution of a problem. */
static double solve(tulle_ctx *ctx, const char *spec, const tulle_diffusion_problem *p,
                    const tulle_solver_options *options,
                    double (*u)(const double x[3], int64_t element, void *user), void *user) {
    diffusion_system s = diffusion_open(ctx, spec, p, TULLE_F64);
    tulle_diffusion_info info;
    tulle_linop *L = NULL;
    tulle_solver *solver = NULL;
    tulle_vec *x = NULL;
    tulle_solver_report report;
    double worst = 0;
    must(tulle_diffusion_describe(s.D, &info));
    must(tulle_linop_from_mat(ctx, s.A, &L));
    must(tulle_vec_create(ctx, TULLE_F64, s.n, &x));
    must(tulle_solver_create(ctx, L, NULL, options, &solver));
    must(tulle_solver_run(ctx, solver, s.b, x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    double *found = diffusion_read(ctx, x, TULLE_F64, s.n);
    for (int64_t i = 0; i < mesh_info(s.mesh).nodes; i++) {
        double at[3];
        diffusion_node(s.mesh, i, at);
        worst = fmax(worst, fabs(found[info.rows[i]] - u(at, i, user)));
    }
    free(found);
    tulle_solver_destroy(solver);
    tulle_linop_destroy(L);
    tulle_vec_destroy(x);
    diffusion_close(&s);
    return worst;
}

/* Half the mesh size is a fourth of the error, to a tenth. */
static void check_order(double coarse, double fine) {
    assert_true(fine < coarse / 3.6);
}

static void known(tulle_ctx *ctx, const char *where) {
    static const char *const coarse[] = {"box-tri:12", "box-quad:12", "box-tet:8", "box-hex:8"};
    static const char *const fine[] = {"box-tri:24", "box-quad:24", "box-tet:16", "box-hex:16"};
    const tulle_condition fixed[] = {{.group = "y-min"}, {.group = "y-max"}};
    for (int i = 0; i < 4; i++) {
        if (is_slow(where) && i != 1) continue;
        const tulle_diffusion_problem p = {.f = {.function = source_of_wave},
                                           .condition_count = 2,
                                           .conditions = fixed,
                                           .period_count = 1,
                                           .periods = all_around};
        check_order(solve(ctx, coarse[i], &p, NULL, wave, NULL),
                    solve(ctx, fine[i], &p, NULL, wave, NULL));
        int dimension = i < 2 ? 2 : 3;
        const tulle_solver_options singular = {.constant_null_space = true};
        const tulle_diffusion_problem around = {
            .f = {.function = source_of_waves, .user = &dimension},
            .period_count = dimension,
            .periods = all_around};
        check_order(solve(ctx, coarse[i], &around, &singular, waves, &dimension),
                    solve(ctx, fine[i], &around, &singular, waves, &dimension));
    }
}
ONCE_ON_EACH_PLACE(known)

/* All around there are n^d rows, and each adds up to 0; the operator of element matrices has the
 * same diagonal and products. */
static void constants(tulle_ctx *ctx, const char *where) {
    static const char *const boxes[] = {"box-tri:4x3", "box-quad:3x5,shuffle=1",
                                        "box-tet:3,shuffle=1", "box-hex:3x4x5", "box-hex27:2"};
    static const int64_t rows[] = {12, 15, 27, 60, 64};
    for (int i = 0; i < 5; i++) {
        if (is_slow(where) && i != turn_in_order(where, 5)) continue;
        const tulle_diffusion_problem p = {.period_count = i < 2 ? 2 : 3, .periods = all_around};
        diffusion_system s = diffusion_open(ctx, boxes[i], &p, TULLE_F64);
        assert_int_equal(s.n, rows[i]);
        entries A = entries_read(ctx, s.A);
        double *sum = calloc((size_t)s.n, sizeof *sum), *size = calloc((size_t)s.n, sizeof *size);
        assert_true(sum && size);
        for (int64_t k = 0; k < A.nnz; k++) {
            sum[A.row[k]] += A.value[k];
            size[A.row[k]] += fabs(A.value[k]);
        }
        for (int64_t k = 0; k < s.n; k++)
            assert_near(sum[k], 0, 2000 * 0x1p-53 * size[k], boxes[i]);
        free(size);
        free(sum);
        entries_free(&A);
        diffusion_close(&s);
    }
}
static void test_constants(void **state) {
    (void)state;
    on_each_place(constants);
}

/* y := A x by the assembled matrix and by element matrices, with u given at one side: at x-min
 * alone, and so, by way of the period, at x-max. */
static void operators(tulle_ctx *ctx, const char *where) {
    (void)where;
    const tulle_condition fixed = {.group = "y-min", .value = {.number = 2}};
    const tulle_diffusion_problem p = {
        .condition_count = 1, .conditions = &fixed, .period_count = 1, .periods = all_around + 1};
    diffusion_system s = diffusion_open(ctx, "box-quad:4x3", &p, TULLE_F64);
    tulle_diffusion_info info;
    tulle_linop *L[2];
    double *y[2];
    tulle_vec *x = NULL, *product = NULL;
    must(tulle_diffusion_describe(s.D, &info));
    assert_int_equal(info.given, 5);
    must(tulle_vec_create(ctx, TULLE_F64, s.n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, s.n, &product));
    must(tulle_vec_random(ctx, x, 3));
    must(tulle_linop_from_mat(ctx, s.A, &L[0]));
    must(tulle_diffusion_local(ctx, s.D, NULL, TULLE_F64, &L[1]));
    for (int i = 0; i < 2; i++) {
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L[i], x, tulle_num(0), product));
        y[i] = diffusion_read(ctx, product, TULLE_F64, s.n);
    }
    must(tulle_linop_get_diagonal(ctx, L[0], product));
    double *scale = diffusion_read(ctx, product, TULLE_F64, s.n);
    for (int i = 0; i < 2; i++) tulle_linop_destroy(L[i]);
    for (int64_t k = 0; k < s.n; k++) assert_near(y[0][k], y[1][k], 1000 * 0x1p-53, "operators");
    double *b = diffusion_read(ctx, s.b, TULLE_F64, s.n);
    for (int64_t i = 0; i < mesh_info(s.mesh).nodes; i++) {
        double at[3];
        diffusion_node(s.mesh, i, at);
        const double wanted = 2 * scale[info.rows[i]];
        if (at[1] == 0 || at[1] == 1) assert_near(b[info.rows[i]], wanted, 0x1p-50, "b");
    }
    free(scale);
    free(b);
    free(y[1]);
    free(y[0]);
    tulle_vec_destroy(product);
    tulle_vec_destroy(x);
    diffusion_close(&s);
}
ONCE_ON_EACH_PLACE(operators)

static void check_fails(tulle_ctx *ctx, const char *spec, tulle_period period, tulle_status wanted,
                        const char *words) {
    tulle_mesh *mesh = mesh_of(ctx, spec);
    tulle_diffusion *D = NULL;
    const tulle_diffusion_problem p = {.period_count = 1, .periods = &period};
    const tulle_status got = tulle_diffusion_create(ctx, mesh, &p, &D);
    const char *message = tulle_last_error()->message;
    if (got != wanted || D || (wanted != TULLE_OK && !strstr(message, words))) {
        if (wanted != TULLE_OK || got != TULLE_OK) fail_msg("%s: %d, '%s'", words, got, message);
    }
    tulle_diffusion_destroy(D);
    tulle_mesh_destroy(mesh);
}

static void faults(tulle_ctx *ctx, const char *where) {
    (void)where;
    const char *box = "box-quad:4x3";
    const tulle_period good = all_around[0];
    tulle_period p = good;
    p.shift[0] = 1 + 1e-6;
    check_fails(
        ctx, box, p, TULLE_INVALID_MESH,
        "period 0: node 15 of 'x-min', at (0, 1), has no partner in 'x-max' (tolerance 1e-08)");
    p.tolerance = 1e-5;
    check_fails(ctx, box, p, TULLE_OK, "a tolerance");
    p.tolerance = 0.7;
    check_fails(ctx, box, p, TULLE_INVALID_MESH, "has two partners in 'x-min'");
    p = (tulle_period){.from = "x-min", .to = "y-min", .shift = {1, 0, 0}};
    check_fails(ctx, box, p, TULLE_INVALID_MESH,
                "node 15 of 'x-min', at (0, 1), has no partner in 'y-min'");
    check_fails(ctx, "box-quad:1x3", good, TULLE_INVALID_MESH, "one element has both");
    p = good;
    p.to = "roof";
    check_fails(ctx, box, p, TULLE_NOT_FOUND, "is called 'roof'");
    p.to = NULL;
    check_fails(ctx, box, p, TULLE_INVALID_ARGUMENT, "period 0 needs two groups");
    p = good;
    p.shift[0] = 0;
    check_fails(ctx, box, p, TULLE_INVALID_ARGUMENT, "not 0");
    p.shift[0] = (double)NAN;
    check_fails(ctx, box, p, TULLE_INVALID_ARGUMENT, "finite");
}
ONCE_ON_EACH_PLACE(faults)

/* Two cubes of tetrahedra's corners, whose faces are halved in two ways: nodes match, facets do
 * not. */
static void other_facets(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double x[] = {0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0,   1,   5, 0,   0,
                               5, 1, 0, 5, 1, 1, 5, 0, 1, 2, 0.5, 0.5, 3, 0.5, 0.5};
    static const int32_t cells[] = {0, 1, 2, 8, 0, 2, 3, 8, 4, 7, 5, 9, 5, 7, 6, 9};
    static const int32_t sides[] = {0, 1, 2, 0, 2, 3, 4, 5, 7, 5, 6, 7};
    int32_t groups[] = {1, 1, 2, 2};
    const tulle_mesh_block blocks[] = {
        {.shape = TULLE_TETRAHEDRON, .count = 4, .nodes = cells},
        {.shape = TULLE_TRIANGLE, .count = 4, .nodes = sides, .groups = groups}};
    const tulle_mesh_group names[] = {{.number = 1, .dimension = 2, .name = "left"},
                                      {.number = 2, .dimension = 2, .name = "right"}};
    const tulle_mesh_arrays a = {.dimension = 3,
                                 .node_count = 10,
                                 .coordinates = x,
                                 .block_count = 2,
                                 .blocks = blocks,
                                 .group_count = 2,
                                 .groups = names};
    const tulle_period period = {.from = "left", .to = "right", .shift = {5, 0, 0}};
    const tulle_diffusion_problem p = {.period_count = 1, .periods = &period};
    tulle_mesh *mesh = NULL;
    tulle_diffusion *D = NULL;
    must(tulle_mesh_create(ctx, &a, &mesh));
    assert_int_equal(tulle_diffusion_create(ctx, mesh, &p, &D), TULLE_INVALID_MESH);
    assert_non_null(
        strstr(tulle_last_error()->message,
               "period 0: a facet of 'left' with the nodes 0 and 1, at (0, 0, 0), is no "
               "facet of 'right'"));
    tulle_mesh_destroy(mesh);
    groups[1] = 0;
    must(tulle_mesh_create(ctx, &a, &mesh));
    assert_int_equal(tulle_diffusion_create(ctx, mesh, &p, &D), TULLE_INVALID_MESH);
    assert_non_null(
        strstr(tulle_last_error()->message, "node 7 of 'right', at (5, 0, 1), has no partner in"));
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(other_facets)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_operators),    cmocka_unit_test(test_faults),
        cmocka_unit_test(test_other_facets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
