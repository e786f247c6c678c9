/* SPDX-License-Identifier: Apache-2.0 */
/* Problems on meshes in other units: lengths, coefficients and unknowns that are larger or smaller
 * for no other reason than the unit that they are measured in. A solution is as good in each, and
 * an iteration as long; by powers of 2 all digits stay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diffusion_system.h"
#include "elastic_system.h"
#include "meshes.h"
#include "places.h"

/* What lengths, coefficients and unknowns are multiplied by; exact: by powers of 2. The type is
 * that of the system. */
typedef struct {
    double length, coefficient, unknown;
    bool exact;
    tulle_type type;
} units;

static const units all_units[] = {
    {1, 1, 1, true, TULLE_F64},
    {0x1p-40, 1, 1, true, TULLE_F64},
    {0x1p+40, 1, 1, true, TULLE_F64},
    {1, 0x1p-40, 1, true, TULLE_F64},
    {1, 0x1p+40, 1, true, TULLE_F64},
    {1, 1, 0x1p-40, true, TULLE_F64},
    {0x1p-21, 0x1p+31, 0x1p-9, true, TULLE_F64},
    {1, 8.85e-12, 1, false, TULLE_F64},
    {1e-6, 1, 1, false, TULLE_F64},
    {1e-12, 1, 1, false, TULLE_F64},
    {1e6, 1, 1, false, TULLE_F64},
    {1e12, 1, 1, false, TULLE_F64},
    {1, 1e-12, 1, false, TULLE_F64},
    {1, 1e-6, 1, false, TULLE_F64},
    {1, 1e6, 1, false, TULLE_F64},
    {1, 1e12, 1, false, TULLE_F64},
    {1e-6, 8.85e-12, 230, false, TULLE_F64},
};
enum { UNITS = sizeof all_units / sizeof *all_units };

static units units_in(int k, tulle_type type) {
    units in = all_units[k];
    in.type = type;
    return in;
}

/* How far numbers may be off, as a share of the largest, in f32 and in f64. */
static double allowed(tulle_type type) {
    return type == TULLE_F32 ? 1e-3 : 1e-6;
}

enum { ASSEMBLED, LOCAL, MATRIX_FREE, WAYS };

/* A solution at all rows, and how it was found. */
typedef struct {
    double *u;
    int64_t n, iterations;
    tulle_outcome outcome;
} solution;

static tulle_mesh *mesh_in(tulle_ctx *ctx, const char *spec, double length) {
    tulle_mesh *unit = mesh_of(ctx, spec), *mesh = NULL;
    tulle_mesh_arrays a = mesh_arrays(unit);
    const int64_t numbers = a.node_count * a.dimension;
    double *x = malloc((size_t)numbers * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < numbers; i++) x[i] = length * a.coordinates[i];
    a.coordinates = x;
    must(tulle_mesh_create(ctx, &a, &mesh));
    tulle_mesh_destroy(unit);
    free(x);
    return mesh;
}

/* By cg with Jacobi's preconditioner, from the numbers that are given on. */
static solution solve(tulle_ctx *ctx, tulle_linop *L, const tulle_vec *b, tulle_vec *x, int64_t n,
                      tulle_type type) {
    tulle_linop *M = NULL;
    tulle_solver *solver = NULL;
    tulle_solver_report report;
    solution s = {.n = n};
    const tulle_solver_options how = {.method = TULLE_CG, .guess = true};
    must(tulle_linop_jacobi(ctx, L, &M));
    must(tulle_solver_create(ctx, L, M, &how, &solver));
    must(tulle_solver_run(ctx, solver, b, x, &report));
    s.u = diffusion_read(ctx, x, type, n);
    s.iterations = report.iterations;
    s.outcome = report.outcome;
    tulle_solver_destroy(solver);
    tulle_linop_destroy(M);
    return s;
}

/* The same in both, but for the unit of u, and for rounding where units are no powers of 2. */
static void check_same(const solution *one, const solution *other, const units *in,
                       const char *what) {
    assert_int_equal(other->outcome, TULLE_CONVERGED);
    assert_int_equal(one->n, other->n);
    if (llabs((long long)(one->iterations - other->iterations)) > (in->exact ? 0 : 1)) {
        fail_msg("%s, lengths %g, coefficients %g, unknowns %g: %d iterations, else %d", what,
                 in->length, in->coefficient, in->unknown, (int)other->iterations,
                 (int)one->iterations);
    }
    for (int64_t i = 0; i < one->n; i++) {
        const double wanted = one->u[i] * in->unknown;
        const double off = fabs(other->u[i] - wanted);
        if (off <= (in->exact ? 0 : allowed(in->type) * in->unknown)) continue;
        fail_msg("%s, lengths %g, coefficients %g, unknowns %g: row %d is %.17g, else %.17g", what,
                 in->length, in->coefficient, in->unknown, (int)i, other->u[i], wanted);
    }
}

/* u from 1 at one side to 0 at the other, alone, or with sinks, walls, and a period along y. */
enum { PLAIN, SINKS, PERIOD, PROBLEMS };

static solution diffuse(tulle_ctx *ctx, const char *spec, int problem, const units *in, int way,
                        bool *exact_ends) {
    const double k = in->coefficient, h = in->length;
    const double end_error = in->type == TULLE_F32 ? 5e-6 : 1e-14;
    tulle_mesh *mesh = mesh_in(ctx, spec, h);
    const tulle_quantity conductivity = {.number = k};
    const tulle_condition conditions[] = {
        {.group = "x-min", .value = {.number = in->unknown}},
        {.group = "x-max"},
        {.group = "y-max",
         .kind = TULLE_ROBIN,
         .value = {.number = 3 * k / h * in->unknown},
         .factor = {.number = 2 * k / h}},
        {.group = "y-min", .kind = TULLE_NEUMANN, .value = {.number = k / h * in->unknown}},
    };
    const tulle_period period = {.from = "y-min", .to = "y-max", .shift = {0, h}};
    const tulle_diffusion_problem p = {
        .k = &conductivity,
        .c = {.number = problem == PLAIN ? 0 : 5 * k / h / h},
        .f = {.number = problem == PLAIN ? 0 : k / h / h * in->unknown},
        .condition_count = problem == SINKS ? 4 : 2,
        .conditions = conditions,
        .period_count = problem == PERIOD,
        .periods = &period};
    tulle_diffusion *D = NULL;
    tulle_diffusion_info info;
    tulle_assembly *S = NULL;
    tulle_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_vec *b = NULL, *x = NULL;
    must(tulle_diffusion_create(ctx, mesh, &p, &D));
    must(tulle_diffusion_describe(D, &info));
    must(tulle_diffusion_assembly(ctx, D, TULLE_CSR, &S));
    must(tulle_vec_create(ctx, in->type, info.nodes, &b));
    must(tulle_vec_create(ctx, in->type, info.nodes, &x));
    must(tulle_diffusion_load(ctx, D, S, b));
    if (way == ASSEMBLED) {
        must(tulle_assembly_matrix(ctx, S, in->type, &A));
        must(tulle_diffusion_values(ctx, D, S, A));
        must(tulle_linop_from_mat(ctx, A, &L));
    } else if (way == LOCAL) {
        must(tulle_diffusion_local(ctx, D, NULL, in->type, &L));
    } else {
        must(tulle_diffusion_matrix_free(ctx, D, mesh, NULL, in->type, &L));
    }
    must(tulle_vec_fill(ctx, x, 0));
    must(tulle_diffusion_give(ctx, D, x));
    solution s = solve(ctx, L, b, x, info.nodes, in->type);
    *exact_ends = true;
    for (int64_t i = 0; i < mesh_info(mesh).nodes; i++) {
        double at[3];
        diffusion_node(mesh, i, at);
        const double u = s.u[info.rows ? info.rows[i] : i];
        if (at[0] == 0) *exact_ends = *exact_ends && fabs(u / in->unknown - 1) < end_error;
        if (at[0] == h) *exact_ends = *exact_ends && u == 0;
        if (problem == PLAIN && fabs(u / in->unknown - (1 - at[0] / h)) > allowed(in->type)) {
            fail_msg("%s, lengths %g, coefficients %g: u is %g at %g", spec, h, k, u, at[0]);
        }
    }
    tulle_linop_destroy(L);
    tulle_mat_destroy(A);
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_assembly_destroy(S);
    tulle_diffusion_destroy(D);
    tulle_mesh_destroy(mesh);
    return s;
}

/* One case in four meets a change of units, and one change on the emulator: all are met by others.
 */
static bool is_met(const char *where, int number, int k) {
    if (k == 0) return true;
    return is_slow(where) ? k == 1 + turn_of(where, UNITS - 1) : (number + k) % 4 == 0;
}

static void diffusion_case(tulle_ctx *ctx, const char *where, const char *spec, int number,
                           int problem, int way, tulle_type type) {
    solution one = {0};
    for (int k = 0; k < UNITS; k++) {
        bool ends = false;
        if (!is_met(where, number, k)) continue;
        const units in = units_in(k, type);
        solution s = diffuse(ctx, spec, problem, &in, way, &ends);
        assert_true(ends);
        if (k == 0) {
            assert_true(s.iterations > 2);
            one = s;
        }
        check_same(&one, &s, &in, spec);
        if (k > 0) free(s.u);
    }
    free(one.u);
}

static void diffusion_of(tulle_ctx *ctx, const char *where, tulle_type type) {
    static const char *const meshes[] = {
        "box-quad:8x5",  "box-tri:4x5,perturb=0.2",   "box-tet:4x2x2,perturb=0.1",
        "box-hex:4x3x3", "box-hex:4x3x2,perturb=0.2", "box-hex27:2x2x2"};
    enum { MESHES = sizeof meshes / sizeof *meshes };
    const int turn = turn_of(where, MESHES * WAYS * PROBLEMS);
    for (int i = 0; i < MESHES * WAYS * PROBLEMS; i++) {
        if (is_slow(where) && i != turn) continue;
        diffusion_case(ctx, where, meshes[i / (WAYS * PROBLEMS)], i, i % PROBLEMS,
                       i / PROBLEMS % WAYS, type);
    }
}

static void diffusion(tulle_ctx *ctx, const char *where) {
    diffusion_of(ctx, where, TULLE_F64);
}
ONCE_ON_EACH_PLACE(diffusion)

/* f32 ends at 1e38, which the square of an area is beyond where lengths are 1e12. */
static void single_diffusion(tulle_ctx *ctx, const char *where) {
    diffusion_of(ctx, where, TULLE_F32);
}
ONCE_ON_EACH_PLACE(single_diffusion)

static solution stretch(tulle_ctx *ctx, const char *spec, const units *in, bool local) {
    tulle_mesh *mesh = mesh_in(ctx, spec, in->length);
    const double pressure = in->coefficient / in->length * in->unknown;
    const tulle_elastic_condition conditions[] = {
        {.group = "x-min", .value = {{.number = 0}, {.number = 0.5 * in->unknown}}},
        {.group = "x-max", .value = {{.number = in->unknown}}, .free = {false, true, true}},
        {.group = "y-max", .kind = TULLE_NEUMANN, .value = {{.number = 0.2 * pressure}}},
        {.group = "y-min", .kind = TULLE_ROBIN, .factor = {.number = in->coefficient / in->length}},
    };
    const tulle_elasticity_problem p = {.first = {.number = in->coefficient},
                                        .second = {.number = 0.3},
                                        .force = {{.number = 0}, {.number = pressure / in->length}},
                                        .condition_count = 4,
                                        .conditions = conditions};
    tulle_elasticity *E = NULL;
    tulle_assembly *S = NULL;
    tulle_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_vec *b = NULL, *x = NULL;
    const int64_t n = mesh_info(mesh).nodes * mesh_arrays(mesh).dimension;
    must(tulle_elasticity_create(ctx, mesh, &p, &E));
    must(tulle_elasticity_assembly(ctx, E, TULLE_BSR, &S));
    must(tulle_vec_create(ctx, in->type, n, &b));
    must(tulle_vec_create(ctx, in->type, n, &x));
    must(tulle_elasticity_load(ctx, E, S, b));
    if (local) {
        must(tulle_elasticity_local(ctx, E, NULL, in->type, &L));
    } else {
        must(tulle_assembly_matrix(ctx, S, in->type, &A));
        must(tulle_elasticity_values(ctx, E, S, A));
        must(tulle_linop_from_mat(ctx, A, &L));
    }
    must(tulle_vec_fill(ctx, x, 0));
    must(tulle_elasticity_give(ctx, E, x));
    const solution s = solve(ctx, L, b, x, n, in->type);
    tulle_linop_destroy(L);
    tulle_mat_destroy(A);
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_assembly_destroy(S);
    tulle_elasticity_destroy(E);
    tulle_mesh_destroy(mesh);
    return s;
}

static void elasticity_of(tulle_ctx *ctx, const char *where, tulle_type type) {
    static const char *const meshes[] = {"box-quad:4x3,perturb=0.1", "box-tri:3x4",
                                         "box-tet:2x2x2,perturb=0.1", "box-hex:3x2x2"};
    enum { MESHES = sizeof meshes / sizeof *meshes };
    const int only = turn_of(where, MESHES * 2);
    for (int i = 0; i < MESHES * 2; i++) {
        solution one = {0};
        if (is_slow(where) && i != only) continue;
        for (int k = 0; k < UNITS; k++) {
            if (!is_met(where, i, k)) continue;
            const units in = units_in(k, type);
            solution s = stretch(ctx, meshes[i / 2], &in, i % 2);
            if (k == 0) one = s;
            assert_true(s.iterations > 2);
            check_same(&one, &s, &in, meshes[i / 2]);
            if (k > 0) free(s.u);
        }
        free(one.u);
    }
}

static void elasticity(tulle_ctx *ctx, const char *where) {
    elasticity_of(ctx, where, TULLE_F64);
}
ONCE_ON_EACH_PLACE(elasticity)

static void single_elasticity(tulle_ctx *ctx, const char *where) {
    elasticity_of(ctx, where, TULLE_F32);
}
ONCE_ON_EACH_PLACE(single_elasticity)

/* What is asked of a problem whose numbers f32 does not hold. */
static void check_refused(tulle_status status, const char *word) {
    assert_int_equal(status, TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, word));
}

/* A matrix, a right-hand side or numbers that are given, which would become 0 or Inf in f32, are
 * refused there; f64 has them. */
static void single_range(tulle_ctx *ctx, const char *where) {
    static const struct {
        double k, f, given;
        bool matrix, load, give; /* is held by f32 */
    } cases[] = {{1, 1, 1, true, true, true},          {1e-50, 0, 1, false, false, true},
                 {1e39, 0, 1, false, false, true},     {1, 1e-50, 0, true, false, true},
                 {1, 0, 1e-60, true, false, false},    {1e-20, 0, 1e-20, true, false, true},
                 {1e20, 1e20, 1e20, true, false, true}};
    (void)where;
    tulle_mesh *mesh = mesh_of(ctx, "box-quad:2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tulle_quantity k = {.number = cases[i].k};
        const tulle_condition end = {.group = "x-min", .value = {.number = cases[i].given}};
        const tulle_diffusion_problem p = {
            .k = &k, .f = {.number = cases[i].f}, .condition_count = 1, .conditions = &end};
        for (int t = 0; t < 2; t++) {
            const tulle_type type = t ? TULLE_F32 : TULLE_F64;
            tulle_diffusion *D = NULL;
            tulle_assembly *S = NULL;
            tulle_mat *A = NULL;
            tulle_linop *L = NULL;
            tulle_vec *b = NULL;
            must(tulle_diffusion_create(ctx, mesh, &p, &D));
            must(tulle_diffusion_assembly(ctx, D, TULLE_CSR, &S));
            must(tulle_assembly_matrix(ctx, S, type, &A));
            must(tulle_vec_create(ctx, type, 9, &b));
            if (type == TULLE_F64 || cases[i].matrix) {
                must(tulle_diffusion_values(ctx, D, S, A));
                must(tulle_diffusion_local(ctx, D, NULL, type, &L));
                tulle_linop_destroy(L);
                must(tulle_diffusion_matrix_free(ctx, D, mesh, NULL, type, &L));
                tulle_linop_destroy(L);
            } else {
                const tulle_matrix_free_options o = {.diffusion = cases[i].k};
                check_refused(tulle_diffusion_values(ctx, D, S, A), "make the matrix");
                check_refused(tulle_diffusion_local(ctx, D, NULL, type, &L), "make the matrix");
                check_refused(tulle_diffusion_matrix_free(ctx, D, mesh, NULL, type, &L),
                              "make the matrix");
                check_refused(tulle_linop_matrix_free(ctx, mesh, &o, type, &L), "diffusion");
            }
            if (type == TULLE_F64 || cases[i].load) {
                must(tulle_diffusion_load(ctx, D, S, b));
            } else {
                check_refused(tulle_diffusion_load(ctx, D, S, b), "the right-hand side");
            }
            if (type == TULLE_F64 || cases[i].give) {
                must(tulle_diffusion_give(ctx, D, b));
            } else {
                check_refused(tulle_diffusion_give(ctx, D, b), "u is given");
            }
            tulle_vec_destroy(b);
            tulle_mat_destroy(A);
            tulle_assembly_destroy(S);
            tulle_diffusion_destroy(D);
        }
    }
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(single_range)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diffusion),    cmocka_unit_test(test_single_diffusion),
        cmocka_unit_test(test_elasticity),   cmocka_unit_test(test_single_elasticity),
        cmocka_unit_test(test_single_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
